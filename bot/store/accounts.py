"""Who signs in and who is signed in. Each verb is one transaction.

Of what a reader's script keeps to itself, its secret and its token, only hashes get
here. What comes true once only, such as the use of a code or the opening of a session,
is made so by the row that it takes away.

What was answered to requests that may be sent again, as verbs on values.

A script that gets no answer sends its request once more, under the same key. What was
asked for is then done already, and only the answer is given again.
"""

from datetime import datetime
from typing import Any

from sqlalchemy import ColumnElement, Connection, Row, delete, insert, select, update

from bot.records.accounts import (
    Browser,
    Device,
    KeptAnswer,
    PageBefore,
    ReaderSession,
    SignIn,
    SignInWay,
    System,
)
from bot.store import sanitise
from bot.store.schema import (
    HASH_CHARS,
    TEXT_CHARS,
    kept_answers,
    reader_sessions,
    sign_ins,
)
from bot.store.transactions import Transactions
from handlers.ports import PermanentError

_PROBLEM_CHARS = 1000
_AT_ONCE = 100
_MOST_SHOWN = 20


class Readers:
    """Sign-ins and sessions. Processes may share it."""

    def __init__(self, transactions: Transactions) -> None:
        self._database = transactions

    # --- signing in ----------------------------------------------------------------

    def begin(self, asked: SignIn) -> None:
        """Keep a new sign-in; some that have run out go."""
        self._database.write(lambda made: _begin(made, asked))

    def sign_in(self, state: str, now: datetime) -> SignIn | None:
        """Return a sign-in; `None` if there is none, or none any more."""
        row = self._database.read(lambda made: _pending(made, state, now))
        return row and _sign_in(row)

    def sign_ins_as(self, wiki: str, user: str, now: datetime) -> tuple[SignIn, ...]:
        """Return the sign-ins that are under way in somebody's name, the newest first.

        Whoever begins one only says that it is their name.
        """
        return self._database.read(lambda made: _sign_ins_as(made, wiki, user, now))

    def use_verifier(self, state: str, now: datetime) -> SignIn | None:
        """Return a sign-in with its verifier, which nobody is given again.

        `None` if there is no such sign-in, or its verifier was used. Should the answer
        to the commit be lost, the verifier is, too, and the reader has to begin anew.
        """
        return self._database.write(lambda made: _use_verifier(made, state, now))

    def settle(self, state: str, subject: str, user: str, now: datetime) -> bool:
        """Note who the wiki says it is; `False` if the sign-in is no more, or settled."""
        known = {
            "subject": sanitise.key(subject, "number of a reader"),
            "user": sanitise.key(user, "name of a reader"),
        }
        is_new = sign_ins.c.subject.is_(None)
        return self._database.write(
            lambda made: _change(made, state, now, is_new, known)
        )

    def confirm(self, state: str, now: datetime) -> bool:
        """Note that the person began it; `False` if the wiki has not said who it is."""
        is_settled = sign_ins.c.subject.is_not(None)
        values = {"confirmed_at": now}
        return self._database.write(
            lambda made: _change(made, state, now, is_settled, values)
        )

    def fail(self, state: str, problem: str, now: datetime) -> bool:
        """Note why it came to nothing, to be told to whoever began it."""
        values = {"problem": sanitise.text(problem, _PROBLEM_CHARS)}
        is_open = sign_ins.c.confirmed_at.is_(None)
        return self._database.write(
            lambda made: _change(made, state, now, is_open, values)
        )

    # --- signed in -----------------------------------------------------------------

    def open(self, state: str, token_sha256: str, session: ReaderSession) -> bool:
        """Open a session in the place of its sign-in, which goes.

        `False` if that is gone already: of two that open one, one has it.
        """
        return self._database.write(
            lambda made: _open(made, state, token_sha256, session)
        )

    def reader(self, token_sha256: str, now: datetime) -> ReaderSession | None:
        """Return the session of a token; `None` if there is none, or none any more."""
        row = self._database.read(lambda made: _session(made, token_sha256))
        if row is None or row.expires_at <= now:
            return None
        return ReaderSession(
            row.wiki, row.subject, row.user, row.created_at, row.expires_at
        )

    def close(self, token_sha256: str) -> bool:
        """End a session; `False` if there was none."""
        mine = reader_sessions.c.token_sha256 == token_sha256
        return self._database.write(
            lambda made: made.execute(delete(reader_sessions).where(mine)).rowcount > 0
        )


class Answers:
    """Answers that are kept for a day. Processes may share it."""

    def __init__(self, transactions: Transactions) -> None:
        self._database = transactions

    def get(self, request_sha256: str) -> KeptAnswer | None:
        """Return what was answered to a request; `None` if nothing was."""
        return self._database.read(lambda made: _get(made, request_sha256))

    def keep(self, answer: KeptAnswer) -> KeptAnswer:
        """Keep an answer, and return the one that stands: the first that was kept.

        Where that is not the given one, the same request came twice at once; whether
        it said the same, `body_sha256` tells.

        Raises:
            PermanentError: it is too long to be kept.
        """
        if len(answer.answer) > TEXT_CHARS:
            raise PermanentError(
                f"an answer of {len(answer.answer):,} characters is too long to be kept"
            )
        return self._database.write(lambda made: _keep(made, answer))


def _begin(connection: Connection, asked: SignIn) -> None:
    _forget_old(connection, asked.begun_at)
    before, device = asked.page_before, asked.device
    connection.execute(
        insert(sign_ins).values(
            state=sanitise.key(asked.state, "name of a sign-in", HASH_CHARS),
            wiki=sanitise.key(asked.wiki, "wiki"),
            way=asked.way.name,
            secret_sha256=sanitise.key(asked.secret_sha256, "hash", HASH_CHARS),
            verifier=asked.verifier and sanitise.key(asked.verifier, "verifier"),
            user=asked.user and sanitise.key(asked.user, "name of a reader"),
            begun_at=asked.begun_at,
            expires_at=asked.expires_at,
            revision_before=before and before.revision_id,
            log_before=before and before.log_id,
            browser=device.browser and device.browser.name,
            system=device.system and device.system.name,
        )
    )


def _forget_old(connection: Connection, now: datetime) -> None:
    # One by one: a condition on time would lock rows that others are just adding.
    old = select(sign_ins.c.state).where(sign_ins.c.expires_at <= now).limit(_AT_ONCE)
    for (state,) in connection.execute(old).all():
        _forget(connection, state)


def _forget(connection: Connection, state: str) -> bool:
    gone = connection.execute(delete(sign_ins).where(sign_ins.c.state == state))
    return gone.rowcount > 0


def _sign_ins_as(
    connection: Connection, wiki: str, user: str, now: datetime
) -> tuple[SignIn, ...]:
    chosen = (
        select(sign_ins)
        .where((sign_ins.c.wiki == wiki) & (sign_ins.c.user == user))
        .where((sign_ins.c.expires_at > now) & sign_ins.c.problem.is_(None))
        .where(sign_ins.c.confirmed_at.is_(None))
        .order_by(sign_ins.c.begun_at.desc())
        .limit(_MOST_SHOWN)
    )
    return tuple(map(_sign_in, connection.execute(chosen)))


def _use_verifier(connection: Connection, state: str, now: datetime) -> SignIn | None:
    row = _pending(connection, state, now, locked=True)
    if row is None or row.verifier is None:
        return None
    connection.execute(
        update(sign_ins).where(sign_ins.c.state == state).values(verifier=None)
    )
    return _sign_in(row)


def _change(
    connection: Connection,
    state: str,
    now: datetime,
    which: ColumnElement[bool],
    values: dict[str, Any],
) -> bool:
    """Change a sign-in where `which` holds; the same change again does no harm."""
    row = _pending(connection, state, now, locked=True)
    if row is None:
        return False
    if all(getattr(row, name) == value for name, value in values.items()):
        return True
    mine = (sign_ins.c.state == state) & which
    return (
        connection.execute(update(sign_ins).where(mine).values(**values)).rowcount > 0
    )


def _open(
    connection: Connection, state: str, token_sha256: str, session: ReaderSession
) -> bool:
    if _session(connection, token_sha256) is not None:
        return True  # a first try, whose answer was lost
    if not _forget(connection, state):
        return False
    connection.execute(
        insert(reader_sessions).values(
            token_sha256=sanitise.key(token_sha256, "hash of a token", HASH_CHARS),
            wiki=sanitise.key(session.wiki, "wiki"),
            subject=sanitise.key(session.subject, "number of a reader"),
            user=sanitise.key(session.user, "name of a reader"),
            created_at=session.created_at,
            expires_at=session.expires_at,
        )
    )
    return True


def _session(connection: Connection, token_sha256: str) -> Row[Any] | None:
    return connection.execute(
        select(reader_sessions).filter_by(token_sha256=token_sha256)
    ).one_or_none()


def _pending(
    connection: Connection, state: str, now: datetime, *, locked: bool = False
) -> Row[Any] | None:
    chosen = select(sign_ins).filter_by(state=state)
    row = connection.execute(
        chosen.with_for_update() if locked else chosen
    ).one_or_none()
    return row if row is not None and row.expires_at > now else None


def _sign_in(row: Row[Any]) -> SignIn:
    return SignIn(
        state=row.state,
        wiki=row.wiki,
        way=SignInWay[row.way],
        secret_sha256=row.secret_sha256,
        begun_at=row.begun_at,
        expires_at=row.expires_at,
        verifier=row.verifier,
        user=row.user,
        subject=row.subject,
        is_confirmed=row.confirmed_at is not None,
        problem=row.problem,
        device=Device(
            Browser[row.browser] if row.browser else None,
            System[row.system] if row.system else None,
        ),
        page_before=(
            None
            if row.revision_before is None or row.log_before is None
            else PageBefore(row.revision_before, row.log_before)
        ),
    )


def _keep(connection: Connection, answer: KeptAnswer) -> KeptAnswer:
    known = _get(connection, answer.request)
    if known is not None:
        return known
    connection.execute(insert(kept_answers).values(**_columns(answer)))
    return answer


def _get(connection: Connection, request: str) -> KeptAnswer | None:
    chosen = select(kept_answers).filter_by(request=request)
    row = connection.execute(chosen).one_or_none()
    return None if row is None else _answer(row)


def _columns(one: KeptAnswer) -> dict[str, Any]:
    return {
        "request": sanitise.key(one.request, "request", HASH_CHARS),
        "body_sha256": sanitise.key(one.body_sha256, "hash", HASH_CHARS),
        "status": one.status,
        "answer": sanitise.text(one.answer),
        "kept_at": one.kept_at,
    }


def _answer(row: Row[Any]) -> KeptAnswer:
    return KeptAnswer(row.request, row.body_sha256, row.status, row.answer, row.kept_at)
