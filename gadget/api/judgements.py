"""What readers judge for evaluation: one of two citations, and whole cards.

A comparison is blind: both sides are cut to the same form, their order comes of a hash
whose key is ours, and its name is signed, so that nobody can make one up.
"""

import asyncio
import base64
import hmac
import json
from collections.abc import AsyncIterator

from bot.records.accounts import Judgement, JudgementKind, Preferred, Reader
from gadget.api.decisions import found
from gadget.api.operations import Answer, Asked, of
from gadget.api.problems import unknown
from gadget.payloads.answers import ComparisonAnswer, Kept, Side
from gadget.payloads.cards import Card, QuoteShown, SourceShown
from gadget.payloads.paths import ComparisonName
from gadget.payloads.requests import Preference, Review
from handlers.findings import RemedyKind

_AT_ONCE = 50
_MOST_PARTS = 4
_OTHER = RemedyKind.OTHER_SOURCE
_MAC_CHARS = 32


async def next_comparison(asked: Asked) -> Answer:
    """Return a claim with its citation and the one that is recommended, in some order."""
    reader = asked.known()
    judgements = asked.parts.judgements
    done = await asyncio.to_thread(
        judgements.done, reader.key, JudgementKind.PREFERENCE
    )
    async for card in _queued(asked, reader):
        sides = None if card.id in done else _sides(card)
        if sides is not None:
            return Answer(_comparison(asked, reader, card, *sides))
    return Answer(status=204)


async def prefer(asked: Asked) -> Answer:
    """Keep which of two citations the reader prefers."""
    reader = asked.known()
    wiki, identity = _opened(asked, reader, of(ComparisonName, asked.names).comparison)
    kept = (await found(asked, wiki, identity)).suggestion
    first = _first(asked, reader, identity)
    offered = [one.probability for one in kept.remedies if one.kind is _OTHER]
    judgement = Judgement(
        kind=JudgementKind.PREFERENCE,
        wiki=wiki,
        title=kept.page.title,
        identity=identity,
        engine=kept.engine,
        judged_at=asked.now,
        preferred=_preferred(of(Preference, asked.body).preferred, first),
        shown_first=first,
        present_probability=kept.probability,
        recommended_probability=offered[0] if offered else None,
    )
    return await _kept(asked, reader, judgement)


async def review(asked: Asked) -> Answer:
    """Keep what a reviewer would do with a card."""
    body = of(Review, asked.body)
    reader = asked.own(body.wiki)
    kept = (await found(asked, body.wiki, body.identity)).suggestion
    judgement = Judgement(
        kind=JudgementKind.REVIEW,
        wiki=body.wiki,
        title=kept.page.title,
        identity=kept.identity,
        engine=kept.engine,
        judged_at=asked.now,
        outcome=body.outcome,
        errors=tuple(dict.fromkeys(body.errors)),
    )
    return await _kept(asked, reader, judgement)


async def _kept(asked: Asked, reader: Reader, judgement: Judgement) -> Answer:
    await asyncio.to_thread(asked.parts.judgements.add, reader.key, judgement)
    return Answer(Kept(kept_at=judgement.judged_at), status=201)


async def _queued(asked: Asked, reader: Reader) -> AsyncIterator[Card]:
    after = None
    for _ in range(_MOST_PARTS):
        part = await asked.parts.cards.queue(reader, after, _AT_ONCE)
        for card in part.cards:
            yield card
        after = part.next
        if after is None:
            return


def _sides(card: Card) -> tuple[Side, Side] | None:
    """Return the present citation and the recommended one, if a card has both."""
    remedy = next((one for one in card.remedies if one.kind == _OTHER.value), None)
    if remedy is None or not card.quotes:
        return None
    present = card.quotes[0]
    return (
        _side(present.quote, card.sources[present.source]),
        _side(remedy.quote, card.sources[remedy.source]),
    )


def _side(quote: str, source: SourceShown) -> Side:
    """Show words and source of a citation, and nothing that only one of them has."""
    bare = QuoteShown(
        quote=quote, before="", after="", cut_before=False, cut_after=False, source=0
    )
    return Side(quotes=[bare], source=source.model_copy(update={"key": "source"}))


def _comparison(
    asked: Asked, reader: Reader, card: Card, present: Side, recommended: Side
) -> ComparisonAnswer:
    is_present = _first(asked, reader, card.id) is Preferred.PRESENT
    return ComparisonAnswer(
        comparison=_sealed(asked, reader, card.wiki, card.id),
        claim=card.claim,
        title=card.title,
        wiki=card.wiki,
        first=present if is_present else recommended,
        second=recommended if is_present else present,
    )


def _first(asked: Asked, reader: Reader, identity: str) -> Preferred:
    """Return which side stands first: always the same for one reader and card."""
    chance = _mac(asked, "order", reader.key, identity)
    return Preferred.PRESENT if int(chance[:2], 16) & 1 else Preferred.RECOMMENDED


def _preferred(told: str, first: Preferred) -> Preferred:
    if told in {"either", "neither"}:
        return Preferred(told)
    sides = {Preferred.PRESENT, Preferred.RECOMMENDED}
    return first if told == "first" else (sides - {first}).pop()


def _sealed(asked: Asked, reader: Reader, wiki: str, identity: str) -> str:
    named = json.dumps([wiki, identity]).encode()
    name = base64.urlsafe_b64encode(named).decode().rstrip("=")
    return f"{name}.{_mac(asked, 'comparison', reader.key, name)}"


def _opened(asked: Asked, reader: Reader, comparison: str) -> tuple[str, str]:
    """Return wiki and identity of a comparison that this reader was given."""
    name, _, mac = comparison.partition(".")
    right = _mac(asked, "comparison", reader.key, name)
    if not hmac.compare_digest(mac.encode(), right.encode()):
        raise unknown("comparison of yours")
    wiki, identity = json.loads(base64.urlsafe_b64decode(name + "=" * (-len(name) % 4)))
    return wiki, identity


def _mac(asked: Asked, *parts: str) -> str:
    told = "\0".join(parts).encode()
    return hmac.new(asked.rules.secret, told, "sha256").hexdigest()[:_MAC_CHARS]
