"""A page whose edits are looked at, but which nobody watches or checks."""

import asyncio
from datetime import timedelta

from bot.records.patrol import PatrolCounts, PatrolEdit
from bot.records.tasks import TaskKind
from handlers.edits.alignment import Side, changes_between
from handlers.edits.finding import changed_claims
from handlers.model import (
    CheckKind,
    Comparison,
    EditCheck,
    EditJudgement,
    Flag,
    PageId,
    Verdict,
)
from handlers.page import parse
from tests import builders
from tests.gadget.cards.rig import ADA, TEXT, TITLE, WIKI, Rig

CALM = "three metres", "thirty metres"


def _patrol(rig: Rig) -> int:
    """Save an edit, and the note about it as the patrol does; return its revision."""
    since = rig.wiki.edit(TITLE, TEXT)
    text = TEXT.replace(*CALM)
    revision = rig.wiki.edit(TITLE, text)
    before = parse(TEXT, PageId(WIKI, TITLE, revision_id=since))
    after = parse(text, PageId(WIKI, TITLE, revision_id=revision))
    [change] = changes_between(before, after).claims
    sides = (
        builders.verification(verdict, builders.evidence(of=change.sources[0]))
        for verdict in (Verdict.SUPPORTED, Verdict.NOT_SUPPORTED)
    )
    flag = Flag(CheckKind.NOT_SUPPORTED, 0.9, 0.5, None)
    check = EditCheck(change, (), EditJudgement(0.9, *sides), 0.9, flag)
    comparison = Comparison(before.id, 1, (check,))
    found = changed_claims(Side(after), comparison, ())
    edit = PatrolEdit(WIKI, TITLE, since, revision, rig.now, rig.now)
    rig.store.patrols.put([edit])
    held = rig.store.tasks.lease((TaskKind.PATROL,), "patrol", rig.now)
    assert held
    rig.now += timedelta(minutes=1)
    rig.store.patrols.save(held, after, found, counts=PatrolCounts(), now=rig.now)
    return revision


def test_its_note_is_beside_the_page_for_everyone(rig: Rig) -> None:
    revision = _patrol(rig)

    answer = rig.see(revision)

    [card] = answer.cards
    assert "thirty metres" in card.claim.sentence
    assert card.is_flagged
    assert answer.last_check is None
    assert asyncio.run(rig.cards.counts(WIKI, [TITLE])) == {TITLE: 1}


def test_its_note_is_among_the_edits_in_the_queue_of_who_follows_nothing(
    rig: Rig,
) -> None:
    _patrol(rig)
    rig.find(title="Checked, and not followed")

    part = asyncio.run(rig.cards.edits(ADA, None, 10))

    [card] = part.cards
    assert (card.title, part.total) == (TITLE, 1)
    assert asyncio.run(rig.cards.queue(ADA, None, 10)).total == 0
    assert "thirty metres" in card.claim.sentence


def test_a_revert_takes_it_off_the_page_at_once(rig: Rig) -> None:
    _patrol(rig)
    reverted = rig.wiki.edit(TITLE, TEXT)

    assert rig.see(reverted).cards == []
    assert asyncio.run(rig.cards.edits(ADA, None, 10)).cards == ()
