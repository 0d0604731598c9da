"""Token buckets: so much at once, so much a minute, for each of many askers.

They live in memory and hold no more askers than they are told to. What is forgotten is
who asked longest ago; a bucket that filled up again is the same as none, so that only a
flood of addresses can make the server forgetful, and that flood is what the bounds on
connections are for.
"""

from collections import OrderedDict
from collections.abc import Callable
from dataclasses import dataclass

_MINUTE_S = 60.0


@dataclass(frozen=True, slots=True)
class Rate:
    """So many a minute, and a third of that at once unless told otherwise.

    None at all if `per_minute` is 0: then nothing is counted.
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
    """A bucket for each asker.

    Args:
        rate: of each of them.
        monotonic: a clock that never goes back, in seconds.
        most: how many askers are remembered.
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

    def wait_s(self, asker: str) -> float:
        """Take one from the bucket of `asker`.

        Returns:
            0 if there was one; else in how many seconds there will be, and none is taken.
        """
        if not self._rate.per_minute:
            return 0.0
        now = self._monotonic()
        bucket = self._filled(asker, now)
        if bucket.left < 1:
            return (1 - bucket.left) * _MINUTE_S / self._rate.per_minute
        bucket.left -= 1
        return 0.0

    def _filled(self, asker: str, now: float) -> _Bucket:
        bucket = self._buckets.get(asker)
        if bucket is None:
            bucket = self._buckets[asker] = _Bucket(self._rate.size, now)
            if len(self._buckets) > self._most:
                self._buckets.popitem(last=False)
            return bucket
        self._buckets.move_to_end(asker)
        gained = max(0.0, now - bucket.at) * self._rate.per_minute / _MINUTE_S
        bucket.left = min(self._rate.size, bucket.left + gained)
        bucket.at = now
        return bucket
