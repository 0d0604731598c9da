"""The points that ship: whole, for the engine that ships, read back as written."""

import json
from pathlib import Path

import pytest

from bot.app.wiring.checks import open_verifier
from bot.models.operating_points import (
    from_json,
    merged,
    read_points,
    shipped_points,
    to_json,
)
from bot.settings import Settings
from handlers.citations.flags import UNMEASURED, OperatingPoints
from handlers.model import Engine
from handlers.ports import PermanentError


def test_the_engine_that_ships_has_points_that_were_measured() -> None:
    engine = open_verifier(Settings()).engine

    points = OperatingPoints(shipped_points()).at(engine, "en.wikipedia.org")

    assert points != UNMEASURED, f"run `sidenote train operating-points` for {engine}"
    assert any(point.threshold is not None for point in points)
    for point in points:
        assert point.measured is not None
        if point.threshold is not None:
            assert point.measured.precision >= 0.8


def test_points_are_read_back_as_they_were_written() -> None:
    text = to_json(shipped_points())

    assert to_json(from_json(text)) == text


def test_new_points_replace_those_of_the_same_engine_alone() -> None:
    [first, *_] = shipped_points()
    other = type(first)(Engine("other", "1"), first.languages, first.by_wiki)

    both = merged([first], other)

    assert {one.engine for one in both} == {first.engine, other.engine}
    assert merged(both, other) == both


@pytest.mark.parametrize(
    ("path", "value", "message"),
    [
        pytest.param(["format"], 99, "format 99", id="another format"),
        pytest.param(["engines", 0, "wikis"], {}, "no points for", id="no default"),
        pytest.param(
            ["engines", 0, "wikis", "*", 0, "threshold"], 0.2, "0.5", id="below chance"
        ),
        pytest.param(
            ["engines", 0, "wikis", "*", 0, "kind"], "not supported", "one point", id="twice"
        ),
        pytest.param(["engines", 0, "more"], 1, "Extra", id="an unknown field"),
    ],
)  # fmt: skip
def test_a_file_that_is_wrong_is_refused(
    tmp_path: Path, path: list[str | int], value: object, message: str
) -> None:
    content = json.loads(to_json(shipped_points()))
    place = content
    for step in path[:-1]:
        place = place[step]
    place[path[-1]] = value
    file = tmp_path / "points.json"
    file.write_text(json.dumps(content))

    with pytest.raises(PermanentError, match=message):
        read_points(file)


def test_a_file_that_is_not_there_has_no_points(tmp_path: Path) -> None:
    assert read_points(tmp_path / "none.json") == ()
