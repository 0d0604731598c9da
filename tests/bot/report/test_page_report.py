from dataclasses import replace
from datetime import date

import pytest

from bot.report import ClaimState, claim_state
from bot.report.words import ADVICE, SUPPLY, UNCITED, WITHOUT_SOURCE, advice_for
from handlers.citations import others_unread
from handlers.model import Message, SourceOutcome, Span, UnattachedReason, Verdict
from handlers.sources.links import AccessKind, accesses_to
from tests.builders import (
    citation,
    claim,
    claim_check,
    fetch,
    page_report,
    source,
    unchecked,
    unread,
    verification,
)
from tests.full_report import full_report


def test_every_claim_is_counted_exactly_once() -> None:
    report = full_report()

    summary = report.summary

    assert summary.claims == len(report.checks)
    assert sum(summary.states.values()) == len(report.checks)
    without = summary.to_compare + summary.unchecked + summary.uncited
    assert summary.checked + without == summary.claims


def test_a_claim_that_could_not_be_checked_is_in_no_verdict() -> None:
    summary = page_report(unchecked(SourceOutcome.REFUSED)).summary

    assert sum(summary.verdicts.values()) == 0
    assert summary.could_not_check == {SourceOutcome.REFUSED: 1}


def test_the_counts_name_each_reason_why_there_is_no_verdict() -> None:
    nowhere = claim(citations=(citation(sources=()),))

    summary = page_report(
        unchecked(SourceOutcome.GONE),
        claim_check(None, fetches=(fetch(), unread(SourceOutcome.OFFLINE))),
        claim_check(None, nowhere, fetches=()),
        claim_check(None),
        claim_check(None, claim(citations=()), fetches=()),
    ).summary

    assert summary.could_not_check == {
        SourceOutcome.GONE: 1,
        SourceOutcome.OFFLINE: 1,
    }
    assert (summary.without_source, summary.undecided, summary.uncited) == (1, 1, 1)


def test_what_was_read_and_is_not_sure_enough_is_to_be_compared() -> None:
    unsure = claim_check(
        None, fetches=(fetch(),), verification=verification(Verdict.SUPPORTED)
    )
    part = replace(unsure, advice=others_unread(1, 2))

    summary = page_report(unsure, part).summary

    assert claim_state(unsure) is ClaimState.TO_COMPARE
    assert claim_state(part) is ClaimState.COULD_NOT_CHECK  # a source was not read
    assert (summary.to_compare, summary.unchecked) == (1, 1)


def test_unattached_references_are_counted_by_reason() -> None:
    assert full_report().summary.unattached == dict.fromkeys(UnattachedReason, 1)


@pytest.mark.parametrize("verdict", Verdict)
def test_a_verdict_is_how_the_claim_stands(verdict: Verdict) -> None:
    assert claim_state(claim_check(verdict)).value == verdict.value


def test_only_what_is_flagged_needs_attention_and_other_failures_are_doubtful() -> None:
    report = page_report(
        claim_check(Verdict.SUPPORTED),
        claim_check(Verdict.NOT_SUPPORTED),
        claim_check(Verdict.CONTRADICTED),
        claim_check(Verdict.PARTIALLY_SUPPORTED, flag=None),
        unchecked(SourceOutcome.GONE),
    )

    assert (report.summary.flagged, report.summary.doubtful) == (2, 1)


def test_checks_are_shown_in_the_order_of_the_page_not_of_their_arrival() -> None:
    late = claim_check(of=claim("late", span=Span(50, 60)))
    early = claim_check(of=claim("early", span=Span(5, 9)))

    report = page_report(late, early)

    assert [check.claim.text for check in report.in_order] == ["early", "late"]


# --- advice -----------------------------------------------------------------


def test_every_outcome_has_one_sentence_of_its_own() -> None:
    assert set(ADVICE) == set(SourceOutcome)
    assert len(set(ADVICE.values())) == len(SourceOutcome)
    for sentence in map(str, ADVICE.values()):
        assert sentence[0].isupper()
        assert sentence.endswith(".")
        assert ". " not in sentence


@pytest.mark.parametrize("outcome", SourceOutcome)
def test_a_claim_without_a_verdict_comes_with_the_advice_for_its_outcome(
    outcome: SourceOutcome,
) -> None:
    first, *others = advice_for(unchecked(outcome))

    assert first == str(ADVICE[outcome])
    is_read = outcome in {SourceOutcome.READ, SourceOutcome.FOREIGN_LANGUAGE}
    assert (SUPPLY in others) is not is_read


def test_where_a_page_is_gone_the_way_to_its_copies_is_reported() -> None:
    url = "https://paper.example/a"
    cited = source(url=url, access_date=date(2011, 5, 12))
    check = claim_check(None, fetches=(unread(SourceOutcome.GONE, of=cited),) * 2)

    assert advice_for(check) == (
        str(ADVICE[SourceOutcome.GONE]),
        f"Archived copies: https://web.archive.org/web/20110512/{url}",
        SUPPLY,
    )


def test_for_what_is_behind_a_wall_a_free_copy_and_the_library_are_named() -> None:
    cited = source(url="https://journal.example/1?a=b", doi="10.1000/x(1)")
    ways = accesses_to(cited, SourceOutcome.LOGIN_WALL)

    assert [each.kind for each in ways] == [
        AccessKind.OPEN_COPY,
        AccessKind.ARCHIVE,
        AccessKind.LIBRARY,
    ]
    assert ways[0].address == "https://unpaywall.org/10.1000/x(1)"
    assert ways[2].address.endswith("&url=https://journal.example/1?a=b")
    assert accesses_to(cited, SourceOutcome.READ) == ()


def test_each_obstacle_is_advised_on_once() -> None:
    twice = (unread(SourceOutcome.GONE), unread(SourceOutcome.GONE, of=source(url="u")))

    advice = advice_for(
        claim_check(None, fetches=(*twice, unread(SourceOutcome.OFFLINE), fetch()))
    )

    both = SourceOutcome.GONE, SourceOutcome.OFFLINE
    assert advice[:2] == tuple(str(ADVICE[one]) for one in both)
    assert len(set(advice)) == len(advice)


def test_what_the_check_itself_advises_comes_first() -> None:
    own = Message("", "Look at the other one.")
    check = replace(unchecked(SourceOutcome.GONE), advice=own)

    assert advice_for(check)[:2] == (
        "Look at the other one.",
        str(ADVICE[SourceOutcome.GONE]),
    )


def test_a_claim_with_a_verdict_needs_no_advice() -> None:
    assert advice_for(claim_check()) == ()


def test_a_missing_source_and_a_missing_citation_are_told_apart() -> None:
    broken = claim_check(None, claim(citations=(citation(sources=()),)), fetches=())
    bare = claim_check(None, claim(citations=()), fetches=())

    assert advice_for(broken) == (WITHOUT_SOURCE,)
    assert advice_for(bare) == (UNCITED,)
    assert claim_state(bare) is ClaimState.NO_CITATION
