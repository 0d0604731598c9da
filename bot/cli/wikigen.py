"""`sidenote evaluate wikigen`: drafts of published events, measured as a paper does."""

import json
import os
from collections.abc import AsyncIterator, Iterable
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import asdict, dataclass, field
from enum import Enum
from pathlib import Path
from tempfile import TemporaryDirectory

import click

from bot.adapters.encoder import Encoder
from bot.adapters.lexical_verifier import LexicalVerifier
from bot.adapters.meteor_program import MeteorProgram
from bot.adapters.reliability import load_reliability
from bot.adapters.wordnet import DEBIAN, WordNet
from bot.bootstrap import (
    configure_logging,
    open_draft_model,
    open_language_model,
    open_verifier,
)
from bot.bootstrap.drafts import make_cast
from bot.bootstrap.rerankers import DEFAULT_RERANKER, RERANKERS
from bot.cli.exits import Exit
from bot.cli.measuring import (
    JSON,
    REPORT,
    Places,
    data_option,
    deliver,
    ready,
    tell_unscored,
)
from bot.cli.progress import TerminalProgress
from bot.cli.writing import require_place_for, write_whole
from bot.evaluation import drafting
from bot.evaluation.drafting.citing import CitationJudge, ModelJudge, VerifierJudge
from bot.evaluation.drafting.running import Casts, Engine, Judges, Kit
from bot.evaluation.drafting.setups import (
    TABLES,
    TOP,
    WORDS,
    Documents,
    Maker,
    Setup,
)
from bot.settings import Settings
from handlers.drafts.roles import Cast
from handlers.model import DraftMethod
from handlers.ports import LanguageModel, PermanentError, Verifier

_MOST_PROCESSES = 16


class Parts(Enum):
    """Who does what a language model can do, too."""

    EMBEDDED = "embedded"
    MODEL = "model"


@dataclass(frozen=True, slots=True)
class Choices:
    """What the command line chose of the engine's parts."""

    writer: Parts = Parts.EMBEDDED
    citation_judge: Parts = Parts.EMBEDDED
    is_tuned: bool = False
    wordnet: Path | None = None
    meteor_jar: Path | None = None


@dataclass(frozen=True, slots=True)
class Opener:
    """Loads the engine in whichever process asks for it."""

    settings: Settings
    choices: Choices = field(default_factory=Choices)

    @asynccontextmanager
    async def __call__(self) -> AsyncIterator[Engine]:
        """Give the engine for as long as a process works."""
        chosen = self.choices
        configure_logging(self.settings)  # a process of its own has not done so
        async with AsyncExitStack() as opened:
            model = await opened.enter_async_context(open_language_model(self.settings))
            tuned = (
                await opened.enter_async_context(open_draft_model(self.settings))
                if chosen.is_tuned
                else None
            )
            verifier = open_verifier(self.settings)
            yield Engine(
                verifier=verifier,
                encoder=Encoder(),
                lists=load_reliability(),
                casts=_casts(model if chosen.writer is Parts.MODEL else None, tuned),
                judges=_judges(model if chosen.citation_judge is Parts.MODEL else None),
                second=_second(verifier, chosen.citation_judge),
                model=model,
                synonyms=WordNet(chosen.wordnet) if chosen.wordnet else None,
                meteor_15=opened.enter_context(MeteorProgram(chosen.meteor_jar))
                if chosen.meteor_jar
                else None,
            )


def _casts(model: LanguageModel | None, tuned: LanguageModel | None) -> Casts:
    def cast(setup: Setup, kit: Kit) -> Cast:
        method = DraftMethod(setup.maker.value)
        writer = tuned if method is DraftMethod.TUNED else model
        return make_cast(method, setup.reranker, kit.encoder, kit.verifier, writer)

    return cast


def _second(verifier: Verifier, judge: Parts) -> Verifier | None:
    """Return who else judges citations: whoever had the least to do with the drafts."""
    lexical = LexicalVerifier()
    if verifier.engine != lexical.engine:
        return lexical
    return verifier if judge is Parts.MODEL else None


def _judges(model: LanguageModel | None) -> Judges:
    def judge(verifier: Verifier) -> CitationJudge:
        embedded = VerifierJudge(verifier)
        return embedded if model is None else ModelJudge(model, embedded)

    return judge


@click.command(name="wikigen")
@data_option("WikiGenBench's events: JSON lines, plain or gzipped.")
@click.option(
    "--method",
    type=click.Choice(DraftMethod, case_sensitive=False),
    default=DraftMethod.PRR,
    show_default="prr",
    help="The method that the main figures are of; see `sidenote draft`.",
)
@click.option(
    "--reranker",
    type=click.Choice(RERANKERS, case_sensitive=False),
    default=DEFAULT_RERANKER,
    show_default=True,
    help="What puts passages of the documents into order.",
)
@click.option(
    "--top",
    type=click.IntRange(1, 200),
    default=TOP,
    show_default=True,
    help="How many passages of some 256 words are read, for each section or for all.",
)
@click.option(
    "--documents",
    type=click.Choice(Documents, case_sensitive=False),
    default=Documents.MIXED,
    show_default="mixed",
    help="Those that a search engine returned, those that the article cites, or both.",
)
@click.option(
    "--words",
    type=click.IntRange(50, 5_000),
    default=WORDS,
    show_default=True,
    help="About how many words a draft is to have.",
)
@click.option(
    "--tables",
    default="2",
    show_default=True,
    help="Which of the paper's tables 2 to 5 are filled, such as 2,4. Each row of ours"
    " takes a run over all events.",
)
@click.option(
    "--writer",
    type=click.Choice(Parts, case_sensitive=False),
    default=Parts.EMBEDDED,
    show_default="embedded",
    help="Who plans and writes: the program, or the language model of the settings.",
)
@click.option(
    "--citation-judge",
    type=click.Choice(Parts, case_sensitive=False),
    default=Parts.EMBEDDED,
    show_default="embedded",
    help="Who judges citations: the verification model, or the language model of the"
    " settings (one question for each sentence).",
)
@click.option(
    "--wordnet",
    type=click.Path(path_type=Path, file_okay=False),
    help=f"Folder of WordNet's files, for METEOR's synonyms; {DEBIAN} (Debian's"
    " wordnet-base) if that is there.",
)
@click.option(
    "--meteor-jar",
    type=click.Path(path_type=Path, dir_okay=False),
    help="The program METEOR 1.5 (meteor-1.5.jar of NLG-eval or pycocoevalcap), whose"
    " figures the paper gives; needs Java.",
)
@click.option("--odd", is_flag=True, help="Measure events with an odd number only.")
@click.option(
    "--limit", type=click.IntRange(min=1), help="Measure only the first events."
)
@click.option(
    "--resume",
    type=click.Path(path_type=Path, file_okay=False),
    help="Keep what each event gave in this folder, and go on from there. Use another"
    " one for other data, other parts or another version of the program.",
)
@click.option(
    "--processes",
    type=click.IntRange(1, _MOST_PROCESSES),
    help="How many events are worked on at once; the number of cores, at most two, if"
    " not given. Each has the language model's whole budget.",
)
@click.option(
    "--drafts",
    type=click.Path(path_type=Path, dir_okay=False),
    help="Write the drafts into this file, too, as JSON lines.",
)
@JSON
@REPORT
@click.pass_obj
def of_wikigen(
    settings_file: Path | None,
    *,
    data: Path,
    method: DraftMethod,
    reranker: str,
    top: int,
    documents: Documents,
    words: int,
    tables: str,
    writer: Parts,
    citation_judge: Parts,
    wordnet: Path | None,
    meteor_jar: Path | None,
    odd: bool,
    limit: int | None,
    resume: Path | None,
    processes: int | None,
    drafts: Path | None,
    output: Path | None,
    folder: Path | None,
) -> Exit:
    """Draft the articles of events, and compare them with what Wikipedia has.

    A row is an event of WikiGenBench: an article, the pages it cites and what a search
    engine returned for it. METEOR, ROUGE-L and BLEU beside the article; citation
    recall, precision and rate; marks by the language model of the settings, if there
    is one. The paper's rows stand beside, and what may be compared with them.
    """
    places = Places(output, folder)
    settings = ready(settings_file, places)
    require_place_for(drafts)
    choices = Choices(
        writer,
        citation_judge,
        is_tuned=method is DraftMethod.TUNED or bool(settings.draft_model),
        wordnet=wordnet or (DEBIAN if DEBIAN.is_dir() else None),
        meteor_jar=meteor_jar,
    )
    _require(settings, choices)
    main = Setup(Maker(method.value), reranker.casefold(), top, documents, words)
    opener = Opener(settings, choices)
    plan = drafting.Plan(
        main,
        table_numbers(tables),
        is_tuned=choices.is_tuned,
        limit=limit,
        only_odd=odd,
        processes=processes or min(2, os.cpu_count() or 1),
        name=settings.language_model_name if writer is Parts.MODEL else writer.value,
        engine=_engine(settings, choices),
    )
    with (
        TemporaryDirectory(prefix="sidenote-") as kept,
        TerminalProgress("Evaluating drafts") as progress,
    ):
        measured = drafting.evaluate(data, opener, resume or Path(kept), plan, progress)
    if drafts is not None:
        write_whole(drafts, _lines(measured.drafts))
    tell_unscored(measured.report)
    return deliver(measured.report, places)


def table_numbers(listed: str) -> tuple[int, ...]:
    """Return which tables are named, in their order; refuse what the paper lacks."""
    wanted = {one.strip() for one in listed.split(",") if one.strip()}
    unknown = wanted - {str(one) for one in TABLES}
    if unknown:
        raise click.BadParameter(
            f"there is no table {', '.join(sorted(unknown))}; name some of"
            f" {', '.join(map(str, TABLES))}, such as 2,4",
            param_hint="--tables",
        )
    return tuple(one for one in TABLES if str(one) in wanted)


def _require(settings: Settings, choices: Choices) -> None:
    """Refuse at once what would fail after minutes."""
    is_asked = Parts.MODEL in (choices.writer, choices.citation_judge)
    if is_asked and not settings.language_model_address:
        raise PermanentError(
            "no language model is set up; set SIDENOTE_LANGUAGE_MODEL_ADDRESS, or leave"
            " --writer and --citation-judge at “embedded”"
        )
    if choices.meteor_jar:
        MeteorProgram(choices.meteor_jar)
    if choices.wordnet:
        WordNet(choices.wordnet)


def _engine(settings: Settings, choices: Choices) -> tuple[tuple[str, str], ...]:
    """Name the parts, as the report has them."""
    judging = open_verifier(settings)
    second = _second(judging, choices.citation_judge)
    verifier = judging.engine
    named = f"{verifier.name} {verifier.version}"
    model = settings.language_model_name
    is_model = choices.citation_judge is Parts.MODEL
    return (
        ("name", verifier.name),
        ("version", verifier.version),
        ("writer", model if choices.writer is Parts.MODEL else "embedded, quotes only"),
        ("tuned_writer", settings.draft_model if choices.is_tuned else "none"),
        ("encoder", Encoder().name),
        ("citations", f"{model}; {named} where it is silent" if is_model else named),
        (
            "second_judge",
            f"{second.engine.name} {second.engine.version}" if second else "none",
        ),
        ("marks", model if settings.language_model_address else "none"),
        ("synonyms", "WordNet" if choices.wordnet else "none: no WordNet is installed"),
        ("meteor_15", "meteor-1.5.jar" if choices.meteor_jar else "none"),
    )


def _lines(drafts: Iterable[drafting.DraftOf]) -> str:
    return "".join(f"{json.dumps(asdict(one), ensure_ascii=False)}\n" for one in drafts)
