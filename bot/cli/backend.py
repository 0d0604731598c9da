"""Names the panel's backend for the commands that serve.

It stands above this package, so nothing here imports it: it is found by its name when a
command runs, as the commands themselves are.
"""

from importlib import import_module
from typing import cast

from bot.bootstrap.backend import Backend, Installer, Panel

_OPENING = "gadget.opening"
_INSTALLING = "gadget.deploying.installing"


def panel_backend() -> Backend:
    """Return what opens the panel's backend."""
    return cast(Backend, import_module(_OPENING).open_backend)


def whole_panel() -> Panel:
    """Return the backend, and what installs the script on a wiki that is served here."""
    install = cast(Installer, import_module(_INSTALLING).install)
    return Panel(panel_backend(), install)
