"""What readers decide about cards, and how they take it back."""

import asyncio

from bot.records.accounts import Decision, DecisionKind
from bot.store.values import KeptSuggestion
from gadget.api.operations import Answer, Asked, of
from gadget.api.problems import unknown
from gadget.payloads.answers import DecisionKept
from gadget.payloads.paths import DecisionName
from gadget.payloads.requests import Accept, DecisionAsked, Dismiss, WrongVerdict


async def decide(asked: Asked) -> Answer:
    """Keep what the reader decides about a card, as it is kept here."""
    body = of(DecisionAsked, asked.body).root
    reader = asked.own(body.wiki)
    kept = await found(asked, body.wiki, body.identity)
    made = _decision(asked, kept, body)
    decisions = asked.parts.decisions
    done = await asyncio.to_thread(decisions.decide, reader.key, made, user=reader.user)
    one = done.decision
    return Answer(
        DecisionKept(
            id=done.number,
            kind=one.kind.value,
            reason=one.reason.value if one.reason else None,
            decided_at=one.decided_at,
        ),
        status=201,
    )


async def undo(asked: Asked) -> Answer:
    """Take back a decision of the reader's own."""
    reader = asked.known()
    number = of(DecisionName, asked.names).id
    decisions = asked.parts.decisions
    undone = await asyncio.to_thread(
        decisions.undo, reader.key, number, asked.now, user=reader.user
    )
    if undone is None:
        raise unknown("decision of yours")
    return Answer(status=204)


async def found(asked: Asked, wiki: str, identity: str) -> KeptSuggestion:
    """Return what is kept of a card.

    Raises:
        Refusal: there is none.
    """
    kept = await asyncio.to_thread(asked.parts.panel.suggestion, wiki, identity)
    if kept is None:
        raise unknown("card")
    return kept


def _decision(
    asked: Asked, kept: KeptSuggestion, body: Accept | Dismiss | WrongVerdict
) -> Decision:
    """Put together what is kept: what was found is ours to say, not the script's."""
    suggestion = kept.suggestion
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
        decided_at=asked.now,
        reason=body.reason if isinstance(body, Dismiss) else None,
        right_verdict=body.right_verdict if isinstance(body, WrongVerdict) else None,
    )
