"""A small piece of what `./dev hardening wikitext` reads, and a reader that is seen."""

import time

import pytest

from tests.hardening import wikitext
from tests.hardening.wikitext import try_wikitext
from tests.wikitext_bombs import BOMBS


def test_a_text_four_times_as_long_takes_four_times_as_long() -> None:
    figures = try_wikitext(BOMBS, 24_000)

    assert figures.faults == []
    assert figures.tried > 40


def test_a_reader_that_goes_back_would_be_noticed(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def goes_back(text: str, _: object) -> None:
        until = time.process_time() + len(text) ** 2 * 1e-9
        while time.process_time() < until:
            pass

    monkeypatch.setattr(wikitext, "parse", goes_back)
    monkeypatch.setattr(wikitext, "article_of", id)
    monkeypatch.setattr(wikitext, "stated", id)

    figures = try_wikitext({"refs": BOMBS["refs left open"]}, 8_000, quick_s=0.03)

    assert len(figures.faults) == 1
