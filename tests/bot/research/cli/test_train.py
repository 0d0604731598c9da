"""`sidenote train verifier` as it is typed: what it refuses before any work is done."""

from importlib.util import find_spec

import pytest

from bot.app.cli.terminal import Exit
from tests.bot.app.cli.conftest import Sidenote

_VERIFIER = ("train", "verifier", "--data", ".")


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ([], "either --weights or --start"),
        (["--weights", "w", "--start", "w"], "either --weights or --start"),
        (["--weights", "w", "--layers", "2"], "--layers needs --start"),
    ],
)
def test_a_network_begins_from_one_place(
    sidenote: Sidenote, options: list[str], message: str
) -> None:
    done = sidenote(*_VERIFIER, *options)

    assert done.code == Exit.USAGE
    assert message in done.err


def test_a_network_is_not_trained_without_the_libraries(sidenote: Sidenote) -> None:
    if find_spec("torch"):
        pytest.skip("the training extra is installed")
    done = sidenote(*_VERIFIER, "--start", "w")

    assert done.code == Exit.CANNOT
    assert "pip install -e .[training]" in done.err
