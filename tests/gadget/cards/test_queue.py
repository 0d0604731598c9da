"""A queue has the cards of all pages that a reader follows."""

import asyncio
from base64 import urlsafe_b64encode
from dataclasses import replace

import pytest

from bot.records.accounts import (
    Reader,
)
from bot.records.watches import ActiveWatch, Surface, WatcherKind
from gadget.payloads.cards import Card
from handlers.model import (
    ClaimCheck,
    Verdict,
)
from handlers.ports import PermanentError
from tests.gadget.cards.rig import (
    ADA,
    BO,
    FLOOD,
    NOON,
    TEXT,
    TITLE,
    WIKI,
    Rig,
)


def _packed(cursor: bytes) -> str:
    return urlsafe_b64encode(cursor).decode()


def _follow(rig: Rig, reader: Reader, *titles: str) -> None:
    watch = ActiveWatch(
        wiki=WIKI,
        place=f"User:{reader.user}/Sidenote",
        kind=WatcherKind.USER,
        watcher=reader.user,
        pages=titles,
        surfaces=(Surface.GADGET,),
    )
    rig.store.watches.keep(watch, (), NOON)


def _walk(rig: Rig, reader: Reader, limit: int) -> list[Card]:
    cards: list[Card] = []
    after = None
    while True:
        part = asyncio.run(rig.cards.queue(reader, after, limit))
        assert len(part.cards) <= limit
        cards += part.cards
        if part.next is None:
            return cards
        after = part.next


def test_a_queue_walks_all_pages_that_a_reader_follows_the_gravest_first(
    rig: Rig,
) -> None:
    verdicts = (Verdict.NOT_SUPPORTED, Verdict.CONTRADICTED, Verdict.SUPPORTED)

    def doubtful(check: ClaimCheck) -> ClaimCheck:
        return replace(check, flag=None) if check.claim.text == FLOOD else check

    rig.find(TEXT, *verdicts, Verdict.PARTIALLY_SUPPORTED, title="One")
    rig.find(TEXT, *verdicts[::-1], Verdict.SUPPORTED, title="Two", change=doubtful)
    rig.find(title="Not followed")
    _follow(rig, ADA, "One", "Two", "Gone")

    whole = _walk(rig, ADA, 100)

    found = [(card.is_flagged, card.verdict) for card in whole]
    assert found == [
        (True, "contradicted"),
        (True, "contradicted"),
        (True, "not supported"),
        (True, "partially supported"),
        (False, "not supported"),
    ]
    assert {card.title for card in whole} == {"One", "Two"}
    assert [card.id for card in _walk(rig, ADA, 2)] == [card.id for card in whole]
    assert _walk(rig, BO, 10) == []


def test_a_queue_goes_on_where_it_was_while_things_are_decided(rig: Rig) -> None:
    rig.find()
    _follow(rig, ADA, TITLE)
    whole = [card.id for card in _walk(rig, ADA, 10)]
    first = asyncio.run(rig.cards.queue(ADA, None, 2))
    for card in first.cards:
        rig.decide(card, ADA)

    rest = asyncio.run(rig.cards.queue(ADA, first.next, 10))
    again = asyncio.run(rig.cards.queue(ADA, None, 10))

    assert [card.id for card in rest.cards] == whole[2:]
    assert [card.id for card in again.cards] == whole[2:]
    assert (first.total, rest.total, rest.next) == (4, 2, None)


def test_what_is_out_of_date_leaves_no_hole_in_the_queue(rig: Rig) -> None:
    many = "".join(f"Claim {n} is here.<ref>A b c {n}</ref>\n\n" for n in range(10))
    rig.find(many)
    rig.wiki.edit(TITLE, "".join(many.splitlines(keepends=True)[16:]))
    _follow(rig, ADA, TITLE)

    part = asyncio.run(rig.cards.queue(ADA, None, 2))

    assert len(part.cards) == 2
    assert part.total == 10


@pytest.mark.parametrize(
    "after",
    [
        *("", "x", "é", "bnVsbA==", "W10=", "A" * 10_000),
        _packed(b'[0, Infinity, 0, "a"]'),
        _packed(b'[0, %s, 0, "a"]' % (b"1" * 320)),
    ],
)
def test_a_place_in_the_queue_that_is_none_is_refused(rig: Rig, after: str) -> None:
    rig.find()
    _follow(rig, ADA, TITLE)

    with pytest.raises(PermanentError, match="not a place in the queue"):
        asyncio.run(rig.cards.queue(ADA, after, 2))
