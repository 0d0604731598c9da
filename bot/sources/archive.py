"""Snapshots: how archives write their addresses, and which snapshot is nearest.

The Wayback Machine is asked for its raw form (`id_`), which is the page as it
was captured, without the archive's banner and rewritten links. Pure.
"""

import json
import re
from calendar import monthrange
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, date, datetime
from urllib.parse import urlencode, urlsplit

from handlers.model import Source

_SNAPSHOT = re.compile(
    r"(?P<root>https?://(?P<host>[^/?#]{1,300}))/(?:web/)?"
    r"(?P<time>[0-9]{4,14})(?:[a-z]{2}_)?/(?P<original>.+)",
    re.DOTALL,
)
_TIME_DIGITS = 14
_FULL_TIME = "%Y%m%d%H%M%S"
_DATE_FORMS = ("%Y-%m-%d", "%d %B %Y", "%B %d, %Y", "%d %b %Y", "%b %d, %Y")
_MONTH_FORMS = ("%Y-%m", "%B %Y", "%b %Y")
_MAX_DATE_CHARS = 40


@dataclass(frozen=True, slots=True)
class Snapshot:
    """One capture at the Wayback Machine; `time` has 4 to 14 digits."""

    root: str
    time: str
    original: str

    @property
    def raw_url(self) -> str:
        """The address of the page as it was captured."""
        return f"{self.root}/web/{self.time}id_/{self.original}"

    @property
    def captured_at(self) -> datetime | None:
        """When it was captured, or `None` where the address says so only roughly."""
        if len(self.time) != _TIME_DIGITS:
            return None
        try:
            return datetime.strptime(self.time, _FULL_TIME).replace(tzinfo=UTC)
        except ValueError:
            return None


def read_snapshot(url: str, hosts: frozenset[str]) -> Snapshot | None:
    """Return the capture that `url` names, if it is one at the Wayback Machine.

    Args:
        url: in any form: with or without `id_`, with a shortened time.
        hosts: of the Wayback Machine, with the port where it is unusual.
    """
    found = _SNAPSHOT.fullmatch(url.strip())
    if found is None or found["host"].lower() not in hosts:
        return None
    return Snapshot(_secure(found["root"]), found["time"], found["original"])


def is_wayback(url: str, hosts: frozenset[str]) -> bool:
    """Whether `url` lies at the Wayback Machine, a capture or not."""
    try:
        return urlsplit(url).netloc.lower() in hosts
    except ValueError:
        return False


def availability_url(service: str, url: str, wanted: date | None) -> str:
    """Return the address that asks for the snapshot of `url` nearest to `wanted`."""
    question = {"url": url}
    if wanted is not None:
        question["timestamp"] = f"{wanted:%Y%m%d}"
    return f"{service}?{urlencode(question, errors='replace')}"


def read_availability(body: bytes, hosts: frozenset[str]) -> Snapshot | None:
    """Return the snapshot that the availability service names, if it is of use.

    A capture of an error page is of none.
    """
    try:
        answer = json.loads(body)
        closest = answer["archived_snapshots"]["closest"]
        usable = closest["available"] is True and str(closest["status"])[:1] in "23"
        return read_snapshot(closest["url"], hosts) if usable else None
    except (ValueError, LookupError, TypeError, AttributeError, RecursionError):
        return None


def wanted_date(source: Source) -> date | None:
    """Return the day whose version of the page the citation means.

    That is the access date; else the end of the time in which the source says
    it was published, since earlier snapshots cannot hold it.
    """
    if source.access_date is not None:
        return source.access_date
    written = " ".join((source.published or "")[:_MAX_DATE_CHARS].split())
    if day := _first_match(written, _DATE_FORMS):
        return day
    if month := _first_match(written, _MONTH_FORMS):
        return month.replace(day=monthrange(month.year, month.month)[1])
    year = _first_match(written, ("%Y",))
    return year.replace(month=12, day=31) if year else None


def _first_match(written: str, forms: Sequence[str]) -> date | None:
    for form in forms:
        try:
            return datetime.strptime(written, form).replace(tzinfo=UTC).date()
        except ValueError:
            continue
    return None


def _secure(root: str) -> str:
    # The service still names plain addresses of hosts that are on TLS.
    return root.replace("http://", "https://", 1) if ":" not in root[7:] else root
