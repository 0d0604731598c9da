"""Finds, reads and sorts out the documents for a draft.

Many questions are asked, and the best pages of all answers opened: a page that several
questions find comes first. What the wiki does not accept as a source, and what is a wiki
itself, is not even opened. Of what was read, `screened` leaves the documents in the
language of the draft that have whole sentences, are no copies of a wiki or of one another,
and speak of what the draft is about, of the year that it asks for. Does no I/O of its
own.
"""

import asyncio
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from types import MappingProxyType

from handlers.citations.addresses import normal_key, untracked
from handlers.citations.reliability import ReliabilityLists
from handlers.documents.document import Original, is_shop
from handlers.documents.language import language_of_document, language_of_text
from handlers.documents.prose import sentences
from handlers.drafts.candidates import (
    MOST_CHARS,
    Edition,
    has_prose,
    named,
    prose_of,
)
from handlers.model import (
    DraftDocument,
    Finds,
    Found,
    Left,
    LeftOut,
    Query,
    Source,
    SourceForm,
    SourceReading,
    SourceText,
    Topic,
    Trust,
)
from handlers.ports import PermanentError, Search, SourceReader, TemporaryError

_LONGEST_QUESTION = 200  # characters; some services refuse longer ones
_RANKS = 60  # of reciprocal rank fusion, as usual
# What articles on events and things tell, to be asked beside the name.
_ASPECTS: Mapping[str, tuple[str, ...]] = MappingProxyType(
    {
        "en": ("background", "what happened", "aftermath", "reactions"),
        "de": ("Hintergrund", "Verlauf", "Folgen", "Reaktionen"),
        "fr": ("contexte", "déroulement", "conséquences", "réactions"),
        "es": ("antecedentes", "desarrollo", "consecuencias", "reacciones"),
    }
)


@dataclass(frozen=True, slots=True)
class GatheringPolicy:
    """How far the search goes. Pages that cannot be read count among `tried` only."""

    documents: int = 40
    tried: int = 80
    per_question: int = 20
    at_once: int = 8


@dataclass(frozen=True, slots=True)
class Gathered:
    """Documents for a draft, and what was left out on the way.

    `retry_in_s` is when asking again may help, where a search was out of reach.
    """

    documents: tuple[DraftDocument, ...]
    left_out: tuple[LeftOut, ...] = ()
    troubles: tuple[str, ...] = ()  # each a line for a person
    retry_in_s: float | None = None


@dataclass(frozen=True, slots=True)
class Reach:
    """What documents are found and read with; `wiki` is the host the draft is for.

    `lists` are of sources that the wiki does not accept.
    """

    wiki: str
    searches: tuple[Search, ...]
    sources: SourceReader
    lists: ReliabilityLists
    policy: GatheringPolicy = field(default_factory=GatheringPolicy)


async def gather(topic: Topic, reach: Reach) -> Gathered:
    """Return what the searches find on `topic` and can be read of it."""
    answers = _Answers()
    for question in questions(topic):
        query = Query(question, topic.title, language=topic.language)
        for search in reach.searches:
            await answers.ask(search, query, reach.policy.per_question)
    opening = _Opening(reach)
    await opening.open(answers.best())
    return Gathered(
        tuple(opening.documents),
        tuple(opening.left_out),
        tuple(dict.fromkeys(answers.troubles)),
        answers.retry_in_s,
    )


def from_readings(
    readings: Sequence[SourceReading], wiki: str, lists: ReliabilityLists
) -> Gathered:
    """Return documents that somebody handed over; lists and failures count as ever."""
    documents: list[DraftDocument] = []
    left_out: list[LeftOut] = []
    for one in readings:
        left = _unread(one) or _refused(_address(one), wiki, lists)
        if left:
            left_out.append(left)
        else:
            is_reliable = _is_reliable(one, wiki, lists)
            documents.append(
                DraftDocument(len(documents), one, is_reliable=is_reliable)
            )
    return Gathered(tuple(documents), tuple(left_out))


def questions(topic: Topic) -> tuple[str, ...]:
    """Return what searches are asked, the most promising first."""
    title, hint = topic.title.strip(), topic.hint.strip()
    aspects = _ASPECTS.get(topic.language.partition("-")[0].lower(), ())
    asked = (title, f"{title} {hint}", *(f"{title} {one}" for one in aspects))
    return tuple(dict.fromkeys(one.strip()[:_LONGEST_QUESTION] for one in asked))


@dataclass(slots=True)
class _Answers:
    """What all searches found, each page once."""

    troubles: list[str] = field(default_factory=list)
    retry_in_s: float | None = None
    _found: dict[str, Found] = field(default_factory=dict)
    _worth: dict[str, float] = field(default_factory=dict)

    async def ask(self, search: Search, query: Query, limit: int) -> None:
        try:
            found = await search.search(query, limit=limit)
        except TemporaryError as error:
            self.troubles.append(f"{search.name}: {error}")
            self.retry_in_s = max(self.retry_in_s or 0.0, error.retry_in_s)
            return
        except PermanentError as error:
            self.troubles.append(f"{search.name}: {error}")
            return
        self.troubles += found.troubles if isinstance(found, Finds) else ()
        for rank, one in enumerate(found):
            key = normal_key(one.address)
            self._found.setdefault(key, one)
            self._worth[key] = self._worth.get(key, 0.0) + 1 / (_RANKS + rank)

    def best(self) -> Iterator[Found]:
        order = sorted(self._worth, key=lambda key: -self._worth[key])
        return (self._found[key] for key in order)


@dataclass(slots=True)
class _Opening:
    """Reads what was found, until there is enough."""

    reach: Reach
    documents: list[DraftDocument] = field(default_factory=list)
    left_out: list[LeftOut] = field(default_factory=list)

    async def open(self, found: Iterator[Found]) -> None:
        wanted = [one for one in found if self._may_be_opened(one)]
        for first in range(
            0, min(len(wanted), self.reach.policy.tried), self.reach.policy.at_once
        ):
            if len(self.documents) >= self.reach.policy.documents:
                return
            some = wanted[first : first + self.reach.policy.at_once]
            readings = await asyncio.gather(*(self._read(one) for one in some))
            for one, reading in zip(some, readings, strict=True):
                self._keep(one, reading)

    def _may_be_opened(self, found: Found) -> bool:
        left = _refused(found.address, self.reach.wiki, self.reach.lists)
        if left is None and is_shop(found.address):
            left = LeftOut(found.address, Left.UNRELIABLE, "the page of a shop")
        if left is not None:
            self.left_out.append(left)
        return left is None

    async def _read(self, found: Found) -> SourceReading:
        address = untracked(found.address)
        return await self.reach.sources.read(
            Source(SourceForm.URL, address, url=address)
        )

    def _keep(self, found: Found, reading: SourceReading) -> None:
        # A redirect may lead to a site that the wiki does not accept.
        left = _unread(reading) or _refused(
            _address(reading), self.reach.wiki, self.reach.lists
        )
        if left is not None:
            self.left_out.append(left)
        elif len(self.documents) < self.reach.policy.documents:
            is_reliable = _is_reliable(reading, self.reach.wiki, self.reach.lists)
            self.documents.append(
                DraftDocument(
                    len(self.documents), reading, found.search, is_reliable=is_reliable
                )
            )


def _refused(address: str, wiki: str, lists: ReliabilityLists) -> LeftOut | None:
    regarded = lists.of(address, wiki)
    if regarded.trust.may_be_recommended:
        return None
    why = Left.COPY if regarded.trust is Trust.MIRROR else Left.UNRELIABLE
    return LeftOut(address, why, regarded.trust.value)


def _is_reliable(reading: SourceReading, wiki: str, lists: ReliabilityLists) -> bool:
    return lists.of(_address(reading), wiki).trust is Trust.RELIABLE


def _unread(reading: SourceReading) -> LeftOut | None:
    if reading.document is not None:
        return None
    return LeftOut(_address(reading), Left.NOT_READ, reading.detail)


def _address(reading: SourceReading) -> str:
    return reading.url or reading.source.url or reading.source.key


_LANGUAGE_CHARS = 60_000  # in which its language and its subject show
_FEWEST_SENTENCES = 2
_SAME = 0.6  # share of the shorter document's sentences that the other has, too
_FEWEST_SAME = 2
_LEAST_NAMED = 0.6  # of the title's words
_WIKI_HOST = re.compile(
    r"^https?://(?:[\w-]+\.)*(?:wiki(?:pedia|data|media|wand|news|voyage|quote|source|books)|dbpedia|wikizero)\.",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class Screened:
    """The documents that can be used, in their order, and what became of the others."""

    documents: tuple[DraftDocument, ...]
    left_out: tuple[LeftOut, ...]


def screened(topic: Topic, documents: Sequence[DraftDocument]) -> Screened:
    """Return which documents can be used for a draft on `topic`.

    Of two documents with mostly the same sentences the longer one stays.
    """
    original, edition = Original(()), Edition(topic)
    kept: list[tuple[DraftDocument, frozenset[str]]] = []
    left_out: list[LeftOut] = []
    for one in sorted(documents, key=_length, reverse=True):
        why = _fault(topic, one, original, edition)
        mine = frozenset[str]() if why else prose_of(topic, one)
        if why is None:
            twin = next((other for other, its in kept if _are_same(mine, its)), None)
            if twin is not None:
                why = (Left.COPY, f"mostly the words of {address_of(twin)}")
        if why is None:
            kept.append((one, mine))
        else:
            left_out.append(LeftOut(address_of(one), *why))
    usable = sorted((one for one, _ in kept), key=lambda one: one.number)
    return Screened(tuple(usable), tuple(left_out))


def address_of(document: DraftDocument) -> str:
    """Return what a person knows a document by: its address, else title or number."""
    reading = document.reading
    title = reading.document.title if reading.document else None
    return reading.url or reading.source.url or title or f"[{document.number + 1}]"


def _fault(
    topic: Topic, one: DraftDocument, original: Original, edition: Edition
) -> tuple[Left, str] | None:
    """Return the first thing that keeps a document out of a draft."""
    document = one.reading.document
    if document is None:
        return Left.NOT_READ, one.reading.detail
    language = _other_language(topic, document)
    is_wiki = _WIKI_HOST.match(address_of(one))
    copied = original.copied_by(document, MOST_CHARS)
    opening = f"{document.title or ''} {document.text[:_LANGUAGE_CHARS]}"
    faults = (
        is_wiki and (Left.COPY, "a page of a wiki"),
        language and (Left.OTHER_LANGUAGE, f"its language is {language}"),
        copied and (Left.COPY, copied),
        not has_prose(topic, one, _FEWEST_SENTENCES) and (Left.NO_SENTENCES, ""),
        named(topic, opening) < _LEAST_NAMED and (Left.NOT_ABOUT_TOPIC, ""),
        edition.is_other_page(document.title or "") and (Left.OTHER_EDITION, ""),
    )
    return next((fault for fault in faults if fault), None)


def _other_language(topic: Topic, document: SourceText) -> str | None:
    """Return the language of a page, if it is not the draft's.

    A page can have its menus in one language and its sentences in another.
    """
    wanted = topic.language.partition("-")[0].lower()
    language = language_of_document(document, _LANGUAGE_CHARS)
    if not language or language == wanted:
        return None
    found = sentences(document.text[:_LANGUAGE_CHARS])
    prose = " ".join(one.text for one in found if one.text.endswith("."))
    return None if language_of_text(prose) == wanted else language


def _are_same(mine: frozenset[str], others: frozenset[str]) -> bool:
    fewest = min(len(mine), len(others))
    shared = len(mine & others)
    return shared >= _FEWEST_SAME and shared >= _SAME * fewest


def _length(document: DraftDocument) -> int:
    return len(document.reading.document.text) if document.reading.document else 0
