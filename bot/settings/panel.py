"""Settings of what readers and operators open: the panel, its sign-in, the status pages."""

from collections.abc import Iterable
from typing import ClassVar
from urllib.parse import urlsplit

from pydantic import BaseModel, Field, SecretStr, field_validator

from bot.settings.values import AccountName, HostNames, Names, names_in

_LOCAL = frozenset({"localhost", "127.0.0.1", "::1"})


class IdentitySettings(BaseModel):
    """The address that wikis redirect to after sign-in, and our OAuth clients there."""

    panel_address: str = Field(
        "",
        max_length=300,
        description="Public URL of the backend of the panel, such as `https://sidenote.toolforge.org`. Register OAuth clients with this URL followed by `/oauth/callback`. Empty: no sign-in by OAuth.",
    )
    oauth_clients: Names = Field(
        (),
        description="Ids of the OAuth 2 clients of the panel on each wiki, such as `en.wikipedia.org=0123abcd`, separated by commas. On wikis with neither a client nor a place in `proof_wikis`, readers cannot sign in.",
    )
    proof_wikis: HostNames = Field(
        (),
        description="Host names of wikis without OAuth whose readers may sign in by an edit to a page in their user space, separated by commas. The risk: if a form of the wiki, such as a gadget's, lets a link fill in an edit summary of two lines, whoever persuades a reader to open that link and save signs in under the reader's name. Prefer OAuth.",
    )
    oauth_client_secrets: SecretStr = Field(
        SecretStr(""),
        description="Secrets of the confidential clients, in the same form; a public client has none.",
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

    @field_validator("oauth_clients")
    @classmethod
    def _each_client_has_its_wiki(cls, value: tuple[str, ...]) -> tuple[str, ...]:
        _pairs(value)
        return value

    @field_validator("oauth_client_secrets")
    @classmethod
    def _each_secret_has_its_wiki(cls, value: SecretStr) -> SecretStr:
        _pairs(names_in(value.get_secret_value()))
        return value

    def clients(self) -> dict[str, tuple[str, str]]:
        """Return the id and the secret, which may be empty, by the wiki's host."""
        own = _pairs(names_in(self.oauth_client_secrets.get_secret_value()))
        return {
            wiki: (identifier, own.get(wiki, ""))
            for wiki, identifier in _pairs(self.oauth_clients).items()
        }


def _pairs(listed: Iterable[str]) -> dict[str, str]:
    """Return the value of each `wiki=value` pair, by wiki.

    Raises:
        ValueError: an entry is not such a pair.
    """
    pairs = {}
    for each in listed:
        wiki, sign, rest = each.partition("=")
        if not sign or not wiki or not rest or not each.isascii():
            raise ValueError("write pairs such as en.wikipedia.org=0123abcd")
        pairs[wiki.lower()] = rest
    return pairs


class GadgetSettings(BaseModel):
    """Which websites may call the panel's API, and how often."""

    gadget_origins: HostNames = Field(
        (),
        description="More origins, such as `https://wiki.example.org`, whose pages may use the API of the panel, separated by commas. The watched wikis, and the mobile sites of Wikimedia's, always may.",
    )
    gadget_trusts_proxy: bool = Field(
        False,
        description="Whether all requests come through your own proxy. Then the last address in `X-Forwarded-For` is the client, and `X-Forwarded-Proto` its protocol. Without a proxy anyone could forge these headers.",
    )
    gadget_reads: int = Field(
        600,
        ge=0,
        description="Requests per minute that one address (for IPv6, one network) may send to the API of the panel; 0: no limit, for a proxy that hides the client.",
    )
    # How many decisions and judgements one reader may send in a minute.
    gadget_writes: ClassVar[int] = 60
    # How many checks of pages one reader may ask for in a minute.
    gadget_looks: ClassVar[int] = 6
    # How many readers may follow checks at the same time, each over an open connection.
    gadget_streams: ClassVar[int] = 200

    gadget_tag_language: str = Field(
        "",
        max_length=20,
        description="Language of the Wikipedia whose maintenance templates (`{{failed verification}}` and others) a wiki outside Wikimedia uses: `en`, `de` or `ar`. Empty: none are offered there.",
    )

    @field_validator("gadget_origins")
    @classmethod
    def _origins_are_whole(cls, value: tuple[str, ...]) -> tuple[str, ...]:
        for origin in value:
            if not _is_origin(origin):
                raise ValueError(
                    "give origins such as https://wiki.example.org, without a slash at"
                    " the end and without `*`"
                )
        return value

    @property
    def gadget_sign_ins(self) -> int:
        """How many sign-ins a minute one address may begin; 0: no limit."""
        return 20 if self.gadget_reads else 0

    @property
    def gadget_streams_per_address(self) -> int:
        """How many readers at one address may follow a check at the same time."""
        return 10 if self.gadget_reads else self.gadget_streams


def _is_origin(text: str) -> bool:
    try:
        parts = urlsplit(text)
        _ = parts.port
    except ValueError:
        return False
    is_bare = text == f"{parts.scheme}://{parts.netloc}" and not set(text) & set("*@,")
    return is_bare and parts.scheme in {"http", "https"} and bool(parts.hostname)


class ServingSettings(BaseModel):
    """Where these pages are served, and when the program counts as unwell."""

    serve_host: str = Field(
        "127.0.0.1",
        min_length=1,
        max_length=255,
        description="Address on which the status server listens. Anyone who can reach it sees everything except secrets, so keep it on loopback unless you intend that.",
    )
    serve_port: int = Field(
        8137,
        ge=0,
        le=65_535,
        description="Port of the status server; 0: any free port.",
    )
    serve_names: HostNames = Field(
        (),
        description="Host names, separated by commas, that a proxy in front of the status server uses; other names are only accepted if it does not listen on loopback.",
    )
    heartbeat_s: float = Field(
        15.0,
        ge=0.1,
        le=600,
        description="How often each process records a heartbeat in the database; after three missed ones it counts as stopped.",
    )
    # How far behind the change feed may be before `/healthz` reports a problem.
    lag_limit_s: ClassVar[float] = 600.0

    @field_validator("serve_host")
    @classmethod
    def _host_is_bare(cls, value: str) -> str:
        if not value.isascii() or set(value) & set("/ \\@#?"):
            raise ValueError("give an address such as 127.0.0.1, or a host name")
        return value


class DeployingSettings(BaseModel):
    """An account other than the bot's, which a person uses for `sidenote gadget deploy`."""

    deploy_account: AccountName = Field(
        "",
        max_length=200,
        description="Account for `sidenote gadget deploy`: that of an interface administrator, never the bot.",
    )
    deploy_login: AccountName = Field(
        "",
        max_length=200,
        description="Name for logging in, such as `You@deploy` for a bot password with the rights to edit pages and the interface. Empty: the name of the account.",
    )
    deploy_password: SecretStr = Field(
        SecretStr(""), description="Its (bot) password; only needed for deploying."
    )
