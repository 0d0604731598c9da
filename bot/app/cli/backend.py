"""Names the panel's backend for the commands that serve.

It stands above this package, so nothing here imports it: it is found by its name when a
command runs, as the commands themselves are.
"""

from collections.abc import Mapping
from importlib import import_module
from typing import cast

from bot.app.wiring.serving import Backend, Installer, Panel

_WIRING = "gadget.wiring"
_DEPLOYMENT = "gadget.deployment"


def panel_backend() -> Backend:
    """Return what opens the panel's backend."""
    return cast(Backend, import_module(_WIRING).open_backend)


def whole_panel() -> Panel:
    """Return the backend, and what installs the script on a wiki that is served here."""
    install = cast(Installer, import_module(_DEPLOYMENT).install)
    return Panel(panel_backend(), install)


def gadget_pages(backend: str, bot: str) -> Mapping[str, str]:
    """Return the text of each page of the gadget by its title.

    Args:
        backend: address of the backend that it asks.
        bot: the bot's account.

    Raises:
        PermanentError: a script cannot ask that address.
    """
    pages = import_module(_DEPLOYMENT)
    wanted = pages.wanted_pages(pages.checked_backend(backend), bot)
    return {page.title: page.text for page in wanted}
