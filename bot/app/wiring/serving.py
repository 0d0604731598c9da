"""The status of the program, for a terminal and for browsers."""

from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import asynccontextmanager
from datetime import UTC, datetime
from functools import partial
from time import monotonic
from typing import TYPE_CHECKING

from pydantic import SecretStr

from bot import __version__
from bot.app.wiring.language_model import allowance
from bot.app.wiring.search_quotas import search_quotas
from bot.app.wiring.steering import steering_rules
from bot.app.wiring.writing import post_rules
from bot.settings import Posting, Settings
from bot.settings.showing import shown

if TYPE_CHECKING:
    from bot.daemon.serving.guard import Mount
    from bot.daemon.status.situation import Means, Situation
    from bot.store import Store

_LEAST_SECRET_BYTES = 16


@asynccontextmanager
async def open_server(
    settings: Settings, store: "Store", mounts: "Sequence[Mount]" = ()
) -> AsyncIterator[str]:
    """Serve status, metrics, reports, a dry run's pages, `mounts`; give the address.

    Raises:
        PermanentError: it is not possible to listen there.
    """
    from bot.daemon.serving.server import (
        Folder,
        Looks,
        Pages,
        listening,
    )

    pages = Pages(
        looks=Looks(look(settings, store), monotonic),
        reports=Folder(settings.data_dir / "reports", ".html"),
        dry_run=Folder(settings.data_dir / "dry-run", ".wikitext"),
        now=_now,
    )
    host, port, names = settings.serve_host, settings.serve_port, settings.serve_names
    async with listening(pages, host, port, names, mounts=mounts) as address:
        yield address


def look(settings: Settings, store: "Store") -> "Callable[[], Situation]":
    """Return what takes a look at how the program is doing; a look blocks."""
    return partial(_look, settings, means(settings), store)


def _look(settings: Settings, allowed: "Means", store: "Store") -> "Situation":
    from bot.daemon.status.situation import Situation  # noqa: PLC0415 - see above

    days = allowed.steering.days
    sight = store.sight(_now(), decision_days=days)
    return Situation(sight, allowed, search_quotas(settings))


def means(settings: Settings) -> "Means":
    """Return what the settings allow, without any secret."""
    from bot.daemon.status.situation import Means, Setting  # noqa: PLC0415 - see above

    secrets = settings.bot_secret.get_secret_value().split()
    return Means(
        version=__version__,
        account=settings.bot_account,
        is_live=settings.posting is Posting.LIVE,
        has_secret=bool(secrets)
        and all(len(one.encode()) >= _LEAST_SECRET_BYTES for one in secrets),
        rules=post_rules(settings),
        lag_limit_s=settings.lag_limit_s,
        steering=steering_rules(settings),
        allowance=allowance(settings) if settings.language_model_address else None,
        settings=tuple(
            Setting(
                name,
                _told(getattr(settings, name)),
                field.description or "",
                getattr(settings, name) == field.get_default(),
            )
            for name, field in Settings.model_fields.items()
        ),
    )


def _told(value: object) -> str:
    if isinstance(value, SecretStr):
        return "set, not shown" if value.get_secret_value() else ""
    return shown(value)


def _now() -> datetime:
    return datetime.now(UTC)
