"""Crossref: what publishers register with their DOIs. Free; who gives a contact is faster.

Its pace is told with each answer (see `service`). A work whose day is not known, only
its month or year, has no date here.
"""

from collections.abc import Sequence
from datetime import date
from typing import Any
from urllib.parse import quote

from pydantic import BaseModel, Field

from bot.search.services.asking import Answer, Request
from bot.search.services.failing import Failure, failure_of, strange
from bot.search.services.results import Hit, at, valid_rows
from bot.search.services.service import Plan
from bot.search.services.wording import in_words
from handlers.model import Query, Window

PAUSE_S = 0.2
_MOST_ROWS = 100
_MOST_WORDS, _MOST_CHARS = 60, 600
_SELECTED = "DOI,title,abstract,published,language,score"


class _Work(BaseModel):
    doi: str = Field(alias="DOI", pattern=r"^10\.\d{3,9}/\S{1,300}$")
    title: list[str] = []
    abstract: str = ""
    published: Any = None
    language: str | None = None
    score: float | None = Field(default=None, ge=0, allow_inf_nan=False)


class _Published(BaseModel):
    parts: list[tuple[int, int, int]] = Field(alias="date-parts")


class Crossref:
    """Fulfils `bot.search.services.service.Dialect`.

    Args:
        address: of its works.
        mailto: e-mail address of the operator, "" for none.
    """

    name = "Crossref"

    def __init__(self, address: str, mailto: str = "") -> None:
        self._address = address
        self._mailto = mailto

    def plan(self, query: Query, limit: int, today: date) -> Plan:  # noqa: ARG002 - its window is open to the right
        """Return one request; the window goes by the day of publication."""
        words = in_words(query, most_words=_MOST_WORDS, most_chars=_MOST_CHARS)
        asked = {
            "query.bibliographic": words.replace('"', ""),
            "rows": str(min(limit, _MOST_ROWS)),
            "select": _SELECTED,
        }
        if self._mailto:
            asked["mailto"] = self._mailto
        if filters := _filters(query.window):
            asked["filter"] = filters
        return Plan((Request(self._address, asked),))

    def failure(self, answer: Answer) -> Failure | None:
        """Return what Crossref complains of."""
        failed = failure_of(self.name, answer, remedy="it may block this address")
        if failed or at(answer.json, "status") == "ok":
            return failed
        return strange(self.name, answer)

    def hits(self, answer: Answer, today: date) -> Sequence[Hit]:  # noqa: ARG002 - it writes whole dates
        """Return the works, by the addresses that their DOIs lead from."""
        return [
            Hit(
                f"https://doi.org/{quote(one.doi, safe='/:;().-_')}",
                " ".join(one.title[:1]),
                one.abstract,
                _day(one.published),
                one.language,
                one.score,
            )
            for one in valid_rows(at(answer.json, "message", "items"), _Work)
        ]


def _filters(window: Window | None) -> str:
    if window is None:
        return ""
    since = f"from-pub-date:{window.since}" if window.since else ""
    until = f"until-pub-date:{window.until}" if window.until else ""
    return ",".join(filter(None, (since, until)))


def _day(published: object) -> date | None:
    """Return the day in `{"date-parts": [[2024, 5, 17]]}`; a month is none."""
    for told in valid_rows([published], _Published):
        for parts in told.parts[:1]:
            try:
                return date(*parts)
            except (ValueError, OverflowError):
                return None
    return None
