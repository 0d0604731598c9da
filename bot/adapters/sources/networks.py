"""Which network addresses are never connected to, and why. Pure.

An explicit table, because `ipaddress.is_global` of Python 3.11 calls loopback
in its IPv4-compatible form, NAT64, 6to4, site-local and multicast addresses
global. `is_global` is asked as well, so that the stricter of the two decides.
"""

from ipaddress import (
    IPv4Address,
    IPv4Network,
    IPv6Address,
    IPv6Network,
    ip_address,
    ip_network,
)

Address = IPv4Address | IPv6Address
Network = IPv4Network | IPv6Network

_DENIED: tuple[tuple[str, tuple[str, ...]], ...] = (
    ("this network", ("0.0.0.0/8",)),
    ("loopback", ("127.0.0.0/8", "::1/128")),
    ("private network", ("10.0.0.0/8", "172.16.0.0/12", "192.168.0.0/16", "fc00::/7")),
    ("carrier-grade NAT", ("100.64.0.0/10",)),
    ("link-local or metadata service", ("169.254.0.0/16", "fe80::/10")),
    # Azure answers its metadata and DNS on an address that looks public.
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
    # Toolforge and Cloud VPS: from inside, their public addresses lead to what is
    # closed to the web. As in Wikimedia's own network data, for both data centres.
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
    """Return the address that `text` writes in its one usual form, else `None`.

    Zone identifiers, octal, hexadecimal and shortened forms are not read.
    """
    if "%" in text:
        return None
    try:
        return ip_address(text)
    except ValueError:
        return None


def why_denied(address: Address, table: tuple[tuple[str, Network], ...]) -> str | None:
    """Return why `address` must not be reached, or `None` where it may be.

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
