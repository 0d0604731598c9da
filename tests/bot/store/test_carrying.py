"""A run that looked at a part of its page is saved whole, with what it carried over."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from datetime import datetime
from pathlib import Path

from sqlalchemy import Engine, event

from bot.records.jobs import JobReason, PageJob
from bot.records.tasks import TaskKind, TaskState
from bot.records.watches import ActiveWatch, PlanKind, Surface, WatcherKind
from bot.store import Carried, Store, open_store
from handlers.citations.suggestions import suggestions_of
from handlers.model import Claim, ClaimCheck, SourceOutcome, Span, Tag, TagKind, Verdict
from tests import builders
from tests.bot.store.runs import NOON, TITLE, WIKI, hour, planned, run


def _claim(text: str, start: int, **changes: object) -> Claim:
    return builders.claim(text, span=Span(start, start + 1), **changes)


def _check(of: Claim, verdict: Verdict | None = Verdict.NOT_SUPPORTED) -> ClaimCheck:
    check = (
        builders.claim_check(verdict, of)
        if verdict
        else builders.unchecked(SourceOutcome.GONE, of)
    )
    return replace(check, fingerprint=f"{of.text:0>64}")


_FIRST = _check(_claim("first", 10))
_SECOND = _check(_claim("second", 20), Verdict.SUPPORTED)
_THIRD = _check(_claim("third", 30), None)


def _save(
    store: Store,
    revision: int,
    at: datetime,
    checks: Sequence[ClaimCheck],
    carried: Sequence[Claim] = (),
) -> None:
    """Save a run that looked at `checks` and carries the claims over by their words."""
    last = store.last_check(WIKI, TITLE)
    known = {claim.text: claim for claim in last.claims} if last else {}
    report = run(revision, at, checks)
    store.save_check(
        report,
        suggestions_of(report.page, checks),
        carried=[Carried(claim, known[claim.text]) for claim in carried],
    )


def test_what_is_carried_over_is_kept_as_it_was_and_counted(store: Store) -> None:
    edited = _check(_claim("edited", 15), Verdict.CONTRADICTED)
    _save(store, 10, NOON, [_FIRST, _SECOND, _THIRD])
    before = store.last_check(WIKI, TITLE)

    moved = replace(_THIRD.claim, span=Span(5, 6), section=("New heading",))
    _save(store, 11, hour(1), [edited], [moved, _FIRST.claim])
    after = store.last_check(WIKI, TITLE)
    _save(store, 12, hour(2), [], [one.claim for one in (_FIRST, edited)])
    last = store.last_check(WIKI, TITLE)

    assert before
    assert after
    assert last
    assert [one.text for one in after.claims] == ["third", "first", "edited"]
    known = {one.text: one for one in before.claims}
    assert after.claims[0] == replace(known["third"], section=("New heading",))
    assert after.claims[1] == known["first"]
    assert [one.checked_at for one in after.claims] == [NOON, NOON, hour(1)]
    assert after.counts.claims == 3
    assert (after.counts.not_supported, after.counts.contradicted) == (1, 1)
    assert (after.counts.unchecked, after.counts.supported) == (1, 0)
    assert [one.checked_at for one in last.claims] == [NOON, hour(1)]
    assert last.claims[0] == known["first"]


def test_a_suggestion_stays_open_while_its_claim_is_carried_over(store: Store) -> None:
    _save(store, 10, NOON, [_FIRST, _SECOND])
    [before] = store.suggestions_of(WIKI, TITLE)

    moved = replace(_FIRST.claim, span=Span(77, 78), section=("New heading",))
    _save(store, 11, hour(1), [], [_SECOND.claim, moved])
    [after] = store.suggestions_of(WIKI, TITLE)
    _save(store, 12, hour(2), [], [_SECOND.claim])
    gone = store.suggestions_of(WIKI, TITLE)

    assert after.suggestion.page.revision_id == 11
    assert (after.first_seen, after.last_seen, after.closed_at) == (NOON, hour(1), None)
    assert (after.suggestion.section, after.suggestion.place) == (("New heading",), 77)
    assert after.suggestion == replace(
        before.suggestion,
        page=after.suggestion.page,
        section=("New heading",),
        place=77,
    )
    assert gone == ()


def test_a_claim_that_could_not_be_checked_keeps_its_suggestion_when_carried(
    store: Store,
) -> None:
    unread = _check(_FIRST.claim, None)
    _save(store, 10, NOON, [_FIRST])
    _save(store, 11, hour(1), [unread])
    _save(store, 12, hour(2), [], [_FIRST.claim])

    [suggestion] = store.suggestions_of(WIKI, TITLE)

    assert (suggestion.last_seen, suggestion.closed_at) == (NOON, None)


def _watch(**changes: object) -> ActiveWatch:
    default = ActiveWatch(
        wiki=WIKI,
        place="User:Ann/Watch",
        kind=WatcherKind.USER,
        watcher="Ann",
        pages=(TITLE,),
        surfaces=(Surface.REPORT, Surface.TALK),
        report="User:Ann/Report",
    )
    return replace(default, **changes)  # type: ignore[arg-type]  # fields by name


def test_a_page_that_is_no_more_loses_its_suggestions_and_is_planned_again(
    store: Store,
) -> None:
    store.watches.keep(_watch(), (), NOON)
    planned(store, NOON)
    _save(store, 10, NOON, [_FIRST, _SECOND])
    planned(store, hour(1))
    job = PageJob(WIKI, TITLE, JobReason.CHANGE, NOON, NOON)
    store.jobs.put([job])
    lease = store.tasks.lease([TaskKind.CHECK], "worker", hour(2))

    assert store.close_page(WIKI, TITLE, hour(2), ends=lease) == 1

    [closed] = store.suggestions_of(WIKI, TITLE, with_closed=True)
    kinds = {kind for kind, _ in planned(store, hour(3))}
    last = store.last_check(WIKI, TITLE)
    assert store.jobs.state().counts[TaskState.IDLE] == 1
    assert lease
    assert store.close_page(WIKI, TITLE, hour(3), ends=lease) == 0, "done once"
    assert store.close_page(WIKI, TITLE, hour(3)) == 0
    assert store.close_page(WIKI, "Never seen", hour(3)) == 0

    assert closed.closed_at == hour(2)
    assert kinds == {PlanKind.REPORT, PlanKind.TALK}
    assert last
    assert [one.fingerprint for one in last.claims] == [None, None]


def test_a_suggestion_is_closed_once_an_editor_has_marked_its_claim(
    store: Store,
) -> None:
    tag = Tag(TagKind.FAILED_VERIFICATION, "failed verification", Span(11, 12))
    _save(store, 10, NOON, [_FIRST, _SECOND])
    marked = replace(_FIRST.claim, tags=(tag,))
    _save(store, 11, hour(1), [], [marked, _SECOND.claim])
    assert store.suggestions_of(WIKI, TITLE) == ()

    _save(store, 12, hour(2), [], [_FIRST.claim, _SECOND.claim])
    [again] = store.suggestions_of(WIKI, TITLE)

    assert (again.first_seen, again.closed_at) == (NOON, None)


def test_a_page_of_many_claims_takes_no_more_statements_than_one_of_few(
    tmp_path: Path,
) -> None:
    """Each would cost a way to the database and back."""
    statements: list[str] = []
    took = []
    for many in (3, 40):
        checks = [_check(_claim(f"{many}.{n}", n)) for n in range(many)]
        with open_store(f"sqlite:///{tmp_path}/{many}.sqlite") as store:
            with _statements(statements):
                _save(store, 10, NOON, checks)  # new
                _save(store, 11, hour(1), checks)  # found again
                _save(store, 12, hour(2), [], [one.claim for one in checks])
            suggestions = store.suggestions_of(WIKI, TITLE)
        assert [one.last_seen for one in suggestions] == [hour(2)] * many
        took.append(len(statements))
        statements.clear()

    assert took[0] == took[1] > 0


@contextmanager
def _statements(statements: list[str]) -> Iterator[None]:
    def tell(_connection: object, _cursor: object, statement: str, *_: object) -> None:
        statements.append(statement)

    event.listen(Engine, "before_cursor_execute", tell)
    yield
    event.remove(Engine, "before_cursor_execute", tell)


def test_what_helps_with_a_tag_stays_open_until_the_tag_has_gone(store: Store) -> None:
    tag = Tag(TagKind.FAILED_VERIFICATION, "failed verification", Span(0, 1))
    helped = _check(_claim("tagged", 40, tags=(tag,)), Verdict.SUPPORTED)
    _save(store, 10, NOON, [_FIRST, helped])
    _save(store, 11, hour(1), [], [_FIRST.claim, helped.claim])
    _save(store, 12, hour(2), [_check(helped.claim, None)], [_FIRST.claim])
    suggestions = store.suggestions_of(WIKI, TITLE)
    _save(store, 13, hour(3), [_check(_claim("tagged", 40), None)], [_FIRST.claim])
    left = store.suggestions_of(WIKI, TITLE)

    assert {one.suggestion.kind for one in suggestions} == {"citation", "tag"}
    assert [one.suggestion.kind for one in left] == ["citation"]
