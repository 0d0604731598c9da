"""What people compare with its source: which claims, in which order, with which marks."""

from dataclasses import replace

import pytest

from handlers.citations import others_unread
from handlers.citations.beside import absent_names, near, unshared
from handlers.citations.flags import named
from handlers.citations.unsure import (
    UnsureFinding,
    is_to_compare,
    stands,
    unsure_claims,
)
from handlers.findings import finding_of
from handlers.model import (
    ClaimCheck,
    Evidence,
    Probabilities,
    SourceText,
    Span,
    Tag,
    TagKind,
    Verdict,
)
from tests.builders import (
    citation,
    claim,
    claim_check,
    evidence,
    fetch,
    page,
    source,
    verification,
)

_SAID = "The works took 2 years and were paid by the state."
_THERE = "The council paid for the works, which took two years."


def _quoted(words: str) -> Evidence:
    return evidence(words, text=words, matching=())


def _unsure(text: str = _SAID, supported: float = 0.55, at: int = 0) -> ClaimCheck:
    found = verification(Verdict.SUPPORTED, _quoted(_THERE))
    likely = Probabilities(supported, 0.1, 0.9 - supported, 0.0)
    return claim_check(
        None,
        claim(text, span=Span(at, at + 50)),
        fetches=(fetch(),),
        verification=replace(found, probabilities=likely),
    )


def test_words_that_differ_are_marked_on_both_sides_and_numbers_are_read() -> None:
    mine, theirs = unshared(_SAID, _THERE)

    assert [one.of(_SAID) for one in mine] == ["state"]
    assert [one.of(_THERE) for one in theirs] == ["council"]


def test_what_is_most_likely_to_fail_comes_first() -> None:
    sure = _unsure(supported=0.6)
    less = _unsure("The works on the mill took 2 years.", 0.4, at=100)
    subject = page(claims=(sure.claim, less.claim))

    found = unsure_claims(subject, (sure, less), ())

    assert [one.claim for one in found] == [less.claim.text, sure.claim.text]
    assert [one.flag for one in found] == [None, None]
    assert found[0].details.quotes[0].quote == _THERE


@pytest.mark.parametrize(
    "check",
    [
        replace(_unsure(), verdict=Verdict.SUPPORTED),
        replace(_unsure(), advice=others_unread(1, 2)),
        replace(_unsure(), verification=None),
        replace(_unsure(), claim=claim(_SAID, citations=())),
    ],
)
def test_nothing_else_is_to_be_compared(check: ClaimCheck) -> None:
    assert is_to_compare(_unsure())
    assert not is_to_compare(check)


def test_what_people_have_tagged_as_failing_is_no_question() -> None:
    check = _unsure()
    tag = Tag(TagKind.FAILED_VERIFICATION, "failed verification", Span(50, 80))
    tagged = replace(check, claim=replace(check.claim, tags=(tag,)))
    [before] = unsure_claims(page(claims=(check.claim,)), (check,), ())

    assert unsure_claims(page(claims=(tagged.claim,)), (tagged,), ()) == ()
    assert stands(before, (tagged.claim,)) is None


def test_it_stays_open_until_it_is_judged_or_its_words_or_source_change() -> None:
    check = _unsure()
    before = unsure_claims(page(claims=(check.claim,)), (check,), ())
    moved = replace(check.claim, span=Span(70, 120))
    other = replace(check.claim, citations=(citation(source(url="https://b.org/")),))

    assert unsure_claims(page(claims=(moved,)), (), before) == before
    confirmed = replace(check, verdict=Verdict.SUPPORTED)
    assert unsure_claims(page(claims=(moved,)), (confirmed,), before) == ()
    assert unsure_claims(page(claims=(other,)), (), before) == ()
    assert unsure_claims(page(claims=(claim("It moved."),)), (), before) == ()
    here = stands(before[0], (moved,))
    assert here is not None
    assert here.place == moved.span.start


def test_no_random_sentence_is_shown_where_nothing_is_near() -> None:
    check = _unsure("Lukas Brandt painted the mill from memory.")

    [found] = unsure_claims(page(claims=(check.claim,)), (check,), ())

    finding = finding_of(found, UnsureFinding)
    assert near("", check) == ()
    assert found.details.quotes == ()
    assert finding is not None
    assert finding.chars > 0


def test_a_contradiction_is_shown_with_the_sentence_that_says_otherwise() -> None:
    check = _unsure("Lukas Brandt painted the mill from memory.")
    refuted = replace(check, verdict=Verdict.CONTRADICTED)

    assert check.verification is not None
    assert near("", refuted) == check.verification.evidence[:1] != ()


def test_names_of_which_nothing_was_read_are_named() -> None:
    text = "In May 2011 Lukas Brandt met Zoë Öz in Oak Hall."
    document = SourceText("At Oakland, Zoe ÖZ met the mayor.")
    check = replace(_unsure(text), fetches=(fetch(document=document),))

    assert absent_names("Oak Hall", check) == ("Lukas Brandt",)


def test_a_flag_for_one_other_value_is_called_a_contradiction() -> None:
    found = verification(Verdict.NOT_SUPPORTED, _quoted("The Trust leased it in 1999."))
    flagged = claim_check(
        Verdict.NOT_SUPPORTED,
        claim("The Trust leased it in 1998."),
        verification=found,
    )

    assert named(flagged).verdict is Verdict.CONTRADICTED
    assert named(flagged).flag == flagged.flag
    assert named(replace(flagged, flag=None)).verdict is Verdict.NOT_SUPPORTED
