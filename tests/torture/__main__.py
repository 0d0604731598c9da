"""`./dev torture`: kills the daemon, kills MariaDB and fills disks, for an hour or so.

Each part says what it counted; the exit code is 1 if anything was lost or doubled.
"""

import argparse
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from tests.torture import databases, disks
from tests.torture.pipeline.stage import whole_stage
from tests.torture.pipeline.torture import Wishes, torture
from tests.torture.tally import Tally

_KILLS_A_FLIP = 5


def main() -> int:
    """Do all parts that are asked for; 0 if nothing is wrong."""
    given = _arguments()
    wrong = False
    if given.kills:
        wrong |= _kill_daemons(given)
    if given.servers:
        wrong |= _told(databases.run(given.servers, given.seed))
    if given.disks:
        missing = disks.absence()
        if missing:
            _tell(f"no disk was filled: {missing}")
        else:
            wrong |= _told(disks.run(given.disks, given.seed))
    return 1 if wrong else 0


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="./dev torture", description=__doc__)
    for name, count, what in (
        ("kills", 500, "times that the daemon is killed on a wiki; 0: not at all"),
        ("servers", 100, "times that MariaDB is killed"),
        ("disks", 50, "times that the disk is full"),
        ("seed", 1, "where all chance begins"),
        ("minutes", 60, "that killing the daemon may take"),
    ):
        told = f"{what} ({count})"
        parser.add_argument(f"--{name}", type=int, default=count, help=told)
    parser.add_argument("--keep", type=Path, help="folder for the database and the log")
    return parser.parse_args()


def _kill_daemons(given: argparse.Namespace) -> bool:
    wishes = Wishes(
        kills=given.kills,
        seed=given.seed,
        flips=max(1, given.kills // _KILLS_A_FLIP),
        longest_s=given.minutes * 60.0,
    )
    with _folder(given.keep) as folder, whole_stage(folder) as stage:
        result = torture(stage, wishes, _tell)
    _tell(result.told())
    return bool(result.wrong)


@contextmanager
def _folder(kept: Path | None) -> Iterator[Path]:
    if kept is not None:
        kept.mkdir(parents=True, exist_ok=True)
        yield kept
        return
    with tempfile.TemporaryDirectory(prefix="sidenote-torture-") as folder:
        yield Path(folder)


def _told(tally: Tally) -> bool:
    _tell(str(tally))
    return bool(tally.faults)


def _tell(line: str) -> None:
    sys.stdout.write(f"{line}\n")
    sys.stdout.flush()


if __name__ == "__main__":
    sys.exit(main())
