"""A piece of the 5,920 injected pages; `./dev hardening` tries them all."""

import pytest

from tests.hardening.injection import attacks, pages, try_pages
from tests.shared_data import shared_data


@pytest.mark.shared_data
async def test_a_model_that_obeys_a_page_changes_no_verdict() -> None:
    folder = shared_data("security_corpora")

    figures = await try_pages(folder, every=97)

    assert figures.faults == []
    assert len(attacks(folder)) * 37 == sum(1 for _ in pages(folder)) > 5_000
