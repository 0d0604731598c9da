"""Reads and writes the model that judges edits: weights as JSON, with their sources.

The weights are of numbers that the larger network holds (see `handlers.citations.edits`),
so unlike those of the verifier they cannot be read one by one.
"""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from bot.models.onnx import shipped
from handlers.citations.edits import EditModel

FORMAT = 1
FILE = "edits.json"
_DIGITS = 4  # significant ones; the network's own weights have fewer


@dataclass(frozen=True, slots=True)
class EditFile:
    """A model, what reproduces it, and the figures measured with it."""

    model: EditModel
    settings: Mapping[str, Any]
    figures: Mapping[str, Any]


def to_json(file: EditFile) -> str:
    """Return the text of the file; equal models give equal text."""
    content = {
        "format": FORMAT,
        "version": file.model.version,
        "settings": file.settings,
        "figures": file.figures,
        "bias": _rounded(file.model.bias),
        "before": [_rounded(one) for one in file.model.before],
        "after": [_rounded(one) for one in file.model.after],
    }
    return json.dumps(content, ensure_ascii=False) + "\n"


def from_json(text: str) -> EditFile:
    """Read what `to_json` wrote.

    Raises:
        ValueError: the text is not a file of this format.
    """
    content = json.loads(text)
    if content.get("format") != FORMAT:
        raise ValueError(f"format {content.get('format')!r} of edits is not {FORMAT}")
    model = EditModel(
        content["version"],
        np.array(content["before"]),
        np.array(content["after"]),
        content["bias"],
    )
    return EditFile(model, content["settings"], content["figures"])


def shipped_edits() -> EditFile:
    """Read the file from the package's data."""
    return from_json(shipped(FILE).read_text("utf-8"))


def _rounded(value: float) -> float:
    return float(f"{float(value):.{_DIGITS}g}")
