"""Settings of the program itself: its operator, its log and data, its database."""

from enum import Enum
from pathlib import Path, PurePosixPath
from typing import ClassVar, Self
from urllib.parse import quote, urlsplit

from pydantic import BaseModel, Field, SecretStr, field_validator, model_validator


class LogLevel(Enum):
    """The least severe level that is still logged."""

    DEBUG = "debug"
    INFO = "info"
    WARNING = "warning"
    ERROR = "error"


class ProgramSettings(BaseModel):
    """What every command needs."""

    wiki: str = Field(
        "en.wikipedia.org",
        description="The wiki that titles belong to: a host name, or an address such as `http://127.0.0.1:8180`.",
    )
    contact: str = Field(
        "",
        description="Your e-mail address or user page, sent in the User-Agent of every request. Wikimedia requires it.",
    )
    data_dir: Path = Field(
        Path("~/.local/share/sidenote"),
        description="Folder for the database and the cache of sources.",
    )
    log_level: LogLevel = Field(
        LogLevel.WARNING, description="`debug`, `info`, `warning` or `error`."
    )
    # How long one answer of the wiki may take.
    wiki_timeout_s: ClassVar[float] = 20.0

    @field_validator("wiki")
    @classmethod
    def _wiki_is_a_host(cls, value: str) -> str:
        parts = urlsplit(value if "://" in value else f"https://{value}")
        if not parts.hostname or " " in value or parts.scheme not in {"http", "https"}:
            raise ValueError("give a host name such as en.wikipedia.org")
        return value

    @field_validator("contact")
    @classmethod
    def _contact_fits_a_header(cls, value: str) -> str:
        if not value.isprintable() or not value.isascii():
            raise ValueError("use printable ASCII characters on one line")
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


TOOLSDB = "toolsdb"
INJECTED = {
    "toolsdb_user": "TOOL_TOOLSDB_USER",
    "toolsdb_password": "TOOL_TOOLSDB_PASSWORD",
}
"""Settings that Toolforge gives every process of a tool, under its own names."""


class DatabaseSettings(BaseModel):
    """What the store needs, besides the folder of a SQLite file."""

    database: str = Field(
        "",
        description="SQLAlchemy URL of the database, such as `mysql+pymysql://…`; or `toolsdb`, on Toolforge: the database `<user>__sidenote` there. Empty: a SQLite file in `data_dir`.",
    )
    database_connections: int = Field(
        4,
        ge=1,
        le=20,
        description="Maximum number of connections of one process to MariaDB. ToolsDB allows 20 for all processes of a tool together.",
    )
    # How many days a closed suggestion stays in the database.
    closed_days: ClassVar[float] = 30.0
    toolsdb_host: str = Field(
        "tools.db.svc.wikimedia.cloud",
        min_length=1,
        max_length=255,
        description="Address of ToolsDB: a host, `host:port`, or the path of a socket.",
    )
    toolsdb_user: str = Field(
        "",
        max_length=80,
        description="User name for ToolsDB. Toolforge sets it, as `TOOL_TOOLSDB_USER`.",
    )
    toolsdb_password: SecretStr = Field(
        SecretStr(""),
        description="Its password. Toolforge sets it, as `TOOL_TOOLSDB_PASSWORD`.",
    )

    @field_validator("database")
    @classmethod
    def _database_is_of_a_known_kind(cls, value: str) -> str:
        kinds = ("sqlite", "mysql", "mariadb")
        if value and value != TOOLSDB and not value.startswith(kinds):
            raise ValueError(
                "give an address such as sqlite:////folder/sidenote.sqlite or"
                " mysql+pymysql://user:password@host/database, or toolsdb"
            )
        if value.startswith(("mysql", "mariadb")) and value.count("@") > 1:
            raise ValueError("an @ in the name or password is written %40")
        return value

    @field_validator("toolsdb_host")
    @classmethod
    def _server_is_bare(cls, value: str) -> str:
        is_bare = (
            value.isascii() and value.isprintable() and not set(value) & set(" @?#")
        )
        if not is_bare or ("/" in value and not PurePosixPath(value).is_absolute()):
            raise ValueError("give a host, host:port, or the path of a socket")
        return value

    @model_validator(mode="after")
    def _toolsdb_knows_us(self) -> Self:
        known = (self.toolsdb_user, self.toolsdb_password.get_secret_value())
        missing = [
            theirs
            for theirs, value in zip(INJECTED.values(), known, strict=True)
            if not value
        ]
        if self.uses_toolsdb and missing:
            raise ValueError(
                f"SIDENOTE_DATABASE = {TOOLSDB}: {' and '.join(missing)} {'is' if len(missing) == 1 else 'are'} not set,"
                " as Toolforge does for each job of a tool; elsewhere give the whole"
                " address, such as mysql+pymysql://user:password@host/database"
            )
        return self

    @property
    def uses_toolsdb(self) -> bool:
        """Whether the store is in ToolsDB."""
        return self.database == TOOLSDB

    @property
    def toolsdb_url(self) -> str:
        """The address of the tool's own database, with its password.

        In ToolsDB, names of databases begin with the user and two underscores.
        """
        user = quote(self.toolsdb_user, safe="")
        secret = quote(self.toolsdb_password.get_secret_value(), safe="")
        host, option = self.toolsdb_host, ""
        if host.startswith("/"):
            host, option = "localhost", f"?unix_socket={quote(host)}"
        return f"mysql+pymysql://{user}:{secret}@{host}/{user}__sidenote{option}"
