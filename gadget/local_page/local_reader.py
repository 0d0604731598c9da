"""The only reader of a program that serves just the person at this machine.

There is no wiki that could say who they are. They get a session like anyone else's, so
that their decisions are stored and undone as usual; the pages pass its token to the
script. Whoever can reach this machine's loopback is that reader: never give this token
to a server that listens elsewhere.
"""

from datetime import datetime, timedelta
from hashlib import sha256
from secrets import token_urlsafe
from typing import Protocol

from bot.daemon.web.guard import is_loopback
from bot.records.accounts import ReaderSession, SignIn, SignInWay
from handlers.ports import PermanentError

_SIGNING_IN = timedelta(minutes=1)
_SIGNED_IN = timedelta(days=30)
_SUBJECT = "0"  # no account of a wiki has this number
_TOKEN_BYTES = 32


class Sessions(Protocol):
    """Stores sign-ins and sessions; blocks."""

    def begin(self, sign_in: SignIn) -> None: ...  # noqa: D102 - see the class

    def open(self, state: str, token_sha256: str, session: ReaderSession) -> bool: ...  # noqa: D102


def signed_in_here(
    sessions: Sessions, wiki: str, user: str, now: datetime, *, host: str
) -> str:
    """Sign the person at this machine in, and return their token.

    Args:
        sessions: where it is stored.
        wiki: whose pages they read.
        user: what they are called.
        now: the time.
        host: to listen on.

    Raises:
        PermanentError: other machines can reach that host.
    """
    if not is_loopback(host):
        raise PermanentError(
            f"others can reach {host}, so nobody is signed in there without a wiki"
            f" account; set `serve_host` to 127.0.0.1"
        )
    state, token = token_urlsafe(_TOKEN_BYTES), token_urlsafe(_TOKEN_BYTES)
    hashed = sha256(token.encode()).hexdigest()
    sessions.begin(
        SignIn(state, wiki, SignInWay.PROOF, hashed, now, now + _SIGNING_IN, user=user)
    )
    sessions.open(
        state, hashed, ReaderSession(wiki, _SUBJECT, user, now, now + _SIGNED_IN)
    )
    return token
