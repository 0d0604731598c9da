"""A backup is of one moment, comes back on either kind of database, or not at all."""

import gzip
import json
from collections.abc import Callable, Iterator
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from sqlalchemy import text

from bot.records.changes import Batch, DeadLetter, DeadReason, Position, TopicPosition
from bot.records.jobs import JobReason, PageJob
from bot.records.posts import Append, PostState
from bot.records.watches import IntendedPost, PlanKind
from bot.store import Store, open_store
from bot.store.schema import OLDEST
from handlers.model import Verdict
from handlers.ports import PermanentError
from tests import builders
from tests.bot.store.made_posts import numbered
from tests.bot.store.runs import NOON, TITLE, WIKI, connected, hour, run, suggestion
from tests.program import Program
from tests.rig.databases import ready_sqlite

_FEED = "https://stream.example.org/"
_POSITION = Position((TopicPosition("eqiad.mediawiki.recentchange", 0, 1_700_000),))
_CHANGE = Append("Nötiz\n–")
_LETTER = DeadLetter(DeadReason.BAD_JSON, "line 1: not JSON", b'{"a\x00\xff', 7)


def _fill(store: Store) -> None:
    """Keep something of each kind of value: texts, numbers, times, days, bytes."""
    claim = replace(builders.claim_check(), verdict=Verdict.SUPPORTED)
    store.save_check(run(checks=[claim]), [suggestion("It is “grün”.\u2028\U0001d4b3")])
    store.hosts.take("news.example", 0, 60)  # a column of it has two names
    job = PageJob(WIKI, TITLE, JobReason.CHANGE, hour(0), hour(0), 10)
    batch = Batch(NOON, _POSITION, dead_letters=(_LETTER,))
    store.feeds.keep(_FEED, batch, [job])
    intended_posts = [
        IntendedPost(PlanKind.TALK, WIKI, f"Page {number}", NOON)
        for number in range(700)
    ]
    store.plans.ask(intended_posts, NOON)  # more than are read at once
    for number in range(10):
        store.outbox.ask(numbered(number, change=_CHANGE))
    assert store.outbox.begin(NOON) is not None  # with a day that it counts for


def _copied(store: Store) -> list[str]:
    lines: list[str] = []
    store.back_up(lines.append, NOON)
    return lines


def _but_posts(lines: list[str]) -> list[str]:
    return [line for line in lines if "Talk:Page" not in line]


@pytest.fixture(scope="module")
def filled_file(tmp_path_factory: pytest.TempPathFactory) -> bytes:
    file = tmp_path_factory.mktemp("filled") / "sidenote.sqlite"
    with open_store(ready_sqlite(file)) as store:
        _fill(store)
    return file.read_bytes()


@pytest.fixture
def filled(tmp_path: Path, filled_file: bytes) -> Iterator[Store]:
    file = tmp_path / "filled.sqlite"
    file.write_bytes(filled_file)
    with open_store(f"sqlite:///{file}") as store:
        yield store


def test_everything_comes_back_on_either_kind_of_database(
    filled: Store, url: str, tmp_path: Path
) -> None:
    lines = _copied(filled)
    with open_store(url) as other:
        other.restore(lambda: iter(lines))
        again = _copied(other)
        attempt = other.outbox.begin(NOON)
        assert other.suggestions_of(WIKI, TITLE) == filled.suggestions_of(WIKI, TITLE)
        assert other.feeds.dead_letters() == (_LETTER,)
        assert other.outbox.counts()[PostState.WAITING] == 0

    assert len(lines) > 750
    assert _but_posts(again) == _but_posts(lines)
    assert len(again) == len(lines)
    assert attempt is not None
    assert attempt.first_tried_at is not None  # so the wiki is asked for it first
    with open_store(ready_sqlite(tmp_path / "third.sqlite")) as third:
        third.restore(lambda: iter(again))
        assert _copied(third)[1:] == again[1:]


def test_a_copy_is_of_one_moment_whatever_is_written_meanwhile(url: str) -> None:
    with open_store(url) as store, open_store(url) as other:
        _fill(store)
        before = _copied(store)
        lines: list[str] = []

        def write(line: str) -> None:
            lines.append(line)
            if len(lines) == 5:
                other.outbox.ask(numbered(5_000, change=_CHANGE))
                other.plans.ask([IntendedPost(PlanKind.TALK, WIKI, "Two", NOON)], NOON)

        store.back_up(write, NOON)
        after = _copied(store)

    assert lines == before
    assert len(after) == len(before) + 2


def test_nothing_is_restored_over_something(filled: Store) -> None:
    lines = _copied(filled)

    with pytest.raises(PermanentError, match="the database is not empty"):
        filled.restore(lambda: iter(lines))
    assert _copied(filled) == lines


def test_half_of_a_backup_is_not_worked_on(filled: Store, tmp_path: Path) -> None:
    lines, url = _copied(filled), ready_sqlite(tmp_path / "other.sqlite")

    def killed() -> Iterator[str]:
        yield from lines[:400]
        raise KeyboardInterrupt

    readings = iter([iter(lines), killed()])
    with open_store(url) as store, pytest.raises(KeyboardInterrupt):
        store.restore(lambda: next(readings))

    with pytest.raises(PermanentError, match="was interrupted"), open_store(url):
        pytest.fail("a program began to work on half of a backup")


def test_a_backup_that_can_be_read_but_once_is_refused_before_anything_is_written(
    filled: Store, tmp_path: Path
) -> None:
    lines = iter(_copied(filled))
    with open_store(ready_sqlite(tmp_path / "other.sqlite")) as other:
        empty = _copied(other)
        with pytest.raises(PermanentError, match="not a backup"):
            other.restore(lambda: lines)
        assert _copied(other) == empty


def test_who_may_work_on_the_tables_is_not_said_by_the_backup(
    filled: Store, store: Store
) -> None:
    word = '["tables: oldest program",'
    old = [f"{word}1]\n" if line.startswith(word) else line for line in _copied(filled)]
    assert f"{word}1]\n" in old
    store.restore(lambda: iter(old))
    assert f"{word}{int(OLDEST)}]\n" in _copied(store)


def test_nobody_is_signed_in_again_by_a_backup(filled: Store, tmp_path: Path) -> None:
    lines = _copied(filled)
    place = next(i for i, one in enumerate(lines) if '"reader_sessions"' in one)
    names = json.loads(lines[place])["columns"]
    row = [NOON.isoformat() if name.endswith("_at") else name for name in names]
    ends = json.loads(lines[-1])
    ends["end"]["reader_sessions"] = 1
    lines[place + 1 : place + 1] = [json.dumps(row) + "\n"]
    lines[-1] = json.dumps(ends) + "\n"
    with open_store(ready_sqlite(tmp_path / "other.sqlite")) as other:
        other.restore(lambda: iter(lines))
        assert json.loads(_copied(other)[-1])["end"]["reader_sessions"] == 0


_Harm = Callable[[list[str]], list[str]]


@pytest.mark.parametrize(
    ("harm", "message"),
    [
        pytest.param(lambda _: [], "not a backup", id="empty"),
        pytest.param(lambda _: ["{}\n"], "not a backup", id="another file"),
        pytest.param(lambda lines: lines[:-1], "ends early", id="no end"),
        pytest.param(
            lambda lines: [*lines[:-2], lines[-1]], "rows .* missing", id="a row less"
        ),
        pytest.param(
            lambda lines: [*lines[:9], lines[9][:-9], *lines[10:]],
            "line 10 .* damaged",
            id="half a line",
        ),
        pytest.param(
            lambda lines: [
                lines[0].replace('"version":"0', '"version":"9'),
                *lines[1:],
            ],
            "restore it with the version",
            id="newer",
        ),
        pytest.param(
            lambda lines: [
                *lines[:1],
                '{"table":"users","columns":["id"]}\n',
                *lines[1:],
            ],
            "a table 'users' that this program does not know",
            id="a table too many",
        ),
        pytest.param(
            lambda lines: [
                line.replace("2026-11-20T", "2026-11-99T") for line in lines
            ],
            "a row of .* is damaged",
            id="no such day",
        ),
    ],
)
def test_of_a_damaged_copy_nothing_is_restored(
    filled: Store, tmp_path: Path, harm: _Harm, message: str
) -> None:
    lines = harm(_copied(filled))
    with open_store(ready_sqlite(tmp_path / "other.sqlite")) as other:
        empty = _copied(other)
        with pytest.raises(PermanentError, match=message):
            other.restore(lambda: iter(lines))
        assert _copied(other) == empty


async def test_the_commands_copy_into_a_folder_and_back(
    tmp_path: Path, filled_file: bytes
) -> None:
    source = tmp_path / "source.sqlite"
    source.write_bytes(filled_file)
    on_source = Program(tmp_path, {"SIDENOTE_DATABASE": f"sqlite:///{source}"})
    target = f"sqlite:///{tmp_path / 'target.sqlite'}"
    on_target = Program(tmp_path, {"SIDENOTE_DATABASE": target})
    folder = tmp_path / "backups"
    folder.mkdir()
    today = datetime.now(UTC)
    for days in (1.9, 2.1, 30):
        at = f"{today - timedelta(days=days):%Y%m%d-%H%M%S}"
        (folder / f"sidenote-{at}.jsonl.gz").touch()
        (folder / f".sidenote-{at}.jsonl.gz.7.part").touch()  # killed
    in_work = folder / f".sidenote-{today:%Y%m%d-%H%M%S}.jsonl.gz.7.part"
    in_work.touch()

    result = await on_source("backup", f"{folder}/", "--keep", "2")
    [other, _, newest] = sorted(folder.iterdir())
    assert other == in_work
    piped = folder / "piped.gz"
    await on_source.in_new_process("backup", "-", then=f"> {piped}")
    damaged = tmp_path / "damaged.gz"
    damaged.write_bytes(newest.read_bytes()[:-20])
    refused = await on_target("restore", str(damaged))
    restored = await on_target("restore", str(newest))

    assert (result.code, restored.code) == (0, 0)
    assert newest.stat().st_mode & 0o777 == 0o600
    with gzip.open(newest) as file:
        assert gzip.decompress(piped.read_bytes()).count(b"\n") == sum(1 for _ in file)
    assert refused.code == 3
    assert "is incomplete or damaged" in refused.err
    assert "restored: 7" in restored.err
    plans = text("SELECT count(*) FROM tasks WHERE kind = 'PLAN_TALK'")
    with connected(target) as connection:
        assert connection.scalar(plans) == 700
