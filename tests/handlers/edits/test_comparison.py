"""What is said of an edit where not all of a claim or its source was read."""

from dataclasses import replace

import pytest

from handlers.edits.comparison import EditPoints, compare
from handlers.model import (
    Comparison,
    MissingKind,
    MissingPiece,
    PageId,
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
