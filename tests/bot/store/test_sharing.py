"""The queue is shared between wikis and people, on real databases as in the model."""

import random
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import replace
from datetime import datetime, timedelta
from pathlib import Path

import pytest
from sqlalchemy import event, text

from bot.records.jobs import JobReason, PageJob
from bot.records.tasks import Lease, TaskKind
from bot.records.watches import ActiveWatch, WatcherKind
from bot.store import JobQueue, Store, SweepRules, Tasks, check_policy, open_store
from bot.store.database import Transactions, open_engine, parse_url, shown
from bot.store.schema import NOBODY
from bot.store.tasks import tenant_of
from tests.bot.store.runs import NOON, connected
from tests.bot.store.sharing_model import Model, Page

_RULES = check_policy(lease_s=300, attempts=3, weights={"heavy.example": 3.0})
_REASONS = tuple(JobReason)


@pytest.fixture
def store(url: str) -> Iterator[Store]:
    with open_store(url, policies={TaskKind.CHECK: _RULES}) as opened_store:
        yield opened_store


def _job(wiki: str, title: str, reason: JobReason = JobReason.CHANGE) -> PageJob:
    return PageJob(wiki, title, reason, NOON, NOON)


def _watch(store: Store, watcher: str, titles: Sequence[str], wiki: str = "w") -> str:
    watch = ActiveWatch(
        wiki=wiki,
        place=f"User:{watcher}/Sidenote",
        kind=WatcherKind.USER,
        watcher=watcher,
        pages=tuple(titles),
    )
    store.watches.keep(watch, (), NOON)
    return tenant_of("USER", watcher)


def _opened(database: Transactions) -> tuple[JobQueue, Tasks]:
    return JobQueue(database), Tasks(database, {TaskKind.CHECK: _RULES})


def _leased(store: Store, count: int) -> list[str]:
    found = []
    for _ in range(count):
        lease = store.tasks.lease([TaskKind.CHECK], "me", NOON)
        assert lease is not None
        found.append(lease.task.title)
    return found


def test_a_storm_of_one_wiki_keeps_no_other_waiting(store: Store) -> None:
    storm = [_job("storm.example", f"S{at}", JobReason.CHANGE) for at in range(200)]
    store.jobs.put(storm)
    _leased(store, 5)
    store.jobs.put([_job("calm.example", "C", JobReason.RECHECK)])

    assert "C" in _leased(store, 2)


def test_wikis_get_as_much_as_they_weigh(store: Store) -> None:
    for wiki in ("heavy.example", "light.example"):
        store.jobs.put([_job(wiki, f"{wiki} {at}") for at in range(20)])

    counted = Counter(title.split(".")[0] for title in _leased(store, 16))

    assert counted == {"heavy": 12, "light": 4}


def test_nobody_waits_behind_the_long_list_of_somebody_else(store: Store) -> None:
    many = [f"P{at}" for at in range(150)]
    _watch(store, "Many", many)
    _watch(store, "Few", ["Q", "P149"])
    store.jobs.put([_job("w", title) for title in many])
    store.jobs.put([_job("w", "Q")])

    first = _leased(store, 5)

    assert {"Q", "P149"} < set(first), "P149 is on both lists"


def test_who_waits_for_an_answer_goes_first_but_keeps_nobody_out(store: Store) -> None:
    before = NOON - timedelta(seconds=9)
    store.jobs.put(
        [replace(_job("w", f"change {at}"), due_at=before) for at in range(9)]
    )
    store.jobs.put([_job("w", f"asked {at}", JobReason.ASKED) for at in range(9)])

    kinds = Counter(title.split()[0] for title in _leased(store, 8))

    assert kinds == {"asked": 6, "change": 2}


def test_what_only_a_newer_program_understands_keeps_nothing_else_waiting(
    url: str,
) -> None:
    with open_store(url, policies={TaskKind.CHECK: _RULES}) as store:
        store.jobs.put([_job("a", "newer", JobReason.ASKED), _job("b", "known")])
    with connected(url) as connection:
        newer = text("UPDATE tasks SET reason = 'NEWER' WHERE subject = 'newer'")
        connection.execute(newer)

    with open_store(url, policies={TaskKind.CHECK: _RULES}) as store:
        assert _leased(store, 1) == ["known"]


def test_a_revision_that_came_while_its_workers_died_has_all_attempts_before_it(
    store: Store,
) -> None:
    job = replace(_job("w", "P"), revision_id=1)
    store.jobs.put([job])
    died = [NOON + timedelta(seconds=301 * at) for at in range(_RULES.attempts + 1)]
    for at in died[:-1]:
        assert store.tasks.lease([TaskKind.CHECK], "me", at) is not None
    store.jobs.put([replace(job, revision_id=2)])

    lease = store.tasks.lease([TaskKind.CHECK], "me", died[-1])

    assert lease is not None
    assert (lease.task.revision_id, lease.attempt) == (2, 1)


def test_a_page_that_ends_its_process_has_no_page_beside_it_given_up(
    store: Store,
) -> None:
    store.jobs.put([_job("w", "ends it"), _job("w", "beside it")])

    def leased(at: datetime) -> Lease[PageJob]:
        lease = store.tasks.lease([TaskKind.CHECK], "me", at)
        assert lease is not None
        return lease

    for times in range(2):  # two workers of one process
        at = NOON + timedelta(seconds=301 * times)
        assert {leased(at).task.title for _ in range(2)} == {"ends it", "beside it"}
    at = NOON + timedelta(seconds=602)
    alone = leased(at)
    assert store.tasks.lease([TaskKind.CHECK], "me", at) is None, (
        "it waits until the other is done"
    )
    store.jobs.put([_job("w", "fresh")])
    assert leased(at).task.title == "fresh"
    store.finish_check(alone, at)

    assert leased(at).task.title not in {alone.task.title, "fresh"}


def test_the_turns_are_those_of_the_model_whatever_is_put_and_when(
    store: Store,
) -> None:
    chance = random.Random(8)
    model = Model(_RULES.weights)
    wikis = ("heavy.example", "b.example", "c.example")
    tenants = {
        (wiki, name): _watch(store, name, [f"{name} {at}" for at in range(60)], wiki)
        for wiki in wikis
        for name in ("Ada", "Bob")
    } | {(wiki, "nobody"): NOBODY for wiki in wikis}
    for at in range(25):
        jobs: list[PageJob] = []
        for _ in range(chance.choice([0, 0, 1, 8])):
            (wiki, name), tenant = chance.choice(list(tenants.items()))
            reason = chance.choices(_REASONS, [1, 4, 4, 4])[0]
            due = len(jobs) + 100 * at
            job = _job(wiki, f"{name} {at}", reason)
            if (wiki, job.title) in {(one.wiki, one.title) for one in jobs}:
                continue
            jobs.append(replace(job, due_at=NOON + timedelta(microseconds=due)))
            model.put(wiki, tenant, Page(reason.urgency, due, job.title))
        store.jobs.put(jobs)
        for _ in range(chance.randint(0, 3)):
            lease = store.tasks.lease(
                [TaskKind.CHECK], "me", NOON + timedelta(seconds=1)
            )
            expected = model.lease()
            found = lease and (lease.task.wiki, lease.task.title)
            assert found == (expected and (expected[0], expected[2].name))


def test_shares_are_forgotten_once_nothing_waits_in_them(store: Store) -> None:
    ada = _watch(store, "Ada", ["A"])
    store.jobs.put([_job("w", "A"), _job("w", "B")])
    lease = store.tasks.lease([TaskKind.CHECK], "me", NOON)
    assert lease is not None
    store.finish_check(lease, NOON)

    swept = store.sweep(NOON + timedelta(days=2), SweepRules())

    assert swept["shares"] == 1
    assert ada != NOBODY
    assert len(_leased(store, 1)) == 1


def test_an_idle_check_is_one_question_and_a_lease_is_few_however_many_wait(
    url: str,
) -> None:
    parsed = parse_url(url)
    engine = open_engine(parsed, lock_timeout_s=30)
    statements: list[str] = []
    event.listen(
        engine,
        "before_cursor_execute",
        lambda _connection, _cursor, statement, *_: statements.append(statement),
    )
    queue, tasks = _opened(Transactions(engine, shown(parsed)))
    queue.put([_job("w", f"P{at}") for at in range(300)])

    counts = []
    for at in (NOON - timedelta(days=1), NOON, NOON):
        statements.clear()
        tasks.lease([TaskKind.CHECK], "me", at)
        counts.append(sum(not one.startswith("BEGIN") for one in statements))
    engine.dispose()

    assert counts[0] == 1
    assert max(counts) <= 16


def test_a_lease_reads_no_more_where_more_pages_wait(tmp_path: Path) -> None:
    parsed = parse_url(f"sqlite:///{tmp_path / 'jobs.sqlite'}")
    with open_store(str(parsed)):
        pass
    engine = open_engine(parsed, lock_timeout_s=30)
    steps: list[int] = []  # of the machine that runs SQLite's statements, by tens
    event.listen(
        engine,
        "connect",
        lambda opened, _: opened.set_progress_handler(lambda: steps.append(10), 10),
    )
    queue, tasks = _opened(Transactions(engine, shown(parsed)))

    spent = []
    for many in (100, 3_000):
        queue.put([_job("w", f"{many} {at}", _REASONS[at % 3]) for at in range(many)])
        queue.put([_job("small", f"{many} {at}") for at in range(10)])
        steps.clear()
        for _ in range(8):  # patient turns are among them
            lease = tasks.lease([TaskKind.CHECK], "me", NOON, without=["other.example"])
            assert lease is not None
            tasks.put_off(lease, NOON, 0.0)
        spent.append(sum(steps))
    engine.dispose()

    assert 0 < spent[1] < 2 * spent[0]


def test_what_a_worker_died_over_waits_while_its_wiki_is_away(url: str) -> None:
    with open_store(url, policies={TaskKind.CHECK: _RULES}) as store:
        store.jobs.put([_job("w", "Page")])
        died = store.tasks.lease([TaskKind.CHECK], "dead", NOON)
        assert died is not None
        later = died.until + timedelta(seconds=1)

        assert store.tasks.lease([TaskKind.CHECK], "me", later, without=["w"]) is None
        lease = store.tasks.lease([TaskKind.CHECK], "me", later)

    assert lease is not None
    assert (lease.task.title, lease.attempt) == ("Page", 2)


def test_a_lease_is_few_questions_also_where_most_is_for_newer_programs(
    url: str,
) -> None:
    parsed = parse_url(url)
    engine = open_engine(parsed, lock_timeout_s=30)
    statements: list[str] = []
    queue, tasks = _opened(Transactions(engine, shown(parsed)))
    queue.put([_job(f"{at}.example", "newer") for at in range(30)])
    with engine.begin() as connection:
        connection.execute(text("UPDATE tasks SET reason = 'NEWER'"))
    queue.put([_job("known.example", "known")])
    event.listen(
        engine,
        "before_cursor_execute",
        lambda _connection, _cursor, statement, *_: statements.append(statement),
    )

    lease = tasks.lease([TaskKind.CHECK], "me", NOON)
    engine.dispose()

    assert lease is not None
    assert lease.task.title == "known"
    assert len(statements) <= 16
