"""What the extractor may take from one document, and from which score on."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class ExtractionPolicy:
    """Bounds of the work on a document, and of what comes of it."""

    most_chars: int = 120_000  # of a document; what follows is not looked at
    most_compared: int = 40  # sentences of a document that the encoder sees
    most_candidates: int = 12  # of a document, the best first
    least_score: float = 0.34
    most_told: int = 30  # quotes passed over that are told one by one
