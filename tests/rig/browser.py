"""Debian's Chromium, driven by Playwright."""

import os
from collections.abc import Iterator
from contextlib import contextmanager

from playwright.sync_api import Browser, Playwright

from tests.rig.service import program

_FLAGS = (
    "--headless",
    "--disable-gpu",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
)


@contextmanager
def open_chromium(playwright: Playwright) -> Iterator[Browser]:
    """Start the browser; skip the test where there is none."""
    # The super-user cannot use Chromium's sandbox.
    own = ("--no-sandbox",) if os.geteuid() == 0 else ()
    chromium = playwright.chromium.launch(
        executable_path=program("chromium"), args=[*_FLAGS, *own]
    )
    yield chromium
    chromium.close()
