"""`python -m tests.torture`: the long form, for as long as one likes."""

import argparse
import sys
import tempfile
from pathlib import Path

from tests.torture.pipeline.stage import whole_stage
from tests.torture.pipeline.torture import Wishes, torture

_KILLS_A_FLIP = 5


def main() -> int:
    """Torture the daemon; 1 if anything was lost, doubled or changed."""
    given = _arguments()
    wishes = Wishes(
        kills=given.kills,
        seed=given.seed,
        flips=max(1, given.kills // _KILLS_A_FLIP),
        longest_s=given.minutes * 60,
    )
    with tempfile.TemporaryDirectory(prefix="sidenote-torture-") as folder:
        kept = given.keep or Path(folder)
        kept.mkdir(parents=True, exist_ok=True)
        with whole_stage(kept) as stage:
            result = torture(stage, wishes, _tell)
    _tell(result.told())
    return 1 if result.wrong else 0


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="./dev torture", description=__doc__)
    parser.add_argument("--kills", type=int, default=500, help="how many (500)")
    parser.add_argument("--seed", type=int, default=1, help="of all chance (1)")
    parser.add_argument(
        "--minutes", type=float, default=60.0, help="after which it ends (60)"
    )
    parser.add_argument("--keep", type=Path, help="folder for database and log")
    return parser.parse_args()


def _tell(line: str) -> None:
    sys.stdout.write(f"{line}\n")
    sys.stdout.flush()


if __name__ == "__main__":
    sys.exit(main())
