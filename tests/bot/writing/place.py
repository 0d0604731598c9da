"""The bot at a real wiki, with people there: what the tests of writing share."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from itertools import count
from pathlib import Path
from typing import Any

import pytest
from pywikibot.comms import http

from bot.records.posts import Outcome, Post
from bot.store import Outbox
from bot.wiki.address import parse_address
from bot.wiki.answers import NoAnswer
from bot.wiki.session import Account, WikiSession
from bot.writing.gate import Gate, noted_nowhere
from tests.bot.writing.makers import RULES, post, tried
from tests.bot.writing.model_wiki import BOT
from tests.bot.writing.people import ADMIN, ADMIN_PASSWORD, PASSWORD, Person
from tests.rig.wiki.mediawiki import Wiki
from tests.rig.wiki.recorder import Recorder

_numbers = count(1)


@dataclass
class Losing:
    """A session whose edits are made, and their answers lost."""

    real: WikiSession
    account: str = BOT
    sent: Mapping[str, str] | None = None

    def ask(self, parameters: Mapping[str, str]) -> dict[str, Any]:
        return self.real.ask(parameters)

    def edit(self, parameters: Mapping[str, str]) -> dict[str, Any]:
        self.sent = parameters
        self.real.edit(parameters)
        raise NoAnswer("lost", retry_in_s=1)

    def end(self) -> None:
        self.real.end()


@dataclass
class Place:
    """A wiki on which the bot may run, and people."""

    host: str  # as the bot finds it, through the recording proxy
    admin: Person
    ada: Person
    folder: Path

    def session(self) -> WikiSession:
        """Begin a session, as a process does that has just begun."""
        session = WikiSession(
            parse_address(self.host),
            Account(BOT, BOT, PASSWORD),
            user_agent="SidenoteTests/0 (loopback only)",
            folder=self.folder,
            timeout_s=60,
        )
        http.cookie_jar.clear()
        return session

    def attempt(self, of: Post, **more: Any) -> Outcome:
        return gate_of(self.session()).attempt(tried(of, **more))


def gate_of(session: WikiSession | Losing, outbox: Outbox | None = None) -> Gate:
    sending = outbox.sending if outbox else noted_nowhere
    return Gate(session, RULES, now=lambda: datetime.now(UTC), sending=sending)


@pytest.fixture(scope="module")
def at(
    wiki: Wiki, recorder: Recorder, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Place]:
    folder = tmp_path_factory.mktemp("account")
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(folder)
        wiki.reset()
        admin = Person(wiki.host, ADMIN).log_in(ADMIN_PASSWORD)
        ada = Person(wiki.host, "Ada Penrose").make_account().log_in()
        yield Place(recorder.host, admin, ada, folder / "pywikibot")
        admin.web.close()
        ada.web.close()


@pytest.fixture
def page(at: Place) -> str:
    """Return a talk page on which a person has written."""
    title = f"Talk:Lantern {next(_numbers)}"
    at.ada.edit(title, "== Question ==\nWhich lantern?")
    return title


def post_to(title: str, **changes: object) -> Post:
    asked = {"asked_at": datetime.now(UTC), **changes}
    return post(1000 + next(_numbers), title=title, **asked)
