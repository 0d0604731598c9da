"""Settings of the program itself: its wiki, where it keeps things, how it logs."""

from enum import Enum
from pathlib import Path
from typing import ClassVar
from urllib.parse import urlsplit

from pydantic import BaseModel, Field, field_validator


class LogLevel(Enum):
    """The least important line that is still logged."""

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
        description="How a site's operator reaches you (e-mail or user page); sent in the User-Agent of every request. Wikimedia requires it.",
    )
    data_dir: Path = Field(
        Path("~/.local/share/sidenote"),
        description="Folder for the database and for the cache of sources that were read.",
    )
    # Read by nothing: a log is readable in a terminal, and JSON elsewhere.
    log_format: ClassVar[None] = None
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
