"""What people changed in an article, from its revisions (WiNELL §4.1, appendix A).

`comparing` tells two revisions apart by sections and paragraphs, `dating` how old their
sources were.
"""

from handlers.updates.human_edits.comparing import edits_between
from handlers.updates.human_edits.dating import (
    latency_days,
    published_in,
    published_on,
)
from handlers.updates.human_edits.paragraphs import Paragraph, paragraphs_of
from handlers.updates.human_edits.values import (
    Fate,
    HumanEdit,
    Look,
    ParagraphChange,
    Revision,
    RevisionNote,
)

__all__ = [
    "Fate",
    "HumanEdit",
    "Look",
    "Paragraph",
    "ParagraphChange",
    "Revision",
    "RevisionNote",
    "edits_between",
    "latency_days",
    "paragraphs_of",
    "published_in",
    "published_on",
]
