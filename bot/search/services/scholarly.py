"""Catalogues of scholarly works, each a dialect of `service`: Crossref and OpenAlex."""

from collections.abc import Sequence
from datetime import date
from typing import Any
from urllib.parse import quote

from pydantic import BaseModel, Field

from bot.search.services.client import (
    DAY_S,
    Answer,
    Failure,
    RefusedError,
    Request,
    failure_of,
    spent,
    strange,
    too_often,
)
from bot.search.services.results import Hit, at, day_of, in_words, valid_rows
from bot.search.services.service import Plan
from handlers.model import Query, Window

CROSSREF_PAUSE_S = 0.2
_MOST_ROWS = 100
_CROSSREF_MOST_WORDS, _CROSSREF_MOST_CHARS = 60, 600
_CROSSREF_SELECTED = "DOI,title,abstract,published,language,score"


class _CrossrefWork(BaseModel):
    doi: str = Field(alias="DOI", pattern=r"^10\.\d{3,9}/\S{1,300}$")
    title: list[str] = []
    abstract: str = ""
    published: Any = None
    language: str | None = None
    score: float | None = Field(default=None, ge=0, allow_inf_nan=False)


class _Published(BaseModel):
    parts: list[tuple[int, int, int]] = Field(alias="date-parts")


class Crossref:
    """Crossref: what publishers register with DOIs. Free, and faster with a contact.

    Each answer gives the allowed pace (see `service`). A work of which only the month
    or year is known has no date here.

    Args:
        address: of its works.
        mailto: e-mail address of the operator, "" for none.
    """

    name = "Crossref"

    def __init__(self, address: str, mailto: str = "") -> None:
        self._address = address
        self._mailto = mailto

    def plan(self, query: Query, limit: int, today: date) -> Plan:  # noqa: ARG002 - its window is open to the right
        """Return one request; the window is for the day of publication."""
        words = in_words(
            query, most_words=_CROSSREF_MOST_WORDS, most_chars=_CROSSREF_MOST_CHARS
        )
        asked = {
            "query.bibliographic": words.replace('"', ""),
            "rows": str(min(limit, _MOST_ROWS)),
            "select": _CROSSREF_SELECTED,
        }
        if self._mailto:
            asked["mailto"] = self._mailto
        if filters := _crossref_filters(query.window):
            asked["filter"] = filters
        return Plan((Request(self._address, asked),))

    def failure(self, answer: Answer) -> Failure | None:
        """Return Crossref's error, if any."""
        failed = failure_of(self.name, answer, remedy="it may block this address")
        if failed or at(answer.json, "status") == "ok":
            return failed
        return strange(self.name, answer)

    def hits(self, answer: Answer, today: date) -> Sequence[Hit]:  # noqa: ARG002 - it writes whole dates
        """Return the works, by the addresses of their DOIs."""
        return [
            Hit(
                f"https://doi.org/{quote(one.doi, safe='/:;().-_')}",
                " ".join(one.title[:1]),
                one.abstract,
                _day(one.published),
                one.language,
                one.score,
            )
            for one in valid_rows(at(answer.json, "message", "items"), _CrossrefWork)
        ]


def _crossref_filters(window: Window | None) -> str:
    if window is None:
        return ""
    since = f"from-pub-date:{window.since}" if window.since else ""
    until = f"until-pub-date:{window.until}" if window.until else ""
    return ",".join(filter(None, (since, until)))


def _day(published: object) -> date | None:
    """Return the day in `{"date-parts": [[2024, 5, 17]]}`; a month is not enough."""
    for stated in valid_rows([published], _Published):
        for parts in stated.parts[:1]:
            try:
                return date(*parts)
            except (ValueError, OverflowError):
                return None
    return None


WITHOUT_KEY = 10  # searches a day
_MOST_PER_PAGE = 100
_OPENALEX_MOST_WORDS, _OPENALEX_MOST_CHARS = 40, 400
_MOST_PLACES = 400  # words of an abstract
_REMEDY = "check SIDENOTE_OPENALEX_KEY"
_OPENALEX_SELECTED = (
    "id,doi,title,publication_date,primary_location,language,"
    "abstract_inverted_index,is_retracted"
)
_TOO_OFTEN, _DAY_SPENT = 403, 429


class _OpenalexWork(BaseModel):
    doi: str | None = None
    title: str | None = None
    publication_date: str | None = None
    primary_location: Any = None
    language: str | None = None
    abstract_inverted_index: Any = None
    is_retracted: bool = False


class OpenAlex:
    """OpenAlex: a catalogue of scholarly works, with a key and a daily budget.

    Too many requests per second come back as 403, an exhausted day as 429. Abstracts
    come as an index from words to their positions, for the publishers' sake. Retracted
    works are left out.

    Args:
        address: of its works.
        key: sent as a parameter; "" for the few requests allowed without.
    """

    name = "OpenAlex"

    def __init__(self, address: str, key: str = "") -> None:
        self._address = address
        self._key = key

    def plan(self, query: Query, limit: int, today: date) -> Plan:  # noqa: ARG002 - its window is open to the right
        """Return one request; the window is for the day of publication."""
        asked = {
            "search": in_words(
                query, most_words=_OPENALEX_MOST_WORDS, most_chars=_OPENALEX_MOST_CHARS
            ),
            "per-page": str(min(limit, _MOST_PER_PAGE)),
            "select": _OPENALEX_SELECTED,
        }
        if filters := _openalex_filters(query):
            asked["filter"] = filters
        if self._key:
            asked["api_key"] = self._key
        return Plan((Request(self._address, asked, secret=self._key),))

    def failure(self, answer: Answer) -> Failure | None:
        """Return OpenAlex's error, if any."""
        message = f"{at(answer.json, 'error')} {at(answer.json, 'message')}".lower()
        if answer.status in {401, 403} and "key" in message:
            return RefusedError(f"{self.name} does not accept our key; {_REMEDY}")
        if answer.status == _DAY_SPENT:
            return spent(self.name, answer, _reset_s(answer))
        if answer.status == _TOO_OFTEN:
            return too_often(self.name, answer, 1.0)
        failed = failure_of(self.name, answer, remedy=_REMEDY)
        if failed or isinstance(at(answer.json, "results"), list):
            return failed
        return strange(self.name, answer)

    def hits(self, answer: Answer, today: date) -> Sequence[Hit]:
        """Return the works, by their DOI if they have one."""
        return [
            Hit(
                one.doi or str(at(one.primary_location, "landing_page_url") or ""),
                one.title or "",
                _abstract(one.abstract_inverted_index),
                day_of(one.publication_date, today),
                one.language,
            )
            for one in valid_rows(at(answer.json, "results"), _OpenalexWork)
            if not one.is_retracted
        ]


def _openalex_filters(query: Query) -> str:
    window, parts = query.window, []
    if window is not None and window.since:
        parts.append(f"from_publication_date:{window.since}")
    if window is not None and window.until:
        parts.append(f"to_publication_date:{window.until}")
    if query.language:
        parts.append(f"language:{query.language.split('-')[0].lower()}")
    return ",".join(parts)


def _abstract(index: object) -> str:
    """Return the beginning of the text behind an index from words to positions."""
    if not isinstance(index, dict):
        return ""
    words: dict[int, str] = {}
    for word, places in index.items():
        for place in places if isinstance(places, list) else ():
            if isinstance(place, int) and 0 <= place < _MOST_PLACES:
                words[place] = str(word)
    return " ".join(words[place] for place in sorted(words))


def _reset_s(answer: Answer) -> float:
    stated = answer.headers.get("x-ratelimit-reset", "")
    is_number = stated.isascii() and stated.isdecimal() and len(stated) < 7  # noqa: PLR2004 - a day has 5
    return min(float(stated), DAY_S) if is_number else DAY_S / 24
