"""Catalogues of scholarly works, each a dialect of `service`: Crossref and OpenAlex."""

from collections.abc import Sequence
from dataclasses import dataclass, field
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
    spent,
    too_often,
)
from bot.search.services.results import (
    Hit,
    at,
    day_of,
    in_words,
    language_code,
    valid_rows,
)
from bot.search.services.service import Dialect, Plan
from handlers.model import Query, Window

_MOST_ROWS = 100  # of either, in one answer


class _CrossrefWork(BaseModel):
    doi: str = Field(alias="DOI", pattern=r"^10\.\d{3,9}/\S{1,300}$")
    title: list[str] = []
    abstract: str = ""
    published: Any = None
    language: str | None = None
    score: float | None = Field(default=None, ge=0, allow_inf_nan=False)


class _Published(BaseModel):
    parts: list[tuple[int, int, int]] = Field(alias="date-parts")


@dataclass(frozen=True)
class Crossref(Dialect):
    """Crossref: what publishers register with DOIs. Free, and faster with a contact.

    Each answer gives the allowed pace (see `service`). A work of which only the month
    or year is known has no date here.
    """

    name = "Crossref"
    remedy = "it may block this address"
    pause_s = 0.2
    mailto: str = ""  # e-mail address of the operator, "" for none

    def plan(self, query: Query, limit: int, today: date) -> Plan:  # noqa: ARG002 - its window is open to the right
        """Return one request; the window is for the day of publication."""
        words = in_words(query, most_words=60, most_chars=600)
        parameters = {
            "query.bibliographic": words.replace('"', ""),
            "rows": str(min(limit, _MOST_ROWS)),
            "select": "DOI,title,abstract,published,language,score",
        }
        if self.mailto:
            parameters["mailto"] = self.mailto
        if filters := _published_in(query.window, "from-pub-date", "until-pub-date"):
            parameters["filter"] = ",".join(filters)
        return Plan((Request(self.address, parameters),))

    def _is_answer(self, content: object) -> bool:
        return at(content, "status") == "ok"

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


def _published_in(window: Window | None, since: str, until: str) -> list[str]:
    """Return the filters, by their names, for a window of days of publication."""
    days = ((since, window.since), (until, window.until)) if window else ()
    return [f"{name}:{day}" for name, day in days if day]


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
_MOST_PLACES = 400  # words of an abstract
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


@dataclass(frozen=True)
class OpenAlex(Dialect):
    """OpenAlex: a catalogue of scholarly works, with a key and a daily budget.

    Too many requests per second come back as 403, an exhausted day as 429. Abstracts
    come as an index from words to their positions, for the publishers' sake. Retracted
    works are left out.
    """

    name = "OpenAlex"
    remedy = "check SIDENOTE_OPENALEX_KEY"
    # Sent as a parameter; "" for the few requests allowed without.
    key: str = field(default="", repr=False)

    def plan(self, query: Query, limit: int, today: date) -> Plan:  # noqa: ARG002 - its window is open to the right
        """Return one request; the window is for the day of publication."""
        parameters = {
            "search": in_words(query, most_words=40, most_chars=400),
            "per-page": str(min(limit, _MOST_ROWS)),
            "select": _OPENALEX_SELECTED,
        }
        filters = _published_in(
            query.window, "from_publication_date", "to_publication_date"
        )
        if language := language_code(query):
            filters.append(f"language:{language}")
        if filters:
            parameters["filter"] = ",".join(filters)
        if self.key:
            parameters["api_key"] = self.key
        return Plan((Request(self.address, parameters, secret=self.key),))

    def _own_failure(self, answer: Answer) -> Failure | None:
        message = f"{at(answer.json, 'error')} {at(answer.json, 'message')}".lower()
        if answer.status in {401, 403} and "key" in message:
            return RefusedError(f"{self.name} does not accept our key; {self.remedy}")
        if answer.status == _DAY_SPENT:
            return spent(self.name, answer, _reset_s(answer))
        if answer.status == _TOO_OFTEN:
            return too_often(self.name, answer, 1.0)
        return None

    def _is_answer(self, content: object) -> bool:
        return isinstance(at(content, "results"), list)

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
