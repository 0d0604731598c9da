"""A log that stays empty while something is measured."""

import logging
from collections.abc import Iterator
from contextlib import contextmanager

import structlog


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
