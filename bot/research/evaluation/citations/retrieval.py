"""Can the cited page be found again? `sidenote evaluate retrieval`, on WikiGenBench.

SIDE asks this of 134 million pages (its table of retrieval results); here it is asked
of the pages that the articles of a file cite: given a sentence that one of them
supports, find that page among all pages of all events. Which sentence belongs to which
page is found by a rule that is wrong for about one pair in five (`sentences`).

The retrievers are those of the program, over a real index:

- `bm25`: the sentence's words;
- `bm25_expanded`: with the article's title and section (`handlers.search`);
- `dense`: the vectors of passages;
- `merged`: both (`handlers.search`);
- `verified`: the first `reranked` of `merged`, ordered by the probability with which
  the verifier calls the sentence supported by the whole page; those after them keep
  their places. Success at `reranked` and beyond is that of `merged` by construction.

The weights of expansion and fusion were chosen on the events with an even number, so
the figures of the other events are also given separately, under `unseen_half`.
"""

import asyncio
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from bot.models.encoder import Encoder
from bot.research.evaluation.citations.sentences import Pair, page_key, read_pairs
from bot.research.evaluation.events import Events, index_pages
from bot.research.evaluation.report import EvaluationReport, Findings, Progress, named
from bot.search.index import IndexSearch, SearchMethod
from handlers.citations.passages import cut
from handlers.model import Passage, Query, SourceText
from handlers.ports import Verifier
from handlers.sources.addresses import normal_key
from handlers.updates.entailment import claim_of

RERANKED = 10
_LIMIT = 100
DEPTHS = {"p_at_1": 1, "sr_at_5": 5, "sr_at_20": 20, "sr_at_100": 100}
_NOT_FOUND = _LIMIT + 1


# Ways of searching, and whether they get the title and section with the sentence.
RETRIEVERS = {
    "bm25": (SearchMethod.SPARSE, False),
    "bm25_expanded": (SearchMethod.SPARSE, True),
    "dense": (SearchMethod.DENSE, True),
    "merged": (SearchMethod.MERGED, True),
}


def evaluate(
    data: Path,
    verifier: Verifier,
    encoder: Encoder,
    progress: Progress,
    *,
    pool: Path,
    reranked: int = RERANKED,
) -> EvaluationReport:
    """Measure all retrievers on the pairs of `data`."""
    events, pairs = read_pairs(data)
    pages = {page_key(page): page.text for one in events.rows for page in one.pages}
    run = _Run(events, pages, verifier, encoder, pool)
    ranks = asyncio.run(run.ranks(pairs, progress, reranked))
    return EvaluationReport(
        "retrieval",
        events,
        named(verifier.engine, encoder=encoder.name, reranked=reranked),
        _metrics(pairs, ranks),
        about_data={"pairs": len(pairs), "pool": len(pages)},
    )


class _Run:
    def __init__(
        self,
        events: Events,
        pages: Mapping[str, str],
        verifier: Verifier,
        encoder: Encoder,
        folder: Path,
    ) -> None:
        self._events = events
        self._pages = pages
        self._verifier = verifier
        self._encoder = encoder
        self._folder = folder
        self._passages: dict[str, tuple[Passage, ...]] = {}

    async def ranks(
        self, pairs: Sequence[Pair], progress: Progress, reranked: int
    ) -> dict[str, npt.NDArray[np.int64]]:
        await index_pages(self._events, self._folder, self._encoder, progress)
        searches = {
            method: IndexSearch(self._folder, self._encoder, method)
            for method, _ in RETRIEVERS.values()
        }
        progress.started(len(pairs))
        ranks: dict[str, list[int]] = {name: [] for name in (*RETRIEVERS, "verified")}
        for pair in pairs:
            found: list[str] = []
            for name, (method, is_expanded) in RETRIEVERS.items():
                query = (
                    Query(pair.sentence, pair.title, pair.section)
                    if is_expanded
                    else Query(pair.sentence, "")
                )
                hits = await searches[method].search(query, limit=_LIMIT)
                found = [normal_key(one.address) for one in hits]
                ranks[name].append(_rank(found, pair.page))
            # `found` is now that of `merged`, the last one.
            likely = {key: await self._supported(pair, key) for key in found[:reranked]}
            found[:reranked] = sorted(found[:reranked], key=lambda key: -likely[key])
            ranks["verified"].append(_rank(found, pair.page))
            progress.advance()
        return {name: np.array(one, dtype=np.int64) for name, one in ranks.items()}

    async def _supported(self, pair: Pair, key: str) -> float:
        if key not in self._passages:
            self._passages[key] = cut(SourceText(self._pages[key]), key)
        claim = claim_of(pair.sentence, section=pair.section)
        answer = await self._verifier.verify(pair.title, claim, self._passages[key])
        return answer.probabilities.supported


def _rank(found: Sequence[str], key: str) -> int:
    return found.index(key) + 1 if key in found else _NOT_FOUND


def _metrics(
    pairs: Sequence[Pair], ranks: Mapping[str, npt.NDArray[np.int64]]
) -> dict[str, Any]:
    unseen = np.array(
        [pair.event.isdigit() and int(pair.event) % 2 == 1 for pair in pairs]
    )

    def of(chosen: npt.NDArray[np.int64]) -> dict[str, Any]:
        groups = [pairs[at].event for at in chosen]
        figures = {}
        for name, one in ranks.items():
            findings = Findings()
            for metric, depth in DEPTHS.items():
                findings.add_mean(metric, groups, one[chosen] <= depth, "no pair")
            figures[name] = findings.to_dict()
        return figures

    half = of(np.flatnonzero(unseen))
    return {
        **of(np.arange(len(pairs))),
        "unseen_half": {"pairs": int(unseen.sum()), **half},
    }
