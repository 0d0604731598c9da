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
from tests.fuzz.timing import TooSlowError, within

_MOST_MEMORY_MB = 1_500
# By the clock, on a machine that has other things to do: the child itself watches the
# processor time of each input, unless it hangs in a library's own code.
_LONGEST_INPUT_S = 1_800
# Code that leads a search is up to four times as slow as it is in this process.
_LED_IS_SLOWER = 4
_HUNG = -1  # or never had its turn on a machine that is too busy
_ROOT = Path(__file__).parents[2]
_TOO_MUCH = "-malloc_limit_mb=1000"


def fuzz(name: str, state: State, longest_s: int) -> Account:
    """Search for `longest_s` by the clock; return the target's account afterwards."""
    target = load(name)
    _sow(target, state)
    before = state.account(name)
    code = _child(target, state, state.corpus(name), longest_s)
    cpu_s, executions = state.progress(name)
    account = before.with_round(cpu_s, executions, crashed=code not in {0, _HUNG})
    state.keep(name, account)
    return account


def retried(name: str, state: State) -> int:
    """Try all findings anew; forget those that are mended. Return how many are left."""
    target = load(name)
    for path in state.findings(name):
        data = bytes.fromhex(json.loads(path.read_text())["input"])
        if is_mended(target, data):
            _put(state.corpus(name), [data])
            path.unlink()
    for path in state.crashes(name):
        if _child(target, state, path, _LONGEST_INPUT_S) == 0:
            _put(state.corpus(name), [path.read_bytes()])
            path.unlink()
    return len(state.open_findings(name))


def is_mended(target: Target, data: bytes) -> bool:
    """Tell whether an input that was a finding keeps the promises by now, and in time."""
    try:
        with within(target.longest_s / _LED_IS_SLOWER):
            target.check(data)
    except (Exception, TooSlowError):  # noqa: BLE001 - it stays where it is
        return False
    return True


def _sow(target: Target, state: State) -> None:
    mended = (one.input for one in findings(target.name))
    _put(state.corpus(target.name), (*target.seeds, *corpus(target.name), *mended))


def _put(folder: Path, inputs: Iterable[bytes]) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    for one in inputs:
        path = folder / hashlib.sha1(one, usedforsecurity=False).hexdigest()
        if not path.exists():
            path.write_bytes(one)


def _spelled(word: bytes) -> str:
    return "".join(f"\\x{byte:02x}" for byte in word)


def _child(target: Target, state: State, tried: Path, longest_s: int) -> int:
    """Search from a folder of inputs, or try the input of one file; return its code."""
    words = state.folder / f"{target.name}.dict"
    words.write_text("".join(f'"{_spelled(word)}"\n' for word in target.words))
    crashes = state.folder / "crashes"
    crashes.mkdir(parents=True, exist_ok=True)
    options = (
        f"-max_total_time={longest_s}",
        f"-max_len={target.max_bytes}",
        f"-rss_limit_mb={_MOST_MEMORY_MB}",
        _TOO_MUCH,
        f"-timeout={_LONGEST_INPUT_S}",
        f"-dict={words}",
        f"-artifact_prefix={crashes / target.name}-",
        "-verbosity=0",
        "-print_final_stats=0",
    )
    command = [sys.executable, "-m", "tests.fuzz.child", target.name, str(state.folder)]
    with (state.folder / f"{target.name}.log").open("ab") as log:
        try:
            return subprocess.run(
                [*command, *options, str(tried)],
                cwd=_ROOT,
                env={**os.environ, "PYTHONPATH": str(_ROOT), "PYTHONHASHSEED": "0"},
                stdout=log,
                stderr=log,
                timeout=longest_s + 2 * _LONGEST_INPUT_S,
                check=False,
            ).returncode
        except subprocess.TimeoutExpired:
            return _HUNG
