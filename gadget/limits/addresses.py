"""Whose address a request comes from, as far as that can be told."""

from ipaddress import IPv4Address, IPv6Address, ip_address, ip_network

_NETWORK_BITS = 64  # what one household has of IPv6
_LONGEST = 64


def asker_of(remote: str | None, forwarded: list[str], *, trusts_proxy: bool) -> str:
    """Return what stands for whoever asks: an address, or a network of IPv6.

    Args:
        remote: the other end of the connection; None if it is not known.
        forwarded: all values of X-Forwarded-For, in their order.
        trusts_proxy: whether the other end is a proxy of ours. Then the last hop counts,
            which is the one that it saw itself; what stands before it anyone can write.
    """
    told = remote or ""
    if trusts_proxy and forwarded:
        told = forwarded[-1].rpartition(",")[2].strip() or told
    return _folded(told)


def _folded(told: str) -> str:
    try:
        address: IPv4Address | IPv6Address = ip_address(told[:_LONGEST].strip("[]"))
    except ValueError:
        return "unknown"
    if isinstance(address, IPv4Address):
        return str(address)
    if address.ipv4_mapped:
        return str(address.ipv4_mapped)
    return str(ip_network((int(address), _NETWORK_BITS), strict=False))
