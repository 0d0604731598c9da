"""Two documents on a flood, and a puppet for the language model."""

from collections.abc import Callable, Sequence
from typing import Any

from handlers.drafts.roles import Order
from handlers.model import (
    Chunk,
    DraftDocument,
    Engine,
    ModelUse,
    PlannedSection,
    Span,
    Topic,
)
from handlers.ports import ModelAnswer, ModelReply, ModelRequest, T
from tests.handlers.drafts.puppets import document

TOPIC = Topic("2024 Exampleton flood", "en")
RIVER = (
    "The River Exam burst its banks on 3 October 2024 after two days of rain. "
    "Some 1,200 people were taken to schools and sports halls by the fire brigade."
)
RELIEF = (
    "The government of Peter Hall set aside 40 million euros for those who lost homes. "
    "The mayor, Clara Stone, said that the dyke had been inspected in spring."
)
BURST = "After rain that lasted for two days, the River Exam flooded on 3 October 2024."
AID = "Peter Hall's government set 40 million euros aside for people who lost homes."


def documents(*texts: str) -> tuple[DraftDocument, ...]:
    given = texts or (RIVER, RELIEF)
    return tuple(
        document(at, text, f"News {at}", f"https://news.example/{at}", "2024-10-05")
        for at, text in enumerate(given)
    )


def chunks(of: Sequence[DraftDocument]) -> tuple[Chunk, ...]:
    """Each document as one chunk."""
    found = [(one.number, one.fetch.document) for one in of]
    return tuple(
        Chunk(number, 0, text.text, Span(0, len(text.text)))
        for number, text in found
        if text
    )


def order(section: PlannedSection | None = None, *texts: str, **more: Any) -> Order:
    of = documents(*texts)
    given: dict[str, Any] = {
        "topic": TOPIC,
        "outline": (PlannedSection(""), PlannedSection("Relief")),
        "section": section,
        "chunks": chunks(of),
        "documents": of,
        "earlier": (),
        "words": 200,
        **more,
    }
    return Order(**given)


class Puppet:
    """Says what it is told to; `requests` holds its questions."""

    engine = Engine("language model", "puppet")

    def __init__(self, said: dict[str, Any] | Callable[..., ModelReply[Any]]) -> None:
        self._said = said
        self.requests: list[ModelRequest[Any]] = []

    async def ask(self, request: ModelRequest[T]) -> ModelReply[T]:
        self.requests.append(request)
        if callable(self._said):
            return self._said(request)
        if "sentences" in request.answer.model_fields:  # nothing is mended
            return ModelAnswer(
                request.answer.model_validate({"sentences": []}), ModelUse()
            )
        answer = request.answer.model_validate(self._said)
        return ModelAnswer(answer, ModelUse(calls=1))

    def part(self, label: str) -> str:
        """What was shown under a label in the last question."""
        return {one.label: one.text for one in self.requests[0].content}[label]


def said(*sentences: tuple[str, list[int]]) -> list[dict[str, Any]]:
    """One paragraph of an answer."""
    return [{"sentences": [{"text": one, "cites": cites} for one, cites in sentences]}]


def headed(heading: str, *sentences: tuple[str, list[int]]) -> dict[str, Any]:
    return {"heading": heading, "paragraphs": said(*sentences)}
