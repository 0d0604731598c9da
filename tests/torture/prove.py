"""`./dev torture --prove`: puts faults in on purpose; the torture has to notice each.

Each fault is in a copy of the tree in a temporary folder, and the shortest torture that
should notice it runs there. The same run of the tree as it is has to find nothing.
"""

import json
import os
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from pathlib import Path

from tests.torture.faults import FAULTS, Fault, Part, copy_tree, mutated
from tests.torture.pipeline.stage import whole_stage
from tests.torture.pipeline.torture import Wishes, torture

_LONGEST_S = 900.0
_AT_ONCE = 4  # most of a run is waiting
_REST_S = 60.0
_LIVES_S = 300.0
_TIDIES_S = 5.0
_SHOWN = 160
_LISTED = 20
_RUNS = {
    Part.PAIRS: Wishes(0, 0, 0, 0, pairs=6),
    Part.WRITES: Wishes(10, 0, 0, 6, states=20),
    Part.PEOPLE: Wishes(2, 0, 2, 0, rivals=8, takes=8, least=2, losses=0.6, lost=6),
    Part.DRY: Wishes(4, 0, 0, 0, is_dry=True),
}


@dataclass(frozen=True, slots=True)
class Proof:
    """What a run of a part found, with a fault in the tree or without."""

    part: Part
    fault: Fault | None
    wrong: tuple[str, ...]
    took_s: float
    broke: str = ""

    @property
    def is_as_it_should_be(self) -> bool:
        """Whether the fault was noticed, or nothing was found where there is none."""
        return not self.broke and bool(self.wrong) == (self.fault is not None)

    def __str__(self) -> str:
        name = self.fault.name if self.fault else "no fault"
        if self.broke:
            said = f"it broke: {self.broke}"
        elif self.fault is None:
            said = f"NOT CLEAN: {self.wrong[0]}" if self.wrong else "nothing is wrong"
        else:
            said = f"noticed: {self.wrong[0]}" if self.wrong else "NOT NOTICED"
        said = (
            f"{said[:_SHOWN]}, and {len(self.wrong) - 1} more" if self.wrong else said
        )
        return f"{name} ({self.part.value}, {self.took_s:.0f} s): {said}"


def prove(words: str, seed: int, tell: Callable[[str], None]) -> list[Proof]:
    """Run parts on the tree as it is, and with each of their faults.

    Args:
        words: in the names of the faults; empty for all.
        seed: where all chance begins.
        tell: is given each proof in words.

    Raises:
        NotFoundError: the text that a fault changes is no longer in the tree.
    """
    for fault in FAULTS:
        mutated(fault)
    chosen = [fault for fault in FAULTS if words in fault.name]
    parts = sorted({fault.part for fault in chosen}, key=list(Part).index)
    asked: list[tuple[Part, Fault | None]] = [(part, None) for part in parts]
    asked += [(fault.part, fault) for fault in chosen]
    proofs = []
    with (
        tempfile.TemporaryDirectory(prefix="sidenote-proof-") as folder,
        ThreadPoolExecutor(_AT_ONCE) as pool,
    ):
        tree = copy_tree(Path(folder), [])
        # Otherwise each run would compile all of it, which takes longer than it lives.
        subprocess.run([sys.executable, "-m", "compileall", "-q", tree], check=False)
        for proof in pool.map(lambda each: _proof(tree, each[0], each[1], seed), asked):
            tell(str(proof))
            proofs.append(proof)
    return proofs


def _proof(tree: Path, part: Part, fault: Fault | None, seed: int) -> Proof:
    began_s, output = time.monotonic(), ""
    with tempfile.TemporaryDirectory(prefix="sidenote-proof-") as name:
        copied = copy_tree(Path(name), [fault] if fault else [], tree)
        command = [sys.executable, "-m", __spec__.name, part.name, str(seed)]
        with subprocess.Popen(
            command,
            cwd=copied,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            start_new_session=True,
        ) as run:
            try:
                output, errors = run.communicate(timeout=_LONGEST_S)
                broke = _complaint(errors) if run.returncode else ""
            except subprocess.TimeoutExpired:
                broke = f"it took longer than {_LONGEST_S:.0f} s"
            finally:
                _end(run.pid)
    wrong = () if broke else tuple(json.loads(output.splitlines()[-1]))
    return Proof(part, fault, wrong, time.monotonic() - began_s, broke)


def _end(group: int) -> None:
    """End what a run has left, such as lives that are stopped; first let it tidy up."""
    for number, wait_s in ((signal.SIGINT, _TIDIES_S), (signal.SIGKILL, 0.0)):
        until_s = time.monotonic() + wait_s
        try:
            os.killpg(group, number)
            while time.monotonic() < until_s:
                os.killpg(group, 0)
                time.sleep(0.1)
        except ProcessLookupError:
            return


def _complaint(output: str) -> str:
    """Return the line that says why a run broke."""
    lines = [line for line in output.splitlines() if line.strip()]
    errors = [line for line in lines if "Error" in line]
    return (errors or lines or ["it said nothing"])[-1][:_SHOWN]


def summary(proofs: Sequence[Proof], took_s: float) -> str:
    """Return all of it, with how many faults were noticed."""
    return "\n".join([*map(str, proofs), *_sums(proofs), f"took {took_s:.0f} s"])


def _sums(proofs: Sequence[Proof]) -> Iterator[str]:
    for what, some in (
        ("faults noticed", [each for each in proofs if each.fault]),
        ("runs without a fault that are clean", [e for e in proofs if not e.fault]),
    ):
        good = sum(each.is_as_it_should_be for each in some)
        yield f"{good} of {len(some)} {what}"


def _main(part: Part, seed: int) -> None:
    """Run a part of the tree that this stands in."""
    wishes = _RUNS[part]
    kills = wishes.kills or 2 * wishes.pairs
    wishes = replace(
        wishes, seed=seed, kills=kills, rest_s=_REST_S, is_curt=True, longest_s=_LIVES_S
    )
    with (
        tempfile.TemporaryDirectory(prefix="sidenote-torture-") as folder,
        whole_stage(Path(folder)) as stage,
    ):
        result = torture(stage, wishes, lambda line: print(line, file=sys.stderr))  # noqa: T201
    sys.stdout.write(json.dumps(result.wrong[:_LISTED]) + "\n")


if __name__ == "__main__":
    _main(Part[sys.argv[1]], int(sys.argv[2]))
