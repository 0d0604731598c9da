"""The depth of a cited address: the baseline that SIDE's ranking is compared with.

Many citations that fail lead to an address that is too general, such as a
newspaper's front page. SIDE (Petroni et al., "Improving Wikipedia Verifiability with
AI", section "Ranking citations" and figure 2c) therefore ranks citations by the
number of elements in the path of the cited address: the shallower, the likelier they
fail. It reads nothing. Pure.
"""

from collections.abc import Iterable
from urllib.parse import urlsplit

from handlers.model import Claim, Source

# An archived copy is as deep as the page it is a copy of:
# https://web.archive.org/web/20200101000000/https://example.org/a/b
_ARCHIVES = (
    "web.archive.org",
    "archive.org",
    "archive.today",
    "archive.is",
    "archive.ph",
)


def url_depth(address: str) -> int | None:
    """Return the number of elements in the path; `None` if this is no web address.

    Empty elements do not count, nor do query and fragment, as in the paper.
    """
    try:
        parts = urlsplit(address.strip())
        host = parts.hostname
    except ValueError:
        return None
    if parts.scheme.lower() not in {"http", "https"} or not host:
        return None
    _, scheme, original = parts.path.partition("/http")
    if scheme and host.removeprefix("www.") in _ARCHIVES:
        copied = url_depth(f"http{original}")
        if copied is not None:
            return copied
    return sum(1 for element in parts.path.split("/") if element)


def depth_of(claim: Claim) -> int | None:
    """Return the depth of the claim's most specific address; `None` without any.

    Citations vouch for a claim together, and one that is specific is enough.
    """
    return max(_depths(claim.sources), default=None)


def _depths(sources: Iterable[Source]) -> Iterable[int]:
    for source in sources:
        depth = url_depth(source.url or source.archive_url or "")
        if depth is not None:
            yield depth
