"""The daemon's role that makes the drafts people asked for, put together."""

import asyncio
from contextlib import AbstractAsyncContextManager
from typing import TYPE_CHECKING

from bot.app.wiring.world import World, now
from bot.records.dossiers import KeptDraft
from bot.records.spending import PaidModel, payers_of
from bot.records.watches import Policy, WatcherKind
from bot.settings import Settings

if TYPE_CHECKING:
    from bot.daemon.draft import Drafter
    from bot.daemon.roles import Role
    from bot.store import Store

_PATIENCE = 10  # times as long as others rest who found nothing to do


def open_drafting(
    settings: Settings, store: "Store", world: World, model: PaidModel | None
) -> "Role":
    """Return the role; what it drafts with is opened anew for each draft.

    Few wikis allow drafts, and a program without any needs neither the memory nor the
    time.
    """

    def drafter(
        asked: KeptDraft, policy: Policy
    ) -> AbstractAsyncContextManager["Drafter"]:
        from bot.app.wiring.drafts import Drafting, open_drafter  # noqa: PLC0415 - slow to import
        from bot.daemon.compute_thread import AskedAcross, apart  # noqa: PLC0415 - as above
        from bot.store.schedule import party_of  # noqa: PLC0415 - as above

        folder = world.sources
        drafting = Drafting(
            folders=(folder,) if folder else (),
            services=world.services,
            wiki=world.addresses.get(asked.wiki, asked.wiki),
            may_word=policy is not Policy.POINTER,
            store=store,
            beside=apart,
        )
        if model is None:
            return open_drafter(settings, drafting)
        person = party_of(WatcherKind.USER.name, asked.watcher)
        paid = model.paid_by(payers_of(asked.wiki, asked.page, person))
        across = AskedAcross(paid, asyncio.get_running_loop())
        return open_drafter(settings, drafting, across)

    async def run(stop: asyncio.Event) -> None:
        from bot.daemon.drafting import Drafting, DraftingRules  # noqa: PLC0415 - slow to import

        role = Drafting(
            store=store,
            wiki=world.lists,
            drafter=drafter,
            now=now,
            bot=world.bot,
            rules=DraftingRules(float(settings.draft_time_s), settings.drafts_per_user),
            model=model.engine.version if model else "",
        )
        await role.run(stop, idle_s=_PATIENCE * world.idle_s)

    return run
