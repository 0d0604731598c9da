"""`sidenote evaluate`: the engine on published data, as JSON of one form."""

from pathlib import Path

import click

from bot.cli.discovery import of_discovery
from bot.cli.editing import of_editing
from bot.cli.evaluate_all import of_all
from bot.cli.evaluate_judged import of_preferences, of_reviews
from bot.cli.exits import Exit
from bot.cli.measuring import (
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
from bot.cli.plain import of_plain
from bot.cli.recommendations import of_recommendations
from bot.cli.retrieval import of_retrieval
from bot.cli.updates import of_updates
from bot.cli.wiki_live import of_wiki_live
from bot.cli.wiki_writing import of_wiki_writing
from bot.cli.wikigen import of_wikigen
from bot.evaluation import ranking, verification
from bot.evaluation.benchmarks import BENCHMARKS

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
