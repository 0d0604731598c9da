"""The daemon's role that looks for newer facts, put together from the settings."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING

from bot.app.wiring.language_model import PagesPay
from bot.app.wiring.world import World, holder, now
from bot.records.spending import PaidModel
from bot.records.watches import Policy
from bot.settings import Settings
from handlers.model import PageId

if TYPE_CHECKING:
    from bot.daemon.discover import Discoverer
    from bot.daemon.roles import Role
    from bot.store import Store

_PATIENCE = 10  # times as long as others rest who found nothing to do


def open_updating(
    settings: Settings, store: "Store", world: World, model: PaidModel | None
) -> "Role":
    """Return the role; what it searches with is opened anew for each page.

    Most programs look after no page that anybody asked `updates` for, and these need
    neither the memory nor the time.
    """

    @asynccontextmanager
    async def discoverer(page: PageId, policy: Policy) -> AsyncIterator["Discoverer"]:
        from bot.app.wiring.updates import Looking, open_discoverer  # noqa: PLC0415 - slow to import
        from bot.daemon.criteria_cache import StoredCriteria  # noqa: PLC0415 - as above

        folder = world.sources
        # What a service finds is read where it is; only without one is the folder all.
        looking = Looking(
            sources_folder=folder if world.services == "" else None,
            folders=(folder,) if folder else (),
            services=world.services,
            wiki=world.addresses.get(page.wiki, page.wiki),
            words_edits=policy is Policy.WORDING,
            shelf=StoredCriteria(store.criteria, now),
            store=store,
        )
        paid = await PagesPay(model, store)(page) if model else None
        async with open_discoverer(settings, looking, paid) as opened:
            yield opened

    async def run(stop: asyncio.Event) -> None:
        from bot.daemon.updating import UpdateRules, Updating  # noqa: PLC0415 - slow to import
        from handlers.updates.suggestions import Bar  # noqa: PLC0415 - as above

        updating = Updating(
            name=f"{holder()}:updates",
            store=store,
            wiki=world.pages,
            discoverer=discoverer,
            now=now,
            rules=UpdateRules(
                settings.updates_every_days,
                settings.updates_days,
                settings.updates_time_s,
            ),
            bar=Bar(overrides=settings.operating_points),
            model=model.engine.version if model else "",
        )
        await updating.run(stop, idle_s=_PATIENCE * world.idle_s)

    return run
