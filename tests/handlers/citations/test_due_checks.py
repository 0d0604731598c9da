"""A claim is looked at again when it changed or its result has aged, and not before."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import UTC, date, datetime, timedelta

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from handlers.citations.due_checks import (
    Ageing,
    basis_of,
    divide,
    fingerprint_of,
    fingerprinted,
)
from handlers.citations.flags import OperatingPoint
from handlers.model import (
    BetterSources,
    CheckKind,
    Claim,
    ClaimKind,
    Engine,
    MissingKind,
    MissingPiece,
    ModelFailure,
    Opinion,
    SourceOutcome,
    Span,
    UrlStatus,
    Verdict,
)
from tests import builders

_NOW = datetime(2026, 11, 20, 12, tzinfo=UTC)
_AGEING = Ageing(settled_days=30, unread_days=3)


@dataclass(frozen=True, slots=True)
class _Reading:
    outcome: SourceOutcome
    http_status: int | None = None


_READ = _Reading(SourceOutcome.READ, 200)


@dataclass(frozen=True, slots=True)
class _Look:
    """Fulfils `handlers.citations.due_checks.LastCheck`."""

    fingerprint: str | None = "1"
    age_days: float = 0.0
    verdict: Verdict | None = Verdict.NOT_SUPPORTED
    fetches: Sequence[_Reading] = (_READ,)

    @property
    def checked_at(self) -> datetime:
        return _NOW - timedelta(days=self.age_days)


def _claim(text: str = "A sentence", **source: object) -> Claim:
    cited = builders.citation(builders.source(**source))
    return builders.claim(text, citations=(cited,))


_GAP = MissingPiece(MissingKind.TEMPLATE, "{{age|1960|5|2}}")


def _print(claim: Claim) -> str:
    return fingerprint_of(claim, "basis")


@pytest.mark.parametrize(
    "changed",
    [
        pytest.param(_claim("Another sentence"), id="its words"),
        pytest.param(_claim(url="https://other.example/"), id="its source"),
        pytest.param(_claim(archive_url="https://archive.example/"), id="a copy added"),
        pytest.param(_claim(access_date=date(2020, 1, 1)), id="its access date"),
        pytest.param(_claim(url_status=UrlStatus.DEAD), id="its state"),
        pytest.param(_claim(pages="17"), id="its page"),
        pytest.param(replace(_claim(), row="Injuries"), id="header of its row"),
        pytest.param(replace(_claim(), missing=(_GAP,)), id="words not known"),
        pytest.param(replace(_claim(), kind=ClaimKind.TABLE_CELL), id="where it is"),
        pytest.param(
            replace(_claim(), citations=(replace(_claim().citations[0], pages="4"),)),
            id="the page of a short note",
        ),
        pytest.param(
            replace(_claim(), citations=_claim().citations + _claim(url="b").citations),
            id="one more source",
        ),
    ],
)
def test_a_claim_is_another_once_what_decides_it_changes(changed: Claim) -> None:
    assert _print(changed) != _print(_claim())


def test_what_stands_around_a_claim_makes_it_no_other() -> None:
    moved = replace(
        _claim("A  sentence", title="Written otherwise", raw="{{Cite web |url = …}}"),
        section=("Elsewhere",),
        context="Words before it.",
        span=Span(900, 910),
    )

    assert _print(moved) == _print(_claim())


def test_another_engine_threshold_or_search_has_all_checked_again() -> None:
    engine, point = builders.ENGINE, OperatingPoint(CheckKind.CONTRADICTED, 0.9)
    bases = [
        basis_of((engine, None), (point,), ()),
        basis_of((Engine("lexical", "1.1"), None), (point,), ()),
        basis_of((Engine("other", "1.0"), None), (point,), ()),
        basis_of((engine, Engine("model", "1")), (point,), ()),
        basis_of((engine, None), (replace(point, threshold=0.8),), ()),
        basis_of((engine, None), (point,), ("a search",)),
    ]

    assert len({fingerprint_of(_claim(), basis) for basis in bases}) == len(bases)


_GONE = _Reading(SourceOutcome.GONE, 404)
_AWAY = _Reading(SourceOutcome.UNREACHABLE)
_BUSY = _Reading(SourceOutcome.REFUSED, 429)
_WALL = _Reading(SourceOutcome.REFUSED, 403)
_BOOK = _Reading(SourceOutcome.OFFLINE)


@pytest.mark.parametrize(
    ("last_check", "holds_days"),
    [
        (_Look(), 30),
        (_Look(verdict=Verdict.SUPPORTED), 30),
        (_Look(verdict=Verdict.SUPPORTED, fetches=(_READ, _AWAY)), 30),
        (_Look(verdict=None, fetches=(_GONE,)), 3),
        (_Look(verdict=None, fetches=(_WALL, _READ)), 3),
        (_Look(verdict=Verdict.CONTRADICTED, fetches=(_GONE, _READ)), 3),
        (_Look(verdict=None, fetches=(_AWAY,)), 0),
        (_Look(verdict=None, fetches=(_GONE, _BUSY)), 0),
        (_Look(verdict=None, fetches=(_BOOK,)), 30),
        (_Look(verdict=None, fetches=()), 30),
    ],
    ids=str,
)
def test_a_result_holds_for_as_long_as_it_can_be_trusted(
    last_check: _Look, holds_days: int
) -> None:
    assert not _AGEING.holds(replace(last_check, age_days=holds_days), _NOW)
    if holds_days:
        assert _AGEING.holds(replace(last_check, age_days=holds_days - 0.01), _NOW)


def _known(claim: Claim, **changes: object) -> _Look:
    return replace(_Look(_print(claim)), **changes)  # type: ignore[arg-type]  # fields by name


def _due(claims: Sequence[Claim], last_checks: Sequence[_Look]) -> list[str]:
    return [one.text for one in divide(claims, last_checks, "basis", _AGEING, _NOW).due]


def test_only_what_is_new_or_has_aged_is_due() -> None:
    old, aged, new = _claim("old"), _claim("aged"), _claim("new")
    last_checks = [_known(aged, age_days=31), _known(old), _known(_claim("gone"))]

    divided = divide([old, aged, new], last_checks, "basis", _AGEING, _NOW)

    assert divided.due == (aged, new)
    [unchanged] = divided.unchanged
    assert (unchanged.claim, unchanged.last_check, unchanged.fingerprint) == (
        old,
        1,
        _print(old),
    )


def test_what_was_checked_on_another_basis_is_due() -> None:
    claim = _claim()
    assert _due([claim], [_Look(fingerprint_of(claim, "another"))]) == [claim.text]
    assert _due([claim], [_Look(None)]) == [claim.text]


def test_what_rests_on_another_basis_is_due_a_few_at_a_time() -> None:
    claims = [_claim(text) for text in "abcd"]
    last_checks = [
        _Look(fingerprint_of(claim, "before"), age_days=age)
        for claim, age in zip(claims, (1.0, 3.0, 2.0, 31.0), strict=True)
    ]
    ageing = replace(_AGEING, renewed_at_once=1)

    divided = divide([*claims, _claim("new")], last_checks, "after", ageing, _NOW)

    assert [one.text for one in divided.due] == ["b", "d", "new"], "the oldest first"
    assert [(one.claim.text, one.last_check) for one in divided.unchanged] == [
        ("a", 0),
        ("c", 2),
    ]
    kept = [one.fingerprint for one in divided.unchanged]
    assert kept == [last_checks[0].fingerprint, last_checks[2].fingerprint], (
        "they stay due"
    )


def test_the_same_claim_made_twice_is_kept_twice_in_order() -> None:
    twice = [_claim(), _claim()]
    last_checks = [_known(twice[0]), _known(twice[1], verdict=None, fetches=(_GONE,))]

    kept = divide(twice, last_checks, "basis", _AGEING, _NOW).unchanged

    assert [one.last_check for one in kept] == [0, 1]
    assert len(_due([*twice, _claim()], last_checks)) == 3
    assert len(_due(twice[:1], last_checks)) == 1
    aged = [last_checks[0], replace(last_checks[1], age_days=4)]
    assert len(_due(twice, aged)) == 2


@pytest.mark.parametrize("failure", ModelFailure)
def test_what_a_language_model_could_not_be_asked_is_checked_again(
    failure: ModelFailure,
) -> None:
    opinion = Opinion(
        Engine("model", "1"), builders.ENGINE, Verdict.NOT_SUPPORTED, None, failure
    )
    check = builders.claim_check(of=_claim(), opinion=opinion)

    found = fingerprinted(check, "basis").fingerprint

    passing = failure in {ModelFailure.OUT_OF_BUDGET, ModelFailure.OUT_OF_REACH}
    assert found == (None if passing else _print(_claim()))


def test_what_a_search_could_not_be_asked_is_checked_again() -> None:
    searched, unasked = (
        builders.claim_check(better=BetterSources(None, None, 0, troubles))
        for troubles in ((), ("the search is away",))
    )

    assert fingerprinted(searched, "basis").fingerprint
    assert fingerprinted(unasked, "basis").fingerprint is None


_PAGES = st.lists(st.sampled_from("abcd"), max_size=8)


@settings(max_examples=150, deadline=None)
@given(
    _PAGES,
    st.lists(st.tuples(st.sampled_from("abcd"), st.sampled_from((0.0, 40.0)))),
)
def test_each_claim_is_either_due_or_keeps_a_check_of_its_own(
    words: list[str], known: list[tuple[str, float]]
) -> None:
    claims = [_claim(text) for text in words]
    last_checks = [_known(_claim(text), age_days=age) for text, age in known]

    divided = divide(claims, last_checks, "basis", _AGEING, _NOW)

    assert sorted(
        map(id, [*divided.due, *(one.claim for one in divided.unchanged)])
    ) == sorted(map(id, claims))
    numbers = [one.last_check for one in divided.unchanged]
    assert len(set(numbers)) == len(numbers)
    for one in divided.unchanged:
        assert (
            last_checks[one.last_check].fingerprint
            == _print(one.claim)
            == one.fingerprint
        )
        assert last_checks[one.last_check].age_days == 0
