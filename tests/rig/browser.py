"""Debian's Chromium, driven by Playwright.

Its headless build has the same engine without a browser's windows, and needs a quarter
of the time for a page; where it is not installed, the whole browser serves.
"""

import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager

from playwright.sync_api import Browser, BrowserContext, Playwright, expect

from tests.rig.service import program

_FLAGS = (
    "--headless",
    "--disable-gpu",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
)
# A machine that builds and tests at once may stand still for half a minute.
_PATIENCE_MS = 120_000


@contextmanager
def open_chromium(playwright: Playwright) -> Iterator[Browser]:
    """Start the browser; skip the test where there is none.

    Whatever is waited for in it, by `expect` too, has the same long time to come.
    """
    # The super-user cannot use Chromium's sandbox.
    own = ("--no-sandbox",) if os.geteuid() == 0 else ()
    found = shutil.which("chromium-headless-shell") or program("chromium")
    chromium = playwright.chromium.launch(executable_path=found, args=[*_FLAGS, *own])
    chromium.on("context", _be_patient)
    expect.set_options(timeout=_PATIENCE_MS)
    yield chromium
    chromium.close()


def _be_patient(context: BrowserContext) -> None:
    context.set_default_timeout(_PATIENCE_MS)
