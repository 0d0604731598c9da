"""What a wiki says of an account and of its pages, as typed values. Pure."""

from typing import Any

from pydantic import BaseModel, Field

from bot.adapters.wiki_answers import Line
from bot.writing.seen import SeenPage


class Account(BaseModel):
    """An account, as `meta=userinfo` and `list=users` tell of it."""

    name: Line = ""
    missing: bool = False
    anon: bool = False
    blockid: int | None = None
    blockpartial: bool = False
    blockreason: Line = ""
    blockedby: Line = "somebody"
    groups: list[Line] = []
    rights: list[Line] = []
    messages: bool = False
    ratelimits: dict[str, Any] | list[Any] = {}

    def slowest(self, action: str) -> tuple[int, int] | None:
        """Return how often an action is allowed, and in how many seconds; `None`: always."""
        told = self.ratelimits if isinstance(self.ratelimits, dict) else {}
        kinds = told.get(action)
        found = [
            (int(each["hits"]), int(each["seconds"]))
            for each in (kinds.values() if isinstance(kinds, dict) else ())
            if isinstance(each, dict) and {"hits", "seconds"} <= set(each)
        ]
        usable = [each for each in found if each[0] > 0]
        return min(usable, key=lambda each: each[0] / max(each[1], 1), default=None)


class _Normalized(BaseModel):
    source: Line = Field(alias="from")
    target: Line = Field(alias="to")


class Query(BaseModel):
    """What was asked for."""

    userinfo: Account = Account()
    users: list[Account] = []
    pages: list[SeenPage] = []
    normalized: list[_Normalized] = []


class Answer(BaseModel):
    """An answer about an account and pages."""

    query: Query

    def text_of(self, title: str) -> str | None:
        """Return the text of a page by the title that was asked for; `None` without one."""
        names = {each.source: each.target for each in self.query.normalized}
        wanted = names.get(title, title)
        return next(
            (page.text for page in self.query.pages if page.title == wanted), None
        )
