"""The wall between cited addresses, which anyone can write, and our own networks.

It is consulted twice. `check_url` rejects what should never be requested, before
anything is looked up. `check_address` is called again at connect time, for the address
that the socket is about to reach, because a name may resolve to one address when it is
checked and to another when it is used.
"""

import errno
import re
from dataclasses import dataclass
from functools import cached_property
from ipaddress import (
    IPv4Address,
    IPv4Network,
    IPv6Address,
    IPv6Network,
    ip_address,
    ip_network,
)
from urllib.parse import SplitResult, quote, urlsplit

import idna

Address = IPv4Address | IPv6Address
Network = IPv4Network | IPv6Network

# An explicit table, because `ipaddress.is_global` of Python 3.11 calls loopback in its
# IPv4-compatible form, NAT64, 6to4, site-local and multicast addresses global.
# `is_global` is asked as well, so that the stricter of the two decides.
_DENIED: tuple[tuple[str, tuple[str, ...]], ...] = (
    ("this network", ("0.0.0.0/8",)),
    ("loopback", ("127.0.0.0/8", "::1/128")),
    ("private network", ("10.0.0.0/8", "172.16.0.0/12", "192.168.0.0/16", "fc00::/7")),
    ("carrier-grade NAT", ("100.64.0.0/10",)),
    ("link-local or metadata service", ("169.254.0.0/16", "fe80::/10")),
    # Azure serves its metadata and DNS on an address that looks public.
    ("metadata service", ("168.63.129.16/32",)),
    ("protocol assignments", ("192.0.0.0/24", "2001::/23")),
    (
        "documentation",
        ("192.0.2.0/24", "198.51.100.0/24", "203.0.113.0/24", "2001:db8::/32", "3fff::/20"),
    ),
    ("benchmarking", ("198.18.0.0/15",)),
    ("6to4", ("192.88.99.0/24", "2002::/16")),
    ("multicast", ("224.0.0.0/4", "ff00::/8")),
    ("reserved", ("240.0.0.0/4",)),
    ("IPv4 inside IPv6", ("::/96", "::ffff:0:0:0/96")),
    ("NAT64", ("64:ff9b::/96", "64:ff9b:1::/48")),
    ("discard", ("100::/64", "100:0:0:1::/64")),
    ("segment routing", ("5f00::/16",)),
    ("site-local", ("fec0::/10",)),
    # Toolforge and Cloud VPS: from inside, their public addresses lead to services
    # closed to the web. Taken from Wikimedia's own network data, for both data centres.
    ("Wikimedia's cloud", ("185.15.56.0/23", "2a02:ec80:a000::/39")),
)  # fmt: skip

# The interface half of an ISATAP address is 0000:5efe (or 0200:5efe) and an
# IPv4 address; the universal bit is masked out before comparing.
_ISATAP_MASK = 0xFDFFFFFF
_ISATAP = 0x00005EFE


def denied_networks() -> tuple[tuple[str, Network], ...]:
    """Return every network of the table with its reason."""
    return tuple(
        (reason, ip_network(network))
        for reason, networks in _DENIED
        for network in networks
    )


def read_address(text: str) -> Address | None:
    """Return the address if `text` is in its canonical form, else `None`.

    Zone identifiers, octal, hexadecimal and shortened forms are not read.
    """
    if "%" in text:
        return None
    try:
        return ip_address(text)
    except ValueError:
        return None


def why_denied(address: Address, table: tuple[tuple[str, Network], ...]) -> str | None:
    """Return why `address` must not be reached, or `None` if it may be.

    An IPv4-mapped address is judged as the IPv4 address that the operating
    system would connect to.
    """
    if isinstance(address, IPv6Address) and address.ipv4_mapped is not None:
        return why_denied(address.ipv4_mapped, table)
    for reason, network in table:
        if address.version == network.version and address in network:
            return reason
    if isinstance(address, IPv6Address) and _is_isatap(address):
        return "ISATAP tunnel"
    return None if address.is_global else "not a public address"


def _is_isatap(address: IPv6Address) -> bool:
    return (int(address) >> 32) & _ISATAP_MASK == _ISATAP


MAX_URL_CHARS = 8000
WEB_PORTS = frozenset({80, 443})

# Names that lead to internal hosts where the bot runs, or that no public host may have.
INTERNAL_DOMAINS = frozenset(
    {
        "corp", "home", "home.arpa", "internal", "intranet", "lan", "local",
        "localdomain", "localhost", "onion", "private", "wmflabs", "wmnet",
    }
)  # fmt: skip
# Our own platform: a cited address must not make us call ourselves or our peers.
PLATFORM_DOMAINS = frozenset(
    {"toolforge.org", "wmcloud.org", "wikimedia.cloud", "tools.wmflabs.org"}
)

_DEFAULT_PORTS = {"http": 80, "https": 443}
_LABEL = re.compile(r"[a-z0-9_](?:[a-z0-9_-]{0,61}[a-z0-9_])?", re.ASCII)
_NUMBER_LIKE = re.compile(r"[0-9]+|0x[0-9a-f]*", re.ASCII)
_UNWANTED = re.compile(r"[\x00-\x20\x7f-\x9f\\\u2028\u2029]")
# Python takes the brackets as the host, whatever is before and after them.
_BRACKETS = re.compile(r"[^\[\]]*|\[[^\[\]]*\](?::[0-9]*)?")
_ENCODED_LINE_BREAK = re.compile(r"%0[ad]", re.IGNORECASE)
_MAX_HOST_CHARS = 253
# All characters that may appear in a URL as they are; the rest is percent-encoded, and
# percent signs stay, so that signed addresses arrive as they were written.
_URL_CHARACTERS = ":/?#[]@!$&'()*+,;=%~-._"


class ForbiddenAddressError(OSError):
    """The address must not be reached; the message is one plain clause.

    An `OSError`, because an HTTP library passes that on unchanged from its resolver and
    its sockets.
    """

    def __init__(self, reason: str) -> None:
        super().__init__(errno.EACCES, reason)
        self.reason = reason


@dataclass(frozen=True, slots=True)
class CheckedUrl:
    """An address that passed the wall, in the one form that is sent.

    `text` is ASCII without fragment; `host` is lower-case, punycode or a literal
    (IPv6 without brackets), without a trailing dot.
    """

    text: str
    scheme: str
    host: str
    port: int

    @property
    def origin(self) -> str:
        """Scheme, host and port, the key for a robots.txt."""
        return f"{self.scheme}://{_bracketed(self.host)}:{self.port}"


@dataclass(frozen=True)
class AddressWall:
    """What may be requested and connected to.

    Args:
        allowed: (IP address, port) pairs that are exempt, for servers on loopback in
            tests and demonstrations. Their ports are allowed.
        ports: every other port is refused.
        domains: hosts that are refused together with their subdomains.
        hosts: hosts that are refused without their subdomains.
        networks: networks that are refused in addition to the built-in table.
    """

    allowed: frozenset[tuple[str, int]] = frozenset()
    ports: frozenset[int] = WEB_PORTS
    domains: frozenset[str] = INTERNAL_DOMAINS | PLATFORM_DOMAINS
    hosts: frozenset[str] = frozenset()
    networks: tuple[Network, ...] = ()

    @cached_property
    def _table(self) -> tuple[tuple[str, Network], ...]:
        own = tuple(("named in the settings", network) for network in self.networks)
        return own + denied_networks()

    def check_url(self, text: str) -> CheckedUrl:
        """Return the address in the form to be sent.

        Raises:
            ForbiddenAddressError: it is malformed, not a web address, or internal.
        """
        try:
            parts = _split(text.strip(" "))
            port = parts.port
        except ValueError:
            raise ForbiddenAddressError("the address is malformed") from None
        host = _plain_host(parts)
        port = _DEFAULT_PORTS[parts.scheme] if port is None else port
        self._check_host(host, port)
        return CheckedUrl(_written(parts, host, port), parts.scheme, host, port)

    def check_address(self, address: str, port: int) -> None:
        """Refuse an IP address that must not be connected to.

        Raises:
            ForbiddenAddressError: it is internal, or not an address at all.
        """
        if (address, port) in self.allowed:
            return
        parsed = read_address(address)
        if parsed is None:
            raise ForbiddenAddressError("the host has no usable address")
        if reason := why_denied(parsed, self._table):
            raise ForbiddenAddressError(
                f"the host leads to an internal address ({reason})"
            )

    def _check_host(self, host: str, port: int) -> None:
        if port not in self.ports and port not in {
            exempt for _, exempt in self.allowed
        }:
            raise ForbiddenAddressError(f"port {port} is not a port for web pages")
        if read_address(host) is not None:
            self.check_address(host, port)
            return
        labels = host.split(".")
        _check_labels(host, labels)
        if host in self.hosts or self._is_internal(labels):
            raise ForbiddenAddressError("the host is internal, or our own")

    def _is_internal(self, labels: list[str]) -> bool:
        ends = {".".join(labels[start:]) for start in range(len(labels))}
        # `svc` behind a name is a service inside a cluster, whatever follows.
        return bool(ends & self.domains) or "svc" in labels[1:]


def _split(text: str) -> SplitResult:
    if len(text) > MAX_URL_CHARS:
        raise ForbiddenAddressError("the address is too long")
    if _UNWANTED.search(text) or _ENCODED_LINE_BREAK.search(text):
        raise ForbiddenAddressError("the address has characters that are not allowed")
    parts = urlsplit(text)
    if parts.scheme not in _DEFAULT_PORTS:
        raise ForbiddenAddressError("the address does not begin with http or https")
    if not _BRACKETS.fullmatch(parts.netloc):
        raise ForbiddenAddressError("the host name is malformed")
    if "@" in parts.netloc:
        raise ForbiddenAddressError("the address contains a user name")
    return parts


def _plain_host(parts: SplitResult) -> str:
    host = (parts.hostname or "").removesuffix(".")
    if not host:
        raise ForbiddenAddressError("the address has no host")
    if ":" in host:
        return _plain_ipv6(host)
    if host.isascii():
        return host.lower()
    try:
        return idna.encode(host, uts46=True).decode("ascii").removesuffix(".")
    except UnicodeError:
        raise ForbiddenAddressError("the host name is malformed") from None


def _plain_ipv6(host: str) -> str:
    address = read_address(host)
    if address is None:
        raise ForbiddenAddressError("the host name is malformed")
    return address.compressed


def _check_labels(host: str, labels: list[str]) -> None:
    if len(host) > _MAX_HOST_CHARS or not all(map(_LABEL.fullmatch, labels)):
        raise ForbiddenAddressError("the host name is malformed")
    if len(labels) == 1:
        raise ForbiddenAddressError("a host without a dot is not on the web")
    # Some resolver takes any name that ends in a number for an IPv4 address.
    if _NUMBER_LIKE.fullmatch(labels[-1]):
        raise ForbiddenAddressError("the host is an address in an unusual form")
    if any(not _is_punycode(label) for label in labels if label.startswith("xn--")):
        raise ForbiddenAddressError("the host name is malformed")


def _is_punycode(label: str) -> bool:
    try:
        return bool(label.removeprefix("xn--").encode("ascii").decode("punycode"))
    except UnicodeError:
        return False


def _written(parts: SplitResult, host: str, port: int) -> str:
    usual = _DEFAULT_PORTS[parts.scheme] == port
    netloc = _bracketed(host) + ("" if usual else f":{port}")
    bare = parts._replace(netloc=netloc, path=parts.path or "/", fragment="")
    try:
        # In headers, bytes that are not UTF-8 arrive as surrogates.
        return quote(bare.geturl(), safe=_URL_CHARACTERS, errors="surrogateescape")
    except UnicodeError:
        raise ForbiddenAddressError("the address is malformed") from None


def _bracketed(host: str) -> str:
    return f"[{host}]" if ":" in host else host
