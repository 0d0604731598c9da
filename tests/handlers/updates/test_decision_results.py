"""What a decision does to the updates found so far."""

from handlers.citations.reliability import ReliabilityLists
from handlers.model import (
    Add,
    Backing,
    Corroborate,
    FactDecision,
    Ignore,
    Ignored,
    Replace,
    Update,
    UpdateKind,
)
from handlers.updates.backing import DecisionResult, apply_decision, in_order
from tests.handlers.updates.builders import candidate, statement, subject, update

_OTHER = "https://paper.example/bridge"


def _applied(
    decision: FactDecision, *known: Update, address: str = _OTHER
) -> DecisionResult:
    return apply_decision(
        known, candidate(address), decision, subject(), ReliabilityLists(())
    )


def test_a_new_fact_goes_behind_the_statement_that_was_named() -> None:
    behind = statement()
    result = _applied(Add(("History",), behind, 0.8), update(4))

    [_, new] = result.updates
    assert result.number == new.number == 5
    assert (new.kind, new.section, new.after) == (
        UpdateKind.NEW_FACT,
        ("History",),
        behind,
    )


def test_an_outdated_statement_stays_in_its_own_section() -> None:
    old = statement(section=("Traffic",))
    [new] = _applied(Replace(0.9, statement=old)).updates

    assert (new.kind, new.section, new.replaces) == (
        UpdateKind.OUTDATED,
        ("Traffic",),
        old,
    )


def test_one_more_site_supports_an_update_and_one_page_counts_once() -> None:
    [twice] = _applied(Corroborate(1), update(1)).updates
    [still] = _applied(Corroborate(1), twice).updates

    assert len(twice.sources) == len(still.sources) == 2


def test_what_is_ignored_changes_nothing() -> None:
    result = _applied(Ignore(Ignored.TRIVIAL), update(1))

    assert result.updates == (update(1),)
    assert (result.what, result.number) == (Ignored.TRIVIAL.value, None)


def test_the_best_supported_come_first_then_what_is_outdated_then_what_fits_best() -> (
    None
):
    given = [
        update(1, score=0.5, probability=0.99),
        update(2, kind=UpdateKind.OUTDATED, score=0.1),
        update(3, backing=Backing.HIGH),
        update(4, score=0.6),
    ]

    assert [one.number for one in in_order(given)] == [3, 2, 4, 1]
