"""Sample pages of invented sites, one folder for each outcome."""

import gzip
import json
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import pytest

from bot.sources.extraction.html import read_html
from bot.sources.extraction.page_kinds import classify_plain
from bot.sources.extraction.text import clean_text
from handlers.model import SourceOutcome
from tests.shared_data import shared_data

PAGES = Path(__file__).parent / "pages"
SAMPLES = sorted(PAGES.glob("*/*.html"))
# Of 5,699 distinct texts 122 are flagged; all of these that were looked at are walls.
MOST_FLAGGED_SHARE = 0.03


def test_a_page_is_classified_by_what_it_shows() -> None:
    wrong = {}
    for sample in SAMPLES:
        expected = SourceOutcome[sample.parent.name.upper()]

        found = read_html(
            sample.read_bytes(),
            content_type="text/html; charset=utf-8",
            url="https://a.example/x",
        )

        is_read = found.document is not None
        if (found.outcome, is_read) != (expected, expected is SourceOutcome.READ):
            wrong[f"{sample.parent.name}/{sample.stem}"] = found.outcome, found.detail
    assert wrong == {}


def test_each_outcome_has_at_least_six_samples() -> None:
    samples = Counter(sample.parent.name for sample in SAMPLES)

    assert len(samples) == 7
    assert min(samples.values()) >= 6


def test_a_wall_in_front_of_nothing_is_known_from_plain_text_too() -> None:
    wall = classify_plain(
        "404 Not Found\nThe requested URL was not found on this server."
    )

    assert wall is not None
    assert wall.outcome is SourceOutcome.SOFT_404


def test_a_long_text_is_never_a_wall() -> None:
    text = "Page not found. Verify you are human. Subscribe to continue reading. " * 60

    assert classify_plain(text) is None


def cited(file: Path) -> Iterator[str]:
    with gzip.open(file, "rt", encoding="utf-8") as lines:
        for line in lines:
            for content in json.loads(line)["citation_contents"].values():
                if content and content.get("content"):
                    yield content["content"]


@pytest.mark.shared_data
def test_few_of_thousands_of_real_page_texts_are_taken_for_walls() -> None:
    folder = shared_data("wiki_live_challenge") / "systems_dev"
    texts = {text for file in sorted(folder.glob("*.gz"))[:3] for text in cited(file)}

    walls = [text for text in texts if classify_plain(clean_text(text))]

    assert len(texts) > 500
    assert len(walls) <= MOST_FLAGGED_SHARE * len(texts)
    assert max(map(len, walls), default=0) < 6000
