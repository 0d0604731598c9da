from dataclasses import replace
from datetime import UTC, datetime, timedelta

from bot.daemon.intake.stream import Health

_NOON = datetime(2026, 11, 21, 12, tzinfo=UTC)
_HEARD = Health(
    is_connected=True, newest_at=_NOON, last_event_at=_NOON + timedelta(seconds=2)
)


def _after(minutes: int) -> datetime:
    return _NOON + timedelta(minutes=minutes)


def test_before_the_first_event_nothing_is_known() -> None:
    assert Health().lag_s(_NOON) is None


def test_a_quiet_feed_is_silent_but_not_behind() -> None:
    assert _HEARD.lag_s(_after(10)) == 2


def test_without_a_connection_the_lag_grows() -> None:
    lost = replace(_HEARD, is_connected=False)

    assert lost.lag_s(_after(10)) == 600


def test_an_event_from_the_future_is_no_lag() -> None:
    ahead = replace(_HEARD, newest_at=_after(5))

    assert ahead.lag_s(_after(10)) == 0
