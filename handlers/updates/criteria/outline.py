"""The outline of an article: its sections, which of them take facts, its fingerprint."""

import re
from collections.abc import Iterable
from hashlib import sha256

from handlers.model import Page, Section

_SEPARATOR = "\x1f"
# Headings whose sections hold no prose of their own, in the languages of our users.
_CLOSED = re.compile(
    r"(?:see also|notes?(?: and references)?|footnotes?|references?(?: and notes)?|citations?"
    r"|sources?|works cited|bibliography|further reading|external links?|gallery|explanatory notes"
    r"|einzelnachweise|weblinks|literatur|siehe auch|anmerkungen|quellen|fußnoten|galerie"
    r"|notes et références|références|voir aussi|liens externes|bibliographie|annexes"
    r"|referencias|véase también|enlaces externos|bibliografía|notas"
    r"|مراجع|المراجع|وصلات خارجية|انظر أيضا|هوامش)",
    re.IGNORECASE,
)


def is_open(section: Section) -> bool:
    """Tell whether a section takes facts, by its headings."""
    return not any(_CLOSED.fullmatch(heading.strip()) for heading in section.path)


def outline_sha256(page: Page) -> str:
    """Return the fingerprint of a page's headings and their levels."""
    lines: Iterable[str] = (
        f"{section.level}{_SEPARATOR}{_SEPARATOR.join(section.path)}"
        for section in page.sections
    )
    return sha256("\n".join(lines).encode("utf-8", "replace")).hexdigest()
