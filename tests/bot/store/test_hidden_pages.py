"""What was found of a page goes when its wiki hides or deletes text of it."""

from dataclasses import replace
from datetime import datetime

import pytest
from sqlalchemy import insert, select

from bot.records.changes import Batch, Change, ChangeKind, UserKind
from bot.records.jobs import JobReason, PageJob
from bot.records.posts import PostState
from bot.records.tasks import LeaseLost, TaskKind
from bot.store import Store
from bot.store.schema import closures, suggestions
from handlers.model import Verdict
from tests import builders
from tests.bot.store.made_posts import post
from tests.bot.store.runs import TITLE, WIKI, connected, hour, run, suggestion

_SECRET = "He lives in Hidden Street 7."  # noqa: S105 - a person's
_FEED = "feed"
_JOB = PageJob(WIKI, TITLE, JobReason.CHANGE, hour(0), hour(0), 10, pause_s=86_400.0)


def _hidden(at: datetime, kind: ChangeKind = ChangeKind.VISIBILITY) -> Change:
    return Change(kind, WIKI, TITLE, 0, at, UserKind.REGISTERED, f"event {at}")


def _keep(store: Store, received_at: datetime, *changes: Change) -> None:
    store.feeds.keep(_FEED, Batch(received_at, None, changes), [])


def _checked(store: Store, revision: int, at: datetime, *claims: str) -> None:
    found = [replace(builders.claim(text=text), text=text) for text in claims]
    checks = [
        replace(builders.claim_check(), claim=claim, verdict=Verdict.NOT_SUPPORTED)
        for claim in found
    ]
    known = [suggestion(text, quote=f"of {text}") for text in claims]
    lease = store.tasks.lease([TaskKind.CHECK], "worker", at)
    store.save_check(run(revision, at, checks), known, ends=lease)


def _is_stored(store: Store, words: str) -> bool:
    lines: list[str] = []
    store.back_up(lines.append, hour(99))
    return any(words in line for line in lines)


def test_hidden_text_goes_at_once_from_old_checks_and_after_the_next_from_all(
    store: Store,
) -> None:
    store.jobs.put([_JOB])
    _checked(store, 10, hour(0), _SECRET, "It rained.")
    _checked(store, 11, hour(1), "It rained.")  # it was undone
    assert _is_stored(store, _SECRET)

    _keep(store, hour(3), _hidden(hour(2)))

    assert not _is_stored(store, _SECRET)
    assert store.last_check(WIKI, TITLE) is None
    [suggestion] = store.suggestions_of(WIKI, TITLE)
    assert (
        suggestion.suggestion.claim == "It rained."
    )  # nobody sees it go and come back
    _checked(store, 12, hour(3), "It rained.")  # due at once, whatever its rest
    assert store.last_check(WIKI, TITLE) is not None
    assert store.tasks.lease([TaskKind.CHECK], "worker", hour(30)) is None

    _keep(store, hour(4), _hidden(hour(2)))  # the feed tells it again

    assert store.last_check(WIKI, TITLE) is not None
    assert store.tasks.lease([TaskKind.CHECK], "worker", hour(30)) is None


def test_text_that_was_hidden_before_it_was_undone_for_us_goes_with_the_next_check(
    store: Store,
) -> None:
    store.jobs.put([_JOB])
    _checked(store, 10, hour(0), _SECRET, "It rained.")
    _keep(store, hour(2), _hidden(hour(2)))
    assert len(store.suggestions_of(WIKI, TITLE)) == 2

    _checked(store, 11, hour(2), "It rained.")

    assert not _is_stored(store, _SECRET)


def test_a_deleted_page_leaves_none_of_its_text(store: Store) -> None:
    store.jobs.put([_JOB])
    _checked(store, 10, hour(0), _SECRET)
    _keep(store, hour(2), _hidden(hour(2), ChangeKind.DELETE))

    lease = store.tasks.lease([TaskKind.CHECK], "worker", hour(2))
    assert lease is not None
    assert lease.task.revision_id is None  # it may come back without its last revision
    assert store.close_page(WIKI, TITLE, hour(2), ends=lease) == 1

    assert not _is_stored(store, _SECRET)


def test_a_check_that_began_before_keeps_nothing(store: Store) -> None:
    _checked(store, 9, hour(0), "It rained.")
    store.jobs.put([_JOB])
    lease = store.tasks.lease([TaskKind.CHECK], "worker", hour(1))
    assert lease is not None
    _keep(store, hour(2), _hidden(hour(2)))

    with pytest.raises(LeaseLost):
        store.save_check(run(10, hour(2)), [suggestion(_SECRET)], ends=lease)

    assert not _is_stored(store, _SECRET)
    assert store.tasks.lease([TaskKind.CHECK], "worker", hour(2)) is not None


def test_a_check_that_ended_after_it_was_hidden_and_began_before_goes_too(
    store: Store,
) -> None:
    store.jobs.put([_JOB])
    lease = store.tasks.lease([TaskKind.CHECK], "worker", hour(1))
    claim = replace(builders.claim(text=_SECRET), text=_SECRET)
    checks = [replace(builders.claim_check(), claim=claim)]
    store.save_check(run(11, hour(3), checks), [], ends=lease)
    store.jobs.put([replace(_JOB, asked_at=hour(4), due_at=hour(4), revision_id=12)])
    _checked(store, 12, hour(30), "It rained.")

    _keep(store, hour(31), _hidden(hour(2)))  # the feed was behind

    assert not _is_stored(store, _SECRET)
    last = store.last_check(WIKI, TITLE)
    assert last is not None
    assert last.page.revision_id == 12


def test_a_note_that_waits_is_not_posted(store: Store) -> None:
    _checked(store, 10, hour(0), "It rained.")
    store.outbox.ask(post(_SECRET, asked_at=hour(2)))
    _keep(store, hour(2), _hidden(hour(2)))

    assert not _is_stored(store, _SECRET)
    assert store.outbox.counts()[PostState.WAITING] == 0
    assert store.outbox.begin(hour(3)) is None


def test_a_page_of_which_nothing_is_kept_is_nothing_to_do(store: Store) -> None:
    _checked(store, 10, hour(0), "It rained.")
    other = replace(_hidden(hour(2)), title="x" * 500)
    _keep(store, hour(2), other, replace(other, title="Another"))

    assert store.tasks.lease([TaskKind.CHECK], "worker", hour(9)) is None
    assert store.last_check(WIKI, TITLE) is not None


def test_of_closed_updates_those_stay_that_somebody_decided_on(
    store: Store, url: str
) -> None:
    _checked(store, 10, hour(0), "It rained.")
    with connected(url) as connection:
        row = connection.execute(select(suggestions)).one()._mapping
        for identity, kind in (("a", "NEW_FACT"), ("b", "NEW_FACT"), ("c", None)):
            values = {
                "identity": identity,
                "update_kind": kind,
                "closed_at": hour(1),
            }
            connection.execute(insert(suggestions).values(**{**row, **values}))
            if identity != "a":
                closure = {"wiki": WIKI, "identity": identity, "closed_at": hour(1)}
                connection.execute(insert(closures).values(**closure))
    _keep(store, hour(2), _hidden(hour(2)))

    with connected(url) as connection:
        left = set(connection.scalars(select(suggestions.c.identity))) & {"a", "b", "c"}
    assert left == {"b"}
