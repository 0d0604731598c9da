"""Settings of how readers of the panel say who they are."""

from typing import Annotated, Any, ClassVar
from urllib.parse import urlsplit

from pydantic import BaseModel, Field, SecretStr, field_validator
from pydantic_settings import NoDecode

_LOCAL = frozenset({"localhost", "127.0.0.1", "::1"})


class IdentitySettings(BaseModel):
    """Where wikis send people back, and as what we are known there."""

    panel_address: str = Field(
        "",
        max_length=300,
        description="Address under which browsers find the panel's backend, such as `https://sidenote.toolforge.org`. A client of OAuth is registered with this and `/oauth/callback`. Empty: nobody signs in by OAuth.",
    )
    oauth_clients: Annotated[tuple[str, ...], NoDecode] = Field(
        (),
        description="Ids of the OAuth 2 clients as which wikis know the panel, such as `en.wikipedia.org=0123abcd`, separated by commas. Readers of other wikis sign in by an edit to a page of their own.",
    )
    oauth_client_secrets: SecretStr = Field(
        SecretStr(""),
        description="Their secrets, likewise with commas between, where a client is a confidential one; a public client has none.",
    )
    # For how many days a reader stays signed in to the panel.
    session_days: ClassVar[int] = 30

    @field_validator("panel_address")
    @classmethod
    def _panel_is_safe(cls, value: str) -> str:
        text = value.strip().rstrip("/")
        if not text:
            return ""
        parts = urlsplit(text)
        is_safe = parts.scheme == "https" or (
            parts.scheme == "http" and parts.hostname in _LOCAL
        )
        if not is_safe or not parts.hostname or parts.query or parts.fragment:
            raise ValueError("give an address that begins with https://")
        if "@" in parts.netloc or not text.isascii() or not text.isprintable():
            raise ValueError("give an address without a name or password in it")
        return text

    @field_validator("oauth_clients", mode="before")
    @classmethod
    def _clients_are_listed(cls, value: Any) -> Any:
        return tuple(_listed(value)) if isinstance(value, str) else value

    @field_validator("oauth_clients")
    @classmethod
    def _each_client_has_its_wiki(cls, value: tuple[str, ...]) -> tuple[str, ...]:
        pairs_of(value)
        return value

    @field_validator("oauth_client_secrets")
    @classmethod
    def _each_secret_has_its_wiki(cls, value: SecretStr) -> SecretStr:
        pairs_of(_listed(value.get_secret_value()))
        return value

    def clients(self) -> dict[str, tuple[str, str]]:
        """Return the id and the secret, which may be empty, by the wiki's host."""
        own = pairs_of(_listed(self.oauth_client_secrets.get_secret_value()))
        return {
            wiki: (identifier, own.get(wiki, ""))
            for wiki, identifier in pairs_of(self.oauth_clients).items()
        }


def pairs_of(listed: "list[str] | tuple[str, ...]") -> dict[str, str]:
    """Return what stands behind the name of each wiki.

    Raises:
        ValueError: something else stands there.
    """
    pairs = {}
    for each in listed:
        wiki, sign, rest = each.partition("=")
        if not sign or not wiki or not rest or not each.isascii():
            raise ValueError("write pairs such as en.wikipedia.org=0123abcd")
        pairs[wiki.lower()] = rest
    return pairs


def _listed(value: str) -> list[str]:
    return value.replace(",", " ").split()
