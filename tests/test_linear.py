"""Work of a known order, and how it is recognised."""

import time

import pytest

from tests.linear import is_linear, repeated


class Work:
    """Takes as many microseconds as the length to the power of `order`."""

    def __init__(self, order: int, late_s: float = 0.0) -> None:
        self.order, self.late_s, self.done = order, late_s, 0

    def __call__(self, text: str) -> None:
        self.done += 1
        until = time.process_time() + len(text) ** self.order * 1e-6
        if self.done == 1:
            until += self.late_s
        while time.process_time() < until:
            pass


@pytest.mark.parametrize(("order", "length"), [(2, 240), (3, 40)])
def test_work_that_grows_faster_than_the_text_is_reported(
    order: int, length: int
) -> None:
    work = Work(order)

    assert not is_linear(repeated("a"), work, length, quick_s=0.03)
    assert work.done == 8


def test_work_that_grows_with_the_text_is_well_though_it_is_slow() -> None:
    assert is_linear(repeated("ab"), Work(1), 60_000, quick_s=0.01)


def test_one_slow_run_says_nothing() -> None:
    work = Work(1, late_s=0.5)

    assert is_linear(repeated("a"), work, 20_000, quick_s=0.01)
    assert work.done == 4


def test_quick_work_is_not_measured_again() -> None:
    work = Work(2)

    assert is_linear(repeated("a"), work, 100)
    assert work.done == 1
