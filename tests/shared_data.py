"""Finds the data sets that are not in the repository, or skips saying so."""

import os
from pathlib import Path

import pytest

_DEFAULT = Path(__file__).parents[2] / "shared" / "data"


def shared_data(name: str) -> Path:
    """Return the path of `name` in the shared data, or skip the test."""
    path = Path(os.environ.get("SIDENOTE_SHARED_DATA", _DEFAULT)) / name
    if not path.exists():
        if os.environ.get("SIDENOTE_NO_SKIPS"):
            pytest.fail(f"the data set {name} is missing, and skips are failures here")
        pytest.skip(f"the data set {name} is not here (set SIDENOTE_SHARED_DATA)")
    return path
