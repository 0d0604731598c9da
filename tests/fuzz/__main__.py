"""`./dev fuzz`: looks for bytes that break what reads them; goes on where it was left.

Each target gets its time in children of its own, a round of each target after the other.
What `--write` keeps beside the corpus is where the next search, on any machine, goes on.
The exit code is 1 while a finding is open. `--gather` makes the corpus of the repository
anew from all that was found.
"""

import argparse
import logging
import sys
from pathlib import Path

from tests.fuzz import ledger, summary
from tests.fuzz.corpus import corpus, findings, keep
from tests.fuzz.ledger import State
from tests.fuzz.minimising import smallest
from tests.fuzz.rounds import fuzz, retried
from tests.fuzz.targets import NAMES, load

_DEFAULT_STATE = Path(__file__).parents[2] / ".cache" / "fuzz"
_MOST_BYTES = 24 * 1024  # of one target's corpus
_MOST_INPUTS = 250


def main() -> int:
    """Fuzz what is named, or all; 0 if no finding is open."""
    options = _arguments()
    logging.disable()  # libraries have much to say about broken files
    state = State(options.state)
    state.go_on(ledger.kept())
    names = options.targets or list(NAMES)
    _search(names, state, options.minutes * 60, options.round_s)
    left = sum(retried(name, state) for name in names)
    if options.gather:
        for name in names:
            _gather(name, state)
    if options.write:
        ledger.write({name: state.account(name) for name in NAMES})
        _tell(f"wrote {summary.write(state, NAMES, './dev fuzz --write')}")
    for path in (each for name in names for each in state.open_findings(name)):
        _tell(f"open: {path}")
    return 1 if left else 0


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="./dev fuzz", description=__doc__)
    parser.add_argument(
        "targets", nargs="*", choices=[*NAMES, []], help="all if none", metavar="TARGET"
    )
    parser.add_argument(
        "--minutes",
        type=float,
        default=1.0,
        help="of processor time, for each target (1)",
    )
    parser.add_argument(
        "--round-s",
        type=int,
        default=60,
        help="seconds of one round, by the clock (60)",
    )
    parser.add_argument("--state", type=Path, default=_DEFAULT_STATE, help="its folder")
    parser.add_argument(
        "--write", action="store_true", help="write tests/results/fuzz.md"
    )
    parser.add_argument(
        "--gather", action="store_true", help="make tests/fuzz/corpus anew"
    )
    return parser.parse_args()


def _search(names: list[str], state: State, wanted_s: float, round_s: int) -> None:
    goals_s = {name: state.account(name).cpu_s + wanted_s for name in names}
    while behind := [
        name for name in names if state.account(name).cpu_s < goals_s[name]
    ]:
        for name in behind:
            _round(name, state, round_s)


def _round(name: str, state: State, round_s: int) -> None:
    before = state.account(name)
    account = fuzz(name, state, round_s)
    if account.executions == before.executions:
        raise SystemExit(f"{name} does not start; see {state.folder / f'{name}.log'}")
    _tell(
        f"{name}: {account.cpu_s:.0f} s of processor time, {account.executions:,}"
        f" executions, {len(state.open_findings(name))} open findings"
    )


def _gather(name: str, state: State) -> None:
    target = load(name)
    mended = {one.input for one in findings(name)}
    known = {*target.seeds, *corpus(name), *state.inputs(name)} - mended
    chosen = smallest(target, known, most_bytes=_MOST_BYTES, most=_MOST_INPUTS)
    keep(name, chosen)
    _tell(f"{name}: {len(chosen)} of {len(known)} inputs kept")


def _tell(line: str) -> None:
    sys.stderr.write(f"fuzz: {line}\n")


if __name__ == "__main__":
    sys.exit(main())
