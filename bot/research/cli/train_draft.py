"""`sidenote train draft`: a model that writes drafts, from a stronger one's."""

import asyncio
import json
import sys
from pathlib import Path
from typing import Any

import click

from bot.app.cli.progress import TerminalProgress
from bot.app.cli.terminal import (
    Exit,
    make_folder,
    require_place_for,
    write_out,
    write_whole,
)
from bot.app.wiring import configure_logging, open_language_model, open_verifier
from bot.app.wiring.drafts import RERANKERS, make_cast, question_sizes
from bot.models.encoder import RememberingEncoder
from bot.research.cli.fitting import fit, fitting_options, require_libraries
from bot.research.evaluation.drafting.citing import VerifierJudge
from bot.research.evaluation.drafting.setups import Documents
from bot.research.evaluation.events import Event, read_events
from bot.research.training.drafts import measuring, preparing
from bot.research.training.drafts.collecting import Stronger, Wanted
from bot.research.training.drafts.records import conversation, from_lines
from bot.settings import Settings, load_settings
from bot.sources.reliability import load_reliability
from handlers.model import DraftMethod
from handlers.ports import PermanentError
from handlers.updates.entailment import Remembering

_FILE = click.Path(path_type=Path, dir_okay=False)
_FOLDER = click.Path(path_type=Path, file_okay=False)
_MOST_TOKENS = 6_144  # of an example: five chunks, and an article


@click.group(name="draft")
def of_draft() -> None:
    """Make a model that writes drafts, from a stronger one's (TunedRR of WikiGenBench).

    Collect drafts of the language model of the settings, fine-tune another chat model
    on them, and measure how it writes. Serve the result behind an OpenAI-compatible
    address and name it in the settings (SIDENOTE_DRAFT_MODEL), for
    `sidenote draft --method tuned`.
    """


@of_draft.command(name="collect")
@click.option(
    "--data", type=_FILE, required=True, help="WikiGenBench's events, .jsonl(.gz)."
)
@click.option(
    "--documents",
    type=click.Choice(Documents, case_sensitive=False),
    default=Documents.MIXED,
    show_default="mixed",
    help="Which documents of an event are read.",
)
@click.option(
    "--reranker",
    type=click.Choice(RERANKERS, case_sensitive=False),
    default="dpr",
    show_default=True,
    help="Who chooses the chunks; the paper's is dpr.",
)
@click.option(
    "--least-kept",
    type=click.FloatRange(0, 1),
    default=0.5,
    show_default=True,
    help="Share of a draft's sentences that must be borne out by what they cite.",
)
@click.option(
    "--events", "most", type=click.IntRange(1), help="Ask for so many events at most."
)
@click.option(
    "-o",
    "--output",
    type=_FOLDER,
    required=True,
    help="Folder for the examples. A run that was stopped goes on from what is there.",
)
@click.pass_obj
def of_collect(settings_file: Path | None, /, **given: Any) -> Exit:
    """Ask the language model of the settings for drafts, and keep what holds.

    An example is the question as `sidenote draft --method rr` asks it, and the answer
    less the sentences that what they cite does not bear out. What that cost is told in
    the end; the budget of the settings holds for the run.
    """
    settings = load_settings(settings_file)
    configure_logging(settings)
    output: Path = given["output"]
    events = read_events(given["data"]).events[: given["most"]]
    make_folder(output)
    told = asyncio.run(_collect(settings, events, given))
    sys.stderr.write(
        f"{told['calls']} calls, which cost {told['cost']} in all. The examples are in"
        f" {output.resolve()}; README.txt there says whose texts they are\n"
    )
    click.echo(json.dumps(told, indent=2, ensure_ascii=False))
    return Exit.FINE


async def _collect(
    settings: Settings, events: tuple[Event, ...], given: dict[str, Any]
) -> dict[str, Any]:
    wanted = Wanted(
        given["documents"],
        settings.draft_chunks,
        settings.draft_words,
        given["least_kept"],
        question_sizes(settings),
    )
    async with open_language_model(settings) as model:
        if model is None:
            raise PermanentError(
                "collecting asks a language model for drafts; name one in the settings"
                " (SIDENOTE_LANGUAGE_MODEL_ADDRESS)"
            )
        verifier = Remembering(open_verifier(settings))
        cast = make_cast(
            DraftMethod.RR, given["reranker"], RememberingEncoder(), verifier
        )
        stronger = Stronger(model, cast, load_reliability())
        with TerminalProgress("Asking for drafts") as progress:
            return await preparing.prepare(
                events,
                stronger,
                wanted,
                preparing.Keeping(given["output"], write_whole),
                progress,
            )


@of_draft.command(name="fit")
@fitting_options(most_tokens=_MOST_TOKENS)
@click.pass_obj
def of_fit(
    settings_file: Path | None,
    /,
    examples: Path,
    folder: Path,
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
    talks = [conversation(one) for one in from_lines(examples)]
    if not talks:
        raise PermanentError(f"{examples} has no example; collect some first")
    fit(talks, folder, output, **given)
    return Exit.FINE


@of_draft.command(name="measure")
@click.argument("examples", type=_FILE)
@click.option(
    "--model",
    "folders",
    type=_FOLDER,
    multiple=True,
    help="Folder of a chat model to measure. Can be given several times.",
)
@click.option(
    "--data",
    type=_FILE,
    help="WikiGenBench's events, for METEOR, ROUGE-L and BLEU beside the articles.",
)
@click.option(
    "--json",
    "output",
    type=_FILE,
    help="Write the figures to this file instead of standard output.",
)
@click.pass_obj
def of_measure(settings_file: Path | None, /, **given: Any) -> Exit:
    """Measure how models write EXAMPLES, the test.jsonl that `collect` wrote.

    The examples themselves stand beside each model, and the language model of the
    settings where there is one. Citations are judged by the verification model.
    `sidenote evaluate wikigen --method tuned` measures whole drafts.
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
        write_out(text, as_utf8=True)
    else:
        write_whole(output, text)
    return Exit.FINE


async def _measure(
    settings: Settings, examples: Path, folders: tuple[Path, ...], data: Path | None
) -> dict[str, Any]:
    found = list(from_lines(examples))
    events = read_events(data).events if data else ()
    writers = [measuring.learnt_from()]
    async with open_language_model(settings) as model:
        writers += [measuring.remote(model)] if model else []
        if folders:
            from bot.research.training.chat.fitting import ChatModel  # noqa: PLC0415 - imports torch

            writers += [measuring.local(str(one), ChatModel(one)) for one in folders]
        judge = VerifierJudge(Remembering(open_verifier(settings)))
        with TerminalProgress("Letting models write") as progress:
            return await measuring.compare(
                found,
                writers,
                judge,
                {one.title: one.text for one in events},
                progress,
            )
