"""`sidenote train editor`: an editing model from how people edited."""

import asyncio
import json
import sys
from contextlib import AsyncExitStack
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import click

from bot.app.cli.progress import TerminalProgress
from bot.app.cli.terminal import Exit, make_folder, require_place_for, write_whole
from bot.app.wiring import configure_logging, open_language_model
from bot.app.wiring.searches import open_history
from bot.app.wiring.sources import make_extractor, open_sources
from bot.research.cli.fitting import fit, fitting_options, require_libraries
from bot.research.training.writers import edit_figures, edits
from bot.research.training.writers.edit_figures import Judge, ModelJudge, WordJudge
from bot.research.training.writers.edit_records import Target, conversation, from_lines
from bot.settings import Settings, load_settings
from handlers.ports import PermanentError

_DAY = click.DateTime(["%Y-%m-%d"])
_TARGET = click.option(
    "--target",
    type=click.Choice(Target, case_sensitive=False),
    default=Target.STEPS,
    show_default="steps",
    help="What is learnt: the steps that the editor of updates asks for, or the whole"
    " paragraph, as in the paper.",
)


@click.group(name="editor")
def of_editor() -> None:
    """Make an editing model from how people edited (WiNELL, appendices A and B).

    Collect examples from the histories of articles, fine-tune a chat model on them, and
    measure how it edits. Serve the result behind an OpenAI-compatible address and name
    that in the settings of the language model.
    """


@of_editor.command(name="collect")
@click.argument("titles", nargs=-1, required=True)
@click.option("--wiki", help="The wiki of the pages; else that of the settings.")
@click.option("--since", type=_DAY, required=True, help="First day of the edits.")
@click.option("--until", type=_DAY, required=True, help="Day after the last one.")
@click.option(
    "--sources",
    type=click.Path(path_type=Path, file_okay=False, exists=True),
    help="Read cited pages from this folder (with its index.json), never from the web.",
)
@_TARGET
@click.option(
    "-o",
    "--output",
    type=click.Path(path_type=Path, file_okay=False),
    required=True,
    help="Folder for the examples. A run that was stopped goes on from what is there.",
)
@click.pass_obj
def of_collect(settings_file: Path | None, /, **given: Any) -> Exit:
    """Collect examples from the histories of TITLES, in the usual chat format.

    An example is a paragraph before and after a person brought in a fact with a new
    source, and what that source says: where the settings name a language model, news
    that it writes after the edit, with comment to leave out; else the cited page.
    """
    settings = load_settings(settings_file)
    configure_logging(settings)
    make_folder(given["output"])
    if given["since"] >= given["until"]:
        raise click.UsageError("--since is not before --until")
    told = asyncio.run(_collect(settings, given))
    sys.stderr.write(f"The examples are in {given['output'].resolve()}\n")
    click.echo(json.dumps(told, indent=2, ensure_ascii=False))
    return Exit.FINE


async def _collect(settings: Settings, given: dict[str, Any]) -> dict[str, Any]:
    wiki = given["wiki"] or settings.wiki
    asked = edits.Asked(
        wiki, given["titles"], _utc(given["since"]), _utc(given["until"])
    )
    async with AsyncExitStack() as opened:
        extractor = await opened.enter_async_context(make_extractor(settings))
        sources = await opened.enter_async_context(
            open_sources(settings, given["sources"], extractor)
        )
        model = await opened.enter_async_context(open_language_model(settings))
        makers = edits.Makers(open_history(settings, wiki), sources, model, write_whole)
        with TerminalProgress("Reading histories") as progress:
            return await edits.prepare(
                asked, makers, given["output"], given["target"], progress
            )


@of_editor.command(name="fit")
@fitting_options(most_tokens=2_048)
@_TARGET
@click.pass_obj
def of_fit(
    settings_file: Path | None,
    /,
    examples: Path,
    folder: Path,
    target: Target,
    output: Path,
    **given: Any,
) -> Exit:
    """Fine-tune a chat model on EXAMPLES, the train.jsonl that `collect` wrote.

    Takes the GPU where there is one. Needs the training extra:
    `pip install -e .[training]`.
    """
    configure_logging(load_settings(settings_file))
    require_libraries()
    make_folder(output)
    talks = [conversation(one, target) for one in from_lines(examples)]
    usable = [one for one in talks if one is not None]
    if not usable:
        raise PermanentError(
            f"none of the {len(talks)} examples can be told in the form of"
            f" --target {target.value}; collect more"
        )
    fit(usable, folder, output, **given)
    return Exit.FINE


@of_editor.command(name="measure")
@click.argument("examples", type=click.Path(path_type=Path, dir_okay=False))
@click.option(
    "--model",
    "folders",
    type=click.Path(path_type=Path, file_okay=False),
    multiple=True,
    help="Folder of a chat model to measure. Can be given several times.",
)
@_TARGET
@click.option(
    "--judge",
    type=click.Choice(["words", "model"]),
    default="words",
    show_default=True,
    help="Who tells what a paragraph conveys: words in common, or the language model"
    " of the settings.",
)
@click.option(
    "--json",
    "output",
    type=click.Path(path_type=Path, dir_okay=False),
    help="Write the figures to this file instead of standard output.",
)
@click.pass_obj
def of_measure(settings_file: Path | None, /, **given: Any) -> Exit:
    """Measure how editors edit EXAMPLES, the test.jsonl that `collect` wrote.

    The person's own edit and the source pasted whole stand beside each model, and the
    language model of the settings where there is one.
    """
    settings = load_settings(settings_file)
    configure_logging(settings)
    output: Path | None = given.pop("output")
    require_place_for(output)
    if given["folders"]:
        require_libraries()
    told = asyncio.run(_measure(settings, **given))
    text = json.dumps(told, indent=2, ensure_ascii=False) + "\n"
    if output is None:
        click.echo(text, nl=False)
    else:
        write_whole(output, text)
    return Exit.FINE


async def _measure(
    settings: Settings,
    examples: Path,
    folders: tuple[Path, ...],
    target: Target,
    judge: str,
) -> dict[str, Any]:
    records = list(from_lines(examples))
    async with open_language_model(settings) as model:
        if judge == "model" and model is None:
            raise PermanentError(
                "--judge model needs a language model; name one in the settings"
                " (SIDENOTE_LANGUAGE_MODEL_ADDRESS)"
            )
        writers = [edit_figures.human(), edit_figures.pasting()]
        writers += [edit_figures.remote(model)] if model else []
        if folders:
            from bot.research.training.writers.fitting import ChatModel  # noqa: PLC0415 - imports torch

            writers += [
                edit_figures.local(str(one), ChatModel(one), target) for one in folders
            ]
        judging: Judge = (
            ModelJudge(model) if model and judge == "model" else WordJudge()
        )
        with TerminalProgress("Letting editors edit") as progress:
            return await edit_figures.compare(records, writers, judging, progress)


def _utc(day: datetime) -> datetime:
    return day.replace(tzinfo=UTC)
