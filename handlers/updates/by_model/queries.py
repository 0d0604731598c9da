"""Makes a query of what a model would look for: always about the subject. Pure.

Whoever wrote on a page that the model read may have told it what to look for. So a
query holds no address and no operator, and names the subject, whatever else it says.
"""

import re

from handlers.citations.cues.words import content_stems, words
from handlers.model import Subject
from handlers.updates.by_model.asking import line

_LONGEST = 200  # characters; some services refuse longer ones
_OPERATORS = re.compile(
    r"https?:\S*|\bwww\.\S*|\b\w{2,12}:(?=\S)|(?<!\S)[-+](?=\w)"
    r"|[\"“”„«»()|+*<>\[\]{}\\=]",
    re.IGNORECASE,
)


def tidy(text: str, subject: Subject) -> str | None:
    """Return `text` as a query; `None` if nothing is left of it."""
    query = line(_OPERATORS.sub(" ", text), _LONGEST)
    if not content_stems(words(query)):
        return None
    if not _names(query, subject):
        query = line(f"{subject.names[0]} {query}", _LONGEST)
    return query


def _names(query: str, subject: Subject) -> bool:
    """Tell whether a query has at least one word of the subject's names."""
    said = content_stems(words(query))
    return any(said & content_stems(words(name)) for name in subject.names)
