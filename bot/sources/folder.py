"""Reads sources from a folder, for checking an article without the network.

`index.json` in the folder is a list of entries: `url`, `file`, `captured` (ISO
date), and, where known, `also` (other addresses of the same page, or `doi:…`),
`title`, `content_type`, and for people `licence` and `attribution`. Without an
index, a file is found by its name: the address, percent-encoded, with `.txt`,
`.html` or `.pdf` after it where that is not its own ending.

Folders come from anywhere: a link in one must not expose a file of the system. Whatever
is read, by name or through the index, passes `contained`.
"""

import asyncio
import hashlib
import json
import os
import stat
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, date, datetime, time
from errno import ENOENT
from pathlib import Path
from urllib.parse import unquote

from bot.sources.extraction import Extraction, TextExtractor
from handlers.model import Origin, Source, SourceFetch, SourceOutcome
from handlers.ports import PermanentError
from handlers.sources.addresses import address_of, keys_of, normal_key, unarchived

INDEX = "index.json"
_MAX_BYTES = 20_000_000
_ENTRY = '{"url": "https://…", "file": "page.html", "captured": "2026-01-31"}'
_ENDINGS = (".txt", ".html", ".pdf")
_NO_FILE = "it is not a regular file"
_REMEMBERED = 1_000  # texts; a run over a whole wiki must not hold them all


@dataclass(frozen=True, slots=True)
class Entry:
    """A page in the folder, and what a person wrote about it."""

    url: str
    file: Path
    captured: datetime
    title: str | None = None
    content_type: str | None = None
    also: tuple[str, ...] = ()


class SourceFolder:
    """A `SourceReader` over one folder. The texts read last are remembered.

    A file that cannot be read, or is larger than `max_bytes`, is reported as an
    outcome: the others are read all the same.

    Raises:
        PermanentError: the folder or its index cannot be used; the message names
            the entry and the field.
    """

    def __init__(
        self, path: Path, extractor: TextExtractor, *, max_bytes: int = _MAX_BYTES
    ) -> None:
        if not path.is_dir():
            raise PermanentError(f"{path}: there is no such folder of sources")
        self._path = path
        self._extractor = extractor
        self._max_bytes = max_bytes
        self._entries = _by_key(entries(path))
        self._turns: defaultdict[Path, asyncio.Lock] = defaultdict(asyncio.Lock)
        self._done: dict[Path, tuple[Extraction, str | None]] = {}

    async def read(self, source: Source) -> SourceFetch:
        """Return the text of `source`, or that the folder has none."""
        keys = keys_of(source)
        if not keys:
            return SourceFetch(
                source, SourceOutcome.OFFLINE, "the citation gives no address"
            )
        entry = _cited(
            source, [one for key in keys for one in self._entries.get(key, ())]
        )
        if entry is None:
            return SourceFetch(
                source,
                SourceOutcome.NOT_IN_FOLDER,
                f"the folder {self._path.name} has no copy of {address_of(source)}",
            )
        extraction, digest = await self._extraction(entry)
        document = extraction.document
        if document and entry.title:  # a person wrote it into the index
            document = replace(document, title=entry.title)
        return SourceFetch(
            source,
            extraction.outcome,
            extraction.detail,
            origin=Origin.DISK,
            url=entry.url,
            read_at=entry.captured,
            content_sha256=digest,
            document=document,
        )

    async def _extraction(self, entry: Entry) -> tuple[Extraction, str | None]:
        async with self._turns[entry.file]:
            if entry.file not in self._done:
                self._remember(entry.file, await self._extract(entry))
            return self._done[entry.file]

    def _remember(self, file: Path, found: tuple[Extraction, str | None]) -> None:
        while len(self._done) >= _REMEMBERED:
            del self._done[next(iter(self._done))]
        self._done[file] = found

    async def _extract(self, entry: Entry) -> tuple[Extraction, str | None]:
        try:
            body = await asyncio.to_thread(content, entry.file, self._max_bytes)
        except OSError as error:
            why = f"the file {entry.file.name} cannot be read ({error.strerror})"
            return Extraction(SourceOutcome.UNREACHABLE, why), None
        if len(body) > self._max_bytes:
            why = f"the file {entry.file.name} has more than {self._max_bytes:,} bytes"
            return Extraction(SourceOutcome.TOO_LARGE, why), None
        extraction = await self._extractor.extract(
            body, content_type=entry.content_type, url=entry.url
        )
        return extraction, hashlib.sha256(body).hexdigest()


class OutsideError(Exception):
    """A name leads out of its folder."""


def contained(folder: Path, name: str) -> Path:
    """Return the regular file that a name leads to, free of links.

    Links are followed if everything they lead to is in the folder.

    Raises:
        OutsideError: it leads out of the folder.
        OSError: there is no such file, or it is a folder, a device or a pipe.
        ValueError: it is not a valid name.
    """
    try:
        file = (folder / name).resolve()
        root = folder.resolve()
    except RuntimeError as error:  # links that lead to each other
        raise FileNotFoundError(ENOENT, _NO_FILE) from error
    if not file.is_relative_to(root):
        raise OutsideError(name)
    if not file.is_file():
        raise FileNotFoundError(ENOENT, _NO_FILE)
    return file


def content(file: Path, max_bytes: int) -> bytes:
    """Return the bytes of a contained file; one more than `max_bytes` if there are more.

    Raises:
        OSError: it cannot be read, or has become something else meanwhile.
    """
    # If it has become a link it is not followed, and a pipe is not waited for.
    how = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC
    with open(os.open(file, how), "rb") as opened:  # noqa: PTH123 - by its number
        if not stat.S_ISREG(os.fstat(opened.fileno()).st_mode):
            raise FileNotFoundError(ENOENT, _NO_FILE)
        return opened.read(max_bytes + 1)


# --- the index --------------------------------------------------------------


def _by_key(entries: Iterable[Entry]) -> Mapping[str, Sequence[Entry]]:
    found: defaultdict[str, list[Entry]] = defaultdict(list)
    for entry in entries:
        for address in (entry.url, *entry.also):
            found[normal_key(address)].append(entry)
    return found


def _cited(source: Source, copies: Sequence[Entry]) -> Entry | None:
    """Return the copy that the citation means, whichever comes first in the index."""
    if not copies:
        return None
    wanted = source.archive_url if source.cites_archive else source.url
    is_archived = wanted is not None and unarchived(wanted) != wanted

    def distance(copy: Entry) -> tuple[bool, bool]:
        addresses = (copy.url, *copy.also)
        other_kind = (unarchived(copy.url) != copy.url) != is_archived
        return wanted not in addresses, other_kind

    return min(copies, key=distance)


def entries(folder: Path) -> Iterator[Entry]:
    """Yield the pages of a folder, listed in its index or named by their address.

    Raises:
        PermanentError: the index cannot be used.
    """
    index = folder / INDEX
    if not os.path.lexists(index):
        yield from _named_by_address(folder)
        return
    for number, fields in enumerate(_load(index), start=1):
        yield _Fields(f"{index}: entry {number}", fields).entry(folder)


def _load(index: Path) -> list[object]:
    try:
        file = contained(index.parent, index.name)
        entries = json.loads(file.read_text("utf-8-sig"))
    except OutsideError as error:
        raise PermanentError(f"{index}: lies outside the folder") from error
    except OSError as error:
        raise PermanentError(f"{index}: {error.strerror}") from error
    except (ValueError, RecursionError) as error:
        raise PermanentError(f"{index}: is not JSON in UTF-8 ({error})") from error
    if not isinstance(entries, list):
        raise PermanentError(f"{index}: is not a list of entries such as {_ENTRY}")
    return entries


def _named_by_address(folder: Path) -> Iterator[Entry]:
    for named in sorted(folder.iterdir()):
        url = unquote(named.name)
        if not url.startswith(("http://", "https://")):
            continue
        try:
            file = contained(folder, named.name)
            captured = datetime.fromtimestamp(file.stat().st_mtime, UTC)
        except (OutsideError, OSError):
            continue
        bare = url.removesuffix(named.suffix) if named.suffix in _ENDINGS else url
        yield Entry(url, file, captured, also=(bare,))


class _Fields:
    """One entry of the index as written; its errors name the entry and field."""

    def __init__(self, where: str, fields: object) -> None:
        if not isinstance(fields, Mapping):
            raise PermanentError(f"{where}: is not an object")
        self._where = where
        self._fields = fields

    def entry(self, folder: Path) -> Entry:
        return Entry(
            url=self._text("url"),
            file=self._file(folder),
            captured=self._captured(),
            title=self._optional("title"),
            content_type=self._optional("content_type"),
            also=self._also(),
        )

    def _text(self, name: str) -> str:
        value = self._optional(name)
        if not value:
            raise self._error(name, "is missing")
        return value

    def _optional(self, name: str) -> str | None:
        value = self._fields.get(name)
        if value is not None and not isinstance(value, str):
            raise self._error(name, f"is {value!r}, not text")
        return value

    def _also(self) -> tuple[str, ...]:
        values = self._fields.get("also", [])
        if not isinstance(values, list) or not all(isinstance(v, str) for v in values):
            raise self._error("also", "is not a list of addresses")
        return tuple(values)

    def _captured(self) -> datetime:
        written = self._text("captured")
        try:
            return datetime.combine(date.fromisoformat(written), time(), UTC)
        except ValueError as error:
            raise self._error(
                "captured", f"is {written!r}, not a date such as 2024-05-31"
            ) from error

    def _file(self, folder: Path) -> Path:
        name = self._text("file")
        try:
            return contained(folder, name)
        except OutsideError as error:
            fault = f"is {name!r}, which lies outside the folder"
            raise self._error("file", fault) from error
        except FileNotFoundError as error:
            fault = f"is {name!r}, which does not exist or is no regular file"
            raise self._error("file", fault) from error
        except (OSError, ValueError) as error:
            raise self._error("file", f"is {name!r}, no file name") from error

    def _error(self, name: str, fault: str) -> PermanentError:
        return PermanentError(f"{self._where}: '{name}' {fault}")
