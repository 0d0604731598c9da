"""`sidenote train`: fits a model again from the data it was made from.

`train editor` and `train draft` build sets for fine-tuning chat models: both collect
examples in the usual chat format, and measure how well a model does on them. The
fine-tuning itself is left to tools made for it.
"""

import asyncio
import json
import sys
from collections.abc import Callable, Coroutine
from contextlib import AsyncExitStack
from functools import wraps
from pathlib import Path
from typing import Any

import click

from bot.app.cli.draft import RerankerChoice
from bot.app.cli.progress import TerminalProgress
from bot.app.cli.terminal import (
    Exit,
    make_folder,
    put,
    require_place_for,
    write_whole,
)
from bot.app.wiring.checks import open_verifier
from bot.app.wiring.drafts import make_cast, question_sizes
from bot.app.wiring.language_model import open_language_model
from bot.app.wiring.searches import open_history
from bot.app.wiring.sources import make_extractor, open_sources
from bot.models import edits as edits_file
from bot.models import operating_points as points_file
from bot.models.encoder import RememberingEncoder
from bot.models.lexical import to_json
from bot.models.neural import shipped_larger
from bot.research.cli.measurement import open_needed_model, require_model
from bot.research.cli.options import (
    DAY,
    FILE,
    FOLDER,
    JSON,
    Option,
    at_utc,
    begin,
    choice_option,
    data_option,
    output_option,
    require_packages,
)
from bot.research.evaluation.drafts.judge import VerifierJudge
from bot.research.evaluation.drafts.setups import Documents
from bot.research.evaluation.events import Event, read_events
from bot.research.training import (
    edit_judge,
    encoder,
    lexical,
    operating_points,
    pages,
)
from bot.research.training.lexical import folds_of
from bot.research.training.verifier import heads
from bot.research.training.writers import (
    drafts,
    edit_figures,
    edit_records,
    edits,
)
from bot.research.training.writers.edit_figures import Judge, ModelJudge, WordJudge
from bot.research.training.writers.edit_records import Target
from bot.settings import Settings
from bot.sources.reliability import load_reliability
from handlers.model import DraftMethod
from handlers.updates.entailment import CachedVerifier

_EXAMPLES_FOLDER = output_option(
    FOLDER,
    "Folder for the examples; an interrupted run continues there.",
)
_TARGET: Option = choice_option(
    "--target",
    Target.STEPS,
    "What is learned: the steps that the update editor asks for, or the whole"
    " paragraph, as in the paper.",
)


def _measures(
    measure: Callable[..., Coroutine[Any, Any, dict[str, Any]]],
) -> Callable[..., Exit]:
    """Turn a function that measures models into a command that outputs its figures."""

    @JSON
    @click.pass_obj
    @wraps(measure)
    def command(
        settings_file: Path | None, /, *, output: Path | None, **given: Any
    ) -> Exit:
        settings = begin(settings_file)
        require_place_for(output)
        summary = asyncio.run(measure(settings, **given))
        figures = json.dumps(summary, indent=2, ensure_ascii=False) + "\n"
        put(figures, "figures", output, is_text=False)
        return Exit.FINE

    return command


@click.group(name="editor")
def of_editor() -> None:
    """Collect data for an editing model, from people's edits (WiNELL, appendices A and B).

    Collect examples from the histories of articles, fine-tune a chat model on them with
    a tool of your choice, and serve it behind an OpenAI-compatible address. Named in
    the settings of the language model, it plays the editor, and is measured here.
    """


@of_editor.command(name="collect")
@click.argument("titles", nargs=-1, required=True)
@click.option("--wiki", help="The wiki of the pages; by default that of the settings.")
@click.option("--since", type=DAY, required=True, help="First day of the edits.")
@click.option("--until", type=DAY, required=True, help="Day after the last one.")
@click.option(
    "--sources",
    type=click.Path(path_type=Path, file_okay=False, exists=True),
    help="Read cited pages from this folder (with its index.json), never from the web.",
)
@_TARGET
@_EXAMPLES_FOLDER
@click.pass_obj
def of_editor_collect(settings_file: Path | None, /, **given: Any) -> Exit:
    """Collect examples from the histories of TITLES, in the usual chat format.

    An example is a paragraph before and after a person brought in a fact with a new
    source, and what that source says: where the settings name a language model, news
    that it writes after the edit, with comment to leave out; else the cited page.
    """
    settings = begin(settings_file)
    make_folder(given["output"])
    if given["since"] >= given["until"]:
        raise click.UsageError("--since is not before --until")
    summary = asyncio.run(_collect_edits(settings, given))
    sys.stderr.write(f"The examples are in {given['output'].resolve()}\n")
    click.echo(json.dumps(summary, indent=2, ensure_ascii=False))
    return Exit.FINE


async def _collect_edits(settings: Settings, given: dict[str, Any]) -> dict[str, Any]:
    wiki = given["wiki"] or settings.wiki
    pages = edits.EditedPages(
        wiki, given["titles"], at_utc(given["since"]), at_utc(given["until"])
    )
    async with AsyncExitStack() as opened:
        extractor = await opened.enter_async_context(make_extractor(settings))
        sources = await opened.enter_async_context(
            open_sources(settings, given["sources"], extractor)
        )
        model = await opened.enter_async_context(open_language_model(settings))
        makers = edits.Makers(open_history(settings, wiki), sources, model)
        with TerminalProgress("Reading histories") as progress:
            return await edits.prepare(
                pages, makers, given["output"], given["target"], progress
            )


@of_editor.command(name="measure")
@click.argument("examples", type=FILE)
@click.option(
    "--judge",
    type=click.Choice(["words", "model"]),
    default="words",
    show_default=True,
    help=(
        "How to decide what a paragraph conveys: words in common, or the language"
        " model in the settings."
    ),
)
@_measures
async def of_editor_measure(
    settings: Settings, examples: Path, judge: str
) -> dict[str, Any]:
    """Measure how editors edit EXAMPLES, the test.jsonl that `collect` wrote.

    The person's own edit and the source pasted whole are measured too, and the language
    model of the settings, where there is one.
    """
    records = list(edit_records.from_lines(examples))
    if judge == "model":
        require_model(settings, "--judge model")
    async with open_language_model(settings) as model:
        writers = [edit_figures.human(), edit_figures.pasting()]
        writers += [edit_figures.remote(model)] if model else []
        judging: Judge = (
            ModelJudge(model) if model and judge == "model" else WordJudge()
        )
        with TerminalProgress("Asking editors to edit") as progress:
            return await edit_figures.compare(records, writers, judging, progress)


@click.group(name="draft")
def of_draft() -> None:
    """Collect data for a drafting model, from a stronger model's drafts (TunedRR of WikiGenBench).

    Collect drafts of the language model of the settings, fine-tune another chat model on
    them with a tool of your choice, and serve it behind an OpenAI-compatible address.
    Named in the settings (SIDENOTE_DRAFT_MODEL), it writes for
    `sidenote draft --method tuned`.
    """


@of_draft.command(name="collect")
@data_option("WikiGenBench's events: JSON lines, plain or gzipped.")
@choice_option("--documents", Documents.MIXED, "Which documents of an event to read.")
@click.option(
    "--reranker",
    type=RerankerChoice(),
    default="encoder",
    show_default=True,
    help=(
        "What chooses the chunks; the paper uses DPR, replaced here by the stock"
        " encoder."
    ),
)
@click.option(
    "--least-kept",
    type=click.FloatRange(0, 1),
    default=0.5,
    show_default=True,
    help="Share of the sentences of a draft that their citations must support.",
)
@click.option(
    "--events", "most", type=click.IntRange(1), help="Limit the number of events."
)
@_EXAMPLES_FOLDER
@click.pass_obj
def of_draft_collect(settings_file: Path | None, /, **given: Any) -> Exit:
    """Ask the language model of the settings for drafts, and keep what holds.

    An example is the question as `sidenote draft --method rr` asks it, and the answer
    less the sentences that what they cite does not support. The cost is reported
    in the end; the budget of the settings holds for the run.
    """
    settings = begin(settings_file)
    output: Path = given["output"]
    events = read_events(given["data"]).rows[: given["most"]]
    make_folder(output)
    summary = asyncio.run(_collect_drafts(settings, events, given))
    sys.stderr.write(
        f"{summary['calls']} calls, cost {summary['cost']}. The examples are in"
        f" {output.resolve()}; its README.txt says whose texts they are\n"
    )
    click.echo(json.dumps(summary, indent=2, ensure_ascii=False))
    return Exit.FINE


async def _collect_drafts(
    settings: Settings, events: tuple[Event, ...], given: dict[str, Any]
) -> dict[str, Any]:
    wanted = drafts.Wanted(
        given["documents"],
        settings.draft_chunks,
        settings.draft_words,
        given["least_kept"],
        question_sizes(settings),
    )
    async with open_needed_model(settings, "collecting drafts") as model:
        verifier = CachedVerifier(open_verifier(settings))
        cast = make_cast(
            DraftMethod.RR, given["reranker"], RememberingEncoder(), verifier
        )
        stronger = drafts.Stronger(model, cast, load_reliability())
        with TerminalProgress("Asking for drafts") as progress:
            return await drafts.prepare(
                events,
                stronger,
                wanted,
                given["output"],
                progress,
            )


@of_draft.command(name="measure")
@click.argument("examples", type=FILE)
@click.option(
    "--data",
    type=FILE,
    help="WikiGenBench's events, for METEOR, ROUGE-L and BLEU against the articles.",
)
@_measures
async def of_draft_measure(
    settings: Settings, examples: Path, data: Path | None
) -> dict[str, Any]:
    """Measure how models write EXAMPLES, the test.jsonl that `collect` wrote.

    The examples themselves are measured too, and the language model of the settings,
    where there is one. Citations are judged by the verification model.
    `sidenote evaluate wikigen --method tuned` measures whole drafts.
    """
    found = list(drafts.from_lines(examples))
    events = read_events(data).rows if data else ()
    writers = [drafts.learnt_from()]
    async with open_language_model(settings) as model:
        writers += [drafts.remote(model)] if model else []
        judge = VerifierJudge(CachedVerifier(open_verifier(settings)))
        with TerminalProgress("Asking models to write") as progress:
            return await drafts.compare(
                found, writers, judge, {one.title: one.text for one in events}, progress
            )


_MINILM = "Folder with the published weights of all-MiniLM-L6-v2"


@click.group(name="train")
def command() -> None:
    """Train a model again; the same data gives the same weights."""


command.add_command(of_editor)
command.add_command(of_draft)


def _fits(
    what: str,
) -> Callable[[Callable[..., str]], Callable[..., Exit]]:
    """Turn a function that fits a model into a command that writes it to a file.

    It gets the settings, the folder of the data, the file and a progress bar.
    """

    def decorate(fit: Callable[..., str]) -> Callable[..., Exit]:
        @click.pass_obj
        @wraps(fit)
        def command(settings_file: Path | None, data: Path, output: Path) -> Exit:
            settings = begin(settings_file)
            require_place_for(output)
            with TerminalProgress("Measuring rows") as progress:
                content = fit(settings, data, output, progress)
            write_whole(output, content)
            sys.stderr.write(f"The {what} in {output.resolve()}\n")
            return Exit.FINE

        return command

    return decorate


@command.command(name="lexical")
@data_option("Folder that holds verification/ and wice/.", FOLDER)
@output_option(FILE, "Folder or file for the model.", "lexical.json")
@_fits("model is")
def of_lexical(_: Settings, data: Path, __: Path, progress: TerminalProgress) -> str:
    """Fit the lexical verifier, from the openly licensed rows."""
    return to_json(lexical.train(data, progress))


@command.command(name="pages")
@data_option(
    "Folder that holds wikigenbench/, wiki_live_challenge/, judged_claims/, wice/.",
    click.Path(path_type=Path, exists=True, file_okay=False),
)
@output_option(FILE, "Folder or file for the model.", "pages.json")
@_fits("model is")
def of_pages(_: Settings, data: Path, __: Path, ___: TerminalProgress) -> str:
    """Train the model that recognises pages without content, and print its figures."""
    model, figures = pages.train(data)
    for name, figure in figures.items():
        click.echo(f"{name}: not judged {figure}")
    return json.dumps(model, ensure_ascii=False, separators=(",", ":"))


@command.command(name="operating-points")
@data_option(
    "Folder that holds verification/, wice/, judged_claims/ and real_citations/.",
    FOLDER,
)
@output_option(
    FILE,
    "File for the points; it keeps those of other engines.",
    points_file.NAME,
)
@_fits("operating points are")
def of_operating_points(
    settings: Settings, data: Path, output: Path, progress: TerminalProgress
) -> str:
    """Choose the probabilities from which claims are flagged, for the engine in use.

    The thresholds are chosen for the precision of what is flagged, on rows that the
    engine was not fitted on.
    """
    known = points_file.read_points(output)
    verifier = open_verifier(settings)
    new = operating_points.choose(data, verifier, folds_of(verifier), progress)
    return points_file.to_json(points_file.merged(known, new))


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
    help="Start from the published encoder in this folder: all-mpnet-base-v2"
    " or all-MiniLM-L6-v2. All examples are used, in large batches.",
)
@click.option(
    "--layers",
    type=click.IntRange(min=1),
    help="With --start: keep only this many of the first layers.",
)
@output_option(
    FOLDER,
    "Folder for the network, the weights of its heads and the log.",
    "verifier",
)
@click.option(
    "--epochs",
    type=click.IntRange(1, 20),
    help=(
        "Number of epochs; claims written to be wrong are used at most three times."
        " [default: 2; with --start 6]"
    ),
)
@click.option(
    "--minutes",
    type=click.FloatRange(min=1),
    help="Stop training after this time; the learning rate then falls with the time.",
)
@click.option(
    "--device",
    type=click.Choice(["cpu", "cuda"]),
    help="Device for training; by default a GPU if there is one.",
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
        raise click.UsageError("--layers needs --start")
    require_packages("torch", "transformers", "onnx")
    from bot.research.training.verifier import run  # noqa: PLC0415 - imports torch

    ask = run.VerifierAsk(**given)
    make_folder(ask.output)
    require_place_for(ask.output / run.WEIGHTS)
    with TerminalProgress("Making examples, then measuring rows") as progress:
        file = run.make(ask, progress, _tell)
    figures = {
        name: of_set
        for one in file.fitted_on
        for name, of_set in one.cross_validated.items()
    }
    message = json.dumps(figures)
    sys.stderr.write(f"The verifier is in {ask.output.resolve()}: {message}\n")
    return Exit.FINE


@command.command(name="heads")
@data_option(
    "Folder that holds verification/, wice/, judged_claims/ and real_citations/.",
    FOLDER,
)
@output_option(FILE, "Folder or file for the weights.", "neural.json")
@_fits("weights are")
def of_heads(_: Settings, data: Path, __: Path, progress: TerminalProgress) -> str:
    """Weigh the networks that ship with the lexical features again."""
    return to_json(heads.weigh_again(data, progress))


@command.command(name="edits")
@data_option("Folder that holds judged_claims/.", FOLDER)
@output_option(FILE, "Folder or file for the weights.", edits_file.FILE)
@click.pass_obj
def of_edits(settings_file: Path | None, data: Path, output: Path) -> Exit:
    """Fit what judges an edit of a claim, on the larger network that ships."""
    begin(settings_file)
    require_place_for(output)
    with TerminalProgress("Reading pairs") as progress:
        file = edit_judge.train(data, shipped_larger().read, progress)
    output.write_bytes(edits_file.to_bytes(file))
    sys.stderr.write(f"The weights are in {output.resolve()}\n")
    return Exit.FINE


@command.command(name="encoder")
@click.option("--weights", type=FOLDER, required=True, help=f"{_MINILM}.")
@click.option(
    "-o",
    "--output",
    type=FOLDER,
    default=Path(),
    help="Folder for encoder.onnx and wordpieces.json; by default the current one.",
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


def _tell(line: str) -> None:
    sys.stderr.write(f"{line}\n")
