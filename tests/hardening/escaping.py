"""Every hostile text through the wiki's own parser, as `action=parse` has it saved.

Some fifty stand on one page at a time, one to a line, each between two marks; on a
page where anything is found that our lines do not put there, they are tried one by one.
"""

import html
import json
import random
import re
import urllib.parse
import urllib.request
from collections.abc import Sequence
from typing import Any

from bot.wiki import escaping
from tests.bot.wiki.markup.corpora import hostile_texts
from tests.hardening.figures import Figures, measured

_AT_ONCE = 50
_ANSWER_S = 120
_KINDS = (
    "links", "templates", "categories", "externallinks", "images", "iwlinks",
    "langlinks", "sections", "properties",
)  # fmt: skip
_PIECES = (
    "[[", "]]", "{{", "}}", "|", "<", ">", "<!--", "-->", "<nowiki>", "</nowiki>", "~~~~",
    "~~~", "''", "'''", "==", "----", "*", "#", ":", ";", "__NOTOC__", "{{{", "}}}", "-{",
    "}-", "http://a.example", "//a.example", "mailto:a@b.example", "RFC 1", "ISBN 978",
    "File:", "Category:", "&#91;", "&lt;", "&amp;", "&", ";", "%5B", "<ref>", "</ref>",
    "<script>", "onload=", '"', "\u200b", "\u202e", "\u0338", "\u2028", "\x00",
    "subst:", "#if:", "Talk:", "User:A", "@", "_", " ", "word", "\n", "\t",
)  # fmt: skip
_LINE = re.compile(r"<p>\s*\u27e6(.*?)\u27e7\s*</p>", re.DOTALL)


def texts(count: int, seed: int) -> list[str]:
    """Return the collected texts, and mixtures of their signs up to `count`."""
    random_ = random.Random(seed)
    found = hostile_texts()
    while len(found) < count:
        found.append("".join(random_.choices(_PIECES, k=random_.randrange(1, 14))))
    return found[:count]


def try_texts(host: str, given: Sequence[str]) -> Figures:
    """Have the wiki at `host` parse each of `given`, made safe before."""
    with measured("G7", "hostile texts through the wiki's parser") as figures:
        for at in range(0, len(given), _AT_ONCE):
            some = given[at : at + _AT_ONCE]
            figures.tried += len(some)
            if not _is_harmless(host, some):
                for one in some:
                    if not _is_harmless(host, [one]):
                        figures.fault(f"not harmless: {one!r}")
    return figures


def _is_harmless(host: str, some: Sequence[str]) -> bool:
    """Tell whether the page shows the very words, and holds nothing else."""
    lines = [f"\u27e6{escaping.text(one)}\u27e7" for one in some]
    seen = _parsed(host, "\n\n".join(lines))
    if any(seen[kind] for kind in _KINDS):
        return False
    shown = [_words(one) for one in _LINE.findall(seen["text"])]
    return shown == [_words(line)[1:-1] for line in lines]


def _words(shown: str) -> str:
    # The parser puts spaces that do not break before the signs of French.
    return html.unescape(shown).replace("\u00a0", " ").replace("\u202f", " ")


def _parsed(host: str, wikitext: str) -> dict[str, Any]:
    parameters = {
        "action": "parse",
        "title": "Talk:Hardening",
        "text": wikitext,
        "contentmodel": "wikitext",
        "pst": "1",
        "disablelimitreport": "1",
        "wrapoutputclass": "",
        "prop": "|".join((*_KINDS, "text")),
        "format": "json",
        "formatversion": "2",
    }
    request = urllib.request.Request(
        f"http://{host}/w/api.php", urllib.parse.urlencode(parameters).encode()
    )
    with urllib.request.urlopen(request, timeout=_ANSWER_S) as answer:  # noqa: S310
        return dict(json.load(answer)["parse"])
