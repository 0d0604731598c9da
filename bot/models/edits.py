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

FORMAT = 2
FILE = "edits.npz"


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

    Weights keep 32 bits.
    """
    about = {
        "format": FORMAT,
        "version": file.model.version,
        "bias": file.model.bias,
        "settings": file.settings,
        "figures": file.figures,
    }
    content = BytesIO()
    np.savez(
        content,
        weights=np.asarray(file.model.weights, dtype=np.float32),
        about=np.frombuffer(json.dumps(about).encode(), dtype=np.uint8),
    )
    return content.getvalue()


def from_bytes(content: bytes) -> EditFile:
    """Read what `to_bytes` wrote.

    Raises:
        ValueError: this is not a file of this format.
    """
    with np.load(BytesIO(content), allow_pickle=False) as found:
        about = json.loads(found["about"].tobytes())
        if about.get("format") != FORMAT:
            raise ValueError(f"format {about.get('format')!r} of edits is not {FORMAT}")
        weights = found["weights"].astype(float)
    model = EditModel(about["version"], weights, about["bias"])
    return EditFile(model, about["settings"], about["figures"])


def shipped_edits() -> EditFile:
    """Read the file from the package's data."""
    return from_bytes(shipped(FILE).read_bytes())
