"""Options that commands share: how what they made is written, and where to."""

from collections.abc import Callable
from enum import Enum
from pathlib import Path
from typing import Any, TypeVar

import click

_Command = TypeVar("_Command", bound=Callable[..., Any])
_Option = Callable[[_Command], _Command]


def in_form(forms: type[Enum], what: str) -> _Option[Any]:
    """Return `--format`, given to the command as `form`; `what` is made, such as a report.

    Text is what a person gets who does not ask, so `forms` has one of value `text`.
    """
    return click.option(
        "--format",
        "form",
        type=click.Choice(forms, case_sensitive=False),
        default=forms("text"),
        show_default="text",
        help=f"How the {what} is written.",
    )


def into_file(what: str) -> _Option[Any]:
    """Return `--output`, the file that `what` is written to."""
    return click.option(
        "-o",
        "--output",
        type=click.Path(path_type=Path, dir_okay=False),
        help=f"Write the {what} to this file instead of standard output.",
    )
