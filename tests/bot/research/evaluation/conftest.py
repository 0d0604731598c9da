"""Draws fewer samples for intervals: their width is of no interest to a test here."""

from collections.abc import Iterator

import pytest

from bot.research.evaluation import contest, judging
from bot.research.evaluation.wiki_live import agreement, figures

_FEW = 20


@pytest.fixture(scope="module", autouse=True)
def few_resamples() -> Iterator[None]:
    with pytest.MonkeyPatch.context() as patch:
        for one in (judging, contest, agreement, figures):
            patch.setattr(one, "RESAMPLES", _FEW)
        yield
