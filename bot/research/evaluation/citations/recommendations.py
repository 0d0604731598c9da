"""Are the better sources better? `sidenote evaluate recommendations`, on WikiGenBench.

A sentence whose page is known (by the rule of `sentences`) is checked as the
program checks a claim, in three situations:

- `wrong_page_cited`: it cites another page of the same event, which is about the same
  subject and, by the rule, does not state it: the kind of citation that fails;
- `nothing_cited`: it cites nothing, as with `{{citation needed}}`;
- `right_page_cited`: it cites its page, so there is nothing to fix, and every
  recommendation does harm.

Verdict, search, reading, verification and margin are the program's own, over an index
of all pages of all events. A better source is looked for only if the present citation
is not judged to support the claim (`searched`). `recommended` is the share of pairs for
which a page is recommended, `right` the share of recommended pages that are the very
page the article cites, `found` the share of pairs for which that page is recommended.

`right` is a lower bound, because another page may state the sentence too; `harm` is an
upper one, because the rule is wrong for about one pair in five, and the page then does
not support its sentence. Pages of sites that the wiki does not accept are never
recommended; `not_acceptable` counts the pairs whose page is on one.
"""

import asyncio
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, TypeAlias

from bot.models.encoder import Encoder
from bot.research.evaluation.citations.sentences import (
    Outcome,
    Outcomes,
    Situation,
    outcomes_of,
    page_key,
    read_pairs,
)
from bot.research.evaluation.datasets import WIKI
from bot.research.evaluation.events import index_pages
from bot.research.evaluation.report import EvaluationReport, Findings, Progress, named
from bot.search.index import IndexedSources, IndexSearch
from handlers.citations.better_sources import Policy
from handlers.ports import Tools, Verifier

MARGINS = (0.0, 0.1, 0.2, 0.3, 0.4)
LEASTS = (0.3, 0.4, 0.5, 0.6, 0.7, 0.8)


def evaluate(
    data: Path,
    verifier: Verifier,
    encoder: Encoder,
    progress: Progress,
    *,
    pool: Path,
    policy: Policy,
    most_pairs: int | None = None,
) -> EvaluationReport:
    events, found = read_pairs(data)
    pairs = sorted(found, key=lambda pair: pair.id)[:most_pairs]
    tools = Tools(
        IndexedSources(pool), verifier, searches=(IndexSearch(pool, encoder),)
    )

    async def measured() -> Outcomes:
        await index_pages(events, pool, encoder, progress)
        return await outcomes_of(events, pairs, tools, policy, progress=progress)

    outcomes = asyncio.run(measured())
    addresses = {
        page_key(page): page.address for one in events.rows for page in one.pages
    }
    return EvaluationReport(
        "recommendations",
        events,
        named(
            verifier.engine,
            encoder=encoder.name,
            margin=policy.margin,
            least=policy.least,
            candidates_per_claim=policy.per_claim,
        ),
        _metrics(outcomes, policy),
        about_data={
            "pairs": len(pairs),
            "pairs_in_all": len(found),
            "pool": len(addresses),
            "not_acceptable": sum(
                not policy.lists.of(addresses[pair.page], WIKI).trust.may_be_recommended
                for pair in pairs
            ),
        },
    )


def _metrics(outcomes: Outcomes, policy: Policy) -> dict[str, Any]:
    return {
        **{one.value: _of_situation(one, outcomes[one], policy) for one in Situation},
        "margins": {
            f"margin_{round(margin * 100)}_percent": _in_short(
                outcomes, replace(policy, margin=margin)
            )
            for margin in MARGINS
        },
        "leasts": {
            f"least_{round(least * 100)}_percent": _in_short(
                outcomes, replace(policy, least=least)
            )
            for least in LEASTS
        },
    }


def _of_situation(
    situation: Situation, outcomes: Sequence[Outcome | None], policy: Policy
) -> dict[str, Any]:
    known = [one for one in outcomes if one]
    findings = Findings()
    _add_share(findings, "searched", known, lambda one: one.searched)
    _add_figures(findings, situation, known, policy)
    recommended = sum(one.is_recommended(policy) for one in known)
    return {
        "pairs": len(known),
        "unscored": len(outcomes) - len(known),
        "recommendations": recommended,
        **findings.to_dict(),
    }


def _in_short(outcomes: Outcomes, policy: Policy) -> dict[str, Any]:
    """Return the figures of wrong and right citations under one policy."""
    findings = Findings()
    for situation in (Situation.WRONG, Situation.RIGHT):
        known = [one for one in outcomes[situation] if one]
        _add_figures(findings, situation, known, policy)
    wrong = [one for one in outcomes[Situation.WRONG] if one]
    return {
        "recommendations": sum(one.is_recommended(policy) for one in wrong),
        **findings.to_dict(),
    }


def _add_figures(
    findings: Findings,
    situation: Situation,
    outcomes: Sequence[Outcome],
    policy: Policy,
) -> None:
    def recommended(one: Outcome) -> bool:
        return one.is_recommended(policy)

    def right(one: Outcome) -> bool:
        return one.is_right and recommended(one)

    if situation is Situation.RIGHT:
        _add_share(findings, "harm", outcomes, recommended)
        return
    _add_share(findings, "recommended", outcomes, recommended)
    _add_share(findings, "right", outcomes, right, among=recommended)
    _add_share(findings, "found", outcomes, right)


_Asks: TypeAlias = Callable[[Outcome], bool]


def _add_share(
    findings: Findings,
    name: str,
    outcomes: Sequence[Outcome],
    of: _Asks,
    *,
    among: _Asks = lambda _: True,
) -> None:
    """Add the share of outcomes in `among` for which `of` is true, by event."""
    findings.add_mean(
        name,
        [one.event for one in outcomes],
        [float(of(one)) if among(one) else None for one in outcomes],
        "nothing to take a share of",
    )
