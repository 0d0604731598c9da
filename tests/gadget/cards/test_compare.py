"""Cards of what people compare with its source, and what their answers do."""

import asyncio
from dataclasses import replace

import pytest

from bot.records.accounts import Decision, DecisionKind, Reader
from bot.report import PageReport
from gadget.payloads.cards import Card, PageAnswer
from handlers.citations.suggestions import suggestions_of
from handlers.citations.unsure import unsure_claims
from handlers.model import ClaimCheck, PageId, Verdict
from handlers.page import parse
from tests import builders
from tests.gadget.cards.rig import ADA, BO, TITLE, WIKI, Rig

_CITED = "<ref>{{cite web|url=https://log.example/1|title=Log}}</ref>"
_SAID = "The works took 2 years and were paid by the state."
_THERE = "The council paid for the works, which took two years."
_TEXT = f"{_SAID}{_CITED} It lies at the harbour of the island.{_CITED}"


def _unsure(rig: Rig, quote: str = _THERE) -> None:
    """Save a check whose first claim a person has to compare."""
    revision = rig.wiki.edit(TITLE, _TEXT)
    page = parse(_TEXT, PageId(WIKI, TITLE, revision_id=revision))
    first, second = page.claims
    [source] = first.sources
    found = builders.verification(
        Verdict.SUPPORTED,
        builders.evidence(quote, text=quote, matching=(), of=source),
    )
    checks: list[ClaimCheck] = [
        builders.claim_check(
            None, first, fetches=(builders.fetch(source),), verification=found
        ),
        builders.claim_check(Verdict.SUPPORTED, second),
    ]
    report = PageReport(page, tuple(checks), builders.ENGINE, rig.now, 1.0)
    rig.store.save_check(
        report,
        suggestions_of(page, checks),
        beside={"compare": unsure_claims(page, checks, ())},
    )


def _card(answer: PageAnswer) -> Card:
    [card] = answer.cards
    return card


def _answer(rig: Rig, card: Card, reader: Reader, verdict: Verdict) -> int:
    made = Decision(
        wiki=WIKI,
        title=card.title,
        identity=card.id,
        kind=DecisionKind.COMPARED,
        verdict=Verdict(card.verdict),
        engine=builders.ENGINE,
        flag=None,
        flag_probability=None,
        revision=card.made.revision,
        decided_at=rig.now,
        right_verdict=verdict,
    )
    return rig.store.decisions.decide(reader.key, made, user=reader.user).number


def test_a_card_has_both_sides_with_what_differs_and_is_not_doubtful(rig: Rig) -> None:
    _unsure(rig)

    answer = rig.see()

    card = _card(answer)
    assert (card.kind, card.is_flagged, card.claim.text) == ("compare", False, _SAID)
    assert [one.text for one in card.claim.pieces if one.is_meant] == ["state"]
    assert [one.text for one in card.quotes[0].pieces if one.is_meant] == ["council"]
    assert [one.key for one in card.sources] == ["https://log.example/1"]
    assert answer.unchecked == []  # it was read
    assert asyncio.run(rig.cards.counts(WIKI, [TITLE])) == {TITLE: 0}


def test_where_nothing_is_near_no_sentence_is_shown_but_the_source(rig: Rig) -> None:
    _unsure(rig, "Tickets cost five pounds.")

    card = _card(rig.see())

    assert card.quotes == []
    assert card.sources[0].href == "https://log.example/1"
    assert card.note
    assert [line.key for line in card.note.lines] == ["nothing-near"]


def test_an_answer_is_kept_with_what_the_source_says_and_can_be_undone(
    rig: Rig,
) -> None:
    _unsure(rig)
    number = _answer(rig, _card(rig.see()), ADA, Verdict.NOT_SUPPORTED)

    mine = _card(rig.see(reader=ADA)).mine

    assert mine is not None
    assert (mine.kind, mine.says_so) == ("compared", False)
    [(key, kept)] = rig.store.decisions.all()
    assert key == ADA.key
    assert kept.decision.right_verdict is Verdict.NOT_SUPPORTED
    rig.store.decisions.undo(ADA.key, number, rig.now)
    assert _card(rig.see(reader=ADA)).mine is None


@pytest.mark.parametrize("verdict", [Verdict.SUPPORTED, Verdict.NOT_SUPPORTED])
def test_two_readers_who_agree_settle_it(rig: Rig, verdict: Verdict) -> None:
    _unsure(rig)
    card = _card(rig.see())

    _answer(rig, card, ADA, verdict)
    assert len(rig.see().cards) == 1
    number = _answer(rig, card, BO, verdict)

    assert rig.see().cards == []
    rig.store.decisions.undo(BO.key, number, rig.now)
    assert len(rig.see().cards) == 1


def test_two_readers_who_disagree_leave_it_open(rig: Rig) -> None:
    _unsure(rig)
    card = _card(rig.see())

    _answer(rig, card, ADA, Verdict.SUPPORTED)
    _answer(rig, card, BO, Verdict.NOT_SUPPORTED)
    third = replace(BO, subject="19", user="Cy", key="c" * 64)

    assert len(rig.see().cards) == 1
    _answer(rig, card, third, Verdict.NOT_SUPPORTED)
    assert rig.see().cards == []
