from datetime import UTC, datetime, timedelta, timezone

import pytest

from bot.report.words import (
    counted,
    duration,
    moment,
    percent,
    probability_of,
    provenance,
)
from handlers.model import Origin, Probabilities, Verdict
from tests.builders import fetch


@pytest.mark.parametrize(
    ("probability", "figure"),
    [(1.0, "over 99%"), (0.95, "95%"), (0.41, "41%"), (0.0, "under 1%")],
)
def test_a_probability_is_never_shown_as_certain(
    probability: float, figure: str
) -> None:
    assert percent(probability) == figure


def test_each_verdict_has_its_own_probability() -> None:
    shares = Probabilities(0.1, 0.2, 0.3, 0.4)

    found = [probability_of(verdict, shares) for verdict in Verdict]

    assert found == [0.1, 0.2, 0.3, 0.4]


def test_a_moment_is_shown_in_universal_time() -> None:
    east = timezone(timedelta(hours=2))

    assert moment(datetime(2026, 11, 20, 1, 5, tzinfo=east)) == "2026-11-19 23:05 UTC"


@pytest.mark.parametrize(
    ("origin", "words"),
    [
        (Origin.LIVE, "live page, read 2011-06-01"),
        (Origin.ARCHIVE, "archived copy of 2011-06-01"),
        (Origin.DISK, "copy on disk, captured 2011-06-01"),
        (None, ""),
    ],
)
def test_a_reading_says_where_its_text_came_from(
    origin: Origin | None, words: str
) -> None:
    when = datetime(2011, 6, 1, tzinfo=UTC)

    assert provenance(fetch(origin=origin, read_at=when)) == words


def test_numbers_agree_with_their_nouns() -> None:
    assert [counted(number, "claim") for number in (0, 1, 2)] == [
        "0 claims",
        "1 claim",
        "2 claims",
    ]


@pytest.mark.parametrize(
    ("seconds", "words"), [(3.24, "3.2 s"), (59.4, "59.4 s"), (125.0, "2 min 5 s")]
)
def test_a_duration_is_said_as_a_person_would(seconds: float, words: str) -> None:
    assert duration(seconds) == words
