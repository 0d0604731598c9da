"""Settings of the database: where it is, and how much of it one process may use."""

from pathlib import PurePosixPath
from typing import ClassVar, Self
from urllib.parse import quote

from pydantic import BaseModel, Field, SecretStr, field_validator, model_validator

TOOLSDB = "toolsdb"
INJECTED = {
    "toolsdb_user": "TOOL_TOOLSDB_USER",
    "toolsdb_password": "TOOL_TOOLSDB_PASSWORD",
}
"""Settings that Toolforge gives to every process of a tool, under names of its own."""


class DatabaseSettings(BaseModel):
    """What the store needs, beside the folder that a SQLite file lies in."""

    database: str = Field(
        "",
        description="SQLAlchemy address of the store, such as `mysql+pymysql://…`; or `toolsdb`, on Toolforge: the database `<user>__sidenote` there. Empty: a SQLite file in `data_dir`.",
    )
    database_connections: int = Field(
        4,
        ge=1,
        le=20,
        description="How many connections to a MariaDB one process may have; what needs another waits. ToolsDB allows 20 for all processes of a tool together.",
    )
    # How many days a suggestion stays in the database once it was closed.
    closed_days: ClassVar[float] = 30.0
    toolsdb_host: str = Field(
        "tools.db.svc.wikimedia.cloud",
        min_length=1,
        max_length=255,
        description="Where ToolsDB is: a host, `host:port`, or the path of a socket.",
    )
    toolsdb_user: str = Field(
        "",
        max_length=80,
        description="Who asks ToolsDB. Toolforge sets it, as `TOOL_TOOLSDB_USER`.",
    )
    toolsdb_password: SecretStr = Field(
        SecretStr(""),
        description="The password that goes with it. Toolforge sets it, as `TOOL_TOOLSDB_PASSWORD`.",
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
        missing = [
            theirs
            for ours, theirs in INJECTED.items()
            if not _text(getattr(self, ours))
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
        """Whether the store lies in ToolsDB."""
        return self.database == TOOLSDB

    @property
    def toolsdb_url(self) -> str:
        """The address of the tool's own database, with its password.

        Names of databases begin with the user and two underscores there.
        """
        user = quote(self.toolsdb_user, safe="")
        secret = quote(self.toolsdb_password.get_secret_value(), safe="")
        host, option = self.toolsdb_host, ""
        if host.startswith("/"):
            host, option = "localhost", f"?unix_socket={quote(host)}"
        return f"mysql+pymysql://{user}:{secret}@{host}/{user}__sidenote{option}"


def _text(value: str | SecretStr) -> str:
    return value.get_secret_value() if isinstance(value, SecretStr) else value
