"""Takes labelled values from a page: "Attendance: 23,105" for an infobox's attendance.

Only labels that the article's own infobox has are looked for: a page is full of others.
Pure.
"""

# ruff: noqa: RUF001  (the quotation marks and signs of web pages are meant)

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from handlers.citations.cues.words import content_stems, words
from handlers.model import ClaimKind, Span, Statement

_LINE = re.compile(
    r"^[ \t•*·-]*(?P<label>[^\W\d_][^\n:：]{1,38}?)[ \t]*[:：][ \t]*(?:\n[ \t]*)?(?P<value>[^\n]{1,120}?)[ \t]*$",
    re.MULTILINE,
)
_MOST = 12
_NUMBER = re.compile(r"\d")
_UNCLEAR = re.compile(
    r"[|?!©»]|https?:|\b(?:n/?a|tba|tbc|tbd|unknown|none)\b", re.IGNORECASE
)
_HIDDEN = frozenset(
    [
        "image",
        "caption",
        "alt",
        "website",
        "url",
        "logo",
        "map",
        "signature",
        "name",
        "title",
    ]
)


@dataclass(frozen=True, slots=True)
class Labelled:
    """A value of a page, with the statement of the article that has the same label."""

    span: Span
    statement: Statement


def labelled(text: str, statements: Sequence[Statement]) -> Iterator[Labelled]:
    """Yield the lines of `text` that give another value than the article's infobox."""
    wanted = _by_label(statements)
    if not wanted:
        return
    given = 0
    for found in _LINE.finditer(text):
        one = wanted.get(content_stems(words(found["label"])))
        if one is None or given >= _MOST or not _differs(found["value"], one.text):
            continue
        given += 1
        yield Labelled(Span(found.start("label"), found.end("value")), one)


def _by_label(statements: Sequence[Statement]) -> Mapping[frozenset[str], Statement]:
    found: dict[frozenset[str], Statement] = {}
    for one in statements:
        if one.kind is ClaimKind.INFOBOX_VALUE and one.header:
            label = re.sub(r"[\W_\d]+", " ", one.header).strip().lower()
            stems = content_stems(words(label))
            if stems and label not in _HIDDEN:
                found.setdefault(stems, one)
    return found


def _differs(value: str, said: str) -> bool:
    """Tell whether both give figures, and not the same ones: names have many spellings."""
    if not _NUMBER.search(value) or not _NUMBER.search(said) or _UNCLEAR.search(value):
        return False
    return not _figures(value) <= _figures(said)


def _figures(text: str) -> set[str]:
    return {word.stem for word in words(text) if word.is_number}
