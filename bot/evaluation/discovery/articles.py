"""An event's article by lines, and as the wikitext that the engine is given.

WikiGenBench keeps an article as plain text: its headings stand on lines of their own
and only those of the first level are listed. A line counts as a heading of the second
level where a paragraph could begin, if it is short, ends in no mark of a sentence and
is no list item. Deeper levels cannot be told apart, so they count as second, too.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import Enum

from bot.evaluation.events import Event

_LONGEST_HEADING = 80  # characters
_MOST_WORDS = 12
_SENTENCE_END = ".!?:;,"
# Signs that would be markup; what they were meant for is lost in the plain text.
_PLAIN = str.maketrans({"[": "(", "]": ")", "{": "(", "}": ")", "<": "‹", ">": "›", "|": "/"})  # fmt: skip  # noqa: RUF001
_LINE_MARKUP = re.compile(r"^[\s*#:;=!]+")
_EMPHASIS = re.compile(r"'{2,}")


class Part(Enum):
    """What a line of an article is."""

    HEADING = "heading"
    SUBHEADING = "subheading"
    PROSE = "prose"
    ITEM = "item of a list"


@dataclass(frozen=True, slots=True)
class Line:
    """A line of an article that is not empty; `section` has the headings above it."""

    part: Part
    text: str
    section: tuple[str, ...]


def lines_of(event: Event) -> tuple[Line, ...]:
    """Return the lines of an event's article; a heading belongs to its own section."""
    return tuple(_lines(event))


def _lines(event: Event) -> Iterator[Line]:
    first: set[str] = set(event.headings)
    section: tuple[str, ...] = ()
    may_begin = False
    for raw in event.text.split("\n"):
        text = raw.strip()
        if not text:
            may_begin = True
            continue
        part = _part(raw, text, first, may_begin=may_begin and bool(section))
        if part is Part.HEADING:
            section = (_title(text),)
        elif part is Part.SUBHEADING:
            section = (section[0], _title(text))
        heads = part in (Part.HEADING, Part.SUBHEADING)
        yield Line(part, _title(text) if heads else text, section)
        may_begin = heads


def _part(raw: str, text: str, headings: set[str], *, may_begin: bool) -> Part:
    if text in headings:
        return Part.HEADING
    if raw[:1].isspace():
        return Part.ITEM
    looks_like = (
        len(text) <= _LONGEST_HEADING
        and len(text.split()) <= _MOST_WORDS
        and text[-1] not in _SENTENCE_END
        and any(map(str.isalpha, text))
    )
    return Part.SUBHEADING if may_begin and looks_like else Part.PROSE


def wikitext_of(
    title: str, lines: Sequence[Line], replaced: Mapping[int, str] | None = None
) -> str:
    """Return lines as wikitext, the title in bold where the article begins with it.

    Args:
        title: of the article.
        lines: of the article.
        replaced: the text of lines, by their number, in place of their own; without
            text the line is left out.
    """
    blocks = []
    for number, line in enumerate(lines):
        text = replaced.get(number, line.text) if replaced else line.text
        if text:
            blocks.append(_block(line, text))
    bold = _escaped(title)
    if blocks and blocks[0].startswith(bold):
        blocks[0] = f"'''{bold}'''{blocks[0].removeprefix(bold)}"
    return "\n\n".join(blocks) + "\n"


def _block(line: Line, text: str) -> str:
    if line.part is Part.HEADING:
        return f"== {_title(text)} =="
    if line.part is Part.SUBHEADING:
        return f"=== {_title(text)} ==="
    return f"* {_escaped(text)}" if line.part is Part.ITEM else _escaped(text)


def _title(text: str) -> str:
    """Return a heading without what would be markup; its path is read from that."""
    return _escaped(text).replace("=", "–")


def _escaped(text: str) -> str:
    quiet = _EMPHASIS.sub('"', text.translate(_PLAIN))
    return _LINE_MARKUP.sub("", quiet)
