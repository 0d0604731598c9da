"""What a wiki says of readers after they signed in decides what they still may do."""

import asyncio
from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import timedelta
from itertools import count
from pathlib import Path

import pytest
from aiohttp import web

from bot.records.accounts import Reader, ReaderSession, RefusedError, SignIn, SignInWay
from bot.store import Store, open_store
from bot.wiki.lists import WikiLists
from bot.wiki.pages import AccountStanding
from gadget.identity import IdentityKeys, Readers, Standings
from gadget.identity.readers import sha256_of
from handlers.ports import TemporaryError
from tests.bot.wiki.listing_wiki import listing
from tests.bot.writing.people import ADMIN, ADMIN_PASSWORD, Person
from tests.gadget.identity.place import AGENT, Clock
from tests.rig.databases import ready_sqlite
from tests.rig.wiki.mediawiki import Wiki

_WIKI = "en.wikipedia.org"
_KEYS = IdentityKeys("of-the-operator-long-enough")
_numbers = count(1)
_SOUND = AccountStanding(
    "Ada", 7, frozenset({70}), is_blocked=False, is_locked=False, is_established=True
)


@dataclass
class Accounts:
    """What a wiki says; an error is raised."""

    says: AccountStanding | Exception | None = _SOUND
    asked: int = 0

    async def standing(self, name: str) -> AccountStanding | None:
        assert name == "Ada"
        self.asked += 1
        if isinstance(self.says, Exception):
            raise self.says
        return self.says


@dataclass
class Backend:
    """A backend of one wiki, and the time there."""

    store: Store
    accounts: Accounts = field(default_factory=Accounts)
    clock: Clock = field(default_factory=Clock)

    def __post_init__(self) -> None:
        standings = Standings(self.store, lambda _: self.accounts, self.clock)
        self.readers = Readers(self.store, _KEYS, self.clock, standings)


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    with open_store(ready_sqlite(tmp_path / "sidenote.sqlite")) as opened:
        yield opened


def signed_in(store: Store, clock: Clock, wiki: str, user: str, subject: str) -> str:
    """Sign somebody in; return their token."""
    token, now = f"token {next(_numbers)}", clock()
    later = now + timedelta(days=30)
    store.readers.begin(
        SignIn(token, wiki, SignInWay.OAUTH, sha256_of("x"), now, later, user=user)
    )
    session = ReaderSession(wiki, subject, user, now, later)
    assert store.readers.open(token, sha256_of(token), session)
    return token


@pytest.mark.parametrize(
    "says",
    [
        pytest.param(
            AccountStanding("Ada", 7, frozenset({70}), True, False, True), id="blocked"
        ),
        pytest.param(
            AccountStanding("Ada", 7, frozenset({70}), False, True, True), id="locked"
        ),
        pytest.param(
            AccountStanding("Ada", 8, frozenset({80}), False, False, True),
            id="somebody else has the name",
        ),
        pytest.param(None, id="renamed"),
    ],
)
@pytest.mark.parametrize("subject", ["local 7", "70"])
async def test_whoever_may_no_longer_take_part_is_out_within_the_hour(
    store: Store, says: AccountStanding | None, subject: str
) -> None:
    at = Backend(store)
    tokens = [signed_in(store, at.clock, _WIKI, "Ada", subject) for _ in range(2)]
    assert await at.readers.who(tokens[0])
    at.accounts.says = says

    at.clock.ahead += timedelta(minutes=59)

    assert await at.readers.who(tokens[0]) is None
    at.accounts.says = _SOUND  # too late: all of their sessions are ended
    assert [await at.readers.who(token) for token in tokens] == [None, None]


async def test_a_decision_is_refused_at_once_and_ends_the_session(store: Store) -> None:
    at = Backend(store)
    token = signed_in(store, at.clock, _WIKI, "Ada", "local 7")
    reader = await at.readers.who(token)
    assert reader is not None
    assert await at.readers.decides_for_all(reader)
    at.accounts.says = AccountStanding("Ada", 7, frozenset(), True, False, True)

    with pytest.raises(RefusedError, match="blocked"):
        await at.readers.decides_for_all(reader)

    assert await at.readers.who(token) is None


async def test_the_wiki_is_asked_twice_an_hour_for_one_who_reads(store: Store) -> None:
    at = Backend(store)
    token = signed_in(store, at.clock, _WIKI, "Ada", "70")

    for _ in range(60):
        assert await at.readers.who(token)
        at.clock.ahead += timedelta(minutes=1)

    assert at.accounts.asked == 2


async def test_reading_goes_on_while_the_wiki_is_away_and_deciding_does_not(
    store: Store,
) -> None:
    at = Backend(store, Accounts(TemporaryError("away", retry_in_s=5)))
    token = signed_in(store, at.clock, _WIKI, "Ada", "70")

    reader = await at.readers.who(token)

    assert reader is not None
    with pytest.raises(TemporaryError):
        await at.readers.decides_for_all(reader)
    at.accounts.says = AccountStanding("Ada", 7, frozenset({70}), True, False, True)
    at.clock.ahead += timedelta(minutes=2)
    assert await at.readers.who(token) is None


async def test_a_lock_of_all_wikis_is_understood() -> None:
    def says(asked: dict[str, str]) -> web.StreamResponse | None:
        if asked.get("list") != "users":
            return None
        assert "globaluserinfo" in asked["meta"]
        user = {
            "userid": 7,
            "name": asked["ususers"],
            "rights": ["read", "autoconfirmed"],
            "centralids": {"CentralAuth": 70, "local": 7},
            "attachedlocal": {"CentralAuth": True, "local": True},
        }
        return web.json_response(
            {
                "batchcomplete": True,
                "query": {
                    "users": [user],
                    "globaluserinfo": {"name": user["name"], "id": 70, "locked": True},
                },
            }
        )

    async with listing(says=says) as wiki:
        found = await WikiLists(wiki.host, user_agent=AGENT).standing("Ada")

    assert found == AccountStanding(
        "Ada",
        7,
        frozenset({7, 70}),
        is_blocked=False,
        is_locked=True,
        is_established=True,
    )


@pytest.mark.mediawiki
async def test_a_real_wiki_says_who_is_new_blocked_or_gone(
    wiki: Wiki, store: Store
) -> None:
    admin = Person(wiki.host, ADMIN).log_in(ADMIN_PASSWORD)
    carl = Person(wiki.host, f"Carl of Westmere {next(_numbers)}").make_account()
    carl.log_in()
    lists, clock = WikiLists(wiki.host, user_agent=AGENT), Clock()
    standings = Standings(store, lambda _: lists, clock)
    readers = Readers(store, _KEYS, clock, standings)
    number = carl.get(action="query", meta="userinfo")["query"]["userinfo"]["id"]
    token = signed_in(store, clock, wiki.host, carl.name, f"local {number}")
    settings = wiki.folder / "LocalSettings.php"
    before = settings.read_text("utf-8")
    try:
        settings.write_text(f"{before}\n$wgAutoConfirmCount = 2;\n", "utf-8")
        reader = await readers.who(token)
        assert isinstance(reader, Reader)
        is_new = False
        for _ in range(50):  # PHP reads its settings anew after some seconds
            is_new = not await readers.decides_for_all(reader)
            if is_new:
                break
            await asyncio.sleep(0.2)
        assert is_new
        for turn in range(2):
            carl.edit("User:Carl of Westmere", f"Edit {turn}.")
        assert await readers.decides_for_all(reader)
    finally:
        settings.write_text(before, "utf-8")

    stranger = Reader(wiki.host, f"local {number + 1}", carl.name, reader.key)
    with pytest.raises(RefusedError, match="no longer exists"):
        await readers.decides_for_all(stranger)
    assert await lists.standing("Nobody of Westmere") is None
    assert await lists.standing("127.0.0.1") is None

    admin.post("block", user=carl.name, expiry="never", reason="x")
    with pytest.raises(RefusedError, match="blocked"):
        await readers.decides_for_all(reader)
    assert await readers.who(token) is None
