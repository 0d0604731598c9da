"""How long work rests after a failure. Pure."""

from dataclasses import dataclass
from datetime import datetime

_AWAY_S, _MOST_AWAY_S = 5.0, 30.0  # between tries to reach a wiki, the first and most


@dataclass(frozen=True, slots=True)
class BackOff:
    """How long a page waits after a failure: each time twice as long, with chance.

    Chance keeps pages that failed together from all coming back together.
    """

    first_s: float = 15.0
    most_s: float = 3600.0
    spread: float = 0.3

    def wait_s(self, attempt: int, asked_s: float, draw: float) -> float:
        """Return the wait after `attempt` (from 1), at least the `asked_s` seconds.

        `draw` is a random number from 0 to 1.
        """
        doubled_s = min(self.most_s, self.first_s * 2.0 ** min(attempt - 1, 30))
        return max(asked_s, doubled_s) * (1 + self.spread * draw)


@dataclass(frozen=True, slots=True)
class Away:
    """A wiki that failed to answer `times` times; a try is worth it in `in_s`."""

    times: int
    since: datetime
    in_s: float

    def rests(self, now: datetime) -> bool:
        """Whether all of it is let be: not after one failure, nor when time went back."""
        return self.times > 1 and 0.0 <= (now - self.since).total_seconds() < self.in_s


def away_again(
    before: Away | None, now: datetime, asked_s: float, longer: float
) -> Away:
    """Return what is known of a wiki that failed to answer now.

    It asked for `asked_s` seconds of rest, and `longer` is a factor to spread tries by.
    """
    times = before.times + 1 if before else 1
    doubled_s = min(_AWAY_S * 2.0 ** min(times - 1, 10), _MOST_AWAY_S)
    return Away(times, now, max(asked_s, doubled_s) * longer)
