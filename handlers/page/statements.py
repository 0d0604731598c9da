"""Finds a statement again on a page as it reads now, and the tag right after it.

A suggestion is kept for weeks while people edit its page. Its statement is known by its
words, so that edits elsewhere do not matter. Pure.
"""

from collections.abc import Iterable, Sequence
from functools import cached_property

from handlers.findings import CurrentPlace, Suggestion
from handlers.model import Claim, ClaimKind, Page, Statement, Tag, TagKind
from handlers.page.prose import normalised

_MARK_WITHIN = 400  # characters of wikitext after a statement: its citations and tags


def statement_of(claim: Claim) -> Statement:
    """Return a cited claim as a statement of its page."""
    kind = ClaimKind.SENTENCE if claim.kind is ClaimKind.CLAUSE else claim.kind
    return Statement(
        claim.text,
        kind,
        claim.section,
        claim.span,
        claim.context,
        header_of(claim),
        is_cited=True,
    )


def header_of(claim: Claim) -> str | None:
    """Return the headers of a cell, as a statement of it has them."""
    return ", ".join(filter(None, (claim.row, claim.column))) or None


class CurrentStatements:
    """The statements of a page as it reads now, in which findings are looked up."""

    def __init__(self, page: Page, statements: Sequence[Statement]) -> None:
        self.page = page
        self._by_words: dict[str, list[Statement]] = {}
        for one in statements:
            self._by_words.setdefault(statement_key(one), []).append(one)
        self._marks = tuple(tag for tag in page.tags if tag.kind is TagKind.OUTDATED)

    @cached_property
    def cited(self) -> frozenset[str]:
        """The keys of all sources that the page cites."""
        return cited_keys(self.page)

    def says(self, fact: str) -> bool:
        """Return whether the page now states a fact, as far as the wording shows."""
        fact = normalised(fact)
        return any(fact in words for words in self._by_words) if fact else False

    def statement(
        self, found: Suggestion, words: str, header: str | None
    ) -> Statement | None:
        """Return the statement with these words that a finding is about.

        If several have them, its section and occurrence decide.
        """
        same = self._by_words.get(_words(words, header), [])
        if not words or not same:
            return None
        here = [one for one in same if one.section == found.section] or same
        at = found.details.occurrence if here is same else 0
        return here[min(at, len(here) - 1)]

    def unmarked(
        self, found: Suggestion, header: str | None, *, had_mark: bool = False
    ) -> CurrentPlace | None:
        """Return where the claim of a finding is.

        `None` if people changed it, tagged it as outdated ({{update inline}} or a
        similar tag), or removed the tag that it had.
        """
        statement = self.statement(found, found.claim, header)
        if statement is None:
            return None
        if bool(marked(self.page, self._marks, statement)) != had_mark:
            return None
        start = statement.span.start
        return CurrentPlace(statement, statement.section, start, statement.text)


def marked(page: Page, tags: Iterable[Tag], statement: Statement) -> Tag | None:
    """Return the first of some tags that is right after a statement."""
    end = statement.span.end
    following = [one for one in tags if end <= one.span.start <= end + _MARK_WITHIN]
    first = min(following, key=lambda one: one.span.start, default=None)
    if first is None or "\n\n" in page.wikitext[end : first.span.start]:
        return None
    return first


def cited_keys(page: Page) -> frozenset[str]:
    """Return the keys of all sources that a page cites."""
    return frozenset(source.key for claim in page.claims for source in claim.sources)


def statement_key(statement: Statement) -> str:
    """Return what identifies a statement: its words, and the header of its cell."""
    return _words(statement.text, statement.header)


def _words(text: str, header: str | None) -> str:
    return normalised(f"{header or ''} {text}")
