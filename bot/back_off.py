"""How long work rests after a failure. Pure."""

from dataclasses import dataclass


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
