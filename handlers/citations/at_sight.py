"""What speaks against a citation at sight, without its source being read.

Where no source is at hand, claims are still put into an order: marks that people
left come first, then citations that lead nowhere or to sites that the wiki itself
regards as unfit, then SIDE's baseline, by which a shallow address is likelier to fail
(`handlers.citations.url_depth`). Only that baseline was ever measured; the order of
the signs is judgement, and none of it is a probability. Pure.
"""

from dataclasses import dataclass
from enum import Enum

from handlers.citations.better.reliability import ReliabilityLists
from handlers.citations.url_depth import depth_of
from handlers.model import Claim, Source, TagKind, Trust

_NO_ADDRESS = 1000  # deeper than any: a book is not the shallow address of the baseline
_UNFIT = frozenset({Trust.BLACKLISTED, Trust.DEPRECATED, Trust.MIRROR})
_POOR = frozenset({Trust.UNRELIABLE, Trust.SELF_PUBLISHED, Trust.PREDATORY})


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
    return Sight(_sign(claim, depth, _regarded(claim, wiki, lists)), depth)


def _sign(claim: Claim, depth: int | None, trust: frozenset[Trust]) -> Sign:
    tags = {tag.kind for tag in claim.tags}
    signs = {
        Sign.TAGGED: bool(tags & {TagKind.FAILED_VERIFICATION, TagKind.DUBIOUS}),
        Sign.NOWHERE: not claim.sources,
        Sign.UNFIT: bool(trust) and trust <= _UNFIT,
        Sign.POOR: TagKind.BETTER_SOURCE_NEEDED in tags
        or (bool(trust) and trust <= _UNFIT | _POOR),
        Sign.DEAD: TagKind.DEAD_LINK in tags and not any(map(_is_kept, claim.sources)),
        Sign.FRONT_PAGE: depth == 0,
    }
    return next((sign for sign, is_there in signs.items() if is_there), Sign.NONE)


def _regarded(claim: Claim, wiki: str, lists: ReliabilityLists) -> frozenset[Trust]:
    """Return how the wiki regards the sites; of a source without one, as unlisted."""
    return frozenset(
        lists.of(address, wiki).trust if address else Trust.UNLISTED
        for address in (source.url or source.archive_url for source in claim.sources)
    )


def _is_kept(source: Source) -> bool:
    return source.archive_url is not None
