"""The shipped verifier on the shipped articles, beside what a careful reader says.

The judgements were not used to fit anything; they show what a reader of the first
report meets.
"""

import asyncio
import json
from collections import Counter
from pathlib import Path

import pytest

from bot.adapters.extraction import Extractor
from bot.adapters.lexical_verifier import LexicalVerifier
from bot.adapters.source_folder import SourceFolder
from handlers.citations import check_citations
from handlers.model import ClaimCheck, PageId, Verdict
from handlers.ports import Tools
from handlers.wikitext import parse

_ROOT = Path(__file__).parents[3]
_DEMO = _ROOT / "bot" / "demo"
_AGAINST = frozenset({Verdict.NOT_SUPPORTED, Verdict.CONTRADICTED})


async def _checks(article: str) -> list[ClaimCheck]:
    text = (_DEMO / "articles" / f"{article}.wikitext").read_text("utf-8")
    page = parse(text, PageId("en.wikipedia.org", article))
    tools = Tools(SourceFolder(_DEMO / "sources", Extractor()), LexicalVerifier())
    return [check async for check in check_citations(page, tools)]


@pytest.fixture(scope="module")
def judged() -> list[tuple[str, ClaimCheck]]:
    """What the reader says of each claim that was judged, beside our check of it."""
    judgements = json.loads(
        (_ROOT / "tests" / "fixtures" / "demo_judgements.json").read_text("utf-8")
    )
    checks = {
        article: asyncio.run(_checks(article))
        for article in sorted({one["article"] for one in judgements})
    }
    return [
        (one["verdict"], check)
        for one in judgements
        for check in checks[one["article"]]
        if check.verification
        and check.claim.text.startswith(one["claim"])
        and one.get("row") in (None, check.claim.row)
    ]


def test_a_supported_claim_is_seldom_flagged(
    judged: list[tuple[str, ClaimCheck]],
) -> None:
    supported = [check for said, check in judged if said == "supported"]

    flagged = [check for check in supported if check.verdict in _AGAINST]

    assert len(supported) >= 50
    assert len(flagged) / len(supported) <= 0.12


def test_claims_that_fail_are_flagged_far_more_often_than_others(
    judged: list[tuple[str, ClaimCheck]],
) -> None:
    flagged: Counter[bool] = Counter()
    claims: Counter[bool] = Counter()
    for said, check in judged:
        fails = said in ("not supported", "contradicted")
        claims[fails] += 1
        flagged[fails] += check.verdict in _AGAINST

    assert flagged[True] / claims[True] >= 2 * flagged[False] / claims[False]
    assert flagged[True] / claims[True] >= 0.45


def test_the_verdict_is_never_less_likely_than_another(
    judged: list[tuple[str, ClaimCheck]],
) -> None:
    for _, check in judged:
        assert check.verification is not None
        likely = check.verification.probabilities
        assert likely.of(check.verification.verdict) == max(map(likely.of, Verdict))


def test_every_claim_with_a_readable_source_has_a_quote(
    judged: list[tuple[str, ClaimCheck]],
) -> None:
    for _, check in judged:
        assert check.verification is not None
        assert check.verification.evidence
        assert len(check.verification.evidence[0].quote.split()) <= 45
