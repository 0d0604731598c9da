"""`sidenote evaluate wikigen`: drafts on published events, measured as in the paper."""

import json
from pathlib import Path

import click

from bot.app.cli.draft import RerankerChoice
from bot.app.cli.progress import TerminalProgress
from bot.app.cli.terminal import require_place_for, write_whole
from bot.app.wiring.drafts import DEFAULT_RERANKER
from bot.research.cli.measurement import cores, folder_of, reports
from bot.research.cli.options import (
    EVENTS,
    FILE,
    FOLDER,
    RESUME,
    choice_option,
    limit_option,
    processes_option,
)
from bot.research.evaluation.drafts import wikigen
from bot.research.evaluation.drafts.overlap import DEBIAN
from bot.research.evaluation.drafts.setups import (
    TABLES,
    TOP,
    WORDS,
    Documents,
    Maker,
    Setup,
)
from bot.research.evaluation.drafts.wikigen import Opener, Parts
from bot.research.evaluation.report import EvaluationReport
from bot.settings import Settings
from handlers.model import DraftMethod


@click.command(name="wikigen")
@EVENTS
@choice_option(
    "--method",
    DraftMethod.PRR,
    "The method for the main figures; see `sidenote draft`.",
)
@click.option(
    "--reranker",
    type=RerankerChoice(),
    default=DEFAULT_RERANKER,
    show_default=True,
    help="How passages of the documents are ranked.",
)
@click.option(
    "--top",
    type=click.IntRange(1, TOP),
    default=TOP,
    show_default=True,
    help="Number of passages of about 256 words to read, for each section or for all.",
)
@choice_option(
    "--documents",
    Documents.MIXED,
    "Use the documents that a search engine returned, those that the article cites,"
    " or both.",
)
@click.option(
    "--words",
    type=click.IntRange(50, 5_000),
    default=WORDS,
    show_default=True,
    help="Approximate length of a draft, in words.",
)
@click.option(
    "--tables",
    default="2",
    show_default=True,
    help=(
        "Which of the paper's tables 2 to 5 to fill, such as 2,4. Each of our rows"
        " takes a run over all events."
    ),
)
@choice_option(
    "--writer",
    Parts.EMBEDDED,
    "What plans and writes: the program, or the language model in the settings.",
)
@click.option(
    "--model",
    "with_model",
    is_flag=True,
    help="Have the language model of the settings plan and write: --writer model.",
)
@choice_option(
    "--citation-judge",
    Parts.EMBEDDED,
    "What judges citations: the verification model, or the language model in the"
    " settings (one question per sentence).",
)
@click.option(
    "--wordnet",
    type=FOLDER,
    help=(
        f"Folder of WordNet's files, for METEOR's synonyms; by default {DEBIAN}"
        " (Debian's wordnet-base) if it exists."
    ),
)
@click.option(
    "--meteor-jar",
    type=FILE,
    help=(
        "The program METEOR 1.5 (meteor-1.5.jar from NLG-eval or pycocoevalcap), as in"
        " the paper; needs Java."
    ),
)
@click.option("--odd", is_flag=True, help="Only events with an odd number.")
@limit_option("Limit the number of events.")
@RESUME
@processes_option(
    "--processes",
    "Number of events to work on at once; by default the number of cores, at most"
    " two. Each has the language model's whole budget.",
)
@click.option(
    "--drafts", type=FILE, help="Also write the drafts to this file, as JSON lines."
)
@reports
def of_wikigen(
    settings: Settings,
    *,
    data: Path,
    method: DraftMethod,
    reranker: str,
    top: int,
    documents: Documents,
    words: int,
    tables: str,
    writer: Parts,
    with_model: bool,
    citation_judge: Parts,
    wordnet: Path | None,
    meteor_jar: Path | None,
    odd: bool,
    limit: int | None,
    resume: Path | None,
    processes: int | None,
    drafts: Path | None,
) -> EvaluationReport:
    """Draft articles on events, and compare them with Wikipedia's.

    A row is an event of WikiGenBench: an article, the pages it cites and what a search
    engine returned for it. METEOR, ROUGE-L and BLEU beside the article; citation
    recall, precision and rate; marks by the language model of the settings, if there
    is one. The paper's rows are given too, and what may be compared with them.
    """
    require_place_for(drafts)
    writer = Parts.MODEL if with_model else writer
    opener = Opener(
        settings,
        writer,
        citation_judge,
        is_tuned=method is DraftMethod.TUNED or bool(settings.draft_model),
        wordnet=wordnet or (DEBIAN if DEBIAN.is_dir() else None),
        meteor_jar=meteor_jar,
    )
    opener.require()
    with folder_of(resume) as folder, TerminalProgress("Evaluating drafts") as progress:
        measured = wikigen.evaluate(
            data,
            opener,
            folder,
            progress,
            main=Setup(Maker(method.value), reranker.casefold(), top, documents, words),
            tables=table_numbers(tables),
            is_tuned=opener.is_tuned,
            limit=limit,
            only_odd=odd,
            processes=cores(processes),
            name=settings.language_model_name
            if writer is Parts.MODEL
            else writer.value,
            parts=opener.parts,
        )
    if drafts is not None:
        rows = (json.dumps(one, ensure_ascii=False) for one in measured.drafts)
        write_whole(drafts, "".join(f"{row}\n" for row in rows))
    return measured.report


def table_numbers(listed: str) -> tuple[int, ...]:
    """Return the tables that are named, in order; refuse any that the paper lacks."""
    wanted = {one.strip() for one in listed.split(",") if one.strip()}
    unknown = wanted - {str(one) for one in TABLES}
    if unknown:
        raise click.BadParameter(
            f"there is no table {', '.join(sorted(unknown))}; choose from"
            f" {', '.join(map(str, TABLES))}, such as 2,4",
            param_hint="--tables",
        )
    return tuple(one for one in TABLES if str(one) in wanted)
