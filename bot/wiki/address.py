"""What people write and paste: where a wiki is, and which page they mean. Pure."""

import re
from dataclasses import dataclass
from ipaddress import ip_address
from urllib.parse import SplitResult, parse_qs, unquote, urlsplit, urlunsplit

from handlers.ports import PermanentError

_ARTICLES = "/wiki/"  # where Wikimedia's wikis show pages; the API is elsewhere
_SCRIPTS = "/w/"
_INDEX = "/index.php"
_WITHOUT_SCHEME = re.compile(r"[^\s/]+\.[^\s/]+/wiki/.")
_MOBILE = re.compile(r"([a-z0-9-]+)\.m\.(wik[a-z]+\.org)")
_ONE_REVISION = re.compile(
    r"special:(?:permanentlink|permalink|diff)/(?:[0-9]+/)?([0-9]+)", re.IGNORECASE
)
_MAX_DIGITS = 18


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


@dataclass(frozen=True, slots=True)
class PageAddress:
    """A page as a browser's address names it; the title may be empty beside a revision."""

    wiki: str  # as `parse_address` takes it
    title: str
    revision_id: int | None


def parse_page_address(text: str) -> PageAddress | None:
    """Return the page that a pasted address leads to, or `None` if `text` is a title.

    Raises:
        PermanentError: it is an address, but not that of a wiki page.
    """
    has_scheme = text.lower().startswith(("https://", "http://"))
    if not has_scheme and not _WITHOUT_SCHEME.match(text):
        return None
    parts = _split(text)
    query = {name: values[0] for name, values in parse_qs(parts.query).items()}
    title = query.get("title") or unquote(_title_in(parts.path))
    revision_id = _revision_in(query)
    alone = _ONE_REVISION.fullmatch(title)
    if alone:
        title, revision_id = "", _number(alone[1])
    if not title and revision_id is None:
        raise PermanentError(
            f"{text[:200]} is not the address of a wiki's page; give its title instead"
        )
    scripts = parts.path.partition(_INDEX)[0] + _INDEX if _INDEX in parts.path else ""
    wiki = urlunsplit((parts.scheme, parts.netloc, scripts, "", "")).lstrip("/")
    return PageAddress(wiki, title.replace("_", " "), revision_id)


def _title_in(path: str) -> str:
    for before in (_ARTICLES, f"{_INDEX}/"):
        if before in path:
            return path.partition(before)[2]
    return ""


def _revision_in(query: dict[str, str]) -> int | None:
    """Return the revision that an address shows; of a comparison, the newer one."""
    newer = query.get("diff", "")
    if newer in {"cur", "0"}:
        return None
    named = newer if newer.isdecimal() else query.get("oldid")
    return None if named is None else _number(named)


def _number(named: str) -> int:
    if not named.isascii() or not named.isdecimal() or len(named) > _MAX_DIGITS:
        raise PermanentError(
            f"{named[:40]!r} in the address is not the number of a revision; correct it,"
            " or leave it out for the current text"
        )
    return int(named)


def parse_address(
    wiki: str, *, scheme: str | None = None, path: str | None = None
) -> WikiAddress:
    """Return the address of `wiki`, such as "en.wikipedia.org" or a URL.

    Without a `scheme` it is https, and http on this machine's own addresses. The
    address of a page or of `api.php` will do as well; a mobile site of Wikimedia is
    the wiki itself.

    Raises:
        PermanentError: `wiki` is not a host name.
    """
    text = wiki.strip()
    parts = _split(text)
    return WikiAddress(
        scheme=scheme or parts.scheme or _usual_scheme(parts),
        host=_MOBILE.sub(r"\1.\2", parts.netloc.lower()),
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
