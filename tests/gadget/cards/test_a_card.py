"""A card shows what was found, with all that it takes to judge it."""

from dataclasses import replace

from gadget.payloads.cards import EditKind
from handlers.model import BetterSources, ClaimCheck, PageId
from handlers.page import parse
from tests import builders
from tests.gadget.cards.pages import edited
from tests.gadget.cards.rig import (
    FLOOD,
    RAIN,
    TEXT,
    TITLE,
    WIKI,
    WIND,
    Rig,
    claims_of,
)


def test_cards_stand_each_beside_its_own_sentence_the_surest_first(
    rig: Rig,
) -> None:
    revision = rig.find()

    answer = rig.see(revision)

    assert claims_of(answer) == [RAIN, WIND, FLOOD, RAIN]
    places = [(card.claim.section, card.claim.occurrence) for card in answer.cards]
    assert places == [
        ([], 0),
        (["History"], 0),
        (["History", "Floods"], 0),
        (["Rain"], 1),
    ]
    assert [card.place for card in answer.cards] == [
        TEXT.index(RAIN),
        TEXT.index(WIND),
        TEXT.index(FLOOD),
        TEXT.rindex(RAIN),
    ]
    assert (answer.revision, answer.outdated, answer.unchecked) == (revision, 0, [])
    assert answer.last_check
    assert (answer.last_check.revision, answer.last_check.claims) == (revision, 4)


def test_a_value_of_an_infobox_says_what_it_is_a_value_of(rig: Rig) -> None:
    box = "{{Infobox storm\n| injuries = 52<ref>https://a.example/x</ref>\n}}\n"
    answer = rig.see(rig.find(f"{box}It rained.<ref>https://a.example/y</ref>"))

    shown = [(card.claim.text, card.claim.place) for card in answer.cards]
    assert shown == [("52", ["injuries"]), ("It rained.", [])]


def test_a_card_holds_what_it_takes_to_judge(rig: Rig) -> None:
    unsupported = (builders.span_of("heavy rain", RAIN),)

    def marked(check: ClaimCheck) -> ClaimCheck:
        assert check.verification
        found = replace(check.verification, unsupported=unsupported)
        return replace(check, verification=found)

    revision = rig.find(change=marked)

    card = rig.see(revision).cards[0]

    assert (card.kind, card.verdict, card.is_flagged) == (
        "citation",
        "not supported",
        True,
    )
    assert [each.text for each in card.claim.pieces if each.unsupported] == [
        "heavy rain"
    ]
    assert "".join(each.text for each in card.claim.pieces) == card.claim.text
    [quote], [source] = card.quotes, card.sources
    assert quote.quote == builders.QUOTE
    assert quote.before + quote.quote + quote.after in builders.SOURCE_TEXT
    assert (quote.source, quote.is_archived) == (0, False)
    assert quote.href
    assert quote.href.startswith("https://www.forbes.com/rain#:~:text=")
    assert (source.title, source.work, source.host) == ("Rain", "Forbes", "forbes.com")
    assert source.reliability
    assert source.reliability.trust == "mixed"
    assert source.reliability.href == "https://en.wikipedia.org/wiki/WP:NEWFORBES"
    assert (card.confidence.percent, card.confidence.right_in_100) == (94, 90)
    assert (card.made.engine, card.made.revision) == (builders.ENGINE.name, revision)
    [_, tag] = card.edits
    after = edited(parse(TEXT, PageId(WIKI, TITLE)), tag)
    assert "</ref>{{Failed verification|date=November 2026}}\n\n== History" in after


def test_remedies_come_with_the_edit_that_puts_them_in(rig: Rig) -> None:
    better = builders.recommendation()

    revision = rig.find(
        change=lambda check: replace(check, better=BetterSources(better, None, 3))
    )
    first, _, flood, _ = rig.see(revision).cards

    [remedy] = first.remedies
    assert (remedy.kind, remedy.citation, remedy.percent) == (
        "other source",
        better.template,
        93,
    )
    offered = first.sources[remedy.source]
    assert (offered.title, offered.href) == ("The news", "https://news.example/1")
    [edit] = [each for each in first.edits if each.id == remedy.edit]
    assert edit.kind is EditKind.CITE
    assert edit.old.startswith("{{cite web|url=https://www.forbes.com")
    assert [each.old for each in flood.edits if each.kind is EditKind.CITE] == [""]
