"""What a draft is made with: the choices of the command line, and the paper's tables.

Documents of an event are prepared as drafting takes them. Pages cited by an article
were scraped in lower case without full stops, so the ends of sentences can only be
guessed: a text is cut where the words make a break likely, and never after a word that
needs another.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from enum import Enum
from itertools import pairwise

from bot.app.wiring.drafts import DEFAULT_RERANKER
from bot.research.evaluation.events import CitedPage, Event, FoundPage
from handlers.citations.addresses import normal_key
from handlers.citations.reliability import ReliabilityLists
from handlers.drafts.gather import Gathered, from_readings
from handlers.drafts.roles import EMBEDDED_RULES, Rules
from handlers.model import (
    Origin,
    Source,
    SourceForm,
    SourceOutcome,
    SourceReading,
    SourceText,
)

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


_LOOKED_AT = 60_000  # characters examined to see if a text has capitals and stops
_FEWEST_WORDS = 60
_CAPITALS, _STOPS = 0.004, 0.01  # share of letters; full stops as a share of words
_LEAST, _BEST, _MOST = 12, 26, 42  # words of a stretch
_LENGTH_COST = 0.06
# Sentences begin more often than elsewhere before these words, ...
_OPENERS = {
    "he she they it we these there but however meanwhile although according": 1.0,
    "after when while since following both several many": 0.8,
    "this more mr mrs ms dr police officials": 0.6,
    "the if his her their its two three": 0.4,
    "a an in on at as for": 0.2,
}
_OPENS = {word: gain for words, gain in _OPENERS.items() for word in words.split()}
# ... and rarely between one of these and the next word.
_HELD = """
a an the of to in on at by for with from into onto over under about between among against
above below behind beside around off out up down despite amid near across along including before after although during through within without upon toward towards per and or nor but as than that which
who whom whose when where while because if is are was were be been being am has have had
having do does did will would can could may might shall should must not no very so too
more most less least such this these those his her its their our my your he she they it
we i you every each some any both either mr mrs ms dr st new said says
"""
_HOLDS = frozenset(_HELD.split())
_COMMON = _HOLDS | _OPENS.keys() | frozenset({"also", "after", "all", "said", "there"})
_TELLS = re.compile(
    r"\b(?:was|were|is|are|had|has|have|said|will|would|been|did|became|began|\w{3,}ed|won"
    r"|took|made|held|left|came|went|led|lost|gave|found|told|ran|rose|fell|met|set)\b"
)
_OF_PAGE = re.compile(
    r"\b(?:newsletters?|sign ?(?:up|in)|subscri\w+|cookies?|privacy|advertise\w*|adverts?"
    r"|log ?in|copyright|all rights|terms of (?:use|service)|recaptcha|click|facebook"
    r"|twitter|instagram|whatsapp|linkedin|youtube|email|e?newspaper|read more|related"
    r"|javascript|browser|website|webpage|archived|wayback|retrieved|skip to|menu|search"
    r"|comments (?:powered|below|section|policy)|\d+ comments?|(?:leave|post|add) a comment|share this|watch live|podcasts?|follow us|download|getty|photograph|trademarks?|registered (?:mark|office|in)|web site|official (?:web ?)?site|word mark|job opportunities|press releases?|link(?:ed)? to this|latest (?:articles?|news|updates|posts)|breaking news|top stories|trending|you may also like|more from|up next|more close|show (?:more|less)|min(?:ute)? read|all golden|disclaimer|adfree|disqus|popular posts|exclusive stories)\b"
)
_ARTICLES = frozenset({"a", "an", "the", "his", "her", "its", "their"})
_VERB = re.compile(
    r"^(?:\w+(?:ed|ing)|won|took|made|held|left|gave|found|led|lost|told|met)$"
)
_LEAST_COMMON, _MOST_COMMON = 0.28, 0.75
_FEWEST_DIFFERENT = 0.55  # of the words of a stretch


def is_unmarked(text: str) -> bool:
    """Return whether a text lacks the capitals and full stops that mark sentences."""
    seen = text[:_LOOKED_AT]
    words = seen.split()
    letters = sum(map(str.isalpha, seen))
    if len(words) < _FEWEST_WORDS or not letters:
        return False
    stops = sum(word.endswith((".", "!", "?")) for word in words)
    capitals = sum(map(str.isupper, seen))
    return capitals < _CAPITALS * letters and stops < _STOPS * len(words)


def with_breaks(text: str) -> str:
    """Return a text with a line for each guessed sentence, or as it is if it has stops.

    Menus, notices of the page and lists of names are left out.
    """
    if not is_unmarked(text):
        return text
    words = text.split()
    cut = (words[first:last] for first, last in pairwise(_cuts(words)))
    lines = (" ".join(said) for said in cut if _tells(said))
    return "\n".join(f"{one[0].upper()}{one[1:]}." for one in lines)


def _tells(said: Sequence[str]) -> bool:
    """Return whether words are prose about the world, not menus or notices."""
    # Share of words common in any prose; rows of headlines have few.
    common = sum(one in _COMMON for one in said) / len(said)
    text = " ".join(said)
    return (
        len(said) >= _LEAST
        and _LEAST_COMMON <= common <= _MOST_COMMON
        and len(set(said)) >= _FEWEST_DIFFERENT * len(said)
        and _TELLS.search(text) is not None
        and _OF_PAGE.search(text) is None
    )


def _cuts(words: Sequence[str]) -> list[int]:
    """Return where stretches begin, and the end, chosen for the lowest total cost.

    A stretch costs more the further it is from the usual length of a sentence, and less
    the likelier a break before it is.
    """
    if not words:
        return []
    gains = [0.0, *(_gain(one, other) for one, other in pairwise(words)), 0.0]
    best = [0.0] + [float("inf")] * len(words)
    came = [0] * (len(words) + 1)
    for end in range(1, len(words) + 1):
        for start in range(max(0, end - _MOST), max(0, end - _LEAST) + 1):
            cost = best[start] + abs(end - start - _BEST) * _LENGTH_COST - gains[end]
            if cost < best[end]:
                best[end], came[end] = cost, start
    cuts = [len(words)]
    while cuts[-1]:
        cuts.append(came[cuts[-1]])
    return cuts[::-1]


def _gain(before: str, word: str) -> float:
    """Return how likely a sentence begins at `word`; below 0 if it is unlikely."""
    held = before in _HOLDS or (word in _ARTICLES and _VERB.search(before) is not None)
    return _OPENS.get(word, 0.0) - 2.0 * held


WIKI = "en.wikipedia.org"  # where the articles come from


def documents_of(event: Event, which: Documents, lists: ReliabilityLists) -> Gathered:
    """Return an event's documents, each address once, but no sites the wiki refuses."""
    pages: list[FoundPage | CitedPage] = []
    if which is not Documents.CITED:
        pages += event.found
    if which is not Documents.SEARCH:
        pages += event.pages
    once = {normal_key(one.address): one for one in reversed(pages)}
    return from_readings(
        [_reading(one) for one in reversed(once.values())], WIKI, lists
    )


def _reading(page: FoundPage | CitedPage) -> SourceReading:
    title = page.title if isinstance(page, FoundPage) else page.citation
    text = page.text if isinstance(page, FoundPage) else with_breaks(page.text)
    return SourceReading(
        source=Source(SourceForm.URL, page.address, url=page.address, title=title),
        outcome=SourceOutcome.READ,
        detail="read from the data set",
        origin=Origin.DISK,
        url=page.address,
        document=SourceText(text, title=title or None),
    )
