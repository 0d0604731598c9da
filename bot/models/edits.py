"""Reads and writes the model that judges edits: its weights, and what they rest on.

The weights are of numbers that the larger network holds (see `handlers.citations.edits`),
so unlike those of the verifier they cannot be read one by one: an archive of arrays.
"""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from io import BytesIO
from typing import Any

import numpy as np

from bot.models.onnx import shipped
from handlers.citations.edits import EditModel

FORMAT = 1
FILE = "edits.npz"
_ABOUT = "about"
_ARRAYS = ("inner", "inner_bias", "outer")


@dataclass(frozen=True, slots=True)
class EditFile:
    """A model, what reproduces it, and the figures measured with it."""

    model: EditModel
    settings: Mapping[str, Any]
    figures: Mapping[str, Any]

    @property
    def noted_from(self) -> float:
        """The probability from which an edit is noted: 2 in 100 harmless ones reach it.

        It is measured with the model, and declared nowhere else.
        """
        return float(self.figures["at_2_percent"]["threshold"])


def to_bytes(file: EditFile) -> bytes:
    """Return the content of the file; equal models give equal bytes.

    Weights keep 16 bits, as many as the states that they weigh deserve.
    """
    about = {
        "format": FORMAT,
        "version": file.model.version,
        "bias": file.model.bias,
        "settings": file.settings,
        "figures": file.figures,
    }
    arrays = {
        name: np.asarray(getattr(file.model, name), dtype=np.float16)
        for name in _ARRAYS
    }
    arrays[_ABOUT] = np.frombuffer(json.dumps(about).encode(), dtype=np.uint8)
    content = BytesIO()
    np.savez(content, **arrays)  # type: ignore[arg-type]  # takes arrays by name
    return content.getvalue()


def from_bytes(content: bytes) -> EditFile:
    """Read what `to_bytes` wrote.

    Raises:
        ValueError: this is not a file of this format.
    """
    with np.load(BytesIO(content), allow_pickle=False) as found:
        about = json.loads(found[_ABOUT].tobytes())
        if about.get("format") != FORMAT:
            raise ValueError(f"format {about.get('format')!r} of edits is not {FORMAT}")
        inner, inner_bias, outer = (found[name].astype(float) for name in _ARRAYS)
    model = EditModel(about["version"], inner, inner_bias, outer, about["bias"])
    return EditFile(model, about["settings"], about["figures"])


def shipped_edits() -> EditFile:
    """Read the file from the package's data."""
    return from_bytes(shipped(FILE).read_bytes())
