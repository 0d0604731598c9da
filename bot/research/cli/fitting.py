"""Fine-tuning a chat model: what `train editor fit` and `train draft fit` share."""

import sys
from collections.abc import Callable, Sequence
from importlib.util import find_spec
from pathlib import Path
from typing import Any, TypeVar

import click

from bot.models.language_model.prompt import Message
from handlers.ports import PermanentError

F = TypeVar("F", bound=Callable[..., Any])

_LIBRARIES = ("torch", "transformers", "peft")
_OPTIONS = (
    click.argument("examples", type=click.Path(path_type=Path, dir_okay=False)),
    click.option(
        "--model",
        "folder",
        type=click.Path(path_type=Path, file_okay=False),
        required=True,
        help="Folder with a chat model and its tokenizer, as published.",
    ),
    click.option("--epochs", type=click.IntRange(1, 50), default=3, show_default=True),
    click.option("--batch", type=click.IntRange(1, 256), default=8, show_default=True),
    click.option(
        "--rank",
        type=click.IntRange(0, 512),
        default=16,
        show_default=True,
        help="Of the low-rank adapters; with 0 all weights are trained.",
    ),
    click.option(
        "--learning-rate",
        type=click.FloatRange(1e-7, 1),
        default=1e-4,
        show_default=True,
    ),
    click.option(
        "-o",
        "--output",
        type=click.Path(path_type=Path, file_okay=False),
        required=True,
        help="Folder for the fine-tuned model.",
    ),
)


def fitting_options(most_tokens: int) -> Callable[[F], F]:
    """Give a command the argument EXAMPLES and the options of fine-tuning.

    Args:
        most_tokens: of one example, where nobody says otherwise.
    """
    length = click.option(
        "--most-tokens",
        type=click.IntRange(64),
        default=most_tokens,
        show_default=True,
        help="Of one example; longer ones are left out.",
    )

    def give(command: F) -> F:
        for option in (length, *reversed(_OPTIONS)):
            command = option(command)
        return command

    return give


def require_libraries() -> None:
    """See that the training extra is there.

    Raises:
        PermanentError: it is not.
    """
    missing = [name for name in _LIBRARIES if find_spec(name) is None]
    if missing:
        raise PermanentError(
            f"training needs {', '.join(missing)}; install the training extra:"
            " pip install -e .[training]"
        )


def fit(
    talks: Sequence[Sequence[Message]], folder: Path, output: Path, **plan: Any
) -> None:
    """Fine-tune the model in `folder` on conversations, and tell how it goes.

    Args:
        talks: question and answer each.
        folder: of the model.
        output: folder for what comes of it.
        plan: fields of `bot.research.training.chat.fitting.Plan`.
    """
    import torch  # noqa: PLC0415 - an extra, and slow to import

    from bot.research.training.writers.fitting import ChatModel, Plan  # noqa: PLC0415 - imports torch

    device = "cuda" if torch.cuda.is_available() else "cpu"
    model = ChatModel(folder, device)
    learnt = model.fit(talks, Plan(device=device, **plan), _tell)
    model.save(output)
    _tell(
        f"The model is in {output.resolve()}: {learnt.examples} examples"
        f" ({learnt.too_long} too long), loss {learnt.losses[-1]:.4f}"
    )


def _tell(line: str) -> None:
    sys.stderr.write(line + "\n")
