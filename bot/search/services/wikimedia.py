"""Searches of Wikimedia: other language versions of an article, and Wikidata."""

import asyncio
import re
from calendar import monthrange
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass
from datetime import UTC, date, datetime, time, timedelta
from itertools import islice
from typing import Annotated, Any

from pydantic import BaseModel, Field, ValidationError

from bot.search.services.results import Hit, ResultFilter, by_fit, found_of
from bot.sources.address_wall import ForbiddenAddressError
from bot.wiki.answers import Reply, Title
from bot.wiki.api import MANY, Parameters, WikiApi, title_form
from bot.wiki.history import WikiHistory
from bot.wiki.human_edits import (
    Layout,
    ParagraphChange,
    Revision,
    edits_between,
    paragraphs_of,
    published_on,
)
from handlers.model import PageId, Query, SearchResults, Window
from handlers.page import parse
from handlers.page.prose import normalised
from handlers.ports import PermanentError, TemporaryError
from handlers.sources.addresses import address_of

_USUAL_WINDOW = timedelta(days=90)  # if the query gives no first day
_MOST_PAGES_KEPT = 8
_MOST_HITS = 200  # of one language version
_VALUES = frozenset({Layout.INFOBOX, Layout.TABLE})


class _LangLink(BaseModel):
    lang: str = Field(max_length=40)
    title: Title
    url: Annotated[str, Field(max_length=3_000)] = ""


class _Page(BaseModel):
    langlinks: list[_LangLink] = []


class _Pages(BaseModel):
    pages: list[_Page] = []


class _PagesAnswer(Reply):
    query: _Pages = _Pages()


@dataclass(frozen=True, slots=True)
class _Additions:
    """What an article's other language versions added in a period."""

    hits: tuple[Hit, ...]
    troubles: tuple[str, ...]


class SisterSearch:
    """Fulfils `handlers.ports.Search` over other language versions of articles.

    Args:
        articles: the API of the wiki that has the articles.
        history_of: reads the histories of the wiki at an address.
        languages: of the versions to read, as in interlanguage links.
        result_filter: what is never passed on.
        now: in UTC.
    """

    def __init__(
        self,
        articles: WikiApi,
        history_of: Callable[[str], WikiHistory],
        languages: Sequence[str],
        result_filter: ResultFilter,
        now: Callable[[], datetime],
    ) -> None:
        self._articles = articles
        self._history_of = history_of
        self._languages = tuple(languages)
        self._filter = result_filter
        self._now = now
        self._known: dict[tuple[str, Window], _Additions] = {}

    @property
    def name(self) -> str:
        """Of the search, for people."""
        return "sister articles"

    async def search(self, query: Query, *, limit: int) -> SearchResults:
        """Return at most `limit` pages newly cited by other language versions.

        A version that cannot be read is reported; the others are searched all the same.

        Raises:
            TemporaryError: the article's own wiki cannot be reached or is busy.
            PermanentError: it will not answer.
        """
        key = query.title, query.window or Window()
        if key not in self._known:
            while len(self._known) >= _MOST_PAGES_KEPT:
                del self._known[next(iter(self._known))]
            self._known[key] = await self._additions(*key)
        seen = self._known[key]
        hits = by_fit(query, seen.hits)
        found = found_of(hits, query, self.name, self._filter)
        return SearchResults(found[:limit], seen.troubles)

    async def _additions(self, title: str, window: Window) -> _Additions:
        sisters = await self._sisters_of(title)
        chosen = [sisters[one] for one in self._languages if one in sisters]
        answers = await asyncio.gather(
            *(self._added(one, window) for one in chosen), return_exceptions=True
        )
        hits: list[Hit] = []
        troubles = []
        for link, answer in zip(chosen, answers, strict=True):
            if isinstance(answer, PermanentError | TemporaryError):
                troubles.append(f"the article in “{link.lang}”: {answer}")
            elif isinstance(answer, BaseException):
                raise answer
            else:
                hits += answer
        return _Additions(tuple(hits), tuple(troubles))

    async def _sisters_of(self, title: str) -> Mapping[str, _LangLink]:
        form = title_form(title)
        if form is None:
            return {}
        parameters: Parameters = {
            "prop": "langlinks",
            "llprop": "url",
            "lllimit": "max",
            "titles": MANY + form,
            "redirects": 1,
        }
        answer = await self._articles.call("query", _PagesAnswer, parameters)
        links = (one for page in answer.query.pages for one in page.langlinks)
        return {one.lang: one for one in links if self._is_allowed(one.url)}

    def _is_allowed(self, address: str) -> bool:
        try:
            self._filter.wall.check_url(address)
        except ForbiddenAddressError:
            return False
        return True

    async def _added(self, link: _LangLink, window: Window) -> Sequence[Hit]:
        """Return what an article has said since the window began, with its sources."""
        history = self._history_of(link.url)
        until = self._now()
        if window.until:
            until = datetime.combine(window.until, time(23, 59, 59), UTC)
        since = until - _USUAL_WINDOW
        if window.since:
            since = datetime.combine(window.since, time(), UTC)
        before = await history.revision_at(link.title, since)
        after = await history.revision_at(link.title, until)
        if before is None or after is None or before.note == after.note:
            return ()
        return await asyncio.to_thread(_hits, before, after)


def _hits(before: Revision, after: Revision) -> Sequence[Hit]:
    if before.text is None or after.text is None:
        return ()
    page = parse(after.text, PageId("", ""))
    cited: dict[str, set[str]] = {}
    for claim in page.claims:
        keys = cited.setdefault(normalised(claim.sentence), set())
        keys |= {source.key for source in claim.sources}
    old = paragraphs_of(parse(before.text, PageId("", "")))
    edits = edits_between(old, paragraphs_of(page), after.note)
    changes = (change for edit in edits for change in edit.changes)
    found = (hit for change in changes for hit in _hits_of(change, cited))
    return tuple(islice(found, _MOST_HITS))


def _hits_of(
    change: ParagraphChange, cited: Mapping[str, AbstractSet[str]]
) -> Iterator[Hit]:
    """Yield the new sources of new sentences that hold a number, and of new values."""
    for sentence in change.insertions:
        if not any(map(str.isdigit, sentence)):
            continue
        keys = cited.get(normalised(sentence), set())
        for source in change.sources:
            if source.key in keys or change.layout in _VALUES:
                yield Hit(
                    address_of(source),
                    source.title or "",
                    sentence,
                    published=published_on(source),
                )


_TIME = re.compile(r"\+(\d{4})-(\d\d)-(\d\d)T00:00:00Z")
_ID = re.compile(r"[QP][1-9]\d{0,11}")
_UNIT = re.compile(r"https?://[^/\s]{1,100}/entity/(Q[1-9]\d{0,11})")
_YEAR, _MONTH, _DAY = 9, 10, 11  # precisions of a time
_MOST_SNAKS = 30
_MOST_TEXT = 300
_MOST_STATEMENTS = 5_000  # of an item that are read

Id = Annotated[str, Field(pattern=r"^[QP][1-9]\d{0,11}$")]


class DataValue(BaseModel):
    """A value with its type."""

    type: str = Field(max_length=40)
    value: Any


class Snak(BaseModel):
    """A property with a value; without one it is unknown, or has none."""

    property: Id
    snaktype: str = "value"
    datavalue: DataValue | None = None


class Reference(BaseModel):
    """Where a statement is from."""

    snaks: dict[Id, list[Snak]] = Field({}, max_length=_MOST_SNAKS)


class Claim(BaseModel):
    """A statement of an item; `rank` is "deprecated" if it is known to be wrong."""

    mainsnak: Snak
    rank: str = "normal"
    qualifiers: dict[Id, list[Snak]] = Field({}, max_length=_MOST_SNAKS)
    references: list[Reference] = Field([], max_length=100)


class Label(BaseModel):
    """The name of an item or a property in a language."""

    value: str = Field(max_length=1_000)


class Entity(BaseModel):
    """An item or a property; `claims` are read one by one."""

    claims: dict[str, list[Any]] = {}
    labels: dict[str, Label] = {}


class EntitiesAnswer(Reply):
    """A whole answer of `action=wbgetentities`.

    In the form of Wikibase's JSON of 2024. Anyone can write anything in it, so sizes
    are limited, and a malformed statement does not affect others.
    """

    entities: dict[str, Entity] = Field({}, max_length=60)


@dataclass(frozen=True, slots=True)
class Days:
    """The days that a time may mean, both ends included."""

    first: date
    last: date


def claims_of(entity: Entity) -> Iterator[Claim]:
    """Yield the well-formed statements of an item."""
    count = 0
    for rows in entity.claims.values():
        for raw in rows:
            count += 1
            if count > _MOST_STATEMENTS:
                return
            try:
                yield Claim.model_validate(raw)
            except ValidationError:
                continue


def days_of(snaks: Sequence[Snak]) -> Days | None:
    """Return the days that the first of several times means."""
    for snak in snaks:
        value = _inner(snak, "time")
        found = _TIME.fullmatch(str(value.get("time", "")))
        if found:
            numbers = int(found[1]), int(found[2]), int(found[3])
            return _days(*numbers, value.get("precision"))
    return None


def addresses_of(snaks: Sequence[Snak]) -> Iterator[str]:
    """Yield the addresses among values."""
    for snak in snaks:
        value = snak.datavalue.value if snak.datavalue else None
        if isinstance(value, str) and value.startswith(("http://", "https://")):
            yield value


def ids_in(snak: Snak) -> Iterator[str]:
    """Yield the items and properties whose names are needed to put it in words."""
    yield snak.property
    item = _inner(snak, "wikibase-entityid").get("id")
    if isinstance(item, str) and _ID.fullmatch(item):
        yield item
    if unit := _unit(snak):
        yield unit


def in_words(snak: Snak, names: Mapping[str, str]) -> str:
    """Return a value in words; "" if no words would be understood by a reader."""
    if snak.datavalue is None:
        return ""
    kind, value = snak.datavalue.type, snak.datavalue.value
    if kind == "string":
        return str(value)[:_MOST_TEXT]
    if kind == "monolingualtext":
        return str(_inner(snak, kind).get("text", ""))[:_MOST_TEXT]
    if kind == "wikibase-entityid":
        return names.get(str(_inner(snak, kind).get("id")), "")
    if kind == "time":
        return _time_in_words(snak)
    return _amount(snak, names) if kind == "quantity" else ""


def _inner(snak: Snak, kind: str) -> Mapping[str, Any]:
    value = snak.datavalue
    is_it = value is not None and value.type == kind and isinstance(value.value, dict)
    return value.value if is_it and value is not None else {}


def _unit(snak: Snak) -> str | None:
    found = _UNIT.fullmatch(str(_inner(snak, "quantity").get("unit", "")))
    return found[1] if found else None


def _amount(snak: Snak, names: Mapping[str, str]) -> str:
    value = str(_inner(snak, "quantity").get("amount", "")).lstrip("+")[:40]
    try:
        number = f"{int(value):,}" if "." not in value else value
    except ValueError:
        return ""
    return f"{number} {names.get(_unit(snak) or '', '')}".strip()


def _time_in_words(snak: Snak) -> str:
    days = days_of([snak])
    if days is None:
        return ""
    first, last = days.first, days.last
    if first == last:
        return f"{first.day} {first:%B %Y}"
    return f"{first:%B %Y}" if first.month == last.month else str(first.year)


def _days(year: int, month: int, day: int, precision: object) -> Days | None:
    try:
        if precision == _YEAR:
            return Days(date(year, 1, 1), date(year, 12, 31))
        if precision == _MONTH:
            last = monthrange(year, month)[1]
            return Days(date(year, month, 1), date(year, month, last))
        if precision == _DAY:
            return Days(date(year, month, day), date(year, month, day))
    except ValueError:
        pass
    return None


# Properties: when a statement holds, and what a reference says about its page.
_POINT_IN_TIME, _START, _END = "P585", "P580", "P582"
_ADDRESS, _PUBLISHED, _RETRIEVED, _TITLE = "P854", "P577", "P813", "P1476"
_VALID = (_POINT_IN_TIME, _START, _END)
_MOST_NAMES = 50  # the most in one request
_MOST_DATED = 60  # statements of an item that are checked, the newest first
_USUAL_LANGUAGE = "en"


class _PageProps(BaseModel):
    wikibase_item: str = Field(default="", pattern=r"^(Q[1-9]\d{0,11})?$")


class _ItemPage(BaseModel):
    pageprops: _PageProps = _PageProps()


class _ItemPages(BaseModel):
    pages: list[_ItemPage] = Field(default_factory=list, max_length=5)


class _ItemPagesAnswer(Reply):
    query: _ItemPages = _ItemPages()


@dataclass(frozen=True, slots=True)
class _Dated:
    """A statement, the latest days that it names, and its references with addresses."""

    claim: Claim
    days: Days
    references: tuple[Reference, ...]


class WikidataSearch:
    """Fulfils `handlers.ports.Search` over one wiki's articles and their items.

    The article's item is read once per run. A statement dated in the window with an
    address in its references leads to that page; the statement itself is only the
    excerpt, because Wikidata is not a source.

    Args:
        articles: the API of the wiki that has the articles.
        items: that of Wikidata.
        result_filter: what is never passed on.
    """

    def __init__(
        self, articles: WikiApi, items: WikiApi, result_filter: ResultFilter
    ) -> None:
        self._articles = articles
        self._items = items
        self._filter = result_filter
        self._known: dict[tuple[str, Window, str], tuple[Hit, ...]] = {}

    @property
    def name(self) -> str:
        """Of the search, for people."""
        return "Wikidata"

    async def search(self, query: Query, *, limit: int) -> SearchResults:
        """Return at most `limit` pages cited by statements dated in the window.

        An article without an item gives no results.

        Raises:
            TemporaryError: a wiki cannot be reached or is busy.
            PermanentError: a wiki will not answer.
        """
        language = (query.language or _USUAL_LANGUAGE).partition("-")[0]
        key = query.title, query.window or Window(), language
        if key not in self._known:
            while len(self._known) >= _MOST_PAGES_KEPT:
                del self._known[next(iter(self._known))]
            self._known[key] = await self._hits(*key)
        # The newest come first, and stay first among equals.
        hits = by_fit(query, self._known[key])
        return SearchResults(found_of(hits, query, self.name, self._filter)[:limit])

    async def _hits(self, title: str, window: Window, language: str) -> tuple[Hit, ...]:
        item = await self._item_of(title)
        if item is None:
            return ()
        entity = await self._entity(item)
        dated = sorted(
            _dated(entity, window), key=lambda one: one.days.last, reverse=True
        )[:_MOST_DATED]
        names = await self._names_for(dated, language) if dated else {}
        return tuple(hit for one in dated for hit in _statement_hits(one, names))

    async def _item_of(self, title: str) -> str | None:
        form = title_form(title)
        if form is None:
            return None
        parameters: Parameters = {
            "prop": "pageprops",
            "ppprop": "wikibase_item",
            "titles": MANY + form,
            "redirects": 1,
        }
        answer = await self._articles.call("query", _ItemPagesAnswer, parameters)
        items = (page.pageprops.wikibase_item for page in answer.query.pages)
        return next(filter(None, items), None)

    async def _entity(self, item: str) -> Entity:
        parameters = {"ids": item, "props": "claims"}
        answer = await self._items.call("wbgetentities", EntitiesAnswer, parameters)
        return answer.entities.get(item, Entity())

    async def _names_for(
        self, dated: Iterable[_Dated], language: str
    ) -> Mapping[str, str]:
        """Return the names needed, as far as one request has them."""
        wanted = dict.fromkeys(
            name
            for one in dated
            for snak in (one.claim.mainsnak, *_valid_snaks(one.claim))
            for name in ids_in(snak)
        )
        parameters = {
            "ids": "|".join(islice(wanted, _MOST_NAMES)),
            "props": "labels",
            "languages": "|".join(dict.fromkeys((language, "mul", _USUAL_LANGUAGE))),
        }
        answer = await self._items.call("wbgetentities", EntitiesAnswer, parameters)
        return {
            name: label
            for name, entity in answer.entities.items()
            if (label := _label(entity, language))
        }


def _label(entity: Entity, language: str) -> str:
    for each in (language, "mul", _USUAL_LANGUAGE):
        if each in entity.labels:
            return entity.labels[each].value
    return ""


def _dated(entity: Entity, window: Window) -> Iterable[_Dated]:
    """Yield statements dated in the window that cite an address."""
    for claim in claims_of(entity):
        references = tuple(
            one
            for one in claim.references
            if any(addresses_of(one.snaks.get(_ADDRESS, ())))
        )
        days = _latest(claim, references)
        if claim.rank == "deprecated" or not references:
            continue
        if window.is_open or (days is not None and _meets(window, days)):
            yield _Dated(claim, days or Days(date.min, date.min), references)


def _latest(claim: Claim, references: Iterable[Reference]) -> Days | None:
    """Return the days it holds for; else when its pages were published or seen."""
    found = [days_of(claim.qualifiers.get(name, ())) for name in _VALID]
    for one in references if not any(found) else ():
        found += [days_of(one.snaks.get(name, ())) for name in (_PUBLISHED, _RETRIEVED)]
    return max(filter(None, found), key=lambda days: days.last, default=None)


def _meets(window: Window, days: Days) -> bool:
    is_late_enough = window.since is None or window.since <= days.last
    return is_late_enough and (window.until is None or days.first <= window.until)


def _valid_snaks(claim: Claim) -> Iterable[Snak]:
    return [snak for name in _VALID for snak in claim.qualifiers.get(name, ())[:1]]


def _statement_hits(dated: _Dated, names: Mapping[str, str]) -> Iterable[Hit]:
    claim = dated.claim
    value = in_words(claim.mainsnak, names)
    if not value:
        return
    parts = [
        f"{names.get(snak.property, snak.property)}: {in_words(snak, names)}"
        for snak in _valid_snaks(claim)
    ]
    name = names.get(claim.mainsnak.property, claim.mainsnak.property)
    excerpt = "; ".join([f"{name}: {value}", *parts])
    for reference in dated.references:
        published = days_of(reference.snaks.get(_PUBLISHED, ()))
        is_one_day = published is not None and published.first == published.last
        titles = reference.snaks.get(_TITLE, ())
        for address in addresses_of(reference.snaks[_ADDRESS]):
            yield Hit(
                address,
                in_words(titles[0], {}) if titles else "",
                excerpt,
                published=published.first if published and is_one_day else None,
            )
