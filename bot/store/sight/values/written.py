"""What was written to wikis, and what people made of it. Pure."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime

from bot.records.posts import PostState, Refusal
from bot.store.sight.values.waiting import Ages


@dataclass(frozen=True, slots=True)
class PostLine:
    """A post without its text and without the name of whom it is for."""

    wiki: str
    title: str
    task: str
    state: PostState
    tries: int
    asked_at: datetime
    due_at: datetime
    changed_at: datetime
    note: str
    refusal: Refusal | None
    revision_id: int | None


@dataclass(frozen=True, slots=True)
class Used:
    """How many posts count for a task today (UTC); of all wikis if `wiki` is empty."""

    task: str
    wiki: str
    count: int


@dataclass(frozen=True, slots=True)
class PostsSight:
    """What was and is to be written.

    `counts` has all that is still kept; `week` what reached that state in the last
    seven days, and `refusals` is of these.
    """

    counts: Mapping[PostState, int]
    week: Mapping[PostState, int]
    refusals: Mapping[Refusal, int]
    waiting: Ages
    held: tuple[tuple[str, int], ...]  # notes of those that wait, most frequent first
    newest: tuple[PostLine, ...]
    last_posted_at: datetime | None
    last_shown_at: datetime | None
    used_today: tuple[Used, ...]
    parked: int = 0  # which only a person can settle


@dataclass(frozen=True, slots=True)
class ToldSight:
    """What became of the notes of one check kind that people were shown.

    `kind` is the name of the check kind that the claim was flagged for; empty
    where it is not known any more.
    """

    kind: str
    told: int
    settled: int
    dismissed: int

    @property
    def open(self) -> int:
        """Return how many nobody has acted on yet."""
        return self.told - self.settled - self.dismissed

    @property
    def decided(self) -> int:
        """Return of how many it is known what people made of them."""
        return self.settled + self.dismissed

    @property
    def precision(self) -> float | None:
        """Return settled / (settled + dismissed); `None` if nothing was decided.

        A note is settled when the sentence was changed so that it went, and
        dismissed when a person took it away. It says how often people acted on a
        note rather than refuse it, not how often the note was true.
        """
        return self.settled / self.decided if self.decided else None
