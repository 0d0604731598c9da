"""How much is measured: all of it, or so little that a test can make the page."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Sizes:
    """What each part takes as its input, and how often. Zero leaves a part out."""

    rounds: int
    events: int
    articles: int  # of those that ship
    real_articles: int  # where the shared data are there
    parsings: int
    pairs: int
    page_kib: tuple[int, ...]
    peer_page_kib: int  # mwparserfromhell is not asked beyond it
    citations: tuple[int, ...]
    network_citations: int  # at most
    watched: tuple[int, ...]
    roles: tuple[str, ...]
    has_network: bool = True


FULL = Sizes(
    rounds=3,
    events=100_000,
    articles=4,
    real_articles=216,
    parsings=3,
    pairs=40,
    page_kib=(1, 4, 16, 64, 256, 1024, 2048),
    peer_page_kib=2048,
    citations=(1, 10, 50, 200, 800, 2000),
    network_citations=200,
    watched=(10, 100, 1_000, 10_000, 100_000),
    roles=("intake", "work", "publish", "serve", "daemon"),
)
TINY = Sizes(
    rounds=1,
    events=0,
    articles=1,
    real_articles=0,
    parsings=1,
    pairs=0,
    page_kib=(1, 4),
    peer_page_kib=4,
    citations=(1, 3),
    network_citations=0,
    watched=(),
    roles=(),
    has_network=False,
)
