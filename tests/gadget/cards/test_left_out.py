"""What readers, communities and engines do not vouch for is not shown."""

import asyncio
from dataclasses import replace

from bot.records.accounts import (
    DismissReason,
    Tally,
)
from bot.surfaces.feedback import FeedbackRules, feedback
from handlers.model import (
    ClaimCheck,
)
from tests import builders
from tests.gadget.cards.rig import (
    ADA,
    BO,
    FLOOD,
    RAIN,
    TEXT,
    TITLE,
    WIKI,
    WIND,
    Rig,
)


def test_what_two_readers_refused_is_closed_for_all(rig: Rig) -> None:
    rig.find()
    card = rig.see().cards[0]

    rig.decide(card, ADA, DismissReason.SOURCE_SAYS_IT)
    by_one = rig.see(reader=ADA)
    rig.decide(card, BO, DismissReason.NOT_WORTH_IT)

    assert [each.mine is not None for each in by_one.cards] == [
        True,
        False,
        False,
        False,
    ]
    mine = by_one.cards[0].mine
    assert mine
    assert (mine.kind, mine.reason) == ("dismiss", "source says it")
    assert card.id not in {each.id for each in rig.see().cards}
    assert asyncio.run(rig.cards.card(WIKI, card.id, None)) is None
    assert asyncio.run(rig.cards.counts(WIKI, [TITLE])) == {TITLE: 3}


def test_a_kind_that_readers_refuse_is_left_out(rig: Rig) -> None:
    rig.find()
    wrong = Tally(
        WIKI, builders.ENGINE, builders.flag().kind, right=(), wrong=(0.99,) * 30
    )

    rig.steered = feedback([wrong], FeedbackRules())

    assert rig.see().cards == []
    assert rig.see().outdated == 0
    assert asyncio.run(rig.cards.counts(WIKI, [TITLE])) == {TITLE: 0}


def test_sections_that_a_community_leaves_alone_have_no_cards(rig: Rig) -> None:
    rig.find(TEXT, None)
    rig.decree('{"ignoreSections": ["history"]}')

    answer = rig.see()

    assert [card.claim.section for card in answer.cards] == [["Rain"]]
    assert asyncio.run(rig.cards.counts(WIKI, [TITLE])) == {TITLE: 1}


def test_doubtful_ones_are_given_and_not_counted(rig: Rig) -> None:
    def doubtful(check: ClaimCheck) -> ClaimCheck:
        return replace(check, flag=None) if check.claim.text == WIND else check

    rig.find(change=doubtful)
    rig.decree('{"thresholds": {"not fully supported": 0.93}}')

    shown = {card.claim.text: card.is_flagged for card in rig.see().cards}

    assert shown == {RAIN: True, WIND: False, FLOOD: True}
    rig.decree('{"thresholds": {"not fully supported": 0.95}}')
    assert not any(card.is_flagged for card in rig.see().cards)
    assert asyncio.run(rig.cards.counts(WIKI, [TITLE, "No_such"])) == {
        TITLE: 0,
        "No_such": 0,
    }
