"""Serper: Google's results by key, each paid with a credit."""

from collections.abc import Sequence
from datetime import date

from pydantic import BaseModel

from bot.search.services.asking import Answer, Request
from bot.search.services.dates import day_of
from bot.search.services.failing import DAY_S, Failure, failure_of, spent, strange
from bot.search.services.results import Hit, at, valid_rows
from bot.search.services.service import Plan
from bot.search.services.wording import in_words
from handlers.model import Query, Window

_MOST_WORDS, _MOST_CHARS = 32, 2_000
_PER_CREDIT = 10  # more results cost two
_REMEDY = "check SIDENOTE_SERPER_KEY"
_PARTS = ("news", "topStories", "organic")


class _Result(BaseModel):
    link: str
    title: str = ""
    snippet: str | None = ""
    date: str | None = None


class Serper:
    """Fulfils `bot.search.services.service.Dialect`.

    Args:
        address: of its search, `/search` or `/news`.
        key: sent in a header.
    """

    name = "Serper"

    def __init__(self, address: str, key: str) -> None:
        self._address = address
        self._key = key

    def plan(self, query: Query, limit: int, today: date) -> Plan:
        """Return one request; dates in its answer are English, whatever the language."""
        body: dict[str, object] = {
            "q": in_words(query, most_words=_MOST_WORDS, most_chars=_MOST_CHARS),
            "num": min(limit, _PER_CREDIT),
            "hl": "en",
        }
        wanted = []
        if query.language:
            wanted.append(f"lr:lang_1{query.language.split('-')[0].lower()}")
        if between := _between(query.window, today):
            wanted.append(between)
        if wanted:
            body["tbs"] = ",".join(wanted)
        headers = {"X-API-KEY": self._key}
        return Plan(
            (Request(self._address, headers=headers, body=body, secret=self._key),)
        )

    def failure(self, answer: Answer) -> Failure | None:
        """Return what Serper complains of; spent credits come as a bad request."""
        if "not enough credits" in str(at(answer.json, "message")).lower():
            return spent(self.name, answer, DAY_S)
        failed = failure_of(self.name, answer, remedy=_REMEDY)
        if failed or isinstance(answer.json, dict):
            return failed
        return strange(self.name, answer)

    def hits(self, answer: Answer, today: date) -> Sequence[Hit]:
        """Return news before other pages."""
        content = answer.json
        return [
            Hit(one.link, one.title, one.snippet or "", day_of(one.date, today))
            for part in _PARTS
            for one in valid_rows(at(content, part), _Result)
        ]


def _between(window: Window | None, today: date) -> str:
    """Return Google's own words for a range of days, which are American."""
    if window is None or window.is_open:
        return ""
    since = f",cd_min:{_american(window.since)}" if window.since else ""
    return f"cdr:1{since},cd_max:{_american(window.until or today)}"


def _american(day: date) -> str:
    return f"{day.month}/{day.day}/{day.year}"
