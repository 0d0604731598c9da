"""Keeps what belongs into an article's sections, so that no model is asked it twice.

It saves time and money, and nothing depends on it: where the store is away, the criteria
are made anew.
"""

import asyncio
from collections.abc import Callable
from datetime import datetime
from typing import Protocol

import structlog

from handlers.model import Criteria, Engine, PageId
from handlers.ports import PermanentError, TemporaryError


class Kept(Protocol):
    """What keeps them, as `Store.criteria` does; it blocks."""

    def get(self, page: PageId, outline_sha256: str) -> Criteria | None:
        """Return the criteria of an article with this outline."""
        ...

    def put(self, page: PageId, criteria: Criteria, now: datetime) -> None:
        """Keep the criteria of an article."""
        ...


class StoredCriteria:
    """Fulfils `handlers.updates.roles.CriteriaCache`."""

    def __init__(self, kept: Kept, now: Callable[[], datetime]) -> None:
        self._kept, self._now = kept, now

    async def get(
        self, page: PageId, outline_sha256: str, engine: Engine
    ) -> Criteria | None:
        """Return what `engine` said; `None` also where the store cannot tell."""
        try:
            kept = await asyncio.to_thread(self._kept.get, page, outline_sha256)
            return kept if kept and kept.engine == engine else None
        except (PermanentError, TemporaryError) as error:
            _warn(error)
            return None

    async def put(self, page: PageId, criteria: Criteria) -> None:
        """Keep criteria, if that can be done."""
        try:
            await asyncio.to_thread(self._kept.put, page, criteria, self._now())
        except (PermanentError, TemporaryError) as error:
            _warn(error)


def _warn(error: Exception) -> None:
    structlog.get_logger().warning("criteria of sections not kept", why=str(error))
