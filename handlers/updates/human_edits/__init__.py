"""What people changed in an article, from its revisions (WiNELL §4.1, appendix A).

`comparing` tells two revisions apart by sections and paragraphs, `histories` reads
the revisions of a time one after the other, `filtering` says which edits bring facts
and which make good examples (appendix B.1), `dating` how old their sources were. Pure.
"""

from handlers.updates.human_edits.comparing import edits_between
from handlers.updates.human_edits.dating import (
    latency_days,
    published_in,
    published_on,
)
from handlers.updates.human_edits.filtering import (
    ExamplePolicy,
    Unwanted,
    why_no_example,
    why_not_factual,
)
from handlers.updates.human_edits.histories import HistoryReading
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
    "ExamplePolicy",
    "Fate",
    "HistoryReading",
    "HumanEdit",
    "Look",
    "Paragraph",
    "ParagraphChange",
    "Revision",
    "RevisionNote",
    "Unwanted",
    "edits_between",
    "latency_days",
    "paragraphs_of",
    "published_in",
    "published_on",
    "why_no_example",
    "why_not_factual",
]
