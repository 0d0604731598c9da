"""Access to the web: name resolution, blocked addresses, one page, and the archive."""

import asyncio
import socket
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory
from urllib.parse import urlsplit

from bot.app.doctor.values import Group, Notes, Patient, Run, State, Trial, ask
from bot.app.doctor.wiki import wikis_of
from bot.app.wiring.sources import make_extractor, open_wall, open_web
from bot.search.services.client import Request
from bot.settings.sources import SourcesRead
from bot.sources.address_wall import AddressWall, ForbiddenAddressError
from bot.wiki.address import parse_address
from handlers.model import Source, SourceForm, SourceOutcome
from handlers.ports import PermanentError, TemporaryError

_INTERNAL = (
    "http://127.0.0.1/",
    "http://localhost/",
    "http://[::1]/",
    "http://10.0.0.1/",
    "http://192.168.0.1/",
    "http://169.254.169.254/latest/meta-data/",
    "http://[::ffff:127.0.0.1]/",
    "http://tools.db.svc.wikimedia.cloud/",
    "http://sidenote.toolforge.org/",
    "http://185.15.56.11/",
    "http://2130706433/",
)
_NAMES = "Check the name, and the DNS of this machine (on Linux: /etc/resolv.conf)."
_FETCH = "Check SIDENOTE_CONTACT, and that this machine can reach the web directly (no proxy is used)."
_ARCHIVE = (
    "Check SIDENOTE_ARCHIVE_SERVICE; without it, pages that are gone cannot be checked."
)
_MACHINE = frozenset({SourceOutcome.UNREACHABLE, SourceOutcome.INCOMPLETE})


def trials(patient: Patient) -> tuple[Trial, ...]:
    """Return what is tried of the web."""
    return tuple(_trials(patient))


def _trials(patient: Patient) -> Iterator[Trial]:
    yield Trial(Group.WEB, "address wall", partial(_wall, patient), _NAMES)
    yield _remote("names", partial(_names, patient), _NAMES, 10)
    yield _remote("reading a page", partial(_source, patient), _FETCH, 40)
    yield _remote("archive", partial(_archive, patient), _ARCHIVE, 20)


def _remote(name: str, run: Run, remedy: str, limit_s: float) -> Trial:
    return Trial(Group.WEB, name, run, remedy, limit_s, is_remote=True)


async def _wall(patient: Patient, notes: Notes) -> None:
    """Ask the wall about addresses that nobody who cites may make us call."""
    wall = open_wall(patient.settings)
    passed = [
        urlsplit(address).netloc for address in _INTERNAL if _passes(wall, address)
    ]
    own = [each for each in patient.own_addresses() if _passes(wall, _to(each))]
    open_to = patient.settings.internal_addresses
    close = "Remove from SIDENOTE_INTERNAL_ADDRESSES whatever is not your own wiki, because any article could cite it."
    if passed:
        notes.broken(
            "address wall", f"cited addresses may reach {', '.join(passed)}", close
        )
    elif open_to and not _is_own(patient):
        notes.warning("address wall", f"open to {', '.join(open_to)}", close)
    elif own:
        notes.warning(
            "address wall",
            f"open to this machine's own public address, {', '.join(own)}",
            f"Add to SIDENOTE_DENIED_NETWORKS: {', '.join(own)}. Its firewall does not apply from inside.",
        )
    else:
        message = f"{len(_INTERNAL)} internal addresses tried, all refused"
        notes.fine(
            "address wall",
            message + (f"; open to {', '.join(open_to)}" if open_to else ""),
        )


def _passes(wall: AddressWall, address: str) -> bool:
    try:
        wall.check_url(address)
    except ForbiddenAddressError:
        return False
    return True


def _to(address: str) -> str:
    return f"http://[{address}]/" if ":" in address else f"http://{address}/"


def _is_own(patient: Patient) -> bool:
    """Return whether the wiki itself is on an internal address."""
    host = parse_address(patient.settings.wiki).host
    return host in patient.settings.internal_addresses


async def _names(patient: Patient, notes: Notes) -> None:
    settings = patient.settings
    hosts = {
        host: None
        for address in (
            *(f"//{host}" for host in wikis_of(patient)),
            settings.stream,
            settings.archive_service,
        )
        if (host := urlsplit(address).hostname)
    }
    loop = asyncio.get_running_loop()
    lookups = (loop.getaddrinfo(host, 443, type=socket.SOCK_STREAM) for host in hosts)
    found = await asyncio.gather(*lookups, return_exceptions=True)
    lost = [
        host
        for host, answer in zip(hosts, found, strict=True)
        if isinstance(answer, BaseException)
    ]
    if lost:
        notes.broken("names", f"no IP address for {', '.join(lost)}", _NAMES)
    else:
        notes.fine("names", f"found: {', '.join(hosts)}")


async def _source(patient: Patient, notes: Notes) -> None:
    """Read a page of the wiki's as a cited one: robots.txt, the wall, the extractor."""
    settings = patient.settings
    if settings.sources_read is SourcesRead.ELSEWHERE and "read" not in patient.roles:
        notes.skipped("reading a page", "done by the part “read”, elsewhere")
        return
    address = parse_address(settings.wiki)
    url = f"{address.scheme}://{address.host}/wiki/"
    source = Source(SourceForm.URL, url, url=url)
    with TemporaryDirectory(prefix="sidenote-", ignore_cleanup_errors=True) as folder:
        alone = settings.model_copy(update={"data_dir": Path(folder)})
        async with (
            make_extractor(alone) as extractor,
            open_web(alone, extractor) as reader,
        ):
            reading = await reader.read(source)
    if reading.document is not None:
        notes.fine("reading a page", f"{reading.url or url}: read, and text extracted")
    elif reading.outcome is SourceOutcome.FORBIDDEN_ADDRESS:
        notes.warning(
            "reading a page",
            f"{url}: {reading.detail}",
            f"If articles cite {address.host} itself, set SIDENOTE_INTERNAL_ADDRESSES={address.host}.",
        )
    else:
        note = notes.broken if reading.outcome in _MACHINE else notes.warning
        note(
            "reading a page",
            f"{url}: {reading.outcome.value} ({reading.detail})",
            _FETCH,
        )


async def _archive(patient: Patient, notes: Notes) -> None:
    settings = patient.settings
    request = Request(settings.archive_service, {"url": "example.com"})
    try:
        answer = await ask(patient, "the archive service", request, timeout_s=15)
    except (PermanentError, TemporaryError) as error:  # often; checks continue without
        notes.failed("archive", error, _ARCHIVE, State.WARNING)
        return
    said = answer.json
    if not isinstance(said, dict) or "archived_snapshots" not in said:
        seen = f"{settings.archive_service} answered {answer.status}, unlike the Wayback availability service"
        notes.warning("archive", seen, _ARCHIVE)
        return
    notes.fine("archive", f"{urlsplit(settings.archive_service).netloc} answers")
