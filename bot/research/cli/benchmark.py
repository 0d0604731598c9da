"""`sidenote benchmark`: systems and files of a Wiki Live Challenge benchmark."""

import asyncio
import sys
from contextlib import AsyncExitStack
from pathlib import Path

import click

from bot.app.cli.terminal import Exit, make_folder, write_out, write_whole
from bot.app.wiring.sources import make_extractor, open_sources
from bot.report.words import clean_for_terminal
from bot.research.cli.measurement import open_needed_model
from bot.research.cli.options import FOLDER, begin
from bot.research.evaluation.review import wiki_fact
from bot.research.evaluation.review.articles import place_of
from bot.research.evaluation.review.directory import article_json, benchmark_files
from bot.research.evaluation.review.markdown import (
    ByModel,
    Step,
    markdown_of,
    normal,
    prepared,
    read_markdown,
    steps_of,
)
from bot.settings import Settings
from handlers.ports import PermanentError

_BENCHMARK = click.argument(
    "benchmark", type=click.Path(path_type=Path, exists=True, file_okay=True)
)
_IN = click.option(
    "-i",
    "--in",
    "source",
    type=click.Path(path_type=Path, exists=True),
    required=True,
    help="A Markdown file, or a folder of them.",
)


@click.group(name="benchmark")
def command() -> None:
    """List, register and prepare the systems of a Wiki Live Challenge benchmark.

    BENCHMARK is a folder in the benchmark's directory form, or the shared JSON lines.
    """


@command.command(name="list")
@_BENCHMARK
def of_list(benchmark: Path) -> Exit:
    """List the systems, registered or not, and how much there is of each."""
    lines = [
        f"{clean_for_terminal(one.name)}\t"
        f"{clean_for_terminal(one.agency.name) if one.agency else 'not registered'}\t"
        f"{one.articles} articles\t{one.statements} statements"
        + ("" if one.agency is None or one.agency.has_citations else "\tno citations")
        + ("" if one.agency is None or one.agency.enabled else "\tnot enabled")
        for one in wiki_fact.entries(place_of(benchmark))
    ]
    write_out("\n".join(lines) + "\n" if lines else "No systems.\n")
    return Exit.FINE


@command.command(name="register")
@_BENCHMARK
@click.argument("system")
@click.option("--name", required=True, help="Its display name.")
@click.option("--desc", "description", default="", help="A description in one line.")
@click.option("--no-citations", is_flag=True, help="Its articles have no citations.")
def of_register(
    benchmark: Path, system: str, *, name: str, description: str, no_citations: bool
) -> Exit:
    """Add a system to the registry, and create its folders."""
    place = place_of(benchmark)
    written = wiki_fact.register(
        place, system, name, description, has_citations=not no_citations
    )
    if place.is_directory:
        make_folder(place.system(system))
        make_folder(place.system(system).parent / "md_data")
    write_whole(place.registry, written)
    sys.stderr.write(f"{system} is registered in {place.registry}\n")
    return Exit.FINE


@command.command(name="validate")
@_BENCHMARK
def of_validate(benchmark: Path) -> Exit:
    """Validate all systems; exit code 1 if one cannot be measured completely."""
    lines, has_faults = [], False
    for one in wiki_fact.entries(place_of(benchmark)):
        has_faults |= bool(one.faults)
        lines.append(clean_for_terminal(f"{one.name}: {one.articles} articles"))
        lines.extend(f"  {clean_for_terminal(fault)}" for fault in one.faults)
    write_out("\n".join(lines) + "\n")
    return Exit.NEEDS_ATTENTION if has_faults else Exit.FINE


@command.command(name="export")
@_BENCHMARK
@click.argument("folder", type=FOLDER)
@click.option(
    "--system", "systems", multiple=True, help="Only this system; may be repeated."
)
def of_export(benchmark: Path, folder: Path, systems: tuple[str, ...]) -> Exit:
    """Write a benchmark in the directory form, as the benchmark's programs read it."""
    place = place_of(benchmark)
    count = 0
    for where, text in benchmark_files(place, systems or place.systems()):
        make_folder((folder / where).parent)
        write_whole(folder / where, text)
        count += 1
    sys.stderr.write(f"{count} files are in {folder.resolve()}\n")
    return Exit.FINE


@command.command(name="preprocess")
@_IN
@click.option(
    "-o",
    "--out",
    "target",
    type=click.Path(path_type=Path),
    help="Folder for the normal form; --in-place overwrites the files.",
)
@click.option("--in-place", is_flag=True, help="Overwrite the files themselves.")
@click.option(
    "--detect-only", is_flag=True, help="Only show the citation style of each article."
)
def of_preprocess(
    source: Path, *, target: Path | None, in_place: bool, detect_only: bool
) -> Exit:
    """Convert articles in Markdown to the standard form: "[1]" and a list at the end."""
    if sum((target is not None, in_place, detect_only)) != 1:
        raise click.UsageError("give one of --out, --in-place or --detect-only")
    for file in _markdown(source):
        text = markdown_of(file)
        read = read_markdown(text)
        styles = ", ".join(read.styles) or "no citation"
        write_out(f"{file.name}: {styles}; {len(read.references)} references\n")
        if not detect_only:
            write_whole(_target(file, source, target, ".md"), normal(text))
    return Exit.FINE


@command.command(name="generate")
@_IN
@click.option(
    "-o",
    "--out",
    "target",
    type=click.Path(path_type=Path),
    required=True,
    help="The JSON file, or the folder of them (json_data).",
)
@click.option("--steps", default="extract,fetch", show_default=True)
@click.option(
    "--model/--no-model",
    default=False,
    help="Have the language model in the settings extract the statements.",
)
@click.pass_obj
def of_generate(
    settings_file: Path | None, *, source: Path, target: Path, steps: str, model: bool
) -> Exit:
    """Extract statements from articles in Markdown, and fetch the pages they cite."""
    settings = begin(settings_file)
    return asyncio.run(
        _generate(settings, source, target, steps_of(steps), with_model=model)
    )


async def _generate(
    settings: Settings,
    source: Path,
    target: Path,
    steps: tuple[Step, ...],
    *,
    with_model: bool,
) -> Exit:
    async with AsyncExitStack() as opened:
        reader = None
        if Step.FETCH in steps:
            texts = await opened.enter_async_context(make_extractor(settings))
            reader = await opened.enter_async_context(
                open_sources(settings, None, texts)
            )
        extractor = None
        if with_model:
            chosen = open_needed_model(settings, "--model")
            extractor = ByModel(await opened.enter_async_context(chosen))
        for file in _markdown(source):
            made = _target(file, source, target, ".json")
            done = await prepared(file, made, steps, extractor, reader)
            make_folder(made.parent)
            write_whole(made, article_json(done.article))
            article = done.article
            sys.stderr.write(
                f"{file.name}: {len(article.statements)} statements, {done.citing} that"
                f" cite; {done.fetched} of {len(article.citation_urls)} pages have a"
                " text\n"
            )
        if extractor is not None:
            sys.stderr.write(
                f"{extractor.evaluator.name}: {extractor.evaluator.use.calls} calls, cost"
                f" {extractor.evaluator.use.cost}; rules were used"
                f" {extractor.evaluator.unanswered} times\n"
            )
    return Exit.FINE


def _markdown(source: Path) -> list[Path]:
    files = [source] if source.is_file() else sorted(source.glob("*.md"))
    if not files:
        raise PermanentError(f"{source} has no file *.md")
    return files


def _target(file: Path, source: Path, target: Path | None, ending: str) -> Path:
    if target is None:
        return file
    return target if source.is_file() else target / f"{file.stem}{ending}"
