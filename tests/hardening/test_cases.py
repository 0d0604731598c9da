"""Every case has its promise, and every test that is named is there."""

import ast
from functools import cache
from pathlib import Path

from tests.hardening.cases import ALL, CASES, GOALS
from tests.hardening.report import is_up_to_date

_ROOT = Path(__file__).parents[2]


@cache
def _functions(file: str) -> frozenset[str]:
    path = _ROOT / file
    if not path.is_file():
        return frozenset()
    nodes = ast.walk(ast.parse(path.read_text("utf-8")))
    kinds = (ast.FunctionDef, ast.AsyncFunctionDef)
    return frozenset(node.name for node in nodes if isinstance(node, kinds))


def test_each_test_that_is_named_is_there() -> None:
    missing = [
        (case.number, name)
        for case in ALL
        for name in case.tests
        if name.partition("::")[2] not in _functions(name.partition("::")[0])
    ]

    assert missing == []
    for case in ALL:
        assert len(set(case.tests)) == len(case.tests), case.number
        assert case.tests or case.not_shown, case.number


def test_no_case_and_no_goal_is_left_out() -> None:
    assert [case.number for case in CASES] == [str(one) for one in range(1, 53)]
    assert [case.number for case in GOALS] == [f"G{one}" for one in range(1, 16)]


def test_the_report_has_the_cases_as_they_are() -> None:
    assert is_up_to_date(), "./dev hardening cases"
