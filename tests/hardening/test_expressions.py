"""No text makes a regular expression take the square of its length."""

import re

from tests.hardening.expressions import (
    BOUNDED,
    GUARDED,
    Found,
    collect,
    try_expressions,
)


def test_no_expression_takes_the_square_of_a_text() -> None:
    found = collect()

    assert try_expressions(found).faults == []
    assert len(found) > 200
    assert {*BOUNDED, *GUARDED} <= {one.where for one in found}


def test_one_that_does_is_noticed() -> None:
    square = Found("here", re.compile(r"\s+$"), "search")
    worse = Found("there", re.compile(r"(a+)+$"), "match")
    whole = Found("in all", re.compile(r"a(?:_\w{2,8})*"), "fullmatch")
    fine = Found("elsewhere", re.compile(r"(?<!\s)\s+$"), "search")
    begun = Found("at its start", re.compile(r"a(?:_\w{2,8})*"), "match")

    faults = try_expressions([square, worse, whole, fine, begun]).faults

    assert [fault.partition(":")[0] for fault in faults] == ["here", "there", "in all"]
