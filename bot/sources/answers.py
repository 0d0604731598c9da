"""What a web server can answer, and what each answer means for a source. Pure."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from email.utils import parsedate_to_datetime

from handlers.model import SourceOutcome

_REFUSED = {
    401: "asks for a login",
    402: "asks for payment",
    403: "refuses access",
    406: "refuses access",
    418: "refuses access",
    429: "says that we ask too often",
    451: "refuses for legal reasons",
    999: "refuses access",
}
_GONE = {404: "has no such page", 410: "says that the page is gone"}
_WITH_BODY = frozenset({200, 201, 202, 203})
_REDIRECTS = frozenset({301, 302, 303, 307, 308})
# Types that hold no text whatever their bytes; all others are sniffed later.
_NEVER_TEXT = ("audio/", "font/", "image/", "video/")
_IMAGE_WITH_TEXT = "image/svg"
_SECONDS_DIGITS = 9
_MAX_DATE_CHARS = 64
_FIRST_SERVER_ERROR = 500


@dataclass(frozen=True, slots=True)
class Failure:
    """Why there is nothing to read: the outcome and one plain line.

    `http_status` is `None` where no server answered.
    """

    outcome: SourceOutcome
    detail: str
    http_status: int | None = None
    url: str | None = None


@dataclass(frozen=True, slots=True)
class Fetched:
    """A body that a server gave with success, decompressed, and where from.

    `fetched_at` is when the server last confirmed it.
    """

    url: str  # after redirects
    status: int
    content_type: str | None
    body: bytes
    sha256: str
    fetched_at: datetime
    etag: str | None = None
    last_modified: str | None = None


@dataclass(frozen=True, slots=True)
class Head:
    """The status line and the headers of an answer, names in lower case."""

    status: int
    headers: Mapping[str, tuple[str, ...]]

    def one(self, name: str) -> str:
        """Return the values of a header joined as HTTP joins them, or ""."""
        return ", ".join(self.headers.get(name, ())).strip()

    def validator(self, name: str) -> str | None:
        """Return a header that may be kept and sent back, or `None`."""
        value = self.one(name)
        return value if value and value.isascii() and value.isprintable() else None

    @property
    def is_redirect(self) -> bool:
        """Whether the answer sends us to another address."""
        return self.status in _REDIRECTS


@dataclass(frozen=True, slots=True)
class Reply:
    """One whole answer; the body is empty unless the status is a success."""

    head: Head
    body: bytes


def refusal(head: Head, max_body_bytes: int) -> Failure | None:
    """Return what an answer's head alone tells of failure, `None` if it is fine."""
    if head.is_redirect or head.status == 304:  # noqa: PLR2004 - HTTP's own number
        return None
    if head.status not in _WITH_BODY:
        return _failed_status(head)
    return _unreadable(head, max_body_bytes)


def _failed_status(head: Head) -> Failure:
    status = head.status
    if head.one("cf-mitigated").lower() == "challenge":
        return Failure(
            SourceOutcome.BOT_CHECK, _says(status, "checks for bots"), status
        )
    if meaning := _REFUSED.get(status):
        detail = _says(status, meaning) + _retry_after(head)
        return Failure(SourceOutcome.REFUSED, detail, status)
    if meaning := _GONE.get(status):
        return Failure(SourceOutcome.GONE, _says(status, meaning), status)
    meaning = "has an error" if status >= _FIRST_SERVER_ERROR else "gives no page"
    detail = _says(status, meaning) + _retry_after(head)
    return Failure(SourceOutcome.UNREACHABLE, detail, status)


def _unreadable(head: Head, max_body_bytes: int) -> Failure | None:
    media = head.one("content-type").lower()
    if media.startswith(_NEVER_TEXT) and not media.startswith(_IMAGE_WITH_TEXT):
        kind = media.split("/", 1)[0]
        return Failure(SourceOutcome.NOT_TEXT, f"the address is {kind}", head.status)
    length = head.one("content-length")
    if length.isascii() and length.isdigit() and _exceeds(length, max_body_bytes):
        return too_large(max_body_bytes, head.status)
    return None


def _exceeds(digits: str, limit: int) -> bool:
    # Compared by length first: a number of thousands of digits is not parsed.
    digits = digits.lstrip("0")
    return len(digits) > len(str(limit)) or int(digits or "0") > limit


def too_large(limit_bytes: int, status: int | None = None) -> Failure:
    """Return the failure for a body beyond its cap."""
    detail = f"the page is larger than {_size(limit_bytes)}"
    return Failure(SourceOutcome.TOO_LARGE, detail, status)


def _size(count: int) -> str:
    mebibytes = count // 1024**2
    return f"{mebibytes} MB" if mebibytes else f"{max(1, count // 1024)} kB"


def _says(status: int, meaning: str) -> str:
    return f"the server answered {status} ({meaning})"


def _retry_after(head: Head) -> str:
    value = head.one("retry-after")
    if value.isascii() and value.isdigit() and len(value) <= _SECONDS_DIGITS:
        return f"; it asks to wait {int(value)} s"
    try:
        until = parsedate_to_datetime(value[:_MAX_DATE_CHARS])
    except ValueError:
        return ""
    return f"; it asks to wait until {until:%Y-%m-%d %H:%M}"
