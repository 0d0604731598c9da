"""Google's Programmable Search, for those who have it still: it ends with 2026.

A wrong key comes back as a bad request, a spent quota as 429 or 403; the reason in the
answer tells.
"""

from collections.abc import Sequence
from datetime import date
from typing import Any

from pydantic import BaseModel

from bot.search.services.asking import Answer, RefusedError, Request
from bot.search.services.dates import day_of
from bot.search.services.failing import DAY_S, Failure, failure_of, spent, strange
from bot.search.services.results import Hit, at, valid_rows
from bot.search.services.service import Plan
from bot.search.services.wording import in_words
from handlers.model import Query, Window

_MOST_NUM = 10
_MOST_WORDS, _MOST_CHARS = 32, 2_000
_FIRST_DAY = date(1990, 1, 1)
_REMEDY = "check SIDENOTE_GOOGLE_KEY and SIDENOTE_GOOGLE_ENGINE"
_SPENT = frozenset({"dailyLimitExceeded", "quotaExceeded"})
_KINDLY = frozenset({"rateLimitExceeded", "userRateLimitExceeded"})
_DATES = ("article:published_time", "article:modified_time", "og:updated_time", "date")


class _Item(BaseModel):
    link: str
    title: str = ""
    snippet: str | None = ""
    pagemap: Any = None


class Google:
    """Fulfils `bot.search.services.service.Dialect`.

    Args:
        address: of the service.
        key: sent as a parameter.
        engine: the `cx` of the engine that is asked.
    """

    name = "Google"

    def __init__(self, address: str, key: str, engine: str) -> None:
        self._address = address
        self._key = key
        self._engine = engine

    def plan(self, query: Query, limit: int, today: date) -> Plan:
        """Return one request, which counts once whatever it finds."""
        asked = {
            "key": self._key,
            "cx": self._engine,
            "q": in_words(query, most_words=_MOST_WORDS, most_chars=_MOST_CHARS),
            "num": str(max(1, min(limit, _MOST_NUM))),
        }
        if query.language:
            asked["lr"] = f"lang_{query.language.split('-')[0].lower()}"
        if between := _between(query.window, today):
            asked["sort"] = between
        return Plan((Request(self._address, asked, secret=self._key),))

    def failure(self, answer: Answer) -> Failure | None:
        """Return what Google complains of."""
        reason = _reason(answer)
        is_daily = "per day" in str(at(answer.json, "error", "message"))
        if reason in _SPENT or (reason in _KINDLY and is_daily):
            return spent(self.name, answer, DAY_S)
        if "api key" in str(at(answer.json, "error", "message")).lower():
            return RefusedError(f"{self.name} does not know our key; {_REMEDY}")
        failed = failure_of(self.name, answer, remedy=_REMEDY)
        if failed or isinstance(answer.json, dict):
            return failed
        return strange(self.name, answer)

    def hits(self, answer: Answer, today: date) -> Sequence[Hit]:
        """Return the items; a day is told only where the page tells it."""
        return [
            Hit(one.link, one.title, one.snippet or "", _told_day(one.pagemap, today))
            for one in valid_rows(at(answer.json, "items"), _Item)
        ]


def _between(window: Window | None, today: date) -> str:
    if window is None or window.is_open:
        return ""
    since, until = window.since or _FIRST_DAY, window.until or today
    return f"date:r:{since:%Y%m%d}:{until:%Y%m%d}"


def _reason(answer: Answer) -> str:
    errors = at(answer.json, "error", "errors")
    return str(at(errors[0], "reason")) if isinstance(errors, list) and errors else ""


def _told_day(pagemap: object, today: date) -> date | None:
    tags = at(pagemap, "metatags")
    first = tags[0] if isinstance(tags, list) and tags else None
    for name in _DATES:
        if day := day_of(at(first, name), today):
            return day
    return None
