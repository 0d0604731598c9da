"""The notes of a page, of its revisions, and the version of an answer."""

import asyncio
import sqlite3
from contextlib import closing
from dataclasses import replace
from datetime import timedelta
from pathlib import Path

import pytest

from bot.records.accounts import (
    DismissReason,
    Reader,
)
from bot.records.jobs import JobReason, PageJob
from bot.surfaces.feedback import FeedbackRules, feedback
from gadget.payloads.cards import EditKind, PageAnswer
from handlers.model import (
    CheckKind,
    PageId,
)
from handlers.page import parse
from handlers.ports import PermanentError, TemporaryError
from tests import builders
from tests.gadget.cards.pages import edited
from tests.gadget.cards.rig import (
    ADA,
    NOON,
    SAID,
    TEXT,
    TITLE,
    WIKI,
    WIND,
    Rig,
    claims_of,
    drift_of,
)


def test_a_page_that_was_never_checked_is_not_even_read(rig: Rig) -> None:
    job = PageJob(WIKI, TITLE, JobReason.RECHECK, asked_at=NOON, due_at=NOON)
    rig.store.jobs.put([job])

    answer = rig.see(12)

    assert (answer.last_check, answer.cards, answer.is_waiting) == (None, [], True)
    assert rig.wiki.requests == []


def test_a_wiki_or_a_revision_that_is_none_is_said_to_be_none(rig: Rig) -> None:
    rig.find()

    with pytest.raises(PermanentError, match="no revision"):
        rig.see(999_999)
    for lookup in (
        rig.cards.page("evil.example", TITLE, None, None),
        rig.cards.card("evil.example", "1", None),
        rig.cards.counts("evil.example", [TITLE]),
    ):
        with pytest.raises(PermanentError, match="not looked after"):
            asyncio.run(lookup)
    assert asyncio.run(rig.cards.card(WIKI, "no such", None)) is None


def test_many_who_ask_at_once_have_a_revision_read_once(rig: Rig) -> None:
    revision = rig.find()

    async def ask() -> list[PageAnswer]:
        calls = (rig.cards.page(WIKI, TITLE, revision, None) for _ in range(20))
        return await asyncio.gather(*calls)

    answers = asyncio.run(ask())

    assert rig.wiki.requests == [(TITLE, revision)]
    assert all(answer == answers[0] for answer in answers)
    rig.see(revision)
    assert len(rig.wiki.requests) == 1


def test_a_wiki_that_was_away_is_asked_again(rig: Rig) -> None:
    revision = rig.find()
    rig.wiki.is_away = True
    with pytest.raises(TemporaryError):
        rig.see(revision)
    rig.wiki.is_away = False

    assert len(rig.see(revision).cards) == 4


def test_a_card_from_before_quotes_had_surroundings_shows_its_quote(
    rig: Rig, tmp_path: Path
) -> None:
    rig.find()
    with closing(sqlite3.connect(tmp_path / "kept.sqlite")) as database:
        database.execute("UPDATE suggestions SET details = NULL")
        database.commit()

    card = rig.see().cards[0]

    [quote] = card.quotes
    assert quote.quote == SAID
    assert (quote.before, quote.after, quote.source) == ("", "", 0)
    assert (quote.cut_before, quote.cut_after) == (True, True)
    assert card.sources[0].title != "None"


def test_the_version_is_another_whenever_the_answer_may_be(rig: Rig) -> None:
    revision = rig.find()
    lines: list[str] = []

    def version(reader: Reader | None = None, of: int | None = revision) -> str:
        return asyncio.run(rig.cards.version(WIKI, TITLE, of, reader))

    def note(reader: Reader | None = None) -> None:
        assert version(reader) == version(reader)
        lines.append(version(reader))

    card = rig.see().cards[0]
    note()
    note(ADA)
    number = rig.decide(card, ADA, DismissReason.OTHER)
    note(ADA)
    rig.store.decisions.undo(ADA.key, number, rig.now)
    note(ADA)
    rig.decree('{"ignoreSections": ["x"]}')
    note()
    rig.steered = feedback(
        [builders.tally(WIKI, CheckKind.NOT_SUPPORTED, (), (0.9,) * 30)],
        FeedbackRules(),
    )
    note()
    rig.find()
    note()
    lines.append(version(of=revision + 1))

    assert len(set(lines)) == len(lines)
    rig.now += timedelta(seconds=1)
    assert version(of=None) != lines[-1]


def test_a_page_without_revisions_has_a_version_of_its_words(rig: Rig) -> None:
    """As the articles that ship: nothing but their text tells what is new in them."""
    rig.find()
    rig.wiki.is_numbered = False
    seen = []
    for _ in range(3):
        seen.append(asyncio.run(rig.cards.version(WIKI, TITLE, None, None)))
        rig.see()
        rig.now += timedelta(seconds=1)
    rig.wiki.edit(TITLE, TEXT + "More.")
    seen.append(asyncio.run(rig.cards.version(WIKI, TITLE, None, None)))

    assert seen[1] == seen[2]
    assert len({seen[0], seen[1], seen[3]}) == 3


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
