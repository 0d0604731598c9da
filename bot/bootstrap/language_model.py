"""The language model that doubtful claims are put to."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from bot.bootstrap.folders import make_folder
from bot.bootstrap.wiki import user_agent
from bot.settings import Settings
from handlers.ports import LanguageModel


@asynccontextmanager
async def open_language_model(
    settings: Settings,
) -> AsyncIterator[LanguageModel | None]:
    """Give the language model of the settings for one run, or `None` without one."""
    if not settings.language_model_address:
        yield None
        return
    from bot.adapters.language_model import (  # noqa: PLC0415 - only where it is used
        Budget,
        ChatModel,
        ModelSettings,
        Patience,
        Prices,
    )

    make_folder(settings.data_dir)
    chosen = ModelSettings(
        address=settings.language_model_address,
        name=settings.language_model_name,
        key=settings.language_model_key.get_secret_value(),
        user_agent=user_agent(settings),
        budget=Budget(settings.language_model_budget, settings.language_model_calls),
        prices=Prices(
            settings.language_model_input_price, settings.language_model_output_price
        ),
        patience=Patience(timeout_s=settings.language_model_timeout_s),
        json=settings.language_model_json,
        at_once=settings.language_model_at_once,
        cache_folder=settings.data_dir / "language-model",
        cache_max_bytes=settings.language_model_cache_max_bytes,
    )
    async with ChatModel(chosen) as model:
        yield model
