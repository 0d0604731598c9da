"""No text makes a regular expression take the square of its length."""

import re

from tests.hardening.expressions import Found, collect, try_expressions


def test_no_expression_takes_the_square_of_a_text() -> None:
    found = collect()

    assert try_expressions(found).faults == []
    assert len(found) > 500


def test_one_that_does_is_noticed() -> None:
    square = Found("here", re.compile(r"\s+$"), anchored=False)
    worse = Found("there", re.compile(r"(a+)+$"), anchored=True)
    fine = Found("elsewhere", re.compile(r"(?<!\s)\s+$"), anchored=False)

    faults = try_expressions([square, worse, fine]).faults

    assert [fault.partition(":")[0] for fault in faults] == ["here", "there"]
