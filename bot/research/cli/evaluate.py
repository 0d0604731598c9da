"""`sidenote evaluate`: measures the engine on published data; JSON in one format."""

import asyncio
import json
import sys
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from enum import Enum
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import click

from bot.app.cli.options import in_form, into_file
from bot.app.cli.progress import TerminalProgress
from bot.app.cli.terminal import Exit, put, require_place_for, write_out, write_whole
from bot.app.wiring.checks import open_checker
from bot.app.wiring.language_model import open_language_model
from bot.daemon.progress import LoggedProgress
from bot.models.encoder import Encoder
from bot.research.cli.measurement import (
    measured,
    measurement_of,
    prepare,
    reports,
    require_model,
    tell_unscored,
    write_page,
)
from bot.research.cli.options import (
    EVENTS,
    FILE,
    FOLDER,
    JSON,
    MODEL,
    POOL,
    REPORT,
    ROWS,
    begin,
    data_option,
)
from bot.research.cli.updates import of_discovery, of_pages, of_updates
from bot.research.cli.wiki_live import of_review, of_wiki_live, of_wiki_writing
from bot.research.cli.wikigen import of_wikigen
from bot.research.evaluation.benchmarks import (
    BENCHMARKS,
    Benchmark,
    Floor,
    compared,
    read_floors,
    shipped_floors,
)
from bot.research.evaluation.citations import (
    edit_questions,
    judgements,
    plain,
    ranking,
    recommendations,
    retrieval,
    verification,
)
from bot.research.evaluation.citations import edits as edits_of_claims
from bot.research.evaluation.report import EvaluationReport
from bot.research.evaluation.updates import edits
from bot.settings import Settings
from bot.sources.reliability import load_reliability
from handlers.citations.better_sources import Policy
from handlers.ports import PermanentError

_BY_NAME = {one.name: one for one in BENCHMARKS}


@click.group(name="evaluate")
def command() -> None:
    """Measure the program on published data sets.

    Every figure comes with a 95 % interval, the SHA-256 of the data, the engine and
    the number of rows that could not be scored.
    """


for _one in (
    of_discovery,
    of_pages,
    of_updates,
    of_review,
    of_wiki_live,
    of_wiki_writing,
    of_wikigen,
):
    command.add_command(_one)


@command.command(name="demo")
@reports
def of_demo(settings: Settings) -> EvaluationReport:
    """Compare the flags on the articles that ship with a reader's judgements.

    Needs no data but the program's own. For each kind of flag and each verdict:
    precision, recall and on how many claims.
    """
    demo = _BY_NAME["demo"]
    return measured(settings, demo, demo.place(Path()))


@command.command(name="verification")
@ROWS
@click.option(
    "--swap-evidence",
    is_flag=True,
    help="Judge each row with the evidence of another row, as a baseline.",
)
@MODEL
@reports
def of_verification(
    settings: Settings, *, data: Path, swap_evidence: bool, with_model: bool
) -> EvaluationReport:
    """Judge claims by their evidence, set by set.

    A row is `{"id", "set", "claim", "evidence", "label", "meta"}`; the evidence is a
    text, or a list of texts such as the sentences of a page. `meta` may give the
    article's `title` and `section`, the `page_title` of the evidence, the `header` of
    a claim that is a cell ("Infobox Erin, Born") and its `pair`.
    """
    with measurement_of(settings, "verification", with_model=with_model) as given:
        return verification.evaluate(
            data,
            given.verifier,
            given.progress,
            given.contest,
            swap_evidence=swap_evidence,
        )


@command.command(name="wice")
@ROWS
@MODEL
@reports
def of_wice(settings: Settings, *, data: Path, with_model: bool) -> EvaluationReport:
    """Judge WiCE's claims by the full page: passages, retrieval, verdict.

    A row is `{"id", "claim", "evidence", "label", "meta"}`; the evidence is the
    list of the page's sentences, `meta.supporting_sentences` the gold sets.
    """
    return measured(settings, _BY_NAME["wice"], data, with_model=with_model)


@command.command(name="unsupported")
@ROWS
@reports
def of_unsupported(settings: Settings, data: Path) -> EvaluationReport:
    """Measure which words of a claim are marked as unsupported.

    A row is one of WiCE's partly supported claims, with `meta.claim_tokens` and
    `meta.non_supported_spans`.
    """
    return measured(settings, _BY_NAME["unsupported"], data)


@command.command(name="edits")
@ROWS
@click.option(
    "--harmless",
    type=FILE,
    required=True,
    help="Pairs of claims before and after a harmless edit.",
)
@click.option(
    "--swap-evidence",
    is_flag=True,
    help="Judge each row with the evidence of another row, as a baseline.",
)
@click.option(
    "--model",
    "with_model",
    is_flag=True,
    help=(
        "Ask the language model in the settings in place of the engine, within its"
        " budget: which of both versions, in no particular order, the source bears out."
    ),
)
@reports
def of_edits(
    settings: Settings,
    *,
    data: Path,
    harmless: Path,
    swap_evidence: bool,
    with_model: bool,
) -> EvaluationReport:
    """Tell edits that moved a claim away from its source from harmless ones.

    Rows are those of `verification`, two for each `meta.pair`: of --data a supported
    claim and one that an edit made wrong, with the edit's `meta.kind`; of --harmless
    two supported ones, with `meta.side` before and after.
    """
    with measurement_of(settings, "edits", with_model=with_model) as given:
        if given.contest.cascade is not None:
            return edit_questions.evaluate(
                data,
                harmless,
                given.contest.cascade,
                given.progress,
                swap_evidence=swap_evidence,
            )
        return edits_of_claims.evaluate(
            data,
            harmless,
            given.verifier,
            given.progress,
            swap_evidence=swap_evidence,
        )


@command.command(name="ranking")
@data_option(
    "Rows with addresses (as for `verification`), or WikiLiveChallenge's citation"
    " judgements (.json)."
)
@click.option(
    "--pages",
    type=FILE,
    help="The articles that the judgements are about, if they are not beside it.",
)
@reports
def of_ranking(
    settings: Settings, *, data: Path, pages: Path | None
) -> EvaluationReport:
    """Rank citations by how likely they are to fail, compared with URL depth.

    Only rows with the address of what they cite take part: `meta.url`,
    `meta.citation_url` or the first of `meta.citation_links`.
    """
    with measurement_of(settings, "ranking") as given:
        return ranking.evaluate(
            data, given.verifier, given.progress, given.contest, pages=pages
        )


@command.command(name="retrieval")
@EVENTS
@POOL
@click.option(
    "--rerank",
    type=click.IntRange(1, 100),
    default=retrieval.RERANKED,
    show_default=True,
    help="Number of pages of each answer that the verifier reranks.",
)
@reports
def of_retrieval(
    settings: Settings, data: Path, pool: Path | None, rerank: int
) -> EvaluationReport:
    """Find the cited page among all pages: by words, by meaning, by both, reranked.

    A row is an event of WikiGenBench: an article with the pages that it cites.
    """
    with measurement_of(settings, "retrieval", pool) as given:
        return retrieval.evaluate(
            data,
            given.verifier,
            Encoder(),
            given.progress,
            pool=given.folder,
            reranked=rerank,
        )


@command.command(name="recommendations")
@EVENTS
@POOL
@click.option(
    "--pairs", type=click.IntRange(min=1), help="Limit the number of sentences."
)
@reports
def of_recommendations(
    settings: Settings, *, data: Path, pool: Path | None, pairs: int | None
) -> EvaluationReport:
    """Give sentences a wrong citation, none or the right one, and measure the advice.

    A row is an event of WikiGenBench: an article with the pages that it cites. How
    often is a page recommended, how often is it the one that the article cites, and
    how often is one recommended although the citation is right?
    """
    with measurement_of(settings, "recommendations", pool) as given:
        return recommendations.evaluate(
            data,
            given.verifier,
            Encoder(),
            given.progress,
            pool=given.folder,
            policy=Policy(  # the limits of `check --search`
                margin=settings.better_margin,
                per_claim=settings.candidates_per_claim,
                per_page=settings.candidates_per_page,
                lists=load_reliability(),
            ),
            most_pairs=pairs,
        )


@command.command(name="preferences")
@data_option("What `sidenote judgements preferences` wrote: JSON lines.")
@reports
def of_preferences(_: Settings, data: Path) -> EvaluationReport:
    """Measure which citation people prefer, the present or the recommended one.

    As SIDE reports it: shares of each answer and majorities by claim, by how sure the
    engine is, with intervals, the sign test and the agreement of those who judged.
    """
    return judgements.evaluate_preferences(data)


@command.command(name="reviews")
@data_option("What `sidenote judgements reviews` wrote: JSON lines.")
@reports
def of_reviews(_: Settings, data: Path) -> EvaluationReport:
    """Measure what reviewers would do with suggestions, and their errors.

    As WiNELL reports it: shares of accept, accept with changes and reject, and of each
    kind of error, with intervals and the agreement of those who judged.
    """
    return judgements.evaluate_reviews(data)


@command.command(name="editing")
@data_option(
    "Revisions: a file of JSON lines, plain or gzipped, or a folder of them.",
    click.Path(path_type=Path),
)
@click.option(
    "--edited",
    type=FILE,
    help="Sentences of an editor to measure beside the others: JSON lines with the id of"
    " a row and the text.",
)
@reports
def of_editing(settings: Settings, data: Path, edited: Path | None) -> EvaluationReport:
    """Measure the detection of outdated sentences, and the editing of paragraphs.

    A row is a revision of a sentence with `original`, `update_claim`, `target` and
    `original_label`, or of a paragraph with `old_wikitext` and `new_wikitext`. Of a
    folder, outdated sentences are measured on the files without "train" in their name,
    if there are any.
    """
    sentences = edits.read_edited(edited) if edited else None
    with measurement_of(settings, "editing") as given:
        return edits.evaluate(data, given.verifier, given.progress, sentences)


@command.command(name="all")
@data_option("Folder that holds the data sets: verification/, wice/ and so on.", FOLDER)
@JSON
@REPORT
@click.option(
    "--floors",
    "floors_file",
    type=FILE,
    help="Compare with the minimum figures in this file.",
)
@click.pass_obj
def of_all(
    settings_file: Path | None,
    *,
    data: Path,
    output: Path | None,
    folder: Path | None,
    floors_file: Path | None,
) -> Exit:
    """Run the benchmarks of citations and compare the figures with their floors.

    They need no language model.

    Ends with exit code 1, naming each metric, where one is below its floor.
    """
    settings = begin(settings_file)
    prepare(output, folder)
    floors = read_floors(floors_file) if floors_file else shipped_floors()
    return evaluate_all(settings, BENCHMARKS, floors, data, output, folder=folder)


def evaluate_all(
    settings: Settings,
    benchmarks: Sequence[Benchmark],
    floors: Sequence[Floor],
    data: Path,
    output: Path | None = None,
    *,
    folder: Path | None = None,
) -> Exit:
    """Run `benchmarks`, deliver their figures and compare them with `floors`."""
    files = {one.file: one.place(data) for one in benchmarks}
    missing = [file for file, place in files.items() if not place.is_file()]
    if missing:
        raise PermanentError(
            f"{data} lacks {', '.join(missing)}; name the folder of data sets"
        )
    found: dict[str, EvaluationReport] = {}
    with TemporaryDirectory(prefix="sidenote-") as shared:
        for one in benchmarks:
            found[one.name] = measured(settings, one, one.place(data), Path(shared))
            tell_unscored(found[one.name])
    checked = compared({name: one.metrics for name, one in found.items()}, floors)
    if folder is not None:
        for report in found.values():
            write_page(folder, report)
    if output is not None:
        content = {
            "benchmarks": {name: report.to_dict() for name, report in found.items()},
            "floors": [
                {**floor.model_dump(exclude_none=True), "value": value, "holds": holds}
                for floor, value, holds in checked
            ],
        }
        written = json.dumps(content, indent=2, ensure_ascii=False)
        write_whole(output, f"{written}\n")
    write_out(f"{'metric':64} {'value':>7}  {'floor':16}\n")
    for floor, value, holds in checked:
        shown = "none" if value is None else f"{value:.3f}"
        mark = "" if holds else "  BELOW"
        write_out(f"{floor.metric:64} {shown:>7}  {floor.bound:16}{mark}\n")
    missed = [floor.metric for floor, _, holds in checked if not holds]
    if missed:
        sys.stderr.write(f"sidenote: below the floor: {', '.join(missed)}\n")
    return Exit.NEEDS_ATTENTION if missed else Exit.FINE


class Form(Enum):
    TEXT = "text"
    JSON = "json"


@command.command(name="plain")
@click.option(
    "--cases",
    "file",
    type=FILE,
    help="Other cases: JSON lines, with a folder `pages` beside them.",
)
@click.option("--wrong", is_flag=True, help="Also list the cases that came out wrong.")
@MODEL
@in_form(Form, "result")
@into_file("result")
@click.pass_obj
def of_plain(
    settings_file: Path | None,
    *,
    file: Path | None,
    wrong: bool,
    with_model: bool,
    form: Form,
    output: Path | None,
) -> Exit:
    """Check plain cases on small invented pages.

    Needs no data but the program's own. A case is `{"id", "page", "claim", "verdict",
    "kind"}` with `title`, `section` and, for a cell, `header`: the `field` of an
    infobox, or the `row` and `column` of a table. Reported are how many verdicts are
    right, how many false claims are called supported, and how many supported ones
    are called contradicted or not supported: of all cases, and of each file of them.
    `read` is the verdict of somebody who reads a foreign page: it counts where a language
    model judged the case.
    """
    settings = begin(settings_file)
    require_place_for(output)
    data = plain.read_cases(*((file,) if file else plain.shipped_cases()))
    if with_model:
        require_model(settings, "--model")
    answered = _answered(settings, data, with_wrong=wrong, with_model=with_model)
    report = asyncio.run(answered)
    is_text = form is Form.TEXT
    document = ("\n".join(_plain_lines(report)) + "\n") if is_text else report.to_json()
    put(document, "result", output, is_text=is_text)
    return Exit.FINE


async def _answered(
    settings: Settings, data: plain.Cases, *, with_wrong: bool, with_model: bool
) -> EvaluationReport:
    alone: Sequence[plain.Answer] = ()
    with TerminalProgress("Evaluating plain cases") as progress:
        # A case is an article by itself; totals follow at the end.
        silent = LoggedProgress()
        async with open_checker(settings, data.pages, silent) as checker:
            answers = await plain.answer_all(data.cases, checker, progress)
            if with_model:
                alone = answers
                async with open_language_model(settings) as model:
                    tools = replace(checker.tools, language_model=model)
                    both = replace(checker, tools=tools)
                    answers = await plain.answer_all(data.cases, both, progress)
    engine = checker.tools.verifier.engine
    return plain.report_of(data, answers, engine, alone, with_wrong=with_wrong)


def _plain_lines(report: EvaluationReport) -> Iterator[str]:
    metrics = report.metrics
    yield f"Engine: {report.engine['name']} {report.engine['version']}"
    yield from _shares(metrics)
    if model := metrics.get("model"):
        yield ""
        yield f"Language model: {model['name']}"
        yield f"  {model['counted']} of {model['asked']} answers count"
        took = model["took"]
        yield f"  {took['calls']} calls, cost {took['cost']:.4f}; without it:"
        yield from _shares(model["without"])
    if len(metrics["files"]) > 1:
        for file, of in metrics["files"].items():
            yield ""
            yield file
            yield from _shares(of)
    yield ""
    yield f"{'Verdict of a reader':<24}given"
    for expected, given in metrics["verdicts"].items():
        message = ", ".join(f"{count} {verdict}" for verdict, count in given.items())
        yield f"{expected:<24}{message}"
    yield ""
    yield f"{'Kind':<24}{'cases':>6}{'right':>7}{'confirmed':>11}{'alarms':>8}"
    for kind, of in metrics["kinds"].items():
        yield (
            f"{kind:<24}{of['cases']:>6}{of['right']:>7}"
            f"{of['false_claims_confirmed']:>11}{of['false_alarms']:>8}"
        )
    for row in report.rows:
        yield ""
        yield from _wrong(row)


def _shares(metrics: Mapping[str, Any]) -> Iterator[str]:
    counts = metrics["counts"]
    for name, hits, tries in (
        ("Right", "right", "cases"),
        ("False claims confirmed", "false_claims_confirmed", "false_claims"),
        ("False alarms", "false_alarms", "supported"),
    ):
        share = metrics[hits]
        message = "" if share is None else f" ({share:.0%})"
        yield f"{name + ':':<24}{counts[hits]} of {counts[tries]}{message}"


def _wrong(row: Mapping[str, Any]) -> Iterator[str]:
    yield f"{row['id']} ({row['kind']}): {row['given']}, not {row['verdict']}"
    about = "; ".join(row.get("header", {}).values())
    yield f"  {about}: {row['claim']}" if about else f"  {row['claim']}"
    if row["quote"]:
        yield f"  “{' '.join(row['quote'].split())}”"
