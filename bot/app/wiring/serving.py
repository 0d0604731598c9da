"""The status of the program, for a terminal and for browsers, and the panel's backend.

The backend belongs to a package above this one, so the caller passes it in.
"""

from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import partial
from importlib import import_module
from time import monotonic
from types import MappingProxyType
from typing import TYPE_CHECKING, TypeAlias, cast

from pydantic import SecretStr

from bot import __version__
from bot.app.wiring.language_model import allowance
from bot.app.wiring.store import post_rules
from bot.app.wiring.wiki import World
from bot.settings import Posting, Settings
from bot.settings.settings import shown
from bot.settings.sources import SearchName
from bot.wiki.keys import LEAST_SECRET_BYTES
from handlers.model import Quota

if TYPE_CHECKING:
    from bot.daemon.status.situation import Configured, Situation
    from bot.daemon.web.guard import Mount
    from bot.store import Store
    from bot.surfaces.feedback import Feedback, FeedbackRules


@asynccontextmanager
async def open_server(
    settings: Settings, store: "Store", mounts: "Sequence[Mount]" = ()
) -> AsyncIterator[str]:
    """Serve status, metrics, reports, dry-run pages and `mounts`; yield the address.

    Raises:
        PermanentError: it cannot listen at that address.
    """
    from bot.daemon.web.server import (
        Folder,
        Pages,
        Snapshots,
        listening,
    )

    pages = Pages(
        snapshots=Snapshots(read_situation(settings, store), monotonic),
        reports=Folder(settings.data_dir / "reports", ".html"),
        dry_run=Folder(settings.data_dir / "dry-run", ".wikitext"),
        now=_now,
    )
    host, port, names = settings.serve_host, settings.serve_port, settings.serve_names
    async with listening(pages, host, port, names, mounts=mounts) as address:
        yield address


def read_situation(settings: Settings, store: "Store") -> "Callable[[], Situation]":
    """Return a function that reads the state of the program; it blocks."""
    return partial(_read_situation, settings, configured(settings), store)


def _read_situation(
    settings: Settings, allowed: "Configured", store: "Store"
) -> "Situation":
    from bot.daemon.status.situation import Situation

    days = allowed.feedback.days
    status = store.status(_now(), decision_days=days)
    return Situation(status, allowed, search_quotas(settings))


def configured(settings: Settings) -> "Configured":
    """Return the settings that are shown, without any secret."""
    from bot.daemon.status.situation import Configured, Setting

    secrets = settings.bot_secret.get_secret_value().split()
    return Configured(
        version=__version__,
        account=settings.bot_account,
        is_live=settings.posting is Posting.LIVE,
        has_secret=bool(secrets)
        and all(len(one.encode()) >= LEAST_SECRET_BYTES for one in secrets),
        rules=post_rules(settings),
        lag_limit_s=settings.lag_limit_s,
        feedback=feedback_rules(settings),
        allowance=allowance(settings) if settings.language_model_address else None,
        settings=tuple(
            Setting(
                name,
                _shown(getattr(settings, name)),
                field.description or "",
                getattr(settings, name) == field.get_default(),
            )
            for name, field in Settings.model_fields.items()
        ),
    )


def _shown(value: object) -> str:
    if isinstance(value, SecretStr):
        return "set, not shown" if value.get_secret_value() else ""
    return shown(value)


def _now() -> datetime:
    return datetime.now(UTC)


_NAMES: Mapping[SearchName, str] = MappingProxyType(
    {
        SearchName.GDELT: "GDELT",
        SearchName.SEARXNG: "SearXNG",
        SearchName.BRAVE: "Brave",
        SearchName.SERPER: "Serper",
        SearchName.GOOGLE: "Google",
        SearchName.CROSSREF: "Crossref",
        SearchName.OPENALEX: "OpenAlex",
    }
)


def search_quotas(settings: Settings) -> tuple[Quota, ...]:
    """Return the quotas of the services used from this data folder."""
    folder = settings.data_dir / "searches"
    if not folder.is_dir():
        return ()
    from bot.search.services.service import Allowance, Meter

    return tuple(
        Meter(
            folder, name.value, Allowance(shown, per_day=settings.search_quota(name))
        ).quota()
        for name, shown in _NAMES.items()
        if (folder / f"{name.value}.json").exists()
    )


def feedback_rules(settings: Settings) -> "FeedbackRules":
    """Return what the settings say about readers' decisions."""
    from bot.surfaces.feedback import FeedbackRules

    return FeedbackRules(
        bar=settings.steering_bar,
        least_decisions=settings.steering_least,
        least_readers=settings.steering_readers,
        days=settings.steering_days,
    )


def open_feedback(settings: Settings, store: "Store") -> "Callable[[], Feedback]":
    """Return a function for the feedback in force, which reads the store once a minute."""
    from bot.surfaces.feedback import Remembered

    return Remembered(store.decisions.tallies, feedback_rules(settings), _now)


Backend: TypeAlias = Callable[
    [Settings, "Store", World], AbstractAsyncContextManager[Sequence["Mount"]]
]
"""Opens what is served to readers of the panel, beside the operator's pages."""

Installer: TypeAlias = Callable[[Settings, str, str, str], None]
"""Puts the panel's script on a wiki served on loopback, as an administrator; blocks.

It is given the settings, the wiki's host, the address that the script calls, and the
bot's account.
"""


@dataclass(frozen=True, slots=True)
class Panel:
    """The panel on a wiki served from here: its backend, and what installs it."""

    open: Backend
    install: Installer


# The panel's backend is a package above this one, so it is not imported here but found
# by name when a command runs, like the commands themselves.
_WIRING = "gadget.wiring"
_DEPLOYMENT = "gadget.deployment"


def panel_backend() -> Backend:
    """Return the function that opens the panel's backend."""
    return cast(Backend, import_module(_WIRING).open_backend)


def whole_panel() -> Panel:
    """Return the backend, and what installs the script on a wiki served from here."""
    install = cast(Installer, import_module(_DEPLOYMENT).install)
    return Panel(panel_backend(), install)


def gadget_pages(backend: str, bot: str) -> Mapping[str, str]:
    """Return the text of each page of the gadget by its title.

    Args:
        backend: address that the script calls.
        bot: the bot's account.

    Raises:
        PermanentError: a script cannot call that address.
    """
    pages = import_module(_DEPLOYMENT)
    wanted = pages.wanted_pages(pages.checked_backend(backend), bot)
    return {page.title: page.text for page in wanted}
