"""Writes what came of each part to `tests/results/torture.md`; nothing is typed by hand.

A part that was not run keeps what stands there of it.
"""

import os
import platform
import re
from datetime import UTC, datetime
from pathlib import Path

RESULTS = Path(__file__).parents[1] / "results"
_HEAD = """\
# Torture

Made by `./dev torture --write`; a part that is run anew replaces its section. What the
parts do, and what counts as lost or doubled, stands in `tests/torture`.
"""
_PART = re.compile(r"<!-- part ([a-z]+) -->\n.*?<!-- end \1 -->\n", re.DOTALL)


def write(part: str, command: str, text: str, results: Path = RESULTS) -> None:
    """Put the report of one part into the file, in place of its last one."""
    results.mkdir(parents=True, exist_ok=True)
    file = results / "torture.md"
    content = file.read_text("utf-8") if file.exists() else ""
    parts = {found[1]: found[0] for found in _PART.finditer(content)}
    lines = "".join(f"    {line}\n" for line in text.splitlines())
    parts[part] = (
        f"<!-- part {part} -->\n`{command}`, {datetime.now(UTC):%Y-%m-%d},"
        f" {_machine()}\n\n{lines}<!-- end {part} -->\n"
    )
    body = "\n".join(parts[each] for each in sorted(parts))
    file.write_text(f"{_HEAD}\n{body}", "utf-8")


def _machine() -> str:
    pages = os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
    return (
        f"{os.cpu_count()} cores, {pages / 1024**3:.0f} GiB,"
        f" Python {platform.python_version()}, load {os.getloadavg()[2]:.1f}"
    )
