"""What readers decide about cards, and what they judge for evaluation.

A comparison is blind: both sides have the same form, their order comes from a hash with
our key, and its id is signed, so that nobody can forge one.
"""

import asyncio
import base64
import hmac
import json
from collections.abc import AsyncIterator, Awaitable, Callable
from typing import Annotated

from fastapi import APIRouter, Path, Request
from pydantic import BaseModel
from starlette.exceptions import HTTPException
from starlette.responses import Response

from bot.records.accounts import (
    Decision,
    DecisionKind,
    Judgement,
    JudgementKind,
    Preferred,
    Reader,
    says_so,
)
from bot.store import StoredSuggestion
from gadget.api.answers import IdempotencyKey, answer
from gadget.api.backend import Api, Backend, Operation, SignedIn, Writer
from gadget.api.problems import documented, unknown
from gadget.payloads.answers import AnswerStored, ComparisonAnswer, DecisionStored, Side
from gadget.payloads.cards import Card, QuoteShown, SourceShown
from gadget.payloads.fields import Number, Token
from gadget.payloads.requests import (
    Accept,
    Compared,
    DecisionAsked,
    Dismiss,
    Preference,
    Review,
    WrongVerdict,
)
from handlers.findings import RemedyKind
from handlers.model import Verdict

_AT_ONCE = 50
_MOST_PARTS = 4
_OTHER = RemedyKind.OTHER_SOURCE
_MAC_CHARS = 32

router = APIRouter(route_class=Operation)
_FAILURES = documented(401, 404, 408, 409, 413, 415)
_DONE = "It is done."


@router.post(
    "/decisions",
    operation_id="decide",
    summary=("Accept a card, dismiss it with a reason, or say what the source says"),
    status_code=201,
    response_model=DecisionStored,
    response_description=_DONE,
    responses=_FAILURES,
)
async def decide(
    request: Request,
    api: Api,
    session: Writer,
    key: IdempotencyKey,
    body: DecisionAsked,
) -> Response:
    """It replaces the reader's earlier decision about the card.

    As long as the wiki counts the account as new, it holds for the reader alone.
    """
    api.served(body.root.wiki)
    reader = session.own(body.root.wiki)

    async def act() -> DecisionStored:
        stored = await _found(api, body.root.wiki, body.root.identity)
        made = _decision(api, stored, body.root)
        decisions = api.parts.store.decisions
        is_for_all = await api.parts.readers.decides_for_all(reader)
        done = await asyncio.to_thread(
            decisions.decide,
            reader.key,
            made,
            user=reader.user,
            is_own=not is_for_all,
        )
        one = done.decision
        return DecisionStored(
            id=done.number,
            kind=one.kind.value,
            reason=one.reason.value if one.reason else None,
            says_so=says_so(one),
            decided_at=one.decided_at,
        )

    return await _once(request, api, (reader, key), body, act)


@router.delete(
    "/decisions/{id}",
    operation_id="undo",
    summary="Undo one's own decision",
    status_code=204,
    response_description=_DONE,
    responses=documented(401, 404),
)
async def undo(
    api: Api,
    session: Writer,
    number: Annotated[Number, Path(alias="id")],
) -> None:
    """Delete it, if it is the reader's."""
    reader = session.reader
    await api.parts.readers.decides_for_all(reader)  # else it is refused
    undone = await asyncio.to_thread(
        api.parts.store.decisions.undo,
        reader.key,
        number,
        api.parts.now(),
        user=reader.user,
    )
    if undone is None:
        raise unknown("decision of yours")


@router.get(
    "/comparisons/next",
    operation_id="nextComparison",
    summary="A claim and two citations for it, in random order",
    response_model=ComparisonAnswer,
    responses=documented(401) | {204: {"description": "Nothing is left to compare."}},
)
async def next_comparison(api: Api, session: SignedIn) -> Response:
    """One of them is cited, the other recommended."""
    reader = session.reader
    judgements = api.parts.store.judgements
    done = await asyncio.to_thread(
        judgements.done, reader.key, JudgementKind.PREFERENCE
    )
    async for card in _queued(api, reader):
        sides = None if card.id in done else _sides(card)
        if sides is not None:
            return answer(_comparison(api, reader, card, *sides))
    return Response(status_code=204)


@router.post("/comparisons/next", include_in_schema=False)
async def _none_is_called_next() -> None:
    raise HTTPException(405)


@router.post(
    "/comparisons/{comparison}",
    operation_id="prefer",
    summary="Say which of the two citations is better for the claim",
    status_code=201,
    response_model=AnswerStored,
    response_description=_DONE,
    responses=_FAILURES,
)
async def prefer(  # noqa: PLR0917 - the framework names them
    request: Request,
    api: Api,
    session: Writer,
    key: IdempotencyKey,
    comparison: Annotated[Token, Path()],
    body: Preference,
) -> Response:
    """Only a comparison that was handed out to the reader can be judged."""
    reader = session.reader

    async def act() -> AnswerStored:
        wiki, identity = _opened(api, reader, comparison)
        suggestion = (await _found(api, wiki, identity)).suggestion
        first = _first(api, reader, identity)
        offered = [one.probability for one in suggestion.remedies if one.kind is _OTHER]
        judgement = Judgement(
            kind=JudgementKind.PREFERENCE,
            wiki=wiki,
            title=suggestion.page.title,
            identity=identity,
            engine=suggestion.engine,
            judged_at=api.parts.now(),
            preferred=_preferred(body.preferred, first),
            shown_first=first,
            present_probability=suggestion.probability,
            recommended_probability=offered[0] if offered else None,
        )
        return await _saved(api, reader, judgement)

    return await _once(request, api, (reader, key), body, act)


@router.post(
    "/reviews",
    operation_id="review",
    summary="Say what one would do about a card, and what is wrong with it",
    status_code=201,
    response_model=AnswerStored,
    response_description=_DONE,
    responses=_FAILURES,
)
async def review(
    request: Request, api: Api, session: Writer, key: IdempotencyKey, body: Review
) -> Response:
    """It is stored for evaluation, and does not change the card."""
    api.served(body.wiki)
    reader = session.own(body.wiki)

    async def act() -> AnswerStored:
        suggestion = (await _found(api, body.wiki, body.identity)).suggestion
        judgement = Judgement(
            kind=JudgementKind.REVIEW,
            wiki=body.wiki,
            title=suggestion.page.title,
            identity=suggestion.identity,
            engine=suggestion.engine,
            judged_at=api.parts.now(),
            outcome=body.outcome,
            errors=tuple(dict.fromkeys(body.errors)),
        )
        return await _saved(api, reader, judgement)

    return await _once(request, api, (reader, key), body, act)


async def _once(
    request: Request,
    api: Backend,
    who: tuple[Reader, str],
    body: BaseModel,
    act: Callable[[], Awaitable[BaseModel]],
) -> Response:
    reader, key = who
    now = api.parts.now()
    return await api.repeats.once(request, (reader.key, key), body, now, act)


async def _found(api: Backend, wiki: str, identity: str) -> StoredSuggestion:
    stored = await asyncio.to_thread(api.parts.store.panel.suggestion, wiki, identity)
    if stored is None:
        raise unknown("card")
    return stored


def _decision(
    api: Backend,
    stored: StoredSuggestion,
    body: Accept | Dismiss | WrongVerdict | Compared,
) -> Decision:
    """Build the stored record: the finding comes from us, not from the script."""
    suggestion = stored.suggestion
    flag = suggestion.flag
    return Decision(
        wiki=body.wiki,
        title=suggestion.page.title,
        identity=suggestion.identity,
        kind=DecisionKind(body.kind),
        verdict=suggestion.verdict,
        engine=suggestion.engine,
        flag=flag.kind if flag else None,
        flag_probability=flag.probability if flag else None,
        revision=body.revision,
        decided_at=api.parts.now(),
        reason=body.reason if isinstance(body, Dismiss) else None,
        right_verdict=_right_verdict(body),
    )


def _right_verdict(
    body: Accept | Dismiss | WrongVerdict | Compared,
) -> Verdict | None:
    if isinstance(body, Compared):
        return Verdict.SUPPORTED if body.says_so else Verdict.NOT_SUPPORTED
    return body.right_verdict if isinstance(body, WrongVerdict) else None


async def _saved(api: Backend, reader: Reader, judgement: Judgement) -> AnswerStored:
    await asyncio.to_thread(api.parts.store.judgements.add, reader.key, judgement)
    return AnswerStored(kept_at=judgement.judged_at)


async def _queued(api: Backend, reader: Reader) -> AsyncIterator[Card]:
    after = None
    for _ in range(_MOST_PARTS):
        part = await api.parts.cards.queue(reader, after, _AT_ONCE)
        for card in part.cards:
            yield card
        after = part.next
        if after is None:
            return


def _sides(card: Card) -> tuple[Side, Side] | None:
    """Return the current citation and the recommended one, if a card has both."""
    remedy = next((one for one in card.remedies if one.kind == _OTHER.value), None)
    if remedy is None or not card.quotes:
        return None
    present = card.quotes[0]
    return (
        _side(present.quote, card.sources[present.source]),
        _side(remedy.quote, card.sources[remedy.source]),
    )


def _side(quote: str, source: SourceShown) -> Side:
    """Show a citation's words and source, and nothing that only one side has."""
    bare = QuoteShown(
        quote=quote, before="", after="", cut_before=False, cut_after=False, source=0
    )
    return Side(quotes=[bare], source=source.model_copy(update={"key": "source"}))


def _comparison(
    api: Backend, reader: Reader, card: Card, present: Side, recommended: Side
) -> ComparisonAnswer:
    is_present = _first(api, reader, card.id) is Preferred.PRESENT
    return ComparisonAnswer(
        comparison=_sealed(api, reader, card.wiki, card.id),
        claim=card.claim,
        title=card.title,
        wiki=card.wiki,
        first=present if is_present else recommended,
        second=recommended if is_present else present,
    )


def _first(api: Backend, reader: Reader, identity: str) -> Preferred:
    """Return which side comes first: always the same for one reader and card."""
    chance = _mac(api, "order", reader.key, identity)
    return Preferred.PRESENT if int(chance[:2], 16) & 1 else Preferred.RECOMMENDED


def _preferred(preferred: str, first: Preferred) -> Preferred:
    if preferred in {"either", "neither"}:
        return Preferred(preferred)
    sides = {Preferred.PRESENT, Preferred.RECOMMENDED}
    return first if preferred == "first" else (sides - {first}).pop()


def _sealed(api: Backend, reader: Reader, wiki: str, identity: str) -> str:
    named = json.dumps([wiki, identity]).encode()
    name = base64.urlsafe_b64encode(named).decode().rstrip("=")
    return f"{name}.{_mac(api, 'comparison', reader.key, name)}"


def _opened(api: Backend, reader: Reader, comparison: str) -> tuple[str, str]:
    """Return the wiki and identity of a comparison given to this reader."""
    name, _, mac = comparison.partition(".")
    right = _mac(api, "comparison", reader.key, name)
    if not hmac.compare_digest(mac.encode(), right.encode()):
        raise unknown("comparison of yours")
    wiki, identity = json.loads(base64.urlsafe_b64decode(name + "=" * (-len(name) % 4)))
    return wiki, identity


def _mac(api: Backend, *parts: str) -> str:
    signed = "\0".join(parts).encode()
    return hmac.new(api.rules.secret, signed, "sha256").hexdigest()[:_MAC_CHARS]
