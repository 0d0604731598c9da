"""Lends a browser and a page with the panel to the tests of the script."""

from collections.abc import Iterator

import pytest

from tests.gadget.script.backend import Backend, serve_backend


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
