from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from handlers.citations.flags import (
    UNMEASURED,
    ConfirmingPoint,
    EnginePoints,
    Measured,
    OperatingPoint,
    OperatingPoints,
    flagged,
    is_unsure,
    language_of,
)
from handlers.model import (
    CheckKind,
    ClaimCheck,
    ClaimKind,
    Engine,
    ExpectedPrecision,
    MissingKind,
    MissingPiece,
    Opinion,
    Probabilities,
    SourceOutcome,
    Verdict,
)
from tests.builders import ENGINE, claim_check, unchecked, verification

_MEASURED = Measured({"f": "0" * 64}, ("s",), 100, 20, 0.5, 0.92, None, 0.4, None, 0.03)
POINTS = (
    OperatingPoint(CheckKind.CONTRADICTED, 0.6, _MEASURED),
    OperatingPoint(CheckKind.NOT_SUPPORTED, None, _MEASURED),
    OperatingPoint(CheckKind.NOT_FULLY_SUPPORTED, 0.8, _MEASURED),
)
KNOWN = OperatingPoints((EnginePoints(ENGINE, frozenset({"en"}), {"*": POINTS}),))
WIKI = "en.wikipedia.org"


def check(*likely: float) -> ClaimCheck:
    """Return a check with these four probabilities and the likeliest verdict."""
    shares = Probabilities(*likely)
    verdict = max(Verdict, key=shares.of)
    return claim_check(
        verdict, verification=verification(verdict, probabilities=shares), flag=None
    )


def test_a_claim_above_the_threshold_is_flagged_with_what_was_measured() -> None:
    flag = flagged(check(0.1, 0.6, 0.25, 0.05), KNOWN, WIKI).flag

    assert flag.kind is CheckKind.NOT_FULLY_SUPPORTED
    assert flag.probability == pytest.approx(0.9)
    assert (flag.threshold, flag.expected) == (0.8, _MEASURED.expected())


@pytest.mark.parametrize(
    ("supported", "verdict"), [(0.6, None), (0.7, Verdict.SUPPORTED)]
)
def test_a_claim_that_seems_supported_is_confirmed_from_a_threshold_on(
    supported: float, verdict: Verdict | None
) -> None:
    confirming = ConfirmingPoint(0.65, "chosen", ())
    sure = OperatingPoints(
        (EnginePoints(ENGINE, frozenset({"en"}), {"*": POINTS}, "", confirming),)
    )
    seems = check(supported, 1 - supported, 0, 0)

    done = flagged(seems, sure, WIKI)

    assert (done.verdict, done.flag) == (verdict, None)
    assert done.verification is seems.verification  # its passages are still shown
    assert is_unsure(done) is (verdict is None)
    gap = MissingPiece(MissingKind.TEMPLATE, "{{age|1960|5|2}}")
    assert not is_unsure(replace(done, claim=replace(done.claim, missing=(gap,))))
    assert flagged(seems, KNOWN, WIKI).verdict is Verdict.SUPPORTED


def test_how_many_flags_are_right_follows_from_how_many_claims_fail() -> None:
    expected = _MEASURED.expected()

    assert _MEASURED.precision_at(_MEASURED.base_rate) == pytest.approx(
        0.4 / (0.4 + 2 / 51)
    )
    assert expected.one_in_10 == pytest.approx(0.04 / (0.04 + 2 / 51 * 0.9))
    assert expected.one_in_40 == pytest.approx(0.01 / (0.01 + 2 / 51 * 0.975))
    assert expected.right_in_100 == 50
    assert (expected.file, expected.sets, expected.rows) == ("f", ("s",), 100)


def test_no_false_alarm_seen_is_not_none_at_all() -> None:
    none_seen = replace(_MEASURED, false_alarms=0.0)  # of 50 rows; half a row is added
    all_failed = replace(none_seen, base_rate=1.0)

    assert none_seen.precision_at(0.1) == pytest.approx(0.04 / (0.04 + 0.5 / 51 * 0.9))
    assert all_failed.precision_at(0.1) == pytest.approx(0.04 / (0.04 + 0.5 * 0.9))


@given(st.floats(0, 1), st.floats(0, 1), st.floats(0, 1), st.integers(1, 10**6))
def test_shares_never_say_that_all_are_right(
    recall: float, false_alarms: float, base_rate: float, rows: int
) -> None:
    measured = replace(
        _MEASURED,
        recall=recall,
        false_alarms=false_alarms,
        base_rate=base_rate,
        rows=rows,
    )

    expected = measured.expected()

    assert 0 <= expected.one_in_40 <= expected.one_in_10 <= 1
    assert expected.right_in_100 in range(0, 91, 10)


@pytest.mark.parametrize(
    ("share", "tens"),
    [(0.04, 0), (0.0999, 0), (0.1, 10), (0.418, 40), (0.86, 90), (0.999, 90)],
)
def test_shares_are_shown_in_whole_tens(share: float, tens: int) -> None:
    assert ExpectedPrecision(share, 0.0, "f", ("s",), 9).right_in_100 == tens


def test_a_claim_below_the_threshold_is_merely_doubtful() -> None:
    assert flagged(check(0.3, 0.4, 0.2, 0.1), KNOWN, WIKI).flag is None


def test_the_most_specific_kind_counts() -> None:
    flag = flagged(check(0.05, 0.1, 0.2, 0.65), KNOWN, WIKI).flag

    assert flag.kind is CheckKind.CONTRADICTED


def test_a_kind_without_a_threshold_flags_nothing_by_itself() -> None:
    flag = flagged(check(0.01, 0.01, 0.97, 0.01), KNOWN, WIKI).flag

    assert flag.kind is CheckKind.NOT_FULLY_SUPPORTED


def test_what_is_called_supported_is_never_flagged() -> None:
    points = OperatingPoints(overrides={"*": {CheckKind.NOT_FULLY_SUPPORTED: 0.5}})

    assert flagged(check(0.4, 0.3, 0.2, 0.1), points, WIKI).flag is None


@pytest.mark.parametrize("kind", [ClaimKind.TABLE_CELL, ClaimKind.INFOBOX_VALUE])
def test_a_cell_is_flagged_only_where_a_table_was_read(kind: ClaimKind) -> None:
    def cell(sentence: ClaimCheck) -> ClaimCheck:
        return replace(sentence, claim=replace(sentence.claim, kind=kind))

    unsure, read = check(0.01, 0.02, 0.04, 0.93), check(0.01, 0.01, 0.03, 0.95)

    assert flagged(unsure, KNOWN, WIKI).flag is not None
    assert flagged(cell(unsure), KNOWN, WIKI).flag is None
    flag = flagged(cell(read), KNOWN, WIKI).flag
    assert flag.kind is CheckKind.CONTRADICTED
    assert flag.expected.sets == ("cells of tables",)


def test_a_sentence_far_from_its_footnote_is_flagged_only_if_contradicted() -> None:
    def earlier(one: ClaimCheck) -> ClaimCheck:
        return replace(one, claim=replace(one.claim, sentences_before=1))

    silent, refuted = check(0.01, 0.1, 0.84, 0.05), check(0.05, 0.1, 0.2, 0.65)

    assert flagged(silent, KNOWN, WIKI).flag is not None
    assert flagged(earlier(silent), KNOWN, WIKI).flag is None
    assert flagged(earlier(silent), KNOWN, WIKI).verdict is Verdict.NOT_SUPPORTED
    flag = flagged(earlier(refuted), KNOWN, WIKI).flag
    assert flag
    assert flag.kind is CheckKind.CONTRADICTED


def test_a_claim_without_a_verdict_is_never_flagged() -> None:
    withheld = replace(check(0.0, 0.0, 1.0, 0.0), verdict=None)

    assert flagged(withheld, KNOWN, WIKI).flag is None
    assert flagged(unchecked(SourceOutcome.GONE), KNOWN, WIKI).flag is None


def test_a_threshold_does_not_outlive_its_model() -> None:
    newer = Engine(ENGINE.name, ENGINE.version + "x")

    assert KNOWN.at(ENGINE, WIKI) == POINTS
    assert KNOWN.at(newer, WIKI) == UNMEASURED


@pytest.mark.parametrize(
    ("wiki", "expected"),
    [
        pytest.param("en.wikipedia.org", POINTS, id="the language measured"),
        pytest.param("file", POINTS, id="a file"),
        pytest.param("127.0.0.1:8180", POINTS, id="a wiki of one's own"),
        pytest.param("simple.wikipedia.org", POINTS, id="simple English"),
        pytest.param("de.wikipedia.org", UNMEASURED, id="another language"),
        pytest.param("zh-yue.m.wikipedia.org", UNMEASURED, id="a longer code"),
    ],
)
def test_an_engine_is_trusted_only_in_a_language_it_was_measured_in(
    wiki: str, expected: tuple[OperatingPoint, ...]
) -> None:
    assert KNOWN.at(ENGINE, wiki) == expected


def test_a_wiki_with_points_of_its_own_has_those() -> None:
    own = tuple(replace(one, threshold=0.99) for one in POINTS)
    points = OperatingPoints(
        (
            EnginePoints(
                ENGINE, frozenset({"en"}), {"*": POINTS, "de.wikipedia.org": own}
            ),
        )
    )

    assert points.at(ENGINE, "de.wikipedia.org") == own


def test_an_operators_threshold_wins_and_claims_nothing_measured() -> None:
    kind = CheckKind.NOT_FULLY_SUPPORTED
    own = {"*": {kind: 0.7}, WIKI: {kind: 0.95}}
    points = replace(KNOWN, overrides=own)

    [*_, here] = points.at(ENGINE, WIKI)
    [*_, elsewhere] = points.at(ENGINE, "en.wikivoyage.org")

    assert (here.threshold, here.measured) == (0.95, None)
    assert elsewhere.threshold == 0.7
    assert points.at(ENGINE, WIKI)[0] == POINTS[0]


def test_hosts_tell_their_language() -> None:
    assert language_of("pt-br.wikipedia.org") == "pt-br"
    assert language_of("commons.wikimedia.org") is None
    assert language_of("de.wikipedia.org.example.com") is None


_SHARES = st.lists(st.floats(0.01, 1), min_size=4, max_size=4).map(
    lambda parts: [one / sum(parts) for one in parts]
)


@given(_SHARES)
def test_a_flag_always_fits_the_verdict_and_its_threshold(likely: list[float]) -> None:
    done = flagged(check(*likely), KNOWN, WIKI)

    if done.flag is not None:
        assert done.verdict is not Verdict.SUPPORTED
        assert done.flag.probability >= done.flag.threshold


def said(verdict: Verdict, *likely: float) -> ClaimCheck:
    """Return such a check after a language model's word that counts."""
    model = Engine("language model", "m")
    opinion = Opinion(model, ENGINE, Verdict.NOT_SUPPORTED, verdict, None)
    return replace(check(*likely), opinion=opinion)


def test_a_contradiction_that_a_model_quotes_needs_no_measured_threshold() -> None:
    strict = tuple(replace(one, threshold=None) for one in POINTS)
    points = OperatingPoints((EnginePoints(ENGINE, frozenset({"en"}), {"*": strict}),))
    likely = (0.2, 0.1, 0.15, 0.55)

    flag = flagged(said(Verdict.CONTRADICTED, *likely), points, WIKI).flag

    assert (flag.kind, flag.expected) == (CheckKind.CONTRADICTED, None)
    assert flagged(check(*likely), points, WIKI).flag is None


def test_what_a_model_confirms_is_not_flagged() -> None:
    likely = (0.1, 0.6, 0.25, 0.05)

    assert flagged(check(*likely), KNOWN, WIKI).flag is not None
    assert flagged(said(Verdict.SUPPORTED, *likely), KNOWN, WIKI).flag is None
