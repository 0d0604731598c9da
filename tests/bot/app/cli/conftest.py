"""Runs commands inside the test's own process, with settings of their own."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest
import structlog

from bot.app.cli import main


@dataclass(frozen=True)
class CommandResult:
    """What a command left behind."""

    code: int
    out: str
    err: str


Sidenote = Callable[..., CommandResult]


@pytest.fixture(autouse=True)
def quick_engine(monkeypatch: pytest.MonkeyPatch) -> None:
    """What a command does with an answer is the same whoever gives it."""
    monkeypatch.setenv("SIDENOTE_VERIFIER", "lexical")


@pytest.fixture
def sidenote(
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
    tmp_path: Path,
) -> Iterator[Sidenote]:
    """Run the program with the arguments of a command line, in `tmp_path`."""
    monkeypatch.setenv("SIDENOTE_DATA_DIR", str(tmp_path / "data"))
    monkeypatch.setenv("COLUMNS", "100")
    monkeypatch.chdir(tmp_path)

    def run(*arguments: str) -> CommandResult:
        with pytest.raises(SystemExit) as left:
            main(list(arguments))
        result = capsys.readouterr()
        assert "error in Sidenote" not in result.err
        return CommandResult(int(left.value.code or 0), result.out, result.err)

    yield run
    structlog.reset_defaults()  # it holds the streams of this test
