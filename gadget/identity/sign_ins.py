"""Finds out who someone is, without ever seeing their wiki password."""

import asyncio
import hmac
import secrets
from base64 import urlsafe_b64encode
from collections import OrderedDict
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta
from hashlib import sha256
from http import HTTPStatus

from bot.records.accounts import Device, ReaderSession, RefusedError, SignIn, SignInWay
from bot.store import Store
from bot.surfaces.messages import from_note, message, to_note
from bot.wiki.oauth import Grant, Identified, OAuthClient, WikiOAuth
from gadget.identity.pages import CallbackPage, asking, attempt_of, done, failed
from gadget.identity.proof import Pages, ProofWay, Proven
from gadget.identity.readers import IdentityKeys, Purpose, sha256_of
from handlers.model import Message
from handlers.ports import PermanentError, TemporaryError

MOST_SESSION_DAYS = 30


@dataclass(frozen=True, slots=True)
class SignInRules:
    """How long things are valid, and our registrations with wikis.

    `callback` is where a wiki sends people back, exactly as registered there. `clients`
    are those of the wikis that have OAuth, by host. `proof_wikis` are the hosts of those
    whose operator accepts the risk of signing in by an edit.
    """

    callback: str
    clients: Mapping[str, OAuthClient] = field(default_factory=dict)
    proof_wikis: frozenset[str] = frozenset()
    sign_in_s: float = 600.0
    session_days: int = MOST_SESSION_DAYS


@dataclass(frozen=True, slots=True)
class Begun:
    """The next step of a sign-in: going to an address, or saving a page."""

    state: str
    expires_at: datetime
    begun_at: datetime
    device: Device = field(default_factory=Device)
    authorize_url: str | None = None
    page: str | None = None
    text: str | None = None
    summary: str | None = None


@dataclass(frozen=True, slots=True)
class Signed:
    """Someone has signed in; the `token` is no longer known here.

    `others` were in progress in the same name, and have ended with it.
    """

    token: str = field(repr=False)
    user: str
    expires_at: datetime
    others: tuple[SignIn, ...] = ()


_MOST_CODE_CHARS = 4096  # the wiki's codes are encrypted, and long
_MOST_STATE_CHARS = 64
_MOST_DETAIL_CHARS = 400
_GONE = "refusal-sign-in-gone"
_DENIED = "refusal-sign-in-denied"


def challenge_of(verifier: str) -> str:
    """Return the challenge for a verifier (PKCE, method S256)."""
    digest = sha256(verifier.encode("ascii")).digest()
    return urlsafe_b64encode(digest).rstrip(b"=").decode()


@dataclass(frozen=True, slots=True)
class OAuthWay:
    """Handles people whom a wiki sent back. `wiki` asks a wiki by its host.

    The wiki says who someone is, and they confirm that they meant it. There is one
    defence against each attack: the verifier (PKCE) against a stolen code; the
    single-use state against a replay; the script's own secret against a state seen by
    others; the person's confirmation against a sign-in that someone else began and had
    them complete.
    """

    store: Store
    keys: IdentityKeys
    rules: SignInRules
    wiki: Callable[[str], WikiOAuth]
    now: Callable[[], datetime]

    def address(self, sign_in: SignIn) -> str:
        """Return the address for someone who signs in."""
        return self.wiki(sign_in.wiki).authorize_url(
            self.rules.clients[sign_in.wiki],
            self.rules.callback,
            sign_in.state,
            challenge_of(sign_in.verifier or ""),
        )

    async def callback(self, query: Mapping[str, str]) -> CallbackPage:
        """Return the page for someone whom the wiki sent back, or who confirms.

        Raises:
            TemporaryError, PermanentError: from the store.
        """
        state = query.get("state", "")
        if not state and query.get("error"):
            return _failed(
                _DENIED, HTTPStatus.FORBIDDEN
            )  # the extension sends no state
        sign_in = await self._known(state)
        if sign_in is None:
            return _failed(_GONE)
        if "confirm" in query:
            return await self._confirmed(sign_in, query["confirm"])
        if "error" in query:
            return await self._came_to_nothing(
                sign_in, message(_DENIED), HTTPStatus.FORBIDDEN
            )
        return await self._identified(sign_in, query.get("code", ""))

    async def _known(self, state: str) -> SignIn | None:
        if not 0 < len(state) <= _MOST_STATE_CHARS or not state.isascii():
            return None
        return await asyncio.to_thread(self.store.readers.sign_in, state, self.now())

    async def _confirmed(self, sign_in: SignIn, code: str) -> CallbackPage:
        if sign_in.subject is None or sign_in.problem is not None:
            return _failed(_GONE)
        try:
            is_ours = self.keys.is_code(
                code, Purpose.CONFIRMATION, sign_in.state, sign_in.subject
            )
        except RefusedError as error:
            return failed(error.reason, HTTPStatus.FORBIDDEN)
        readers = self.store.readers
        if not is_ours or sign_in.is_confirmed:
            return _failed(_GONE)
        if not await asyncio.to_thread(readers.confirm, sign_in.state, self.now()):
            return _failed(_GONE)
        return done()

    async def _identified(self, sign_in: SignIn, code: str) -> CallbackPage:
        readers = self.store.readers
        if not 0 < len(code) <= _MOST_CODE_CHARS or not code.isprintable():
            return _failed(_GONE)
        mine = await asyncio.to_thread(readers.use_verifier, sign_in.state, self.now())
        if mine is None or mine.verifier is None:
            return _failed(_GONE)
        try:
            found = await self._who(mine, code, mine.verifier)
            confirmation = self.keys.code(
                Purpose.CONFIRMATION, sign_in.state, found.subject
            )
        except RefusedError as error:
            return await self._came_to_nothing(sign_in, error.reason)
        except PermanentError as error:
            reason = _detailed("refusal-wiki-answer", sign_in.wiki, error)
            return await self._came_to_nothing(sign_in, reason)
        except TemporaryError as error:
            reason = _detailed("refusal-wiki-away", sign_in.wiki, error)
            unavailable = HTTPStatus.SERVICE_UNAVAILABLE
            return await self._came_to_nothing(sign_in, reason, unavailable)
        return await self._settled(sign_in, found, confirmation)

    async def _settled(
        self, sign_in: SignIn, found: Identified, confirmation: str
    ) -> CallbackPage:
        if found.is_blocked:
            return await self._came_to_nothing(
                sign_in, message("refusal-account-blocked"), HTTPStatus.FORBIDDEN
            )
        settled = await asyncio.to_thread(
            self.store.readers.settle,
            sign_in.state,
            found.subject,
            found.name,
            self.now(),
        )
        if not settled:
            return _failed(_GONE)
        return asking(
            sign_in.wiki, found.name, sign_in.state, confirmation, attempt_of(sign_in)
        )

    async def _who(self, sign_in: SignIn, code: str, verifier: str) -> Identified:
        client = self.rules.clients.get(sign_in.wiki)
        if client is None:
            raise RefusedError(message("refusal-sign-in-not-set-up", sign_in.wiki))
        grant = Grant(code, verifier, self.rules.callback)
        return await self.wiki(sign_in.wiki).who(client, grant)

    async def _came_to_nothing(
        self,
        sign_in: SignIn,
        reason: Message,
        status: HTTPStatus = HTTPStatus.BAD_REQUEST,
    ) -> CallbackPage:
        await asyncio.to_thread(
            self.store.readers.fail, sign_in.state, to_note(reason), self.now()
        )
        return failed(reason, status)


def _failed(key: str, status: HTTPStatus = HTTPStatus.BAD_REQUEST) -> CallbackPage:
    return failed(message(key), status)


def _detailed(key: str, wiki: str, error: Exception) -> Message:
    """Return a message whose English text is the error itself, for the operator."""
    detail = str(error)[:_MOST_DETAIL_CHARS].rstrip(".")
    return replace(message(key, wiki), english=f"{detail}.")


_RANDOM_BYTES = 32
_VERIFIER_BYTES = 48  # 64 letters
_TRIES_EVERY = timedelta(seconds=2)
_REMEMBERED = 1000
_UNKNOWN = "refusal-sign-in-unknown"


@dataclass(frozen=True, slots=True)
class SignIns:
    """Sign-ins from their beginning to the token.

    Every method raises RefusedError if the reader must be told why not, and what the
    store and the wiki raise.

    Args:
        store: keeps them.
        keys: also used for the readers' keys.
        rules: durations and registrations.
        oauth: asks a wiki who came back from it, by the wiki's host.
        pages: looks up pages and users, by the wiki's host.
        now: the time.
    """

    store: Store
    keys: IdentityKeys
    rules: SignInRules
    oauth: Callable[[str], WikiOAuth]
    pages: Callable[[str], Pages]
    now: Callable[[], datetime]
    _last_tried: "OrderedDict[str, datetime]" = field(
        default_factory=OrderedDict, repr=False
    )

    async def ways(self, wiki: str) -> tuple[SignInWay, ...]:
        """Return how readers of a wiki can sign in; empty if nobody can.

        There is only one way: someone known by two would count as two readers.
        """
        if not self.keys.is_there:
            return ()
        if wiki in self.rules.clients:
            return (SignInWay.OAUTH,)
        return (SignInWay.PROOF,) if wiki in self.rules.proof_wikis else ()

    async def begin(
        self,
        wiki: str,
        way: SignInWay,
        secret_sha256: str,
        user: str | None = None,
        device: Device = Device(),  # noqa: B008 - frozen
    ) -> Begun:
        """Begin a sign-in, and return what the reader does next.

        Args:
            wiki: its host, one of ours.
            way: one of `ways`.
            secret_sha256: the hash, in hexadecimal, of the script's secret.
            user: who they say they are, for a sign-in by an edit.
            device: the device that they begin it on.
        """
        self.keys.code(Purpose.READER)  # raises if nobody can sign in
        if way not in await self.ways(wiki):
            raise RefusedError(message("refusal-sign-in-other-way", wiki))
        begun_at = self.now()
        sign_in = SignIn(
            state=secrets.token_urlsafe(_RANDOM_BYTES),
            wiki=wiki,
            way=way,
            secret_sha256=secret_sha256,
            begun_at=begun_at,
            expires_at=begun_at + timedelta(seconds=self.rules.sign_in_s),
            device=device,
        )
        if way is SignInWay.OAUTH:
            return await self._begin_oauth(sign_in)
        return await self._begin_proof(sign_in, user or "")

    async def callback(self, query: Mapping[str, str]) -> CallbackPage:
        """Return the page for someone whom a wiki sent back, or who confirms."""
        return await self._oauth.callback(query)

    async def finish(self, state: str, secret: str) -> Signed | None:
        """Return the token, once, to whoever began a sign-in.

        `None` as long as the reader still has to do their part.
        """
        sign_in = await asyncio.to_thread(self.store.readers.sign_in, state, self.now())
        given = sha256_of(secret)
        if sign_in is None or not hmac.compare_digest(sign_in.secret_sha256, given):
            raise RefusedError(message(_UNKNOWN))
        if sign_in.problem is not None:
            raise RefusedError(from_note(sign_in.problem))
        if sign_in.way is SignInWay.PROOF:
            sign_in = await self._proven(sign_in)
        if not sign_in.is_confirmed or sign_in.subject is None or sign_in.user is None:
            return None
        return await self._opened(sign_in, sign_in.subject, sign_in.user)

    async def _begin_oauth(self, sign_in: SignIn) -> Begun:
        sign_in = replace(sign_in, verifier=secrets.token_urlsafe(_VERIFIER_BYTES))
        await asyncio.to_thread(self.store.readers.begin, sign_in)
        return Begun(
            sign_in.state,
            sign_in.expires_at,
            begun_at=sign_in.begun_at,
            device=sign_in.device,
            authorize_url=self._oauth.address(sign_in),
        )

    async def _begin_proof(self, sign_in: SignIn, user: str) -> Begun:
        if not user:
            raise RefusedError(Message("", "Give your account on the wiki, in `user`."))
        name = await self._proof.account(sign_in.wiki, user)
        page = await self._proof.page(sign_in.wiki, name)
        before = await self._proof.page_before(sign_in.wiki, name, page)
        sign_in = replace(sign_in, user=name, page_before=before)
        await asyncio.to_thread(self.store.readers.begin, sign_in)
        return Begun(
            sign_in.state,
            sign_in.expires_at,
            begun_at=sign_in.begun_at,
            device=sign_in.device,
            page=page,
            text=self._proof.text(sign_in),
            summary=self._proof.summary(sign_in),
        )

    async def _proven(self, sign_in: SignIn) -> SignIn:
        if not self._may_try(sign_in.state):
            return sign_in
        proven = await self._find_proof(sign_in)
        if proven is None:
            return sign_in
        return replace(
            sign_in, subject=proven.subject, user=proven.user, is_confirmed=True
        )

    async def _find_proof(self, sign_in: SignIn) -> Proven | None:
        """Look for the edit; a reason to end the sign-in ends it permanently.

        Otherwise someone could restore the page, and finish it after all.
        """
        try:
            return await self._proof.proven(sign_in)
        except RefusedError as error:
            await asyncio.to_thread(
                self.store.readers.fail,
                sign_in.state,
                to_note(error.reason),
                self.now(),
            )
            raise

    def _may_try(self, state: str) -> bool:
        """Return whether to ask the wiki again, however often a script asks us."""
        now = self.now()
        last = self._last_tried.get(state)
        if last is not None and now - last < _TRIES_EVERY:
            return False
        self._last_tried[state] = now
        self._last_tried.move_to_end(state)
        while len(self._last_tried) > _REMEMBERED:
            self._last_tried.popitem(last=False)
        return True

    async def _opened(self, sign_in: SignIn, subject: str, user: str) -> Signed | None:
        token = secrets.token_urlsafe(_RANDOM_BYTES)
        now = self.now()
        days = min(self.rules.session_days, MOST_SESSION_DAYS)
        session = ReaderSession(
            sign_in.wiki, subject, user, now, now + timedelta(days=days)
        )
        opened = await asyncio.to_thread(
            self.store.readers.open, sign_in.state, sha256_of(token), session
        )
        if not opened:
            raise RefusedError(message(_UNKNOWN))
        others = await self.under_way(sign_in.wiki, user)
        for other in others:
            why = to_note(message("refusal-sign-in-elsewhere"))
            await asyncio.to_thread(self.store.readers.fail, other.state, why, now)
        return Signed(token, user, session.expires_at, others)

    async def under_way(self, wiki: str, user: str) -> tuple[SignIn, ...]:
        """Return the sign-ins in progress in a user's name.

        Only for that user, who knows which of them are their own.
        """
        return await asyncio.to_thread(
            self.store.readers.sign_ins_as, wiki, user, self.now()
        )

    @property
    def _oauth(self) -> OAuthWay:
        return OAuthWay(self.store, self.keys, self.rules, self.oauth, self.now)

    @property
    def _proof(self) -> ProofWay:
        return ProofWay(self.keys, self.pages)
