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
from typing import Any

from pydantic import SecretStr, ValidationError
from pydantic_settings import (
    BaseSettings,
    InitSettingsSource,
    PydanticBaseSettingsSource,
    SettingsConfigDict,
)

from bot.settings.daemon import (
    AlertSettings,
    DaemonSettings,
    DraftSettings,
    FindingSettings,
    PostingSettings,
    UpdateSettings,
)
from bot.settings.language_model import LanguageModelSettings
from bot.settings.panel import (
    DeployingSettings,
    GadgetSettings,
    IdentitySettings,
    ServingSettings,
)
from bot.settings.program import INJECTED, DatabaseSettings, ProgramSettings
from bot.settings.sources import (
    OpenSearchSettings,
    SearchingSettings,
    SourceSettings,
)
from handlers.ports import PermanentError

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
