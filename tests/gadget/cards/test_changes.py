"""Cards about edits: before and after, the edit that undoes it, and those of a diff."""

import asyncio
from datetime import UTC, datetime

import pytest

from bot.report import PageReport
from gadget.payloads.cards import Card, EditKind, PageAnswer
from handlers.model import PageId, Verdict
from handlers.page import parse
from tests import builders
from tests.bot.surfaces.planning.makers import watch
from tests.gadget.cards.changes import SAID, moved_away
from tests.gadget.cards.pages import edited
from tests.gadget.cards.rig import ADA, TITLE, WIKI, Rig

_CITED = "<ref>{{cite web|url=https://log.example/1|title=Log}}</ref>"
_OTHER = f"\n\n== More ==\nIt lies at the harbour of the island.{_CITED}"
WAS, IS = "The tower is 412 feet high.", "The tower is 412 metres high."
GOOD, BAD = f"{WAS}{_CITED}{_OTHER}", f"{IS}{_CITED}{_OTHER}"
AT = datetime(2026, 11, 20, 11, 30, tzinfo=UTC)


def change(
    rig: Rig, before: str, after: str, title: str = TITLE, at: datetime = AT
) -> int:
    """Save an edit that is found to have moved its words away; return its revision."""
    numbers = [rig.wiki.edit(title, text) for text in (before, after)]
    pages = [
        parse(text, PageId(WIKI, title, revision_id=number, revised_at=at))
        for text, number in zip((before, after), numbers, strict=True)
    ]
    found = moved_away(pages[0], pages[1])
    report = PageReport(pages[1], (), builders.ENGINE, rig.now, 1.0)
    rig.store.save_check(report, (), beside={"changed": found})
    return numbers[1]


def _card(answer: PageAnswer) -> Card:
    [card] = answer.cards
    return card


def test_a_card_has_both_versions_and_the_numbers_of_the_diff(rig: Rig) -> None:
    until = change(rig, GOOD, BAD)

    card = _card(rig.see())

    assert (card.kind, card.is_flagged, card.claim.text) == ("changed", True, IS)
    assert [one.text for one in card.claim.pieces if one.is_meant] == ["metres"]
    assert card.change
    assert "".join(one.text for one in card.change.before) == WAS
    assert [one.text for one in card.change.before if one.is_meant] == ["feet"]
    assert (card.change.done, card.change.at) == ("reworded", AT)
    assert (card.change.since, card.change.until) == (until - 1, until)
    assert card.note
    does = [one.kind for one in card.note.actions]
    assert does == ["diff", "open", "restore", "undo", "fix", "tag", "dismiss"]
    assert [one.kind for one in card.note.actions if one.href] == ["open"]
    assert card.quotes[0].quote == SAID


@pytest.mark.parametrize(
    ("before", "after"),
    [
        (WAS, IS),
        ("It was not built of wood in 1702.", "It was built of wood in 1702."),
        ("It was built in 1702.", "It was never built in 1702."),
        ("The 22 keepers had 122 lamps.", "The 27 keepers had 127 lamps."),
        ("He owned 122 or 12 lamps.", "He owned 122 or 22 lamps."),
        ("[[Ada]] built 12 ''lamps'' there.", "[[Ada]] built 22 ''lamps'' there."),
    ],
)
def test_one_edit_puts_the_old_words_back(rig: Rig, before: str, after: str) -> None:
    text = f"{after}{_CITED}{_OTHER}"
    change(rig, f"{before}{_CITED}{_OTHER}", text)

    card = _card(rig.see())
    [edit] = [one for one in card.edits if one.kind is EditKind.RESTORE]

    page = parse(text, PageId(WIKI, TITLE))
    assert edited(page, edit) == f"{before}{_CITED}{_OTHER}"


@pytest.mark.parametrize(
    ("before", "after"),
    [
        # Markup stands among the changed words, or would come back as text.
        ("Ada built 12 lamps and 9 bells.", "Ada built 22 [[lamps]] and 7 bells."),
        ("It cost {{USD|12}} &lt;ref&gt; then.", "It cost {{USD|12}} dollars then."),
    ],
)
def test_words_that_could_act_as_markup_are_not_put_back(
    rig: Rig, before: str, after: str
) -> None:
    change(rig, f"{before}{_CITED}{_OTHER}", f"{after}{_CITED}{_OTHER}")

    kinds = {one.kind for one in _card(rig.see()).edits}

    assert EditKind.RESTORE not in kinds
    assert EditKind.SECTION in kinds


def test_a_removed_footnote_marks_no_words_and_offers_no_tag_of_a_source(
    rig: Rig,
) -> None:
    change(rig, f"{WAS}{_CITED} It shone.", f"{WAS} It shone.")

    card = _card(rig.see())

    assert card.change
    assert card.change.done == "source removed"
    assert not any(one.is_meant for one in (*card.claim.pieces, *card.change.before))
    assert {one.kind for one in card.edits} == {EditKind.SECTION}


def test_a_diff_has_the_notes_of_its_edits_and_asks_the_wiki_only_then(
    rig: Rig,
) -> None:
    until = change(rig, GOOD, BAD)
    since = until - 1

    def of(older: int, newer: int | None) -> list[str]:
        answer = asyncio.run(rig.cards.diff(WIKI, TITLE, newer, None, older))
        assert (answer.unchecked, answer.links, answer.last_check) == ([], [], None)
        return [card.id for card in answer.cards]

    [card] = rig.see().cards
    assert of(since, until) == of(since - 1, until) == of(since, None) == [card.id]
    later = rig.wiki.edit(TITLE, BAD + "\n\nMore.")
    assert of(since, later) == [card.id]
    rig.wiki.requests.clear()

    assert of(until, later) == []

    assert rig.wiki.requests == []


def test_the_newest_edit_comes_first_among_edits_and_contradictions_elsewhere(
    rig: Rig,
) -> None:
    titles = ("One", "Two", "Three")
    for hour, title in zip((9, 11, 10), titles, strict=True):
        change(rig, GOOD, BAD, title, AT.replace(hour=hour))
    rig.find(f"It is red.{_CITED}", Verdict.CONTRADICTED, title="Red")
    pages = (*titles, "Red")
    following = watch(wiki=WIKI, pages=pages, watcher=ADA.user)
    rig.store.watches.keep(following, (), rig.now)

    first = asyncio.run(rig.cards.edits(ADA, None, 2))
    rest = asyncio.run(rig.cards.edits(ADA, first.next, 2))
    everything = asyncio.run(rig.cards.queue(ADA, None, 20))

    assert [card.title for card in first.cards] == ["Two", "Three"]
    assert [card.title for card in rest.cards] == ["One"]
    assert (first.total, rest.next) == (3, None)
    assert [card.kind for card in everything.cards] == ["citation", *["changed"] * 3]
