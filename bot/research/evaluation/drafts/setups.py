"""What a draft is made with: the choices of the command line, and the paper's tables.

Documents of an event are given as the data set has them. Pages cited by an article were
scraped in lower case without full stops; no sentence can be quoted from those, so a
draft without a model only points to them.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from enum import Enum

from bot.app.wiring.drafts import DEFAULT_RERANKER
from bot.research.evaluation.datasets import WIKI
from bot.research.evaluation.events import CitedPage, Event, FoundPage
from handlers.drafts.gather import Gathered, from_fetches
from handlers.drafts.roles import EMBEDDED_RULES, Rules
from handlers.model import (
    Origin,
    Source,
    SourceFetch,
    SourceForm,
    SourceOutcome,
    SourceText,
)
from handlers.sources.addresses import normal_key
from handlers.sources.reliability import ReliabilityLists

WORDS = Rules().words
TOP = EMBEDDED_RULES.chunks
PAPER_TOP = Rules().chunks  # that the paper's rows read, except in table 3


class Maker(Enum):
    """What makes a draft: a method of the paper, or a baseline to compare it with."""

    RR = "rr"
    PRR = "prr"
    TUNED = "tuned"
    LEAD = "lead"  # the first sentences of the documents, in order
    CHANCE = "random_sentences"  # sentences drawn at random

    @property
    def is_baseline(self) -> bool:
        return self in (Maker.LEAD, Maker.CHANCE)


class Documents(Enum):
    """Which documents of an event are given (table 5)."""

    SEARCH = "search"  # what a search engine returned
    CITED = "cited"  # what the article cites
    MIXED = "mixed"


@dataclass(frozen=True, slots=True)
class Setup:
    """One way of making drafts. `top` is the greatest number of chunks read."""

    maker: Maker = Maker.PRR
    reranker: str = DEFAULT_RERANKER
    top: int = TOP
    documents: Documents = Documents.MIXED
    words: int = WORDS
    like: str = ""  # key of a setup whose drafts this one is to match in length

    @property
    def key(self) -> str:
        length = f"as_{self.like}" if self.like else str(self.words)
        parts = [self.maker.value, self.documents.value, length]
        if not self.maker.is_baseline:
            parts[1:1] = [self.reranker, str(self.top)]
        return "-".join(parts)


TABLES = METHODS, CHUNKS, RERANKED, SOURCES = (2, 3, 4, 5)  # by what varies in them
_TOPS = (5, 10, 15, 20)
_RERANKERS = (
    ("Random", "random"),
    ("TF-IDF", "tfidf"),
    ("BM25", "bm25"),
    ("Encoder", "encoder"),
    ("Encoder, by sentence", "encoder-sentences"),
    ("Merged", "merged"),
)
_SOURCES = (
    ("Search Engine", Documents.SEARCH),
    ("Human Editor", Documents.CITED),
    ("Mixed", Documents.MIXED),
)


def rows_of_table(number: int, main: Setup, *, is_tuned: bool) -> dict[str, Setup]:
    """Return our rows in one of the paper's tables, by the labels used there.

    Tables 3 to 5 use RR reading five chunks, as in the paper, with everything else as
    in `main`; table 3 shows where five are too few to write from. A row of TunedRR
    needs a model for it.
    """
    if number == METHODS:
        makers = [Maker.RR, Maker.PRR, *([Maker.TUNED] if is_tuned else [])]
        return {one.name: replace(main, maker=one) for one in makers}
    plain = replace(main, maker=Maker.RR, top=PAPER_TOP)
    if number == CHUNKS:
        return {str(top): replace(plain, top=top) for top in sorted({*_TOPS, main.top})}
    if number == RERANKED:
        return {label: replace(plain, reranker=name) for label, name in _RERANKERS}
    return {label: replace(plain, documents=one) for label, one in _SOURCES}


def baselines_of(main: Setup) -> dict[str, Setup]:
    """Return the baselines, made from the same documents.

    Two have the length that is asked for, and two that of each event's draft: overlap
    depends on length, so only those show whether a draft chose well.
    """
    lead, chance = replace(main, maker=Maker.LEAD), replace(main, maker=Maker.CHANCE)
    return {
        f"First {main.words:,} words": lead,
        f"Random sentences, {main.words:,} words": chance,
        "First words, as long as the draft": replace(lead, like=main.key),
        "Random, as long as the draft": replace(chance, like=main.key),
    }


def all_setups(
    main: Setup, tables: Sequence[int], *, is_tuned: bool
) -> tuple[Setup, ...]:
    """Return every setup that is needed, each once, the main one first."""
    wanted = [main, *baselines_of(main).values()]
    for number in tables:
        wanted += rows_of_table(number, main, is_tuned=is_tuned).values()
    return tuple({one.key: one for one in wanted}.values())


def documents_of(event: Event, which: Documents, lists: ReliabilityLists) -> Gathered:
    """Return an event's documents, each address once, but no sites the wiki refuses."""
    pages: list[FoundPage | CitedPage] = []
    if which is not Documents.CITED:
        pages += event.found
    if which is not Documents.SEARCH:
        pages += event.pages
    once = {normal_key(one.address): one for one in reversed(pages)}
    return from_fetches([_fetch(one) for one in reversed(once.values())], WIKI, lists)


def _fetch(page: FoundPage | CitedPage) -> SourceFetch:
    title = page.title if isinstance(page, FoundPage) else page.citation
    return SourceFetch(
        source=Source(SourceForm.URL, page.address, url=page.address, title=title),
        outcome=SourceOutcome.READ,
        detail="read from the data set",
        origin=Origin.DISK,
        url=page.address,
        document=SourceText(page.text, title=title or None),
    )
