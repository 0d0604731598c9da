"""What the faults change is still in the tree, and a copy has nothing else changed."""

import ast
from pathlib import Path

import pytest

from tests.torture.faults import (
    FAULTS,
    ROOT,
    Fault,
    NotFoundError,
    Part,
    copy_tree,
    mutated,
)
from tests.torture.prove import Proof


@pytest.mark.parametrize("fault", FAULTS, ids=lambda each: each.name)
def test_the_text_of_each_fault_is_in_the_tree_once(fault: Fault) -> None:
    ast.parse(mutated(fault))


def test_a_fault_whose_text_is_gone_is_told(tmp_path: Path) -> None:
    fault = FAULTS[0]
    (tmp_path / fault.file).parent.mkdir(parents=True)
    (tmp_path / fault.file).write_text("nothing of it", "utf-8")

    with pytest.raises(NotFoundError):
        mutated(fault, tmp_path)


def test_a_copy_has_the_fault_and_the_tree_has_not(tmp_path: Path) -> None:
    fault = FAULTS[0]

    copied = copy_tree(tmp_path, [fault])

    assert (copied / fault.file).read_text("utf-8") == mutated(fault)
    assert fault.before in (ROOT / fault.file).read_text("utf-8")
    assert (copied / "bot/__init__.py").read_bytes() == (
        ROOT / "bot/__init__.py"
    ).read_bytes()


@pytest.mark.parametrize(
    ("fault", "wrong", "broke", "is_right"),
    [
        (FAULTS[0], ("a note is lost",), "", True),
        (FAULTS[0], (), "", False),
        (FAULTS[0], (), "no wiki", False),
        (None, (), "", True),
        (None, ("a note is lost",), "", False),
    ],
)
def test_a_proof_is_right_if_only_what_is_wrong_is_noticed(
    fault: Fault | None, wrong: tuple[str, ...], broke: str, *, is_right: bool
) -> None:
    proof = Proof(Part.PAIRS, fault, wrong, 1.0, broke)

    assert proof.is_as_it_should_be is is_right
