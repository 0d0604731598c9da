"""Posts, tries and sessions with the wiki in memory, in a line each."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from hashlib import sha256
from typing import Any

from bot.records.posts import Append, Attempt, Outcome, Post
from bot.wiki.answers import NoAnswer
from bot.wiki.keys import Purpose, with_key
from bot.writing.gate import (
    Gate,
    GateRules,
    RequestedOn,
    Showing,
    Wanted,
    always_wanted,
    requested_nowhere,
)
from tests.bot.wiki.markup.makers import KEYS
from tests.bot.writing.model_wiki import BOT, ModelWiki

TALK = "Diskussion:Uhr am Kai"
ARTICLE = "Uhr am Kai"
NOON = datetime(2026, 11, 21, 12, tzinfo=UTC)
RULES = GateRules(BOT, KEYS)


def post(number: int = 1, **changes: object) -> Post:
    """Return a post that appends to a talk page."""
    name = sha256(f"post {number}".encode()).hexdigest()
    token = KEYS.token(Purpose.POST, name)
    default = Post(
        name=name,
        wiki="wiki.example",
        title=TALK,
        task="talk",
        change=Append(f"\n\n== Note {number} ==\n<!-- sidenote post {token} -->Words"),
        summary=with_key("Notice", name, KEYS),
        asked_at=NOON,
    )
    return replace(default, **changes)  # type: ignore[arg-type]  # fields by name


def tried(of: Post, *, before: datetime | None = None, tries: int = 1) -> Attempt:
    """Return a try; `before` is when the first was, if that may have been made."""
    return Attempt(of, tries, tries, of.asked_at, before)


def wiki(*, runs: bool = True) -> ModelWiki:
    """Return a wiki with an article, its talk page, and a bot that may run."""
    model = ModelWiki()
    model.put(ARTICLE, "Die Uhr steht am Kai.<ref>Buch</ref>")
    model.put(TALK, "== Frage ==\nWelche Uhr?")
    if runs:
        model.go("talk")
    return model


@dataclass
class ModelSession:
    """A session of the bot's with the wiki in memory.

    `before_edit` may do the edit, lose it, or raise; by default it is done. `disk`
    holds the cookie, as the file does that a restarted process reads.
    """

    at: ModelWiki
    disk: dict[str, str] = field(default_factory=dict)
    account: str = BOT
    on_ask: Callable[[], None] = lambda: None
    on_edit: Callable[[Callable[[], dict[str, Any]]], dict[str, Any]] = lambda do: do()
    requests: list[dict[str, str]] = field(default_factory=list)

    def ask(self, parameters: Mapping[str, str]) -> dict[str, Any]:
        self.on_ask()
        query = {"action": "query", **parameters, **self._as_bot()}
        self.requests.append(query)
        answer = self.at.api(self._cookie, query)
        if answer.get("error", {}).get("code") == "assertnameduserfailed":
            self.disk["cookie"] = f"session {self.at.logins + 1}"
            self.at.log_in(self._cookie)
            answer = self.at.api(self._cookie, query)
        return answer

    def edit(self, parameters: Mapping[str, str]) -> dict[str, Any]:
        query = {"action": "edit", **parameters, **self._as_bot()}
        cookie = self._cookie
        return self.on_edit(lambda: self.at.api(cookie, query))

    def end(self) -> None:
        self.at.log_out(self._cookie)

    @property
    def _cookie(self) -> str:
        return self.disk.get("cookie", "")

    def _as_bot(self) -> dict[str, str]:
        return {"assertuser": BOT, "maxlag": "5"} if self.account else {}


def gate(
    session: ModelSession,
    *,
    wanted: Wanted = always_wanted,
    requested_on: RequestedOn = requested_nowhere,
    showing: Showing | None = None,
) -> Gate:
    """Return a gate to the wiki in memory."""
    return Gate(
        session,
        RULES,
        now=lambda: session.at.now,
        wanted=wanted,
        requested_on=requested_on,
        showing=showing,
    )


def attempt(at: ModelWiki, of: Post | None = None, **session: Any) -> Outcome:
    """Try a post at a gate to the wiki in memory, with a session of its own."""
    return gate(ModelSession(at, **session)).attempt(tried(of or post()))


def no_answer(do: Callable[[], dict[str, Any]]) -> dict[str, Any]:
    """Do an edit and lose the answer."""
    do()
    raise NoAnswer("lost", retry_in_s=1)
