"""The built-in networks, each pair of texts read once in a whole run of the tests.

They give the same answer to the same pair, and a pair takes some 60 ms of a core; many
tests check the articles that ship. So what they answered stands in a file, which all
processes of a run share: those of pytest, and the program where it is run from here
(`python -m tests.rig.networks ARGUMENTS`).
"""

import os
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from functools import cache
from hashlib import sha256
from pathlib import Path

from bot.__main__ import main
from bot.models import neural
from handlers.citations.network_input import CrossEncoder, PairAnswer, PairText

ANSWERS = "TESTS_ANSWERS_OF_NETWORKS"  # the variable that names the file

_shipped: Callable[..., CrossEncoder] = neural.shipped_networks


class _Remembering:
    """The networks beside what was answered before, by any process."""

    def __init__(self, networks: CrossEncoder, file: Path) -> None:
        self._networks = networks
        self._file = os.open(file, os.O_RDWR | os.O_APPEND | os.O_CREAT, 0o600)
        self._read = 0
        self._known: dict[str, PairAnswer] = {}

    def __call__(self, pair: PairText) -> PairAnswer:
        key = sha256(repr(pair).encode()).hexdigest()
        if key not in self._known:
            self._look_again()
        if key not in self._known:
            answer = self._known[key] = self._networks(pair)
            # A line is written at once, so that no two processes mix theirs.
            os.write(self._file, f"{key} {' '.join(_numbers(answer))}\n".encode())
        return self._known[key]

    def _look_again(self) -> None:
        """Read what was written since the last look."""
        began = self._read
        more = os.pread(self._file, os.fstat(self._file).st_size - began, began)
        whole = more[: more.rfind(b"\n") + 1]
        for line in whole.decode().splitlines():
            key, *numbers = line.split()
            self._known[key] = _answer(list(map(float, numbers)))
        self._read = began + len(whole)


def _numbers(answer: PairAnswer) -> Iterator[str]:
    for one in (answer, answer.larger):
        yield from map(repr, (one.supported, one.refuted, one.unmentioned))
    yield repr(answer.borne_out)


def _answer(numbers: list[float]) -> PairAnswer:
    smaller, larger = PairAnswer(*numbers[:3]), PairAnswer(*numbers[3:6])
    return replace(smaller, larger=larger, borne_out=numbers[6])


@cache
def _remembering(file: Path) -> CrossEncoder:
    return _Remembering(_shipped(threads=1), file)


def remember() -> None:
    """Let this process look into the run's file, if it has one, before it asks them."""
    if file := os.environ.get(ANSWERS):
        neural.shipped_networks = lambda **_: _remembering(Path(file))


@contextmanager
def remembered(folder: Path) -> Iterator[None]:
    """Keep what the networks answer in `folder`, which all processes of the run have."""
    os.environ[ANSWERS] = str(folder / "answers-of-networks")
    remember()
    yield
    neural.shipped_networks = _shipped
    del os.environ[ANSWERS]


if __name__ == "__main__":
    remember()
    sys.argv[0] = "sidenote"
    main()
