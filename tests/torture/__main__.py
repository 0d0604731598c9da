"""`./dev torture`: kills daemons, workers and MariaDB and fills disks, for an hour or so.

Each part says what it counted; the exit code is 1 if anything was lost or doubled. With
`--prove` it puts faults in first, and the exit code is 1 if one is not noticed.
"""

import argparse
import os
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from tests.torture import databases, disks, prove, reach, report
from tests.torture.pipeline.stage import whole_stage
from tests.torture.pipeline.torture import Wishes, torture
from tests.torture.sharing import torture as sharing
from tests.torture.tally import Tally

_PARTS = ("kills", "workers", "servers", "disks", "addresses", "tokens", "problems")
_KILLS_A_FLIP = 5
_KILLS_A_WRITE = 5  # at least one of so many comes while a write is unanswered
_KILLS_A_PAIR = 20  # two of so many come at once
_PAGES_EACH, _KILLS_EACH = 30, 5  # for each worker
_ATTEMPTS = 8  # as one page may be in work whenever something is killed
_IDLE_S = 20.0
_FEW, _MANY = 2, 25  # how often people report a problem, beside 28 other deeds


def main() -> int:
    """Do all parts that are asked for; 0 if nothing is wrong."""
    options = _arguments()
    if options.prove is not None:
        return _prove(options)
    wrong = False
    if options.kills:
        wrong |= _kill_daemons(options, "kills")
    if options.problems:
        wrong |= _kill_daemons(options, "problems")
    if options.workers:
        wrong |= _kill_workers(options)
    if options.servers:
        tally = databases.run(options.servers, options.seed)
        wrong |= _report(options, "servers", tally)
    if options.disks:
        missing = disks.absence()
        if missing:
            _tell(f"no disk was filled: {missing}")
        else:
            wrong |= _report(options, "disks", disks.run(options.disks, options.seed))
    if options.addresses:
        tally = reach.addresses(options.addresses, options.seed)
        wrong |= _report(options, "addresses", tally)
    if options.tokens:
        os.environ["NO_PROXY"] = "*"
        wrong |= _report(
            options, "tokens", reach.watchlist(options.tokens, options.seed)
        )
    return 1 if wrong else 0


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="./dev torture", description=__doc__)
    for name, count, what in (
        ("kills", 500, "times that the daemon is killed on a wiki; 0: not at all"),
        ("workers", 4, "processes that look at pages, half as many that read sources"),
        ("servers", 100, "times that MariaDB is killed"),
        ("disks", 50, "times that the disk is full"),
        ("problems", 60, "such kills while people report many problems with notes"),
        ("addresses", 100, "checks of addresses that die and come back"),
        ("tokens", 20, "times that the token of a watchlist is withdrawn"),
        ("seed", 1, "where all chance begins"),
        ("minutes", 60, "that killing the daemon may take"),
    ):
        help_text = f"{what} ({count})"
        parser.add_argument(f"--{name}", type=int, default=count, help=help_text)
    parser.add_argument(
        "--prove",
        nargs="?",
        const="",
        metavar="WORDS",
        help="put faults in on purpose (those with WORDS in their name), each to be"
        " noticed, and do nothing else",
    )
    parser.add_argument("--keep", type=Path, help="folder for the database and the log")
    parser.add_argument(
        "--write", action="store_true", help="put it into tests/results/torture.md"
    )
    return parser.parse_args()


def _prove(options: argparse.Namespace) -> int:
    began_s = time.monotonic()
    proofs = prove.prove(options.prove, options.seed, _tell)
    text = prove.summary(proofs, time.monotonic() - began_s)
    _tell(text)
    if options.write:
        words = f" '{options.prove}'" if options.prove else ""
        command = f"./dev torture --prove{words} --seed {options.seed} --write"
        report.write("proof", command, text)
    return 0 if all(each.is_as_it_should_be for each in proofs) else 1


def _kill_daemons(options: argparse.Namespace, part: str) -> bool:
    kills = getattr(options, part)
    wishes = Wishes(
        kills=kills,
        seed=options.seed,
        flips=max(1, kills // _KILLS_A_FLIP),
        unanswered=kills // _KILLS_A_WRITE,
        pairs=kills // _KILLS_A_PAIR,
        longest_s=options.minutes * 60.0,
        reports=_MANY if part == "problems" else _FEW,
    )
    with _folder(options.keep) as folder, whole_stage(folder) as stage:
        result = torture(stage, wishes, _tell)
    _tell(result.text())
    if options.write:
        report.write(part, _command(options, part), result.text())
    return bool(result.wrong)


def _kill_workers(options: argparse.Namespace) -> bool:
    count = options.workers
    wishes = sharing.Wishes(
        workers=count,
        readers=max(1, count // 2),
        pages=_PAGES_EACH * count,
        kills=_KILLS_EACH * count,
        attempts=_ATTEMPTS,
        seed=options.seed,
        longest_s=options.minutes * 60.0,
    )
    tally = sharing.run(wishes)
    idle = sharing.idle_queries_per_s(count + wishes.readers, _IDLE_S)
    summary = (
        f"{count} workers and {wishes.readers} readers with nothing to do ask the"
        f" database {idle:.1f} times a second (over {_IDLE_S:.0f} s)"
    )
    return _report(options, "workers", tally, summary)


@contextmanager
def _folder(kept: Path | None) -> Iterator[Path]:
    if kept is not None:
        kept.mkdir(parents=True, exist_ok=True)
        yield kept
        return
    with tempfile.TemporaryDirectory(prefix="sidenote-torture-") as folder:
        yield Path(folder)


def _report(options: argparse.Namespace, part: str, tally: Tally, *more: str) -> bool:
    text = "\n".join([str(tally), *more])
    _tell(text)
    if options.write:
        report.write(part, _command(options, part), text)
    return bool(tally.faults)


def _command(options: argparse.Namespace, part: str) -> str:
    counts = " ".join(
        f"--{one} {getattr(options, one) if one == part else 0}" for one in _PARTS
    )
    return f"./dev torture {counts} --seed {options.seed} --write"


def _tell(line: str) -> None:
    sys.stdout.write(f"{line}\n")
    sys.stdout.flush()


if __name__ == "__main__":
    sys.exit(main())
