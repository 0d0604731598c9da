"""The verifier that ships, with the network and the weights that ship."""

import asyncio
from dataclasses import replace

import pytest

from bot.models.lexical import LexicalVerifier
from bot.models.neural import NeuralVerifier, shipped_networks, shipped_neural
from handlers.citations.features import RULE_ONLY
from handlers.citations.network_input import (
    CrossEncoder,
    PairAnswer,
    PairText,
    network_features,
)
from handlers.citations.passages import cut
from handlers.citations.values import ROLE_FEATURES
from handlers.model import ClaimKind, SourceText, Verdict
from tests import builders

_EVIDENCE = (
    "The council opened the new bridge in May 1874. It was designed by Anna Keller"
    " and cost 40,000 crowns."
)


@pytest.fixture(scope="module")
def network() -> CrossEncoder:
    return shipped_networks(threads=1)


def _passages(text: str = _EVIDENCE):  # type: ignore[no-untyped-def]  # as cut gives them
    return cut(SourceText(text), "url:https://example.org/bridge")


def test_the_network_tells_support_refutation_and_silence_apart(
    network: CrossEncoder,
) -> None:
    support = network(PairText("The bridge opened in 1874.", "Bridge", _EVIDENCE))
    refuted = network(PairText("The bridge opened in 1921.", "Bridge", _EVIDENCE))
    silent = network(
        PairText("The mayor was a keen skater in his youth.", "Bridge", _EVIDENCE)
    )

    assert support.supported > max(support.refuted, support.unmentioned)
    assert refuted.refuted > max(refuted.supported, refuted.unmentioned)
    assert silent.supported < 0.1
    assert silent.unmentioned > 3 * max(support.unmentioned, refuted.unmentioned)
    for answer in (support, refuted, silent):
        total = answer.supported + answer.refuted + answer.unmentioned
        assert total == pytest.approx(1, abs=1e-5)


def test_it_says_less_of_a_claim_the_more_of_it_is_missing(
    network: CrossEncoder,
) -> None:
    claims = (
        "The bridge was opened in 1874.",
        "The bridge was opened in 1874, and its toll was lifted after the war.",
        "The toll was lifted after the war, and the ferry went bankrupt.",
    )

    missing = [network(PairText(one, "", _EVIDENCE)).unmentioned for one in claims]

    assert missing == sorted(missing)
    assert missing[0] < 0.5 < missing[-1]


def test_the_heads_that_ship_read_what_is_measured(network: CrossEncoder) -> None:
    lexical = LexicalVerifier().file.model
    features = network_features(network(PairText("It opened.", "", _EVIDENCE))).keys()

    model = shipped_neural().model

    measured = set(lexical.short.features) | features | ROLE_FEATURES
    assert features & set(model.short.features)
    assert set(model.short.features) < measured
    assert set(model.page.features) < measured
    assert not RULE_ONLY & set(model.short.features)
    assert model.uses_network
    assert not lexical.uses_network


async def test_a_claim_that_short_evidence_refutes_is_contradicted() -> None:
    claim = builders.claim("The bridge was opened in 1921.")

    found = await NeuralVerifier().verify("Bridge", claim, _passages())

    assert found.verdict is Verdict.CONTRADICTED
    assert found.engine.name == "minilm"
    assert found.evidence[0].quote in _EVIDENCE


async def test_claims_judged_at_once_are_judged_as_each_alone() -> None:
    verifier = NeuralVerifier()
    claims = [
        builders.claim(f"The bridge was opened in {year}.")
        for year in range(1870, 1880)
    ]
    alone = [await verifier.verify("Bridge", one, _passages()) for one in claims]

    together = await asyncio.gather(
        *(verifier.verify("Bridge", one, _passages()) for one in claims)
    )

    assert together == alone
    assert len({one.probabilities for one in alone}) > 1


@pytest.mark.parametrize("kind", [ClaimKind.TABLE_CELL, ClaimKind.INFOBOX_VALUE])
async def test_a_cell_is_judged_with_its_row_and_column(kind: ClaimKind) -> None:
    statements: list[str] = []
    cell = replace(
        builders.claim("1874"), kind=kind, sentence=None, row="Bridge", column="Opened"
    )

    def network(pair: PairText) -> PairAnswer:
        statements.append(pair.claim)
        return PairAnswer(0.9, 0.05, 0.05, larger=PairAnswer(0.9, 0.05, 0.05))

    found = await NeuralVerifier(network=network).verify("Bridge", cell, _passages())

    assert set(statements) == {"Bridge, Opened: 1874"}
    assert found.engine == NeuralVerifier().engine


@pytest.mark.parametrize(
    ("text", "row", "verdict"),
    [
        ("1921", "Opened", Verdict.CONTRADICTED),
        ("1921", "Sold", Verdict.NOT_SUPPORTED),
    ],
)
async def test_a_cell_is_contradicted_where_the_other_value_can_be_quoted(
    text: str, row: str, verdict: Verdict
) -> None:
    source = (
        "The inn stands at the corner of the square. It opened in 1874 under Anna"
        " Keller. Its roof was mended by the guild of carpenters."
    )
    cell = replace(
        builders.claim(text), kind=ClaimKind.INFOBOX_VALUE, sentence=None, row=row
    )

    found = await NeuralVerifier().verify("Inn", cell, _passages(source))

    assert found.verdict is verdict
    assert ("1874" in found.evidence[0].quote) == (verdict is Verdict.CONTRADICTED)
