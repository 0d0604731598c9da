"""What the bot's own account watches is looked at like what people ask for."""

from collections.abc import Collection
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta

import pytest
from structlog.testing import capture_logs

from bot.daemon.intake.queue import PLACE, sweep_watchlist
from bot.records.jobs import JobReason
from bot.records.tasks import TaskKind, TaskState
from bot.records.watches import PLANS, Surface, WatcherKind
from bot.store import Store
from bot.wiki.lists import WikiLists
from handlers.ports import TemporaryError
from tests.bot.writing.people import Person
from tests.rig.wiki.mediawiki import Wiki

_WIKI = "en.wikipedia.org"
_BOT = "SidenoteBot"
_NOW = datetime(2026, 11, 20, 12, tzinfo=UTC)


@dataclass
class _Account:
    """An account's watchlist."""

    titles: tuple[str, ...]
    trouble: TemporaryError | None = None

    async def watchlist(
        self, namespaces: Collection[int] = (), *, most: int = 0
    ) -> tuple[str, ...]:
        assert tuple(namespaces) == (0,)
        if self.trouble is not None:
            raise self.trouble
        return self.titles[:most]


class _KilledError(Exception):
    """The process ends here."""


async def _sweep(account: _Account, store: Store, minutes: int = 0) -> bool:
    now = _NOW + timedelta(minutes=minutes)
    return await sweep_watchlist(account, store, _WIKI, _BOT, now)


async def test_pages_on_the_list_are_watched_and_checked(store: Store) -> None:
    assert await _sweep(_Account(("Watch", "Clock")), store)

    watch = store.watches.get(_WIKI, PLACE)
    assert watch is not None
    assert watch.pages == ("Clock", "Watch")
    assert (watch.kind, watch.watcher) == (WatcherKind.USER, _BOT)
    assert (watch.surfaces, watch.report) == ((Surface.GADGET,), None)
    lease = store.tasks.lease([TaskKind.CHECK], "test", _NOW)
    assert lease is not None
    assert lease.task.reason is JobReason.OPT_IN
    assert not store.tasks.is_due(PLANS, _NOW)


async def test_a_list_that_stays_asks_for_nothing_more(store: Store) -> None:
    account = _Account(("Clock", "Watch"))
    await _sweep(account, store)
    while (lease := store.tasks.lease([TaskKind.CHECK], "test", _NOW)) is not None:
        store.finish_check(lease, _NOW)

    assert not await _sweep(account, store, minutes=5)

    assert store.jobs.state().counts[TaskState.WAITING] == 0


async def test_only_what_is_new_on_the_list_is_checked(store: Store) -> None:
    await _sweep(_Account(("Clock",)), store)
    lease = store.tasks.lease([TaskKind.CHECK], "test", _NOW)
    assert lease is not None
    store.finish_check(lease, _NOW)

    assert await _sweep(_Account(("Bell", "Clock")), store, minutes=60)

    later = store.tasks.lease([TaskKind.CHECK], "test", _NOW + timedelta(minutes=61))
    assert later is not None
    assert later.task.title == "Bell"
    assert (
        store.tasks.lease([TaskKind.CHECK], "test", _NOW + timedelta(minutes=61))
        is None
    )


async def test_a_page_taken_off_the_list_is_watched_no_longer(store: Store) -> None:
    await _sweep(_Account(("Clock", "Watch")), store)

    assert await _sweep(_Account(("Watch",)), store)
    assert store.watches.of_page(_WIKI, "Clock") == ()

    assert await _sweep(_Account(()), store)
    assert store.watches.get(_WIKI, PLACE) is None
    assert not await _sweep(_Account(()), store)


async def test_a_wiki_that_is_away_ends_no_watch(store: Store) -> None:
    await _sweep(_Account(("Clock",)), store)

    with pytest.raises(TemporaryError):
        await _sweep(_Account((), TemporaryError("away", retry_in_s=5)), store)

    assert store.watches.get(_WIKI, PLACE) is not None


async def test_a_long_list_is_taken_in_steps_up_to_a_number(store: Store) -> None:
    titles = tuple(f"Clock {number:05}" for number in range(1_101))
    with capture_logs() as logs:
        await sweep_watchlist(_Account(titles), store, _WIKI, _BOT, _NOW, most=1_100)

    watch = store.watches.get(_WIKI, PLACE)
    assert watch is not None
    assert watch.pages == titles[:1_100]
    assert store.jobs.state().counts[TaskState.WAITING] == 1_100
    assert [line["event"] for line in logs] == ["watchlist is too long"]


async def test_a_sweep_that_was_killed_is_ended_by_the_next(store: Store) -> None:
    titles = tuple(f"Clock {number:04}" for number in range(1_200))

    @dataclass
    class _Dying:
        """Dies at the second step."""

        real: Store
        steps: int = 0

        @property
        def watches(self) -> "_Dying":
            return self

        get = property(lambda self: self.real.watches.get)
        end = property(lambda self: self.real.watches.end)

        def keep(self, *given: object) -> bool:
            self.steps += 1
            if self.steps > 1:
                raise _KilledError
            return self.real.watches.keep(*given)  # type: ignore[arg-type]

    with pytest.raises(_KilledError):
        await sweep_watchlist(_Account(titles), _Dying(store), _WIKI, _BOT, _NOW)
    assert 0 < store.jobs.state().counts[TaskState.WAITING] < len(titles)

    assert await _sweep(_Account(titles), store)

    watch = store.watches.get(_WIKI, PLACE)
    assert watch is not None
    assert watch.pages == titles
    assert store.jobs.state().counts[TaskState.WAITING] == len(titles)


@pytest.mark.mediawiki
async def test_the_watchlist_of_a_real_account_becomes_a_watch(
    wiki: Wiki, store: Store
) -> None:
    bot, token = Person(wiki.host, "SweepingBot").make_account().log_in(), "b" * 40
    bot.post("options", optionname="watchlisttoken", optionvalue=token)
    bot.post("watch", "watch", titles="Penrose Lane|Not written yet|Talk:Eastmere")
    bot.web.close()
    lists = WikiLists(
        wiki.host,
        user_agent="Tests",
        account="SweepingBot",
        watchlist_token=token,
        timeout_s=60,
    )

    assert await sweep_watchlist(lists, store, wiki.host, "SweepingBot", _NOW)

    watch = store.watches.get(wiki.host, PLACE)
    assert watch is not None
    assert set(watch.pages) >= {"Penrose Lane", "Not written yet", "Eastmere"}
    assert not any(title.startswith("Talk:") for title in watch.pages)
