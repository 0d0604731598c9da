"""What a filled citation template says of its source. Pure."""

from functools import lru_cache

from handlers.model import PageId, Source
from handlers.page import parse

_NOWHERE = PageId("", "")


@lru_cache(maxsize=1_000)
def filled(citation: str | None) -> Source | None:
    """Return the one source that a citation names."""
    if citation is None:
        return None
    page = parse(f"Words.<ref>{citation}</ref>", _NOWHERE)
    sources = page.claims[0].sources if len(page.claims) == 1 else ()
    return sources[0] if len(sources) == 1 else None
