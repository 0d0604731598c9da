"""Every setting of the program: one frozen value from file, environment, defaults.

A value comes from the environment (`SIDENOTE_WIKI=…`) before the settings file
(`wiki = "…"` in `sidenote.toml`) before its default. What is wrong is told with
the setting's name, its value and the remedy, all at once, before any work.
"""

import json
import os
import re
import tomllib
from collections.abc import Iterable, Mapping
from decimal import Decimal
from difflib import get_close_matches
from enum import Enum
from ipaddress import ip_address
from pathlib import Path
from typing import Annotated, Any, Self
from urllib.parse import urlsplit

from pydantic import (
    Field,
    SecretStr,
    ValidationError,
    field_validator,
    model_validator,
)
from pydantic_settings import (
    BaseSettings,
    NoDecode,
    PydanticBaseSettingsSource,
    SettingsConfigDict,
)

from handlers.citations.flagging import LEAST_THRESHOLD
from handlers.model import CheckKind
from handlers.ports import PermanentError

_PREFIX = "SIDENOTE_"
_MAX_PORT = 65535
_MAX_FILE_BYTES = 100_000
_SECRET = "language_model_key"  # noqa: S105 - its name
# A wrong value of one of these can hold a password all the same.
_NEVER_SHOWN = frozenset({"database", "language_model_address", _SECRET})
_WIKI_KEY = re.compile(r"\*|file|[a-z0-9.:-]{1,253}", re.ASCII)
_Threshold = Annotated[float, Field(ge=LEAST_THRESHOLD, le=1)]


class SettingsError(PermanentError):
    """The settings cannot be used; the message names each fault and its remedy."""


class LogFormat(Enum):
    """How log lines look."""

    AUTO = "auto"  # readable in a terminal, JSON elsewhere
    READABLE = "readable"
    JSON = "json"


class JsonSupport(Enum):
    """How far a language model's server can be told to answer in JSON."""

    AUTO = "auto"  # the strongest, and weaker ones once the server refuses it
    SCHEMA = "schema"
    OBJECT = "object"
    NONE = "none"


class LogLevel(Enum):
    """The least important line that is still logged."""

    DEBUG = "debug"
    INFO = "info"
    WARNING = "warning"
    ERROR = "error"


class Settings(BaseSettings):
    """All settings; each field's description is its documentation in the README."""

    model_config = SettingsConfigDict(
        env_prefix=_PREFIX, frozen=True, extra="forbid", validate_default=True
    )

    wiki: str = Field(
        "en.wikipedia.org",
        description="The wiki that titles belong to: a host name, or an address such as `http://127.0.0.1:8180`.",
    )
    contact: str = Field(
        "",
        description="How a site's operator reaches you (e-mail or user page); sent in the User-Agent of every request. Wikimedia requires it.",
    )
    data_dir: Path = Field(
        Path("~/.local/share/sidenote"),
        description="Folder for the database and for the cache of sources that were read.",
    )
    database: str = Field(
        "",
        description="SQLAlchemy address of the store, such as `mysql+pymysql://…`. Empty: a SQLite file in `data_dir`.",
    )
    log_format: LogFormat = Field(
        LogFormat.AUTO,
        description="`auto` (readable in a terminal, JSON elsewhere), `readable` or `json`.",
    )
    log_level: LogLevel = Field(
        LogLevel.WARNING, description="`debug`, `info`, `warning` or `error`."
    )
    wiki_timeout_s: float = Field(
        20.0, gt=0, le=300, description="How long one answer of the wiki may take."
    )
    source_timeout_s: float = Field(
        30.0, gt=0, le=300, description="How long reading one source may take in all."
    )
    source_max_bytes: int = Field(
        20_000_000,
        ge=10_000,
        le=500_000_000,
        description="Size up to which a source is read, both as sent and decompressed.",
    )
    source_redirects: int = Field(
        5, ge=0, le=20, description="How many redirects are followed."
    )
    hosts_at_once: int = Field(
        8, ge=1, le=64, description="How many sites are read at the same time."
    )
    host_delay_s: float = Field(
        2.0,
        ge=0,
        le=120,
        description="Pause between two requests to the same site; robots.txt can lengthen it.",
    )
    cache_max_age_h: float = Field(
        24.0,
        ge=0,
        description="Age up to which a source that was read is used again without asking its site.",
    )
    cache_max_bytes: int = Field(
        1_000_000_000,
        ge=1_000_000,
        description="Size of the cache of sources; the oldest go first.",
    )
    archive_service: str = Field(
        "https://archive.org/wayback/available",
        description="Address of the Wayback availability service, which finds archived copies of pages that are gone.",
    )
    drift_days: int = Field(
        180,
        ge=0,
        le=3650,
        description="How many days before or after the access date an archived copy may be captured and still show what the page said when it was cited.",
    )
    better_margin: float = Field(
        0.2,
        ge=0,
        le=1,
        description="By how much the probability of support by another source, or by an earlier copy, must exceed the present citation's before it is recommended.",
    )
    candidates_per_claim: int = Field(
        5,
        ge=1,
        le=50,
        description="How many of the pages that a search found are read for one claim.",
    )
    candidates_per_page: int = Field(
        60,
        ge=1,
        le=5000,
        description="How many of the pages that a search found are read for all claims of a page.",
    )
    extraction_timeout_s: float = Field(
        10.0,
        gt=0,
        le=120,
        description="How long turning one source into text may take before it is stopped.",
    )
    extraction_max_bytes: int = Field(
        1_000_000_000,
        ge=200_000_000,
        description="Memory that the process which turns sources into text may use.",
    )
    internal_addresses: Annotated[tuple[str, ...], NoDecode] = Field(
        (),
        description="Internal addresses that sources may be read from nevertheless, as `host:port` with commas between them, for a wiki and its sources on your own network. Empty: none.",
    )

    operating_points: Annotated[
        Mapping[str, Mapping[CheckKind, _Threshold]], NoDecode
    ] = Field(
        {},
        description='From which probability a claim is flagged, for each wiki (`*`: all) and kind of check, where other thresholds are wanted than those measured: in the settings file `[operating_points."de.wikipedia.org"]` with lines such as `"not fully supported" = 0.9` (`not supported`, `contradicted`; 0.5 to 1), in the environment the same as JSON.',
    )

    language_model_address: str = Field(
        "",
        description="Address of an OpenAI-compatible server, such as `http://127.0.0.1:11434/v1`, that doubtful claims are put to. Empty: no language model is asked.",
    )
    language_model_name: str = Field(
        "", description="Name of the model there, such as `qwen3:14b`."
    )
    language_model_key: SecretStr = Field(
        SecretStr(""),
        description="Key for that server, where it wants one. Taken from the environment alone, never from a file, and never shown.",
    )
    language_model_timeout_s: float = Field(
        60.0, gt=0, le=600, description="How long one answer of the model may take."
    )
    language_model_input_price: Decimal = Field(
        Decimal(0),
        ge=0,
        le=10_000,
        description="What a million input tokens cost, in the currency of the budget.",
    )
    language_model_output_price: Decimal = Field(
        Decimal(0), ge=0, le=10_000, description="What a million output tokens cost."
    )
    language_model_budget: Decimal = Field(
        Decimal("0.50"),
        ge=0,
        le=1_000_000,
        description="Money that one run may spend on the model. A request that could pass it at worst is not sent.",
    )
    language_model_calls: int = Field(
        200,
        ge=0,
        le=1_000_000,
        description="Requests that one run may send to the model, repeated ones included.",
    )
    language_model_input_tokens: int = Field(
        6_000,
        ge=1_000,
        le=1_000_000,
        description="About how many tokens one question may have, several claims and excerpts of their source together.",
    )
    language_model_output_tokens: int = Field(
        2_000,
        ge=100,
        le=200_000,
        description="How many tokens one answer may have; models that reason first need more.",
    )
    language_model_json: JsonSupport = Field(
        JsonSupport.AUTO,
        description="How the server is told to answer in JSON: `schema`, `object`, `none`, or `auto` (the strongest that it takes).",
    )
    language_model_at_once: int = Field(
        4, ge=1, le=64, description="How many questions the model is asked at once."
    )
    language_model_cache_max_bytes: int = Field(
        50_000_000,
        ge=1_000_000,
        description="Size of the cache of its answers, in `data_dir`; the oldest go first.",
    )
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
        "", description="User name at OpenSearch; empty where it asks for none."
    )
    opensearch_password: SecretStr = Field(
        SecretStr(""), description="The password that goes with it."
    )
    opensearch_timeout_s: float = Field(
        30.0, gt=0, le=300, description="How long one answer of OpenSearch may take."
    )
    doubt_from: float = Field(
        0.2,
        ge=0,
        le=1,
        description="Claims whose probability of being supported is at least this, and at most `doubt_to`, are doubtful: only they are put to a language model.",
    )
    doubt_to: float = Field(0.8, ge=0, le=1, description="See `doubt_from`.")

    @field_validator("wiki")
    @classmethod
    def _wiki_is_a_host(cls, value: str) -> str:
        parts = urlsplit(value if "://" in value else f"https://{value}")
        if not parts.hostname or " " in value or parts.scheme not in {"http", "https"}:
            raise ValueError("give a host name such as en.wikipedia.org")
        return value

    @field_validator("archive_service")
    @classmethod
    def _archive_is_an_address(cls, value: str) -> str:
        parts = urlsplit(value)
        if parts.scheme not in {"http", "https"} or not parts.netloc:
            raise ValueError("give an http(s) address")
        return value

    @field_validator("language_model_address")
    @classmethod
    def _server_is_an_address(cls, value: str) -> str:
        parts = urlsplit(value)
        if value and (parts.scheme not in {"http", "https"} or not parts.hostname):
            raise ValueError("give an http(s) address, which often ends in /v1")
        if parts.username or parts.password or parts.query or parts.fragment:
            raise ValueError(
                "give the bare address, without a name, a password or a query; a key"
                " goes into SIDENOTE_LANGUAGE_MODEL_KEY"
            )
        return value

    @field_validator("language_model_key")
    @classmethod
    def _key_fits_a_header(cls, value: SecretStr) -> SecretStr:
        key = value.get_secret_value()
        if not key.isascii() or not key.isprintable() or " " in key:
            raise ValueError("use printable ASCII characters without spaces")
        return value

    @model_validator(mode="after")
    def _model_is_whole(self) -> Self:
        if self.language_model_address and not self.language_model_name:
            raise ValueError(
                "SIDENOTE_LANGUAGE_MODEL_NAME: an address of a language model is set;"
                " give the model's name there, too"
            )
        if self.language_model_key.get_secret_value() and not self._is_key_safe():
            raise ValueError(
                "SIDENOTE_LANGUAGE_MODEL_ADDRESS: a key is not sent in the open; give an"
                " https address (http only to this machine or a private IP address)"
            )
        if self.doubt_from > self.doubt_to:
            raise ValueError("SIDENOTE_DOUBT_FROM: give no more than SIDENOTE_DOUBT_TO")
        return self

    def _is_key_safe(self) -> bool:
        parts = urlsplit(self.language_model_address)
        if parts.scheme != "http":
            return True
        host = parts.hostname or ""
        try:
            return ip_address(host).is_private
        except ValueError:
            return host == "localhost"

    @field_validator("opensearch_address")
    @classmethod
    def _opensearch_is_an_address(cls, value: str) -> str:
        parts = urlsplit(value)
        if value and (parts.scheme not in {"http", "https"} or not parts.netloc):
            raise ValueError("give an http(s) address")
        return value

    @field_validator("contact")
    @classmethod
    def _contact_fits_a_header(cls, value: str) -> str:
        if not value.isprintable() or not value.isascii():
            raise ValueError("use printable ASCII characters on one line")
        return value

    @field_validator("internal_addresses")
    @classmethod
    def _addresses_have_ports(cls, value: tuple[str, ...]) -> tuple[str, ...]:
        for address in value:
            _host_and_port(address)
        return value

    @field_validator("internal_addresses", mode="before")
    @classmethod
    def _list_is_read(cls, value: Any) -> Any:
        """Take a JSON list, or the addresses with commas between them."""
        if not isinstance(value, str):
            return value
        if value.strip().startswith("["):
            return json.loads(value)
        return tuple(part.strip() for part in value.split(",") if part.strip())

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

    @field_validator("database")
    @classmethod
    def _database_is_of_a_known_kind(cls, value: str) -> str:
        if value and not value.startswith(("sqlite", "mysql", "mariadb")):
            raise ValueError(
                "give an address such as sqlite:////folder/sidenote.sqlite or"
                " mysql+pymysql://user:password@host/database"
            )
        return value

    @field_validator("data_dir")
    @classmethod
    def _home_is_expanded(cls, value: Path) -> Path:
        if "\0" in str(value):
            raise ValueError("give the path of a folder")
        try:
            return value.expanduser()
        except RuntimeError as error:
            raise ValueError("there is no such user; give the whole path") from error

    @classmethod
    def settings_customise_sources(
        cls,
        settings_cls: type[BaseSettings],  # noqa: ARG003 - the library's signature
        init_settings: PydanticBaseSettingsSource,
        env_settings: PydanticBaseSettingsSource,
        dotenv_settings: PydanticBaseSettingsSource,  # noqa: ARG003 - the library's signature
        file_secret_settings: PydanticBaseSettingsSource,  # noqa: ARG003 - the library's signature
    ) -> tuple[PydanticBaseSettingsSource, ...]:
        """Let the environment win over the file's values, given as arguments."""
        return env_settings, init_settings

    @property
    def database_url(self) -> str:
        """The store's address: as set, or a SQLite file in the data folder."""
        return self.database or f"sqlite:///{self.data_dir / 'sidenote.sqlite'}"

    @property
    def exempt_addresses(self) -> frozenset[tuple[str, int]]:
        """`internal_addresses` as pairs of address and port."""
        return frozenset(_host_and_port(address) for address in self.internal_addresses)


def load_settings(file: Path | None) -> Settings:
    """Return the settings of `file` (if given) and the environment.

    Raises:
        SettingsError: a value, a name or the file is wrong; the message has one
            line for each fault.
    """
    values = _read(file) if file else {}
    if file and _SECRET in values:
        raise SettingsError(
            f"{_SECRET} in {file}: a key does not belong in a file; take it out and set"
            f" {_PREFIX}{_SECRET.upper()} in the environment"
        )
    _refuse_slips_of_the_pen(os.environ)
    try:
        return Settings(**values)
    except ValidationError as error:
        raise SettingsError(_explain(error, values, file)) from error


def _refuse_slips_of_the_pen(names: Iterable[str]) -> None:
    """Refuse variables that look like a setting's but are none, as in a file."""
    known = [f"{_PREFIX}{name.upper()}" for name in Settings.model_fields]
    for name in names:
        if name.startswith(_PREFIX) and name not in known:
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
        return tomllib.loads(content.decode("utf-8-sig"))  # editors may add a mark
    except FileNotFoundError as error:
        raise SettingsError(
            f"the settings file {file} does not exist; create it or leave --settings out"
        ) from error
    except OSError as error:
        raise SettingsError(
            f"the settings file {file} cannot be read ({error.strerror}); check its path and rights"
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
        if not fault["loc"]:  # several settings do not go together; it names them
            lines.append(message)
            continue
        name = str(fault["loc"][0])
        where = (
            f"{name} in {file}"
            if name in values and file
            else f"{_PREFIX}{name.upper()}"
        )
        if fault["type"] == "extra_forbidden":
            lines.append(f"{where}: there is no such setting; see `sidenote settings`")
            continue
        value = "" if name in _NEVER_SHOWN else f" = {fault['input']!r}"
        lines.append(f"{where}{value}: {message}")
    return "\n".join(lines)


def _host_and_port(address: str) -> tuple[str, int]:
    host, _, port = address.rpartition(":")
    host = host.strip("[]")
    try:
        ip_address(host)
        if not 0 < int(port) <= _MAX_PORT:
            raise ValueError
    except ValueError as error:
        raise ValueError(
            f"{address!r} is not an IP address with a port, such as 127.0.0.1:8080"
        ) from error
    return host, int(port)
