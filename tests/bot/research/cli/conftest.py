"""The commands of researchers run as those of the product do."""

from tests.bot.app.cli.conftest import quick_engine, sidenote
from tests.bot.research.evaluation.conftest import few_resamples

__all__ = ["few_resamples", "quick_engine", "sidenote"]
