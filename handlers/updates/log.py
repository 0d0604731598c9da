"""What a run of update discovery tells of itself while it goes on."""

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field

from handlers.model import (
    Finds,
    Found,
    Ignored,
    ModelUse,
    PassedOver,
    Query,
    Role,
    TraceStep,
)
from handlers.ports import PermanentError, Search, TemporaryError
from handlers.updates.roles import T, Turn

_LONGEST_QUOTE = 300  # characters


@dataclass(slots=True)
class Log:
    """Its steps, what went wrong, and what its turns took of the language model."""

    elapsed_s: Callable[[], float]
    began_s: float
    trace: list[TraceStep] = field(default_factory=list)
    troubles: list[str] = field(default_factory=list)
    use: ModelUse = field(default_factory=ModelUse)
    turns: Counter[Role] = field(default_factory=Counter)
    failed: Counter[Role] = field(default_factory=Counter)

    def now_s(self) -> float:
        """Return how long the run has taken."""
        return self.elapsed_s() - self.began_s

    def heard(self, turn: Turn[T], role: Role) -> T:
        """Count what a turn took, and tell what went wrong in it."""
        self.use += turn.use
        self.turns[role] += 1
        if turn.setback is not None:
            self.failed[role] += 1
            told = turn.detail or turn.setback.value
            self.troubles.append(f"the language model as {role.value}: {told}")
            self.tell(role, f"the language model gave no usable answer: {told}")
        return turn.value

    async def answer_of(
        self, search: Search, query: Query, most: int
    ) -> Sequence[Found]:
        """Return what a search finds, at most `most`; one that fails finds nothing."""
        try:
            found = await search.search(query, limit=most)
        except (PermanentError, TemporaryError) as error:
            name, told = _name(search), str(error)
            self.troubles.append(told if name in told else f"{name}: {told}")
            return ()
        if isinstance(found, Finds):
            self.troubles.extend(found.troubles)
        return found

    def tell_passed_over(self, passed_over: Iterable[PassedOver], address: str) -> None:
        """Tell what was read at `address` and not taken, and why."""
        for one in passed_over:
            self.tell(
                Role.EXTRACTOR,
                one.detail or one.why.value,
                address=one.address or address,
                quote=one.quote,
                ignored=one.why,
                said=one.said,
            )

    def tell(
        self,
        role: Role,
        what: str,
        *,
        address: str | None = None,
        quote: str | None = None,
        ignored: Ignored | None = None,
        update: int | None = None,
        said: str = "",
    ) -> None:
        """Put a step into the trace; `said` are words of a language model."""
        cut = quote[:_LONGEST_QUOTE] if quote else None
        at_s = round(self.now_s(), 3)
        self.trace.append(
            TraceStep(role, what, at_s, address, cut, ignored, update, said)
        )


def _name(search: Search) -> str:
    try:
        return search.name
    except (PermanentError, TemporaryError):
        return "a search"
