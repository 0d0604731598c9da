"""Settings of the daemon: its feed, what is found and shown, what is written, alerts."""

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from enum import Enum
from typing import Annotated, Any, ClassVar
from urllib.parse import unquote, urlsplit

from pydantic import BaseModel, Field, SecretStr, field_validator
from pydantic_settings import NoDecode

from bot.settings.values import AccountName, Names, UserPage, is_bare, is_web_address
from handlers.model import CheckKind

_LEAST_WEIGHT, _MOST_WEIGHT = 0.01, 100.0


class DaemonSettings(BaseModel):
    """What `sidenote daemon` and its parts need besides the settings of a check."""

    wikis: Names = Field(
        (),
        description="More wikis that the daemon watches besides `wiki`, separated by commas.",
    )
    stream: str = Field(
        "https://stream.wikimedia.org/v2/stream/",
        description="URL of the change feed, without the names of its streams.",
    )
    streams: Names = Field(
        ("recentchange",),
        description="Streams to listen to, separated by commas: `recentchange`, `mediawiki.page_change.v1`.",
    )
    stream_silence_s: float = Field(
        60.0,
        ge=5,
        le=3600,
        description="How long the feed may be silent before it is reconnected.",
    )
    settle_s: float = Field(
        120.0,
        ge=0,
        le=86_400,
        description="How long a page must rest after an edit before it is checked, because people often save several times in a row and undo vandalism within minutes. A page that is edited on and on is checked after half an hour.",
    )
    workers: int = Field(
        2,
        ge=1,
        le=64,
        description="Number of pages that one process checks at the same time.",
    )
    wiki_weights: Names = Field(
        (),
        description="Share of the work for each wiki when pages of several are in the queue, as `host=weight`, separated by commas; the default weight is 1. Within a wiki, all watchers have equal shares.",
    )

    patrol: Names = Field(
        (),
        description="Wikis all of whose edits are looked at, not only those of watched pages, separated by commas; `on`: all that the daemon watches. Empty: none.",
    )
    patrol_sources_per_day: int = Field(
        2000,
        ge=0,
        le=10_000_000,
        description="Number of sources that are read per day (UTC) to look at the edits of one wiki in `patrol`; further edits are counted, but not judged.",
    )

    @field_validator("wiki_weights")
    @classmethod
    def _weights_are_numbers(cls, value: tuple[str, ...]) -> tuple[str, ...]:
        for one in value:
            _weight(one)
        return value

    @property
    def weights(self) -> dict[str, float]:
        """`wiki_weights` by the host names of wikis."""
        return dict(map(_weight, self.wiki_weights))

    @field_validator("streams")
    @classmethod
    def _something_is_listened_to(cls, value: tuple[str, ...]) -> tuple[str, ...]:
        if not value or not all(
            name.replace(".", "").replace("_", "").replace("-", "").isalnum()
            for name in value
        ):
            raise ValueError("name streams such as recentchange")
        return value

    @field_validator("stream")
    @classmethod
    def _stream_is_an_address(cls, value: str) -> str:
        if not is_web_address(value) or "@" in urlsplit(value).netloc:
            raise ValueError("give an address such as https://stream.wikimedia.org/…")
        return value

    @property
    def trivial_settle_s(self) -> float:
        """`settle_s` after a change that is minor or made by a bot."""
        return 2.5 * self.settle_s

    @property
    def report_pause_s(self) -> float:
        """Shortest time between two edits of one report page."""
        return self.settle_s / 2

    @property
    def links_settle_s(self) -> float:
        """How long it may take until an edit appears in the wiki's own lists."""
        return max(2.0, self.settle_s / 8)

    @property
    def opt_in_sweep_s(self) -> float:
        """How often all opt-in pages are looked up, besides what the feed reports."""
        return max(120.0, 7.5 * self.settle_s)


def _weight(written: str) -> tuple[str, float]:
    wiki, _, number = written.partition("=")
    try:
        weight = float(number)
    except ValueError:
        weight = 0.0
    if not wiki or not _LEAST_WEIGHT <= weight <= _MOST_WEIGHT:
        raise ValueError(
            f"{written!r} is not a wiki with a weight from {_LEAST_WEIGHT} to"
            f" {_MOST_WEIGHT}, such as en.wikipedia.org=2"
        )
    return wiki, weight


_WIKI_KEY = re.compile(r"\*|file|[a-z0-9.:-]{1,253}", re.ASCII)
# The value of `handlers.citations.flags.LEAST_THRESHOLD`, whose import takes half a
# second.
LEAST_THRESHOLD = 0.5
_Threshold = Annotated[float, Field(ge=LEAST_THRESHOLD, le=1)]


class VerifierChoice(Enum):
    """The engine that judges claims; the value is its name."""

    MINILM = "minilm"
    LEXICAL = "lexical"


class FindingSettings(BaseModel):
    """Which engine judges claims, when a claim is flagged, and what is recommended instead."""

    verifier: VerifierChoice = Field(
        VerifierChoice.MINILM,
        description="The model that checks claims: `minilm` (a small network combined with lexical features) or `lexical` (only these features, five times as fast).",
    )
    recheck_days: float = Field(
        30.0,
        gt=0,
        le=3650,
        description="Days for which the result of an unchanged claim is kept. Until then its sources are not read again.",
    )
    # How many days before or after the access date an archived copy may have been
    # captured and still count as what the page said when it was cited.
    drift_days: ClassVar[int] = 180
    # How much more probable it must be that another source, or an earlier copy,
    # supports the claim than that the present citation does, for it to be recommended.
    better_margin: ClassVar[float] = 0.2
    better_claims_per_page: int = Field(
        20,
        ge=0,
        le=5000,
        description="Number of claims of a page for which the daemon searches `searches` and OpenSearch for a better source, the most urgent first; the others wait for the next check of the page. 0: none.",
    )
    # How many search results are read for one claim.
    candidates_per_claim: ClassVar[int] = 5
    # How many search results are read for all claims of a page.
    candidates_per_page: ClassVar[int] = 60
    operating_points: Annotated[
        Mapping[str, Mapping[CheckKind, _Threshold]], NoDecode
    ] = Field(
        {},
        description='Probability from which a claim is flagged, for each wiki (`*`: all) and kind of check, instead of the measured thresholds: in the settings file `[operating_points."de.wikipedia.org"]` with lines such as `"not fully supported" = 0.9` (`not supported`, `contradicted`, `outdated`, `new fact`; 0.5 to 1), in the environment the same as JSON.',
    )

    # The share of suggestions that readers of the panel must find right for them to be
    # shown.
    steering_bar: ClassVar[float] = 0.5
    # How many suggestions of a kind readers must have decided on before that changes
    # what is shown.
    steering_least: ClassVar[int] = 20
    # How many readers these must be: none of them has more than a tenth of a say.
    steering_readers: ClassVar[int] = 10
    # For how many days a reader's decision counts.
    steering_days: ClassVar[float] = 180.0

    @field_validator("operating_points", mode="before")
    @classmethod
    def _points_are_read(cls, value: Any) -> Any:
        return json.loads(value or "{}") if isinstance(value, str) else value

    @field_validator("operating_points")
    @classmethod
    def _points_name_wikis(
        cls, value: Mapping[str, Mapping[CheckKind, float]]
    ) -> Mapping[str, Mapping[CheckKind, float]]:
        for wiki in value:
            if not _WIKI_KEY.fullmatch(wiki):
                raise ValueError(f"{wiki!r} is neither a host name nor *")
        return value

    @property
    def recheck_unread_days(self) -> float:
        """How many days a result counts that depends on a source which could not be read."""
        return min(self.recheck_days, max(1.0, self.recheck_days / 10))


class UpdateSettings(BaseModel):
    """When newer facts are searched for, from which days, and for how long."""

    # How many days back newer facts are searched for, unless a day is given.
    updates_days: ClassVar[int] = 30
    updates_every_days: float = Field(
        7.0,
        gt=0,
        le=3650,
        description="Days between two searches for newer facts about a page whose watchers asked for `updates`.",
    )
    # How many queries are made and pages opened for one article at most, to find newer
    # facts.
    updates_steps: ClassVar[int] = 60
    # How long the search for newer facts of one article may take.
    updates_time_s: ClassVar[int] = 600


class DraftSettings(BaseModel):
    """The limits of a draft."""

    # How many documents are read for one draft at most.
    draft_documents: ClassVar[int] = 40
    # The length of a draft in words, roughly.
    draft_words: ClassVar[int] = 1600
    # How many sections a draft has at most, including its lead.
    draft_sections: ClassVar[int] = 8
    # How many passages of about 256 words are read for one section of a draft, or for
    # all of it if there is no outline.
    draft_chunks: ClassVar[int] = 5
    # How long the daemon may take for a draft that somebody asked for.
    draft_time_s: ClassVar[int] = 900
    drafts_per_user: int = Field(
        5,
        ge=0,
        le=1000,
        description="Number of drafts that the daemon starts per day (UTC) for one person; the others wait.",
    )
    draft_model: str = Field(
        "",
        description="Name of a model fine-tuned for drafts (`sidenote train draft`), used by `--method tuned`. The budget of the language model applies.",
    )
    draft_model_address: str = Field(
        "",
        description="Address of the OpenAI-compatible server of `draft_model`; empty for that of the language model. The key is only sent to the same server.",
    )

    @field_validator("draft_model_address")
    @classmethod
    def _draft_server_is_an_address(cls, value: str) -> str:
        if value and not is_web_address(value):
            raise ValueError("give an http(s) address, which often ends in /v1")
        if not is_bare(value):
            raise ValueError("give the bare address, without a name or a query")
        return value


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

    bot_account: AccountName = Field(
        "",
        max_length=200,
        description="User name of the bot. Empty: nothing is posted, not even in a dry run.",
    )
    bot_login: AccountName = Field(
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
    dry_run_page: UserPage = Field(
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
            if name not in {"petscan", "pagepile"} or not is_web_address(address):
                raise ValueError("write petscan= and pagepile= with http(s) addresses")
            if not is_bare(address):
                raise ValueError("give addresses without a password or a query")
        return value

    @property
    def posts_in_all(self) -> int:
        """How many talk posts a day all wikis together may get."""
        return self.posts_per_wiki * 5 // 2

    @property
    def reports_per_page(self) -> int:
        """How often a day a report, or the answer to an opt-in, may be rewritten."""
        return max(48, self.posts_per_page)


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
    status_page: UserPage = Field(
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

    @property
    def alert_ways(self) -> tuple[MailWay | str, ...]:
        """The ways named in `alerts`; a webhook is given by its address."""
        return tuple(map(_way, self.alerts.get_secret_value().split()))


def _way(written: str) -> MailWay | str:
    parts = urlsplit(written)
    _ = parts.port
    if is_web_address(written):
        return written
    address = unquote(parts.path.removeprefix("/"))
    name, _, host = address.partition("@")
    is_address = address.isascii() and address.isprintable() and name and host
    if parts.scheme != "smtp" or not parts.hostname or "@" in parts.netloc:
        raise ValueError("give smtp://SERVER/you@example.org or https://…")
    if not is_address or set(address) & set(" <>,;/"):
        raise ValueError("give one mail address, as in smtp://SERVER/you@example.org")
    return MailWay(parts.netloc, address)
