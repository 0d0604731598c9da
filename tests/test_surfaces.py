"""One page's findings on all surfaces: the same words, counts and order."""

import asyncio
import json
import re
from collections.abc import Iterator
from dataclasses import replace
from datetime import UTC, date, datetime
from html import unescape
from pathlib import Path

import pytest

from bot.records.watches import ActiveWatch, Check, Surface, WatcherKind
from bot.report import PageReport, render_html, render_json, render_summary, render_text
from bot.report.notes import MOST_SHOWN, Note, notes_of
from bot.store import open_store
from bot.surfaces import report_page, talk_page
from bot.surfaces.report_page import ReportFacts
from bot.surfaces.talk_page import TalkFacts
from gadget.payloads.cards import Card, MessageShown
from handlers.citations.suggestions import suggestions_of
from handlers.edits.alignment import changes_between
from handlers.model import (
    ClaimCheck,
    Comparison,
    EditCheck,
    EditJudgement,
    Page,
    PageId,
    Verdict,
)
from handlers.page import parse
from handlers.registry import told_once
from tests import builders
from tests.bot.wiki.markup.makers import BOT, KEYS
from tests.gadget.cards.rig import ADA, WIKI, Rig, Wiki
from tests.rig.databases import ready_sqlite

TITLE = "Skarholm Museum"
_SOURCE = "<ref>{{{{cite web|url=https://a.example/{0}|title={0}}}}}</ref>"
SAID = (
    "The museum was founded by a miller.",
    "The museum has 22 rooms and a garden.",
    "It is open all year.",
    "It was sold in 1990.",
    "It burned down in 1921.",
    "The roof is made of slate.",
    "It has a garden of roses.",
    "Its lamp is 40 metres above the sea.",
)
BEFORE = "Its lamp is 40 feet above the sea."
EDITED = 7
TAGS = {4: "failed verification", 5: "failed verification", 6: "dead link"}
AGED = "As of 2014, it counts 30,000 visitors a year."
QUOTES = (
    "A miller owned the house at the harbour.",
    "The museum, which has 27 rooms, lies at the harbour.",
    "It opens in May.",
    "The museum was sold in 1996.",
    "It burned down in 1912.",
    "Its roof is made of slate.",
    "A garden of roses lies behind it.",
    "The lamp is 40 feet above the sea.",
)
VERDICTS = (
    Verdict.NOT_SUPPORTED,
    Verdict.CONTRADICTED,
    Verdict.PARTIALLY_SUPPORTED,
    Verdict.CONTRADICTED,  # too unsure to be flagged
    Verdict.CONTRADICTED,
    Verdict.SUPPORTED,
    Verdict.SUPPORTED,
    Verdict.NOT_SUPPORTED,
)
UNSURE = 3
WIKITEXT = "\n\n".join(
    [
        *(
            each
            + _SOURCE.format(at)
            + (f"{{{{{TAGS[at]}|date=May 2020}}}}" if at in TAGS else "")
            for at, each in enumerate(SAID)
        ),
        AGED,
    ]
)


def _checks(title_page: PageId) -> tuple[ClaimCheck, ...]:
    page = parse(WIKITEXT, title_page)
    checks = []
    for at, (claim, quote, verdict) in enumerate(
        zip(page.claims, QUOTES, VERDICTS, strict=True)
    ):
        [source] = claim.sources
        is_failing = verdict is not Verdict.SUPPORTED
        found = builders.evidence(quote, text=quote, matching=(), of=source)
        checks.append(
            builders.claim_check(
                verdict,
                claim,
                fetches=(builders.fetch(source),),
                verification=builders.verification(verdict, found),
                flag=builders.flag() if is_failing and at != UNSURE else None,
            )
        )
    return tuple(checks)


def _comparison(page: Page) -> Comparison:
    """Return what an edit did that moved a sentence away from its source."""
    here = replace(page.id, revision_id=(page.id.revision_id or 0) - 1)
    before = parse(WIKITEXT.replace(SAID[EDITED], BEFORE), here)
    [change] = changes_between(before, page).claims
    [source] = change.sources
    said = builders.evidence(
        QUOTES[EDITED], text=QUOTES[EDITED], matching=(), of=source
    )
    judged = EditJudgement(
        0.9,
        builders.verification(Verdict.SUPPORTED, said),
        builders.verification(Verdict.NOT_SUPPORTED),
    )
    check = EditCheck(change, (builders.fetch(source),), judged, 0.9, builders.flag())
    return Comparison(before.id, 1, (check,))


@pytest.fixture(scope="module")
def rig(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Rig]:
    file: Path = tmp_path_factory.mktemp("surfaces") / "kept.sqlite"
    with open_store(ready_sqlite(file)) as store:
        yield Rig(store, Wiki())


@pytest.fixture(scope="module")
def report(rig: Rig) -> PageReport:
    """Check the page and keep all that was found."""
    rig.wiki.edit(TITLE, WIKITEXT.replace(SAID[EDITED], BEFORE))
    here = PageId(WIKI, TITLE, revision_id=rig.wiki.edit(TITLE, WIKITEXT))
    page = parse(WIKITEXT, here)
    at = datetime(2026, 11, 20, 12, 1, tzinfo=UTC)
    page_report = PageReport(
        page,
        _checks(here),
        builders.ENGINE,
        at,
        1.0,
        comparison=_comparison(page),
    )
    aged = [one for one in notes_of(page_report) if one.kind == "aged"]
    assert len(aged) == 1
    found = dict(page_report.found)
    rig.store.save_check(
        page_report,
        told_once(suggestions_of(page, page_report.checks), found["changed"]),
        beside={kind: found[kind] for kind in ("aged", "changed")},
    )
    return page_report


def _words(note: Note) -> list[str]:
    """Return what every surface has to say of a note."""
    words = [note.headline, note.text_label, note.text, *_quoted(note)]
    texts = [note.reason, note.certainty, *note.lines]
    return [str(each) for each in (*words, *texts) if each]


def _quoted(note: Note) -> list[str]:
    return [str(note.quotes_label), note.quotes[0].words] if note.quotes else []


def _shown_in_order(text: str, notes: list[Note]) -> None:
    """Assert that a text shows the notes, each with all its words, in their order."""
    flat, at = " ".join(text.split()), 0
    for note in notes:
        tags = note.what_to_do[len(note.lines) :]
        for words in (*_words(note), *map(str, tags)):
            assert words in flat[at:], words
            at = flat.index(words, at)


def test_contradictions_come_first_and_doubtful_notes_last(report: PageReport) -> None:
    notes = notes_of(report)

    cited = [one for one in notes if one.kind != "aged"]
    assert [(SAID.index(one.text), one.is_flagged) for one in cited] == [
        (1, True),
        (4, True),
        (EDITED, True),
        (0, True),
        (2, True),
        (5, True),
        (6, True),
        (UNSURE, False),
    ]
    assert [one.kind for one in notes[-2:]] == ["aged", cited[-1].kind]
    assert notes[1].kind == "tag"
    assert str(notes[0].difference) == "22 in the article, 27 in the source"


def test_advice_about_a_tag_fits_what_was_found(report: PageReport) -> None:
    notes = {one.text: one for one in notes_of(report)}

    assert notes[SAID[4]].certainty.key == "certainty-tag-contradicted"
    assert notes[SAID[5]].certainty.key == "certainty-tag"


def test_text_html_and_json(report: PageReport) -> None:
    notes = [one for one in notes_of(report) if one.is_flagged]
    summary = render_summary([report], {}, width=2_000, colour=False)
    text = render_text([report], width=2_000, colour=False)
    page = render_html([report])
    attention = page.partition('class="attention"')[2].partition("</section>")[0]
    html = re.sub("<[^>]*>", "", attention)
    [document] = json.loads(render_json([report]))["reports"]

    assert f"Needs attention ({len(notes)})" in text
    assert f"Needs attention ({len(notes)})" in page
    _shown_in_order(text.partition("Needs attention")[2], notes[:MOST_SHOWN])
    _shown_in_order(unescape(html), notes)
    for shown in (" ".join(text.split()), " ".join(unescape(html).split())):
        assert BEFORE in shown
    notes = notes_of(report)
    assert [summary.index(one.text) for one in notes[:3]] == sorted(
        summary.index(one.text) for one in notes[:3]
    )
    assert [one["identity"] for one in document["findings"]] == [
        one.identity for one in notes
    ]
    for one, note in zip(document["findings"], notes, strict=True):
        flat = json.dumps(one, ensure_ascii=False)
        assert all(words in flat for words in _words(note))


def test_report_page_and_talk_note(report: PageReport) -> None:
    notes = notes_of(report)
    facts = ReportFacts(BOT, datetime(2026, 11, 21, 20, 0, tzinfo=UTC))
    talk = TalkFacts(BOT, date(2026, 11, 21), "ab" * 32)

    on_report = report_page.report(notes, facts, KEYS)
    edit = talk_page.plan("", notes, {}, talk, KEYS, own=None).edit

    assert edit
    assert f"{len(notes)} notes as of" in on_report
    assert len(edit.added) == len(notes)
    for wikitext in (on_report, edit.text):
        plain = unescape(wikitext.replace("<u>", "").replace("</u>", ""))
        _shown_in_order(plain, notes)
        assert BEFORE in plain


def _of_card(card: Card) -> list[str]:
    note = card.note
    assert note
    quoted = [_said(note.quoted_as), card.quotes[0].quote] if card.quotes else []
    words = [_said(note.headline), _said(note.said_as), card.claim.text, *quoted]
    texts = [note.reason, note.certainty, *note.lines]
    return [*words, *(_said(each) for each in texts if each)]


def _said(message: MessageShown) -> str:
    words = message.english
    for at, value in enumerate(message.values, 1):
        words = words.replace(f"${at}", str(value))
    return words


def test_panel_and_queue(rig: Rig, report: PageReport) -> None:
    notes = notes_of(report)
    watch = ActiveWatch(
        wiki=WIKI,
        place="User:Ada/Watched",
        kind=WatcherKind.USER,
        watcher=ADA.user,
        pages=(TITLE,),
        checks=(Check.CITATIONS, Check.UPDATES),
        surfaces=(Surface.GADGET,),
    )
    rig.store.watches.keep(watch, (), rig.now)

    answer = rig.see(title=TITLE)
    queue = asyncio.run(rig.cards.queue(ADA, None, 50)).cards

    for cards in (answer.cards, queue):
        assert [card.id for card in cards] == [one.identity for one in notes]
        assert [_of_card(card) for card in cards] == [_words(one) for one in notes]
        [change] = [card.change for card in cards if card.change]
        assert "".join(one.text for one in change.before) == BEFORE
    counts = asyncio.run(rig.cards.counts(WIKI, [TITLE]))
    assert counts == {TITLE: sum(one.is_flagged for one in notes)}


def test_what_can_be_done_stands_in_an_editors_order(
    rig: Rig, report: PageReport
) -> None:
    del report
    for card in rig.see(title=TITLE).cards:
        assert card.note
        kinds = [one.kind for one in card.note.actions]
        order = ("diff", "open", "restore", "undo", "fix")
        order = (*order, "replace", "tag", "untag", "dismiss")
        assert kinds == sorted(kinds, key=order.index)
        assert kinds[-1] == "dismiss"
        tags = [one.label for one in card.edits if one.kind.value == "tag"]
        fitting = {"aged": "Update inline", "tag": None}
        is_weak = card.verdict == "contradicted" and not card.is_flagged
        usual = None if is_weak else "Failed verification"
        wanted = fitting.get(card.kind, usual)
        assert tags == ([wanted] if wanted else [])


def test_few_are_shown_at_once_and_the_rest_stand_behind_one_line(
    report: PageReport,
) -> None:
    page = report.page
    [first, *_] = report.checks
    many = tuple(
        replace(first, claim=replace(first.claim, text=f"It has {number} doors."))
        for number in range(17)
    )
    long = replace(report, page=page, checks=many)
    count = len(notes_of(long))

    line = f"… and {count - 5} more"

    assert line in render_text([long], width=200, colour=False)
    assert line in render_html([long])
    facts = ReportFacts(BOT, datetime(2026, 11, 21, 20, 0, tzinfo=UTC))
    assert line in report_page.report(notes_of(long), facts, KEYS)
