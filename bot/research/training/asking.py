"""What is asked of a training run of the verifier; refuses before any work is done.

PyTorch is imported only here and below, for it is no part of an installation.
"""

import json
from collections.abc import Callable
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path

from bot.research.evaluation.report import Progress
from handlers.ports import PermanentError

_LIBRARIES = ("torch", "transformers", "onnx")
_FILES = ("model.safetensors", "tokenizer.json", "config.json")


@dataclass(frozen=True, slots=True)
class VerifierAsk:
    """The options of `sidenote train verifier`."""

    data: Path
    weights: Path
    output: Path
    epochs: int
    minutes: float | None


def train_verifier(
    ask: VerifierAsk, progress: Progress, log: Callable[[str], None]
) -> str:
    """Train as asked and return the figures out of fold, as JSON.

    Raises:
        PermanentError: a data set is missing or has no usable row.
    """
    import torch  # noqa: PLC0415 - an extra, and slow to import

    from bot.research.training.verifier.fitting import Plan  # noqa: PLC0415 - imports torch
    from bot.research.training.verifier.making import make  # noqa: PLC0415 - imports torch

    plan = Plan(
        epochs=ask.epochs,
        budget_s=ask.minutes * 60 if ask.minutes else None,
        device="cuda" if torch.cuda.is_available() else "cpu",
    )
    file = make(
        ask.data,
        ask.weights,
        ask.output,
        plan=plan,
        progress=progress,
        log=log,
    )
    return json.dumps(file.fitted_on[-1].cross_validated)


def require_ready(weights: Path) -> None:
    """Refuse what would fail after an hour.

    Raises:
        PermanentError: a library or a file of the weights is missing.
    """
    missing = [name for name in _LIBRARIES if find_spec(name) is None]
    if missing:
        raise PermanentError(
            f"training needs {', '.join(missing)}; install the training extra:"
            " pip install -e .[training]"
        )
    absent = [name for name in _FILES if not (weights / name).is_file()]
    if absent:
        raise PermanentError(
            f"{weights} lacks {', '.join(absent)}; --weights takes the folder of the"
            " published all-MiniLM-L6-v2 model"
        )
