"""Log lines are one JSON object each, and no storm of them gets through."""

import io
import json
import subprocess
import sys

import pytest
import structlog
from structlog import DropEvent

from bot.app.wiring.logs import Limited, LineRate, configure_logging, shortened
from bot.settings import Settings

_STORM = """
import logging, structlog
from bot.app.wiring.logs import configure_logging
from bot.settings import LogLevel, Settings
configure_logging(Settings(log_level=LogLevel.INFO))
log = structlog.get_logger()
for number in range(5_000):
    log.warning("storm", number=number, why="x" * 10_000 if not number else "")
logging.getLogger("aiohttp.server").error("oops %s", "x")
logging.getLogger("odd").error("oops %d", "x")
try:
    raise ValueError("\\n" * 10_000)
except ValueError:
    log.exception("fault")
"""


def test_a_storm_is_a_few_lines_and_hides_no_fault() -> None:
    done = subprocess.run(
        [sys.executable, "-c", _STORM], check=True, capture_output=True, text=True
    )
    lines = [json.loads(line) for line in done.stderr.splitlines()]
    events = [line["event"] for line in lines]

    assert len(done.stderr) < 20_000
    assert 30 <= events.count("storm") < 60
    assert events[-3:] == ["aiohttp.server says", "odd says", "fault"]
    assert [line["said"] for line in lines[-3:-1]] == ["oops x", "oops %d"]


class _Stream(io.StringIO):
    def __init__(self, *, is_terminal: bool) -> None:
        super().__init__()
        self._is_terminal = is_terminal

    def isatty(self) -> bool:
        return self._is_terminal


@pytest.mark.parametrize("is_terminal", [True, False])
def test_a_fault_is_logged_without_what_the_program_holds(
    monkeypatch: pytest.MonkeyPatch, *, is_terminal: bool
) -> None:
    stream = _Stream(is_terminal=is_terminal)
    monkeypatch.setattr(sys, "stderr", stream)
    configure_logging(Settings())
    held = "hunter" + "2"
    try:
        raise ValueError(len(held))
    except ValueError:
        structlog.get_logger().exception("fault")

    assert "ValueError: 7" in stream.getvalue()
    assert "hunter2" not in stream.getvalue()


class _Clock:
    def __init__(self) -> None:
        self.now_s = 0.0

    def __call__(self) -> float:
        return self.now_s


def _through(limited: Limited, level: str, event: str) -> int | None:
    """Return how many were left out before a line; `None` if it is left out."""
    try:
        return int(limited(None, level, {"event": event}).get("left_out", 0))
    except DropEvent:
        return None


def test_the_next_line_of_a_kind_says_how_many_were_left_out() -> None:
    clock = _Clock()
    limited = Limited(clock, LineRate(2, 1), LineRate(100, 100))

    first = [_through(limited, "info", "a") for _ in range(5)]
    other = _through(limited, "info", "b")
    clock.now_s = 1.0
    later = [_through(limited, "info", "a") for _ in range(2)]

    assert first == [0, 0, None, None, None]
    assert other == 0
    assert later == [3, None]


def test_half_of_the_room_is_for_errors() -> None:
    limited = Limited(_Clock(), LineRate(1, 1), LineRate(10, 1))

    infos = [_through(limited, "info", f"i{n}") for n in range(20)]
    errors = [_through(limited, "error", f"e{n}") for n in range(20)]

    assert infos.count(0) == 5
    assert errors.count(0) == 5


def test_a_clock_that_goes_back_takes_no_room() -> None:
    clock = _Clock()
    limited = Limited(clock, LineRate(3, 1), LineRate(100, 1))
    assert _through(limited, "info", "a") == 0
    clock.now_s = -100.0

    assert [_through(limited, "info", "a") for _ in range(3)] == [0, 0, None]


def test_endless_kinds_of_lines_take_no_endless_room() -> None:
    limited = Limited(_Clock(), LineRate(1, 0), LineRate(10_000, 0))

    passed = [_through(limited, "info", f"kind {n}") for n in range(400)]

    assert passed.count(0) == 301


def test_kinds_that_came_long_ago_make_room_for_others() -> None:
    clock = _Clock()
    limited = Limited(clock, LineRate(1, 1), LineRate(10_000, 0))
    for number in range(400):
        _through(limited, "info", f"kind {number}")
    clock.now_s += 60

    assert [_through(limited, "info", kind) for kind in ("new", "newer")] == [0, 0]


@pytest.mark.parametrize(
    ("given", "most"),
    [
        pytest.param({"why": "x" * 10_000}, 2_001, id="words"),
        pytest.param({"why": ["x" * 10_000]}, 2_001, id="a list"),
        pytest.param({"exception": "x" * 10_000}, 6_001, id="a trace"),
    ],
)
def test_what_is_long_is_clipped(given: dict[str, object], most: int) -> None:
    [value] = shortened(None, "info", dict(given)).values()

    assert len(str(value)) == most


def test_the_end_of_a_trace_stays() -> None:
    line = shortened(None, "error", {"exception": f"{'x' * 10_000}ValueError: here"})

    assert str(line["exception"]).endswith("ValueError: here")


def test_a_line_has_so_many_fields() -> None:
    assert len(shortened(None, "info", {f"f{n}": n for n in range(1000)})) == 40
