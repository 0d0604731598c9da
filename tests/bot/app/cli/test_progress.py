"""How far a command is, where nobody watches a terminal."""

import pytest

from bot.app.cli.progress import TerminalProgress


def _said(capsys: pytest.CaptureFixture[str], total: int, steps: int) -> list[str]:
    with TerminalProgress("Parts") as progress:
        progress.started(total)
        for _ in range(steps):
            progress.advance()
    return capsys.readouterr().err.splitlines()


def test_of_a_known_number_it_says_how_many_there_are(
    capsys: pytest.CaptureFixture[str],
) -> None:
    assert _said(capsys, 2, 2) == ["Parts: 1 of 2", "Parts: 2 of 2"]


def test_of_an_unknown_number_it_says_ever_more_seldom_how_many_are_done(
    capsys: pytest.CaptureFixture[str],
) -> None:
    said = _said(capsys, 0, 250)

    assert said[:2] == ["Parts: 1", "Parts: 2"]
    assert said[8:11] == ["Parts: 9", "Parts: 10", "Parts: 20"]
    assert said[-2:] == ["Parts: 100", "Parts: 200"]
