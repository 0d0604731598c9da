"""What a reader of sources may be told, with the values it has otherwise.

Every cap bounds what one hostile page can cost; every delay is what we owe the
people who serve the pages. Times are in seconds, sizes in bytes. Pure.
"""

from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True)
class FetchLimits:
    """How much of anything one address may cost."""

    total_s: float = 30.0  # for the whole chain of redirects, waiting turns excluded
    connect_s: float = 10.0  # TCP and TLS, for each address of a host
    dns_s: float = 5.0
    max_addresses: int = 2  # tried for one host, of each of IPv4 and IPv6
    max_body_bytes: int = 15 * 1024 * 1024  # as it comes over the wire
    max_decoded_bytes: int = 15 * 1024 * 1024  # after decompression
    max_header_bytes: int = 32 * 1024  # of one header line
    max_redirects: int = 5
    max_robots_bytes: int = 512 * 1024
    max_service_bytes: int = 256 * 1024  # of an answer of an archive or a catalogue
    max_sources: int = 16  # fetched or waiting to be extracted at once: bounds memory

    @property
    def slot_s(self) -> float:
        """After how long whoever asks a host is taken for dead."""
        return 1.5 * self.total_s + 5.0


@dataclass(frozen=True, slots=True)
class Politeness:
    """How often and how widely hosts are asked."""

    host_delay_s: float = 1.0  # from the end of an answer to the next request
    max_crawl_delay_s: float = 10.0  # a longer one in robots.txt is cut to this
    parallel_hosts: int = 6
    throttle_s: float = 3600.0  # that a host is left in peace once it said: too often


@dataclass(frozen=True, slots=True)
class CacheLimits:
    """How long and how much is kept on disk."""

    max_age_s: float = 24 * 3600.0  # younger answers are used without asking
    negative_age_s: float = 900.0  # the same for failures
    max_bytes: int = 2 * 1024**3  # of all bodies; the oldest go first


@dataclass(frozen=True, slots=True)
class Services:
    """Addresses of the services that lead from an identifier or to a snapshot."""

    doi: str = "https://doi.org/"
    pmc: str = "https://pmc.ncbi.nlm.nih.gov/articles/"
    pmid: str = "https://pubmed.ncbi.nlm.nih.gov/"
    arxiv: str = "https://arxiv.org/abs/"
    # These know free copies; empty, they are not asked. Unpaywall wants to know who asks,
    # CORE wants a key, which no other address is sent.
    unpaywall: str = ""
    unpaywall_email: str = ""
    europe_pmc: str = ""
    core: str = ""
    core_key: str = field(default="", repr=False)
    arxiv_papers: str = ""
    wayback_available: str = "https://archive.org/wayback/available"
    # Hosts (with port, where unusual) that serve `/web/<time>/<address>`.
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
        """Return the headers by which a service knows us, for its own addresses alone."""
        if self.core and self.core_key and address.startswith(f"{self.core}/"):
            return {"Authorization": f"Bearer {self.core_key}"}
        return {}


@dataclass(frozen=True, slots=True)
class ReaderSettings:
    """All of it, and who we say that we are.

    `user_agent` names the program first and gives a contact, for instance
    `Sidenote/0.1 (https://en.wikipedia.org/wiki/User:Example; mail@example.org)`.
    The name before the slash is looked for in robots.txt.
    """

    user_agent: str
    limits: FetchLimits = field(default_factory=FetchLimits)
    politeness: Politeness = field(default_factory=Politeness)
    cache: CacheLimits = field(default_factory=CacheLimits)
    services: Services = field(default_factory=Services)
    ask_wayback: bool = True  # for a snapshot, where the citation names none
    seen_from: str = ""  # this machine's name, for the history of addresses
    remember_s: float = 3600.0  # that what was read is given again without a look

    @property
    def robots_token(self) -> str:
        """The product token that robots.txt knows us by."""
        return self.user_agent.split("/", 1)[0].split(" ", 1)[0]
