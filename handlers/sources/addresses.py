"""Decides when two addresses mean the same page, and how deep an address is. Pure.

The comparison deliberately ignores only what differs between copies of one address:
scheme, `www.`, a trailing slash, the fragment and tracking parameters. Any other
difference can mean another page.
"""

import re
from collections.abc import Iterable, Iterator
from urllib.parse import parse_qsl, unquote, urlsplit

import idna

from handlers.model import Claim, Source

_ARCHIVED = re.compile(
    r"https?://(?:web\.archive\.org|wayback\.archive-it\.org(?:/\d+)?"
    r"|archive\.(?:org|today|is|ph|md|li|vn|fo))"
    r"/(?:web/)?[0-9.\-]{4,20}(?:[a-z]{2}_)?/(.+)"
    # National web archives write captures the same way, a folder or two down.
    r"|https?://[^/?#]+/(?:[\w.-]+/){0,3}\d{14}(?:[a-z]{2}_)?/(https?://.+)",
    re.IGNORECASE | re.ASCII,
)
_DOI = re.compile(r"(?:doi:\s*|https?://(?:dx\.)?doi\.org/)(10\.\d+/.+)", re.IGNORECASE)
_DOI_ALONE = re.compile(
    r"(?:doi:\s*|https?://(?:dx\.)?doi\.org/)?(10\.[0-9.]{3,12}/\S{1,300})", re.I | re.A
)
_TRACKING = re.compile(
    r"utm_\w+|fbclid|gclid|dclid|msclkid|yclid|igshid|mc_[ce]id|_ga|ref_src|cmpid"
)

# An archived copy is as deep as the page it is a copy of:
# https://web.archive.org/web/20200101000000/https://example.org/a/b
_ARCHIVES = (
    "web.archive.org",
    "archive.org",
    "archive.today",
    "archive.is",
    "archive.ph",
)


def keys_of(source: Source) -> tuple[str, ...]:
    """Return the keys under which `source` may be found, best first."""
    addresses = (source.url, source.archive_url, *_identifiers(source))
    return tuple(dict.fromkeys(normal_key(each) for each in addresses if each))


def doi_of(source: Source) -> str | None:
    """Return the DOI of a source, even if only its address contains it."""
    for written in (source.doi, source.url):
        found = _DOI_ALONE.fullmatch(unquote((written or "").strip()))
        if found:
            return found[1]
    return None


def address_of(source: Source) -> str:
    """Return the address of `source` as written, for a person; "" if none."""
    return source.url or source.archive_url or next(_identifiers(source), "")


def normal_key(address: str) -> str:
    """Return what all spellings of `address` have in common.

    An address in a web archive counts as the page that was archived.
    """
    address = unarchived(address)
    doi = _DOI.match(address)
    if doi:
        return f"doi:{unquote(doi[1]).rstrip('/').lower()}"
    return _web_key(address) if "://" in address else address.lower()


def unarchived(address: str) -> str:
    """Return the address of the archived page, else `address` itself."""
    address = address.strip()
    while archived := _ARCHIVED.match(address):
        original = archived[1] or archived[2]
        address = original if "://" in original else f"http://{original}"
    return address


def host_of(address: str) -> str:
    """Return the host as DNS knows it, or "" if there is none.

    In lower case, without "www.", port and trailing dot; international names in
    their ASCII form.
    """
    try:
        host = (urlsplit(address.strip()).hostname or "").rstrip(".")
    except ValueError:
        return ""
    if not host.isascii():
        try:
            host = idna.encode(host, uts46=True).decode("ascii")
        except idna.IDNAError:
            return host
    return host.removeprefix("www.")


def untracked(address: str) -> str:
    """Return `address` without fragment and tracking parameters, else as written."""
    address = address.partition("#")[0]
    path, sign, query = address.partition("?")
    if not sign:
        return path
    parts = query.split("&")
    others = [one for one in parts if not _TRACKING.fullmatch(one.partition("=")[0])]
    return f"{path}?{'&'.join(others)}" if others else path


def _web_key(address: str) -> str:
    try:
        parts = urlsplit(address)
        host = host_of(address)
        port = parts.port
    except ValueError:
        return address
    if port and port not in {80, 443}:
        host += f":{port}"
    query = parse_qsl(parts.query, keep_blank_values=True)
    others = [
        f"{name}={value}" for name, value in query if not _TRACKING.fullmatch(name)
    ]
    return f"{host}{unquote(parts.path).rstrip('/')}?{'&'.join(others)}".rstrip("?")


def _identifiers(source: Source) -> Iterator[str]:
    pmc = (source.pmc or "").upper().removeprefix("PMC")
    named = {"doi": source.doi, "pmc": pmc, "pmid": source.pmid, "arxiv": source.arxiv}
    for name, value in named.items():
        if value:
            yield f"{name}:{value.strip()}"


# --- the depth of an address, SIDE's baseline ---


def url_depth(address: str) -> int | None:
    """Return the number of elements in the path; `None` if it is not a web address.

    Empty elements do not count, nor do query and fragment, as in the paper.
    """
    try:
        parts = urlsplit(address.strip())
        host = parts.hostname
    except ValueError:
        return None
    if parts.scheme.lower() not in {"http", "https"} or not host:
        return None
    _, scheme, original = parts.path.partition("/http")
    if scheme and host.removeprefix("www.") in _ARCHIVES:
        copied = url_depth(f"http{original}")
        if copied is not None:
            return copied
    return sum(1 for element in parts.path.split("/") if element)


def depth_of(claim: Claim) -> int | None:
    """Return the depth of the claim's most specific address, `None` if it has none.

    Citations support a claim together, and one that is specific is enough.
    """
    return max(_depths(claim.sources), default=None)


def _depths(sources: Iterable[Source]) -> Iterable[int]:
    for source in sources:
        depth = url_depth(source.url or source.archive_url or "")
        if depth is not None:
            yield depth
