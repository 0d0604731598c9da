"""Puts claims to a language model: would-be flags first, then what is in doubt.

An answer counts when it quotes words that are found in the source again; then it is
weighed against the verifier's own probabilities. Each question holds a claim more that
no source states: a model that vouches for it is not heard at all. Without a model, and
wherever one fails, the claims stay as they are, and the reason is kept. Pure; it awaits
only the model.
"""

import asyncio
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import groupby

from handlers.citations.doubt.prompt import INSTRUCTIONS, VERDICTS, Answers
from handlers.citations.doubt.questions import Doubt, Question, questions
from handlers.citations.doubt.trust import Trust
from handlers.citations.doubt.weighing import unheard, weighed
from handlers.model import ClaimCheck, Consultation, ModelUse, Setback, Verdict
from handlers.ports import (
    LanguageModel,
    ModelAnswer,
    ModelOutOfReachError,
    ModelRequest,
    ModelUnusableError,
)

__all__ = ["Consulted", "Doubt", "Trust", "consult"]


@dataclass(frozen=True, slots=True)
class Consulted:
    """The checks, those that were asked about with an opinion, and what it took."""

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
    *,
    flags: Callable[[ClaimCheck], bool] = lambda _: False,
    planned: Callable[[int, ModelUse], None] = lambda *_: None,
    done: Callable[[int], None] = lambda _: None,
) -> Consulted:
    """Ask `model` about those of `checks` of the article `title` that may be wrong.

    Nothing that the model or its server does makes this fail.

    Args:
        title: of the article.
        checks: of all its claims; their order stays.
        model: decides how many questions are asked at once.
        doubt: which claims are doubtful.
        flags: tells which check would be a flag as it stands.
        planned: told how many claims the model will be asked about, and about what
            that will take, before anything is sent.
        done: told how many more claims have been put to the model.
    """
    asking = await asyncio.to_thread(questions, title, checks, doubt, flags)
    expected = doubt.cost(asking)
    if asking:
        planned(sum(len(one.claims) for one in asking), expected)

    async def hear(question: Question) -> _Heard:
        heard = await _ask(title, question, model, doubt.trust)
        done(len(question.claims))
        return heard

    answered: list[_Heard] = []
    # One turn after the other: a budget that runs out was spent on the flags.
    for _, together in groupby(asking, key=lambda one: one.turn):
        answered += await asyncio.gather(*map(hear, together))
    after = {place: check for one in answered for place, check in one.checks.items()}
    opinions = [one.opinion for one in after.values() if one.opinion is not None]
    return Consulted(
        checks=tuple(after.get(place, check) for place, check in enumerate(checks)),
        consultation=Consultation(
            engine=model.engine,
            asked=len(opinions),
            counted=sum(one.setback is None for one in opinions),
            use=sum((one.use for one in answered), ModelUse()),
            expected=expected,
            stopped=tuple(
                dict.fromkeys(one.stopped for one in answered if one.stopped)
            ),
        ),
    )


async def _ask(
    title: str, question: Question, model: LanguageModel, trust: Trust
) -> _Heard:
    def nothing(why: Setback, use: ModelUse, told: str | None = None) -> _Heard:
        left = {one.place: unheard(one, why, model.engine) for one in question.claims}
        return _Heard(left, use, told)

    try:
        reply = await model.ask(ModelRequest(INSTRUCTIONS, question.content, Answers))
    except ModelOutOfReachError as error:
        return nothing(Setback.OUT_OF_REACH, error.use, str(error))
    except ModelUnusableError as error:
        return nothing(Setback.UNUSABLE, error.use, str(error))
    if not isinstance(reply, ModelAnswer):
        told = reply.detail if reply.why is Setback.OUT_OF_BUDGET else None
        return nothing(reply.why, reply.use, told)
    answers = reply.value.answers
    if any(
        one.id == question.control
        and VERDICTS.get(one.verdict) not in {None, Verdict.NOT_SUPPORTED}
        for one in answers
    ):
        return nothing(Setback.MISLED, reply.use)
    return _Heard(
        {
            asked.place: weighed(
                title,
                asked,
                [one for one in answers if one.id == asked.id],
                model.engine,
                trust,
            )
            for asked in question.claims
        },
        reply.use,
    )
