"""An operator sees which posts are parked, and says what became of each."""

import json
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from bot.app.cli.terminal import Exit
from bot.daemon.roles import work_left
from bot.records.posts import Parked, Post, PostState, Refusal, RequestOutcome
from bot.records.watches import NoteState
from bot.store import Store, open_store
from tests.bot.app.cli.conftest import Sidenote
from tests.bot.writing.makers import TALK, post
from tests.rig.databases import ready_sqlite

_NOTE = "a" * 64
_WHY = "the wiki’s answer is unknown: new-in-1-47: Sorry"


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    with open_store(ready_sqlite(tmp_path / "data/sidenote.sqlite")) as opened_store:
        yield opened_store


def _park(store: Store, number: int = 1) -> Post:
    now = datetime.now(UTC)
    title = TALK if number == 1 else f"{TALK} {number}"
    intended_post = post(number, title=title, asked_at=now, adds=(_NOTE,))
    store.outbox.ask(intended_post)
    attempt = store.outbox.begin(now)
    assert attempt is not None
    store.outbox.settle(attempt, Parked(_WHY, Refusal.UNKNOWN), now, in_s=86_400)
    return intended_post


def test_without_any_there_is_nothing_to_do(sidenote: Sidenote, store: Store) -> None:
    assert store.outbox.parked() == ()

    result = sidenote("posts")

    assert (result.code, result.out) == (Exit.FINE, "No post is parked.\n")


def test_parked_posts_are_listed_with_why(sidenote: Sidenote, store: Store) -> None:
    wanted, other = _park(store, 1), _park(store, 2)

    result, rows = sidenote("posts"), sidenote("posts", "--format", "json")

    assert result.code == rows.code == Exit.NEEDS_ATTENTION
    for each in (wanted, other):
        assert each.name[:12] in result.out
        assert each.title in result.out
    assert "new-in-1-47" in result.out
    [first, _] = json.loads(rows.out)
    assert (first["name"], first["reason"]) == (wanted.name, "unknown")
    assert first["text"] == wanted.change.text


def test_status_and_doctor_tell_of_them(sidenote: Sidenote, store: Store) -> None:
    _park(store)

    status, doctor = (
        sidenote("status"),
        sidenote("doctor", "--only", "processes", "--format", "json"),
    )

    assert "1 post is parked" in status.out
    assert "sidenote posts" in status.out
    seen = [
        one for one in json.loads(doctor.out)["examinations"] if one["name"] == "posts"
    ]
    assert [one["standing"] for one in seen] == ["warning"]
    assert work_left(store, datetime.now(UTC)) == 0


def test_what_was_made_counts_as_shown(sidenote: Sidenote, store: Store) -> None:
    parked_post = _park(store)

    result = sidenote(
        "posts", "settle", parked_post.name[:12], "posted", "--revision", "77"
    )

    assert result.code == Exit.FINE
    [intended_post] = store.outbox.posts()
    assert (intended_post.state, intended_post.revision_id) == (PostState.POSTED, 77)
    assert [each.state for each in store.shown_notes.on(parked_post.wiki, TALK)] == [
        NoteState.OPEN
    ]
    assert sidenote("posts").code == Exit.FINE


def test_what_is_dropped_never_comes_back(sidenote: Sidenote, store: Store) -> None:
    parked_post = _park(store)

    sidenote("posts", "settle", parked_post.name, "drop")

    [intended_post] = store.outbox.posts()
    assert intended_post.state is PostState.DROPPED
    [note] = store.shown_notes.on(parked_post.wiki, TALK)
    assert (note.identity, note.state) == (_NOTE, NoteState.DISMISSED)
    later = post(3, asked_at=datetime.now(UTC))
    assert store.outbox.ask(later) is RequestOutcome.KEPT


def test_what_is_to_be_tried_again_is_tried_at_once_as_if_for_the_first_time(
    sidenote: Sidenote, store: Store
) -> None:
    intended_post = _park(store)
    assert store.outbox.begin(datetime.now(UTC)) is None

    sidenote("posts", "settle", intended_post.name[:12], "again")

    attempt = store.outbox.begin(datetime.now(UTC))
    assert attempt is not None
    assert (attempt.post.name, attempt.first_tried_at) == (intended_post.name, None)


def test_only_one_parked_post_is_settled_at_a_time(
    sidenote: Sidenote, store: Store
) -> None:
    intended_post = _park(store, 1)
    _park(store, 2)

    assert sidenote("posts", "settle", "", "drop").code == Exit.CANNOT
    assert sidenote("posts", "settle", "0" * 12, "drop").code == Exit.CANNOT
    wrong = sidenote("posts", "settle", intended_post.name, "drop", "--revision", "7")
    assert wrong.code == Exit.USAGE
    assert store.outbox.parked_count() == 2


def test_what_is_being_tried_is_not_settled(sidenote: Sidenote, store: Store) -> None:
    intended_post = _park(store)
    attempt = store.outbox.begin(datetime.now(UTC) + timedelta(days=1))
    assert attempt is not None

    assert sidenote("posts", "settle", intended_post.name, "drop").code == Exit.LATER
    assert store.outbox.parked_count() == 1
