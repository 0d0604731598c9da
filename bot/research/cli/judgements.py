"""`sidenote judgements`: what readers judged and decided, as JSON lines."""

import sys
from collections.abc import Callable, Iterable
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from bot.app.cli.terminal import Exit, require_place_for, write_out, write_whole
from bot.app.wiring import configure_logging, open_store
from bot.records.accounts import JudgementKind
from bot.research.evaluation.citations.judgement_rows import (
    JudgedRow,
    decision_rows,
    preference_rows,
    review_rows,
)
from bot.settings import load_settings

if TYPE_CHECKING:
    from bot.store import Store

_Option = Callable[[Callable[..., Any]], Callable[..., Any]]
_OUTPUT: _Option = click.option(
    "-o",
    "--output",
    type=click.Path(path_type=Path, dir_okay=False),
    help="Write to this file instead of standard output.",
)
_SINCE: _Option = click.option(
    "--since",
    type=click.DateTime(["%Y-%m-%d"]),
    help="Only what is from this day (UTC) or later.",
)


@click.group(name="judgements")
def command() -> None:
    """Write out what readers of the panel judged and decided.

    One JSON object a line. Readers are numbers that are drawn for each export, times
    are days: nothing tells who it was. `sidenote evaluate preferences` and `sidenote
    evaluate reviews` read these files.
    """


@command.command(name="preferences")
@_OUTPUT
@_SINCE
@click.pass_obj
def of_preferences(
    settings_file: Path | None, output: Path | None, since: datetime | None
) -> Exit:
    """Which of two citations readers preferred."""

    def rows(store: "Store", since: datetime | None) -> Iterable[JudgedRow]:
        return preference_rows(store.judgements.all(JudgementKind.PREFERENCE, since))

    return _write(settings_file, output, since, rows)


@command.command(name="reviews")
@_OUTPUT
@_SINCE
@click.pass_obj
def of_reviews(
    settings_file: Path | None, output: Path | None, since: datetime | None
) -> Exit:
    """What reviewers would do with suggestions, and what is wrong with them."""

    def rows(store: "Store", since: datetime | None) -> Iterable[JudgedRow]:
        return review_rows(store.judgements.all(JudgementKind.REVIEW, since))

    return _write(settings_file, output, since, rows)


@command.command(name="decisions")
@_OUTPUT
@_SINCE
@click.pass_obj
def of_decisions(
    settings_file: Path | None, output: Path | None, since: datetime | None
) -> Exit:
    """What readers accepted, dismissed or gave another verdict; undone ones, too."""

    def rows(store: "Store", since: datetime | None) -> Iterable[JudgedRow]:
        return decision_rows(store.decisions.all(since))

    return _write(settings_file, output, since, rows)


def _write(
    settings_file: Path | None,
    output: Path | None,
    since: datetime | None,
    rows: Callable[["Store", datetime | None], Iterable[JudgedRow]],
) -> Exit:
    settings = load_settings(settings_file)
    configure_logging(settings)
    require_place_for(output)
    begun = since.replace(tzinfo=UTC) if since else None
    with open_store(settings) as store:
        lines = [f"{row.model_dump_json()}\n" for row in rows(store, begun)]
    if output is None:
        write_out("".join(lines), as_utf8=True)
        return Exit.FINE
    write_whole(output, "".join(lines))
    told = f"{len(lines):,} row{'' if len(lines) == 1 else 's'}"
    sys.stderr.write(f"{told} in {output.resolve()}\n")
    return Exit.FINE
