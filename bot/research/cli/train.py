"""`sidenote train`: fits a model anew from the data it was made from."""

import json
import sys
from pathlib import Path
from typing import Any

import click

from bot.app.cli.progress import TerminalProgress
from bot.app.cli.terminal import Exit, make_folder, require_place_for, write_whole
from bot.app.wiring.checks import open_verifier
from bot.models import operating_points as points_file
from bot.models.lexical import to_json
from bot.research.cli.options import (
    FILE,
    FOLDER,
    begin,
    data_option,
    output_option,
    require_packages,
)
from bot.research.cli.train_writers import of_draft, of_editor
from bot.research.training import encoder, lexical, operating_points, pages
from bot.research.training.folds import folds_of

_MINILM = "Folder with the published weights of all-MiniLM-L6-v2"


@click.group(name="train")
def command() -> None:
    """Fit a model anew; the same data gives the same weights."""


command.add_command(of_editor)
command.add_command(of_draft)


@command.command(name="lexical")
@data_option("Folder that holds verification/ and wice/.", FOLDER)
@output_option(FILE, "Where the model goes.", "lexical.json")
@click.pass_obj
def of_lexical(settings_file: Path | None, data: Path, output: Path) -> Exit:
    """Fit the lexical verifier, from the openly licensed rows."""
    begin(settings_file)
    require_place_for(output)
    with TerminalProgress("Measuring rows") as progress:
        model = lexical.train(data, progress)
    return _delivered(output, to_json(model), "model is")


@command.command(name="pages")
@data_option(
    "Folder that holds wikigenbench/, wiki_live_challenge/, judged_claims/, wice/.",
    click.Path(path_type=Path, exists=True, file_okay=False),
)
@output_option(FILE, "Where the model goes.", "pages.json")
@click.pass_obj
def of_pages(settings_file: Path | None, data: Path, output: Path) -> Exit:
    """Fit the model that knows pages without a text, and print its figures."""
    begin(settings_file)
    require_place_for(output)
    model, figures = pages.train(data)
    for name, figure in figures.items():
        click.echo(f"{name}: not judged {figure}")
    written = json.dumps(model, ensure_ascii=False, separators=(",", ":"))
    return _delivered(output, written, "model is")


@command.command(name="operating-points")
@data_option(
    "Folder that holds verification/, wice/, judged_claims/ and real_citations/.",
    FOLDER,
)
@output_option(
    FILE,
    "Where the points go; those of other engines in this file are kept.",
    points_file.NAME,
)
@click.pass_obj
def of_operating_points(settings_file: Path | None, data: Path, output: Path) -> Exit:
    """Choose from which probability a claim is flagged, for the engine in use.

    The thresholds are chosen for the precision of what is flagged, on rows that the
    engine was not fitted on.
    """
    settings = begin(settings_file)
    require_place_for(output)
    known = points_file.read_points(output)
    verifier = open_verifier(settings)
    with TerminalProgress("Judging rows") as progress:
        new = operating_points.choose(data, verifier, folds_of(verifier), progress)
    merged = points_file.merged(known, new)
    return _delivered(output, points_file.to_json(merged), "operating points are")


@command.command(name="verifier")
@data_option(
    "Folder of the data sets: verification/, editing/, wiki_live_challenge/, wice/.",
    FOLDER,
)
@click.option(
    "--weights",
    type=FOLDER,
    help=f"{_MINILM}; the network that ships is trained on.",
)
@click.option(
    "--start",
    type=FOLDER,
    help="Begin anew instead, from the published encoder in this folder: all-mpnet-base-v2"
    " or all-MiniLM-L6-v2. All examples are shown, in large steps.",
)
@click.option(
    "--layers",
    type=click.IntRange(min=1),
    help="With --start: keep only the first so many layers.",
)
@output_option(
    FOLDER,
    "Folder that the network, the weights of its heads and the log go into.",
    "verifier",
)
@click.option(
    "--epochs",
    type=click.IntRange(1, 20),
    help="How often all examples are seen; claims that were written to be wrong at most"
    " three times. [default: 2; with --start 6]",
)
@click.option(
    "--minutes",
    type=click.FloatRange(min=1),
    help="Stop training after so long; the learning rate falls with the time then.",
)
@click.option(
    "--device",
    type=click.Choice(["cpu", "cuda"]),
    help="What it is trained on; the GPU, where there is one.",
)
@click.pass_obj
def of_verifier(settings_file: Path | None, /, **given: Any) -> Exit:
    """Fine-tune the cross-encoder that ships, and weigh it with the lexical features.

    Takes the GPU where there is one. Needs the training extra:
    `pip install -e .[training]`.
    """
    begin(settings_file)
    if (given["weights"] is None) == (given["start"] is None):
        raise click.UsageError("give either --weights or --start")
    if given["layers"] and given["start"] is None:
        raise click.UsageError("--layers belongs to --start")
    require_packages("torch", "transformers", "onnx")
    from bot.research.training.verifier import run  # noqa: PLC0415 - imports torch

    ask = run.VerifierAsk(**given)
    make_folder(ask.output)
    require_place_for(ask.output / run.MODEL)
    with TerminalProgress("Making examples, then measuring rows") as progress:
        file = run.make(ask, progress, _tell)
    figures = {
        name: of_set
        for one in file.fitted_on
        for name, of_set in one.cross_validated.items()
    }
    told = json.dumps(figures)
    sys.stderr.write(f"The verifier is in {ask.output.resolve()}: {told}\n")
    return Exit.FINE


@command.command(name="encoder")
@click.option("--weights", type=FOLDER, required=True, help=f"{_MINILM}.")
@click.option(
    "-o",
    "--output",
    type=FOLDER,
    default=Path(),
    help="Folder that encoder.onnx and wordpieces.json go into; without it, this one.",
)
@click.pass_obj
def of_encoder(settings_file: Path | None, weights: Path, output: Path) -> Exit:
    """Make the encoder that ships, in ONNX and whole numbers.

    Needs the training extra: `pip install -e .[training]`.
    """
    begin(settings_file)
    require_packages("torch", "transformers", "onnx")
    make_folder(output)
    require_place_for(output / encoder.MODEL)
    with TerminalProgress("Comparing with the exact model") as progress:
        agreement = encoder.make(weights, output, progress)
    sys.stderr.write(
        f"The encoder is in {output.resolve()}: cosine with the exact model"
        f" {agreement.mean:.4f} on average, {agreement.least:.4f} at least"
        f" ({agreement.texts:,} passages)\n"
    )
    return Exit.FINE


def _delivered(output: Path, content: str, what: str) -> Exit:
    write_whole(output, content)
    sys.stderr.write(f"The {what} in {output.resolve()}\n")
    return Exit.FINE


def _tell(line: str) -> None:
    sys.stderr.write(f"{line}\n")
