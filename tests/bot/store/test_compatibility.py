"""An older program goes on beside a newer one, and after a rollback: it leaves alone
what it does not know."""

from collections.abc import Iterator
from dataclasses import replace
from datetime import timedelta
from pathlib import Path

import pytest
from alembic.command import upgrade
from alembic.config import Config
from alembic.script import ScriptDirectory
from sqlalchemy import Connection, inspect, text

from bot.records.jobs import JobReason, PageJob
from bot.records.posts import PostRules, PostState
from bot.records.tasks import TaskKind
from bot.records.watches import PLANS, IntendedPost, PlanKind
from bot.store import Store, open_store
from bot.store.schema import OLDEST, VERSION
from handlers.findings import Details, Quoted, Remedy, RemedyKind
from handlers.model import Origin
from handlers.ports import PermanentError, TemporaryError
from tests.bot.store.made_posts import numbered
from tests.bot.store.runs import NOON, TITLE, WIKI, connected, run, suggestion

_WORD = "UPDATE versions SET number = {} WHERE name = 'tables: oldest program'"


@pytest.fixture
def url(tmp_path: Path) -> str:
    return f"sqlite:///{tmp_path / 'sidenote.sqlite'}"


@pytest.fixture
def store(url: str) -> Iterator[Store]:
    with open_store(
        url, post_rules=PostRules(tasks=frozenset({"talk"}))
    ) as opened_store:
        yield opened_store


def _change(url: str, *statements: str) -> None:
    with connected(url) as connection:
        for statement in statements:
            assert connection.execute(text(statement)).rowcount != 0


def _later(url: str, oldest: int) -> None:
    """Make of the tables what a later version may have made of them."""
    with open_store(url):
        pass
    with connected(url) as connection:
        connection.execute(text("CREATE TABLE later (id INTEGER PRIMARY KEY)"))
        connection.execute(text("ALTER TABLE posts ADD COLUMN later VARCHAR(100)"))
    _change(
        url, "UPDATE alembic_version SET version_num = '0417'", _WORD.format(oldest)
    )


def test_a_program_works_on_newer_tables_that_go_together_with_it(url: str) -> None:
    _later(url, int(VERSION))

    with open_store(url) as store:
        store.save_check(run(), [suggestion()])
        assert len(store.suggestions_of(WIKI, TITLE)) == 1
    with connected(url) as connection:
        found = connection.scalar(text("SELECT version_num FROM alembic_version"))
    assert found == "0417"  # nothing was taken back


def test_a_program_that_would_do_harm_to_newer_tables_does_not_begin(url: str) -> None:
    _later(url, int(VERSION) + 1)

    with (
        pytest.raises(PermanentError, match="does not work with this one"),
        open_store(url),
    ):
        pass


def test_migrations_only_ever_add(tmp_path: Path) -> None:
    """What an older program reads and writes is there after each of them, as before."""
    config = Config()
    config.set_main_option("script_location", "bot.store:migrations")
    scripts = ScriptDirectory.from_config(config)
    later = [
        script.revision
        for script in reversed(list(scripts.walk_revisions()))
        if script.revision > OLDEST
    ]
    with connected(f"sqlite:///{tmp_path / 's.sqlite'}") as connection:
        config.attributes["connection"] = connection
        upgrade(config, OLDEST)
        for revision in later:
            before = _columns(connection)
            upgrade(config, revision)
            after = _columns(connection)
            for table, columns in before.items():
                assert columns.items() <= after[table].items(), (revision, table)
                for name in after[table].keys() - columns.keys():
                    _, can_be_left_out = after[table][name]
                    assert can_be_left_out, (revision, table, name)


def _columns(connection: Connection) -> dict[str, dict[str, tuple[str, bool]]]:
    found = inspect(connection)
    return {
        table: {
            one["name"]: (
                str(one["type"]),
                one["nullable"] or one["default"] is not None,
            )
            for one in found.get_columns(table)
        }
        for table in found.get_table_names()
    }


def test_posts_of_kinds_that_came_later_are_left_to_who_asked_for_them(
    store: Store, url: str
) -> None:
    for number in range(1, 5):
        store.outbox.ask(numbered(number))
    _change(
        url,
        "UPDATE posts SET kind = 'MovePage' WHERE title = 'Talk:Page 1'",
        "UPDATE posts SET task = 'category' WHERE title = 'Talk:Page 2'",
        "UPDATE posts SET plan = 'CATEGORY' WHERE title = 'Talk:Page 3'",
    )
    begun = [store.outbox.begin(NOON) for _ in range(2)]

    assert begun[0] is not None
    assert begun[0].post == numbered(4)
    assert begun[1] is None
    assert store.outbox.counts()[PostState.WAITING] == 3
    with connected(url) as connection:
        tried = connection.scalar(text("SELECT sum(tries) FROM posts"))
    assert tried == 1


def test_pages_asked_for_in_ways_that_came_later_are_left_alone(
    store: Store, url: str
) -> None:
    for title in ("One", "Two"):
        store.jobs.put([PageJob(WIKI, title, JobReason.ASKED, NOON, NOON)])
    _change(url, "UPDATE tasks SET reason = 'MOVED' WHERE subject = 'One'")

    lease, no_lease = (store.tasks.lease([TaskKind.CHECK], "w", NOON) for _ in range(2))

    assert lease is not None
    assert (lease.task.title, no_lease) == ("Two", None)


def test_plans_of_kinds_that_came_later_are_left_alone(store: Store, url: str) -> None:
    intended_posts = [
        IntendedPost(PlanKind.TALK, WIKI, name, NOON) for name in ("One", "Two")
    ]
    store.plans.ask(intended_posts, NOON)
    _change(
        url,
        "UPDATE tasks SET kind = 'PLAN_CATEGORY' WHERE subject = 'One'",
    )

    plan, no_plan = (store.tasks.lease(PLANS, "me", NOON) for _ in range(2))

    assert plan is not None
    assert (plan.task.subject, no_plan) == ("Two", None)
    assert sum(store.plans.state().waiting.values()) == 0


_NEWER_NOTES = [
    pytest.param("flag_kind = 'UNCIVIL'", id="a check"),
    pytest.param("update_kind = 'CATEGORY'", id="an update"),
    pytest.param("details = replace(details, 'ARCHIVE', 'HOLOGRAM')", id="an origin"),
]


@pytest.mark.parametrize("changed", _NEWER_NOTES)
def test_no_note_is_taken_away_for_another_that_is_not_known(
    store: Store, url: str, changed: str
) -> None:
    quoted = Details(sentence="It was.", quotes=(_quoted(),))
    found = [replace(suggestion("One."), details=quoted), suggestion("Two.")]
    store.save_check(run(), found)
    _change(url, f"UPDATE suggestions SET {changed} WHERE claim = 'One.'")  # noqa: S608 - our own words

    with pytest.raises(TemporaryError, match="newer version of Sidenote") as caught:
        store.suggestions_of(WIKI, TITLE)
    [stored] = store.suggestions_of(WIKI, TITLE, all_or_none=False)

    assert caught.value.retry_in_s
    assert stored.suggestion.claim == "Two."
    assert store.panel.suggestion(WIKI, found[0].identity) is None


def test_what_a_newer_program_says_besides_is_passed_over(
    store: Store, url: str
) -> None:
    remedies = (
        Remedy(RemedyKind.OTHER_SOURCE, "https://a.example/", None, "Words", 0.9),
    )
    one = replace(
        suggestion(), details=Details("It was.", quotes=(_quoted(),)), remedies=remedies
    )
    store.save_check(run(), [one])
    _change(
        url,
        """UPDATE suggestions SET
        details = replace(details, '"title":', '"mood": "calm", "title":'),
        remedies = replace(remedies, '"kind":', '"colour": "red", "kind":')""",
    )

    [stored] = store.suggestions_of(WIKI, TITLE)

    assert replace(stored.suggestion, page=one.page) == one


def test_how_it_is_doing_is_reported_beside_a_newer_program(
    store: Store, url: str
) -> None:
    store.outbox.ask(numbered(1))
    store.plans.ask([IntendedPost(PlanKind.TALK, WIKI, "One", NOON)], NOON)
    _change(
        url,
        "UPDATE posts SET state = 'HELD', refusal = 'MOOD'",
        "UPDATE tasks SET kind = 'PLAN_CATEGORY', note = 'fails'",
    )

    status = store.status(NOON + timedelta(hours=1))

    assert sum(status.posts.counts.values()) == 0
    assert status.plans.failing == ()


def _quoted() -> Quoted:
    return Quoted("Words", "", "", False, False, "key", "Paper", origin=Origin.ARCHIVE)
