"""Settings for sources: how they are read, and which searches are asked for more."""

import re
from collections.abc import Iterable, Mapping
from enum import Enum
from ipaddress import IPv4Network, IPv6Network, ip_address, ip_network
from types import MappingProxyType
from typing import ClassVar, Self
from urllib.parse import urlsplit

from pydantic import (
    BaseModel,
    Field,
    SecretStr,
    ValidationInfo,
    field_validator,
    model_validator,
)

from bot.settings.values import Key, Names, is_bare, is_private, is_web_address

_MAX_PORT = 65535


class SourcesRead(Enum):
    """Who reads sources."""

    HERE = "here"  # the process that needs them
    ELSEWHERE = "elsewhere"  # processes of the role `read`


class SourceSettings(BaseModel):
    """How the sources of a page are fetched, kept and turned into text."""

    sources_read: SourcesRead = Field(
        SourcesRead.HERE,
        description="`here` (each process reads the sources it needs) or `elsewhere` (processes started with `sidenote read` do; they share the database and can run on other machines).",
    )
    # How long to wait for a source that another process reads.
    source_wait_s: ClassVar[float] = 900.0
    source_timeout_s: float = Field(
        30.0, gt=0, le=300, description="Time limit for reading one source."
    )
    # The largest source that is read, both as sent and decompressed.
    source_max_bytes: ClassVar[int] = 20_000_000
    # How many redirects are followed.
    source_redirects: ClassVar[int] = 5
    # How many hosts are requested at the same time.
    hosts_at_once: ClassVar[int] = 8
    host_delay_s: float = Field(
        2.0,
        ge=0,
        le=120,
        description="Pause between two requests to the same site; robots.txt can lengthen it.",
    )
    cache_max_age_h: float = Field(
        24.0,
        ge=0,
        description="Age up to which a cached source is used without asking its site again.",
    )
    cache_max_bytes: int = Field(
        1_000_000_000,
        ge=1_000_000,
        description="Size of the cache of sources; the oldest are deleted first.",
    )
    archive_service: str = Field(
        "https://archive.org/wayback/available",
        description="URL of the Wayback availability service, which finds archived copies of dead pages.",
    )
    unpaywall_service: str = Field(
        "https://api.unpaywall.org/v2",
        description="URL of Unpaywall, which finds open-access copies of papers by DOI. Only used if `contact` is an e-mail address. Empty: not used.",
    )
    europe_pmc_service: str = Field(
        "https://www.ebi.ac.uk/europepmc/webservices/rest",
        description="URL of Europe PMC, which finds open-access copies by PMID, PMC number or DOI. Empty: not used.",
    )
    core_key: SecretStr = Field(
        SecretStr(""),
        description="Key for CORE, which knows open-access copies of papers by their DOI. Empty: it is not asked.",
    )
    save_page_keys: SecretStr = Field(
        SecretStr(""),
        description="Access key and secret key of an archive.org account, with a colon between. With them the Wayback Machine (Save Page Now) is asked to keep a copy of cited pages that could be read, unless it has one of the last year; at most 500 a day. Empty: none is asked for.",
    )
    # How long turning one source into text may take before it is stopped.
    extraction_timeout_s: ClassVar[float] = 10.0
    # Memory that each of the two processes that turn sources into text may use.
    extraction_max_bytes: ClassVar[int] = 280_000_000
    internal_addresses: Names = Field(
        (),
        description="Internal addresses from which sources may be read all the same, as `host:port`, separated by commas, for a wiki and its sources on your own network. Empty: none.",
    )

    denied_networks: Names = Field(
        (),
        description="Networks from which no source is read, besides all private ones and Wikimedia's cloud, in CIDR notation, separated by commas, such as `203.0.114.0/24`: the public addresses of your own machines. Empty: none.",
    )

    @field_validator("archive_service", "unpaywall_service", "europe_pmc_service")
    @classmethod
    def _services_are_addresses(cls, value: str, info: ValidationInfo) -> str:
        if not value and info.field_name != "archive_service":
            return value
        if not is_web_address(value) or "@" in urlsplit(value).netloc:
            raise ValueError("give an http(s) address, without a name or password")
        return value

    @field_validator("save_page_keys")
    @classmethod
    def _keys_are_two(cls, value: SecretStr) -> SecretStr:
        key, colon, secret = value.get_secret_value().partition(":")
        if value.get_secret_value() and not (key and colon and secret):
            raise ValueError("give the access key, a colon, and the secret key")
        return value

    @field_validator("internal_addresses")
    @classmethod
    def _addresses_have_ports(cls, value: tuple[str, ...]) -> tuple[str, ...]:
        for address in value:
            _host_and_port(address)
        return value

    @field_validator("denied_networks")
    @classmethod
    def _networks_are_some(cls, value: tuple[str, ...]) -> tuple[str, ...]:
        for network in value:
            _network(network)
        return value

    @property
    def exempt_addresses(self) -> frozenset[tuple[str, int]]:
        """`internal_addresses` as pairs of address and port."""
        return frozenset(_host_and_port(address) for address in self.internal_addresses)

    @property
    def closed_networks(self) -> tuple[IPv4Network | IPv6Network, ...]:
        """`denied_networks` as networks."""
        return tuple(_network(each) for each in self.denied_networks)


def _network(written: str) -> IPv4Network | IPv6Network:
    try:
        return ip_network(written)
    except ValueError as error:
        raise ValueError(
            f"{written!r} is not a network, such as 203.0.114.0/24: its first address,"
            " and how many leading bits all its addresses share"
        ) from error


def _host_and_port(address: str) -> tuple[str, int]:
    host, _, port = address.rpartition(":")
    host = host.strip("[]")
    try:
        ip_address(host)
        if not 0 < int(port) <= _MAX_PORT:
            raise ValueError
    except ValueError as error:
        raise ValueError(
            f"{address!r} is not an IP address with a port, such as 127.0.0.1:8080"
        ) from error
    return host, int(port)


class SearchName(Enum):
    """A service that can be searched for newer facts."""

    GDELT = "gdelt"
    SEARXNG = "searxng"
    BRAVE = "brave"
    SERPER = "serper"
    GOOGLE = "google"
    CROSSREF = "crossref"
    OPENALEX = "openalex"
    FEEDS = "feeds"
    WIKIDATA = "wikidata"
    SISTERS = "sisters"


SearchOrder = tuple[tuple[SearchName, ...], ...]
"""The services asked each time; in a group, later ones only if earlier ones find nothing."""

_ADDRESSES: Mapping[SearchName, str] = MappingProxyType(
    {
        SearchName.GDELT: "https://api.gdeltproject.org/api/v2/doc/doc",
        SearchName.BRAVE: "https://api.search.brave.com/res/v1/web/search",
        SearchName.SERPER: "https://google.serper.dev/search",
        SearchName.GOOGLE: "https://www.googleapis.com/customsearch/v1",
        SearchName.CROSSREF: "https://api.crossref.org/works",
        SearchName.OPENALEX: "https://api.openalex.org/works",
        SearchName.WIKIDATA: "https://www.wikidata.org",
    }
)
# Requests a day that each free plan allows, as of 2026.
_QUOTAS: Mapping[SearchName, int] = MappingProxyType(
    {
        SearchName.BRAVE: 60,
        SearchName.SERPER: 80,
        SearchName.GOOGLE: 100,
        SearchName.OPENALEX: 900,
    }
)

_NUMBER = re.compile(r"[0-9]{1,9}")
_LANGUAGE = re.compile(r"[a-z][a-z0-9-]{1,19}")


class SearchingSettings(BaseModel):
    """Where to search for newer facts and better sources.

    A service without its key or address is left out.
    """

    searches: str = Field(
        "gdelt>searxng>brave>serper>google, wikidata, sisters, feeds",
        max_length=300,
        description="What is searched for newer facts and for better sources: `gdelt`, `searxng`, `brave`, `serper`, `google`, `crossref`, `openalex`, `wikidata`, `sisters` (the article in other languages), `feeds`; `wikidata` and `sisters` only for newer facts. Services separated by commas are all asked; one after `>` is asked if those before it fail or find nothing. Services without the key or address they need are skipped.",
    )
    search_addresses: Names = Field(
        (),
        description="Addresses of search services, as `searxng=https://searx.example.org/search` separated by commas. Only SearXNG has none of its own.",
    )
    search_quotas: Names = Field(
        (),
        description="Requests to a search service per day (UTC), as `brave=500`, separated by commas; 0: no limit. Defaults: brave 60, serper 80, google 100, openalex 900, the others without limit.",
    )
    search_feeds: Names = Field(
        (),
        max_length=100,
        description="URLs of RSS and Atom feeds for `feeds`, separated by commas: the newest pages of sites that your wiki trusts.",
    )
    sister_languages: Names = Field(
        ("en", "de", "fr", "es", "it", "pt", "nl", "pl"),
        max_length=40,
        description="Language codes for `sisters`, as in interlanguage links, separated by commas.",
    )
    # How long one answer of a search may take.
    search_timeout_s: ClassVar[float] = 20.0
    brave_key: Key = Field(SecretStr(""), description="Key for Brave's search service.")
    serper_key: Key = Field(SecretStr(""), description="Key for Serper.")
    google_key: Key = Field(
        SecretStr(""), description="Key for Google's Programmable Search."
    )
    google_engine: str = Field(
        "",
        pattern=r"^[0-9A-Za-z:_-]{0,100}$",
        description="Id (`cx`) of the Programmable Search engine.",
    )
    openalex_key: Key = Field(
        SecretStr(""),
        description="Key for OpenAlex; without one it allows very little.",
    )

    @field_validator("searches")
    @classmethod
    def _searches_are_known(cls, value: str) -> str:
        order_of(value)
        return value

    @field_validator("search_feeds")
    @classmethod
    def _feeds_are_addresses(cls, value: tuple[str, ...]) -> tuple[str, ...]:
        for address in value:
            has_user = "@" in urlsplit(address).netloc
            if not is_web_address(address) or has_user or not address.isprintable():
                raise ValueError("give http(s) addresses without a password in them")
        return value

    @field_validator("sister_languages")
    @classmethod
    def _languages_are_codes(cls, value: tuple[str, ...]) -> tuple[str, ...]:
        if not all(map(_LANGUAGE.fullmatch, value)):
            raise ValueError("give codes such as de, or zh-min-nan")
        return value

    @field_validator("search_addresses")
    @classmethod
    def _addresses_are_addresses(cls, value: tuple[str, ...]) -> tuple[str, ...]:
        for address in _pairs(value).values():
            if not is_web_address(address):
                raise ValueError("give http(s) addresses")
            if not is_bare(address):
                raise ValueError("give bare addresses, without a password or a query")
        return value

    @field_validator("search_quotas")
    @classmethod
    def _quotas_are_numbers(cls, value: tuple[str, ...]) -> tuple[str, ...]:
        if not all(map(_NUMBER.fullmatch, _pairs(value).values())):
            raise ValueError("write pairs such as brave=500")
        return value

    @model_validator(mode="after")
    def _search_keys_are_safe(self) -> Self:
        for name in SearchName:
            address = self.search_address(name)
            if self.search_key(name) and not is_private(address):
                raise ValueError(
                    "SIDENOTE_SEARCH_ADDRESSES: a key is not sent in the open; give"
                    f" {name.value} an https address (http only to this machine or a"
                    " private IP address)"
                )
        return self

    @property
    def search_order(self) -> SearchOrder:
        """`searches`, parsed."""
        return order_of(self.searches)

    def search_address(self, name: SearchName) -> str:
        """Return a service's address, "" if it is not known."""
        return _pairs(self.search_addresses).get(name, _ADDRESSES.get(name, ""))

    def search_quota(self, name: SearchName) -> int | None:
        """Return how many requests a day a service may get, `None` without a limit."""
        given = _pairs(self.search_quotas).get(name)
        return (int(given) if given is not None else _QUOTAS.get(name, 0)) or None

    def search_key(self, name: SearchName) -> str:
        """Return the key for a service, "" if none is set."""
        keys = {
            SearchName.BRAVE: self.brave_key,
            SearchName.SERPER: self.serper_key,
            SearchName.GOOGLE: self.google_key,
            SearchName.OPENALEX: self.openalex_key,
        }
        return keys[name].get_secret_value() if name in keys else ""


class OpenSearchSettings(BaseModel):
    """Where the cluster is; without an address there is none."""

    opensearch_address: str = Field(
        "",
        description="Address of an OpenSearch cluster for `sidenote index --opensearch`, such as `https://search.example.org:9200`. Empty: none.",
    )
    opensearch_index: str = Field(
        "sidenote",
        pattern=r"^[a-z0-9][a-z0-9_-]{0,200}$",
        description="Name of the index there, in lower case.",
    )
    opensearch_user: str = Field(
        "", description="User name for OpenSearch; empty if it needs none."
    )
    opensearch_password: SecretStr = Field(SecretStr(""), description="Its password.")
    # How long one answer of OpenSearch may take.
    opensearch_timeout_s: ClassVar[float] = 30.0

    @field_validator("opensearch_address")
    @classmethod
    def _opensearch_is_an_address(cls, value: str) -> str:
        if value and not is_web_address(value):
            raise ValueError("give an http(s) address")
        if not is_bare(value):
            raise ValueError(
                "give the bare address; name and password go into opensearch_user and"
                " SIDENOTE_OPENSEARCH_PASSWORD"
            )
        return value


def order_of(text: str) -> SearchOrder:
    """Return the order written in `text`, such as `gdelt>brave, wikidata`.

    Raises:
        ValueError: a name is unknown, missing or given twice.
    """
    parts = [part for part in text.split(",") if part.strip()]
    order = tuple(tuple(_named(one) for one in part.split(">")) for part in parts)
    names = [name for group in order for name in group]
    if len(names) != len(set(names)):
        raise ValueError("name each search once")
    return order


def _named(text: str) -> SearchName:
    try:
        return SearchName(text.strip().lower())
    except ValueError:
        known = ", ".join(name.value for name in SearchName)
        raise ValueError(f"there is no search {text.strip()!r}; name {known}") from None


def _pairs(listed: Iterable[str]) -> dict[SearchName, str]:
    pairs = {}
    for each in listed:
        name, sign, rest = each.partition("=")
        if not sign or not rest:
            raise ValueError(
                "write pairs such as searxng=https://searx.example.org/search"
            )
        pairs[_named(name)] = rest
    return pairs
