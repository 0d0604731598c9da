"""What the lock files pin, and what each of those packages says of itself."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from importlib.metadata import Distribution, PackageNotFoundError, distribution
from pathlib import Path

ROOT = Path(__file__).parents[2]
_PIN = re.compile(r"([a-z0-9][a-z0-9.-]*)(\[[a-z0-9,-]+\])?==([0-9][0-9a-zA-Z.!+]*)")
_HASH = re.compile(r"--hash=sha256:[0-9a-f]{64}")
# Those that say nothing in their metadata, read in the files that they come with.
# Its GPL is that of an Emacs mode, which the wheel does not hold; the rest is in the
# public domain or under this licence.
_READ = {"docutils": "BSD-2-Clause"}
_SILENT = {"atheris": "Apache-2.0", "axe-playwright-python": "MIT"}
_SPDX = {
    "3-Clause BSD License": "BSD-3-Clause",
    "Apache Software License": "Apache-2.0",
    "BSD License": "BSD",
    "MIT License": "MIT",
    "Mozilla Public License 2.0 (MPL 2.0)": "MPL-2.0",
    "Python Software Foundation License": "PSF-2.0",
}


class LockError(ValueError):
    """A line of a lock file is not a pin with its hashes."""


@dataclass(frozen=True, slots=True)
class Pin:
    """One package of a lock file."""

    name: str
    version: str
    hashes: tuple[str, ...]


def lock_files() -> list[Path]:
    """Return all files that packages are installed from."""
    names = ("requirements.lock", "requirements-dev.lock", "toolforge/requirements.txt")
    return [ROOT / name for name in names]


def pins(text: str) -> Iterator[Pin]:
    """Yield the pins of a lock file.

    Raises:
        LockError: a line is anything but a version with its hashes, such as an option,
            an address (in a comment, too), or a version that is not fixed.
    """
    if "://" in text:
        raise LockError("an address of where packages come from")
    lines = (line for line in text.splitlines() if not line.lstrip().startswith("#"))
    for block in re.split(r"(?<!\\)\n", "\n".join(lines)):
        words = block.replace("\\\n", " ").split()
        if not words:
            continue
        pin = _PIN.fullmatch(words[0])
        if not pin or not words[1:] or not all(map(_HASH.fullmatch, words[1:])):
            raise LockError(f"not a pin with its hashes: {block[:80]!r}")
        yield Pin(pin[1], pin[3], tuple(words[1:]))


def installed(name: str) -> Distribution | None:
    """Return the package as it is installed here, if it is."""
    try:
        return distribution(name)
    except PackageNotFoundError:
        return None


def licence(name: str, about: Distribution) -> str:
    """Return the licence that a package names, in the words of SPDX where it is known."""
    given = about.metadata
    if name in _READ:
        return _READ[name]
    if "License-Expression" in given:
        return given["License-Expression"]
    classes = [
        each.rpartition(" :: ")[2]
        for each in given.get_all("Classifier") or []
        if each.startswith("License :: ") and not each.endswith("OSI Approved")
    ]
    if classes:
        # Whether all of them hold, or one may be chosen, is not said.
        return ", ".join(_SPDX.get(each, each) for each in classes)
    declared = given["License"].partition("\n")[0] if "License" in given else ""
    return _SPDX.get(declared, declared) or _SILENT.get(name, "unknown")
