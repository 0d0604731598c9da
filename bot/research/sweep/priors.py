"""What speaks against a citation at sight, without its source being read.

Where no source is at hand, claims are still put into an order: marks that people
left come first, then citations that lead nowhere or to sites that the wiki itself
regards as unfit, then SIDE's baseline, by which a shallow address is likelier to fail
(`handlers.citations.url_depth`). Only that baseline was ever measured; the order of
the signs is judgement, and none of it is a probability.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from enum import Enum

from handlers.citations.better.reliability import ReliabilityLists
from handlers.citations.url_depth import depth_of
from handlers.model import Claim, Source, TagKind, Trust

_NO_ADDRESS = 1000  # deeper than any: a book is not the shallow address of the baseline
_UNFIT = frozenset({Trust.BLACKLISTED, Trust.DEPRECATED, Trust.MIRROR})
_POOR = _UNFIT | {Trust.UNRELIABLE, Trust.SELF_PUBLISHED, Trust.PREDATORY}
_DOUBTED = frozenset({TagKind.FAILED_VERIFICATION, TagKind.DUBIOUS})


class Sign(Enum):
    """What is seen, the most telling first."""

    TAGGED = "tagged as failing verification or dubious"
    NOWHERE = "leads nowhere"
    UNFIT = "deprecated, blacklisted or a copy of a wiki"
    POOR = "unreliable or self-published, or tagged so"
    DEAD = "dead link without an archived copy"
    FRONT_PAGE = "front page of a site"
    NONE = "nothing"


_ORDER = {sign: place for place, sign in enumerate(Sign)}


@dataclass(frozen=True, slots=True)
class Sight:
    """The most telling sign of a claim's citations and the depth of their address."""

    sign: Sign
    url_depth: int | None

    @property
    def order(self) -> int:
        """Return where the claim stands among others; the least comes first."""
        depth = _NO_ADDRESS if self.url_depth is None else self.url_depth
        return _ORDER[self.sign] * (_NO_ADDRESS + 1) + min(depth, _NO_ADDRESS)


def seen(claim: Claim, wiki: str, lists: ReliabilityLists) -> Sight:
    """Return what speaks against the citations of `claim` at sight."""
    depth = depth_of(claim)
    return Sight(next(_signs(claim, depth, wiki, lists), Sign.NONE), depth)


def _signs(
    claim: Claim, depth: int | None, wiki: str, lists: ReliabilityLists
) -> Iterator[Sign]:
    """Yield what is seen, the most telling first; what comes later costs more."""
    tags = {tag.kind for tag in claim.tags} if claim.tags else frozenset()
    sources = claim.sources
    if tags & _DOUBTED:
        yield Sign.TAGGED
    if not sources:
        yield Sign.NOWHERE
    trust = {_trust(source, wiki, lists) for source in sources}
    if trust <= _UNFIT:
        yield Sign.UNFIT
    if TagKind.BETTER_SOURCE_NEEDED in tags or trust <= _POOR:
        yield Sign.POOR
    if TagKind.DEAD_LINK in tags and not any(one.archive_url for one in sources):
        yield Sign.DEAD
    if depth == 0 and not any(_asks(source) for source in sources):
        yield Sign.FRONT_PAGE


def _asks(source: Source) -> bool:
    """Tell whether an address names its page after a "?", as "/?id=7" does."""
    return "?" in (source.url or source.archive_url or "").rstrip("?")


def _trust(source: Source, wiki: str, lists: ReliabilityLists) -> Trust:
    """Return how the wiki regards a source; one without an address is on no list."""
    address = source.url or source.archive_url
    return lists.of(address, wiki).trust if address else Trust.UNLISTED
