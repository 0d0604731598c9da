"""Brave's search: an index of the web of its own, by key.

One answer has results of the web and of the news. A wrong key comes back as 422, as a
question out of form does; the code in the answer tells them apart.
"""

from collections.abc import Sequence
from datetime import date

from pydantic import BaseModel

from bot.search.services.asking import Answer, RefusedError, Request
from bot.search.services.dates import day_of
from bot.search.services.failing import Failure, failure_of, spent, strange, too_often
from bot.search.services.results import Hit, at, valid_rows
from bot.search.services.service import Plan
from bot.search.services.wording import in_words
from handlers.model import Query, Window

PAUSE_S = 1.1  # the free plan takes one question in a second
_MOST_COUNT = 20
_MOST_WORDS, _MOST_CHARS = 50, 400
_FIRST_DAY = date(1990, 1, 1)
_REMEDY = "check SIDENOTE_BRAVE_KEY"
_SPENT = frozenset({"QUOTA_LIMITED", "USAGE_LIMIT_EXCEEDED"})
_WRONG_KEY = frozenset({"SUBSCRIPTION_TOKEN_INVALID", "SUBSCRIPTION_NOT_FOUND"})
_LONG_S = 3600.0


class _Result(BaseModel):
    url: str
    title: str = ""
    description: str | None = ""
    extra_snippets: list[str] = []
    page_age: str | None = None
    age: str | None = None
    language: str | None = None


class Brave:
    """Fulfils `bot.search.services.service.Dialect`.

    Args:
        address: of its web search.
        key: sent in a header.
    """

    name = "Brave"

    def __init__(self, address: str, key: str) -> None:
        self._address = address
        self._key = key

    def plan(self, query: Query, limit: int, today: date) -> Plan:
        """Return one request; the window goes in days."""
        asked = {
            "q": in_words(query, most_words=_MOST_WORDS, most_chars=_MOST_CHARS),
            "count": str(min(limit, _MOST_COUNT)),
            "result_filter": "web,news",
            "text_decorations": "false",
            "extra_snippets": "true",
        }
        if query.language:
            asked["search_lang"] = query.language.split("-")[0].lower()
        if between := _between(query.window, today):
            asked["freshness"] = between
        headers = {"X-Subscription-Token": self._key}
        return Plan((Request(self._address, asked, headers, secret=self._key),))

    def failure(self, answer: Answer) -> Failure | None:
        """Return what Brave complains of."""
        code = str(at(answer.json, "error", "code"))
        if code in _WRONG_KEY:
            return RefusedError(f"{self.name} does not know our key; {_REMEDY}")
        if code in _SPENT or (_is_limited(answer) and _seconds(answer) > _LONG_S):
            return spent(self.name, answer, _seconds(answer) or _LONG_S)
        if _is_limited(answer):
            return too_often(self.name, answer, max(_seconds(answer), PAUSE_S))
        failed = failure_of(self.name, answer, remedy=_REMEDY)
        if failed or at(answer.json, "type") == "search":
            return failed
        return strange(self.name, answer)

    def hits(self, answer: Answer, today: date) -> Sequence[Hit]:
        """Return news before the web: what is new stands there."""
        content = answer.json
        return [
            Hit(
                one.url,
                one.title,
                " … ".join(filter(None, (one.description, *one.extra_snippets))),
                day_of(one.page_age, today) or day_of(one.age, today),
                one.language,
            )
            for part in ("news", "web")
            for one in valid_rows(at(content, part, "results"), _Result)
        ]


def _between(window: Window | None, today: date) -> str:
    if window is None or window.is_open:
        return ""
    return f"{window.since or _FIRST_DAY}to{window.until or today}"


def _is_limited(answer: Answer) -> bool:
    return answer.status == 429  # noqa: PLR2004 - HTTP's own number


def _seconds(answer: Answer) -> float:
    """Return when the spent one of Brave's limits (a second's, a month's) ends, or 0."""
    left = answer.headers.get("x-ratelimit-remaining", "").split(",")
    resets = answer.headers.get("x-ratelimit-reset", "").split(",")
    waits = [
        float(reset.strip()[:9])
        for one, reset in zip(left, resets, strict=False)
        if one.strip() == "0" and reset.strip().isdecimal() and reset.isascii()
    ]
    return max(waits, default=0.0)
