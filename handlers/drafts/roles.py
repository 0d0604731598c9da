"""What is asked of those who make a draft, and within which limits.

A planner or writer whose model gives no usable answer returns `None` as the value, with
the reason; the embedded one then does its work. Nothing that a model does makes them
raise.
"""

from collections import Counter
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from typing import TypeAlias

from handlers.model import (
    Chunk,
    DraftDocument,
    DraftSection,
    Left,
    LeftOut,
    PlannedSection,
    Topic,
)
from handlers.ports import PermanentError
from handlers.updates.roles import RoleAnswer

_MOST_REASONS = 3  # for which documents cannot be used


class NothingToDraftError(PermanentError):
    """No draft can be made from what was found; all of it is in `left_out`."""

    def __init__(self, message: str, left_out: Sequence[LeftOut] = ()) -> None:
        super().__init__(message)
        self.left_out = tuple(left_out)


def none_usable(topic: Topic, left_out: Sequence[LeftOut]) -> NothingToDraftError:
    """Return that no document can be used, why, and what to do about it."""
    counted = Counter(
        f"{one.why.value}: {one.detail}" if one.detail else one.why.value
        for one in left_out
    )
    most = [f"{why} ({count})" for why, count in counted.most_common(_MOST_REASONS)]
    most += ["…"] if len(counted) > _MOST_REASONS else []
    why = f" ({'; '.join(most)})"
    remedy = "name other documents, or widen the search"
    if any(one.why is Left.OTHER_LANGUAGE for one in left_out):
        remedy += f", or ask for a draft in their language (now {topic.language})"
    fate = f"none of the {len(left_out)} documents on “{topic.title}” can be used"
    if not left_out:
        fate, why = f"there are no documents on “{topic.title}” to draft from", ""
    return NothingToDraftError(f"{fate}{why}; {remedy}", left_out)


Outline: TypeAlias = tuple[PlannedSection, ...]  # the lead first


@dataclass(frozen=True, slots=True)
class Order:
    """What a writer is asked for: one section, or the whole if `section` is `None`.

    `chunks` are ordered, best first. `earlier` is what a lead sums up: the sections
    after it; it is empty for other sections. About `words` words are wanted.
    """

    topic: Topic
    outline: Outline
    section: PlannedSection | None
    chunks: tuple[Chunk, ...]
    documents: tuple[DraftDocument, ...]
    earlier: tuple[DraftSection, ...]
    words: int


Planner: TypeAlias = Callable[
    [Topic, Sequence[DraftDocument], Sequence[Chunk]],
    Awaitable[RoleAnswer[Outline | None]],
]
"""Makes an outline from all documents and the chunks, the best for the topic first."""

Writer: TypeAlias = Callable[
    [Order], Awaitable[RoleAnswer[tuple[DraftSection, ...] | None]]
]
"""Writes the section asked for, or all; each sentence cites some of the chunks."""


@dataclass(frozen=True, slots=True)
class Rules:
    """How a draft is made: the paper's figures, except for the length.

    At most `chunks` are read for a section (PRR), or for the whole draft (RR).
    """

    chunks: int = 5
    words: int = 1_600
    sections: int = 8


# No model reads the chunks, so there is no need to limit them to a few.
EMBEDDED_RULES = Rules(chunks=2_000)
