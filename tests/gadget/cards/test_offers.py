"""A source that was found for a sentence that editors want one for."""

import asyncio
from dataclasses import replace

import pytest

from gadget.payloads.cards import EditKind
from handlers.model import BetterSources, ClaimCheck, PageId, Verdict
from handlers.page import parse
from tests import builders
from tests.gadget.cards.pages import edited
from tests.gadget.cards.rig import TITLE, WIKI, Rig, claims_of

RAIN = "It rained for two days in 1904."
TAG = "{{citation needed|date=May 2025}}"
TEXT = f"'''Sawyerville''' is a place. {RAIN}{TAG} It was dry in 1905.<ref>http://a.example/</ref>\n"


def _found(check: ClaimCheck) -> ClaimCheck:
    if check.claim.sources:
        return check
    found = BetterSources(builders.recommendation(), None, 1)
    return replace(check, verification=None, better=found)


def _find(rig: Rig, text: str = TEXT) -> int:
    return rig.find(text, None, Verdict.SUPPORTED, change=_found)


def test_it_is_a_card_of_its_own_kind(rig: Rig) -> None:
    answer = rig.see(_find(rig))

    [card] = answer.cards
    found = builders.recommendation()
    assert (card.kind, card.claim.text) == ("source", RAIN)
    assert card.is_flagged, "nobody has to ask for doubtful notes to see it"
    assert (card.verdict, card.quotes) == ("supported", [])
    [remedy] = card.remedies
    assert (remedy.kind, remedy.quote) == ("other source", found.evidence.quote)
    assert card.sources[remedy.source].href == found.fetch.url
    assert card.confidence.percent == round(found.probability * 100)


def test_its_edit_puts_the_source_in_the_place_of_the_tag(rig: Rig) -> None:
    [card] = rig.see(_find(rig)).cards

    [_, edit] = card.edits
    after = edited(parse(TEXT, PageId(WIKI, TITLE)), edit)
    citation = builders.recommendation().template
    assert edit.kind is EditKind.CITE
    assert after == TEXT.rstrip().replace(TAG, f"<ref>{citation}</ref>") + "\n"


@pytest.mark.parametrize(
    "text",
    [TEXT.replace(TAG, ""), TEXT.replace(TAG, "<ref>http://b.example/</ref>")],
    ids=["tag taken out", "cited"],
)
def test_it_is_gone_with_the_request(rig: Rig, text: str) -> None:
    _find(rig)
    revision = rig.wiki.edit(TITLE, text)

    assert claims_of(rig.see(revision)) == []


def test_a_cited_sentence_wants_no_more_once_its_tag_is_gone(rig: Rig) -> None:
    tagged = f"{RAIN}<ref>http://b.example/</ref>{TAG}\n"
    rig.find(
        tagged,
        None,
        change=lambda check: replace(
            check,
            verification=None,
            better=BetterSources(builders.recommendation(), None, 1),
        ),
    )
    shown = claims_of(rig.see())
    revision = rig.wiki.edit(TITLE, tagged.replace(TAG, ""))

    assert shown == [RAIN]
    assert claims_of(rig.see(revision)) == []


def test_an_offer_is_counted_among_the_notes_of_its_page(rig: Rig) -> None:
    _find(rig)

    assert asyncio.run(rig.cards.counts(WIKI, [TITLE])) == {TITLE: 1}
