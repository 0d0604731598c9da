"""What is kept of a finding about the writing beside its suggestion. Pure."""

from dataclasses import dataclass

from handlers.model.reviews import FindingKind
from handlers.model.spans import Span


@dataclass(frozen=True, slots=True)
class WritingNote:
    """A finding of a review as it is shown.

    `marked` are ranges of the suggestion's claim, the words that are meant. `guideline`
    names the page of the English Wikipedia that asks for another wording. Of a close
    paraphrase `source_quote` are the source's own words. Where `is_of_section`, the
    finding is about the whole section, or the page, that the words begin.
    """

    kind: FindingKind
    message: str
    advice: str
    guideline: str
    criteria: tuple[str, ...] = ()  # ids
    marked: tuple[Span, ...] = ()
    source_quote: str = ""
    is_of_section: bool = False
