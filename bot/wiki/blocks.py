"""A part of a page between two markers that only we rewrite.

Its first marker holds the code of its content, so that a change by a person is noticed:
a block is replaced whole only if it is byte for byte what we wrote. If a person wrote
in it, their lines are kept below it. If markers are missing, doubled or nested so that
it is unclear what is ours, that part is left as it is and a new block is made. Text
outside is never changed. Pure.
"""

import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from enum import Enum
from itertools import pairwise
from typing import NamedTuple

from bot.wiki.escaping import WikiSafe
from bot.wiki.keys import Keys, Purpose
from handlers.page.markup import Element, Kind
from handlers.page.scan import scan

_MARKER = re.compile(
    r"<!-- sidenote (?P<edge>begin|end) (?P<name>[a-z]{1,20})"
    r"(?: (?P<code>[0-9a-f]{24}))?(?P<advice>: [^<>]{0,200})? -->"
)
_ANY_MARKER = re.compile(r"<!-- sidenote [^<>]{0,300}?-->")
_ADVICE = WikiSafe("a program rewrites what follows; please write above or below it")


class Trouble(Enum):
    """What is wrong with the markers of a page; the value says what was done."""

    NO_END = "a begin marker has no end marker; that part was left as it is"
    NO_BEGIN = "an end marker has no begin marker; that part was left as it is"
    DOUBLED = "there is more than one of it; only the first is kept up to date"
    CHANGED = "it was edited by hand; the lines that people wrote are now below it"
    NOT_OURS = "its content is not what was written there; that part was left as it is"
    HIDDEN = "a comment or tag is left open on the page, so that nothing can be added"


@dataclass(frozen=True, slots=True)
class Block:
    """A block that is ours to rewrite.

    `text[start:end]` is all of it; `content` is what is between its markers now and
    `written` what we wrote there; they differ if a person changed it.
    """

    start: int
    end: int
    content: str
    written: str

    @property
    def lines_of_people(self) -> tuple[str, ...]:
        """Return the lines that were not written by us, our own markers removed."""
        ours = Counter(self.written.split("\n"))
        lines = []
        for line in self.content.split("\n"):
            if ours[line] > 0:
                ours[line] -= 1
            elif line.strip():
                lines.append(_ANY_MARKER.sub("", line))
        return tuple(lines)


@dataclass(frozen=True, slots=True)
class Found:
    """The block of a page, if there is one, and what is wrong with its markers."""

    block: Block | None
    troubles: tuple[Trouble, ...]


@dataclass(frozen=True, slots=True)
class Rewritten:
    """A page with its block as it should be; `content` is what it now holds.

    Store `content`: the next rewriting needs it to tell our lines from other people's.
    It is `None` if nothing could be written, and the page is unchanged.
    """

    text: str
    content: str | None
    troubles: tuple[Trouble, ...]


class _Marker(NamedTuple):
    element: Element
    is_begin: bool
    name: str
    code: str


class _Stretch(NamedTuple):
    """What may be a block of ours; it lacks an end marker if `is_open`."""

    begin: _Marker
    content_end: int
    end: int
    is_open: bool


def find(text: str, name: str, keys: Keys, *, own: str | None = None) -> Found:
    """Find the block called `name`.

    Args:
        text: the page.
        name: of the block, in lower-case letters.
        keys: what the blocks of this bot are signed with.
        own: the content of the block as this bot last wrote it; without it a block that
            a person changed is not recognised as ours.
    """
    markers = list(_markers(text))
    closed = list(_closed(markers, name))
    used = {place for each in closed for place in (each.begin.element.start, each.end)}
    alone = [
        each
        for each in markers
        if each.name == name
        and not used & {each.element.start if each.is_begin else each.element.end}
    ]
    stretches = [*closed, *_left_open(alone, text, own)]
    blocks = [_block(text, each, keys, own) for each in stretches]
    known = [each for each in blocks if each]
    whole = [each for each in known if each.content == each.written]
    block = next(iter(whole or known), None)
    troubles = set(_about_edges(alone))
    if len(known) > 1:
        troubles.add(Trouble.DOUBLED)
    if len(known) < len(blocks):
        troubles.add(Trouble.NOT_OURS)
    if block and block.lines_of_people:
        troubles.add(Trouble.CHANGED)
    return Found(block, _in_order(troubles))


def rewritten(
    text: str,
    name: str,
    body: WikiSafe,
    keys: Keys,
    *,
    own: str | None = None,
    at: int | None = None,
    advice: WikiSafe = _ADVICE,
) -> Rewritten:
    """Return `text` with `body` in its block, which is added if there is none.

    Doing it twice has the same effect as once.

    Args:
        text: the page.
        name: of the block, in lower-case letters.
        body: what it should hold, without block markers.
        keys: signs the block.
        own: what we last wrote into it (`Rewritten.content`), if known.
        at: where a new block goes; the end of the page by default.
        advice: for people who see the block in the wikitext.

    Raises:
        ValueError: `body` holds a marker.
    """
    if _MARKER.search(body):
        raise ValueError("a block cannot hold another")
    stripped = body.strip("\n")
    content = f"\n{stripped}\n"
    found = find(text, name, keys, own=own)
    new = _written(name, content, keys, advice)
    if found.block is None:
        result = _inserted(text, new, at)
    else:
        after = "".join(f"\n{line}" for line in found.block.lines_of_people)
        before, rest = text[: found.block.start], text[found.block.end :]
        result = f"{before}{new}{after}{rest}"
    again = find(result, name, keys).block
    if again is None or again.content != content:
        return Rewritten(text, None, _in_order({*found.troubles, Trouble.HIDDEN}))
    return Rewritten(result, content, found.troubles)


def removed(text: str, name: str, keys: Keys, *, own: str | None = None) -> str:
    """Return `text` without its block; lines that people added to it stay."""
    block = find(text, name, keys, own=own).block
    if block is None:
        return text
    theirs = "\n".join(block.lines_of_people)
    return f"{text[: block.start]}{theirs}{text[block.end :]}"


def _written(name: str, content: str, keys: Keys, advice: WikiSafe) -> str:
    code = keys.sign(Purpose.BLOCK, f"{name}\n{content}")
    begin = f"<!-- sidenote begin {name} {code}: {advice} -->"
    return f"{begin}{content}<!-- sidenote end {name} -->"


def _inserted(text: str, block: str, at: int | None) -> str:
    place = len(text) if at is None else at
    before, after = text[:place], text[place:]
    gap_before = "" if not before or before.endswith("\n") else "\n"
    gap_after = "" if after.startswith("\n") else "\n"
    return f"{before}{gap_before}{block}{gap_after}{after}"


def _markers(text: str) -> Iterator[_Marker]:
    if "<!-- sidenote " not in text:
        return
    for element in scan(text).elements:
        if element.kind is Kind.COMMENT:
            found = _MARKER.fullmatch(text, element.start, element.end)
            if found:
                begins = found["edge"] == "begin"
                yield _Marker(element, begins, found["name"], found["code"] or "")


def _closed(markers: list[_Marker], name: str) -> Iterator[_Stretch]:
    """Yield each begin marker closed by the next marker, both in the same context."""
    for begin, end in pairwise(markers):
        together = begin.element.parent == end.element.parent
        same = begin.name == end.name == name
        if begin.is_begin and not end.is_begin and together and same:
            yield _Stretch(begin, end.element.start, end.element.end, is_open=False)


def _left_open(alone: list[_Marker], text: str, own: str | None) -> Iterator[_Stretch]:
    """Yield blocks that lost their end marker but still begin with all we wrote."""
    for each in alone:
        start = each.element.end
        if each.is_begin and own and text.startswith(own, start):
            end = start + len(own)
            yield _Stretch(each, end, end, is_open=True)


def _block(text: str, stretch: _Stretch, keys: Keys, own: str | None) -> Block | None:
    """Return the block, if it is known to be ours."""
    start, content_start = stretch.begin.element.start, stretch.begin.element.end
    content = text[content_start : stretch.content_end]
    name, code = stretch.begin.name, stretch.begin.code
    for written in (content, own):
        signed = f"{name}\n{written}"
        if written is not None and keys.is_signed(Purpose.BLOCK, signed, code):
            return Block(start, stretch.end, content, written)
    return None


def _about_edges(alone: list[_Marker]) -> Iterator[Trouble]:
    for each in alone:
        yield Trouble.NO_END if each.is_begin else Trouble.NO_BEGIN


def _in_order(troubles: set[Trouble]) -> tuple[Trouble, ...]:
    return tuple(each for each in Trouble if each in troubles)
