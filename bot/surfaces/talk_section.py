"""Finds our section on a talk page and reads its notes. Pure."""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from enum import Enum
from typing import NamedTuple

from bot.surfaces.messages import LANGUAGES, Words
from bot.wiki.escaping import WikiSafe
from bot.wiki.keys import TOKEN, Keys, Purpose
from handlers.model import Section, Span
from handlers.page.markup import Kind
from handlers.page.scan import scan
from handlers.page.sections import find_sections

_POST = re.compile(rf"<!-- sidenote post ({TOKEN}) -->")
_NOTE = re.compile(rf"<!-- sidenote note ({TOKEN}) -->")
_STATE = re.compile(r"<!-- sidenote state -->([^<>\n]{0,200})<!-- sidenote end -->")


class State(Enum):
    """What became of a note; the value is the key of the message on the page."""

    OPEN = "state-open"
    FIXED = "state-fixed"
    DISMISSED = "state-dismissed"

    def said(self, words: Words) -> WikiSafe:
        """Return the text on the page."""
        return WikiSafe(f"({words.say(self.value)})")


@dataclass(frozen=True, slots=True)
class TalkSection:
    """Our section of a talk page, including subsections.

    `number` is its number for MediaWiki's `section` parameter. `states` has the short
    identity of each note that is still there; `None` if a person replaced its state
    with something else.
    """

    number: int
    text: str
    states: Mapping[str, State | None]


class NotePlace(NamedTuple):
    """Where a note is in a section, and where its state is."""

    name: str
    start: int
    state: Span


def find_section(page: str, keys: Keys) -> TalkSection | None:
    """Return the last section of a talk page that contains a post or note of ours."""
    found = scan(page)
    posts = [
        each.start
        for each in found.elements
        if each.kind is Kind.COMMENT and _is_ours(page, each.start, each.end, keys)
    ]
    if not posts:
        return None
    sections = find_sections(found)
    number, start = next(
        (number, each.span.start)
        for number, each in enumerate(sections)
        if each.span.start <= posts[-1] < each.span.end
    )
    text = page[start : end_of_section(sections, number)]
    return TalkSection(number, text, _states(text, keys))


def by_note(text: str, keys: Keys) -> Iterator[tuple[str | None, str]]:
    """Split a section into the lines of each note and what is between them."""
    done = 0
    for place in note_places(text, keys):
        line_start = text.rfind("\n", 0, place.start) + 1
        line_end = text.find("\n", place.state.end) + 1 or len(text)
        if line_start < done:
            continue
        yield None, text[done:line_start]
        yield place.name, text[line_start:line_end]
        done = line_end
    yield None, text[done:]


def note_places(text: str, keys: Keys) -> Iterator[NotePlace]:
    """Yield each note once, in order."""
    seen: set[str] = set()
    marks = [
        (each.start, found[1])
        for each in scan(text).elements
        if each.kind is Kind.COMMENT
        and (found := _NOTE.fullmatch(text, each.start, each.end))
    ]
    ends = [*(start for start, _ in marks), len(text)][1:]
    for (start, token), end in zip(marks, ends, strict=False):
        name = keys.name_in(Purpose.NOTE, token)
        state = _STATE.search(text, start, end)
        if name and state and name not in seen:
            seen.add(name)
            yield NotePlace(name, start, Span(*state.span(1)))


def _states(text: str, keys: Keys) -> dict[str, State | None]:
    # In every language: the wiki's language was not always supported.
    known = {
        each.said(Words(language)): each for language in LANGUAGES for each in State
    }
    places = note_places(text, keys)
    return {each.name: known.get(WikiSafe(each.state.of(text))) for each in places}


def _is_ours(page: str, start: int, end: int, keys: Keys) -> bool:
    """Return whether a comment marks a post or note of ours: people may lose either."""
    for pattern, purpose in ((_POST, Purpose.POST), (_NOTE, Purpose.NOTE)):
        found = pattern.fullmatch(page, start, end)
        if found and keys.name_in(purpose, found[1]):
            return True
    return False


def end_of_section(sections: tuple[Section, ...], number: int) -> int:
    """Return where a section ends as MediaWiki counts, including its subsections.

    The lead, which has the number 0, has none.
    """
    level = sections[number].level
    if number == 0:
        return sections[0].span.end
    for each in sections[number + 1 :]:
        if each.level <= level:
            return each.span.start
    return sections[-1].span.end
