"""What `sidenote sweep` costs, and how its cost grows with the number of pages.

    ./dev bench sweep     (all sizes, and the report)
    python -m tests.benchmarks.sweep_bench [PAGES ...] [--workers N] [--write]

Dumps of that many pages are built from real articles, in the form that Wikimedia
publishes, and swept as the program does it. A run that is stopped goes on where it
stood when it is started again: the processor time is noted with each part. With
`--write` the report goes to tests/results/sweep.md, over all sizes measured so far.
"""

import argparse
import json
import os
import platform
import shutil
import sys
import time
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from itertools import cycle, islice
from pathlib import Path

import numpy as np

from bot import __version__
from bot.research.sweep.portions import Input
from bot.research.sweep.run import Run, SweepAsk, run_sweep
from bot.research.sweep.summary import SweepSummary
from bot.settings import Settings, VerifierChoice
from tests.benchmarks.sweep_dump import Written, write_multistream

_ROOT = Path(__file__).parents[2]
_SHARED = _ROOT.parent / "shared" / "data"
_WORK = _ROOT / ".cache" / "sweep-bench"
_REPORT = _ROOT / "tests" / "results" / "sweep.md"
_SIZES = (100, 10_000, 100_000)
_REDIRECTS = 20_000
_DEMO = _ROOT / "bot" / "demo"
# Of the English Wikipedia; see "Assumptions" in the report.
_ARTICLES = 7_000_000
_OTHER_PAGES = 17_000_000
_DUMP_BYTES = 86_000_000_000
_MIB = 1024**2


@dataclass(frozen=True, slots=True)
class Measured:
    """One dump, swept."""

    name: str
    pages: int
    swept: int
    claims: int
    citations: int
    scored: int
    failed: int
    characters: int
    dump_bytes: int
    parts: int
    parts_cpu_s: float  # workers and their children
    own_cpu_s: float  # of the client in its last run: planning, handing out, summing up
    wall_s: float  # of its last run
    most_bytes: int
    output_bytes: int
    workers: int

    @property
    def cpu_s(self) -> float:
        """Return the processor time of all processes."""
        return self.parts_cpu_s + self.own_cpu_s


def main(arguments: Sequence[str] | None = None) -> None:
    """Measure the sizes that are named."""
    given = _given(arguments)
    if not given.report:
        _measure(given)
    report = _report(_all(given.work))
    sys.stdout.write(report)
    if given.write:
        _REPORT.parent.mkdir(exist_ok=True)
        _REPORT.write_text(report, "utf-8")


def _measure(options: argparse.Namespace) -> None:
    options.work.mkdir(parents=True, exist_ok=True)
    for pages in options.pages:
        _measured_dump(f"{pages} articles", _articles(pages), options)
    _measured_dump(f"{_REDIRECTS} redirects", _redirects(_REDIRECTS), options)
    for engine in VerifierChoice:
        _measured_demo(engine, options)


def everything() -> None:
    """Measure all sizes and write the report: an hour of a core and more."""
    main(["--write"])


def _given(arguments: Sequence[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="sweep_bench", description=__doc__)
    parser.add_argument("pages", nargs="*", type=int, default=list(_SIZES))
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--work", type=Path, default=_WORK)
    parser.add_argument("--write", action="store_true")
    parser.add_argument(
        "--report", action="store_true", help="of what was measured before, only"
    )
    return parser.parse_args(arguments)


def _articles(count: int) -> Iterator[Written]:
    """Yield pages with the texts of the real articles, one after another."""
    folder = Path(os.environ.get("SIDENOTE_SHARED_DATA", _SHARED)) / "wikitext_articles"
    index = (folder / "index.jsonl").read_text("utf-8").splitlines()
    entries = [json.loads(line) for line in index]
    texts = [
        (folder / entry["file"]).read_text("utf-8")
        for entry in entries
        if entry["site"] == "en.wikipedia.org" and entry["ns"] == 0
    ]
    for number, text in enumerate(islice(cycle(_mixed(texts)), count), 1):
        yield Written(f"Article {number}", number, text)


def _mixed(texts: list[str]) -> list[str]:
    """Return the texts in an order of which any beginning is like the whole."""
    order = sorted(range(len(texts)), key=lambda place: (place * 0.6180339887) % 1)
    return [texts[place] for place in order]


def _redirects(count: int) -> Iterator[Written]:
    for number in range(1, count + 1):
        text = f"#REDIRECT [[Article {number}]]\n\n{{{{R from move}}}}"
        yield Written(f"Old {number}", number, text, redirect_to=f"Article {number}")


def _measured_dump(
    name: str, pages: Iterator[Written], options: argparse.Namespace
) -> None:
    slug = name.replace(" ", "-")
    dump = options.work / f"{slug}-multistream.xml.bz2"
    if not dump.exists():
        sys.stderr.write(f"building {dump.name}\n")
        building = options.work / f"{slug}-building-multistream.xml.bz2"
        index = write_multistream(building, pages)
        index.replace(index.with_name(index.name.replace("-building", "")))
        building.replace(dump)
    settings = Settings(verifier=VerifierChoice.LEXICAL)
    ask = SweepAsk(
        Input((dump,)), options.work / f"{slug}-out", workers=options.workers, top=20
    )
    _swept(name, settings, ask, dump.stat().st_size)


def _measured_demo(engine: VerifierChoice, options: argparse.Namespace) -> None:
    out = options.work / f"demo-{engine.value}-out"
    shutil.rmtree(out, ignore_errors=True)
    settings = Settings(verifier=engine)
    ask = SweepAsk(
        Input((_DEMO / "articles",)), out, sources=_DEMO / "sources", workers=0
    )
    _swept(f"demo with {engine.value}", settings, ask, 0)


def _swept(name: str, settings: Settings, ask: SweepAsk, dump_bytes: int) -> None:
    cpu_s, wall_s = time.process_time(), time.monotonic()
    telling = _Telling(name)
    summary = run_sweep(settings, ask, telling)
    own_s = time.process_time() - cpu_s
    note = ask.output / "measured.json"
    if telling.parts == 0 and note.exists():
        return  # nothing was left to do; what the first run took stands
    if ask.workers == 0:
        own_s = max(0.0, own_s - summary.cpu_s)
    measured = _of(
        name,
        summary,
        ask,
        dump_bytes=dump_bytes,
        own_s=own_s,
        wall_s=time.monotonic() - wall_s,
    )
    note.write_text(json.dumps(asdict(measured)), "utf-8")


def _of(
    name: str,
    summary: SweepSummary,
    ask: SweepAsk,
    *,
    dump_bytes: int,
    own_s: float,
    wall_s: float,
) -> Measured:
    written = (path for path in ask.output.rglob("*.parquet") if path.is_file())
    return Measured(
        name=name,
        pages=summary.pages,
        swept=summary.swept,
        claims=summary.claims,
        citations=summary.citations,
        scored=summary.scored,
        failed=sum(summary.failed.values()),
        characters=summary.characters,
        dump_bytes=dump_bytes,
        parts=summary.parts,
        parts_cpu_s=summary.cpu_s,
        own_cpu_s=round(own_s, 2),
        wall_s=round(wall_s, 1),
        most_bytes=summary.most_bytes,
        output_bytes=sum(path.stat().st_size for path in written),
        workers=ask.workers,
    )


class _Telling:
    """Tells now and then how far it is."""

    def __init__(self, name: str) -> None:
        self._name = name
        self._told_s = 0.0
        self.parts: int | None = None

    def begin(self, parts: int | None, before: int) -> None:
        self.parts = parts
        sys.stderr.write(f"{self._name}: {parts} parts to do, {before} done before\n")

    def done(self, run: Run) -> None:
        now = time.monotonic()
        if now - self._told_s > 30:
            self._told_s = now
            summary = f"{run.shards} of {self.parts} parts, {run.counts.pages} pages"
            sys.stderr.write(f"{self._name}: {summary}\n")


def _all(work: Path) -> list[Measured]:
    notes = (json.loads(path.read_text()) for path in work.glob("*-out/measured.json"))
    return sorted((Measured(**note) for note in notes), key=lambda one: one.pages)


# --- the report -----------------------------------------------------------------


def _report(measured: list[Measured]) -> str:
    articles = [one for one in measured if one.name.endswith("articles")]
    lines = [
        "# What a sweep costs",
        "",
        "Made by `./dev bench sweep`, or by `python -m tests.benchmarks.sweep_bench"
        " [PAGES ...] --write` for some of the sizes; not edited by hand.",
        f"{datetime.now(UTC):%Y-%m-%d}, Sidenote {__version__}, Python"
        f" {platform.python_version()}, {os.cpu_count()} cores ({_processor()}),"
        f" {_memory_gib():.0f} GiB of memory, a machine shared with other work: processor"
        " time counts, not time on the clock.",
        "",
        *_table(measured),
        "",
        *_growth(articles),
        "",
        *_projection(measured, articles),
    ]
    return "\n".join(lines) + "\n"


def _table(measured: list[Measured]) -> Iterator[str]:
    yield (
        "| dump | pages | wikitext, M characters | dump, MB | claims | citations |"
        " scored | failed | processor s | of it the client | ms a page | s for each M"
        " characters | most memory of a worker with its child, MiB | Parquet, MB |"
    )
    yield "|---|" + "---:|" * 13
    for one in measured:
        million = one.characters / 1e6
        per_million = f"{one.cpu_s / million:.2f}" if million else "–"
        yield (
            f"| {one.name} | {one.pages:,} | {million:.1f} | {one.dump_bytes / 1e6:.1f} |"
            f" {one.claims:,} | {one.citations:,} | {one.scored:,} | {one.failed:,} |"
            f" {one.cpu_s:.1f} | {one.own_cpu_s:.1f} | {1000 * one.cpu_s / one.pages:.2f} |"
            f" {per_million} | {one.most_bytes / _MIB:.0f} | {one.output_bytes / 1e6:.1f} |"
        )


def _growth(articles: list[Measured]) -> Iterator[str]:
    yield "## Growth"
    yield ""
    if len(articles) < 2:
        yield "Two sizes at least are needed for a line."
        return
    intercept, slope = _line(articles)
    yield (
        f"Least squares over {len(articles)} sizes, weighted by 1/size: processor time ="
        f" {intercept:.2f} s + {1000 * slope:.2f} ms a page."
        + (
            " Two points always lie on a line: this shows nothing."
            if len(articles) < 3
            else ""
        )
    )
    yield ""
    for one in articles:
        fitted = intercept + slope * one.pages
        yield f"- {one.pages:,} pages: measured {one.cpu_s:.1f} s, on the line {fitted:.1f} s"
    first, last = articles[0], articles[-1]
    more = last.pages / first.pages
    began = first.cpu_s - max(intercept, 0.0)
    yield ""
    yield (
        f"{more:,.0f} times the pages cost {last.cpu_s / first.cpu_s:,.0f} times the"
        f" processor time ({(last.cpu_s - max(intercept, 0.0)) / began:,.0f} times without"
        f" what every sweep costs), and {last.most_bytes / first.most_bytes:.2f} times the"
        " memory of a worker."
    )
    if last.pages < max(_SIZES):
        yield ""
        yield (
            f"Not measured yet: {max(_SIZES):,} pages. `nice ./dev bench sweep` measures"
            " all sizes, and goes on where it stood if it is stopped."
        )


def _line(articles: list[Measured]) -> tuple[float, float]:
    pages = np.array([one.pages for one in articles], dtype=float)
    cpu_s = np.array([one.cpu_s for one in articles])
    slope, intercept = np.polyfit(pages, cpu_s, 1, w=1 / pages)
    return float(intercept), float(slope)


def _projection(measured: list[Measured], articles: list[Measured]) -> Iterator[str]:
    yield "## All of the English Wikipedia"
    yield ""
    if not articles:
        yield "No dump of articles was measured."
        return
    last = articles[-1]
    # What every further page costs; what a sweep costs before its first is nothing here.
    per_page = _line(articles)[1] if len(articles) > 1 else last.cpu_s / last.pages
    per_character = per_page * last.pages / last.characters
    redirect = next((one for one in measured if one.name.endswith("redirects")), None)
    others_s = _OTHER_PAGES * (redirect.parts_cpu_s / redirect.pages if redirect else 0)
    by_pages = _ARTICLES * per_page + others_s
    by_bytes = _DUMP_BYTES * per_character
    yield "Without sources at hand (claims and citations read, put into an order):"
    yield ""
    yield (
        f"- by pages: {_ARTICLES:,} articles at {1000 * per_page:.1f} ms +"
        f" {_OTHER_PAGES:,} other pages at {1000 * others_s / _OTHER_PAGES:.2f} ms ="
        f" **{by_pages / 3600:,.0f} hours of one core**, {by_pages / 3600 / 16:,.1f} hours"
        " on 16 cores"
    )
    yield (
        f"- by bytes: {_DUMP_BYTES / 1e9:,.0f} GB at {1e9 * per_character / 3600:.2f} h a GB ="
        f" **{by_bytes / 3600:,.0f} hours of one core**, {by_bytes / 3600 / 16:,.1f} hours"
        " on 16 cores"
    )
    yield (
        f"- Parquet: {_DUMP_BYTES * last.output_bytes / last.characters / 1e9:,.0f} GB by"
        " bytes"
    )
    yield ""
    yield from _scoring(measured)
    yield ""
    yield "Assumptions, none of them measured here:"
    yield ""
    yield (
        f"- {_ARTICLES:,} articles, and {_OTHER_PAGES:,} redirects, templates and the like"
        " that are skipped unread, as redirects of a few words are (their longer texts"
        " are decompressed all the same, which only the line by bytes has in it)."
    )
    mean = last.characters / last.pages
    yield (
        f"- By pages, articles are as long as these are: {mean:,.0f} characters in the"
        " mean. They were chosen by others for their rich markup, and most articles are"
        " shorter; so this line is high."
    )
    yield (
        f"- By bytes, an uncompressed dump of current pages has {_DUMP_BYTES / 1e9:,.0f} GB"
        " (a figure remembered, not looked up; the cost is proportional to it), all of it"
        " article text as dense with citations as these, one byte a character: high, too,"
        " for templates, redirects and markup of the XML are among them."
    )
    yield (
        "- The dumps repeat the same 204 articles, so caches of the processor fare a"
        " little better than on a real one."
    )


def _scoring(measured: list[Measured]) -> Iterator[str]:
    yield "Scoring comes on top, for claims whose sources are at hand:"
    yield ""
    for one in measured:
        if one.name.startswith("demo") and one.scored:
            each = one.cpu_s / one.scored
            yield (
                f"- {one.name}: {1000 * each:.0f} ms a claim ({one.scored} claims of 4"
                " articles with the sources that ship; starting up, reading of the pages"
                f" and extraction of the sources included), {1e6 * each / 3600:,.0f} hours"
                " of one core a million claims"
            )


def _processor() -> str:
    for line in Path("/proc/cpuinfo").read_text("utf-8").splitlines():
        if line.startswith("model name"):
            return line.partition(":")[2].strip()
    return platform.machine()


def _memory_gib() -> float:
    return os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") / 1024**3


if __name__ == "__main__":
    main()
