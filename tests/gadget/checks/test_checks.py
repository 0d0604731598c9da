"""A reader asks for a look at a shipped article, and follows a real worker at it."""

import asyncio
import os
import signal
from collections.abc import AsyncIterator, Iterable, Iterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from bot import demo
from bot.daemon.check import Checker
from bot.daemon.progress import LoggedProgress
from bot.daemon.worker import Worker
from bot.models.lexical import LexicalVerifier
from bot.records.accounts import CheckState, Reader, RefusedError
from bot.records.tasks import TaskKind, TaskState
from bot.sources.extraction import Extractor
from bot.sources.folder import SourceFolder
from bot.store import Store, check_policy, open_store
from bot.surfaces.messages import from_note, message
from bot.wiki.folder import WikiFolder
from bot.wiki.pages import ListedPage
from gadget.checks import Checks, PollRate
from handlers.model import Source, SourceFetch
from handlers.ports import PermanentError, SourceReader, TemporaryError, Tools
from tests.bot.store.runs import start
from tests.rig.databases import ready_sqlite

_DEMO = Path(demo.__path__[0])
_WIKI = "en.wikipedia.org"
_TITLE = "Parasitic ant"
_ADA = Reader(_WIKI, "42", "Ada", "k" * 64)
_FAST = PollRate(poll_s=0.01)


def _now() -> datetime:
    return datetime.now(UTC)


@dataclass
class _Wiki(WikiFolder):
    """The shipped articles, one of which may be said to be something else."""

    as_if: ListedPage | None = None
    error: Exception | None = None

    def __post_init__(self) -> None:
        super().__init__(
            _WIKI, (_DEMO / "articles").iterdir(), {}, lambda _: None, _now()
        )

    async def facts_of(self, titles: Iterable[str]) -> dict[str, ListedPage]:
        if self.error:
            raise self.error
        if self.as_if:
            return dict.fromkeys(titles, self.as_if)
        return dict(await super().facts_of(titles))


@pytest.fixture
def url(tmp_path: Path) -> str:
    return ready_sqlite(tmp_path / "sidenote.sqlite")


@pytest.fixture
def store(url: str) -> Iterator[Store]:
    with open_store(
        url, policies={TaskKind.CHECK: check_policy(lease_s=2.0, attempts=2)}
    ) as opened_store:
        yield opened_store


def _checks(
    store: Store, wiki: _Wiki | None = None, poll_rate: PollRate = _FAST
) -> Checks:
    known = wiki or _Wiki()

    def of(host: str) -> _Wiki:
        if host != _WIKI:
            raise PermanentError(f"{host} is not a watched wiki")
        return known

    return Checks(store, of, _now, poll_rate)


@asynccontextmanager
async def _worker(
    store: Store, sources: SourceReader | None = None, wiki: _Wiki | None = None
) -> AsyncIterator[Worker]:
    async with Extractor() as extractor:
        folder = SourceFolder(_DEMO / "sources", extractor)
        tools = Tools(sources or folder, LexicalVerifier())
        yield Worker(
            "worker",
            store,
            wiki=lambda _: wiki or _Wiki(),
            checker=Checker(tools, LoggedProgress(), now=_now),
            now=_now,
            draw=lambda: 0.0,
        )


async def _followed(
    checks: Checks, since: datetime | None = None, limit: int = 1000
) -> list[CheckState]:
    seen = []
    async with asyncio.timeout(30):
        async for state in checks.events(_WIKI, _TITLE, since):
            seen.append(state)
            assert len(seen) <= limit
    return seen


async def test_a_reader_follows_a_check_to_its_end(store: Store) -> None:
    checks = _checks(store)

    begun_state = await checks.ask(_ADA, _WIKI, "Parasitic_ant")
    following = asyncio.create_task(_followed(checks, begun_state.asked_at))
    async with _worker(store) as worker:
        assert await worker.runner.work_once()
    seen = await following

    assert begun_state.title == _TITLE
    last = seen[-1]
    assert last.ended_at is not None
    assert last.problem is None
    assert last.sources_read == last.sources > 2
    assert last.claims_checked == last.claims > 5
    counts = [(state.sources_read, state.claims_checked) for state in seen]
    assert counts == sorted(counts), "it only goes forward"
    assert store.suggestions_of(_WIKI, _TITLE)


async def test_each_host_is_named_and_the_store_is_not_flooded(store: Store) -> None:
    """Sources answer one by one, as slowly as the store is told."""
    turn = asyncio.Lock()

    class _OneByOne:
        async def read(self, source: Source) -> SourceFetch:
            async with turn:
                await asyncio.sleep(0.05)
                return await folder.read(source)

    checks = _checks(store)
    begun_state = await checks.ask(_ADA, _WIKI, _TITLE)
    following = asyncio.create_task(_followed(checks, begun_state.asked_at))
    async with Extractor() as extractor:
        folder = SourceFolder(_DEMO / "sources", extractor)
        async with _worker(store, _OneByOne()) as worker:
            await worker.runner.work_once()
    seen = await following
    hosts = {state.reading for state in seen if state.reading}

    assert len(hosts) >= 2
    assert all("." in host for host in hosts if " " not in host)
    took = seen[-1].changed_at - begun_state.asked_at
    assert len(seen) <= 4 * took.total_seconds() + 5


async def test_a_check_whose_worker_was_killed_is_taken_up_again(
    store: Store, url: str
) -> None:
    checks = _checks(store)
    begun_state = await checks.ask(_ADA, _WIKI, _TITLE)
    following = asyncio.create_task(_followed(checks, begun_state.asked_at))
    doomed = start(_work_without_end, url)
    async with asyncio.timeout(30):
        while (await _state(checks)).claims == 0:  # noqa: ASYNC110 - another process
            await asyncio.sleep(0.02)

    os.kill(doomed.pid or 0, signal.SIGKILL)
    doomed.join()
    async with _worker(store) as worker, asyncio.timeout(30):
        while not await worker.runner.work_once():  # noqa: ASYNC110 - the lease runs out
            await asyncio.sleep(0.1)

    seen = await following
    begun = {state.begun_at for state in seen if state.begun_at}
    assert len(begun) == 2, "both were followed in one stream"
    assert seen[-1].ended_at is not None
    assert seen[-1].problem is None
    assert seen[-1].claims_checked == seen[-1].claims > 0


def _work_without_end(url: str) -> None:
    class _Silent:
        async def read(self, _: Source) -> SourceFetch:
            await asyncio.Event().wait()
            raise AssertionError("nothing ever comes")

    async def work() -> None:
        with open_store(
            url, policies={TaskKind.CHECK: check_policy(lease_s=2.0)}
        ) as store:
            async with _worker(store, _Silent()) as worker:
                await worker.runner.work_once()

    asyncio.run(work())


async def _state(checks: Checks) -> CheckState:
    state = await checks.state(_WIKI, "Parasitic_ant")
    assert state is not None
    return state


async def test_what_was_checked_a_moment_ago_is_not_checked_again(
    store: Store,
) -> None:
    checks = _checks(store)
    await checks.ask(_ADA, _WIKI, _TITLE)
    async with _worker(store) as worker:
        await worker.runner.work_once()

    again = await checks.ask(_ADA, _WIKI, _TITLE)

    assert again.ended_at is not None
    assert again.problem is None
    assert store.jobs.state().counts[TaskState.WAITING] == 0

    later = replace(checks, now=lambda: _now() + timedelta(seconds=61))
    assert (await later.ask(_ADA, _WIKI, _TITLE)).ended_at is None
    assert store.jobs.state().counts[TaskState.WAITING] == 1


@pytest.mark.parametrize(
    ("page", "reason"),
    [
        (ListedPage("Talk:X", 1, frozenset(), frozenset(), False, 1), "not-article"),
        (ListedPage("X", 0, frozenset(), frozenset(), True, 1), "redirect"),
    ],
)
async def test_only_articles_are_checked(
    store: Store, page: ListedPage, reason: str
) -> None:
    with pytest.raises(RefusedError) as refused:
        await _checks(store, _Wiki(as_if=page)).ask(_ADA, _WIKI, "X")

    assert refused.value.reason == message(f"refusal-{reason}")
    assert store.jobs.state().counts[TaskState.WAITING] == 0


async def test_a_page_that_is_not_there_is_not_checked(store: Store) -> None:
    with pytest.raises(RefusedError, match=r"en\.wikipedia\.org"):
        await _checks(store).ask(_ADA, _WIKI, "No such page")


async def test_readers_ask_for_pages_of_their_own_wiki(store: Store) -> None:
    with pytest.raises(RefusedError, match=r"de\.wikipedia\.org"):
        await _checks(store).ask(_ADA, "de.wikipedia.org", _TITLE)

    stranger = replace(_ADA, wiki="evil.example")
    with pytest.raises(PermanentError, match="not a watched wiki"):
        await _checks(store).ask(stranger, "evil.example", _TITLE)


async def test_a_page_that_is_given_up_ends_the_stream_with_the_reason(
    store: Store,
) -> None:
    class _Closed(_Wiki):
        async def page(self, title: str, revision_id: int | None = None) -> object:  # type: ignore[override]  # it never returns
            raise PermanentError(f"{title} is hidden ({revision_id})")

    checks = _checks(store)
    await checks.ask(_ADA, _WIKI, _TITLE)
    async with _worker(store, wiki=_Closed()) as worker:
        await worker.runner.work_once()

    [seen] = await _followed(checks)

    assert seen.ended_at is not None
    assert "is hidden" in (seen.problem or "")


async def test_a_check_that_is_tried_again_says_so_and_goes_on(store: Store) -> None:
    class _Busy(_Wiki):
        async def page(self, title: str, revision_id: int | None = None) -> object:  # type: ignore[override]  # it never returns
            raise TemporaryError(f"{title} is busy ({revision_id})", retry_in_s=15)

    checks = _checks(store)
    await checks.ask(_ADA, _WIKI, _TITLE)
    async with _worker(store, wiki=_Busy()) as worker:
        await worker.runner.work_once()

    state = await _state(checks)

    assert state.ended_at is None
    assert "is busy" in (state.problem or "")
    assert "tried again in 15 s" in (state.problem or "")


async def test_where_no_worker_runs_the_reader_is_told(store: Store) -> None:
    checks = _checks(store, poll_rate=PollRate(poll_s=0.01, taken_up_s=0.05))
    await checks.ask(_ADA, _WIKI, _TITLE)

    seen = await _followed(checks, limit=2)

    assert from_note(seen[-1].problem or "") == message("refusal-check-waiting")
    assert seen[-1].ended_at is None


async def test_where_nobody_asked_there_is_nothing_to_follow(store: Store) -> None:
    assert await _followed(_checks(store)) == []
