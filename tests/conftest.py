"""Says at the top of a run what tests of real parts run on, and what is left out."""

from collections.abc import Iterator
from importlib.util import find_spec

import pytest
import structlog

from bot.loopback.wiki.code import installed_code

# Gigabytes that nothing needs but who trains a model: `pip install .[training]`.
_TRAINING = ("torch", "transformers", "peft")
_HAS_TRAINING = all(find_spec(name) is not None for name in _TRAINING)
collect_ignore = [] if _HAS_TRAINING else ["bot/training/chat/test_fitting.py"]


def pytest_report_header() -> list[str]:
    found = [f"{code.version} ({code.folder})" for code in installed_code()]
    wikis = f"MediaWiki: {', then '.join(found) or 'none'}"
    if _HAS_TRAINING:
        return [wikis]
    return [wikis, f"left out, for the training extra is not here: {collect_ignore[0]}"]


@pytest.fixture(autouse=True)
def own_logging() -> Iterator[None]:
    """Let no test hear less because one before it set a level of logging."""
    yield
    structlog.reset_defaults()
