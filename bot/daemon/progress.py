"""The progress of a check where nobody looks on: lines of the log, at its finest level."""

import structlog

from handlers.model import ClaimCheck, ModelUse


class LoggedProgress:
    """Fulfils `bot.daemon.check.Progress`."""

    def started(self, claims: int, sources: int) -> None:
        """Tell how many claims there are, and sources for them."""
        structlog.get_logger().debug("claims found", claims=claims, sources=sources)

    def reading(self, place: str) -> None:
        """Tell which source is read."""
        structlog.get_logger().debug("source to be read", place=place)

    def read(self, place: str) -> None:
        """Tell that it was read, or cannot be."""
        structlog.get_logger().debug("source done", place=place)

    def checked(self, check: ClaimCheck) -> None:
        """Tell what came of a claim."""
        verdict = check.verdict.value if check.verdict else None
        structlog.get_logger().debug("claim checked", verdict=verdict)

    def asking(self, claims: int, expected: ModelUse) -> None:
        """Tell what asking a language model is thought to take."""
        structlog.get_logger().debug(
            "language model to be asked", claims=claims, cost=str(expected.cost)
        )

    def asked(self, claims: int) -> None:
        """Tell that a language model was asked."""
        structlog.get_logger().debug("language model asked", claims=claims)
