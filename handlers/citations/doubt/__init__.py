"""Puts the claims that the verifier leaves in doubt to a language model.

Only those, several at once where they share their sources. An answer counts when it
quotes words that are found in the source again and bear on the claim; then it is
weighed against the verifier's own probabilities. Without a model, and wherever one
fails, the doubtful claims stay as they are, and the reason is kept. Pure; it awaits
only the model.
"""

import asyncio
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from handlers.citations.doubt.batches import Batch, Doubt, batches
from handlers.citations.doubt.prompt import INSTRUCTIONS, Answers, claim_id
from handlers.citations.doubt.weighing import unheard, weighed
from handlers.model import (
    ClaimCheck,
    Consultation,
    ModelUse,
    Setback,
)
from handlers.ports import (
    LanguageModel,
    ModelAnswer,
    ModelOutOfReachError,
    ModelRequest,
    ModelUnusableError,
)

__all__ = ["Consulted", "Doubt", "consult"]


@dataclass(frozen=True, slots=True)
class Consulted:
    """The checks, those of doubtful claims with an opinion, and what it took."""

    checks: tuple[ClaimCheck, ...]
    consultation: Consultation


@dataclass(frozen=True, slots=True)
class _Heard:
    """What came of one question."""

    checks: dict[int, ClaimCheck]  # by their place
    use: ModelUse
    stopped: str | None = None


async def consult(
    title: str,
    checks: Sequence[ClaimCheck],
    model: LanguageModel,
    doubt: Doubt,
    done: Callable[[int], None] = lambda _: None,
) -> Consulted:
    """Ask `model` about the doubtful ones among `checks` of the article `title`.

    Nothing that the model or its server does makes this fail.

    Args:
        title: of the article.
        checks: of all its claims; their order stays.
        model: decides how many questions are asked at once.
        doubt: which claims are doubtful.
        done: told how many more claims have been put to the model.
    """

    async def hear(batch: Batch) -> _Heard:
        heard = await _ask(title, batch, model, doubt)
        done(len(batch.claims))
        return heard

    questions = await asyncio.to_thread(batches, title, checks, doubt)
    answered = await asyncio.gather(*(hear(batch) for batch in questions))
    after = {place: check for one in answered for place, check in one.checks.items()}
    opinions = [one.opinion for one in after.values() if one.opinion is not None]
    return Consulted(
        checks=tuple(after.get(place, check) for place, check in enumerate(checks)),
        consultation=Consultation(
            engine=model.engine,
            asked=len(opinions),
            counted=sum(one.setback is None for one in opinions),
            use=sum((one.use for one in answered), ModelUse()),
            stopped=tuple(
                dict.fromkeys(one.stopped for one in answered if one.stopped)
            ),
        ),
    )


async def _ask(title: str, batch: Batch, model: LanguageModel, doubt: Doubt) -> _Heard:
    request = ModelRequest(
        INSTRUCTIONS, batch.content, Answers, doubt.max_output_tokens
    )
    try:
        reply = await model.ask(request)
    except ModelOutOfReachError as error:
        return _unheard(batch, Setback.OUT_OF_REACH, model, error.use, str(error))
    except ModelUnusableError as error:
        return _unheard(batch, Setback.UNUSABLE, model, error.use, str(error))
    if isinstance(reply, ModelAnswer):
        return _weighed(title, batch, reply, model)
    told = reply.detail if reply.why is Setback.OUT_OF_BUDGET else None
    return _unheard(batch, reply.why, model, reply.use, told)


def _weighed(
    title: str, batch: Batch, reply: ModelAnswer[Answers], model: LanguageModel
) -> _Heard:
    checks = {}
    for number, asked in enumerate(batch.claims, 1):
        own = [one for one in reply.value.answers if one.id == claim_id(number)]
        checks[asked.place] = weighed(title, asked, own, model.engine)
    return _Heard(checks, reply.use)


def _unheard(
    batch: Batch,
    why: Setback,
    model: LanguageModel,
    use: ModelUse,
    told: str | None,
) -> _Heard:
    checks = {one.place: unheard(one, why, model.engine) for one in batch.claims}
    return _Heard(checks, use, told)
