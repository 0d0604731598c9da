"""`./dev soak`: long runs, moved clocks and broken links; says what came of each.

The exit code is 1 if anything was lost or doubled, grew without bound, or took too long.
"""

import argparse
import signal
import sys
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path

from tests.soak import disk, events, failing, faults, jumps, report, stops, week
from tests.soak.links import Fault
from tests.soak.outcome import Outcome


def main() -> int:
    """Do the parts that are asked for; 0 if nothing is wrong."""
    options = _arguments()
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(1))  # and end what was begun
    parts = _parts(options)
    wrong = False
    for name in [each for each in parts if _is_wanted(each, options.parts)]:
        with _folder(options.keep, name) as folder:
            outcome = parts[name](folder)
        _tell(outcome.text())
        if options.write:
            report.write(name, _command(name, options), outcome)
        wrong |= bool(outcome.wrong)
    return 1 if wrong else 0


def _parts(options: argparse.Namespace) -> dict[str, Callable[[Path], Outcome]]:
    seed: int = options.seed
    return {
        "events": lambda folder: events.run(
            folder, events.EventWishes(options.events, seed), _tell
        ),
        **{
            f"faults-{link.replace(' ', '-')}": partial(_faults, options, link)
            for link in faults.LINKS
        },
        "clock": lambda folder: jumps.run(folder, jumps.JumpWishes(seed), _tell),
        "disk": lambda folder: _on_disk(folder, seed),
        "failing-disk": lambda folder: _on_failing_disk(folder, seed),
        "week": lambda folder: week.run(
            folder, week.WeekWishes(seed, options.days), _tell
        ),
        "stops": lambda folder: stops.run(folder, stops.StopWishes(seed), _tell),
    }


def _on_disk(folder: Path, seed: int) -> Outcome:
    missing = disk.absence()
    if missing:
        return Outcome("full disks", [("no disk was filled", missing)])
    return disk.run(folder, disk.DiskWishes(seed), _tell)


def _on_failing_disk(folder: Path, seed: int) -> Outcome:
    missing = failing.absence()
    if missing:
        return Outcome("a failing disk", [("no disk failed", missing)])
    return failing.run(folder, failing.FailWishes(seed), _tell)


def _command(name: str, options: argparse.Namespace) -> str:
    counts = {
        "events": f" --events {options.events}",
        "week": f" --days {options.days:g}",
    }
    return f"./dev soak {name} --seed {options.seed}{counts.get(name, '')} --write"


def _faults(options: argparse.Namespace, link: str, folder: Path) -> Outcome:
    kinds = tuple(
        each for each in Fault if not options.kinds or each.value in options.kinds
    )
    wishes = faults.FaultWishes(options.seed, links=(link,), faults=kinds)
    return faults.run(folder, wishes, _tell)


def _is_wanted(name: str, query: list[str]) -> bool:
    """Tell whether a part is asked for, by its name or the first word of it."""
    return not query or any(name == one or name.startswith(f"{one}-") for one in query)


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="./dev soak", description=__doc__)
    parser.add_argument("parts", nargs="*", help="which parts; all without any")
    for name, count, what in (
        ("events", 1_000_000, "events that are sent"),
        ("seed", 1, "where all chance begins"),
    ):
        help_text = f"{what} ({count:,})"
        parser.add_argument(f"--{name}", type=int, default=count, help=help_text)
    parser.add_argument("--days", type=float, default=7.0, help="of the week (7)")
    parser.add_argument(
        "--write", action="store_true", help="put it into tests/results/soak.md"
    )
    parser.add_argument("--kinds", default="", help="only these ways to fail")
    parser.add_argument("--keep", type=Path, help="folder for databases and logs")
    return parser.parse_args()


@contextmanager
def _folder(kept: Path | None, name: str) -> Iterator[Path]:
    if kept is not None:
        folder = kept / name
        folder.mkdir(parents=True, exist_ok=True)
        yield folder.resolve()
        return
    with tempfile.TemporaryDirectory(prefix="sidenote-soak-") as temporary:
        yield Path(temporary)


def _tell(line: str) -> None:
    sys.stdout.write(f"{line}\n")
    sys.stdout.flush()


if __name__ == "__main__":
    sys.exit(main())
