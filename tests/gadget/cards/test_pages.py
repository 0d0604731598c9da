"""Pages are read once, and answers have a version that changes when they may."""

import asyncio
import sqlite3
from contextlib import closing
from datetime import timedelta
from pathlib import Path

import pytest

from bot.records.accounts import (
    DismissReason,
    Reader,
    Tally,
)
from bot.records.jobs import JobReason, PageJob
from bot.surfaces.feedback import FeedbackRules, feedback
from gadget.payloads.cards import PageAnswer
from handlers.model import (
    CheckKind,
)
from handlers.ports import PermanentError, TemporaryError
from tests import builders
from tests.gadget.cards.rig import (
    ADA,
    NOON,
    TEXT,
    TITLE,
    WIKI,
    Rig,
)


def test_a_page_that_was_never_checked_is_not_even_read(rig: Rig) -> None:
    job = PageJob(WIKI, TITLE, JobReason.RECHECK, asked_at=NOON, due_at=NOON)
    rig.store.jobs.put([job])

    answer = rig.see(12)

    assert (answer.last_check, answer.cards, answer.is_waiting) == (None, [], True)
    assert rig.wiki.asked == []


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

    assert rig.wiki.asked == [(TITLE, revision)]
    assert all(answer == answers[0] for answer in answers)
    rig.see(revision)
    assert len(rig.wiki.asked) == 1


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
    assert quote.quote == builders.QUOTE
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
        [Tally(WIKI, builders.ENGINE, CheckKind.NOT_SUPPORTED, (), (0.9,) * 30)],
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
