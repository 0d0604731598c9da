"""Asks a wiki who someone is, by OAuth 2 as MediaWiki's extension implements it.

The wiki's token never leaves this module: it is used for one request and forgotten.
Redirects are not followed, since they would carry the code or the token elsewhere, and
no secret appears in an address, a message or the log.
"""

import asyncio
import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from http import HTTPStatus
from typing import Annotated, Any, TypeVar
from urllib.parse import quote_plus, urlencode

import aiohttp
from pydantic import BaseModel, Field, StringConstraints, ValidationError

from bot.wiki.address import WikiAddress
from bot.wiki.answers import Line, Name
from handlers.ports import PermanentError, TemporaryError

_MAX_BYTES = 256 * 1024  # the profile of a steward names many rights
_RETRY_IN_S = 30.0
# Error codes of OAuth about the code of a sign-in, and not about the program.
_OF_CODE = frozenset({"invalid_grant", "invalid_request"})
_CONNECT_TIMEOUT_S = 5.0
_SECRET = frozenset({"client_secret", "code", "code_verifier"})
_T = TypeVar("_T", bound=BaseModel)


@dataclass(frozen=True, slots=True)
class OAuthClient:
    """Our registration with a wiki; without a `secret`, a public client."""

    identifier: str
    secret: str = field(default="", repr=False)


@dataclass(frozen=True, slots=True)
class Grant:
    """What someone brought back from a wiki, together with our part of it."""

    code: str = field(repr=False)
    verifier: str = field(repr=False)
    callback: str


@dataclass(frozen=True, slots=True)
class Identified:
    """Who the wiki says someone is.

    `subject` is permanent; `name` lasts until they are renamed, and is empty if hidden.
    `is_blocked` is also true for partial blocks.
    """

    subject: str
    name: str
    is_blocked: bool


class CodeRefusedError(PermanentError):
    """The wiki knows the program, but not the code that a sign-in came back with."""


class _Token(BaseModel):
    access_token: Annotated[str, StringConstraints(pattern=r"^[\x21-\x7e]{1,8192}$")]
    token_type: Annotated[str, StringConstraints(pattern=r"^[Bb]earer$")]


class _Profile(BaseModel):
    sub: (
        Annotated[int, Field(gt=0, lt=2**63, strict=True)]
        | Annotated[str, StringConstraints(pattern=r"^[\x21-\x7e]{1,200}$")]
    )
    username: Annotated[Name, Field(max_length=255)] = ""
    blocked: bool = False


class _Refusal(BaseModel):
    error: Line = ""
    error_description: Line = ""
    message: Line = ""
    hint: Line = ""


class WikiOAuth:
    """Asks one wiki.

    Args:
        address: of the wiki.
        user_agent: says who asks, with a way to reach them.
        timeout_s: how long one answer may take in all.
    """

    def __init__(
        self, address: WikiAddress, *, user_agent: str, timeout_s: float = 15.0
    ) -> None:
        self._host = address.host
        self._place = f"{address.scheme}://{address.host}{address.path}rest.php/oauth2/"
        self._user_agent = user_agent
        self._timeout_s = timeout_s

    def authorize_url(
        self, client: OAuthClient, callback: str, state: str, challenge: str
    ) -> str:
        """Return the address where someone allows the wiki to tell us who they are.

        Args:
            client: our registration there.
            callback: where the wiki then sends them, exactly as registered.
            state: comes back with them.
            challenge: SHA-256 of the verifier, in base64url without padding.
        """
        parameters = {
            "response_type": "code",
            "client_id": client.identifier,
            "redirect_uri": callback,
            "state": state,
            "code_challenge": challenge,
            "code_challenge_method": "S256",
        }
        return f"{self._place}authorize?{urlencode(parameters)}"

    async def who(self, client: OAuthClient, grant: Grant) -> Identified:
        """Return who came back from the wiki.

        Raises:
            PermanentError: the wiki rejects the grant or the client, or does not answer
                as it should; the sign-in must start again.
            TemporaryError: it cannot be reached or is out of order now.
        """
        form = {
            "grant_type": "authorization_code",
            "code": grant.code,
            "redirect_uri": grant.callback,
            "client_id": client.identifier,
            "code_verifier": grant.verifier,
        }
        if client.secret:
            form["client_secret"] = client.secret
        async with self._session() as session:
            token = await self._ask(session, "POST", "access_token", _Token, form=form)
            bearer = {"Authorization": f"Bearer {token.access_token}"}
            profile = await self._ask(
                session, "GET", "resource/profile", _Profile, headers=bearer
            )
        return Identified(
            subject=str(profile.sub),
            name=profile.username,
            is_blocked=profile.blocked or not profile.username,
        )

    def _session(self) -> aiohttp.ClientSession:
        return aiohttp.ClientSession(
            auto_decompress=False,
            connector=aiohttp.TCPConnector(force_close=True),
            cookie_jar=aiohttp.DummyCookieJar(),
            headers={
                "User-Agent": self._user_agent,
                "Accept": "application/json",
                "Accept-Encoding": "identity",
            },
            timeout=aiohttp.ClientTimeout(total=None, sock_connect=_CONNECT_TIMEOUT_S),
            trust_env=False,
        )

    async def _ask(
        self,
        session: aiohttp.ClientSession,
        method: str,
        what: str,
        form_of_answer: type[_T],
        *,
        form: Mapping[str, str] | None = None,
        headers: Mapping[str, str] | None = None,
    ) -> _T:
        try:
            async with (
                asyncio.timeout(self._timeout_s),
                session.request(
                    method,
                    f"{self._place}{what}",
                    data=form,
                    headers=headers,
                    allow_redirects=False,
                ) as answer,
            ):
                body = await self._body(answer)
                self._require_success(answer.status, _masked(body, form, headers))
        except TimeoutError:
            raise self._away(f"did not answer within {self._timeout_s:g} s") from None
        except (aiohttp.ClientSSLError, aiohttp.ServerFingerprintMismatch):
            raise PermanentError(
                f"no trusted connection (TLS) to {self._host} can be made"
            ) from None
        except (aiohttp.ClientError, OSError, ValueError):
            raise self._away("cannot be reached, or its answer was cut off") from None
        try:
            return form_of_answer.model_validate(_parsed(body))
        except ValidationError:
            raise self._strange(what) from None

    async def _body(self, answer: aiohttp.ClientResponse) -> bytes:
        body = bytearray()
        async for piece in answer.content.iter_chunked(16 * 1024):
            body += piece
            if len(body) > _MAX_BYTES:
                raise PermanentError(
                    f"{self._host} answered with more than {_MAX_BYTES:,} bytes; that"
                    " is not an answer to a sign-in"
                )
        return bytes(body)

    def _require_success(self, status: int, body: bytes) -> None:
        if status == HTTPStatus.OK:
            return
        if (
            status == HTTPStatus.TOO_MANY_REQUESTS
            or status >= HTTPStatus.INTERNAL_SERVER_ERROR
        ):
            raise self._away(f"is out of order or busy ({status})")
        raise self._refusal(status, body)

    def _refusal(self, status: int, body: bytes) -> PermanentError:
        try:
            refusal = _Refusal.model_validate(_parsed(body))
        except ValidationError:
            refusal = _Refusal()
        if refusal.error == "invalid_client":
            return PermanentError(
                f"{self._host} does not recognise this program's client id; the"
                " operator must correct `oauth_clients`"
            )
        words = refusal.hint or refusal.error_description or refusal.message
        message = " ".join(part for part in (refusal.error, words) if part)
        is_of_code = refusal.error in _OF_CODE
        failure = CodeRefusedError if is_of_code else PermanentError
        return failure(
            f"{self._host} refused the sign-in ({message or status}); start again"
        )

    def _strange(self, what: str) -> PermanentError:
        return PermanentError(
            f"{self._host} did not answer {what} as MediaWiki's OAuth does; check that"
            " the wiki has it, and its address"
        )

    def _away(self, how: str) -> TemporaryError:
        return TemporaryError(
            f"{self._host} {how}; sign in again in a moment",
            retry_in_s=_RETRY_IN_S,
        )


def _masked(
    body: bytes, form: Mapping[str, str] | None, headers: Mapping[str, str] | None
) -> bytes:
    """Return an answer without the secrets that were sent, in case it repeats them."""
    sent = [value for name, value in (form or {}).items() if name in _SECRET]
    sent += [value.removeprefix("Bearer ") for value in (headers or {}).values()]
    for secret in sent:
        for form_of_it in {secret, quote_plus(secret), json.dumps(secret)[1:-1]}:
            body = body.replace(form_of_it.encode(), b"***")
    return body


def _parsed(body: bytes) -> Any:
    """Return the JSON of an answer, whatever its stated content type."""
    try:
        return json.loads(body)
    except (ValueError, RecursionError):
        return None
