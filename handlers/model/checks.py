"""A claim after all stages of a check."""

from dataclasses import dataclass
from enum import Enum
from fractions import Fraction

from handlers.model.better_sources import BetterSources, Drift
from handlers.model.claims import Claim
from handlers.model.fetches import SourceFetch
from handlers.model.messages import Message
from handlers.model.verdicts import Opinion, Verdict, Verification


class CheckKind(Enum):
    """What an article's words can be flagged for, the most specific first."""

    CONTRADICTED = "contradicted"
    NOT_SUPPORTED = "not supported"  # contradicted included
    NOT_FULLY_SUPPORTED = "not fully supported"  # all that is not supported
    OUTDATED = "outdated"  # newer sources say otherwise
    NEW_FACT = "new fact"  # the article lacks it
    WRITING = "writing"  # a guideline asks for another wording, whatever sources say
    TAGGED = "tagged"  # editors have tagged it, and something settles that


CITATION_CHECKS = (
    CheckKind.CONTRADICTED,
    CheckKind.NOT_SUPPORTED,
    CheckKind.NOT_FULLY_SUPPORTED,
)
"""What a claim's own sources can flag it for, the most specific first."""

_TENTH = 0.1


@dataclass(frozen=True, slots=True)
class ExpectedPrecision:
    """How many flags are right if few claims fail in that way, and how that is known.

    `one_in_10` is the share that is right if one claim in ten fails, `one_in_40` if one
    in forty does. Both follow from what was measured on `rows` of the `sets` in `file`.
    """

    one_in_10: float
    one_in_40: float
    file: str
    sets: tuple[str, ...]
    rows: int

    @property
    def right_in_100(self) -> int:
        """How many of 100 are right if one in ten fails: in tens, never all.

        Measurements on a few hundred rows are no more precise. 0 means fewer than one
        in ten.
        """
        if self.one_in_10 < _TENTH:
            return 0
        return min(round(self.one_in_10 * 10), 9) * 10

    @property
    def right_times(self) -> tuple[int, int] | None:
        """The same as a fraction: right so many times in so many; `None` for less."""
        right = Fraction(self.right_in_100, 100)
        return (right.numerator, right.denominator) if right else None


@dataclass(frozen=True, slots=True)
class Flag:
    """A claim is shown to people, and how far that can be trusted.

    `probability` is the engine's estimate that the claim fails in the way of `kind`; a
    claim is flagged from `threshold` on. `expected` is `None` if it was never measured
    how often such flags are right.
    """

    kind: CheckKind
    probability: float
    threshold: float
    expected: ExpectedPrecision | None = None


@dataclass(frozen=True, slots=True)
class ClaimCheck:
    """A claim, what came of fetching its sources, and the verdict if there is one.

    `verdict` is `None` if the claim could not be checked; `advice` then tells a
    Wikipedia editor in one sentence what they can do. The later stages add what they
    found: `better` is `None` if no better source was looked for, `flag` if it is not
    certain enough that the claim fails. `fingerprint` identifies what all this depends
    on; see `handlers.citations.due_checks`.
    """

    claim: Claim
    fetches: tuple[SourceFetch, ...]
    verdict: Verdict | None
    verification: Verification | None
    advice: Message | None = None
    opinion: Opinion | None = None  # of a language model, where one was asked
    better: BetterSources | None = None
    drift: Drift | None = None
    flag: Flag | None = None
    fingerprint: str | None = None

    @property
    def copies(self) -> dict[str, SourceFetch]:
        """Return its fetches by their keys, which passages carry."""
        return {fetch.key: fetch for fetch in self.fetches}
