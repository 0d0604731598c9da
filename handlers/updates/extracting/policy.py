"""What the extractor may take from one document, and from which score on."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class ExtractionPolicy:
    """Bounds of the work on a document, and of what comes of it."""

    most_chars: int = 120_000  # of a document; what follows is not looked at
    most_compared: int = 40  # sentences of a document that the encoder sees
    most_candidates: int = 12  # of a document, the best first
    least_score: float = 0.47  # 2 of 56 that the article bears out have less
    discount: float = 0.1  # from that, for an article that says nothing yet
    many_statements: int = 40  # from so many on there is no discount
    most_told: int = 30  # quotes passed over that are told one by one

    def least_for(self, statements: int) -> float:
        """Return the score that a sentence needs where the article has so many.

        The fewer statements there are, the less alike is the nearest of them.
        """
        missing = max(0.0, 1 - statements / self.many_statements)
        return self.least_score - self.discount * missing
