"""Names the panel's backend for the commands that serve.

It stands above this package, so nothing here imports it: it is found by its name when a
command runs, as the commands themselves are.
"""

from importlib import import_module
from typing import cast

from bot.bootstrap.backend import Backend

_MODULE = "gadget.opening"


def panel_backend() -> Backend:
    """Return what opens the panel's backend."""
    return cast(Backend, import_module(_MODULE).open_backend)
