"""Settings for reading sources: how long, how much, how politely, from where."""

import json
from enum import Enum
from ipaddress import IPv4Network, IPv6Network, ip_address, ip_network
from typing import Annotated, Any, ClassVar
from urllib.parse import urlsplit

from pydantic import BaseModel, Field, SecretStr, ValidationInfo, field_validator
from pydantic_settings import NoDecode

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
    internal_addresses: Annotated[tuple[str, ...], NoDecode] = Field(
        (),
        description="Internal addresses from which sources may be read all the same, as `host:port`, separated by commas, for a wiki and its sources on your own network. Empty: none.",
    )

    denied_networks: Annotated[tuple[str, ...], NoDecode] = Field(
        (),
        description="Networks from which no source is read, besides all private ones and Wikimedia's cloud, in CIDR notation, separated by commas, such as `203.0.114.0/24`: the public addresses of your own machines. Empty: none.",
    )

    @field_validator("archive_service", "unpaywall_service", "europe_pmc_service")
    @classmethod
    def _services_are_addresses(cls, value: str, info: ValidationInfo) -> str:
        if not value and info.field_name != "archive_service":
            return value
        parts = urlsplit(value)
        is_web = parts.scheme in {"http", "https"} and parts.netloc
        if not is_web or "@" in parts.netloc:
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

    @field_validator("internal_addresses", "denied_networks", mode="before")
    @classmethod
    def _list_is_read(cls, value: Any) -> Any:
        """Accept a JSON list, or values separated by commas."""
        if not isinstance(value, str):
            return value
        if value.strip().startswith("["):
            return json.loads(value)
        return tuple(part.strip() for part in value.split(",") if part.strip())

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
