"""What is to be written to wikis, within a transaction of the caller's.

One row for each post; its state moves as the table shows. A try is noted, and its
place under the limits taken, before anything is sent; every step after it names the
fencing number of the try.

    ask       → WAITING, once for each name;  an older one that waits → DROPPED
    begin     WAITING, TRIED and due → TRIED
    sending   notes the wiki's time of a try that is about to be sent
    settle    TRIED → POSTED, SHOWN, REFUSED;  certainly not made → WAITING;  else TRIED
    withdraw  WAITING → DROPPED
    decide    parked → POSTED, DROPPED, WAITING

What nobody can tell is never dropped: a TRIED post with a refusal is parked, is tried
once a day, and waits for a person to `decide`.
"""

import json
from collections.abc import Iterable
from datetime import UTC, datetime, time, timedelta
from typing import Any

from sqlalchemy import ColumnElement, Connection, Row, insert, select, update

from bot.records.posts import (
    Append,
    Asked,
    Attempt,
    AttemptLost,
    Create,
    Decision,
    KeptPost,
    NotNow,
    Outcome,
    Parked,
    Post,
    Posted,
    PostRules,
    PostState,
    Refusal,
    Refused,
    ReplaceSection,
    Shown,
    Unclear,
)
from bot.store import after_posting, post_counting, sanitise
from bot.store.outbox_tables import posts
from bot.store.post_reading import is_known, is_parked, kept_of, post_of
from bot.store.schema import NAME_CHARS
from bot.store.standing_tables import IDENTITY_CHARS
from handlers.ports import PermanentError, TemporaryError

MOST_CHARS = 1_000_000  # of a text; a page may have 2 MiB
_NAME_CHARS = 64
_FEWEST_CHARS = 8  # that a person names a post by
_MADE = (PostState.POSTED.name, PostState.SHOWN.name)
_OPEN = (PostState.WAITING.name, PostState.TRIED.name)
_LOST = "nobody knows whether it was made; look at the page and at the bot's edits"
_PARKED_FOR = timedelta(days=1)


def ask(connection: Connection, post: Post) -> Asked:
    """Keep the wish to post; one that waits for the same page and task gives way.

    `asked_at` of a planned post is when its page was looked at. Where another was made since,
    the wish knows nothing of it, and would say the same once more.
    """
    known = select(posts.c.id).where(posts.c.name == post.name)
    if connection.execute(known).first() is not None:
        return Asked.KNOWN
    same = {"wiki": post.wiki, "title": post.title, "task": post.task}
    tried = PostState.TRIED.name
    chosen = select(posts.c.id, posts.c.state).filter_by(**same)
    rows = connection.execute(
        chosen.where(posts.c.state.in_(_OPEN)).with_for_update()
    ).all()
    if any(row.state == tried for row in rows) or _was_made_since(connection, post):
        return Asked.BUSY
    for row in rows:
        _set(connection, row.id, _closed(PostState.DROPPED, post.asked_at, "outdated"))
    connection.execute(insert(posts).values(**_fresh(post)))
    return Asked.KEPT


def _was_made_since(connection: Connection, post: Post) -> bool:
    if post.plan is None or not isinstance(post.change, Append):
        return (
            False  # nobody looked before; or it takes only where the old still stands
        )
    made = select(posts.c.id).filter_by(
        wiki=post.wiki, title=post.title, task=post.task
    )
    since = posts.c.state.in_(_MADE) & (posts.c.changed_at > post.asked_at)
    return connection.execute(made.where(since).limit(1)).first() is not None


def _fresh(post: Post) -> dict[str, Any]:
    change = post.change
    expected = None if isinstance(change, Append | Create) else change.expected
    number = post.change.number if isinstance(post.change, ReplaceSection) else None
    return {
        "name": sanitise.key(post.name, "name of a post", _NAME_CHARS),
        "wiki": sanitise.key(post.wiki, "wiki"),
        "title": sanitise.key(post.title, "title"),
        "task": sanitise.key(post.task, "task", NAME_CHARS),
        "user": sanitise.key(post.user, "user") if post.user else "",
        "kind": type(post.change).__name__,
        "section": number,
        "expected": None if expected is None else _whole(expected),
        "text": _whole(post.change.text),
        "text_sha256": post.text_sha256,
        "summary": _whole(post.summary),
        "asked_at": post.asked_at,
        "state": PostState.WAITING.name,
        "due_at": post.asked_at,
        "tries": 0,
        "token": 0,
        "changed_at": post.asked_at,
        "plan": post.plan and post.plan.name,
        "subject": sanitise.key(post.subject, "subject") if post.subject else "",
        "adds": _identities(post.adds),
        "settles": _identities(post.settles),
    }


def _identities(names: Iterable[str]) -> str:
    return json.dumps([sanitise.key(name, "note", IDENTITY_CHARS) for name in names])


def _whole(text: str) -> str:
    """Refuse what a database would change: a post is made as it was written.

    Raises:
        PermanentError: it is too long, or has signs that no page can have.
    """
    if len(text) > MOST_CHARS or sanitise.text(text, MOST_CHARS) != text:
        raise PermanentError(
            f"a text of {len(text):,} characters cannot be posted: it is longer than"
            f" {MOST_CHARS:,}, or has signs that no page can have"
        )
    return text


def begin(
    connection: Connection, now: datetime, rules: PostRules, *, wiki: str | None
) -> Attempt | None:
    """Take the post that is due first; `None` if none is.

    A post whose limit for the day is reached waits for the next day.
    """
    while True:
        row = _next(connection, now, is_known(rules.tasks), wiki)
        if row is None:
            return None
        age_s = (now - row.asked_at).total_seconds()
        is_over = row.tries >= rules.most_tries or age_s > rules.longest_s
        if is_over and row.state == PostState.WAITING.name:
            _give_up(connection, row, now)
        elif is_over and row.refusal is None:
            _park(connection, row, now)
        elif _has_place(connection, row, now, rules):
            return _begun(connection, row, now, rules)


def _next(
    connection: Connection, now: datetime, known: ColumnElement[bool], wiki: str | None
) -> Row[Any] | None:
    """Return what was tried before what was not: its place is taken already."""
    free = posts.c.leased_until.is_(None) | (posts.c.leased_until <= now)
    for state in reversed(_OPEN):
        which = (posts.c.state == state) & (posts.c.due_at <= now) & free & known
        found = _first(connection, which if wiki is None else which & _on(wiki))
        if found is not None:
            return found
    return None


def _on(wiki: str) -> ColumnElement[bool]:
    return posts.c.wiki == wiki


def _first(connection: Connection, which: ColumnElement[bool]) -> Row[Any] | None:
    return connection.execute(
        select(posts)
        .where(which)
        .order_by(posts.c.due_at, posts.c.id)
        .limit(1)
        .with_for_update(skip_locked=True)
    ).one_or_none()


def _has_place(
    connection: Connection, row: Row[Any], now: datetime, rules: PostRules
) -> bool:
    if row.counted_on is not None:
        return True
    today = now.astimezone(UTC).date()
    full = post_counting.take(connection, row, today, rules.of(row.task))
    if full is None:
        _set(connection, row.id, {"counted_on": today})
        return True
    tomorrow = datetime.combine(today + timedelta(days=1), time(), UTC)
    note = f"the limit for one {full.value} and day is reached"
    _set(connection, row.id, {"due_at": tomorrow, "note": note, "changed_at": now})
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
    if row.refusal is not None:  # should it kill its publisher, it rests all the same
        values |= {"due_at": now + _PARKED_FOR}
    _set(connection, row.id, values)
    return Attempt(
        post_of(row), row.token + 1, row.tries + 1, until, row.first_tried_at
    )


def sending(connection: Connection, tried: Attempt, at: datetime) -> None:
    """Note the wiki's time of a try right before it is sent.

    Our own clock may be wrong, and what happened since is looked for by this time.

    Raises:
        AttemptLost: somebody else has the post.
    """
    row = _ours(connection, tried)
    if row.leased_until is None:
        raise AttemptLost(f"the post {tried.post.name[:24]} is settled already")
    earlier = tried.first_tried_at
    first = at if earlier is None else min(earlier, at)
    _set(connection, row.id, {"first_tried_at": first})


def _park(connection: Connection, row: Row[Any], now: datetime) -> None:
    due = {"due_at": now + _PARKED_FOR, "refusal": Refusal.UNCLEAR.name}
    _set(connection, row.id, _closed(PostState.TRIED, now, _LOST) | due)


def _give_up(connection: Connection, row: Row[Any], now: datetime) -> None:
    values = _closed(PostState.REFUSED, now, row.note or "")
    values |= {"refusal": Refusal.GIVEN_UP.name}
    if row.counted_on is not None:
        post_counting.give_back(connection, row, row.counted_on)
        values |= {"counted_on": None}
    _set(connection, row.id, values)
    after_posting.refused(connection, post_of(row), Refusal.GIVEN_UP, now)


def settle(
    connection: Connection, tried: Attempt, outcome: Outcome, now: datetime, in_s: float
) -> None:
    """Note what became of a try; `in_s` is when the next is due, where one is.

    Doing it twice is doing it once.

    Raises:
        AttemptLost: somebody else has the post.
    """
    row = _ours(connection, tried)
    if row.leased_until is None:
        return  # this was settled by a first try whose answer was lost
    if isinstance(outcome, Unclear) and row.refusal is not None:
        outcome = Parked(outcome.why, Refusal[row.refusal])
        in_s = max(in_s, outcome.retry_in_s)
    values = _settled(outcome, now, in_s)
    if isinstance(outcome, NotNow) and tried.first_tried_at is not None:
        values |= {"state": PostState.TRIED.name}  # by an earlier try, perhaps made
    is_made = isinstance(outcome, Posted)
    may_be = values["state"] == PostState.TRIED.name
    gives_back = row.counted_on is not None and not is_made and not may_be
    if gives_back:
        values |= {"counted_on": None}
    if values["state"] == PostState.WAITING.name and tried.first_tried_at is None:
        values |= {"first_tried_at": None}
    # The post before the counts, as `begin` locks them: nobody waits in a circle.
    _set(connection, row.id, values)
    if gives_back:
        post_counting.give_back(connection, row, row.counted_on)
    after_posting.settled(connection, post_of(row), outcome, now)


def _ours(connection: Connection, tried: Attempt) -> Row[Any]:
    row = connection.execute(
        select(posts).where(posts.c.name == tried.post.name).with_for_update()
    ).one_or_none()
    if row is None or row.token != tried.token:
        raise AttemptLost(f"the post {tried.post.name[:24]} is no longer ours to try")
    return row


def _settled(outcome: Outcome, now: datetime, in_s: float) -> dict[str, Any]:
    match outcome:
        case Posted(revision_id):
            closed = _closed(PostState.POSTED, now, "")
            return closed | {"revision": revision_id}
        case Shown(place, why_not):
            note = f"{place}: {why_not}" if why_not else place
            return _closed(PostState.SHOWN, now, note)
        case Refused(reason, why):
            closed = _closed(PostState.REFUSED, now, why)
            return closed | {"refusal": reason.name}
    due: dict[str, Any] = {"due_at": now + timedelta(seconds=in_s)}
    if isinstance(outcome, NotNow):  # it may have to wait for long: no try is lost
        return _closed(PostState.WAITING, now, outcome.why) | due | {"tries": 0}
    if isinstance(outcome, Parked):
        due |= {"refusal": outcome.reason.name}
    return _closed(PostState.TRIED, now, outcome.why) | due


def _closed(state: PostState, now: datetime, note: str) -> dict[str, Any]:
    return {
        "state": state.name,
        "leased_until": None,
        "refusal": None,
        "note": sanitise.text(note),
        "changed_at": now,
    }


def withdraw(connection: Connection, name: str, now: datetime, why: str) -> bool:
    """Drop a post that waits; `False` if it does not, or may have been made."""
    waits = posts.c.state == PostState.WAITING.name
    done = connection.execute(
        update(posts)
        .where((posts.c.name == name) & waits)
        .values(**_closed(PostState.DROPPED, now, why))
    )
    return done.rowcount > 0


def decide(
    connection: Connection,
    name: str,
    decision: Decision,
    now: datetime,
    revision_id: int,
) -> KeptPost:
    """Settle a parked post as an operator says, and return it as it was.

    Args:
        connection: in a transaction.
        name: of the post, or what it begins with.
        decision: what became of it, or is to.
        now: the time.
        revision_id: in which it was made; 0 if that is not known.

    Raises:
        PermanentError: no parked post, or several, have that name.
        TemporaryError: it is being tried at this moment.
    """
    if len(name) < _FEWEST_CHARS:
        raise PermanentError(f"name it by at least {_FEWEST_CHARS} of its characters")
    like = is_parked() & posts.c.name.startswith(name, autoescape=True)
    rows = connection.execute(select(posts).where(like).with_for_update()).all()
    if len(rows) != 1:
        found = f"{len(rows)} parked posts have" if rows else "no parked post has"
        raise PermanentError(f"{found} a name that begins with “{name[:64]}”")
    [row] = rows
    if row.leased_until is not None and row.leased_until > now:
        raise TemporaryError("it is being tried at this moment", retry_in_s=60.0)
    post, was = post_of(row), kept_of(row)
    newer = {"token": row.token + 1}  # whoever still tries it settles nothing
    match decision:
        case Decision.POSTED:
            closed = _closed(PostState.POSTED, now, "an operator says that it was made")
            _set(connection, row.id, closed | newer | {"revision": revision_id})
            after_posting.settled(connection, post, Posted(revision_id), now)
        case Decision.DROP:
            closed = _closed(PostState.DROPPED, now, "dropped by an operator")
            _set(connection, row.id, closed | newer | {"counted_on": None})
            if row.counted_on is not None:
                post_counting.give_back(connection, row, row.counted_on)
            after_posting.dropped(connection, post, Refusal[row.refusal], now)
        case Decision.AGAIN:
            waiting = _closed(
                PostState.WAITING, now, "an operator wants it tried again"
            )
            begun = {"tries": 0, "first_tried_at": None, "due_at": now, "asked_at": now}
            _set(connection, row.id, waiting | newer | begun)
    return was


def _set(connection: Connection, row_id: int, values: dict[str, Any]) -> None:
    connection.execute(update(posts).where(posts.c.id == row_id).values(**values))
