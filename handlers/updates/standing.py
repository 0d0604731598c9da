"""Whether a kept update still holds on a page as it reads now, and where. Pure.

It takes no model: a statement that reads otherwise, or that is marked as outdated, is
settled; so is a new fact once the article says it, or cites its source.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from handlers.model import (
    Page,
    Section,
    Statement,
    Suggestion,
    TagKind,
    UpdateKind,
    UpdateNote,
)
from handlers.page.anchors import normalised

_MARK_WITHIN = 400  # characters of wikitext behind a statement: its citations and tags


@dataclass(frozen=True, slots=True)
class Stood:
    """Where an update holds now: `statement` is `None` where its section has none."""

    statement: Statement | None
    section: tuple[str, ...]
    place: int  # in characters of the page's wikitext


class Article:
    """A page as updates are looked up in it."""

    def __init__(self, page: Page, statements: Sequence[Statement]) -> None:
        self.page = page
        self._by_words: dict[str, list[Statement]] = {}
        for one in statements:
            self._by_words.setdefault(spoken(one), []).append(one)
        self._sections: Mapping[tuple[str, ...], Section] = {
            one.path: one for one in reversed(page.sections)
        }
        self._cited = cited_keys(page)
        self._marks = tuple(
            tag.span.start for tag in page.tags if tag.kind is TagKind.OUTDATED
        )

    def find(self, found: Suggestion) -> Stood | None:
        """Return where an update holds; `None` if it is settled, or is no update."""
        note = found.details.update
        if note is None:
            return None
        statement = self._statement(found, note)
        if note.kind is UpdateKind.OUTDATED:
            if statement is None or self._is_marked(statement):
                return None
            return Stood(statement, statement.section, statement.span.start)
        if self._says(found, note):
            return None
        if statement is not None:
            return Stood(statement, statement.section, statement.span.end)
        section = self._sections.get(note.section)
        return Stood(None, note.section, section.body.start if section else 0)

    def _statement(self, found: Suggestion, note: UpdateNote) -> Statement | None:
        same = self._by_words.get(_words(note.statement, note.header), [])
        if not note.statement or not same:
            return None
        here = [one for one in same if one.section == found.section] or same
        at = found.details.occurrence if here is same else 0
        return here[min(at, len(here) - 1)]

    def _is_marked(self, statement: Statement) -> bool:
        """Tell whether {{update inline}} or the like stands right behind it."""
        end = statement.span.end
        behind = [mark for mark in self._marks if end <= mark <= end + _MARK_WITHIN]
        between = self.page.wikitext[end : min(behind, default=end)]
        return bool(behind) and "\n\n" not in between

    def _says(self, found: Suggestion, note: UpdateNote) -> bool:
        """Tell whether the article has the fact by now, as far as words tell."""
        if self._cited & (set(found.source_keys) - set(note.known_keys)):
            return True
        fact = normalised(note.fact)
        return any(fact in words for words in self._by_words) if fact else False


def cited_keys(page: Page) -> frozenset[str]:
    """Return the keys of all sources that a page cites."""
    return frozenset(source.key for claim in page.claims for source in claim.sources)


def spoken(statement: Statement) -> str:
    """Return what a statement is known by: its words, and the header of its cell."""
    return _words(statement.text, statement.header)


def _words(text: str, header: str | None) -> str:
    return normalised(f"{header or ''} {text}")
