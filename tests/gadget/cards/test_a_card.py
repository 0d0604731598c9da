"""A card has all that is to be decided; what is unsafe, unchecked or let be is left out."""

import asyncio
from dataclasses import replace

from bot.records.accounts import (
    DismissReason,
)
from bot.report.words import ADVICE
from bot.surfaces.feedback import FeedbackRules, feedback
from bot.surfaces.messages import message
from gadget.payloads.cards import EditKind, PageAnswer
from handlers.citations import others_unread
from handlers.citations.model_judge import UNUSABLE
from handlers.model import (
    BetterSources,
    ClaimCheck,
    MissingKind,
    MissingPiece,
    PageId,
    Verdict,
)
from handlers.page import parse
from tests import builders
from tests.gadget.cards.pages import edited
from tests.gadget.cards.rig import (
    ADA,
    BO,
    FLOOD,
    RAIN,
    SAID,
    SOURCE,
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
    assert quote.quote == SAID
    assert quote.before + quote.quote + quote.after in SOURCE
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


def test_letters_that_no_answer_can_carry_are_replaced(rig: Rig) -> None:
    bad = "\ud800\x00\x1b[2J"
    text = f"It rained {bad} a lot.<ref>[https://a.example/ Title {bad}]</ref>\n== H{bad} ==\n"

    def hostile(check: ClaimCheck) -> ClaimCheck:
        found = builders.evidence(
            f"So {bad}", text=f"{bad} So {bad}", matching=(), of=check.claim.sources[0]
        )
        return replace(
            check,
            verification=builders.verification(Verdict.NOT_SUPPORTED, found),
        )

    revision = rig.find(text, change=hostile)

    answer = rig.see(revision)

    assert len(answer.cards) == 1
    sent = answer.model_dump_json()
    assert PageAnswer.model_validate_json(sent) == answer
    assert "\\u001b" not in sent
    assert "\\u0000" not in sent


def test_what_could_not_be_checked_is_reported_with_what_can_be_done(rig: Rig) -> None:
    revision = rig.find(TEXT, None, Verdict.SUPPORTED, None, Verdict.SUPPORTED)

    answer = rig.see(revision)

    rain, flood = answer.unchecked
    assert (rain.claim.text, rain.outcome) == (RAIN, "gone")
    assert [line.key for line in rain.lines] == ["advice-outcome-gone"]
    assert rain.advice == " ".join(line.english for line in rain.lines)
    assert rain.source
    assert rain.source.title == "Rain"
    assert [edit.label for edit in rain.edits] == ["Dead link"]
    assert [edit.section for edit in flood.edits] == [1, 2]
    later = rig.wiki.edit(TITLE, TEXT.replace("three metres", "3 m"))
    assert [one.claim.text for one in rig.see(later).unchecked] == [RAIN]
    later = rig.wiki.edit(TITLE, TEXT.replace("forbes.com/rain", "forbes.com/snow"))
    assert [one.claim.text for one in rig.see(later).unchecked] == [FLOOD]


def test_what_can_be_done_is_said_in_the_language_of_the_reader() -> None:
    for one in (*ADVICE.values(), UNUSABLE, others_unread(1, 3), others_unread(2, 3)):
        assert message(one.key, *one.values) == one


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
    wrong = builders.tally(WIKI, builders.flag().kind, (), (0.99,) * 30)

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


def test_a_quote_says_that_its_source_hides_words(rig: Rig) -> None:
    missing = (MissingPiece(MissingKind.HIDDEN), MissingPiece(MissingKind.RECOGNISED))

    def hiding(check: ClaimCheck) -> ClaimCheck:
        fetches = tuple(
            replace(one, document=replace(one.document, missing=missing))
            for one in check.fetches
            if one.document
        )
        return replace(check, fetches=fetches)

    [quote] = rig.see(rig.find(change=hiding)).cards[0].quotes

    assert quote.caveats == ("hidden words", "recognised")
