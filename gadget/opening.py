"""Opens the panel's backend with real parts; the only place of this package that names them."""

from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING

from bot.settings import Settings

if TYPE_CHECKING:
    from bot.bootstrap.world import World
    from bot.serving.mounts import Mount
    from bot.store import Store


@asynccontextmanager
async def open_backend(
    settings: Settings,  # noqa: ARG001 - see `bot.bootstrap.backend`
    store: "Store",  # noqa: ARG001
    world: "World",  # noqa: ARG001
) -> AsyncIterator[Sequence["Mount"]]:
    """Give what readers of the panel are answered by."""
    yield ()
