"""`sidenote evaluate editing`: outdated statements told, and edits that lose nothing."""

from pathlib import Path

import click

from bot.cli.exits import Exit
from bot.cli.measuring import JSON, Places, bench, deliver, ready, tell_unscored
from bot.evaluation import editing


@click.command(name="editing")
@click.option(
    "--data",
    type=click.Path(path_type=Path),
    required=True,
    help="Revisions: a file of JSON lines, plain or gzipped, or a folder of them.",
)
@JSON
@click.pass_obj
def of_editing(settings_file: Path | None, data: Path, output: Path | None) -> Exit:
    """Tell outdated sentences, and edit paragraphs without a loss.

    A row is a revision of a sentence with `original`, `update_claim`, `target` and
    `original_label`, or of a paragraph with `old_wikitext` and `new_wikitext`. Of a
    folder, outdated sentences are told on the files without "train" in their name,
    if there are any.
    """
    places = Places(output)
    settings = ready(settings_file, places)
    with bench(settings, "editing", Path()) as given:
        report = editing.evaluate(data, given.verifier, given.progress)
    tell_unscored(report)
    return deliver(report, places)
