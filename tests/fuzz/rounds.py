"""One round of fuzzing: a child of its own, with bounded memory and time."""

import hashlib
import json
import os
import subprocess
import sys
from collections.abc import Iterable
from pathlib import Path

from tests.fuzz.corpus import corpus, findings
from tests.fuzz.ledger import Account, State
from tests.fuzz.target import Target
from tests.fuzz.targets import load

_MOST_MEMORY_MB = 1_500
# By the clock, on a machine that has other things to do: the child itself watches the
# processor time of each input, unless it hangs in a library's own code.
_LONGEST_INPUT_S = 1_800
_HUNG = -1  # or never had its turn on a machine that is too busy
_ROOT = Path(__file__).parents[2]
_TOO_MUCH = "-malloc_limit_mb=1000"


def fuzz(name: str, state: State, longest_s: int) -> Account:
    """Search for `longest_s` by the clock; return the target's account afterwards."""
    target = load(name)
    _sow(target, state)
    before = state.account(name)
    code = _child(target, state, longest_s)
    cpu_s, executions = state.progress(name)
    account = before.with_round(cpu_s, executions, crashed=code not in {0, _HUNG})
    state.keep(name, account)
    return account


def retried(name: str, state: State) -> int:
    """Try all findings anew; forget those that are mended. Return how many are left."""
    target = load(name)
    for path in state.open_findings(name):
        data = bytes.fromhex(json.loads(path.read_text())["input"])
        try:
            target.check(data)
        except Exception:  # noqa: BLE001, S112 - it stays where it is
            continue
        path.unlink()
        _put(state.corpus(name), [data])
    return len(state.open_findings(name))


def _sow(target: Target, state: State) -> None:
    mended = (one.input for one in findings(target.name))
    folder = state.corpus(target.name)
    folder.mkdir(parents=True, exist_ok=True)
    _put(folder, (*target.seeds, *corpus(target.name), *mended))
    words = "".join(f'"{_spelled(word)}"\n' for word in target.words)
    (state.folder / f"{target.name}.dict").write_text(words)


def _put(folder: Path, inputs: Iterable[bytes]) -> None:
    for one in inputs:
        path = folder / hashlib.sha1(one, usedforsecurity=False).hexdigest()
        if not path.exists():
            path.write_bytes(one)


def _spelled(word: bytes) -> str:
    return "".join(f"\\x{byte:02x}" for byte in word)


def _child(target: Target, state: State, longest_s: int) -> int:
    crashes = state.folder / "crashes"
    crashes.mkdir(exist_ok=True)
    options = (
        f"-max_total_time={longest_s}",
        f"-max_len={target.max_bytes}",
        f"-rss_limit_mb={_MOST_MEMORY_MB}",
        _TOO_MUCH,
        f"-timeout={_LONGEST_INPUT_S}",
        f"-dict={state.folder / f'{target.name}.dict'}",
        f"-artifact_prefix={crashes / target.name}-",
        "-verbosity=0",
        "-print_final_stats=0",
    )
    command = [sys.executable, "-m", "tests.fuzz.child", target.name, str(state.folder)]
    with (state.folder / f"{target.name}.log").open("ab") as log:
        try:
            return subprocess.run(
                [*command, *options, str(state.corpus(target.name))],
                cwd=_ROOT,
                env={**os.environ, "PYTHONPATH": str(_ROOT), "PYTHONHASHSEED": "0"},
                stdout=log,
                stderr=log,
                timeout=longest_s + 2 * _LONGEST_INPUT_S,
                check=False,
            ).returncode
        except subprocess.TimeoutExpired:
            return _HUNG
