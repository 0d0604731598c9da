from dataclasses import replace
from datetime import UTC, datetime

from bot.daemon.intake.stream import RecentChanges
from bot.records.changes import Change, ChangeKind, UserKind


def _change(number: int) -> Change:
    return Change(
        kind=ChangeKind.EDIT,
        wiki="en.wikipedia.org",
        title="Clock",
        namespace=0,
        changed_at=datetime(2026, 11, 21, tzinfo=UTC),
        user=UserKind.REGISTERED,
        event_id=f"event-{number}",
        revision_id=number,
    )


def test_a_change_is_new_once() -> None:
    seen = RecentChanges(10)

    assert [seen.is_new(_change(number)) for number in (1, 2, 1, 2, 3)] == [
        True,
        True,
        False,
        False,
        True,
    ]


def test_a_revision_is_new_once_whatever_the_id_of_the_event() -> None:
    seen = RecentChanges(10)
    seen.is_new(_change(1))

    assert not seen.is_new(replace(_change(1), event_id="other"))
    assert seen.is_new(replace(_change(1), event_id="third", wiki="de.wikipedia.org"))


def test_the_deletion_of_a_page_is_not_taken_for_its_last_edit() -> None:
    seen = RecentChanges(10)
    seen.is_new(_change(1))

    deleted = replace(_change(1), event_id="gone", kind=ChangeKind.DELETE)
    assert seen.is_new(deleted)


def test_it_remembers_the_last_and_no_more() -> None:
    seen = RecentChanges(100)
    for number in range(5_000):
        seen.is_new(_change(number))

    assert not seen.is_new(_change(4_950))
    assert seen.is_new(_change(10))
    assert len(seen._keys) <= 200
