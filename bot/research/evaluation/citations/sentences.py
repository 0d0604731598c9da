"""Sentences of an article that one of its cited pages supports, and checks of them.

WikiGenBench lists what an article cites but not where, so the links are made by a rule.
It looks at the details of a sentence that set it apart, its *specifics*: numbers, and
names (capitalised words inside the sentence) that occur on at most one page in ten;
words of the article's title are left out. A pair is made when

1. the sentence has 3 specifics, a name and a number among them, or 4 names;
2. one page of the event *fits*: all the numbers and 70 % of the specifics (80 % where
   there is no number) occur there within 80 words; and no other page of the event has
   more than 80 % as many of them that close together;
3. something besides the page's text supports it: the headline in the citation has one
   of the specifics, or two other words of the sentence that the title lacks; or the
   citation is dated within a week of a day that the sentence names; or the sentence
   has five specifics, a number among them;
4. the sentence is not copied: it shares no run of eight words with the page.

All other words of the sentence, and how often a word occurs, play no part, so the rule
does not repeat what BM25 ranks by. It does favour sentences with names and numbers,
which BM25 finds more easily than others, so figures of word search are flattered.

Of 50 of the 160 pairs of `events_dev.jsonl.gz`, drawn at random and compared with the
page by hand, 39 were right (78 %): the page states the main fact of the sentence or one
of several. In the other 11 it mentions the same people or places but not the fact, or
the words are in a menu (`tests/fixtures/retrieval_pairs_judged.json`). An error of the
rule makes every retriever look worse, and all of them equally if the page is unrelated.

Each sentence is checked as if it cited its page, another or none. The results are kept
without applying the margin, so that one run shows what would be recommended at any
margin.
"""

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import date, timedelta
from enum import Enum
from hashlib import sha256
from pathlib import Path
from typing import TypeAlias

from bot.research.evaluation.datasets import WIKI
from bot.research.evaluation.events import CitedPage, Event, Events, read_events
from bot.research.evaluation.report import Progress
from handlers.citations import check_citations
from handlers.citations.better_sources import Policy, find_better_sources
from handlers.model import (
    Citation,
    CitationForm,
    Page,
    PageId,
    Source,
    SourceForm,
    Span,
)
from handlers.page.sentences import split
from handlers.ports import PermanentError, Tools
from handlers.sources.addresses import normal_key
from handlers.text.words import STOP_WORDS
from handlers.updates.entailment import CachedVerifier, claim_of

_FEWEST, _MOST = 8, 60  # words of a sentence
_WINDOW = 80  # words
_COMMON = 0.1  # of the pages
_FITS, _FITS_WITHOUT_NUMBER = 0.7, 0.8  # of the specifics
_RIVAL = 0.8
_WITH_NUMBER, _WITHOUT_NUMBER = 3, 4  # specifics that a sentence must have
_TELLING = 5
_COPIED = 8  # words in a row
_WEEK = timedelta(days=7)
_SHORTEST_NAME = 3
_MONTHS = ["january", "february", "march", "april", "may", "june", "july", "august", "september", "october", "november", "december"]  # fmt: skip
_MONTH = "|".join(_MONTHS)
_DAY = re.compile(
    rf"\b(?:(?P<d>\d{{1,2}}) (?P<m>{_MONTH})|(?P<M>{_MONTH}) (?P<D>\d{{1,2}}))"
    r"(?:,? (?P<y>\d{4}))?\b",
    re.IGNORECASE,
)
_YEAR = re.compile(r"\b(1[5-9]\d\d|20\d\d)\b")
_TOKEN = re.compile(r"\d+(?:[.,]\d+)*|[^\W\d_](?:[^\W_]|['’\-](?=[^\W_]))*")
_SIGNS = re.compile(r"[^\w\s]|_")
_HEADLINE = re.compile(r"[\"“«„](.{8,300}?)[\"”»“]")


@dataclass(frozen=True, slots=True)
class Pair:
    event: str
    title: str
    section: tuple[str, ...]
    sentence: str
    page: str

    @property
    def id(self) -> str:
        """Return what identifies the pair, without its text."""
        parts = "\n".join((self.event, self.page, self.sentence))
        return sha256(parts.encode()).hexdigest()[:16]


@dataclass(frozen=True, slots=True)
class _Page:
    cited: CitedPage
    key: str
    words: tuple[str, ...]


def page_key(page: CitedPage) -> str:
    """Identify a page among all events, however its address is spelt."""
    return normal_key(page.address)


def read_pairs(path: Path) -> tuple[Events, list[Pair]]:
    """Read events, and all pairs of them."""
    events = read_events(path)
    pairs = find_pairs(events.rows)
    if not pairs:
        raise PermanentError(
            f"{path} has no sentence whose page can be found; name articles with the texts"
            " of the pages that they cite"
        )
    return events, pairs


def find_pairs(events: Sequence[Event]) -> list[Pair]:
    words = {
        page_key(page): tuple(_scraped(page.text))
        for event in events
        for page in event.pages
    }
    spread = Counter(word for page in words.values() for word in set(page))
    most = max(1, round(_COMMON * len(words)))
    return [pair for event in events for pair in _pairs_of(event, words, spread, most)]


def _pairs_of(
    event: Event,
    words: Mapping[str, tuple[str, ...]],
    spread: Mapping[str, int],
    most: int,
) -> Iterator[Pair]:
    first = {page_key(page): page for page in reversed(event.pages)}
    pages = [_Page(page, key, words[key]) for key, page in first.items()]
    known = set(_scraped(event.title))
    for section, sentence in _sentences(event):
        found = {
            word
            for word in _specifics(sentence) - known
            if word[0].isdigit() or spread.get(word, 0) <= most
        }
        page = _only_fit(found, pages)
        if page and _supports(page, sentence, known, found):
            yield Pair(event.id, event.title, section, sentence, page.key)


def _sentences(event: Event) -> Iterator[tuple[tuple[str, ...], str]]:
    """Yield sentences with their section; a heading line starts a new one."""
    section: tuple[str, ...] = ()
    for line in event.text.split("\n"):
        if line.strip() in event.headings:
            section = (line.strip(),)
            continue
        for place in split(line):
            sentence = place.of(line)
            if _FEWEST <= len(sentence.split()) <= _MOST:
                yield section, sentence


def _scraped(text: str) -> list[str]:
    """Return words as the scraper left them: lower case, without punctuation."""
    return _SIGNS.sub("", text.lower()).split()


def _specifics(sentence: str) -> set[str]:
    found = set()
    for place in list(_TOKEN.finditer(sentence)):
        word = _SIGNS.sub("", place[0].lower())
        opens = place.start() == 0
        is_name = place[0][0].isupper() and not opens and len(word) >= _SHORTEST_NAME
        is_number = word.isdigit() and len(word) > 1
        if is_number or (is_name and word not in _MONTHS and word not in STOP_WORDS):
            found.add(word)
    return found


def _only_fit(specifics: set[str], pages: Sequence[_Page]) -> _Page | None:
    numbers = {word for word in specifics if word[0].isdigit()}
    needed = _WITH_NUMBER if numbers else _WITHOUT_NUMBER
    if len(specifics) < needed or numbers == specifics:
        return None
    held = [(_held(page.words, specifics, numbers), page) for page in pages]
    best, page = max(held, key=lambda one: one[0])
    rivals = [count for count, other in held if other is not page]
    wanted = _FITS if numbers else _FITS_WITHOUT_NUMBER
    if best < wanted * len(specifics) or max(rivals, default=0) > _RIVAL * best:
        return None
    return page


def _held(words: Sequence[str], specifics: set[str], numbers: set[str]) -> int:
    """Return how many specifics occur close together; 0 if a number is missing."""
    places = [(at, word) for at, word in enumerate(words) if word in specifics]
    inside: Counter[str] = Counter()
    best = first = 0
    for at, word in places:
        inside[word] += 1
        while at - places[first][0] > _WINDOW:
            gone = places[first][1]
            inside[gone] -= 1
            if not inside[gone]:
                del inside[gone]
            first += 1
        if numbers <= inside.keys():
            best = max(best, len(inside))
    return best


def _supports(page: _Page, sentence: str, known: set[str], specifics: set[str]) -> bool:
    scraped = _scraped(sentence)
    if _runs(scraped) & _runs(page.words):
        return False
    headline = _HEADLINE.search(page.cited.citation)
    headline_words = set(_scraped(headline[1])) if headline else set()
    shared = {
        word for word in headline_words & set(scraped) - known if word not in STOP_WORDS
    }
    return (
        bool(shared & specifics)
        or len(shared) >= 2  # noqa: PLR2004 - two words are more than a chance
        or (len(specifics) >= _TELLING and any(map(str.isdigit, specifics)))
        or _dated_near(page.cited.citation, sentence)
    )


def _runs(words: Sequence[str]) -> set[tuple[str, ...]]:
    return {tuple(words[at : at + _COPIED]) for at in range(len(words) - _COPIED + 1)}


def _dated_near(citation: str, sentence: str) -> bool:
    years = [int(year) for year in _YEAR.findall(f"{sentence} {citation}")]
    return any(
        abs(one - other) <= _WEEK
        for one in _days(sentence, years)
        for other in _days(
            citation.split("Retrieved", maxsplit=1)[0].split("Archived", maxsplit=1)[0],
            years,
        )
    )


def _days(text: str, years: Sequence[int]) -> Iterator[date]:
    for found in _DAY.finditer(text):
        month = _MONTHS.index((found["m"] or found["M"]).lower()) + 1
        for year in [int(found["y"])] if found["y"] else years:
            try:
                yield date(year, month, int(found["d"] or found["D"]))
            except ValueError:
                continue


class Situation(Enum):
    WRONG = "wrong_page_cited"
    NOTHING = "nothing_cited"
    RIGHT = "right_page_cited"


@dataclass(frozen=True, slots=True)
class Outcome:
    """The outcome of one pair in one situation, whatever the margin.

    If a source is recommended, it is the one that supports the claim best, so only that
    one is kept: its probability, `None` if no source supports the claim or none was
    looked for.
    """

    event: str
    searched: bool
    present: float | None  # probability of the present citation
    probability: float | None
    is_right: bool

    def is_recommended(self, policy: Policy) -> bool:
        best = self.probability
        return best is not None and best >= policy.needed(self.present)


Outcomes: TypeAlias = Mapping[Situation, Sequence[Outcome | None]]


async def outcomes_of(
    events: Events,
    pairs: Sequence[Pair],
    tools: Tools,
    policy: Policy,
    *,
    progress: Progress,
) -> Outcomes:
    """Return an outcome for each pair and situation.

    It is `None` if the event has no other page to cite. The margin and the lowest
    probability of `policy` are not applied.
    """
    run = _Run(replace(tools, verifier=CachedVerifier(tools.verifier)), policy)
    by_event = {event.id: event.pages for event in events.rows}
    outcomes: dict[Situation, list[Outcome | None]] = {one: [] for one in Situation}
    progress.started(len(pairs))
    for pair in pairs:
        pages = by_event[pair.event]
        right, wrong = _right(pair, pages), _wrong(pair, pages)
        outcomes[Situation.RIGHT].append(await run.outcome(pair, right))
        outcomes[Situation.NOTHING].append(await run.outcome(pair, None))
        outcomes[Situation.WRONG].append(
            await run.outcome(pair, wrong) if wrong else None
        )
        progress.advance()
    return outcomes


def _right(pair: Pair, pages: Sequence[CitedPage]) -> CitedPage:
    return next(page for page in pages if page_key(page) == pair.page)


def _wrong(pair: Pair, pages: Sequence[CitedPage]) -> CitedPage | None:
    """Return another page of the event, the same one every time."""
    text = _right(pair, pages).text
    others = {
        page_key(page): page
        for page in pages
        if page_key(page) != pair.page and page.text != text
    }
    keys = sorted(others)
    return others[keys[int(pair.id, 16) % len(keys)]] if keys else None


class _Run:
    def __init__(self, tools: Tools, policy: Policy) -> None:
        self._tools = tools
        # Recommends the best source that supports the claim, however weakly.
        self._policy = replace(policy, margin=-1.0, least=0.0)

    async def outcome(self, pair: Pair, cited: CitedPage | None) -> Outcome:
        page = article(pair, cited)
        checks = [one async for one in check_citations(page, self._tools)]
        [check] = await find_better_sources(page, checks, self._tools, self._policy)
        found = check.better.recommendation if check.better else None
        verified = check.verification
        return Outcome(
            event=pair.event,
            searched=check.better is not None,
            present=verified.probabilities.supported if verified else None,
            probability=found.probability if found else None,
            is_right=bool(found and normal_key(found.fetch.url or "") == pair.page),
        )


def article(pair: Pair, cited: CitedPage | None) -> Page:
    text = pair.sentence
    claim = claim_of(text, section=pair.section)
    if cited:
        source = Source(SourceForm.URL, raw=cited.address, url=cited.address)
        place = Span(len(text), len(text))
        citation = Citation(CitationForm.REF, place, (source,))
        claim = replace(claim, citations=(citation,))
    return Page(
        id=PageId(WIKI, pair.title),
        wikitext=text,
        sections=(),
        claims=(claim,),
        unattached=(),
        tags=(),
    )
