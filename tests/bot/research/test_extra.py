"""What becomes of the commands where only the product's packages are installed."""

import subprocess
import sys

_WITHOUT = """
import sys

class Missing:
    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] in {"sklearn", "matplotlib", "nltk", "pyarrow"}:
            raise ModuleNotFoundError(f"No module named {name!r}", name=name)

sys.meta_path.insert(0, Missing())
from bot.app.cli import main

for command in sys.argv[1:]:
    try:
        main([command, "--help"])
    except SystemExit as end:
        print("ended", command, end.code)
"""


def test_a_researchers_command_says_what_to_install_and_the_product_works() -> None:
    commands = ("check", "evaluate", "train", "sweep")

    done = subprocess.run(
        [sys.executable, "-c", _WITHOUT, *commands],
        capture_output=True,
        text=True,
        check=True,
        timeout=60,
    )

    codes = [line.split()[1:] for line in done.stdout.splitlines() if "ended" in line]
    assert codes == [["check", "0"], ["evaluate", "3"], ["train", "3"], ["sweep", "3"]]
    lines = done.stderr.splitlines()
    assert len(lines) == 3
    for command, line in zip(commands[1:], lines, strict=True):
        assert f"`sidenote {command}`" in line
        assert "pip install -e '.[research]'" in line
