"""Searches the entries of the operator's feeds: the newest pages of chosen sites.

First the reader of RSS 2.0 and its predecessors, RSS 1.0 and Atom, as sites really
write them. The XML is untrusted: entities are not expanded, nothing is loaded, and
broken XML is read as far as possible. Element names are compared without namespaces,
because feeds misuse them. Then the storage of feeds, then the search.
"""

import asyncio
import hashlib
import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, date, datetime, timedelta
from email.utils import parsedate_to_datetime
from http import HTTPStatus
from itertools import islice
from pathlib import Path
from urllib.parse import urlsplit

from lxml import etree
from pydantic import BaseModel, Field, ValidationError

from bot.search.services.client import Answer, Request, SearchClient, failure_of
from bot.search.services.results import (
    Hit,
    ResultFilter,
    day_of,
    found_of,
    likely,
    names_title,
    plain,
    share_of,
)
from bot.sources.files import replacing, unwritten
from handlers.model import Query, SearchResults
from handlers.ports import PermanentError, TemporaryError

_MOST_ENTRIES = 500
_MOST_CHARS = 20_000  # of one text
_ENTRIES = frozenset({"item", "entry"})
_DAYS = ("published", "pubdate", "date", "issued", "created", "updated", "modified")
_TEXTS = ("description", "summary", "encoded", "content")
_LINKS = frozenset({"link", "guid", "id", "origlink"})
_CODE = re.compile(r"[a-z]{2,3}(?:-[a-z0-9]{2,8}){0,3}")
_LANGUAGE = "{http://www.w3.org/XML/1998/namespace}lang"


@dataclass(frozen=True, slots=True)
class FeedEntry:
    """One entry of a feed; texts may hold HTML."""

    address: str
    title: str
    text: str
    day: date | None
    language: str | None = None


def read_feed(body: bytes) -> tuple[FeedEntry, ...] | None:
    """Return the entries of a feed in their order; `None` if it is not a feed."""
    parser = etree.XMLParser(
        recover=True,
        resolve_entities=False,
        no_network=True,
        load_dtd=False,
        remove_comments=True,
        remove_pis=True,
        strip_cdata=True,
    )
    try:
        root = etree.fromstring(body.strip(), parser)
    except etree.XMLSyntaxError:
        return None
    if root is None or _name(root) not in {"rss", "rdf", "feed", "channel"}:
        return None
    language = _language(root)
    found = (_entry(one, language) for one in _entries(root))
    return tuple(islice((entry for entry in found if entry.address), _MOST_ENTRIES))


def _entries(root: etree._Element) -> Iterator[etree._Element]:
    """Yield entries; they are below the root, or below its channel."""
    for one in root:
        if _name(one) in _ENTRIES:
            yield one
        elif _name(one) == "channel":
            yield from (inner for inner in one if _name(inner) in _ENTRIES)


def _entry(entry: etree._Element, language: str | None) -> FeedEntry:
    texts: dict[str, str] = {}
    links: dict[str, str] = {}
    for part in entry:
        name = _name(part)
        if name in _LINKS:
            kind, address = _link(part, name)
            links.setdefault(kind, address)
        elif name in (*_DAYS, *_TEXTS, "title", "language"):
            texts.setdefault(name, _text(part))
    address = links.get("link") or links.get("guid") or links.get("id") or ""
    return FeedEntry(
        address=address if address.startswith(("http://", "https://")) else "",
        title=texts.get("title", ""),
        text=next((texts[name] for name in _TEXTS if texts.get(name)), ""),
        day=next((day for name in _DAYS if (day := _day(texts.get(name, "")))), None),
        language=_code(entry.get(_LANGUAGE) or texts.get("language")) or language,
    )


def _link(part: etree._Element, name: str) -> tuple[str, str]:
    """Return the kind of a link and its target; Atom has several kinds."""
    if name in {"guid", "id"}:
        is_address = (part.get("isPermaLink") or "true").strip().lower() != "false"
        return name, _text(part) if is_address else ""
    if name == "origlink":
        return "link", _text(part)
    relation = (part.get("rel") or "alternate").lower()
    address = (part.get("href") or _text(part)).strip()
    return ("link" if relation == "alternate" else f"link {relation}"), address


def _language(root: etree._Element) -> str | None:
    """Return the language of a whole feed."""
    if stated := root.get(_LANGUAGE):
        return _code(stated)
    for one in root.iter():
        if _name(one) == "language":
            return _code(_text(one))
        if _name(one) in _ENTRIES:
            return None
    return None


def _code(stated: str | None) -> str | None:
    """Return the code of a language, such as "de-at"."""
    code = (stated or "").strip().lower()
    return code if _CODE.fullmatch(code) else None


def _text(part: etree._Element) -> str:
    """Return all inner text, in document order; Atom has XHTML there."""
    return "".join(part.itertext())[:_MOST_CHARS].strip()


def _name(part: etree._Element) -> str:
    tag = part.tag
    return tag.rpartition("}")[2].lower() if isinstance(tag, str) else ""


def _day(stated: str) -> date | None:
    """Return the UTC day of a time in the format of RSS or Atom."""
    stated = stated[:60]
    for read in (datetime.fromisoformat, parsedate_to_datetime):
        try:
            at = read(stated)
        except (ValueError, TypeError, IndexError, OverflowError):
            continue
        try:
            return likely((at.astimezone(UTC) if at.tzinfo else at).date())
        except OverflowError:
            return None
    day = day_of(stated, date.min)  # "5 minutes ago" counts from an unknown day
    return likely(day) if day else None


_ACCEPT = "application/atom+xml,application/rss+xml,application/xml;q=0.9,*/*;q=0.5"
_MAX_BYTES = 4 * 1024 * 1024
_MAX_FILE_BYTES = 3 * _MAX_BYTES
_MAX_STATE = 500  # characters of an ETag


class _CachedFeed(BaseModel):
    feed: str  # its digest; the address may hold a secret
    fetched_at: datetime
    etag: str = Field("", max_length=_MAX_STATE)
    changed: str = Field("", max_length=_MAX_STATE)
    body: str  # its bytes as Latin-1, which holds all of them


class FeedCache:
    """Gives the entries of feeds.

    A feed is requested again only after a while, and then with its last state (`ETag`,
    `Last-Modified`), so that an unchanged one sends no body. Entries that a feed no
    longer lists are dropped.

    Args:
        folder: where they are kept; made if it is missing.
        client: sends the requests.
        now: in UTC.
        fresh_for: for how long a feed is not requested again.
    """

    def __init__(
        self,
        folder: Path,
        client: SearchClient,
        now: Callable[[], datetime],
        *,
        fresh_for: timedelta = timedelta(minutes=15),
    ) -> None:
        self._folder = folder
        self._client = client
        self._now = now
        self._fresh_for = fresh_for
        self._read: dict[str, tuple[datetime, tuple[FeedEntry, ...]]] = {}

    async def entries(self, address: str) -> tuple[FeedEntry, ...]:
        """Return the entries of a feed.

        Raises:
            TemporaryError: it cannot be reached or does not work.
            PermanentError: it is not a feed, is gone, or has moved.
        """
        read = self._read.get(address)
        if read and self._is_fresh(read[0]):
            return read[1]
        stored = self._stored(address)
        if stored is None or not self._is_fresh(stored.fetched_at):
            stored = await self._fetch(address, stored)
            self._keep(address, stored)
        entries = read_feed(stored.body.encode("latin-1"))
        if entries is None:
            raise _no_feed(address)
        self._read[address] = stored.fetched_at, entries
        return entries

    def _is_fresh(self, at: datetime) -> bool:
        return timedelta() <= self._now() - at < self._fresh_for

    async def _fetch(self, address: str, stored: _CachedFeed | None) -> _CachedFeed:
        states = {
            "If-None-Match": stored.etag if stored else "",
            "If-Modified-Since": stored.changed if stored else "",
        }
        headers = {name: state for name, state in states.items() if state}
        request = Request(
            address, headers=headers, accept=_ACCEPT, max_bytes=_MAX_BYTES
        )
        name = _named(address)
        answer = await self._client.ask(name, request)
        if answer.status == HTTPStatus.NOT_MODIFIED and stored:
            return stored.model_copy(update={"fetched_at": self._now()})
        # The text of a refusal helps nobody, and may repeat the address.
        silent = replace(answer, body=b"")
        failure = failure_of(name, silent, remedy="check SIDENOTE_SEARCH_FEEDS")
        if failure is not None:
            raise failure
        if read_feed(answer.body) is None:
            raise _no_feed(address)
        return _CachedFeed(
            feed=_digest(address),
            fetched_at=self._now(),
            etag=_state(answer, "etag"),
            changed=_state(answer, "last-modified"),
            body=answer.body.decode("latin-1"),
        )

    def _file(self, address: str) -> Path:
        return self._folder / f"{_digest(address)[:32]}.json"

    def _stored(self, address: str) -> _CachedFeed | None:
        """Return what is stored; broken data, or those of another feed, are ignored."""
        try:
            with self._file(address).open("rb") as file:
                stored = _CachedFeed.model_validate_json(file.read(_MAX_FILE_BYTES))
        except (OSError, ValidationError):
            return None
        return stored if stored.feed == _digest(address) else None

    def _keep(self, address: str, stored: _CachedFeed) -> None:
        try:
            with replacing(self._file(address), stored.model_dump_json()):
                pass
        except OSError as error:
            raise unwritten(f"a feed in {self._folder}", error) from error


def _digest(address: str) -> str:
    return hashlib.sha256(address.encode()).hexdigest()


def _state(answer: Answer, header: str) -> str:
    stated = answer.headers.get(header, "")
    return stated if len(stated) <= _MAX_STATE and stated.isprintable() else ""


def _named(address: str) -> str:
    """Return a feed's name for people; what follows a "?" may be a secret."""
    parts = urlsplit(address)
    return f"the feed {parts.hostname}{parts.path}"


def _no_feed(address: str) -> PermanentError:
    return PermanentError(
        f"{_named(address)} is neither RSS nor Atom; correct SIDENOTE_SEARCH_FEEDS"
    )


_MOST_TEXT = 4_000  # characters of an entry that are checked


class FeedSearch:
    """Fulfils `handlers.ports.Search` over feeds.

    A feed has no search, so its entries are read and those that name the article's
    subject are passed on. It reaches back only a few days; an older window finds
    nothing.

    Args:
        feeds: their addresses.
        cache: fetches and stores them.
        result_filter: what is never passed on.
    """

    def __init__(
        self, feeds: Sequence[str], cache: FeedCache, result_filter: ResultFilter
    ) -> None:
        self._feeds = tuple(feeds)
        self._cache = cache
        self._filter = result_filter

    @property
    def name(self) -> str:
        """Of the search, for people."""
        return "feeds"

    async def search(self, query: Query, *, limit: int) -> SearchResults:
        """Return at most `limit` pages that name the article's subject.

        A feed that fails is reported; the others are searched all the same.

        Raises:
            TemporaryError: all feeds failed, at least one of them temporarily.
            PermanentError: all failed permanently.
        """
        answers = await asyncio.gather(
            *(self._cache.entries(one) for one in self._feeds), return_exceptions=True
        )
        hits: list[Hit] = []
        failed: list[PermanentError | TemporaryError] = []
        for answer in answers:
            if isinstance(answer, PermanentError | TemporaryError):
                failed.append(answer)
            elif isinstance(answer, BaseException):
                raise answer
            else:
                hits += (hit for one in answer if (hit := _hit(query, one)))
        if failed and len(failed) == len(self._feeds):
            raise next(
                (one for one in failed if isinstance(one, TemporaryError)), failed[0]
            )
        hits.sort(key=lambda hit: -(hit.score or 0.0))
        found = found_of(hits, query, self.name, self._filter)
        return SearchResults(found[:limit], tuple(map(str, failed)))


def _hit(query: Query, entry: FeedEntry) -> Hit | None:
    """Return an entry that names the subject."""
    excerpt = plain(entry.text, _MOST_TEXT)
    text = f"{plain(entry.title, 300)} {excerpt}"
    if not names_title(query, text):
        return None
    return Hit(
        entry.address,
        entry.title,
        excerpt,
        published=entry.day,
        language=entry.language,
        score=share_of(query, text),
    )
