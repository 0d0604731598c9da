"""The commands of researchers run as those of the product do."""

from tests.bot.app.cli.conftest import quick_engine, sidenote

__all__ = ["quick_engine", "sidenote"]
