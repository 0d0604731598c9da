"""The progress of a check where nobody looks on: lines of the log, at its finest level."""

import structlog

from handlers.model import ClaimCheck


class LoggedProgress:
    """Fulfils `bot.check.Progress`."""

    def started(self, claims: int) -> None:
        """Tell how many claims there are."""
        structlog.get_logger().debug("claims found", claims=claims)

    def reading(self, place: str) -> None:
        """Tell which source is read."""
        structlog.get_logger().debug("source read", place=place)

    def checked(self, check: ClaimCheck) -> None:
        """Tell what came of a claim."""
        verdict = check.verdict.value if check.verdict else None
        structlog.get_logger().debug("claim checked", verdict=verdict)

    def asked(self, claims: int) -> None:
        """Tell that a language model was asked."""
        structlog.get_logger().debug("language model asked", claims=claims)
