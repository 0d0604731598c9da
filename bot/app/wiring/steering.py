"""What readers' decisions say about what may be shown, as the settings weigh it."""

from collections.abc import Callable
from datetime import UTC, datetime
from typing import TYPE_CHECKING

from bot.settings import Settings

if TYPE_CHECKING:
    from bot.store import Store
    from bot.surfaces.feedback import Steering, SteeringRules


def steering_rules(settings: Settings) -> "SteeringRules":
    """Return what the settings ask of readers' decisions."""
    from bot.surfaces.feedback import SteeringRules  # noqa: PLC0415 - only where it is used

    return SteeringRules(
        bar=settings.steering_bar,
        least_decisions=settings.steering_least,
        days=settings.steering_days,
    )


def open_steering(settings: Settings, store: "Store") -> "Callable[[], Steering]":
    """Return what gives the steering in force; it reads the store once a minute."""
    from bot.surfaces.feedback import Remembered  # noqa: PLC0415 - see above

    return Remembered(store.decisions.tallies, steering_rules(settings), _now)


def _now() -> datetime:
    return datetime.now(UTC)
