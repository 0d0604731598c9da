"""Wikitext that makes careless parsers quadratic, or run out of stack.

Each bomb is a function of its number of repetitions; its length is proportional.
"""

from collections.abc import Callable, Mapping

Bomb = Callable[[int], str]


def _repeated(unit: str) -> Bomb:
    return lambda count: unit * count


def _nested(opener: str, closer: str, inside: str = "") -> Bomb:
    return lambda count: opener * count + inside + closer * count


_LEFT_OPEN = {
    "external links": "[http://a ",
    "quoted names": '<ref name="',
    "tags": '<div a="b" ',
    "values": "{{a|b=",
    "templates in tags": "<ref {{",
    "pictures": "[[File:a|",
    "refs": "<ref>",
    "tables": "{|\n",
    "nowiki": "<nowiki>",
    "three opaque tags": "<math><nowiki><pre>",
    "bold tags": "<b>",
    "comments": "<!--",
    "apostrophes": "''''' a",
    "braces": "{{",
    "brackets": "[[",
    "entities": "&#x",
    "citations in refs": "<ref>x{{cite web|url=http://a|title=",
    "links in templates": "{{[[|",
    "comments in headings": "\n== a <!-- \n -->",
    "comments in tags": "<ref <!---->",
    "levels": "\n=",
    "archived": "<ref>http://a {{webarchive|",
    "notes": "{{efn|a b c d ",
}
_NESTED = {
    "templates": ("{{a|", "}}"),
    "links": ("[[a|", "]]"),
    "runs of braces": ("{{{", "}}}"),
    "tables": ("\n{|", "\n|}"),
    "external links": ("{{[http://a ", "]}}"),
    "links across braces": ("[[{{", "]]"),
    "braces across links": ("{{[[|", "}}"),
    "headings in tables": ("\n{|\n=a=", "\n|}"),
    "lists": ("<references><ref>", "</ref></references>"),
    "notes": ("{{efn|some words that explain ", "}}"),
    "named notes": ("{{refn|name=a|group=b|", "}}"),
    "citations": ("{{cite web|url=http://a|title=b ", "}}"),
    "tags": ("{{cn|reason=", "|date=May 2020}}"),
    "reuses": ("{{r|a|", "}}"),
    "values that are made": ("{{circa|1 ", "}}"),
    "cells that are shown": ("{{yes|a ", "}}"),
    "raised signs": ("1<sup>2", "</sup>"),
    "short citations": ("{{sfn|Smith|", "|2001}}"),
}
_CLOSED = {
    "refs": "<ref>a</ref>",
    "refs without a definition": "<ref name=a/>",
    "refs of one name": "<ref name=a>b</ref>",
    "citations": "<ref>{{cite web|url=http://a|title=[[b|c]]|last=D|year=2001}}</ref>",
    "short citations": "{{sfn|A|2001|p=3}}{{cite book|last=A|year=2001}}",
    "attributes": "<ref a='a' name=b />",
    "pages": "<ref>a</ref>{{rp|3}}",
    "pages without a marker": "{{rp|3}} a ",
    "gaps": "It {{no such|1}} is.<ref>a</ref> ",
    "functions": "{{formatnum:{{a|1}}}}",
}

BOMBS: Mapping[str, Bomb] = {
    **{f"{name} left open": _repeated(unit) for name, unit in _LEFT_OPEN.items()},
    **{f"{name} nested": _nested(*pair) for name, pair in _NESTED.items()},
    **{f"{name} in a row": _repeated(unit) for name, unit in _CLOSED.items()},
    "one tag of many attributes": lambda count: "<ref " + "a='" * count + "/>",
    "one template of many values": lambda count: "{{cite web" + "|a=" * count + "}}",
    "one reuse of many names": lambda count: "{{r" + "|a" * count + "}}",
    "one ref of many words": lambda count: "<ref>" + "a http://b " * count + "</ref>",
    "one title of much markup": lambda count: (
        "<ref>{{cite web|title=" + "[[a]]''b''<i>c</i>" * count + "}}</ref>"
    ),
    "one row of cells that span many": lambda count: (
        "{|\n" + "|rowspan=9999|<ref>a</ref>\n" * count + "|-\n|a\n" * count + "|}"
    ),
    "one name of many rows": lambda count: (
        "{|\n|rowspan=9999|a<ref>b</ref>\n|c\n" + "|-\n|d\n" * count + "|}"
    ),
    "one line of equal signs": lambda count: "=" * count,
    "one heading of comments": lambda count: "==a" + "<!---->" * count + "==\n",
}
