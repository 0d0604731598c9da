"""The roles of a draft with a language model (WikiGenBench §4), each over the embedded.

A model sees chunks by numbers and answers in JSON. Its headings, phrases and sentences
count only after our checks: a sentence cites chunks that were shown, has no number, date
or name that they have not, and is no order and no markup; whether they bear it out is
for the verifier, as with every draft. Where nothing holds, the embedded role plays, and
the turn tells why. Pure; the roles await their model.
"""

from handlers.drafts.by_model.answers import ArticleAnswer
from handlers.drafts.by_model.planner import ModelPlanner
from handlers.drafts.by_model.writer import (
    SIZES,
    ModelWriter,
    article_request,
    drafted,
)

__all__ = [
    "SIZES",
    "ArticleAnswer",
    "ModelPlanner",
    "ModelWriter",
    "article_request",
    "drafted",
]
