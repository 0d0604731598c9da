"""Sources that a process of the role `read` reads for others, and when. Pure."""

import re
from dataclasses import dataclass
from datetime import date
from hashlib import sha256
from json import dumps
from urllib.parse import urlsplit

from handlers.model import Source, SourceForm
from handlers.ports import TemporaryError

_NO_HOST = "-"
_IDENTIFIERS = ("pmc", "doi", "arxiv", "pmid")  # in the order that they are looked for
_PUBLISHER = re.compile(r"10\.[0-9.]{3,12}", re.ASCII)  # of a DOI
_MOST_CHARS = 20_000


class NoReaderError(TemporaryError):
    """No process reads sources at the moment; nothing can be said about any source."""


@dataclass(frozen=True, slots=True)
class Request:
    """The parts of a source that say where to look for it; nothing else matters here.

    `key` is the same for the same question. `host` is the one asked first, by which
    work is divided.
    """

    source: Source
    key: str
    host: str


@dataclass(frozen=True, slots=True)
class FetchRules:
    """How sources are read for others.

    A reader that is silent for `lease_s` loses its turn, and a turn is given out
    `attempts` times at most. An answer is kept for `keep_s`, for all who ask the same
    in that time.
    """

    lease_s: float = 60.0
    attempts: int = 3
    keep_s: float = 3600.0


def request_of(source: Source) -> Request | None:
    """Return what to ask for; `None` if it is too long for an address."""
    stripped = Source(
        form=SourceForm.URL,
        raw="",
        url=source.url,
        archive_url=source.archive_url,
        archive_date=source.archive_date,
        url_status=source.url_status,
        access_date=source.access_date,
        doi=source.doi,
        pmid=source.pmid,
        pmc=source.pmc,
        arxiv=source.arxiv,
        published=(source.published or "")[:40] or None,
    )
    parts = [_plain(getattr(stripped, name)) for name in Source.__dataclass_fields__]
    text = dumps(parts)
    if len(text) > _MOST_CHARS:
        return None
    return Request(stripped, sha256(text.encode()).hexdigest(), _host(stripped))


def _plain(value: object) -> object:
    if value is None or isinstance(value, str):
        return value
    return value.isoformat() if isinstance(value, date) else str(value)


def _publisher(doi: str) -> str:
    """Return a DOI's prefix, which stands for its host: each publisher has its own."""
    found = _PUBLISHER.search(doi)
    return found[0] if found else "doi"


def _host(source: Source) -> str:
    address = source.url or source.archive_url
    if address is None:
        named = (name for name in _IDENTIFIERS if getattr(source, name))
        place = next(named, _NO_HOST)
        return _publisher(source.doi or "") if place == "doi" else place
    try:
        return (urlsplit(address).hostname or _NO_HOST)[:255]
    except ValueError:
        return _NO_HOST


# Whose turn it is to ask a web host when several processes want to.


@dataclass(frozen=True, slots=True)
class HostSlot:
    """The exclusive right to ask a host now, until it is ended or expires.

    `token` is the fencing number: it grows with each turn of the host, and a holder of
    an older one cannot end anything. `is_throttling` says that the host recently
    complained about too many requests.
    """

    host: str
    token: int
    is_throttling: bool = False


@dataclass(frozen=True, slots=True)
class HostBusy:
    """A host may not be asked now; worth another try in `wait_s` seconds."""

    wait_s: float
