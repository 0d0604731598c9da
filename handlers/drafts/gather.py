"""Finds, reads and screens the documents for a draft.

All searches are asked for the topic, and the best pages of all answers are opened: a
page that several searches find comes first. Sources that the wiki does not accept, and
other wikis, are not even opened. Of what was read, `screened` keeps the documents that
are in the language of the draft, have enough words, are not copies of a wiki or of
one another, and are about the topic and its year. Does no I/O itself.

The title is searched for by itself, and with the hint. Also searching for "background"
or "aftermath" found fewer of an event's own pages: .685 of 40 instead of .758, fewer on
31 of 68 events and more on none (WikiGenBench, events with odd numbers, BM25 over the
pages of all 148).
"""

import asyncio
import re
from collections.abc import Sequence
from dataclasses import dataclass, field

from handlers.documents.document import Original, is_shop
from handlers.documents.language import language_of_document
from handlers.drafts.candidates import (
    MOST_CHARS,
    has_prose,
    named,
    prose_of,
    years_in,
    years_of,
)
from handlers.model import (
    DraftDocument,
    Left,
    LeftOut,
    Query,
    SearchResults,
    Source,
    SourceFetch,
    SourceForm,
    Topic,
    Trust,
)
from handlers.ports import PermanentError, Search, SourceReader, TemporaryError
from handlers.sources.addresses import normal_key, untracked
from handlers.sources.reliability import ReliabilityLists

_LONGEST_QUESTION = 200  # characters; some services refuse longer ones
_RANKS = 60  # of reciprocal rank fusion, as usual


@dataclass(frozen=True, slots=True)
class GatheringPolicy:
    """How far the search goes. At most twice as many pages are tried as are wanted."""

    documents: int = 40
    per_question: int = 100
    at_once: int = 8


@dataclass(frozen=True, slots=True)
class Gathered:
    """Documents for a draft, and what was left out.

    `retry_in_s` says when to try again if a search could not be reached.
    """

    documents: tuple[DraftDocument, ...]
    left_out: tuple[LeftOut, ...] = ()
    troubles: tuple[str, ...] = ()  # each one line, for people to read
    retry_in_s: float | None = None


@dataclass(frozen=True, slots=True)
class Reach:
    """The means to find and read documents; `wiki` is the host the draft is for.

    `lists` name the sources that the wiki does not accept.
    """

    wiki: str
    searches: tuple[Search, ...]
    sources: SourceReader
    lists: ReliabilityLists
    policy: GatheringPolicy = field(default_factory=GatheringPolicy)


async def gather(topic: Topic, reach: Reach) -> Gathered:
    """Return the documents on `topic` that the searches find and that can be read."""
    found, troubles, retry_in_s = await _pages_found(topic, reach)
    policy = reach.policy
    wanted, left_out = list[str](), list[LeftOut]()
    for one in found:
        left = _refused(one, reach.wiki, reach.lists)
        if left is None and is_shop(one):
            left = LeftOut(one, Left.UNRELIABLE, "a shop's page")
        if left is None:
            wanted.append(untracked(one))
        else:
            left_out.append(left)
    fetches: list[SourceFetch] = []
    read = Gathered(())
    for first in range(0, min(len(wanted), 2 * policy.documents), policy.at_once):
        if len(read.documents) >= policy.documents:
            break
        some = [
            reach.sources.read(Source(SourceForm.URL, one, url=one))
            for one in wanted[first : first + policy.at_once]
        ]
        fetches += await asyncio.gather(*some)
        read = from_fetches(fetches, reach.wiki, reach.lists)
    return Gathered(
        read.documents[: policy.documents],
        (*left_out, *read.left_out),
        tuple(dict.fromkeys(troubles)),
        retry_in_s,
    )


async def _pages_found(
    topic: Topic, reach: Reach
) -> tuple[list[str], list[str], float | None]:
    """Return the addresses found, best first by reciprocal rank fusion, and troubles."""
    troubles, retry_in_s = list[str](), None
    pages: dict[str, str] = {}
    worth: dict[str, float] = {}
    for question in questions(topic):
        query = Query(question, topic.title, language=topic.language)
        for search in reach.searches:
            try:
                found = await search.search(query, limit=reach.policy.per_question)
            except (PermanentError, TemporaryError) as error:
                troubles.append(f"{search.name}: {error}")
                if isinstance(error, TemporaryError):
                    retry_in_s = max(retry_in_s or 0.0, error.retry_in_s)
                continue
            troubles += found.troubles if isinstance(found, SearchResults) else ()
            for rank, one in enumerate(found):
                key = normal_key(one.address)
                pages.setdefault(key, one.address)
                worth[key] = worth.get(key, 0.0) + 1 / (_RANKS + rank)
    best = sorted(worth, key=lambda key: -worth[key])
    return [pages[key] for key in best], troubles, retry_in_s


def from_fetches(
    fetches: Sequence[SourceFetch], wiki: str, lists: ReliabilityLists
) -> Gathered:
    """Return documents that someone supplied, under the same lists and limits."""
    documents: list[DraftDocument] = []
    left_out: list[LeftOut] = []
    for one in fetches:
        address = one.url or one.source.url or one.source.key
        # It may have redirected to a site that is refused.
        refused = _refused(address, wiki, lists)
        if one.document is None:
            refused = LeftOut(address, Left.NOT_READ, one.detail)
        if refused:
            left_out.append(refused)
        else:
            is_reliable = lists.of(address, wiki).trust is Trust.RELIABLE
            documents.append(
                DraftDocument(len(documents), one, is_reliable=is_reliable)
            )
    return Gathered(tuple(documents), tuple(left_out))


def _refused(address: str, wiki: str, lists: ReliabilityLists) -> LeftOut | None:
    regarded = lists.of(address, wiki)
    if regarded.trust.may_be_recommended:
        return None
    why = Left.COPY if regarded.trust is Trust.MIRROR else Left.UNRELIABLE
    return LeftOut(address, why, regarded.trust.value)


def questions(topic: Topic) -> tuple[str, ...]:
    """Return the queries for the searches."""
    title, hint = topic.title.strip(), topic.hint.strip()
    queries = (title, f"{title} {hint}".strip())
    return tuple(dict.fromkeys(one[:_LONGEST_QUESTION].strip() for one in queries))


_LANGUAGE_CHARS = 60_000  # from which its language and subject are recognised
_FEWEST_SENTENCES, _FEWEST_WORDS = 2, 60
_SAME = 0.6  # share of the shorter document's sentences that the other also has
_FEWEST_SAME = 2
_LEAST_NAMED = 0.6  # of the title's words
_WIKI_HOST = re.compile(
    r"^https?://(?:[\w-]+\.)*(?:wiki(?:pedia|data|media|wand|news|voyage|quote|source|books)|dbpedia|wikizero)\.",
    re.IGNORECASE,
)


def screened(topic: Topic, documents: Sequence[DraftDocument]) -> Gathered:
    """Return which documents can be used for a draft on `topic`.

    Of two documents with mostly the same sentences, the longer one is kept.
    """
    original = Original(())
    retained: list[tuple[DraftDocument, frozenset[str]]] = []
    left_out: list[LeftOut] = []
    for one in sorted(documents, key=lambda one: len(one.text), reverse=True):
        why = _fault(topic, one, original)
        mine = frozenset[str]() if why else prose_of(topic, one)
        if why is None:
            twin = next(
                (other for other, its in retained if _are_same(mine, its)), None
            )
            if twin is not None:
                why = (Left.COPY, f"mostly the same text as {twin.name}")
        if why is None:
            retained.append((one, mine))
        else:
            left_out.append(LeftOut(one.name, *why))
    usable = sorted((one for one, _ in retained), key=lambda one: one.number)
    return Gathered(tuple(usable), tuple(left_out))


def _fault(
    topic: Topic, one: DraftDocument, original: Original
) -> tuple[Left, str] | None:
    """Return the first reason that keeps a document out of a draft."""
    document = one.fetch.document
    if document is None:
        return Left.NOT_READ, one.fetch.detail
    language = language_of_document(document, _LANGUAGE_CHARS)
    is_foreign = language and language != topic.language.partition("-")[0].lower()
    is_wiki = _WIKI_HOST.match(one.url)
    copied = original.copied_by(document, MOST_CHARS)
    opening = f"{one.title} {one.text[:_LANGUAGE_CHARS]}"
    # A text without whole sentences can still be pointed to.
    is_empty = len(one.text.split()) < _FEWEST_WORDS and not has_prose(
        topic, one, _FEWEST_SENTENCES
    )
    wanted, titled = years_of(topic), years_in(one.title)
    is_other = wanted and titled and not wanted & titled
    faults = (
        is_wiki and (Left.COPY, "a wiki page"),
        is_foreign and (Left.OTHER_LANGUAGE, f"its language is {language}"),
        copied and (Left.COPY, copied),
        is_empty and (Left.NO_SENTENCES, ""),
        named(topic, opening) < _LEAST_NAMED and (Left.NOT_ABOUT_TOPIC, ""),
        is_other and (Left.OTHER_EDITION, ""),
    )
    return next((fault for fault in faults if fault), None)


def _are_same(mine: frozenset[str], others: frozenset[str]) -> bool:
    fewest = min(len(mine), len(others))
    shared = len(mine & others)
    return shared >= _FEWEST_SAME and shared >= _SAME * fewest
