"""Chooses few small inputs that reach all that many reach, by the steps between lines."""

import sys
from collections.abc import Callable, Iterable
from pathlib import Path
from types import CodeType, FrameType
from typing import Any

from tests.fuzz.target import Target

_ROOT = Path(__file__).parents[2]
_OURS = tuple(f"{_ROOT / name}/" for name in ("bot", "handlers", "gadget"))
_LIBRARY = "/pypdf/"  # does in Python what we would have to do ourselves

_Step = tuple[CodeType, int, int]


def smallest(
    target: Target, inputs: Iterable[bytes], *, most_bytes: int, most: int
) -> list[bytes]:
    """Return inputs that add a step each, the shortest first, as far as there is room.

    Those that break a promise are left out; they are findings.
    """
    chosen: list[bytes] = []
    reached: set[_Step] = set()
    left = most_bytes
    for one in sorted(set(inputs), key=lambda each: (len(each), each)):
        steps = _steps(target.check, one)
        if steps is None or steps <= reached or len(one) > left:
            continue
        reached |= steps
        chosen.append(one)
        left -= len(one)
        if len(chosen) == most:
            break
    return chosen


def _steps(check: Callable[[bytes], object], one: bytes) -> set[_Step] | None:
    steps: set[_Step] = set()

    def enter(frame: FrameType, _event: str, _arg: Any) -> Any:
        file = frame.f_code.co_filename
        if not file.startswith(_OURS) and _LIBRARY not in file:
            return None
        last = 0

        def follow(frame: FrameType, event: str, _arg: Any) -> Any:
            nonlocal last
            if event == "line":
                steps.add((frame.f_code, last, frame.f_lineno))
                last = frame.f_lineno
            return follow

        return follow

    sys.settrace(enter)
    try:
        check(one)
    except Exception:  # noqa: BLE001 - a finding, which is no part of a corpus
        return None
    finally:
        sys.settrace(None)
    return steps
