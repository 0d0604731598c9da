"""A small authorisation server on loopback that mimics MediaWiki's OAuth extension.

It has the extension's three endpoints below `rest.php/oauth2/`, and the errors of its
library (PHP League's OAuth 2.0 server). The code that runs it decides who is logged in
and whether they press "Allow"; the wiki's own pages for that are not included. Like the
extension it sends no state when someone declines, labels its profile as HTML, and
remembers everything it issued: a code that is used again is recognised.
"""

import asyncio
import hmac
import json
import secrets
from base64 import urlsafe_b64encode
from collections.abc import Awaitable, Callable, Iterable, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from hashlib import sha256
from typing import Any
from urllib.parse import urlencode

from aiohttp import web

from tests.rig.served import Served

# The formats of MediaWiki's OAuth extension: profiles, errors, and what is checked.

_SHORTEST_VERIFIER, _LONGEST_VERIFIER = 43, 128
MISSING = (
    "The request is missing a required parameter, includes an invalid parameter value,"
    " includes a parameter more than once, or is otherwise malformed."
)
_BAD_GRANT = (
    "The provided authorization grant (e.g., authorization code, resource owner"
    " credentials) or refresh token is invalid, expired, revoked, does not match the"
    " redirection URI used in the authorization request, or was issued to another"
    " client."
)


@dataclass(slots=True)
class Person:
    """An account; `number` is the central one, which the extension calls `sub`."""

    name: str
    number: int
    is_blocked: bool = False
    is_hidden: bool = False
    edits: int = 120


@dataclass(frozen=True, slots=True)
class Client:
    """A registered client; without a secret it is public, and needs PKCE."""

    identifier: str
    callback: str
    secret: str = ""


class OAuthError(Exception):
    """An error as the extension reports it."""

    def __init__(self, kind: str, words: str, hint: str = "", status: int = 400):
        super().__init__(kind)
        self.status = status
        self.body = {"error": kind, "error_description": words}
        if hint:
            self.body["hint"] = hint
        self.body["message"] = words


def profile_of(person: Person) -> dict[str, Any]:
    """Return the profile of an account."""
    if person.is_hidden:
        return {"sub": person.number, "blocked": True}
    return {
        "sub": person.number,
        "username": person.name,
        "editcount": person.edits,
        "confirmed_email": True,
        "blocked": person.is_blocked,
        "registered": "20190301120000",
        "groups": ["*", "user", "autoconfirmed"],
        "rights": ["createaccount", "read", "edit", "writeapi"],
        "grants": ["mwoauth-authonly"],
    }


def require_verifier(verifier: str, challenge: str) -> None:
    """Reject a verifier that does not match the challenge (method S256)."""
    if not challenge:
        return
    if not verifier:
        raise missing("code_verifier")
    is_long_enough = _SHORTEST_VERIFIER <= len(verifier) <= _LONGEST_VERIFIER
    expected = letters(sha256(verifier.encode()).digest())
    if not is_long_enough or not hmac.compare_digest(expected, challenge):
        hint = "Failed to verify `code_verifier`."
        raise OAuthError("invalid_grant", _BAD_GRANT, hint)


def missing(parameter: str) -> OAuthError:
    """Return the error for a parameter that is missing or wrong."""
    return OAuthError("invalid_request", MISSING, f"Check the `{parameter}` parameter")


def part(values: Mapping[str, Any]) -> str:
    """Return a part of a JWT."""
    return letters(json.dumps(values).encode())


def letters(data: bytes) -> str:
    """Return base64url without padding."""
    return urlsafe_b64encode(data).rstrip(b"=").decode()


__all__ = ["AuthorisationServer", "Client", "Habits", "Person", "silence"]

_PLACE = "/w/rest.php/oauth2"


@dataclass(slots=True)
class _Code:
    client: Client
    callback: str
    challenge: str
    person: Person
    until: datetime
    is_used: bool = False


@dataclass(slots=True)
class Habits:
    """Its settings; times are those of the extension."""

    code_s: float = 600.0
    token_s: float = 3600.0


@dataclass
class AuthorisationServer(Served):
    """Runs while it is entered. `person` is the logged-in user of any browser.

    `allows` says whether they press "Allow"; `instead`, by the last part of an
    endpoint's path, answers in its place. `requests` keeps the forms and headers of all
    requests for the access token and the profile.
    """

    clients: dict[str, Client] = field(default_factory=dict)
    person: Person = field(default_factory=lambda: Person("Ada", 42))
    allows: bool = True
    habits: Habits = field(default_factory=Habits)
    now: Callable[[], datetime] = lambda: datetime.now(UTC)
    instead: dict[str, Callable[[web.Request], Awaitable[web.StreamResponse]]] = field(
        default_factory=dict
    )
    requests: list[Mapping[str, str]] = field(default_factory=list)
    _codes: dict[str, _Code] = field(default_factory=dict)
    _tokens: dict[str, tuple[Person, datetime]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        super().__init__()

    @property
    def host(self) -> str:
        """Name of the wiki, with its port."""
        return self.root.removeprefix("http://")

    def register(self, client: Client) -> None:
        """Register a client."""
        self.clients[client.identifier] = client

    def routes(self) -> Iterable[web.AbstractRouteDef]:
        """Return what MediaWiki's OAuth answers."""
        return (
            web.get(f"{_PLACE}/authorize", self._refusing(self._authorize)),
            web.post(f"{_PLACE}/access_token", self._refusing(self._access_token)),
            web.get(f"{_PLACE}/resource/profile", self._refusing(self._profile)),
        )

    def _refusing(
        self, answer: Callable[[web.Request], Awaitable[web.StreamResponse]]
    ) -> Callable[[web.Request], Awaitable[web.StreamResponse]]:
        async def body(request: web.Request) -> web.StreamResponse:
            other = self.instead.get(request.path.rpartition("/")[2])
            if other is not None:
                return await other(request)
            try:
                return await answer(request)
            except OAuthError as error:
                return web.json_response(error.body, status=error.status)

        return body

    # --- in the browser --------------------------------------------------------------

    async def _authorize(self, request: web.Request) -> web.StreamResponse:
        query = request.query
        client = self.clients.get(query.get("client_id", ""))
        callback = query.get("redirect_uri", client.callback if client else "")
        if client is None or callback != client.callback:
            raise OAuthError(
                "invalid_client", "Client authentication failed", status=401
            )
        if query.get("response_type") != "code":
            raise missing("response_type")
        if not client.secret and not query.get("code_challenge"):
            hint = "Code challenge must be provided for public clients"
            raise OAuthError("invalid_request", MISSING, hint)
        if "code_challenge" in query and query.get("code_challenge_method") != "S256":
            raise missing("code_challenge_method")  # "plain" is not for new programs
        if not self.allows:
            return _sent_to(
                callback,
                {"error": "unauthorized_client", "message": "User denied the request"},
            )
        code = f"def502{secrets.token_hex(300)}"
        self._codes[code] = _Code(
            client,
            callback,
            query.get("code_challenge", ""),
            self.person,
            self.now() + timedelta(seconds=self.habits.code_s),
        )
        return _sent_to(callback, {"code": code, "state": query.get("state", "")})

    # --- from the program ------------------------------------------------------------

    async def _access_token(self, request: web.Request) -> web.StreamResponse:
        if request.content_type != "application/x-www-form-urlencoded":
            raise web.HTTPUnsupportedMediaType
        form = {name: str(value) for name, value in (await request.post()).items()}
        self.requests.append(form)
        if form.get("grant_type") != "authorization_code":
            raise missing("grant_type")
        client = self.clients.get(form.get("client_id", ""))
        if client is None or not hmac.compare_digest(
            client.secret, form.get("client_secret", "")
        ):
            raise OAuthError(
                "invalid_client", "Client authentication failed", status=401
            )
        code = self._redeemed(form, client)
        token = self._new_token(client, code.person)
        return web.json_response(
            {
                "token_type": "Bearer",
                "expires_in": int(self.habits.token_s),
                "access_token": token,
                "refresh_token": f"def502{secrets.token_hex(200)}",
            }
        )

    def _redeemed(self, form: Mapping[str, str], client: Client) -> _Code:
        code = self._codes.get(form.get("code", ""))
        if code is None:
            raise OAuthError(
                "invalid_request", MISSING, "Cannot decrypt the authorization code"
            )
        if code.until <= self.now():
            raise OAuthError(
                "invalid_request", MISSING, "Authorization code has expired"
            )
        if code.is_used:
            raise OAuthError(
                "invalid_request", MISSING, "Authorization code has been revoked"
            )
        if code.client != client:
            raise OAuthError(
                "invalid_request",
                MISSING,
                "Authorization code was not issued to this client",
            )
        if form.get("redirect_uri") != code.callback:
            raise OAuthError("invalid_request", MISSING, "Invalid redirect URI")
        require_verifier(form.get("code_verifier", ""), code.challenge)
        code.is_used = True
        return code

    def _new_token(self, client: Client, person: Person) -> str:
        now = self.now()
        until = now + timedelta(seconds=self.habits.token_s)
        claims = {
            "aud": client.identifier,
            "jti": secrets.token_hex(40),
            "iat": now.timestamp(),
            "nbf": now.timestamp(),
            "exp": until.timestamp(),
            "sub": str(person.number),
            "iss": f"http://{self.host}",
            "ratelimit": {"requests_per_unit": 5000, "unit": "HOUR"},
            "scopes": ["mwoauth-authonly"],
        }
        parts = (part({"typ": "JWT", "alg": "RS256"}), part(claims))
        token = ".".join((*parts, letters(secrets.token_bytes(256))))
        self._tokens[token] = (person, until)
        return token

    async def _profile(self, request: web.Request) -> web.StreamResponse:
        bearer = request.headers.get("Authorization", "")
        self.requests.append(dict(request.headers))
        known = self._tokens.get(bearer.removeprefix("Bearer "))
        if not bearer.startswith("Bearer ") or known is None or known[1] <= self.now():
            words = "The resource owner or authorization server denied the request."
            hint = "Access token could not be verified"
            raise OAuthError("access_denied", words, hint, status=401)
        # The extension does not say that it is JSON.
        return web.Response(
            text=json.dumps(profile_of(known[0])), content_type="text/html"
        )


def _sent_to(callback: str, body: Mapping[str, str]) -> web.Response:
    sign = "&" if "?" in callback else "?"
    return web.Response(
        status=302, headers={"Location": f"{callback}{sign}{urlencode(body)}"}
    )


async def silence(_: web.Request) -> web.StreamResponse:
    """Never answer; for `AuthorisationServer.instead`."""
    await asyncio.Event().wait()
    raise AssertionError("an event that nobody sets")
