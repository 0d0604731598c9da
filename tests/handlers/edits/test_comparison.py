"""What is said of an edit where not all of a claim or its source was read."""

from collections.abc import Sequence
from dataclasses import replace

import pytest

from handlers.edits.comparison import EditPoints, compare
from handlers.model import (
    Claim,
    Comparison,
    EditJudgement,
    MissingKind,
    MissingPiece,
    NotJudged,
    PageId,
    Passage,
    SourceFetch,
    SourceOutcome,
)
from handlers.page import parse
from handlers.ports import Tools
from tests.bot.daemon.checks_world import Reader
from tests.builders import fetch, unread
from tests.fakes import FakeSources

HERE = PageId("en.wikipedia.org", "Skarholm", revision_id=12)
CITED = "<ref>{{cite news |title=The clock |url=https://bbc.example/clock}}</ref>"
GOOD, BAD = "The tower is 412 feet high.", "The tower is 412 metres high."


async def _compared(
    read: SourceFetch, before: str = GOOD, after: str = BAD
) -> Comparison:
    old, new = (parse(f"{words}{CITED}", HERE) for words in (before, after))
    [claim] = new.claims
    read = replace(read, source=claim.sources[0])
    tools = Tools(FakeSources([read]), Reader(GOOD))
    return await compare(old, new, (), tools=tools, points=EditPoints())


async def test_what_was_read_whole_is_noted() -> None:
    [one] = (await _compared(fetch())).checks

    assert one.flag


@pytest.mark.parametrize(
    ("kind", "is_noted"),
    [
        (MissingKind.FRAME, False),
        (MissingKind.SCAN, False),
        (MissingKind.CUT_OFF, False),
        (MissingKind.HIDDEN, True),
        (MissingKind.RECOGNISED, True),
    ],
)
async def test_what_was_not_read_of_a_source_may_say_the_new_words(
    kind: MissingKind, is_noted: bool
) -> None:
    read = fetch()
    assert read.document
    piece = MissingPiece(kind, "pages 2 to 9")
    document = replace(read.document, missing=(piece,))

    [one] = (await _compared(replace(read, document=document))).checks

    assert (one.flag is not None) is is_noted


async def test_a_source_that_was_not_read_notes_nothing() -> None:
    compared = await _compared(unread(SourceOutcome.REFUSED))

    assert (compared.changed, compared.checks) == (1, ())


async def test_words_of_a_template_that_is_not_known_are_not_compared() -> None:
    after = "The tower is {{mystery height|412|m}} high."
    assert parse(f"{after}{CITED}", HERE).claims[0].missing

    compared = await _compared(fetch(), after=after)

    assert compared.changed == 1
    assert [one.flag for one in compared.checks] == [None]


BOOK = "<ref>{{cite book |title=Towers |isbn=978-0-306-40615-7}}</ref>"


class Moved(Reader):
    """Is sure that every edit moves words away, the most of those that a source says."""

    async def judge_edit(
        self, title: str, before: Claim, after: Claim, passages: Sequence[Passage]
    ) -> EditJudgement:
        judged = await Reader.judge_edit(self, title, before, after, passages)
        return replace(judged, moved=0.99 if before.text in self.said else 0.9)


async def _beside_a_book(before: str, after: str) -> Comparison:
    """Compare two versions of a page that cites what is read and a book that is not."""
    old, new = (parse(text, HERE) for text in (before, after))
    reads = [
        replace(fetch() if one.url else unread(SourceOutcome.OFFLINE), source=one)
        for one in new.claims[0].sources
    ]
    tools = Tools(FakeSources(reads), Moved(GOOD))
    return await compare(old, new, (), tools=tools, points=EditPoints())


async def test_words_that_the_other_source_bears_out_are_noted_beside_an_unread_one() -> (
    None
):
    [one] = (await _beside_a_book(f"{GOOD}{CITED}{BOOK}", f"{BAD}{CITED}{BOOK}")).checks

    assert one.flag
    assert one.why_not is None


@pytest.mark.parametrize(
    ("before", "after"),
    [
        # It came with the edit, and may say all of it.
        (f"{GOOD}{CITED}", f"{BAD}{CITED}{BOOK}"),
        # Only put in.
        (f"{GOOD}{CITED}{BOOK}", f"Today {GOOD.lower()}{CITED}{BOOK}"),
        # What was read does not say the words before.
        (f"The tower is high.{CITED}{BOOK}", f"{BAD}{CITED}{BOOK}"),
    ],
)
async def test_what_an_unread_source_may_say_is_told_but_not_noted(
    before: str, after: str
) -> None:
    compared = await _beside_a_book(before, after)

    [one] = compared.checks
    assert (one.flag, one.why_not) == (None, NotJudged.READ_IN_PART)


async def test_each_change_that_was_not_judged_says_why() -> None:
    compared = await _compared(unread(SourceOutcome.REFUSED))

    [one] = compared.unjudged
    assert one.change.before
    assert (one.change.before.text, one.change.words) == (GOOD, BAD)
    assert one.why_not is NotJudged.UNREAD
    assert [each.outcome for each in one.fetches] == [SourceOutcome.REFUSED]
