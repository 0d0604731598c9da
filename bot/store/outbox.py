"""What is to be written to wikis.

Times come from the caller's clock, as in the queue.

Each post has a row, whose state changes as in the table. Before anything is sent, the
attempt is recorded and counted against the limits; every later step names the fencing
number of the attempt.

    ask       → WAITING, once for each name;  an older one that waits → DROPPED
    begin     WAITING, TRIED and due → TRIED
    sending   records the wiki's time, and the page's revision, of an attempt that is
              about to be sent
    settle    TRIED → POSTED, SHOWN, REFUSED;  certainly not made → WAITING;  else TRIED
    withdraw  WAITING → DROPPED
    decide    parked → POSTED, DROPPED, WAITING

A post with an unknown outcome is never dropped: if it is TRIED and has a refusal, it is
parked, tried once a day, and waits for a person to `decide`.
"""

import json
from datetime import UTC, datetime, time, timedelta
from typing import Any

from sqlalchemy import ColumnElement, Connection, Row, func, select

from bot.records.posts import (
    Attempt,
    AttemptLost,
    Decision,
    NotesPosted,
    NotNow,
    Outcome,
    Parked,
    Post,
    Posted,
    PostRules,
    PostState,
    Refusal,
    Refused,
    Shown,
    StoredPost,
    Unclear,
)
from bot.records.watches import IntendedPost, PlanKind
from bot.store import mapping
from bot.store.database import (
    Repository,
    Transactions,
    change,
    find,
    read_with,
    reads,
    write_with,
    writes,
)
from bot.store.drafts import settle_draft
from bot.store.posts import (
    MADE,
    OPEN,
    Scope,
    ask_for_plans,
    ask_for_post,
    closed_values,
    count_parked,
    count_posts,
    give_place_back,
    has_notes,
    is_known_post,
    is_parked,
    post_of,
    stored_post,
    take_place,
)
from bot.store.schema import post_counts, posts
from bot.store.shown_notes import dismiss_notes, dismiss_unseen, record_notes
from bot.store.spending import day_of
from handlers.ports import PermanentError, TemporaryError

_FEWEST_CHARS = 8  # of a post's name, for a person to select it
_LOST = "it is not known whether it was made; check the page and the bot's edits"
_PARKED_FOR = timedelta(days=1)

_AGAIN_IN_S = 60.0


class Outbox(Repository):
    """The posts that are waiting, tried or settled."""

    ask = write_with(ask_for_post)
    counts = read_with(count_posts)
    parked_count = read_with(count_parked)

    def __init__(self, transactions: Transactions, rules: PostRules) -> None:
        super().__init__(transactions)
        self.rules = rules

    @writes
    def begin(
        self, connection: Connection, now: datetime, *, wiki: str | None = None
    ) -> Attempt | None:
        """Take the post that is due first, of one wiki or of all; `None` if there is none.

        From now on it may have been made, and counts against the limits of the day. A
        post whose limit for the day is reached waits for the next day.
        """
        rules, known = self.rules, is_known_post(self.rules.tasks)
        while (row := _next(connection, now, known, wiki)) is not None:
            age_s = (now - row.asked_at).total_seconds()
            is_aged = age_s > rules.longest_s
            is_over = row.tries >= rules.most_tries or is_aged
            if is_aged and row.state == PostState.WAITING.name:  # certainly not made
                _give_up(connection, row, now)
            elif is_over and row.refusal is None:
                _park(connection, row, now)
            elif _has_place(connection, row, now, rules):
                return _begun(connection, row, now, rules)
        return None

    @writes
    def sending(
        self, connection: Connection, tried: Attempt, at: datetime, base: int
    ) -> None:
        """Record when, by the wiki's clock, and on which revision an edit is sent.

        Our own clock may be wrong, and later the page's history is searched from this
        time. `base` is 0 if there is no page.

        Raises:
            AttemptLost: someone else has the post; nothing may be sent.
        """
        row = _ours(connection, tried)
        if row.leased_until is None:
            raise AttemptLost(f"the post {tried.post.name[:24]} is settled already")
        earlier = tried.first_tried_at
        first = at if earlier is None else min(earlier, at)
        known = base if row.first_base is None else row.first_base
        begun = {"first_tried_at": first, "first_base": known}
        change(connection, posts, begun, id=row.id)

    @writes
    def settle(
        self,
        connection: Connection,
        tried: Attempt,
        outcome: Outcome,
        now: datetime,
        *,
        in_s: float = 0.0,
    ) -> None:
        """Record the outcome of an attempt; the next, if one is due, comes after `in_s`.

        Repeating it does no harm.

        Raises:
            AttemptLost: someone else has the post.
        """
        row = _ours(connection, tried)
        if row.leased_until is None:
            return  # settled by a first try whose answer was lost
        if isinstance(outcome, Unclear) and row.refusal is not None:
            outcome = Parked(outcome.why, Refusal[row.refusal])
            in_s = max(in_s, outcome.retry_in_s)
        values = _settled(outcome, now, in_s)
        if isinstance(outcome, NotNow) and tried.first_tried_at is not None:
            values |= {"state": PostState.TRIED.name}  # perhaps made earlier
        is_made = isinstance(outcome, Posted)
        may_be = values["state"] == PostState.TRIED.name
        gives_back = row.counted_on is not None and not is_made and not may_be
        if gives_back:
            values |= {"counted_on": None}
        if values["state"] == PostState.WAITING.name and tried.first_tried_at is None:
            values |= {"first_tried_at": None, "first_base": None}
        # Posts before counts, as in `begin`, so that none waits for another in a
        # circle.
        change(connection, posts, values, id=row.id)
        if gives_back:
            give_place_back(connection, row, row.counted_on)
        _after_settling(connection, post_of(row), outcome, now)

    @writes
    def withdraw(
        self, connection: Connection, name: str, now: datetime, *, why: str
    ) -> bool:
        """Drop a post that waits; `False` if it does not wait, or may have been made."""
        dropped = closed_values(PostState.DROPPED, now, why)
        waiting = PostState.WAITING.name
        return change(connection, posts, dropped, name=name, state=waiting) > 0

    @writes
    def decide(
        self,
        connection: Connection,
        name: str,
        decision: Decision,
        now: datetime,
        *,
        revision_id: int = 0,
    ) -> StoredPost:
        """Settle a parked post as an operator decides, and return it as it was.

        `name` may be the beginning of its name; `revision_id` is the edit that made it,
        0 if that is not known.

        Raises:
            PermanentError: no parked post has a name that begins so, or several have.
            TemporaryError: it is being tried at this moment.
        """
        if len(name) < _FEWEST_CHARS:
            raise PermanentError(
                f"give at least {_FEWEST_CHARS} characters of its name"
            )
        like = is_parked() & posts.c.name.startswith(name, autoescape=True)
        rows = connection.execute(select(posts).where(like).with_for_update()).all()
        if len(rows) != 1:
            found = f"{len(rows)} parked posts have" if rows else "no parked post has"
            raise PermanentError(f"{found} a name that begins with “{name[:64]}”")
        [row] = rows
        if row.leased_until is not None and row.leased_until > now:
            raise TemporaryError("it is being tried at this moment", retry_in_s=60.0)
        post, was = post_of(row), stored_post(row)
        newer = {"token": row.token + 1}  # an attempt in progress settles nothing
        match decision:
            case Decision.POSTED:
                closed = closed_values(
                    PostState.POSTED, now, "an operator says that it was made"
                )
                change(
                    connection,
                    posts,
                    closed | newer | {"revision": revision_id},
                    id=row.id,
                )
                _after_settling(connection, post, Posted(revision_id), now)
            case Decision.DROP:
                closed = closed_values(PostState.DROPPED, now, "dropped by an operator")
                change(
                    connection, posts, closed | newer | {"counted_on": None}, id=row.id
                )
                if row.counted_on is not None:
                    give_place_back(connection, row, row.counted_on)
                _after_dropping(connection, post, Refusal[row.refusal], now)
            case Decision.AGAIN:
                waiting = closed_values(
                    PostState.WAITING, now, "an operator asked for another try"
                )
                begun = {
                    "tries": 0,
                    "first_tried_at": None,
                    "first_base": None,
                    "due_at": now,
                    "asked_at": now,
                }
                change(connection, posts, waiting | newer | begun, id=row.id)
        return was

    @reads
    def parked(
        self, connection: Connection, *, limit: int = 100
    ) -> tuple[StoredPost, ...]:
        """Return the posts that wait for a person, the oldest first."""
        chosen = select(posts).where(is_parked() & is_known_post())
        known = chosen.where(mapping.known(posts.c.refusal, Refusal))
        rows = connection.execute(known.order_by(posts.c.asked_at).limit(limit))
        return tuple(stored_post(row) for row in rows)

    @reads
    def taken(self, connection: Connection, wiki: str, task: str, now: datetime) -> int:
        """Count the posts of a task on a wiki today (UTC), including waiting ones."""
        key = {"day": day_of(now), "task": task, "scope": Scope.WIKI.name, "wiki": wiki}
        used = connection.scalar(
            select(post_counts.c.used).filter_by(**key, subject="")
        )
        waits = (posts.c.state == PostState.WAITING.name) & posts.c.counted_on.is_(None)
        waiting = connection.scalar(
            select(func.count())
            .select_from(posts)
            .where(waits & (posts.c.wiki == wiki) & (posts.c.task == task))
        )
        return (used or 0) + (waiting or 0)

    @reads
    def posts(
        self,
        connection: Connection,
        *,
        limit: int = 100,
        wiki: str | None = None,
        title: str | None = None,
        task: str | None = None,
        state: PostState | None = None,
    ) -> tuple[StoredPost, ...]:
        """Return posts, the latest changed first."""
        name = state and state.name
        filters = {"wiki": wiki, "title": title, "task": task, "state": name}
        named = {name: value for name, value in filters.items() if value is not None}
        rows = connection.execute(
            select(posts)
            .filter_by(**named)
            .where(is_known_post() & mapping.known(posts.c.refusal, Refusal))
            .order_by(posts.c.changed_at.desc(), posts.c.id.desc())
            .limit(limit)
        )
        return tuple(stored_post(row) for row in rows)

    @reads
    def notes_posted(
        self, connection: Connection, wiki: str, title: str, task: str
    ) -> NotesPosted:
        """Return what all posts of a task to a page did with notes, however many."""
        rows = connection.execute(
            select(posts.c.state, posts.c.adds, posts.c.settles)
            .filter_by(wiki=wiki, title=title, task=task)
            .where(posts.c.state.in_(MADE) & has_notes())
        )
        added: dict[str, set[str]] = {state: set() for state in MADE}
        settled: dict[str, set[str]] = {state: set() for state in MADE}
        for state, adds, settles in rows:
            added[state].update(json.loads(adds or "[]"))
            settled[state].update(json.loads(settles or "[]"))
        posted, shown = PostState.POSTED.name, PostState.SHOWN.name
        return NotesPosted(
            settled=frozenset(settled[posted]),
            seen_dry=frozenset(added[shown] - added[posted]),
        )


def _next(
    connection: Connection, now: datetime, known: ColumnElement[bool], wiki: str | None
) -> Row[Any] | None:
    """Return the next post; those already tried come first, as they are already counted."""
    free = posts.c.leased_until.is_(None) | (posts.c.leased_until <= now)
    for state in reversed(OPEN):
        which = (posts.c.state == state) & (posts.c.due_at <= now) & free & known
        if wiki is not None:
            which &= posts.c.wiki == wiki
        first = select(posts).where(which).order_by(posts.c.due_at, posts.c.id)
        found = first.limit(1).with_for_update(skip_locked=True)
        if row := connection.execute(found).one_or_none():
            return row
    return None


def _has_place(
    connection: Connection, row: Row[Any], now: datetime, rules: PostRules
) -> bool:
    if row.counted_on is not None:
        return True
    today = day_of(now)
    full = take_place(connection, row, today, rules.of(row.task))
    if full is None:
        change(connection, posts, {"counted_on": today}, id=row.id)
        return True
    tomorrow = datetime.combine(today + timedelta(days=1), time(), UTC)
    note = f"the limit for one {full.value} and day is reached"
    change(
        connection,
        posts,
        {"due_at": tomorrow, "note": note, "changed_at": now},
        id=row.id,
    )
    return False


def _begun(
    connection: Connection, row: Row[Any], now: datetime, rules: PostRules
) -> Attempt:
    until = now + timedelta(seconds=rules.lease_s)
    values = {
        "state": PostState.TRIED.name,
        "tries": row.tries + 1,
        "token": row.token + 1,
        "leased_until": until,
        "first_tried_at": row.first_tried_at or now,
        "changed_at": now,
    }
    if row.refusal is not None:  # it rests even if it kills its publisher
        values |= {"due_at": now + _PARKED_FOR}
    change(connection, posts, values, id=row.id)
    return Attempt(
        post_of(row),
        row.token + 1,
        row.tries + 1,
        until,
        row.first_tried_at,
        row.first_base,
    )


def _park(connection: Connection, row: Row[Any], now: datetime) -> None:
    due = {"due_at": now + _PARKED_FOR, "refusal": Refusal.UNCLEAR.name}
    change(
        connection, posts, closed_values(PostState.TRIED, now, _LOST) | due, id=row.id
    )


def _give_up(connection: Connection, row: Row[Any], now: datetime) -> None:
    values = closed_values(PostState.REFUSED, now, row.note or "")
    values |= {"refusal": Refusal.GIVEN_UP.name}
    if row.counted_on is not None:
        give_place_back(connection, row, row.counted_on)
        values |= {"counted_on": None}
    change(connection, posts, values, id=row.id)
    _after_refusal(connection, post_of(row), Refusal.GIVEN_UP, now)


def _ours(connection: Connection, tried: Attempt) -> Row[Any]:
    row = find(connection, posts, name=tried.post.name, lock=True)
    if row is None or row.token != tried.token:
        raise AttemptLost(f"the post {tried.post.name[:24]} is no longer ours to try")
    return row


def _settled(outcome: Outcome, now: datetime, in_s: float) -> dict[str, Any]:
    match outcome:
        case Posted(revision_id):
            closed = closed_values(PostState.POSTED, now, "")
            return closed | {"revision": revision_id}
        case Shown(place, why_not):
            note = f"{place}: {why_not}" if why_not else place
            return closed_values(PostState.SHOWN, now, note)
        case Refused(reason, why):
            closed = closed_values(PostState.REFUSED, now, why)
            return closed | {"refusal": reason.name}
    due: dict[str, Any] = {"due_at": now + timedelta(seconds=in_s)}
    if isinstance(outcome, NotNow):  # it may wait for long; this counts as no attempt
        return closed_values(PostState.WAITING, now, outcome.why) | due | {"tries": 0}
    if isinstance(outcome, Parked):
        due |= {"refusal": outcome.reason.name}
    return closed_values(PostState.TRIED, now, outcome.why) | due


def _after_settling(
    connection: Connection, post: Post, outcome: Outcome, now: datetime
) -> None:
    """Record which notes people see now, or have the post planned again."""
    match outcome:
        case Posted() | Shown():
            record_notes(connection, post, now)
            if post.plan is PlanKind.DRAFT:
                settle_draft(connection, post, outcome, now)
            if isinstance(outcome, Posted) and outcome.taken:
                place = post.wiki, post.title
                dismiss_notes(connection, *place, outcome.taken, now)
        case Refused(reason):
            _after_refusal(connection, post, reason, now)


def _after_refusal(
    connection: Connection, post: Post, reason: Refusal, now: datetime
) -> None:
    """Have a post that will not be made planned again: what is in its way may pass.

    The plan decides how long that waits, longer each time. Notes that were on a page
    which people deleted may have been seen; they count as dismissed, or the next plan
    would bring them back.
    """
    if reason is Refusal.DELETED:
        dismiss_unseen(connection, post, now)
    if post.plan is PlanKind.DRAFT:
        settle_draft(connection, post, Refused(reason, reason.value), now)
    if post.plan is not None and reason is not Refusal.DELETED:
        due = now + timedelta(seconds=_AGAIN_IN_S)
        ask_for_plans(
            connection, [IntendedPost(post.plan, post.wiki, post.subject, due)], now
        )


def _after_dropping(
    connection: Connection, post: Post, reason: Refusal, now: datetime
) -> None:
    """Dismiss the notes of a post that an operator dropped."""
    dismiss_unseen(connection, post, now)
    if post.plan is PlanKind.DRAFT:
        settle_draft(connection, post, Refused(reason, reason.value), now)
