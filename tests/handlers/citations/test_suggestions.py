"""What is kept of a page's checks: which claims, with which flag and remedies."""

from dataclasses import replace

from handlers.citations.suggestions import suggestions_of
from handlers.model import (
    BetterSources,
    ClaimCheck,
    RemedyKind,
    SourceOutcome,
    Span,
    Verdict,
)
from tests import builders

_PAGE = builders.page()


def _failing(**changes: object) -> ClaimCheck:
    return replace(
        builders.claim_check(Verdict.NOT_SUPPORTED),
        **changes,  # type: ignore[arg-type]  # fields by name
    )


def test_a_suggestion_says_what_it_was_flagged_for() -> None:
    [flagged] = suggestions_of(_PAGE, [_failing()])
    [doubtful] = suggestions_of(_PAGE, [_failing(flag=None)])

    assert flagged.flag == builders.flag()
    assert doubtful.flag is None
    assert flagged.identity == doubtful.identity


def test_of_a_claim_that_stands_there_twice_the_flagged_one_counts() -> None:
    first, second, third = (
        _failing(
            claim=builders.claim(span=Span(start, start + 9)),
            flag=None if start == 10 else builders.flag(probability=start / 100),
        )
        for start in (10, 20, 30)
    )

    [one] = suggestions_of(_PAGE, [first, second, third])

    assert one.place == 20


def test_a_claim_without_a_verdict_against_it_suggests_nothing() -> None:
    checks = [builders.claim_check(), builders.unchecked(SourceOutcome.GONE)]

    assert suggestions_of(_PAGE, checks) == ()


def test_what_would_mend_the_claim_comes_along_the_simplest_first() -> None:
    better = BetterSources(builders.recommendation(), None, 3)

    [one] = suggestions_of(_PAGE, [_failing(better=better, drift=builders.drift())])

    found, drift = builders.recommendation(), builders.drift()
    assert [remedy.kind for remedy in one.remedies] == list(RemedyKind)
    copy, other = one.remedies
    assert (copy.citation, copy.address) == (drift.template, drift.archive_url)
    assert (other.citation, other.address) == (found.template, found.reading.url)
    assert (copy.quote, other.quote) == (drift.evidence.quote, found.evidence.quote)
    assert one.citation == drift.template


def test_a_citation_that_could_not_be_filled_is_none() -> None:
    better = BetterSources(builders.recommendation(template=""), None, 3)

    [one] = suggestions_of(
        _PAGE, [_failing(better=better, drift=builders.drift(template=None))]
    )

    assert [remedy.citation for remedy in one.remedies] == [None, None]
    assert one.citation is None
