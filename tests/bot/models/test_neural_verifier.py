"""The network, the one session it runs in, and the points at which it is trusted."""

import asyncio
import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from bot.app.wiring.checks import open_verifier
from bot.models.lexical import LexicalVerifier
from bot.models.neural import NeuralVerifier, shipped_networks, shipped_neural
from bot.models.onnx import WORD_PIECES, load_network, load_word_pieces, shipped
from bot.models.operating_points import (
    from_json,
    merged,
    read_points,
    shipped_points,
    to_json,
)
from bot.settings import Settings
from handlers.citations.features import RULE_ONLY
from handlers.citations.flags import UNMEASURED, OperatingPoints
from handlers.citations.network_input import (
    CrossEncoder,
    PairAnswer,
    PairText,
    network_features,
)
from handlers.citations.passages import cut
from handlers.citations.values import ROLE_FEATURES
from handlers.model import ClaimKind, Engine, SourceText, Verdict
from handlers.ports import PermanentError
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


async def test_an_edit_away_from_the_source_is_told_from_one_back_and_from_wording() -> (
    None
):
    judge = NeuralVerifier()

    async def moved(before: str, after: str) -> float:
        sides = builders.claim(before), builders.claim(after)
        return (await judge.judge_edit("Bridge", *sides, _passages())).moved

    right, wrong = (
        f"The bridge that {name} designed was opened in May {year}."
        for name, year in (("Anna Keller", 1874), ("Anna Keller", 1921))
    )
    away = await moved(right, wrong)
    assert away > 0.5
    assert await moved(wrong, right) < 0.05
    assert await moved(right, right.replace("May 1874", "1874")) < 0.1
    assert await moved(right, right.replace("opened", "inaugurated")) < away / 2


@pytest.mark.parametrize("kind", [ClaimKind.TABLE_CELL, ClaimKind.INFOBOX_VALUE])
async def test_a_cell_is_judged_with_its_row_and_column(kind: ClaimKind) -> None:
    statements: list[str] = []
    cell = replace(
        builders.claim("1874"), kind=kind, sentence=None, row="Bridge", column="Opened"
    )

    def network(pair: PairText) -> PairAnswer:
        statements.append(pair.claim)
        larger = PairAnswer(0.9, 0.05, 0.05)
        return PairAnswer(0.9, 0.05, 0.05, larger=larger, borne_out=2.0)

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


@pytest.mark.parametrize("load", [load_network, load_word_pieces])
@pytest.mark.parametrize("content", [None, b"", b"no model"])
def test_a_missing_or_broken_file_is_named_with_the_remedy(
    tmp_path: Path, load: Callable[[Path], object], content: bytes | None
) -> None:
    file = tmp_path / "model"
    if content is not None:
        file.write_bytes(content)

    with pytest.raises(
        PermanentError, match=r"model cannot be loaded .*install"
    ) as caught:
        load(file)

    assert str(file) in str(caught.value)


def test_word_pieces_are_neither_padded_nor_cut_short() -> None:
    pieces = load_word_pieces(shipped(WORD_PIECES))

    short, long = pieces.encode_batch(["a bridge", "a bridge " * 1000])

    assert len(short.ids) == 4
    assert len(long.ids) == 2002


def test_the_engine_that_ships_has_points_that_were_measured() -> None:
    engine = open_verifier(Settings()).engine

    points = OperatingPoints(shipped_points()).at(engine, "en.wikipedia.org")

    assert points != UNMEASURED, f"run `sidenote train operating-points` for {engine}"
    assert any(point.threshold is not None for point in points)
    for point in points:
        assert point.measured is not None
        if point.threshold is not None:
            assert point.measured.precision >= 0.8


def test_points_are_read_back_as_they_were_written() -> None:
    text = to_json(shipped_points())

    assert to_json(from_json(text)) == text


def test_new_points_replace_those_of_the_same_engine_alone() -> None:
    [first, *_] = shipped_points()
    other = type(first)(Engine("other", "1"), first.languages, first.by_wiki)

    both = merged([first], other)

    assert {one.engine for one in both} == {first.engine, other.engine}
    assert merged(both, other) == both


@pytest.mark.parametrize(
    ("path", "value", "message"),
    [
        pytest.param(["format"], 99, "format 99", id="another format"),
        pytest.param(["engines", 0, "wikis"], {}, "no points for", id="no default"),
        pytest.param(
            ["engines", 0, "wikis", "*", 0, "threshold"], 0.2, "0.5", id="below chance"
        ),
        pytest.param(
            ["engines", 0, "wikis", "*", 0, "kind"], "not supported", "one point", id="twice"
        ),
        pytest.param(["engines", 0, "more"], 1, "Extra", id="an unknown field"),
    ],
)  # fmt: skip
def test_a_file_that_is_wrong_is_refused(
    tmp_path: Path, path: list[str | int], value: object, message: str
) -> None:
    content = json.loads(to_json(shipped_points()))
    place = content
    for step in path[:-1]:
        place = place[step]
    place[path[-1]] = value
    file = tmp_path / "points.json"
    file.write_text(json.dumps(content))

    with pytest.raises(PermanentError, match=message):
        read_points(file)


def test_a_file_that_is_not_there_has_no_points(tmp_path: Path) -> None:
    assert read_points(tmp_path / "none.json") == ()
