"""Where a wiki's API is, from what people write: a host name or an address. Pure."""

from dataclasses import dataclass
from ipaddress import ip_address
from urllib.parse import SplitResult, urlsplit

from handlers.ports import PermanentError

_ARTICLES = "/wiki/"  # where Wikimedia's wikis show pages; their API is elsewhere
_SCRIPTS = "/w/"


@dataclass(frozen=True, slots=True)
class WikiAddress:
    """A wiki and the folder of its scripts, which begins and ends with a slash."""

    scheme: str
    host: str  # with the port, if there is one
    path: str

    @property
    def api(self) -> str:
        """The address of the API."""
        return f"{self.scheme}://{self.host}{self.path}api.php"


def parse_address(
    wiki: str, *, scheme: str | None = None, path: str | None = None
) -> WikiAddress:
    """Return the address of `wiki`, such as "en.wikipedia.org" or a URL.

    Without a `scheme` it is https, and http on this machine's own addresses. The
    address of a page or of `api.php` will do as well.

    Raises:
        PermanentError: `wiki` is not the name of a host.
    """
    text = wiki.strip()
    parts = _split(text)
    return WikiAddress(
        scheme=scheme or parts.scheme or _usual_scheme(parts),
        host=parts.netloc.lower(),
        path=path or _script_path(parts.path),
    )


def _split(text: str) -> SplitResult:
    try:
        parts = urlsplit(text if "://" in text else f"//{text}")
        fits = bool(parts.hostname) and parts.port != 0
    except ValueError:
        fits, parts = False, urlsplit("")
    if (
        not fits
        or parts.username is not None
        or parts.scheme not in {"", "http", "https"}
        or not all(char.isalnum() or char in ".-:[]_" for char in parts.netloc)
    ):
        raise PermanentError(
            f"{text[:100]!r} is not a wiki's address; write a host name such as"
            " en.wikipedia.org, or an address such as https://en.wikipedia.org"
        )
    return parts


def _usual_scheme(parts: SplitResult) -> str:
    host = parts.hostname or ""
    try:
        internal = ip_address(host).is_loopback
    except ValueError:
        internal = host == "localhost"
    return "http" if internal else "https"


def _script_path(path: str) -> str:
    path = path.partition(_ARTICLES)[0] if _ARTICLES in path else path
    path = path.removesuffix("api.php").removesuffix("index.php").rstrip("/")
    return f"{path}/" if path and path != "/wiki" else _SCRIPTS
