"""`sidenote judgements`: exports readers' judgements and decisions as JSON lines."""

import sys
from collections.abc import Callable, Iterable
from datetime import datetime
from functools import wraps
from pathlib import Path
from typing import TYPE_CHECKING

import click

from bot.app.cli.terminal import Exit, require_place_for, write_out, write_whole
from bot.app.wiring.store import open_store
from bot.records.accounts import JudgementKind
from bot.research.cli.options import DAY, FILE, at_utc, begin
from bot.research.evaluation.citations.judgements import (
    JudgedRow,
    decision_rows,
    preference_rows,
    review_rows,
)

if TYPE_CHECKING:
    from bot.store import Store

_OUTPUT = click.option(
    "-o", "--output", type=FILE, help="Write to this file instead of standard output."
)
_SINCE = click.option("--since", type=DAY, help="Only from this day (UTC) on.")


@click.group(name="judgements")
def command() -> None:
    """Export the ratings and decisions of readers of the panel.

    One JSON object a line. Readers are random numbers, drawn for each export, and
    times are days, so nobody can be identified. `sidenote evaluate preferences` and
    `sidenote evaluate reviews` read these files.
    """


def _rows(
    read: Callable[["Store", datetime | None], Iterable[JudgedRow]],
) -> Callable[..., Exit]:
    """Turn a function that reads rows from the store into a command."""

    @_OUTPUT
    @_SINCE
    @click.pass_obj
    @wraps(read)
    def write(
        settings_file: Path | None, output: Path | None, since: datetime | None
    ) -> Exit:
        settings = begin(settings_file)
        require_place_for(output)
        with open_store(settings) as store:
            rows = read(store, at_utc(since) if since else None)
            lines = [f"{row.model_dump_json()}\n" for row in rows]
        if output is None:
            write_out("".join(lines), as_utf8=True)
            return Exit.FINE
        write_whole(output, "".join(lines))
        message = f"{len(lines):,} row{'' if len(lines) == 1 else 's'}"
        sys.stderr.write(f"{message} in {output.resolve()}\n")
        return Exit.FINE

    return write


@command.command(name="preferences")
@_rows
def of_preferences(store: "Store", since: datetime | None) -> Iterable[JudgedRow]:
    """Export which of two citations readers preferred."""
    return preference_rows(store.judgements.all(JudgementKind.PREFERENCE, since))


@command.command(name="reviews")
@_rows
def of_reviews(store: "Store", since: datetime | None) -> Iterable[JudgedRow]:
    """Export how reviewers rated suggestions, and which errors they found."""
    return review_rows(store.judgements.all(JudgementKind.REVIEW, since))


@command.command(name="decisions")
@_rows
def of_decisions(store: "Store", since: datetime | None) -> Iterable[JudgedRow]:
    """Export what readers accepted, dismissed or corrected, including undone ones."""
    return decision_rows(store.decisions.all(since))
