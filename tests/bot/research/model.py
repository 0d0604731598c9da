"""A language model for tests: it answers as the test says, in the form asked for."""

from decimal import Decimal
from typing import Any

from pydantic import ValidationError

from handlers.model import Engine, ModelFailure, ModelUse
from handlers.ports import ModelAnswer, ModelReply, ModelRequest, ModelSilence, T

USE = ModelUse(1, 0, 10, 5, Decimal("0.01"))


class Model:
    """Gives one answer after another, and the last one from then on.

    An answer is an object, a failure, an error, or a function of the request that
    returns one of these.
    """

    engine = Engine("language model", "test")

    def __init__(self, *answers: Any) -> None:
        self._answers = answers
        self.asked: list[ModelRequest[Any]] = []

    async def ask(self, request: ModelRequest[T]) -> ModelReply[T]:
        answer = self._answers[min(len(self.asked), len(self._answers) - 1)]
        self.asked.append(request)
        if callable(answer):
            answer = answer(request)
        if isinstance(answer, Exception):
            raise answer
        if isinstance(answer, ModelFailure):
            return ModelSilence(answer, "no answer", USE)
        try:
            return ModelAnswer(request.answer.model_validate(answer), USE)
        except ValidationError:
            return ModelSilence(ModelFailure.UNREADABLE, "not in the form", USE)

    def parts(self, at: int = -1) -> dict[str, str]:
        """What was shown in a question, by its labels."""
        return {one.label: one.text for one in self.asked[at].content}
