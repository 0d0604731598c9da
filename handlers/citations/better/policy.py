"""What a better source must be, and how much may be read to find one."""

from dataclasses import dataclass, field

from handlers.citations.better.reliability import ReliabilityLists


@dataclass(frozen=True, slots=True)
class Policy:
    """The limits of one search for better sources; the probabilities are of 0 to 1."""

    margin: float = 0.2  # by which a source must beat the present citation
    least: float = 0.5  # that it supports the claim; less is not worth a look
    claims_per_page: int | None = None  # searched for; `None` is no limit
    per_claim: int = 5  # candidates read
    per_page: int = 60  # candidates read for all its claims
    found_per_search: int = 10
    lists: ReliabilityLists = field(default_factory=lambda: ReliabilityLists(()))

    def needed(self, present: float | None) -> float:
        """Return how probable a source's support must be to recommend the source.

        `present` is that of the present citation; `None` where none was read.
        """
        return max(self.least, (present or 0.0) + self.margin)
