"""Lends a browser and a page with the panel to the tests of the script."""

from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser, sync_playwright

from tests.gadget.script.backend import Backend, serve_backend
from tests.rig.browser import open_chromium


@pytest.fixture(scope="module")
def chromium() -> Iterator[Browser]:
    with sync_playwright() as playwright, open_chromium(playwright) as started:
        yield started


@pytest.fixture(scope="module")
def panel_backend() -> Iterator[Backend]:
    with serve_backend("panel_gadget.js", "panel.js", "anchors.js") as served:
        yield served


@pytest.fixture
def backend_of_panel(panel_backend: Backend) -> Backend:
    """Return it in English, light, and without a page of a wiki."""
    panel_backend.language, panel_backend.theme = "en", ""
    panel_backend.config = {}
    return panel_backend
