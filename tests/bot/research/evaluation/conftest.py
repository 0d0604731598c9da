"""Draws fewer samples for intervals: their width is of no interest to a test here."""

from collections.abc import Iterator

import pytest

from bot.research.evaluation import report

_FEW = 20


@pytest.fixture(scope="module", autouse=True)
def few_resamples() -> Iterator[None]:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(report, "RESAMPLES", _FEW)
        yield
