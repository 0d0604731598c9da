"""Publishers that are really killed, on a wiki that loses answers while people edit.

Time runs 3,000 times as fast for the bot and the wiki, so that leases run out soon.
"""

import random
import threading
import time
from collections import Counter
from datetime import datetime, timedelta
from pathlib import Path

import pytest

from bot.records.posts import Limits, PostRules, PostState
from bot.store import Store, open_store
from bot.wiki.address import WikiAddress
from bot.wiki.session import Account, WikiSession
from bot.writing.gate import Gate
from bot.writing.publisher import Publisher
from tests.bot.store.runs import start
from tests.bot.writing import standin
from tests.bot.writing.makers import RULES, post, wiki
from tests.bot.writing.model_wiki import BOT
from tests.bot.writing.standin import Fault, StandIn, serve
from tests.rig.databases import ready_sqlite

_POSTS, _PAGES = 24, 3  # one for each page is asked for at a time
_SPEED = 3_000.0
_LONGER_S = 0.1
_PLENTY = Limits(per_page=999, per_user=999, per_wiki=999, in_all=999)
_RULES = PostRules(usual=_PLENTY, lease_s=3_000, most_tries=500, longest_s=1e9)
_BEGAN_S = time.time()


def _now() -> datetime:
    return post().asked_at + timedelta(seconds=(time.time() - _BEGAN_S) * _SPEED)


def _title(number: int) -> str:
    return f"Diskussion:Seite {number % _PAGES}"


def _session(address: WikiAddress, folder: Path) -> WikiSession:
    return WikiSession(
        address,
        Account(BOT, f"{BOT}@test", "right"),
        user_agent="SidenoteTests/0 (loopback only)",
        folder=folder,
        timeout_s=1.0,
    )


def _publish_for_ever(url: str, address: WikiAddress, folder: Path) -> None:
    with open_store(url, post_rules=_RULES) as store:
        sending = store.outbox.sending
        gate = Gate(_session(address, folder), RULES, now=_now, sending=sending)
        publisher = Publisher("w", store.outbox, gate, _now, random.random)
        while True:
            if publisher.publish_once() is None:
                time.sleep(0.01)


def _fault(chance: random.Random) -> Fault | None:
    draw = chance.random()
    if draw < 0.15:
        return standin.reply_dropped
    if draw < 0.25:
        return standin.late(chance.uniform(0.0, 0.4))
    return standin.request_dropped if draw < 0.3 else None


def _talk(server: StandIn, stop: threading.Event) -> None:
    """Edit the same pages as a person does, above and below."""
    number = 0
    while not stop.wait(0.25):
        with server.turn:
            title = _title(number)
            text, line = server.at.text(title), f"Mensch {number}."
            is_above = number % 3 == 0
            server.at.put(title, f"{line}\n{text}" if is_above else f"{text}\n{line}")
        number += 1
    server.spoken = number


def _is_settled(store: Store) -> bool:
    return store.outbox.counts()[PostState.POSTED] == _POSTS


@pytest.fixture
def url(tmp_path: Path) -> str:
    """Return the address of a database with nothing in it."""
    return ready_sqlite(tmp_path / "box.sqlite")


@pytest.fixture(autouse=True)
def _own_folder(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.chdir(tmp_path)


def test_publishers_that_are_killed_post_everything_once(
    url: str, tmp_path: Path
) -> None:
    chance = random.Random(7)
    at = wiki()
    for number in range(_PAGES):
        at.put(_title(number), "Anfang.")
    stop, kills = threading.Event(), 0

    with serve(at) as server, open_store(url, post_rules=_RULES) as store:
        server.clock, server.fault = _now, lambda: _fault(chance)
        people = threading.Thread(target=_talk, args=(server, stop))
        people.start()
        _session(server.address, tmp_path)  # loads families once, before all forks
        posted = 0
        deadline_s = time.monotonic() + 600
        while not (posted == _POSTS and _is_settled(store)):
            assert time.monotonic() < deadline_s, store.outbox.counts()
            # A post that nobody has tried yet gives way to a newer one for its page.
            if posted < _POSTS and store.outbox.counts()[PostState.POSTED] == posted:
                for number in range(posted, posted + _PAGES):
                    store.outbox.ask(post(number, wiki="w", title=_title(number)))
                posted += _PAGES
            process = start(
                _publish_for_ever, url, server.address, tmp_path / "pywikibot"
            )
            # A little longer each time, or nobody would get anywhere on a slow machine.
            time.sleep(chance.uniform(0.1, 1.0) + kills * _LONGER_S)
            process.kill()
            process.join()
            kills += 1
        stop.set()
        people.join()
        time.sleep(0.5)  # for what is late

    _require_once(server, kills)


def _require_once(server: StandIn, kills: int) -> None:
    at = server.at
    posts = Counter(
        each.comment
        for page in at.pages.values()
        for each in page.revisions
        if each.user == BOT
    )
    assert posts == {post(number).summary: 1 for number in range(_POSTS)}
    words = "\n".join(page.newest.text for page in at.pages.values())
    for number in range(server.spoken):
        assert words.count(f"Mensch {number}.") == 1
    assert kills >= 3
