"""Is an article about a work of fiction, or about something in one? Pure."""

import re

from handlers.review.manuscript.paragraphs import Manuscript
from handlers.review.manuscript.parts import Part, tells_story

_OPENING = 400  # characters of the lead that say what the subject is
_CAST = re.compile(r"\b(?:characters|episodes)\b", re.IGNORECASE)
_WORK = re.compile(
    r"\b(?:fictional|fiction|novels?|films?|series|sitcom|game|franchise|comics?|manga"
    r"|anime|play|opera|saga)\b",
    re.IGNORECASE,
)
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
    if is_of_characters(manuscript) or any(
        tells_story(one.path[0]) for one in manuscript.page.sections if one.path
    ):
        return True
    return bool(_INVENTED.search(_opening(manuscript)))


def is_of_characters(manuscript: Manuscript) -> bool:
    """Tell whether the article is about a work's characters or episodes, all of it."""
    title = manuscript.page.id.title
    return bool(_CAST.search(title) and _WORK.search(_opening(manuscript)))


def _opening(manuscript: Manuscript) -> str:
    first = next(manuscript.running(Part.LEAD), None)
    return first.prose.text[:_OPENING] if first else ""
