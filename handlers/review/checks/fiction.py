"""Is an article about a work of fiction, or about something in one? Pure."""

import re

from handlers.review.manuscript.paragraphs import Manuscript
from handlers.review.manuscript.parts import Part, tells_story

_OPENING = 400  # characters of the lead that say what the subject is
_INVENTED = re.compile(
    r"\bfictional\b|\b(?:is|was|are|were) (?:an?|the)\b[^.]{0,160}?\b(?:novels?|novella|film"
    r"|short story|television series|tv series|sitcom|soap opera|video game|stage play"
    r"|graphic novel|comic book|anime|manga|musical|opera|episode)"
    # and not "film director", "opera house"
    r"(?=[,.;(]| (?:by|of|about|that|which|written|directed|created|developed|published"
    r"|released|produced|set|based|starring|series|from|for|in)\b)",
    re.IGNORECASE,
)


def is_of_fiction(manuscript: Manuscript) -> bool:
    """Tell by a section that tells a story, and else by how the lead begins.

    Such a section must stand by itself: those of an author have plots further down.
    """
    if any(tells_story(one.path[0]) for one in manuscript.page.sections if one.path):
        return True
    first = next(manuscript.running(Part.LEAD), None)
    return first is not None and bool(_INVENTED.search(first.prose.text[:_OPENING]))
