"""All settings together, and which source wins if several give a value.

Everything that is wrong with them is reported at once.
"""

import os
import re
import sys
import tomllib
from collections.abc import Iterable
from difflib import get_close_matches
from enum import Enum
from pathlib import Path
from typing import Any, ClassVar
from urllib.parse import urlsplit

from pydantic import BaseModel, Field, SecretStr, ValidationError, field_validator
from pydantic_settings import (
    BaseSettings,
    InitSettingsSource,
    PydanticBaseSettingsSource,
    SettingsConfigDict,
)

from bot.settings.daemon import (
    AlertSettings,
    DaemonSettings,
    FindingSettings,
    PostingSettings,
)
from bot.settings.language_model import LanguageModelSettings
from bot.settings.program import (
    INJECTED,
    DatabaseSettings,
    IdentitySettings,
    ProgramSettings,
)
from bot.settings.sources import SearchingSettings, SourceSettings
from bot.settings.values import AccountName, HostNames, is_bare, is_web_address
from handlers.ports import PermanentError

# Settings of the panel's backend: who may call it, and how often.


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


# Settings of drafts: how much is read for one, how long it is, and the model trained
# for it.


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


# Settings of the pages that show how the program is doing.


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


# Settings of OpenSearch, for corpora too large for one machine.


class OpenSearchSettings(BaseModel):
    """Where the cluster is; without an address there is none."""

    opensearch_address: str = Field(
        "",
        description="Address of an OpenSearch cluster for `sidenote index --opensearch`, such as `https://search.example.org:9200`. Empty: none.",
    )
    opensearch_index: str = Field(
        "sidenote",
        pattern=r"^[a-z0-9][a-z0-9_-]{0,200}$",
        description="Name of the index there, in lower case.",
    )
    opensearch_user: str = Field(
        "", description="User name for OpenSearch; empty if it needs none."
    )
    opensearch_password: SecretStr = Field(SecretStr(""), description="Its password.")
    # How long one answer of OpenSearch may take.
    opensearch_timeout_s: ClassVar[float] = 30.0

    @field_validator("opensearch_address")
    @classmethod
    def _opensearch_is_an_address(cls, value: str) -> str:
        if value and not is_web_address(value):
            raise ValueError("give an http(s) address")
        if not is_bare(value):
            raise ValueError(
                "give the bare address; name and password go into opensearch_user and"
                " SIDENOTE_OPENSEARCH_PASSWORD"
            )
        return value


# Settings of update discovery: how far back, how often, and the limits of a run.


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


# Settings for deploying the gadget: the account that may write a wiki's interface.


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


PREFIX = "SIDENOTE_"


# In reverse order, because pydantic takes the fields of the bases from last to first.
class Settings(
    GadgetSettings,
    IdentitySettings,
    AlertSettings,
    ServingSettings,
    DaemonSettings,
    DeployingSettings,
    PostingSettings,
    SearchingSettings,
    DraftSettings,
    UpdateSettings,
    OpenSearchSettings,
    LanguageModelSettings,
    FindingSettings,
    SourceSettings,
    DatabaseSettings,
    ProgramSettings,
    BaseSettings,
):
    """All settings; each field's description is its documentation in the README."""

    model_config = SettingsConfigDict(
        env_prefix=PREFIX, frozen=True, extra="forbid", validate_default=True
    )

    @classmethod
    def settings_customise_sources(
        cls,
        settings_cls: type[BaseSettings],
        init_settings: PydanticBaseSettingsSource,
        env_settings: PydanticBaseSettingsSource,
        dotenv_settings: PydanticBaseSettingsSource,  # noqa: ARG003 - the library's signature
        file_secret_settings: PydanticBaseSettingsSource,  # noqa: ARG003 - the library's signature
    ) -> tuple[PydanticBaseSettingsSource, ...]:
        """Let the environment override the file's values, which are given as arguments.

        What the hosting platform sets for every program has the lowest priority.
        """
        given = {name: os.environ.get(theirs) for name, theirs in INJECTED.items()}
        injected = {name: value for name, value in given.items() if value}
        return env_settings, init_settings, InitSettingsSource(settings_cls, injected)

    @property
    def database_url(self) -> str:
        """The store's address: as set, in ToolsDB, or a SQLite file in the data folder."""
        if self.uses_toolsdb:
            return self.toolsdb_url
        return self.database or f"sqlite:///{self.data_dir / 'sidenote.sqlite'}"


_MAX_FILE_BYTES = 100_000
_GONE = frozenset({"doubt_from", "doubt_to"})  # the budget now decides this
_SECRETS = tuple(
    name
    for name, field in Settings.model_fields.items()
    if field.annotation is SecretStr
)
# Even a wrong value of one of these may contain a password.
_NEVER_SHOWN = frozenset(
    {
        "database",
        "draft_model_address",
        "language_model_address",
        "opensearch_address",
        "search_addresses",
        "search_feeds",
        *_SECRETS,
    }
)


class SettingsError(PermanentError):
    """The settings cannot be used; the message names each error and how to fix it."""


def load_settings(file: Path | None) -> Settings:
    """Return the settings of `file` (if given) and the environment.

    Raises:
        SettingsError: a value, a name or the file is wrong; the message has one line
            for each error.
    """
    values = _without_fixed(_flat(_read(file)), f" in {file}") if file else {}
    _without_fixed(
        {
            name.removeprefix(PREFIX).lower(): None
            for name in os.environ
            if name.startswith(PREFIX)
        },
        " in the environment",
    )
    for secret in _SECRETS:
        if secret in values:
            raise SettingsError(
                f"{secret} in {file}: a key does not belong in a file; remove it and"
                f" set {PREFIX}{secret.upper()} in the environment"
            )
    _refuse_slips_of_the_pen(os.environ)
    try:
        return Settings(**values)
    except ValidationError as error:
        raise SettingsError(_explain(error, values, file)) from error


def _flat(values: dict[str, Any]) -> dict[str, Any]:
    """Accept `account` in `[bot]` for `bot_account`; either form is allowed."""
    flat: dict[str, Any] = {}
    for name, value in values.items():
        if isinstance(value, dict) and name not in Settings.model_fields:
            flat |= {f"{name}_{inner}": each for inner, each in value.items()}
        else:
            flat[name] = value
    return flat


def _is_fixed(name: str) -> bool:
    """Return whether `name` is a former setting that the program now decides itself."""
    is_own = any(
        name in vars(base)
        for base in Settings.__mro__
        if base.__module__.startswith("bot.settings.")
    )
    is_fixed = is_own and name not in Settings.model_fields and name[0] != "_"
    return is_fixed or name in _GONE


def _without_fixed(values: dict[str, Any], where: str) -> dict[str, Any]:
    """Leave out former settings with a warning; an update must not stop a bot."""
    for name in filter(_is_fixed, values):
        sys.stderr.write(
            f"Note: {name}{where} is no longer a setting and has no effect; the program"
            " decides it. Remove it.\n"
        )
    return {name: value for name, value in values.items() if not _is_fixed(name)}


def _refuse_slips_of_the_pen(names: Iterable[str]) -> None:
    """Refuse misspelt variables, as misspelt names in the file are."""
    known = [f"{PREFIX}{name.upper()}" for name in Settings.model_fields]
    for name in names:
        is_old = _is_fixed(name.removeprefix(PREFIX).lower())
        if name.startswith(PREFIX) and name not in known and not is_old:
            meant = get_close_matches(name, known, n=1, cutoff=0.85)
            if meant:
                raise SettingsError(
                    f"{name}: there is no such setting; did you mean {meant[0]}?"
                )


def _read(file: Path) -> dict[str, Any]:
    try:
        with file.open("rb") as opened:
            content = opened.read(_MAX_FILE_BYTES + 1)
        if len(content) > _MAX_FILE_BYTES:
            raise SettingsError(
                f"the settings file {file} is larger than {_MAX_FILE_BYTES:,} bytes;"
                " check its path"
            )
        return tomllib.loads(content.decode("utf-8-sig"))  # editors may add a BOM
    except FileNotFoundError as error:
        raise SettingsError(
            f"the settings file {file} does not exist; create it, or omit --settings"
        ) from error
    except OSError as error:
        raise SettingsError(
            f"the settings file {file} cannot be read ({error.strerror}); check its"
            " path and permissions"
        ) from error
    except (ValueError, RecursionError) as error:
        raise SettingsError(
            f"the settings file {file} is not TOML: {error}; write lines such as"
            ' wiki = "en.wikipedia.org"'
        ) from error


def _explain(error: ValidationError, values: dict[str, Any], file: Path | None) -> str:
    lines = []
    for fault in error.errors():
        message = fault["msg"].removeprefix("Value error, ")
        if not fault["loc"]:  # contradictory settings; the message names them
            lines.append(masked(message))
            continue
        name = str(fault["loc"][0])
        where = (
            f"{name} in {file}"
            if name in values and file
            else f"{PREFIX}{name.upper()}"
        )
        if fault["type"] == "extra_forbidden":
            lines.append(f"{where}: there is no such setting; {_meant(name)}")
            continue
        value = "" if name in _NEVER_SHOWN else f" = {fault['input']!r}"
        lines.append(masked(f"{where}{value}: {message}"))
    return "\n".join(lines)


def _meant(name: str) -> str:
    """Return advice about an unknown name; `sidenote settings` itself needs a valid file."""
    near = get_close_matches(name, Settings.model_fields, n=1)
    if near:
        return f"did you mean {near[0]}?"
    return "remove it; `sidenote settings` without this file shows all settings"


# Settings as people may see them: no secrets, and no password or key in an address.

# In a web address, nothing before an "@" is useful to people, and keys are in the
# query.
_WEB_USER = re.compile(r"(?i)(\bhttps?://)[^/?#\s]*@")
_WEB_QUERY = re.compile(r"(?i)(\bhttps?://[^\s?'\"]*)\?[^\s'\"]+")
# In a database's address the user is kept. A password may contain any character, so it
# ends at the last "@"; the options may contain a password, too.
_PASSWORD = re.compile(r"(?i)(\b(?!https?:)[a-z][a-z0-9+.-]*://[^:@/\s]*):\S*@")
_OPTIONS = re.compile(r"(?i)(\b(?!https?:)[a-z][a-z0-9+.-]*://[^\s?'\"]*)\?[^\s'\"]+")


def shown(value: object) -> str:
    """Return a setting's value for display, without the secrets in an address."""
    return masked(str(value.value if isinstance(value, Enum) else value))


def masked(text: str) -> str:
    """Return `text` without the passwords and keys in its addresses."""
    text = _WEB_QUERY.sub(r"\1?***", _WEB_USER.sub(r"\1***@", text))
    return _OPTIONS.sub(r"\1?***", _PASSWORD.sub(r"\1:***@", text))
