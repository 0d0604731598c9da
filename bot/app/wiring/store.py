"""The store that remembers what was checked."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

from bot.app.wiring.folders import make_folder
from bot.app.wiring.writing import post_rules
from bot.settings import Settings

if TYPE_CHECKING:
    from bot.store import Store


@contextmanager
def open_store(settings: Settings) -> Iterator["Store"]:
    """Open the store, its folder made and its tables brought up to date."""
    from bot.store import open_store as open_at  # noqa: PLC0415 - slow to import
    from bot.store.jobs import QueueRules  # noqa: PLC0415 - as above

    if not settings.database:
        make_folder(settings.data_dir)
    with open_at(
        settings.database_url,
        connections=settings.database_connections,
        rules=QueueRules(weights=settings.weights),
        post_rules=post_rules(settings),
    ) as store:
        yield store
