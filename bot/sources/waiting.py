"""How long to wait before another try: as the server says, else longer each time."""

from collections.abc import Mapping
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime

_DAY_S = 86_400.0


def asked_wait_s(headers: Mapping[str, str], now: datetime) -> float | None:
    """Return what `Retry-After` asks for, in seconds or as a date, at most a day.

    `None` where it is missing or makes no sense.
    """
    value = headers.get("retry-after", "").strip()
    if value.isascii() and value.isdecimal():
        return min(float(value[:10]), _DAY_S)
    try:
        then = parsedate_to_datetime(value)
    except (ValueError, TypeError, OverflowError):
        return None
    if then.tzinfo is None:
        then = then.replace(tzinfo=UTC)
    return min(max((then - now).total_seconds(), 0.0), _DAY_S)


def backoff_s(first_s: float, tries: int, chance: float) -> float:
    """Return the wait after `tries` failures: doubled each time, half of it by chance.

    Args:
        first_s: the wait after the first failure, at most.
        tries: failures so far, from 1.
        chance: from 0 to 1, so that many programs do not come back at once.
    """
    longest: float = first_s * 2 ** (tries - 1)
    return longest * (0.5 + chance / 2)
