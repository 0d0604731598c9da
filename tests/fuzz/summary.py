"""The summary of all fuzzing so far, as Markdown."""

import os
import platform
from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path

from tests.fuzz.corpus import corpus, findings
from tests.fuzz.ledger import State
from tests.fuzz.targets import load

_RESULTS = Path(__file__).parents[1] / "results" / "fuzz.md"
_KIB = 1024
_GOAL_MIN = 60  # of processor time


def write(state: State, names: Sequence[str], command: str) -> Path:
    """Write `tests/results/fuzz.md`; return where it is."""
    _RESULTS.parent.mkdir(exist_ok=True)
    _RESULTS.write_text(summary(state, names, command))
    return _RESULTS


def summary(state: State, names: Sequence[str], command: str) -> str:
    """Return the summary."""
    accounts = [state.account(name) for name in names]
    cpu_s = sum(one.cpu_s for one in accounts)
    executions = sum(one.executions for one in accounts)
    still_open = sum(len(state.open_findings(name)) for name in names)
    crashes = sum(one.crashes for one in accounts)
    lines = [
        "# Fuzzing",
        "",
        f"Made by `{command}` on {datetime.now(UTC):%Y-%m-%d}, {_machine()}. Times and counts"
        " are added up over all rounds; a round is led by coverage (atheris), with words of"
        " each grammar, and its chance is not seeded.",
        "",
        f"In all: {cpu_s / 60:.1f} minutes of processor time, {executions:,} executions,"
        f" {still_open} open findings, {crashes} crashes of the interpreter. The goal is"
        f" {_GOAL_MIN} minutes for each target;"
        f" {sum(one.cpu_s >= _GOAL_MIN * 60 for one in accounts)} of {len(names)} have had"
        " them. `./dev fuzz --minutes 60` goes on where this was left.",
        "",
        "| target | processor min | executions | rounds | corpus kept | mended | open |",
        "| --- | ---: | ---: | ---: | ---: | ---: | ---: |",
        *(_row(state, name) for name in names),
        "",
        "What each promises, for any bytes:",
        "",
        *(f"- `{name}`: {load(name).promises}." for name in names),
        "",
        "What was found and mended; each input is tried again by every run of the tests:",
        "",
        *(f"- `{name}`: {one.about}" for name in names for one in findings(name)),
    ]
    return "\n".join(lines) + "\n"


def _row(state: State, name: str) -> str:
    account = state.account(name)
    kept = corpus(name)
    size = sum(map(len, kept)) / _KIB
    return (
        f"| {name} | {account.cpu_s / 60:.1f} | {account.executions:,} | {account.rounds}"
        f" | {len(kept)} ({size:.1f} KiB) | {len(findings(name))}"
        f" | {len(state.open_findings(name))} |"
    )


def _machine() -> str:
    total = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") / _KIB**3
    cores = os.cpu_count()
    return f"{cores} cores, {total:.0f} GiB, Python {platform.python_version()}"
