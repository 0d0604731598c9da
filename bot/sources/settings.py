"""The settings of a reader of sources, with their defaults.

Every limit bounds what one hostile page can cost; every delay is a courtesy to the
people who serve the pages. Times are in seconds, sizes in bytes. Pure.
"""

from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True)
class FetchLimits:
    """How much one address may cost."""

    total_s: float = 30.0  # for the whole chain of redirects, waiting turns excluded
    connect_s: float = 10.0  # TCP and TLS, for each address of a host
    dns_s: float = 5.0
    max_addresses: int = 2  # tried for one host, of each of IPv4 and IPv6
    max_body_bytes: int = 15 * 1024 * 1024  # as transferred
    max_decoded_bytes: int = 15 * 1024 * 1024  # after decompression
    max_header_bytes: int = 32 * 1024  # of one header line
    max_redirects: int = 5
    max_robots_bytes: int = 512 * 1024
    max_service_bytes: int = 256 * 1024  # of an answer of an archive or a catalogue
    max_sources: int = 16  # fetched or waiting to be extracted at once: bounds memory

    @property
    def slot_s(self) -> float:
        """After how long a process with a turn at a host counts as dead."""
        return 1.5 * self.total_s + 5.0


@dataclass(frozen=True, slots=True)
class Politeness:
    """How often and how widely hosts are asked."""

    host_delay_s: float = 1.0  # from the end of an answer to the next request
    max_crawl_delay_s: float = 10.0  # a longer one in robots.txt is cut to this
    parallel_hosts: int = 6
    throttle_s: float = 3600.0  # after "too many requests"


@dataclass(frozen=True, slots=True)
class CacheLimits:
    """How long and how much is kept on disk."""

    max_age_s: float = 24 * 3600.0  # younger answers are reused without a request
    negative_age_s: float = 900.0  # the same for failures
    max_bytes: int = 2 * 1024**3  # of all bodies; the oldest are removed first


@dataclass(frozen=True, slots=True)
class Services:
    """Addresses of the services that resolve identifiers or find snapshots."""

    doi: str = "https://doi.org/"
    pmc: str = "https://pmc.ncbi.nlm.nih.gov/articles/"
    pmid: str = "https://pubmed.ncbi.nlm.nih.gov/"
    arxiv: str = "https://arxiv.org/abs/"
    # These know free copies; if empty, they are not used. Unpaywall wants to know who
    # asks; CORE wants a key, which is sent to no other address.
    unpaywall: str = ""
    unpaywall_email: str = ""
    europe_pmc: str = ""
    core: str = ""
    core_key: str = field(default="", repr=False)
    arxiv_papers: str = ""
    wayback_available: str = "https://archive.org/wayback/available"
    # Hosts (with port, if not the default) that serve `/web/<time>/<address>`.
    wayback_hosts: frozenset[str] = frozenset(
        {
            "web.archive.org",
            "www.web.archive.org",
            "wayback.archive.org",
            "archive.org",
            "www.archive.org",
        }
    )

    def credentials(self, address: str) -> dict[str, str]:
        """Return the headers that identify us to a service, for its addresses only."""
        if self.core and self.core_key and address.startswith(f"{self.core}/"):
            return {"Authorization": f"Bearer {self.core_key}"}
        return {}


@dataclass(frozen=True, slots=True)
class ReaderSettings:
    """All settings, and how we identify ourselves.

    `user_agent` names the program first and gives a contact, for instance
    `Sidenote/0.1 (https://en.wikipedia.org/wiki/User:Example; mail@example.org)`.
    The name before the slash is looked for in robots.txt.
    """

    user_agent: str
    limits: FetchLimits = field(default_factory=FetchLimits)
    politeness: Politeness = field(default_factory=Politeness)
    cache: CacheLimits = field(default_factory=CacheLimits)
    services: Services = field(default_factory=Services)
    ask_wayback: bool = True  # for a snapshot, if the citation gives no date
    seen_from: str = ""  # this machine's name, for the history of addresses
    remember_s: float = 3600.0  # that a result is reused without checking

    @property
    def robots_token(self) -> str:
        """The product token that robots.txt knows us by."""
        return self.user_agent.split("/", 1)[0].split(" ", 1)[0]
