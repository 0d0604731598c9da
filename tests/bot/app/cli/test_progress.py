"""How far a command is, where nobody watches a terminal."""

from decimal import Decimal

import pytest

from bot.app.cli.progress import TerminalProgress, step
from bot.settings import Settings
from handlers.model import ModelUse


def _lines(capsys: pytest.CaptureFixture[str], total: int, steps: int) -> list[str]:
    with TerminalProgress("Parts") as progress:
        progress.started(total)
        for _ in range(steps):
            progress.advance()
    return capsys.readouterr().err.splitlines()


def test_of_a_known_number_it_says_how_many_there_are(
    capsys: pytest.CaptureFixture[str],
) -> None:
    assert _lines(capsys, 2, 2) == ["Parts: 1 of 2", "Parts: 2 of 2"]


def test_of_an_unknown_number_it_says_ever_more_seldom_how_many_are_done(
    capsys: pytest.CaptureFixture[str],
) -> None:
    lines = _lines(capsys, 0, 250)

    assert lines[:2] == ["Parts: 1", "Parts: 2"]
    assert lines[8:11] == ["Parts: 9", "Parts: 10", "Parts: 20"]
    assert lines[-2:] == ["Parts: 100", "Parts: 200"]


def _estimated(capsys: pytest.CaptureFixture[str], **changed: object) -> list[str]:
    settings = Settings().model_copy(update=changed)
    with step("Reviewing") as going:
        going.asking(settings, ModelUse(6, 0, 40_000, 3_000))
    return capsys.readouterr().err.splitlines()


def test_a_model_is_announced_with_an_estimate_and_its_limits(
    capsys: pytest.CaptureFixture[str],
) -> None:
    model = {
        "language_model_address": "http://127.0.0.1:1/v1",
        "language_model_name": "qwen",
        "language_model_calls": 200,
        "language_model_budget": Decimal(1),
    }
    prices = {
        "language_model_input_price": Decimal("0.5"),
        "language_model_output_price": Decimal(2),
    }

    assert _estimated(capsys) == ["Reviewing …"]
    [_, free] = _estimated(capsys, **model)
    assert "qwen" in free
    assert "6 times" in free
    assert "40,000 tokens in and 3,000 out." in free
    assert "200 calls" in free
    [_, paid] = _estimated(capsys, **model, **prices)
    assert "3,000 out, for about 0.03." in paid
