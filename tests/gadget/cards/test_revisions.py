"""A card stands where its sentence is in the text before a reader's eyes."""

from dataclasses import replace

import pytest

from gadget.payloads.cards import EditKind
from handlers.model import (
    PageId,
)
from handlers.page import parse
from tests.gadget.cards.pages import edited
from tests.gadget.cards.rig import TEXT, TITLE, WIKI, WIND, Rig, claims_of, drift_of


def test_a_claim_is_found_where_it_was_moved_to(rig: Rig) -> None:
    rig.find()
    before, _, after = TEXT.partition(f"{WIND}")
    link, _, rest = after.partition("\n")
    moved = rig.wiki.edit(TITLE, f"{before}{rest}\n== Winds ==\n{WIND}{link}\n")

    card = next(card for card in rig.see(moved).cards if card.claim.text == WIND)

    assert card.claim.section == ["Winds"]
    assert [edit.section for edit in card.edits] == [4, 4]
    assert WIND in rig.wiki.pages[TITLE][moved][card.place :][: len(WIND)]


@pytest.mark.parametrize(
    ("old", "new"),
    [
        pytest.param("uprooted many trees", "broke a few trees", id="words"),
        pytest.param("https://wind.example/", "https://calm.example/", id="a source"),
        pytest.param(WIND, "", id="all of it"),
    ],
)
def test_what_reads_otherwise_by_now_is_left_out_and_counted(
    rig: Rig, old: str, new: str
) -> None:
    first = rig.find()
    later = rig.wiki.edit(TITLE, TEXT.replace(old, new))

    answer = rig.see(later)

    assert WIND not in claims_of(answer)
    assert answer.outdated == 4 - len(answer.cards) > 0
    assert WIND in claims_of(rig.see(first))  # who reads the old text still sees it
    assert WIND not in claims_of(rig.see())  # without a number it is the newest


def test_a_claim_that_the_reader_has_tagged_is_done_with(rig: Rig) -> None:
    revision = rig.find()
    card = rig.see(revision).cards[1]
    [_, tag] = card.edits

    saved = rig.wiki.edit(TITLE, edited(parse(TEXT, PageId(WIKI, TITLE)), tag))

    answer = rig.see(saved)
    assert WIND not in claims_of(answer)
    assert (len(answer.cards), answer.outdated) == (3, 0)


def test_a_citation_that_has_the_archived_copy_by_now_is_done_with(rig: Rig) -> None:
    revision = rig.find(change=lambda check: replace(check, drift=drift_of(check)))
    first = rig.see(revision).cards[0]
    [archive] = [each for each in first.edits if each.kind is EditKind.ARCHIVE]

    saved = rig.wiki.edit(TITLE, edited(parse(TEXT, PageId(WIKI, TITLE)), archive))

    left = [card.id for card in rig.see(saved).cards]
    assert (first.id in left, len(left)) == (False, 3)
