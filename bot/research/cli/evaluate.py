"""`sidenote evaluate`: the engine on published data, as JSON of one form."""

from collections.abc import Callable
from pathlib import Path
from tempfile import TemporaryDirectory

import click

from bot.app.cli.terminal import Exit
from bot.models.encoder import Encoder
from bot.research.cli.discovery import of_discovery
from bot.research.cli.evaluate_all import of_all
from bot.research.cli.measuring import (
    JSON,
    MODEL,
    REPORT,
    ROWS,
    Places,
    bench,
    data_option,
    deliver,
    evaluate,
    ready,
    tell_unscored,
)
from bot.research.cli.plain import of_plain
from bot.research.cli.updates import of_updates
from bot.research.cli.wiki_live import of_wiki_live
from bot.research.cli.wiki_writing import of_wiki_writing
from bot.research.cli.wikigen import of_wikigen
from bot.research.evaluation.benchmarks import BENCHMARKS
from bot.research.evaluation.citations import (
    judgements,
    ranking,
    recommendations,
    retrieval,
    verification,
)
from bot.research.evaluation.report import EvaluationReport
from bot.research.evaluation.updates import editing
from bot.settings import Settings
from bot.sources.reliability import load_reliability
from handlers.citations.better.policy import Policy

# `sidenote evaluate recommendations`: are the better sources better?


@click.command(name="recommendations")
@data_option("WikiGenBench's events: JSON lines, plain or gzipped.")
@JSON
@REPORT
@click.option(
    "--pool",
    type=click.Path(path_type=Path, file_okay=False),
    help="Keep the index of all pages in this folder, for a quicker second run;"
    " `evaluate retrieval` can use the same.",
)
@click.option("--pairs", type=click.IntRange(min=1), help="Try only so many sentences.")
@click.pass_obj
def of_recommendations(
    settings_file: Path | None,
    *,
    data: Path,
    output: Path | None,
    folder: Path | None,
    pool: Path | None,
    pairs: int | None,
) -> Exit:
    """Give sentences a wrong citation, none or the right one, and see what is advised.

    A row is an event of WikiGenBench: an article with the pages that it cites. How
    often is a page recommended, how often is it the one that the article cites, and
    how often is one recommended although the citation is right?
    """
    places = Places(output, folder)
    settings = ready(settings_file, places)
    with (
        TemporaryDirectory(prefix="sidenote-") as kept,
        bench(settings, "recommendations", Path(kept)) as given,
    ):
        report = recommendations.evaluate(
            data,
            given.verifier,
            Encoder(),
            given.progress,
            pool=pool or given.kept,
            policy=_policy(settings),
            most_pairs=pairs,
        )
    tell_unscored(report)
    return deliver(report, places)


def _policy(settings: Settings) -> Policy:
    """Return the limits of `check --search`."""
    return Policy(
        margin=settings.better_margin,
        per_claim=settings.candidates_per_claim,
        per_page=settings.candidates_per_page,
        lists=load_reliability(),
    )


# `sidenote evaluate retrieval`: is the cited page found again among all pages?


@click.command(name="retrieval")
@data_option("WikiGenBench's events: JSON lines, plain or gzipped.")
@JSON
@click.option(
    "--pool",
    type=click.Path(path_type=Path, file_okay=False),
    help="Keep the index of all pages in this folder, for a quicker second run.",
)
@click.option(
    "--rerank",
    type=click.IntRange(1, 100),
    default=retrieval.RERANKED,
    show_default=True,
    help="How many pages of each answer the verifier reorders.",
)
@click.pass_obj
def of_retrieval(
    settings_file: Path | None,
    data: Path,
    output: Path | None,
    pool: Path | None,
    rerank: int,
) -> Exit:
    """Find the cited page among all pages: by words, by meaning, both, verified.

    A row is an event of WikiGenBench: an article with the pages that it cites.
    """
    places = Places(output)
    settings = ready(settings_file, places)
    with (
        TemporaryDirectory(prefix="sidenote-") as kept,
        bench(settings, "retrieval", Path(kept)) as given,
    ):
        report = retrieval.evaluate(
            data,
            given.verifier,
            Encoder(),
            given.progress,
            pool=pool or given.kept,
            reranked=rerank,
        )
    tell_unscored(report)
    return deliver(report, places)


# `sidenote evaluate preferences` and `reviews`: what people judged in the panel.


@click.command(name="preferences")
@data_option("What `sidenote judgements preferences` wrote: JSON lines.")
@JSON
@REPORT
@click.pass_obj
def of_preferences(
    settings_file: Path | None, data: Path, output: Path | None, folder: Path | None
) -> Exit:
    """Which citation people prefer, the present one or the one recommended.

    As SIDE reports it: shares of each answer and majorities by claim, by how sure the
    engine is, with intervals, the sign test and the agreement of those who judged.
    """
    places = Places(output, folder)
    return _reported(
        settings_file, places, lambda: judgements.evaluate_preferences(data)
    )


@click.command(name="reviews")
@data_option("What `sidenote judgements reviews` wrote: JSON lines.")
@JSON
@REPORT
@click.pass_obj
def of_reviews(
    settings_file: Path | None, data: Path, output: Path | None, folder: Path | None
) -> Exit:
    """What reviewers would do with suggestions, and what is wrong with them.

    As WiNELL reports it: shares of accept, accept with changes and reject, and of each
    kind of error, with intervals and the agreement of those who judged.
    """
    places = Places(output, folder)
    return _reported(settings_file, places, lambda: judgements.evaluate_reviews(data))


def _reported(
    settings_file: Path | None, places: Places, measure: Callable[[], EvaluationReport]
) -> Exit:
    ready(settings_file, places)
    report = measure()
    tell_unscored(report)
    return deliver(report, places)


# `sidenote evaluate editing`: outdated statements told, and edits that lose nothing.


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


_BY_NAME = {one.name: one for one in BENCHMARKS}


@click.group(name="evaluate")
def command() -> None:
    """Measure the verifier on published data.

    Every figure comes with a 95 % interval, the data's fingerprint, the engine and
    the number of rows that could not be scored.
    """


@command.command(name="demo")
@JSON
@REPORT
@click.pass_obj
def of_demo(
    settings_file: Path | None, output: Path | None, folder: Path | None
) -> Exit:
    """What is flagged on the articles that ship, against a reader's judgements.

    Needs no data but the program's own. For each kind of flag and each verdict:
    precision, recall and on how many claims.
    """
    demo = _BY_NAME["demo"]
    # What ships lies in no folder of data sets.
    return evaluate(settings_file, demo, demo.place(Path()), Places(output, folder))


@command.command(name="verification")
@ROWS
@click.option(
    "--swap-evidence",
    is_flag=True,
    help="Judge each row with another row's evidence: what the claims alone give away.",
)
@MODEL
@JSON
@REPORT
@click.pass_obj
def of_verification(
    settings_file: Path | None,
    *,
    data: Path,
    swap_evidence: bool,
    with_model: bool,
    output: Path | None,
    folder: Path | None,
) -> Exit:
    """Claims beside their evidence, set by set.

    A row is `{"id", "set", "claim", "evidence", "label", "meta"}`; the evidence is a
    text, or a list of texts such as the sentences of a page. `meta` may tell the
    article's `title` and `section`, the `page_title` of the evidence, the `header` of
    a claim that is a cell ("Infobox Erin, Born") and its `pair`.
    """
    places = Places(output, folder)
    settings = ready(settings_file, places)
    with bench(settings, "verification", Path(), with_model=with_model) as given:
        report = verification.evaluate(
            data,
            given.verifier,
            given.progress,
            given.contest,
            swap_evidence=swap_evidence,
        )
    tell_unscored(report)
    return deliver(report, places)


@command.command(name="wice")
@ROWS
@MODEL
@JSON
@REPORT
@click.pass_obj
def of_wice(
    settings_file: Path | None,
    *,
    data: Path,
    with_model: bool,
    output: Path | None,
    folder: Path | None,
) -> Exit:
    """The whole path on WiCE: passages of the full page, retrieval, verdict.

    A row is `{"id", "claim", "evidence", "label", "meta"}`; the evidence is the
    list of the page's sentences, `meta.supporting_sentences` the gold sets.
    """
    benchmark, places = _BY_NAME["wice"], Places(output, folder)
    return evaluate(settings_file, benchmark, data, places, with_model=with_model)


@command.command(name="unsupported")
@ROWS
@JSON
@REPORT
@click.pass_obj
def of_unsupported(
    settings_file: Path | None, data: Path, output: Path | None, folder: Path | None
) -> Exit:
    """Which words of a claim are marked as found nowhere in its source.

    A row is one of WiCE's partly supported claims, with `meta.claim_tokens` and
    `meta.non_supported_spans`.
    """
    benchmark = _BY_NAME["unsupported"]
    return evaluate(settings_file, benchmark, data, Places(output, folder))


@command.command(name="ranking")
@data_option(
    "Rows with addresses (as for `verification`), or WikiLiveChallenge's citation"
    " judgements (.json)."
)
@click.option(
    "--pages",
    type=click.Path(path_type=Path, dir_okay=False),
    help="The articles that the judgements are about, if not where they lie beside.",
)
@JSON
@REPORT
@click.pass_obj
def of_ranking(
    settings_file: Path | None,
    *,
    data: Path,
    pages: Path | None,
    output: Path | None,
    folder: Path | None,
) -> Exit:
    """Rank citations by how likely they fail: the engine beside URL depth.

    Only rows with the address of what they cite take part: `meta.url`,
    `meta.citation_url` or the first of `meta.citation_links`.
    """
    places = Places(output, folder)
    settings = ready(settings_file, places)
    with bench(settings, "ranking", Path()) as given:
        report = ranking.evaluate(
            data, given.verifier, given.progress, given.contest, pages=pages
        )
    tell_unscored(report)
    return deliver(report, places)


for _one in (
    of_all,
    of_discovery,
    of_editing,
    of_plain,
    of_preferences,
    of_recommendations,
    of_retrieval,
    of_reviews,
    of_updates,
    of_wiki_live,
    of_wiki_writing,
    of_wikigen,
):
    command.add_command(_one)
