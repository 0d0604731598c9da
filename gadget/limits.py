"""How much one reader, and one address, may ask for.

Kept in memory, never logged, and for a limited number of clients: the least recent is
forgotten first. A full bucket is the same as none, so only a flood of addresses can
make the server forget, and the limits on connections are there for such a flood.
"""

from collections import Counter, OrderedDict
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from ipaddress import IPv4Address, IPv6Address, ip_address, ip_network

_NETWORK_BITS = 64  # the IPv6 prefix of one household
_LONGEST = 64


def client_of(remote: str | None, forwarded: list[str], *, trusts_proxy: bool) -> str:
    """Return the key of a client: an address, or an IPv6 network.

    Args:
        remote: the other end of the connection; None if unknown.
        forwarded: all values of X-Forwarded-For, in order.
        trusts_proxy: whether the other end is a proxy of ours. Then the last hop
            counts, which the proxy saw itself; anyone can write those before it.
    """
    message = remote or ""
    if trusts_proxy and forwarded:
        message = forwarded[-1].rpartition(",")[2].strip() or message
    return _folded(message)


def _folded(text: str) -> str:
    try:
        address: IPv4Address | IPv6Address = ip_address(text[:_LONGEST].strip("[]"))
    except ValueError:
        return "unknown"
    if isinstance(address, IPv4Address):
        return str(address)
    if address.ipv4_mapped:
        return str(address.ipv4_mapped)
    return str(ip_network((int(address), _NETWORK_BITS), strict=False))


_MINUTE_S = 60.0


@dataclass(frozen=True, slots=True)
class Rate:
    """A rate per minute, and a third of that at once unless told otherwise.

    No limit if `per_minute` is 0: then nothing is counted.
    """

    per_minute: float
    at_once: float = 0.0

    @property
    def size(self) -> float:
        """Return how much a full bucket holds."""
        return self.at_once or max(1.0, self.per_minute / 3)


@dataclass(slots=True)
class _Bucket:
    left: float
    at: float


class Buckets:
    """A bucket for each client.

    Args:
        rate: of each of them.
        monotonic: a monotonic clock, in seconds.
        most: how many clients are remembered.
    """

    def __init__(
        self, rate: Rate, monotonic: Callable[[], float], *, most: int = 20_000
    ) -> None:
        self._rate = rate
        self._monotonic = monotonic
        self._most = most
        self._buckets: OrderedDict[str, _Bucket] = OrderedDict()

    def __len__(self) -> int:
        return len(self._buckets)

    def wait_s(self, client: str) -> float:
        """Take one from the bucket of `client`.

        Returns:
            0 if there was one; else the seconds until there will be one, and none is
                taken.
        """
        if not self._rate.per_minute:
            return 0.0
        now = self._monotonic()
        bucket = self._filled(client, now)
        if bucket.left < 1:
            return (1 - bucket.left) * _MINUTE_S / self._rate.per_minute
        bucket.left -= 1
        return 0.0

    def _filled(self, client: str, now: float) -> _Bucket:
        bucket = self._buckets.get(client)
        if bucket is None:
            bucket = self._buckets[client] = _Bucket(self._rate.size, now)
            if len(self._buckets) > self._most:
                self._buckets.popitem(last=False)
            return bucket
        self._buckets.move_to_end(client)
        gained = max(0.0, now - bucket.at) * self._rate.per_minute / _MINUTE_S
        bucket.left = min(self._rate.size, bucket.left + gained)
        bucket.at = now
        return bucket


class Places:
    """A number of places; a client that finds none is told to try again later.

    Args:
        most: how many there are in all.
        most_each: how many one client may hold.
    """

    def __init__(self, most: int, most_each: int) -> None:
        self._most = most
        self._most_each = most_each
        self._held: Counter[str] = Counter()

    def __len__(self) -> int:
        return self._held.total()

    @contextmanager
    def take(self, client: str) -> Iterator[bool]:
        """Hold a place for as long as the context is open; False if there is none."""
        if len(self) >= self._most or self._held[client] >= self._most_each:
            yield False
            return
        self._held[client] += 1
        try:
            yield True
        finally:
            self._held[client] -= 1
            if not self._held[client]:
                del self._held[client]
