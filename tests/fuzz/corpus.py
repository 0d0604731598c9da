"""Inputs that are worth keeping, one a line: as text where they are UTF-8, else in base64.

`corpus/` holds those that reach what no smaller one reaches; `findings/` those that once
broke a promise, each with what was wrong. Both are read by the tests.
"""

import json
from base64 import b64decode, b64encode
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

_HERE = Path(__file__).parent


@dataclass(frozen=True, slots=True)
class Finding:
    """An input that broke a promise, and what was mended."""

    about: str
    input: bytes


def corpus(name: str) -> tuple[bytes, ...]:
    """Return the committed inputs of a target."""
    return tuple(map(_read, _lines(_HERE / "corpus" / f"{name}.jsonl")))


def findings(name: str) -> tuple[Finding, ...]:
    """Return the findings of a target that were mended."""
    lines = _lines(_HERE / "findings" / f"{name}.jsonl")
    return tuple(Finding(line["about"], _read(line)) for line in lines)


def keep(name: str, inputs: Iterable[bytes]) -> None:
    """Replace the committed inputs of a target."""
    path = _HERE / "corpus" / f"{name}.jsonl"
    path.parent.mkdir(exist_ok=True)
    lines = sorted(json.dumps(_written(one)) for one in inputs)
    path.write_text("".join(f"{line}\n" for line in lines))


def _lines(path: Path) -> list[dict[str, str]]:
    if not path.exists():
        return []
    return [json.loads(line) for line in path.read_text().splitlines()]


def _read(line: dict[str, str]) -> bytes:
    return line["text"].encode() if "text" in line else b64decode(line["base64"])


def _written(one: bytes) -> dict[str, str]:
    try:
        return {"text": one.decode()}
    except UnicodeDecodeError:
        return {"base64": b64encode(one).decode()}
