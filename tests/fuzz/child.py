"""Fuzzes one target in this process, led by coverage (atheris, which is libFuzzer).

Started by the runner as `python -m tests.fuzz.child TARGET STATE [LIBFUZZER OPTIONS]`,
for what a target can break is this process and nothing else. A broken promise is put
down and the search goes on; only a crash of the interpreter, or memory, ends it.
"""

import hashlib
import json
import logging
import sys
import traceback
from contextlib import suppress
from pathlib import Path
from random import Random
from time import process_time

import atheris

from tests.fuzz.mutating import grown, swapped
from tests.fuzz.target import Target
from tests.fuzz.targets import LED_BY, load
from tests.fuzz.timing import TooSlowError, within

_TELL_EVERY_S = 0.25
_MOST_FRAMES = 3


def main() -> None:
    """Fuzz until libFuzzer's own limit."""
    name, state = sys.argv[1], Path(sys.argv[2])
    logging.disable()  # libraries have much to say about broken files
    led_by = list(LED_BY[name])
    with atheris.instrument_imports(include=led_by, enable_loader_override=False):
        target = load(name)
        _import_what_is_needed_late(target)
    search = Search(target, state)
    options = [sys.argv[0], *sys.argv[3:]]
    atheris.Setup(options, search.try_one, custom_mutator=search.mutate)
    atheris.Fuzz()


def _import_what_is_needed_late(target: Target) -> None:
    """Read the seeds once: only what is imported by now leads the search."""
    for seed in target.seeds:
        with suppress(Exception, TooSlowError), within(target.longest_s):
            target.check(seed)


class Search:
    """Tries inputs, counts them, and puts down what breaks."""

    def __init__(self, target: Target, state: Path) -> None:
        self._target = target
        self._findings = state / "findings" / target.name
        self._progress = state / "progress" / f"{target.name}.json"
        for folder in (self._findings, self._progress.parent):
            folder.mkdir(parents=True, exist_ok=True)
        self._known = {path.stem for path in self._findings.glob("*.json")}
        self._began_s = self._told_s = process_time()
        self._tried = 0

    def try_one(self, data: bytes) -> None:
        """Hold one input against the promises."""
        self._tried += 1
        try:
            with within(self._target.longest_s):
                self._target.check(data)
        except (Exception, TooSlowError) as error:  # noqa: BLE001 - this is what we look for
            self._note(data, error)
        if self._tried == 1 or process_time() - self._told_s > _TELL_EVERY_S:
            self._tell()

    def mutate(self, data: bytes, max_size: int, seed: int) -> bytes:
        """Change an input: by the fuzzer's own means, or by pieces of the grammar."""
        chance = Random(seed)
        which = chance.random()
        if which < 0.4:
            return bytes(atheris.Mutate(data, max_size))
        changed = swapped(data, chance) if which < 0.7 else None
        return (changed or grown(data, self._target.words, chance))[:max_size]

    def _note(self, data: bytes, error: BaseException) -> None:
        signature = _signature(error)
        if signature in self._known:
            return
        self._known.add(signature)
        trace = "".join(traceback.format_exception(error))[-4_000:]
        kept = {"input": data.hex(), "error": f"{type(error).__name__}: {error}"[:500]}
        path = self._findings / f"{signature}.json"
        path.write_text(json.dumps({**kept, "told": trace}, indent=1))

    def _tell(self) -> None:
        self._told_s = process_time()
        progress = {"executions": self._tried, "cpu_s": self._told_s - self._began_s}
        passing = self._progress.with_suffix(".new")
        passing.write_text(json.dumps(progress))
        passing.replace(self._progress)


def _signature(error: BaseException) -> str:
    """Name what broke by its kind and its place, so that it is put down once."""
    frames = [
        f"{frame.filename.rpartition('/')[2]}:{frame.name}:{frame.lineno}"
        for frame in traceback.extract_tb(error.__traceback__)
    ]
    where = [] if isinstance(error, TooSlowError) else frames[-_MOST_FRAMES:]
    return hashlib.sha256(repr((type(error).__name__, where)).encode()).hexdigest()[:12]


if __name__ == "__main__":
    main()
