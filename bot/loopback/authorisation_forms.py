"""The forms of MediaWiki's OAuth extension: who is told of, errors, and what is checked.

See `bot.loopback.authorisation`, which speaks in them.
"""

import hmac
import json
from base64 import urlsafe_b64encode
from collections.abc import Mapping
from dataclasses import dataclass
from hashlib import sha256
from typing import Any

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
    """A registered client; without a secret it is a public one, which needs PKCE."""

    identifier: str
    callback: str
    secret: str = ""


class OAuthError(Exception):
    """An error as the extension tells it."""

    def __init__(self, kind: str, words: str, hint: str = "", status: int = 400):
        super().__init__(kind)
        self.status = status
        self.told = {"error": kind, "error_description": words}
        if hint:
            self.told["hint"] = hint
        self.told["message"] = words


def told_of(person: Person) -> dict[str, Any]:
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
    """Refuse a verifier that the challenge was not made of (method S256)."""
    if not challenge:
        return
    if not verifier:
        raise missing("code_verifier")
    is_long_enough = _SHORTEST_VERIFIER <= len(verifier) <= _LONGEST_VERIFIER
    made = letters(sha256(verifier.encode()).digest())
    if not is_long_enough or not hmac.compare_digest(made, challenge):
        hint = "Failed to verify `code_verifier`."
        raise OAuthError("invalid_grant", _BAD_GRANT, hint)


def missing(parameter: str) -> OAuthError:
    """Return the error for a parameter that is missing or wrong."""
    return OAuthError("invalid_request", MISSING, f"Check the `{parameter}` parameter")


def part(values: Mapping[str, Any]) -> str:
    """Return a part of a token as JWTs have them."""
    return letters(json.dumps(values).encode())


def letters(data: bytes) -> str:
    """Return base64url without padding."""
    return urlsafe_b64encode(data).rstrip(b"=").decode()
