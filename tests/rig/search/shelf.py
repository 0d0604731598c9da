"""The pages that the stand-ins know, and which of them a query finds. Pure."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import date

_PHRASE = re.compile(r'"([^"]+)"')
_GROUP = re.compile(r"\(([^()]+)\)")
_OPERATOR = re.compile(r"\b[a-z]+:\S+")
_WORD = re.compile(r"\w+")


@dataclass(frozen=True, slots=True)
class Shelved:
    """A web page, as search services see it."""

    address: str
    title: str
    text: str
    published: date
    language: str = "en"
    doi: str = ""  # of a scholarly work; others have none


@dataclass(frozen=True, slots=True)
class Shelf:
    """All pages, in the order in which they are found."""

    pages: tuple[Shelved, ...]

    def ranked(
        self, query: str, since: date | None = None, until: date | None = None
    ) -> Sequence[Shelved]:
        """Return pages of those days that hold some of the words, best first."""
        words = set(_WORD.findall(query.casefold()))
        scored = [
            (len(words & _words(page)), -at, page)
            for at, page in enumerate(self._between(since, until))
        ]
        best = sorted((one for one in scored if one[0]), reverse=True)
        return [page for _, _, page in best]

    def with_all(
        self, query: str, since: date | None = None, until: date | None = None
    ) -> Sequence[Shelved]:
        """Return pages that hold each phrase and word, and one of each group in parens."""
        rest = _OPERATOR.sub(" ", query)
        phrases = _PHRASE.findall(rest)
        rest = _PHRASE.sub(" ", rest)
        groups = [
            {word.strip().casefold() for word in group.split(" OR ")}
            for group in _GROUP.findall(rest)
        ]
        words = set(_WORD.findall(_GROUP.sub(" ", rest).casefold()))
        return [
            page
            for page in self._between(since, until)
            if all(phrase.casefold() in _said(page) for phrase in phrases)
            and words <= _words(page)
            and all(group & _words(page) for group in groups)
        ]

    def _between(self, since: date | None, until: date | None) -> Iterator[Shelved]:
        for page in self.pages:
            if (since or date.min) <= page.published <= (until or date.max):
                yield page


def _said(page: Shelved) -> str:
    return f"{page.title} {page.text}".casefold()


def _words(page: Shelved) -> set[str]:
    return set(_WORD.findall(_said(page)))
