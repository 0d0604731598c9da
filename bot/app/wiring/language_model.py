"""The language model that judges claims, and the one trained for drafts."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, replace
from decimal import Decimal
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from bot.app.wiring.store import make_folder
from bot.app.wiring.wiki import user_agent
from bot.records.spending import (
    Allowance,
    Denied,
    Granted,
    PaidModel,
    Payers,
    SharedBudget,
)
from bot.settings import Settings
from handlers.model import PageId
from handlers.ports import LanguageModel, PermanentError

if TYPE_CHECKING:
    from bot.store import Store


@dataclass(frozen=True, slots=True)
class DailyBudget:
    """What all processes on a database may spend in a day; a `SharedBudget`."""

    store: "Store"
    allowance: Allowance

    def reserve(self, money: Decimal, payers: Payers = ()) -> Granted | Denied:
        """Reserve the most that a request can cost."""
        return self.store.spending.reserve(money, self.allowance, payers)

    def settle(self, granted: Granted, cost: Decimal) -> None:
        """Book what the request did cost."""
        self.store.spending.settle(granted, cost)


def allowance(settings: Settings) -> Allowance:
    """Return what the processes of the daemon may spend together in a day."""
    return Allowance(
        settings.language_model_daily_budget,
        settings.language_model_daily_calls,
        page_share=settings.language_model_daily_page_share,
        person_share=settings.language_model_daily_person_share,
    )


@dataclass(frozen=True, slots=True)
class PagesPay:
    """Provides a language model whose cost is charged to a page and its watchers."""

    model: PaidModel
    store: "Store"

    async def __call__(self, page: PageId) -> LanguageModel:
        """Return the model for questions about a page.

        Raises:
            PermanentError, TemporaryError: the database failed.
        """
        payers = self.store.spending.payers
        return self.model.paid_by(
            await asyncio.to_thread(payers, page.wiki, page.title)
        )


@asynccontextmanager
async def open_language_model(
    settings: Settings, store: "Store | None" = None
) -> AsyncIterator[PaidModel | None]:
    """Open the language model in the settings for one run, or `None` if there is none.

    With a `store`, the run has no end: in place of a budget for the run there is one
    for the day, shared by all processes on that store; name for each page who pays.
    """
    if not settings.language_model_address:
        yield None
        return
    async with open_model(
        settings,
        settings.language_model_address,
        settings.language_model_name,
        settings.language_model_key.get_secret_value(),
        shared_budget=DailyBudget(store, allowance(settings)) if store else None,
    ) as model:
        yield model


@asynccontextmanager
async def open_draft_model(settings: Settings) -> AsyncIterator[LanguageModel]:
    """Open the model fine-tuned for drafts (TunedRR), for one run.

    It has the budget and the prices of the language model, and shares its cache, under
    its own name. Its key is sent to no other server.

    Raises:
        PermanentError: the settings name no such model.
    """
    address = settings.draft_model_address or settings.language_model_address
    if not (address and settings.draft_model):
        raise PermanentError(
            "a tuned draft needs a model that was fine-tuned for it; train one with"
            " `sidenote train draft`, serve it behind an OpenAI-compatible address and"
            " name it in SIDENOTE_DRAFT_MODEL and SIDENOTE_DRAFT_MODEL_ADDRESS, or"
            " choose another --method"
        )
    is_same = _place(address) == _place(settings.language_model_address)
    key = settings.language_model_key.get_secret_value() if is_same else ""
    async with open_model(settings, address, settings.draft_model, key) as model:
        yield model


def _place(address: str) -> tuple[str, str]:
    parts = urlsplit(address)
    return parts.scheme, parts.netloc


@asynccontextmanager
async def open_model(
    settings: Settings,
    address: str,
    name: str,
    key: str,
    *,
    shared_budget: SharedBudget | None = None,
    test_s: float | None = None,
) -> AsyncIterator[PaidModel]:
    """Open a model with the limits in the settings.

    Args:
        settings: of the program.
        address: of its server.
        name: of the model there.
        key: that the server takes.
        shared_budget: in place of a budget for the run.
        test_s: for a test of the connection: how long to wait. It is tried once, and
            nothing is cached.
    """
    from bot.models.language_model import (
        Budget,
        ChatModel,
        ModelSettings,
        Prices,
        RetryPolicy,
    )

    budget = Budget(settings.language_model_budget, settings.language_model_calls)
    chosen = ModelSettings(
        address=address,
        name=name,
        key=key,
        user_agent=user_agent(settings),
        budget=budget.without_end if shared_budget else budget,
        shared_budget=shared_budget,
        prices=Prices(
            settings.language_model_input_price, settings.language_model_output_price
        ),
        retry=RetryPolicy(timeout_s=settings.language_model_timeout_s),
        json=settings.language_model_json,
        max_output_tokens=settings.language_model_output_tokens,
        at_once=settings.language_model_at_once,
    )
    if test_s is None:
        make_folder(settings.data_dir)
        chosen = replace(
            chosen,
            cache_folder=settings.data_dir / "language-model",
            cache_max_bytes=settings.language_model_cache_max_bytes,
        )
    else:
        timeout_s = min(test_s, settings.language_model_timeout_s)
        chosen = replace(chosen, retry=RetryPolicy(timeout_s=timeout_s, attempts=1))
    async with ChatModel(chosen) as model:
        yield model
