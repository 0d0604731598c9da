"""Takes labelled values from a page: "Attendance: 23,105" for an infobox's attendance.

Only labels that the article's own infobox has are looked for: a page is full of others.
The value may stand behind a colon, in the next cell of a table, or on the next line.
Pure.
"""

# ruff: noqa: RUF001  (the quotation marks and signs of web pages are meant)

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from handlers.citations.cues.words import content_stems, words
from handlers.model import ClaimKind, Span, Statement

_LINE = re.compile(r"[^\n\r]+")
_LONGEST_LABEL, _LONGEST_VALUE = 40, 100  # characters
_MOST = 12
_START = re.compile(r"[\s•*·–-]*")
# What parts label and value: a colon, a cell's border, or a blank before a figure.
_PARTS = re.compile(r"[ \t]*(?:[:：]|\||\t)[ \t|]*|[ \t]+(?=[$€£¥]?\d)")
_DIGIT = re.compile(r"\d")
_UNCLEAR = re.compile(
    r"[|?!©»]|https?:|\b(?:n/?a|tba|tbc|tbd|unknown|none)\b", re.IGNORECASE
)
_NO_FACT = re.compile(
    r"\b(?:image|caption|alt|website|url|logo|map|signature|name|title|size|width|px|pushpin"
    r"|coord\w*|lat\w*|long\w*|utc|postal|code|blank|module|embed|native|label|rank)\b"
)
_JOINTS = frozenset({"of", "by", "in", "at", "as", "per", "no", "for"})
_QUALIFIERS = frozenset(
    content_stems(words("total no number num estimate current official"))
)


@dataclass(frozen=True, slots=True)
class Labelled:
    """A value of a page, with the statement of the article that has the same label."""

    span: Span
    statement: Statement


def labelled(text: str, statements: Sequence[Statement]) -> Iterator[Labelled]:
    """Yield the places of `text` that give another figure than the article's infobox."""
    wanted = _by_label(statements)
    if not wanted:
        return
    given = 0
    lines = [found.span() for found in _LINE.finditer(text)]
    for at, (start, end) in enumerate(lines):
        following = lines[at + 1] if at + 1 < len(lines) else None
        pair = _pair(text, start, end, following)
        one = wanted.get(_stems(text[slice(*pair[0])])) if pair else None
        if pair and one and _differs(text[slice(*pair[1])], one.text):
            yield Labelled(Span(pair[0][0], pair[1][1]), one)
            given += 1
            if given == _MOST:
                return


_Place = tuple[int, int]


def _pair(
    text: str, start: int, end: int, following: _Place | None
) -> tuple[_Place, _Place] | None:
    """Return the places of label and value, if the line may hold them."""
    began = _START.match(text, start, end)
    start = began.end() if began else start
    parted = _PARTS.search(text, start, min(end, start + _LONGEST_LABEL))
    label = (start, parted.start() if parted else end)
    value: _Place | None = (parted.end(), end) if parted else following
    if parted and not text[parted.end() : end].strip():
        value = following
    if value is None or not start < label[1] <= start + _LONGEST_LABEL:
        return None
    value = (value[0], value[0] + len(text[slice(*value)].rstrip()))
    return (label, value) if 0 < value[1] - value[0] <= _LONGEST_VALUE else None


def _by_label(statements: Sequence[Statement]) -> Mapping[frozenset[str], Statement]:
    found: dict[frozenset[str], Statement] = {}
    for one in statements:
        if one.kind is ClaimKind.INFOBOX_VALUE and one.header:
            label = re.sub(r"[\W_\d]+", " ", one.header).strip().lower()
            stems = _stems(label)
            if stems and not _NO_FACT.search(label):
                found.setdefault(stems, one)
    return found


def _stems(label: str) -> frozenset[str]:
    """Return what a label is compared by; nothing for the beginning of a sentence."""
    found = words(label)
    if any(not one.is_content and one.text.lower() not in _JOINTS for one in found):
        return frozenset()
    stems = content_stems(found)
    return stems - _QUALIFIERS or stems


def _differs(value: str, said: str) -> bool:
    """Tell whether both give figures, and not the same ones: names have many spellings."""
    if not _DIGIT.search(value) or not _DIGIT.search(said) or _UNCLEAR.search(value):
        return False
    return not _figures(value) <= _figures(said)


def _figures(text: str) -> set[str]:
    return {word.stem for word in words(text) if word.is_number}
