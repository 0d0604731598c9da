"""What becomes of the commands where only the product's packages are installed."""

import subprocess
import sys

import pytest

_WITHOUT = """
import sys

class Missing:
    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] in {"sklearn", "matplotlib", "nltk", "pyarrow"}:
            raise ModuleNotFoundError(f"No module named {name!r}", name=name)

sys.meta_path.insert(0, Missing())
from bot.app.cli import main

main(sys.argv[1:])
"""


def without_the_extra(*arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-c", _WITHOUT, *arguments],
        capture_output=True,
        text=True,
        check=False,
        timeout=60,
    )


@pytest.mark.parametrize("command", ["evaluate", "train", "sweep"])
def test_a_researchers_command_says_what_to_install(command: str) -> None:
    done = without_the_extra(command, "--help")

    assert done.returncode == 3
    assert f"`sidenote {command}`" in done.stderr
    assert "sidenote[research]" in done.stderr


def test_the_product_goes_without_the_extra() -> None:
    done = without_the_extra("check", "--help")

    assert done.returncode == 0, done.stderr
