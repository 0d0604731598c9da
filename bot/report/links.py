"""Makes the addresses of pages of a wiki, and of the words in them. Pure."""

import re
from urllib.parse import quote

from handlers.citations.quoting.links import with_fragment
from handlers.model import Claim, PageId, Section

_TELLING_WORDS = 3
_HOST = re.compile(r"[a-z0-9-]+(?:\.[a-z0-9-]+)+", re.ASCII | re.IGNORECASE)


def page_href(page: PageId) -> str | None:
    """Return the permanent link of the revision, or the page's where none is known."""
    if not _HOST.fullmatch(page.wiki):
        return None
    if page.revision_id is not None:
        return f"https://{page.wiki}/w/index.php?oldid={page.revision_id}"
    title = quote(page.title.replace(" ", "_"), safe="/:(),", errors="replace")
    return f"https://{page.wiki}/wiki/{title}"


def shortcut_href(page: PageId, shortcut: str | None) -> str | None:
    """Return where the wiki of `page` has what `shortcut` stands for."""
    if not shortcut or not _HOST.fullmatch(page.wiki):
        return None
    return f"https://{page.wiki}/wiki/{quote(shortcut, safe=':/', errors='replace')}"


def claim_href(claim: Claim, page: PageId) -> str | None:
    """Return the address of the claim's words in the revision that was checked.

    One or two words, as in a table, could be found anywhere on the page: such a
    claim leads to the page only.
    """
    href = page_href(page)
    if href is None or len(claim.text.split()) < _TELLING_WORDS:
        return href
    return with_fragment(href, claim.text)


def section_at(sections: tuple[Section, ...], offset: int) -> tuple[str, ...]:
    """Return the path of the section that `offset` lies in."""
    within = (one for one in sections if one.span.start <= offset < one.span.end)
    return next((section.path for section in within), ())
