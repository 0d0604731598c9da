"""SearXNG: somebody's own search over many engines, without a key.

An instance answers in JSON only where its settings say so. Where its engines are
blocked, it answers with success and no results, and names them.
"""

from collections.abc import Mapping, Sequence
from datetime import date
from types import MappingProxyType
from typing import Annotated

from pydantic import BaseModel, Field

from bot.search.services.asking import Answer, Request
from bot.search.services.dates import day_of
from bot.search.services.failing import BUSY_S, Failure, failure_of, strange
from bot.search.services.results import Hit, at, valid_rows
from bot.search.services.service import Plan
from bot.search.services.wording import in_words
from handlers.model import Query, Window
from handlers.ports import TemporaryError

_SPANS: Mapping[str, int] = MappingProxyType({"day": 1, "month": 31, "year": 366})
_MOST_WORDS, _MOST_CHARS = 40, 400
_MOST_NAMED = 5


class _Result(BaseModel):
    url: str
    title: str = ""
    content: str | None = ""
    published: str | None = Field(default=None, alias="publishedDate")
    score: Annotated[float, Field(ge=0, allow_inf_nan=False)] | None = None


class SearxNg:
    """Fulfils `bot.search.services.service.Dialect`.

    Args:
        address: of the instance's search, which often ends in `/search`.
    """

    name = "SearXNG"

    def __init__(self, address: str) -> None:
        self._address = address

    def plan(self, query: Query, limit: int, today: date) -> Plan:  # noqa: ARG002 - it has no limit
        """Return one request; the window is as wide as SearXNG's own spans are."""
        asked = {
            "q": in_words(query, most_words=_MOST_WORDS, most_chars=_MOST_CHARS),
            "format": "json",
            "categories": "general,news",
            "language": query.language or "all",
            "pageno": "1",
        }
        span = _span(query.window, today)
        return Plan((Request(self._address, {**asked, **span}),))

    def failure(self, answer: Answer) -> Failure | None:
        """Return what an instance complains of, or that none of its engines answers."""
        failed = failure_of(
            self.name,
            answer,
            remedy="let the instance answer in JSON (`search.formats` in its settings)",
        )
        if failed:
            return failed
        content = answer.json
        rows = at(content, "results")
        if not isinstance(rows, list):
            return strange(self.name, answer)
        silent = at(content, "unresponsive_engines")
        if not rows and isinstance(silent, list) and silent:
            return TemporaryError(
                f"{self.name}: its engines do not answer ({_named(silent)})",
                retry_in_s=BUSY_S,
            )
        return None

    def hits(self, answer: Answer, today: date) -> Sequence[Hit]:
        """Return the results in the instance's order."""
        return [
            Hit(
                one.url,
                one.title,
                one.content or "",
                day_of(one.published, today),
                score=one.score,
            )
            for one in valid_rows(at(answer.json, "results"), _Result)
        ]


def _span(window: Window | None, today: date) -> dict[str, str]:
    """Return the shortest span up to today that holds the window; none is needed."""
    if window is None or window.since is None:
        return {}
    days = (today - window.since).days
    for name, longest in _SPANS.items():
        if days <= longest:
            return {"time_range": name}
    return {}


def _named(silent: Sequence[object]) -> str:
    names = [str(one[0])[:40] for one in silent if isinstance(one, list) and one]
    return ", ".join(names[:_MOST_NAMED]) or "unnamed"
