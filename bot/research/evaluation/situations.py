"""A sentence of an article whose page is known, checked as if it cited that or another.

What the program makes of it is kept without regard to the margin, so that one run tells
what would be recommended at any.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from enum import Enum
from typing import TypeAlias

from bot.research.evaluation.events import CitedPage, Events
from bot.research.evaluation.progress import Progress
from bot.research.evaluation.supported_sentences import Pair, page_key
from handlers.citations import check_citations
from handlers.citations.addresses import normal_key
from handlers.citations.better import find_better_sources
from handlers.citations.better.policy import Policy
from handlers.model import (
    Citation,
    CitationForm,
    Claim,
    ClaimKind,
    Engine,
    Page,
    PageId,
    Passage,
    Source,
    SourceForm,
    Span,
    Verification,
)
from handlers.ports import Tools, Verifier

WIKI = "en.wikipedia.org"  # where the articles come from


class Situation(Enum):
    """What a sentence cites."""

    WRONG = "wrong_page_cited"
    NOTHING = "nothing_cited"
    RIGHT = "right_page_cited"


@dataclass(frozen=True, slots=True)
class Outcome:
    """What came of one pair in one situation, whatever the margin.

    The source that supports a claim best is the one recommended, if any is, so it
    is enough to keep that one: its probability, `None` where no source supports the
    claim or none was looked for.
    """

    event: str
    searched: bool
    present: float | None  # probability of the present citation
    probability: float | None
    is_right: bool

    def is_recommended(self, policy: Policy) -> bool:
        """Tell whether the program recommends the source under `policy`."""
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

    It is `None` where the event has no other page to cite. The margin and the least
    probability of `policy` play no part.
    """
    run = _Run(replace(tools, verifier=_Remembering(tools.verifier)), policy)
    by_event = {event.id: event.pages for event in events.events}
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
    """Return another page of the event, always the same one of them."""
    text = _right(pair, pages).text
    others = {
        page_key(page): page
        for page in pages
        if page_key(page) != pair.page and page.text != text
    }
    keys = sorted(others)
    return others[keys[int(pair.id, 16) % len(keys)]] if keys else None


class _Run:
    """Checks a sentence as an article of its own."""

    def __init__(self, tools: Tools, policy: Policy) -> None:
        self._tools = tools
        # Recommends the best source that supports the claim, however weakly.
        self._policy = replace(policy, margin=-1.0, least=0.0)

    async def outcome(self, pair: Pair, cited: CitedPage | None) -> Outcome:
        """Return what is recommended for the sentence of `pair`, citing `cited`."""
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
            is_right=bool(found and normal_key(found.reading.url or "") == pair.page),
        )


def article(pair: Pair, cited: CitedPage | None) -> Page:
    """Return a page that is the sentence of `pair` alone, citing `cited` or nothing."""
    text = pair.sentence
    claim = Claim(
        text=text,
        kind=ClaimKind.SENTENCE,
        span=Span(0, len(text)),
        section=pair.section,
        context="",
        sentence=text,
        citations=(_citation(cited.address, len(text)),) if cited else (),
    )
    return Page(
        id=PageId(WIKI, pair.title),
        wikitext=text,
        sections=(),
        claims=(claim,),
        unattached=(),
        tags=(),
    )


def _citation(address: str, at: int) -> Citation:
    source = Source(SourceForm.URL, raw=address, url=address)
    return Citation(CitationForm.REF, Span(at, at), (source,))


class _Remembering:
    """A verifier that reads a page for a sentence once, whatever the situation."""

    def __init__(self, verifier: Verifier) -> None:
        self._verifier = verifier
        self._known: dict[tuple[str, str, str], Verification] = {}

    @property
    def engine(self) -> Engine:
        return self._verifier.engine

    async def verify(
        self, title: str, claim: Claim, passages: Sequence[Passage]
    ) -> Verification:
        key = (title, claim.text, passages[0].source_key)
        if key not in self._known:
            self._known[key] = await self._verifier.verify(title, claim, passages)
        return self._known[key]
