"""The one adapter of mwparserfromhell: what a piece of wikitext reads like.

The library is quadratic on markup that is left open, so it is only given short
pieces in which every bracket and brace is closed; any other piece loses its
markup signs by a plain replacement instead. Pure.
"""

import html
import re
from collections.abc import Collection, Mapping

import mwparserfromhell
from mwparserfromhell.nodes import Node, Template
from mwparserfromhell.wikicode import Wikicode

_LONGEST = 2_000  # characters; a longer value is prose or an attack
_MOST_TAGS = 12
_ENTITY = re.compile(r"&(?:#\d{1,7}|#[xX][0-9a-fA-F]{1,6}|[A-Za-z]\w{1,30});")
_PAIRS = re.compile(r"\[\[|\]\]|\{\{|\}\}")
_OPENERS = {"]]": "[[", "}}": "{{"}
_TAG = re.compile(r"<[^<>]*+>")
# What nine of ten values hold and reads like itself: a comment, a link to a page.
_COMMENT = re.compile(r"<!--[^<>]*?-->")
_LINK = re.compile(r"\[\[(?:[^\[\]{}<>&\n|:/]++\|)?([^\[\]{}<>&\n|:/]++)\]\]")
_NOT_SO_SIMPLE = re.compile(r"[\[\]{}<>&\n]|''|\A[*#:;=-]")
_LEFT_OVERS = re.compile(r"\[\[|\]\]|\{\{++|\}\}++|'{2,}+")
# Templates that stand for one character, so that it does not count as markup.
_CHARACTERS = {
    "{{!}}": "|",
    "{{=}}": "=",
    "{{'}}": "'",
    "{{-}}": "-",
    "{{nbsp}}": " ",
    "{{snd}}": " – ",
    "{{ndash}}": "–",
}
_CHARACTER = re.compile("|".join(re.escape(each) for each in _CHARACTERS))
_SHOWS_FIRST = frozenset({"abbr", "ill", "sic", "tooltip", "interlanguage link"})


def holds_markup(wikitext: str) -> bool:
    """Tell whether a reader sees anything but the text itself, white space aside."""
    return (  # looking for one sign at a time is three times as fast as for any
        "&" in wikitext
        or "[" in wikitext
        or "{" in wikitext
        or "<" in wikitext
        or "''" in wikitext
        or "]" in wikitext
        or "}" in wikitext
    )


def plain_text(wikitext: str) -> str:
    """Return what a reader sees of a short piece of wikitext, on one line.

    Links leave their label, templates their last positional parameter (which is
    what `{{nowrap|…}}` and `{{lang|fr|…}}` show), references and comments nothing.
    """
    if not holds_markup(wikitext):
        return " ".join(wikitext.split())
    if "{{" in wikitext:
        wikitext = _CHARACTER.sub(lambda found: _CHARACTERS[found[0]], wikitext)
    if "[" in wikitext or "{{" in wikitext or "<" in wikitext:
        wikitext = _stripped(wikitext)
    return " ".join(unescape(_LEFT_OVERS.sub("", wikitext)).split())


def unescape(text: str) -> str:
    """Replace entities; "&copy=1" of an address is none, for it lacks the ";"."""
    if "&" not in text:
        return text
    return _ENTITY.sub(lambda found: html.unescape(found[0]), text)


def with_parameters(
    template: str, values: Mapping[str, str], *, without: Collection[str] = ()
) -> str | None:
    """Return a template with some parameters set, all others as they were.

    Args:
        template: its whole wikitext.
        values: wikitext by the name of its parameter, added where it is missing.
        without: parameters to take away, such as older names of the same.

    Returns:
        `None` where the library cannot be given this, or finds another template.
    """
    if not _is_tame(template):
        return None
    found = mwparserfromhell.parse(template).filter_templates(recursive=False)
    if len(found) != 1 or str(found[0]) != template.strip():
        return None
    for name in without:
        if found[0].has(name):
            found[0].remove(name)
    for name, value in values.items():
        found[0].add(name, value)
    return str(found[0])


def _stripped(wikitext: str) -> str:
    simple = _LINK.sub(r"\1", _COMMENT.sub("", wikitext))
    if not _NOT_SO_SIMPLE.search(simple):
        return simple
    if not _is_tame(wikitext):
        return _TAG.sub("", wikitext)
    code = mwparserfromhell.parse(wikitext)
    if "<" in wikitext:
        for tag in code.filter_tags(matches=lambda node: node.tag == "ref"):
            _replace(code, tag, "")
    if "{{" in wikitext:
        for template in reversed(code.filter_templates()):  # inner ones first
            _replace(code, template, _shown(template))
    return str(code.strip_code())


def _is_tame(wikitext: str) -> bool:
    """Tell whether the library reads this in time linear in its length."""
    if len(wikitext) > _LONGEST or wikitext.count("<") > _MOST_TAGS:
        return False
    if "{|" in wikitext or wikitext.count("[") != wikitext.count("]"):
        return False
    around: list[str] = []
    for sign in _PAIRS.findall(wikitext):
        opener = _OPENERS.get(sign)
        if opener is None:
            around.append(sign)
        elif not around or around.pop() != opener:
            return False
    return not around


def _replace(code: Wikicode, node: Node, shown: str) -> None:
    # A node inside one that was replaced before is gone.
    if code.contains(node):
        code.replace(node, shown)


def _shown(template: Template) -> str:
    """Return the parameter that a template most likely shows."""
    positional = [each for each in template.params if not each.showkey]
    if not positional:
        return ""
    first = str(template.name).strip().lower() in _SHOWS_FIRST
    return str(positional[0 if first else -1].value)
