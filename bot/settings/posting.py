"""Settings of what is written: the account, whether to write, how much, and alerts."""

import re
from dataclasses import dataclass
from enum import Enum
from urllib.parse import unquote, urlsplit

from pydantic import BaseModel, Field, SecretStr, field_validator


class Posting(Enum):
    """Where posts go."""

    DRY = "dry"  # to a folder, for the operator to read
    LIVE = "live"  # to the wiki


def tokens_of(written: SecretStr) -> dict[str, str]:
    """Return the tokens of watchlists by user.

    Raises:
        ValueError: it is not a list of users and tokens; the message does not show its
            value.
    """
    found: dict[str, str] = {}
    for part in written.get_secret_value().split(";"):
        user, is_pair, token = (piece.strip() for piece in part.rpartition("="))
        if not part.strip():
            continue
        if not user or not is_pair or not _TOKEN.fullmatch(token):
            raise ValueError("write `User=token; Other user=token`, with whole tokens")
        name = " ".join(user.replace("_", " ").split())
        found[name[0].upper() + name[1:]] = token
    return found


def list_addresses(written: str) -> dict[str, str]:
    """Return the addresses of services that keep lists of pages, by name."""
    pairs = (part.partition("=") for part in written.replace(",", " ").split())
    return {name: address for name, _, address in pairs}


_TOKEN = re.compile(r"[0-9a-fA-F]{20,64}")


class PostingSettings(BaseModel):
    """The bot's account and its limits."""

    bot_account: str = Field(
        "",
        max_length=200,
        description="User name of the bot. Empty: nothing is posted, not even in a dry run.",
    )
    bot_login: str = Field(
        "",
        max_length=200,
        description="Name for logging in, such as `ExampleBot@sidenote` for a bot password. Empty: the user name of the bot.",
    )
    bot_password: SecretStr = Field(
        SecretStr(""),
        description="Its (bot) password. Empty: requests are signed with the four OAuth tokens in `SIDENOTE_OAUTH`, through Pywikibot's `user-config.py` in the current folder.",
    )
    bot_secret: SecretStr = Field(
        SecretStr(""),
        description="A secret of at least 16 bytes by which the bot recognises its own posts. Several may be separated by spaces: the first signs new posts, all are recognised.",
    )
    bot_watchlist_token: SecretStr = Field(
        SecretStr(""),
        description="Token of the watchlist of the bot, from its preferences. The articles on it are checked, but their notes are not posted. Empty: not used.",
    )
    watchlist_tokens: SecretStr = Field(
        SecretStr(""),
        description="Watchlist tokens that people gave you privately, as `Ada Lovelace=0123…; Bob=4567…`. The watchlist of each who also writes `watchlist = yes` in their opt-in is watched. Empty: none.",
    )
    list_services: str = Field(
        "petscan=https://petscan.wmcloud.org/ pagepile=https://pagepile.toolforge.org/api.php",
        description="URLs of PetScan and PagePile, whose lists people can use in their opt-ins. A service that is not listed is not used.",
    )
    posting: Posting = Field(
        Posting.DRY,
        description="`dry` (posts are only written to `data_dir`) or `live`.",
    )
    dry_run_page: str = Field(
        "",
        max_length=250,
        description="Title of a user page on `wiki`, such as `User:You/Sidenote dry run`, that also shows what a dry run would have posted. It is written only with `posting` = `dry`, `bot_account` and `bot_password` (or `SIDENOTE_OAUTH`) set and `run` on `User:<bot_account>/Run/dry-run`. Empty: none is.",
    )
    posting_pause_s: float = Field(
        10.0, ge=0, le=3600, description="Pause between two writes to a wiki."
    )
    posts_per_page: int = Field(
        2, ge=0, description="Limit of talk posts per page and day (UTC)."
    )
    posts_per_user: int = Field(
        20, ge=0, description="Limit of talk posts per user and day."
    )
    posts_per_wiki: int = Field(
        200, ge=0, description="Limit of talk posts per wiki and day."
    )

    community_page: str = Field(
        "MediaWiki:Sidenote.json",
        min_length=1,
        max_length=250,
        description="Title of the JSON page on which the community of each wiki configures the bot. Outside `MediaWiki:` its name must not end in `.json`, or only its owner can edit it.",
    )

    @field_validator("community_page")
    @classmethod
    def _community_can_edit_its_page(cls, value: str) -> str:
        space, colon, name = value.strip().partition(":")
        if not value.isprintable() or set("#<>[]|{}") & set(value):
            raise ValueError("give the title of a page")
        is_code = name.lower().endswith((".json", ".js", ".css"))
        if not colon or (is_code and space.lower() != "mediawiki"):
            raise ValueError(
                "give a title such as MediaWiki:Sidenote.json or Project:Sidenote"
            )
        return value.strip()

    @field_validator("watchlist_tokens")
    @classmethod
    def _tokens_are_of_people(cls, value: SecretStr) -> SecretStr:
        tokens_of(value)
        return value

    @field_validator("list_services")
    @classmethod
    def _list_services_are_addresses(cls, value: str) -> str:
        for name, address in list_addresses(value).items():
            parts = urlsplit(address)
            is_web = parts.scheme in {"http", "https"} and parts.netloc
            if name not in {"petscan", "pagepile"} or not is_web:
                raise ValueError("write petscan= and pagepile= with http(s) addresses")
            if "@" in parts.netloc or parts.query:
                raise ValueError("give addresses without a password or a query")
        return value

    @field_validator("dry_run_page")
    @classmethod
    def _dry_run_page_is_a_title(cls, value: str) -> str:
        return user_page(value)

    @field_validator("bot_account", "bot_login")
    @classmethod
    def _bot_is_one_line(cls, value: str) -> str:
        if not value.isprintable() or set("#<>[]|{}/:") & set(value):
            raise ValueError("give the name of an account, without “User:”")
        return value.strip()

    @property
    def posts_in_all(self) -> int:
        """How many talk posts a day all wikis together may get."""
        return self.posts_per_wiki * 5 // 2

    @property
    def reports_per_page(self) -> int:
        """How often a day a report, or the answer to an opt-in, may be rewritten."""
        return max(48, self.posts_per_page)


def user_page(value: str) -> str:
    """Return the title of a user page as the wiki writes it; empty stays empty.

    Raises:
        ValueError: the title has no namespace.
    """
    title = value.replace("_", " ").strip()
    space, colon, name = title.partition(":")
    is_title = value.isprintable() and not set("#<>[]|{}") & set(value)
    if title and not (is_title and colon and space and name.strip()):
        raise ValueError("give a title such as User:You/Sidenote")
    return title


@dataclass(frozen=True, slots=True)
class MailWay:
    """A mail server that takes mail without a login, and who gets the mail."""

    server: str
    address: str


class AlertSettings(BaseModel):
    """Where an alert is sent; what is not set is not used."""

    alerts: SecretStr = Field(
        SecretStr(""),
        description="Who is notified when something goes wrong (account blocked, task stopped, budget spent, queue stalled), and when it is over: `smtp://SERVER/you@example.org` for a mail through a server that takes it without a login (on Toolforge `mail.tools.wmcloud.org`), `https://…` for a webhook that is sent JSON; several with spaces between.",
    )
    status_page: str = Field(
        "",
        max_length=250,
        description="Title of a user page on `wiki`, such as `User:You/Sidenote status`, on which a bot that posts reports its state. It is written if `run` is on `User:<bot_account>/Run/status`. Empty: none is.",
    )

    @field_validator("alerts")
    @classmethod
    def _alerts_are_addresses(cls, value: SecretStr) -> SecretStr:
        for one in value.get_secret_value().split():
            _way(one)
        return value

    @field_validator("status_page")
    @classmethod
    def _status_page_is_a_title(cls, value: str) -> str:
        return user_page(value)

    @property
    def alert_ways(self) -> tuple[MailWay | str, ...]:
        """The ways named in `alerts`; a webhook is given by its address."""
        return tuple(map(_way, self.alerts.get_secret_value().split()))


def _way(written: str) -> MailWay | str:
    parts = urlsplit(written)
    _ = parts.port
    if parts.scheme in {"http", "https"} and parts.hostname:
        return written
    address = unquote(parts.path.removeprefix("/"))
    name, _, host = address.partition("@")
    is_address = address.isascii() and address.isprintable() and name and host
    if parts.scheme != "smtp" or not parts.hostname or "@" in parts.netloc:
        raise ValueError("give smtp://SERVER/you@example.org or https://…")
    if not is_address or set(address) & set(" <>,;/"):
        raise ValueError("give one mail address, as in smtp://SERVER/you@example.org")
    return MailWay(parts.netloc, address)
