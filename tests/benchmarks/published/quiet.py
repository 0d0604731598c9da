"""A progress that nobody is told of, and a log that stays empty."""

import logging
from collections.abc import Iterator
from contextlib import contextmanager

import structlog

from handlers.model import ClaimCheck


class Quiet:
    """Fulfils `bot.check.Progress`."""

    def started(self, claims: int, sources: int) -> None:
        """Say nothing."""

    def reading(self, place: str) -> None:
        """Say nothing."""

    def read(self, place: str) -> None:
        """Say nothing."""

    def checked(self, check: ClaimCheck) -> None:
        """Say nothing."""

    def asked(self, claims: int) -> None:
        """Say nothing."""


@contextmanager
def unlogged() -> Iterator[None]:
    """Keep the log to errors: writing it is not what is measured."""
    before = structlog.get_config()
    structlog.configure(
        wrapper_class=structlog.make_filtering_bound_logger(logging.ERROR)
    )
    try:
        yield
    finally:
        structlog.configure(**before)
