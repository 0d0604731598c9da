"""Which licences are allowed, and the list of what each package is under."""

import re
from collections.abc import Iterator

from tests.supply_chain.pins import ROOT, installed, licence, pins

# Permissive ones, and those whose duties end at the files of the package itself.
ALLOWED = frozenset(
    {
        "0BSD", "Apache-2.0", "BSD", "BSD-2-Clause", "BSD-3-Clause", "CC0-1.0",
        "CNRI-Python", "ISC", "LGPL-2.1-or-later", "MIT", "MIT-0", "MIT-CMU", "MPL-1.1",
        "MPL-2.0", "PSF-2.0", "Unlicense", "Zlib",
    }
)  # fmt: skip
LIST = ROOT / "tests" / "results" / "licences.md"
_LOCKS = ("requirements.lock", "requirements-dev.lock")


def is_allowed(expression: str) -> bool:
    """Tell whether an SPDX expression leaves a way to use the package; no brackets.

    Licences with commas between them have to be allowed all.
    """
    return any(
        all(part.strip() in ALLOWED for part in re.split(r" AND |, ", way))
        for way in re.split(r" OR ", expression)
    )


def listed() -> Iterator[tuple[str, str, str]]:
    """Yield name, licence and use of each package that is pinned and installed."""
    names: dict[str, str] = {}
    for lock, use in zip(_LOCKS, ("the program", "its development"), strict=True):
        for pin in pins((ROOT / lock).read_text()):
            names.setdefault(pin.name, use)
    for name, use in sorted(names.items()):
        about = installed(name)
        if about is not None:
            yield name, licence(name, about), use


def as_markdown() -> str:
    """Return the list for people."""
    rows = [f"| {name} | {terms} | {use} |" for name, terms, use in listed()]
    return "\n".join(
        [
            "# Licences of what is installed",
            "",
            "Made by `./dev licences --write` from what each package says of itself. Sidenote"
            " is under MIT; nothing here is shipped with it.",
            "",
            "| package | licence | needed by |",
            "| --- | --- | --- |",
            *rows,
            "",
        ]
    )
