"""The drafts that people asked for.

Their states change as in `bot.records.dossiers`. A transaction that also writes posts
does so first, and one that asks for plans does so last, so that none waits for another
in a circle.
"""

from collections.abc import Collection, Iterable, Sequence
from datetime import UTC, datetime, time, timedelta
from hashlib import sha256
from typing import Any

from sqlalchemy import Connection, Row, select

from bot.records.dossiers import (
    IN_HAND,
    DraftOrder,
    DraftState,
    NamedTopic,
    StoredDraft,
)
from bot.records.posts import Outcome, Post, Posted, Refusal, Refused, Shown
from bot.records.tasks import Lease, LeaseLost, TaskKind
from bot.records.watches import IntendedPost, PlanKind
from bot.store import sanitise
from bot.store.database import (
    Repository,
    change,
    find,
    insert_all,
    read_with,
    reads,
    writes,
)
from bot.store.mapping import as_value
from bot.store.posts import ask_for_plans, give_place_of_user_back, take_place_of_user
from bot.store.schema import drafts, tasks
from bot.store.spending import day_of, keep_use
from bot.store.tasks import Policy, finish, locked, nothing_to_do, queue
from handlers.model import ModelUse

MOST_CHARS = 900_000  # of a page; the outbox accepts a little more
_NOTE_CHARS = 1_000
_TASK = "drafting"  # for counting a person's drafts of the day
_UNSETTLED = {state.name for state in (*IN_HAND, DraftState.DROPPED)}
_UNPOSTED = {DraftState.DRAFTED.name, DraftState.SHOWN.name}
_GIVEN_UP = "it was tried {tries} times and could not be drafted"
_DELETED = "its page was deleted at once"
# The next plan decides about these.
_TO_BE_PLANNED = frozenset({Refusal.CHANGED, Refusal.UNWANTED, Refusal.GIVEN_UP})


def draft_of_page(connection: Connection, wiki: str, page: str) -> StoredDraft | None:
    """Return the draft for a page, with its text."""
    row = find(connection, drafts, wiki=wiki, page=page)
    return None if row is None else _stored_draft(row)


class Drafts(Repository):
    """The drafts, and who they are for."""

    of_page = read_with(draft_of_page)

    @writes
    def ask(self, connection: Connection, order: DraftOrder, now: datetime) -> None:
        """Ask for the drafts that an opt-in names; those it no longer names are dropped.

        Asking again changes nothing, except that a finished draft that is not yet
        posted is planned again.
        """
        wiki, place = order.wiki, order.place
        by_page = {one.page: one for one in order.named}
        for row in _locked(connection, wiki, drafts.c.place == place):
            if row.page not in by_page and row.state != DraftState.DROPPED.name:
                change(
                    connection,
                    drafts,
                    _now_in(DraftState.DROPPED, now) | {"text": ""},
                    id=row.id,
                )
        known = _locked(connection, wiki, drafts.c.page.in_(by_page)) if by_page else []
        for row in known:
            values: dict[str, Any] = {"place": sanitise.key(place, "place")}
            if row.state in _UNSETTLED:
                values |= {"asked_in": order.revision}
            if row.state == DraftState.DROPPED.name:
                values |= _fresh(now)
            change(connection, drafts, values, id=row.id)
        new = sorted(by_page.keys() - {row.page for row in known})
        rows = [_row(order, by_page[page], now) for page in new]
        insert_all(connection, drafts, rows)
        back = [row.page for row in known if row.state == DraftState.DROPPED.name]
        _let_draft(connection, wiki, [*new, *back], now)
        intended_posts = [_plan(row, now) for row in known if row.state in _UNPOSTED]
        ask_for_plans(connection, intended_posts, now)

    @writes
    def again(
        self,
        connection: Connection,
        order: DraftOrder,
        gone: Collection[str],
        now: datetime,
    ) -> None:
        """Have drafts made again that a newer revision names and whose page is gone.

        If the page still exists, nothing is made: that revision has already had its
        effect.
        """
        named = drafts.c.page.in_([one.page for one in order.named])
        which = named & (drafts.c.asked_in < order.revision)
        for row in _locked(connection, order.wiki, which):
            if row.state not in _UNSETTLED:
                values = _fresh(now) if row.page in gone else {}
                change(
                    connection, drafts, values | {"asked_in": order.revision}, id=row.id
                )
                if row.page in gone:
                    _let_draft(connection, row.wiki, [row.page], now)

    @writes
    def save(
        self,
        connection: Connection,
        lease: Lease[StoredDraft],
        text: str,
        now: datetime,
        *,
        model: str = "",
        use: ModelUse | None = None,
    ) -> None:
        """Save the page that was drafted, and have its post planned.

        Raises:
            LeaseLost: someone else has the draft, or nobody asks for it any more.
        """
        row = _ended(connection, lease, now)
        if row is not None:
            whole = sanitise.text(text, MOST_CHARS)
            values = _now_in(DraftState.DRAFTED, now) | {
                "text": whole,
                "text_sha256": sha256(whole.encode()).hexdigest(),
                "drafted_at": now,
            }
            change(connection, drafts, values, id=row.id)
            ask_for_plans(connection, [_plan(row, now)], now)
        keep_use(connection, model, use or ModelUse(), now)

    @writes
    def nothing(
        self,
        connection: Connection,
        lease: Lease[StoredDraft],
        note: str,
        now: datetime,
    ) -> None:
        """Save why nothing could be drafted; the person is shown `note`.

        Raises:
            LeaseLost: as above.
        """
        row = _ended(connection, lease, now)
        if row is not None:
            _end(connection, row, DraftState.NOTHING, note, now)

    @writes
    def refuse(
        self, connection: Connection, wiki: str, page: str, note: str, now: datetime
    ) -> None:
        """Save why the page of a draft cannot be made; the person is shown `note`."""
        row = _page(connection, wiki, page)
        if row is not None and row.state != DraftState.DROPPED.name:
            _end(connection, row, DraftState.REFUSED, note, now)

    @writes
    def reopen(
        self, connection: Connection, wiki: str, page: str, now: datetime
    ) -> None:
        """Have a draft made again that is not on the wiki yet."""
        row = _page(connection, wiki, page)
        if row is not None and row.state in _UNPOSTED:
            change(connection, drafts, _fresh(now), id=row.id)
            _let_draft(connection, wiki, [page], now)

    @reads
    def of_place(
        self, connection: Connection, wiki: str, place: str
    ) -> tuple[StoredDraft, ...]:
        """Return the drafts that an opt-in asks for, without their texts."""
        chosen = (
            select(*(one for one in drafts.c if one.name != "text"))
            .filter_by(wiki=wiki, place=place)
            .where(drafts.c.state != DraftState.DROPPED.name)
            .order_by(drafts.c.page)
        )
        rows = connection.execute(chosen)
        return tuple(_stored_draft(row, text="") for row in rows)


def draft_policy(
    lease_s: float = 300.0, attempts: int = 3, per_user: int = 5
) -> Policy:
    """Return the policy for drafts; at most `per_user` a day are begun for one person."""

    def draft(
        connection: Connection, row: Row[Any], now: datetime
    ) -> StoredDraft | None:
        stored = draft_of_page(connection, row.wiki, row.subject)
        if stored is None or stored.state is not DraftState.WAITING:
            nothing_to_do(connection, row, now)
            return None
        today, user = day_of(now), (stored.wiki, stored.watcher)
        if row.attempts or take_place_of_user(connection, _TASK, user, today, per_user):
            return stored
        tomorrow = datetime.combine(today + timedelta(days=1), time(), UTC)
        values = {"due_at": tomorrow, "leased_until": None, "changed_at": now}
        change(connection, tasks, values, id=row.id)
        return None

    return Policy(lease_s, attempts, draft, on_failure=_after_failure)


def _after_failure(
    connection: Connection,
    row: Row[Any],
    now: datetime,
    why: str | None,
    in_s: float | None,
) -> None:
    """Inform the person if a draft was given up; one that was not begun does not count."""
    draft = _page(connection, row.wiki, row.subject)
    if draft is None or draft.state != DraftState.WAITING.name:
        return
    if in_s is None:
        note = _GIVEN_UP.format(tries=row.attempts)
        _end(connection, draft, DraftState.NOTHING, note, now)
    elif why is None and row.attempts == 1:
        user = (draft.wiki, draft.watcher)
        give_place_of_user_back(connection, _TASK, user, day_of(now))


def _ended(
    connection: Connection, lease: Lease[StoredDraft], now: datetime
) -> Row[Any] | None:
    """End the task of a draft and return its row; `None` if this lease already did.

    Raises:
        LeaseLost: someone else has the draft, or nobody asks for it any more.
    """
    row = _page(connection, lease.wiki, lease.subject)
    if locked(connection, lease) is None:
        return None
    if row is None or row.state != DraftState.WAITING.name:
        raise LeaseLost(f"{lease.subject!r} is no longer asked for")
    finish(connection, lease, now)
    return row


def _let_draft(
    connection: Connection, wiki: str, pages: Iterable[str], now: datetime
) -> None:
    """Queue drafts to be made, also those being made just now."""
    due = dict.fromkeys((sanitise.key(page, "title") for page in pages), now)
    queue(connection, TaskKind.DRAFT, wiki, due, now, anew=True)


def settle_draft(
    connection: Connection, post: Post, outcome: Outcome, now: datetime
) -> None:
    """Record what happened to the post with a draft's page."""
    row = _page(connection, post.wiki, post.title)
    if row is None:
        return
    match outcome:
        case Posted(revision_id):
            _end(connection, row, DraftState.POSTED, "", now, revision=revision_id)
        case Shown():
            state = DraftState.SHOWN
            _end(connection, row, state, "", now, text=row.text)
        case Refused(reason) if reason not in _TO_BE_PLANNED:
            is_gone = reason in {Refusal.GONE, Refusal.DELETED}
            note = _DELETED if is_gone else reason.value
            _end(connection, row, DraftState.REFUSED, note, now)


def _row(order: DraftOrder, named: NamedTopic, now: datetime) -> dict[str, Any]:
    return _fresh(now) | {
        "wiki": sanitise.key(order.wiki, "wiki"),
        "page": sanitise.key(named.page, "title"),
        "place": sanitise.key(order.place, "place"),
        "watcher": sanitise.key(order.watcher, "watcher"),
        "topic": sanitise.key(named.topic, "topic"),
        "asked_in": order.revision,
    }


def _fresh(now: datetime) -> dict[str, Any]:
    return _now_in(DraftState.WAITING, now) | {
        "text": "",
        "text_sha256": "",
        "drafted_at": None,
        "revision": None,
    }


def _now_in(state: DraftState, now: datetime, note: str = "") -> dict[str, Any]:
    return {
        "state": state.name,
        "changed_at": now,
        "note": sanitise.text(note, _NOTE_CHARS),
    }


def _end(
    connection: Connection,
    row: Row[Any],
    state: DraftState,
    note: str,
    now: datetime,
    *,
    text: str = "",
    revision: int | None = None,
) -> None:
    """Change a draft's state, which its person is shown."""
    values = _now_in(state, now, note) | {"text": text, "revision": revision}
    change(connection, drafts, values, id=row.id)
    intended_post = IntendedPost(PlanKind.OPT_INS, row.wiki, row.place, now)
    ask_for_plans(connection, [intended_post], now)


def _plan(row: Row[Any], now: datetime) -> IntendedPost:
    return IntendedPost(PlanKind.DRAFT, row.wiki, row.page, now)


def _page(connection: Connection, wiki: str, page: str) -> Row[Any] | None:
    return next(iter(_locked(connection, wiki, drafts.c.page == page)), None)


def _locked(connection: Connection, wiki: str, which: Any) -> Sequence[Row[Any]]:
    chosen = select(drafts).where((drafts.c.wiki == wiki) & which)
    return connection.execute(chosen.order_by(drafts.c.page).with_for_update()).all()


def _stored_draft(row: Row[Any], **left_out: str) -> StoredDraft:
    return as_value(StoredDraft, row, revision_id=row.revision, **left_out)
