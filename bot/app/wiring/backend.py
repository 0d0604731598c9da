"""The panel's backend, as the processes that serve see it.

It belongs to the package above this one, which names it; whoever serves is given it.
"""

from collections.abc import Sequence
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

from bot.app.wiring.world import World
from bot.settings import Settings

if TYPE_CHECKING:
    from bot.daemon.serving.guard import Mount
    from bot.store import Store


class Backend(Protocol):
    """Opens what is served to readers of the panel."""

    def __call__(
        self, settings: Settings, store: "Store", world: World
    ) -> AbstractAsyncContextManager[Sequence["Mount"]]:
        """Give what stands beside the operator's pages, for as long as it is open.

        Raises:
            PermanentError: a setting of it is wrong; the message says which.
        """
        ...


class Installer(Protocol):
    """Puts the panel's script on a wiki of one's own on loopback; blocks."""

    def __call__(self, settings: Settings, wiki: str, backend: str, bot: str) -> None:
        """Write it there as its administrator, before anybody else writes.

        Args:
            settings: in force.
            wiki: host of the wiki, with its port.
            backend: address that the script asks.
            bot: the bot's account.

        Raises:
            PermanentError, TemporaryError: the wiki does not take it.
        """
        ...


@dataclass(frozen=True, slots=True)
class Panel:
    """The panel, for a wiki that is served here: its backend, and what installs it."""

    open: Backend
    install: Installer
