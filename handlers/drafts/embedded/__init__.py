"""Drafts without a language model: quotes under the headings of their kind of article."""

from handlers.drafts.embedded.planner import EmbeddedPlanner
from handlers.drafts.embedded.surveying import Surveyor
from handlers.drafts.embedded.writer import EmbeddedWriter
from handlers.drafts.roles import Rules
from handlers.ports import TextEncoder

# No model has to read the chunks, so that there is no need to read but some of them.
EMBEDDED_RULES = Rules(chunks=2_000)

__all__ = ["EMBEDDED_RULES", "EmbeddedPlanner", "EmbeddedWriter", "embedded"]


def embedded(encoder: TextEncoder) -> tuple[EmbeddedPlanner, EmbeddedWriter]:
    """Return both, who survey the documents together."""
    surveyor = Surveyor(encoder)
    return EmbeddedPlanner(encoder, surveyor), EmbeddedWriter(encoder, surveyor)
