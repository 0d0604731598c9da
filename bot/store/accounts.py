"""Sign-ins, sessions, and the answers kept for readers' requests.

Of the secrets that a reader's script keeps to itself, its secret and its token, only
hashes are stored. What may happen only once, such as using a code or opening a session,
is guarded by deleting its row.
"""

from collections.abc import Collection
from datetime import datetime
from typing import Any

from sqlalchemy import ColumnElement, Connection, Row, delete, insert, select, update

from bot.records.accounts import (
    Device,
    PageBefore,
    ReaderSession,
    SignIn,
    StoredAnswer,
)
from bot.store import sanitise
from bot.store.database import Repository, change, find, read_with, reads, writes
from bot.store.mapping import as_columns, as_value
from bot.store.schema import TEXT_CHARS, reader_sessions, sign_ins, stored_answers
from handlers.ports import PermanentError

_PROBLEM_CHARS = 1000
_AT_ONCE = 100
_MOST_SHOWN = 20


class Readers(Repository):
    """Sign-ins and sessions."""

    @writes
    def begin(self, connection: Connection, sign_in: SignIn) -> None:
        """Save a new sign-in; remove some that have expired."""
        # One by one: a condition on time would lock rows that others are just adding.
        is_old = sign_ins.c.expires_at <= sign_in.begun_at
        old = select(sign_ins.c.state).where(is_old).limit(_AT_ONCE)
        for (state,) in connection.execute(old).all():
            _forget(connection, state)
        before, device = sign_in.page_before, sign_in.device
        connection.execute(
            insert(sign_ins).values(
                as_columns(
                    sign_ins,
                    sign_in,
                    revision_before=before and before.revision_id,
                    log_before=before and before.log_id,
                    browser=device.browser and device.browser.name,
                    system=device.system and device.system.name,
                )
            )
        )

    @reads
    def sign_in(
        self, connection: Connection, state: str, now: datetime
    ) -> SignIn | None:
        """Return a sign-in; `None` if there is none or it has expired."""
        row = _pending(connection, state, now)
        return row and _sign_in(row)

    @reads
    def sign_ins_as(
        self, connection: Connection, wiki: str, user: str, now: datetime
    ) -> tuple[SignIn, ...]:
        """Return the sign-ins in progress under a name, the newest first.

        Whoever started one only claims that the name is theirs.
        """
        chosen = (
            select(sign_ins)
            .filter_by(wiki=wiki, user=user, problem=None, confirmed_at=None)
            .where(sign_ins.c.expires_at > now)
            .order_by(sign_ins.c.begun_at.desc())
            .limit(_MOST_SHOWN)
        )
        return tuple(map(_sign_in, connection.execute(chosen)))

    @writes
    def use_verifier(
        self, connection: Connection, state: str, now: datetime
    ) -> SignIn | None:
        """Return a sign-in with its verifier, which is given out only once.

        `None` if there is no such sign-in, or its verifier was used. If the answer to
        the commit is lost, so is the verifier, and the reader has to start again.
        """
        row = _pending(connection, state, now, lock=True)
        if row is None or row.verifier is None:
            return None
        change(connection, sign_ins, {"verifier": None}, state=state)
        return _sign_in(row)

    @writes
    def settle(
        self, connection: Connection, state: str, subject: str, user: str, now: datetime
    ) -> bool:
        """Record who it is according to the wiki; `False` if the sign-in is gone or settled."""
        known = {
            "subject": sanitise.key(subject, "number of a reader"),
            "user": sanitise.key(user, "name of a reader"),
        }
        return _change(connection, state, now, sign_ins.c.subject.is_(None), known)

    @writes
    def confirm(self, connection: Connection, state: str, now: datetime) -> bool:
        """Record that the person started it; `False` if the wiki has not said who it is."""
        is_settled = sign_ins.c.subject.is_not(None)
        return _change(connection, state, now, is_settled, {"confirmed_at": now})

    @writes
    def fail(
        self, connection: Connection, state: str, problem: str, now: datetime
    ) -> bool:
        """Record why it failed, to be shown to whoever started it."""
        values = {"problem": sanitise.text(problem, _PROBLEM_CHARS)}
        return _change(
            connection, state, now, sign_ins.c.confirmed_at.is_(None), values
        )

    @writes
    def open(
        self,
        connection: Connection,
        state: str,
        token_sha256: str,
        session: ReaderSession,
    ) -> bool:
        """Open a session and delete its sign-in.

        `False` if the sign-in is already gone: if two open it at once, only one
        succeeds.
        """
        if find(connection, reader_sessions, token_sha256=token_sha256) is not None:
            return True  # a first try whose answer was lost
        if not _forget(connection, state):
            return False
        connection.execute(
            insert(reader_sessions).values(
                as_columns(reader_sessions, session, token_sha256=token_sha256)
            )
        )
        return True

    @reads
    def reader(
        self, connection: Connection, token_sha256: str, now: datetime
    ) -> ReaderSession | None:
        """Return the session of a token; `None` if there is none or it has expired."""
        row = find(connection, reader_sessions, token_sha256=token_sha256)
        if row is None or row.expires_at <= now:
            return None
        return as_value(ReaderSession, row)

    @reads
    def subjects(self, connection: Connection, wiki: str, user: str) -> frozenset[str]:
        """Return what a wiki knows a user by who has signed in, and not out since."""
        chosen = select(reader_sessions.c.subject).filter_by(wiki=wiki, user=user)
        return frozenset(connection.scalars(chosen))

    @writes
    def close_all(
        self, connection: Connection, wiki: str, subjects: Collection[str]
    ) -> int:
        """End all sessions of a reader, by what the wiki knows them by."""
        columns = reader_sessions.c
        theirs = (columns.wiki == wiki) & columns.subject.in_(sorted(subjects))
        return connection.execute(delete(reader_sessions).where(theirs)).rowcount

    @writes
    def close(self, connection: Connection, token_sha256: str) -> bool:
        """End a session; `False` if there was none."""
        ended = delete(reader_sessions).filter_by(token_sha256=token_sha256)
        return connection.execute(ended).rowcount > 0


def stored_answer(connection: Connection, request_sha256: str) -> StoredAnswer | None:
    """Return the answer to a request; `None` if there is none."""
    row = find(connection, stored_answers, request=request_sha256)
    return None if row is None else as_value(StoredAnswer, row)


class Answers(Repository):
    """The answers to requests that may be repeated, kept for a day.

    A script that gets no answer repeats its request with the same key. The work is
    already done by then, so only the answer is sent again.
    """

    get = read_with(stored_answer)

    @writes
    def keep(self, connection: Connection, answer: StoredAnswer) -> StoredAnswer:
        """Keep an answer, and return the one that counts: the first that was kept.

        If that is another than the given one, the same request came twice at once;
        compare `body_sha256` to see whether both said the same.

        Raises:
            PermanentError: it is too long to be kept.
        """
        if len(answer.answer) > TEXT_CHARS:
            raise PermanentError(
                f"an answer of {len(answer.answer):,} characters is too long to be kept"
            )
        if (known := stored_answer(connection, answer.request)) is not None:
            return known
        connection.execute(
            insert(stored_answers).values(as_columns(stored_answers, answer))
        )
        return answer


def _forget(connection: Connection, state: str) -> bool:
    gone = connection.execute(delete(sign_ins).where(sign_ins.c.state == state))
    return gone.rowcount > 0


def _change(
    connection: Connection,
    state: str,
    now: datetime,
    which: ColumnElement[bool],
    values: dict[str, Any],
) -> bool:
    """Change a sign-in if `which` holds; repeating a change does no harm."""
    row = _pending(connection, state, now, lock=True)
    if row is None:
        return False
    if all(getattr(row, name) == value for name, value in values.items()):
        return True
    mine = (sign_ins.c.state == state) & which
    return (
        connection.execute(update(sign_ins).where(mine).values(**values)).rowcount > 0
    )


def _pending(
    connection: Connection, state: str, now: datetime, *, lock: bool = False
) -> Row[Any] | None:
    row = find(connection, sign_ins, state=state, lock=lock)
    return row if row is not None and row.expires_at > now else None


def _sign_in(row: Row[Any]) -> SignIn:
    return as_value(
        SignIn,
        row,
        is_confirmed=row.confirmed_at is not None,
        device=as_value(Device, row),
        page_before=(
            None
            if row.revision_before is None or row.log_before is None
            else PageBefore(row.revision_before, row.log_before)
        ),
    )
