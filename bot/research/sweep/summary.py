"""Adds up the shards of a sweep, and shows the result as text, JSON and HTML.

It picks the claims and hosts that stand out. Only one column of the claims is held at a
time, so a large wiki can be summed up on a small machine.
"""

import heapq
import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import datetime
from pathlib import Path

from pydantic import BaseModel

from bot.report.to_html import templates
from bot.report.words import clean, clean_for_terminal, counted, percent, shortened
from bot.research.sweep.rows import Cost, Counts, DamagedStream, FailedPage, Sign
from bot.research.sweep.shards import SweepFolder
from bot.research.sweep.tables import (
    HOSTS,
    Row,
    best_of,
    picked,
    sums_by_host,
    writing,
)

_MOST_NAMED = 200  # failed pages and damaged parts on the HTML page
_HOSTS_SHOWN = 50
_ROWS_AT_ONCE = 5_000


class Line(BaseModel):
    """A claim that stands out; `fails` is `None` if no source was available."""

    title: str
    section: tuple[str, ...]
    claim: str
    link: str | None
    address: str | None
    verdict: str | None
    fails: float | None
    flag: str | None
    quote: str | None
    sign: str
    url_depth: int | None


class HostLine(BaseModel):
    """A cited host; `expected_failing` is the sum of its claims' probabilities."""

    host: str
    claims: int
    scored: int
    expected_failing: float
    flagged: int
    at_sight: int


class Trouble(BaseModel):
    """A page or a part of the input that could not be read, and why."""

    what: str
    why: str


class SweepSummary(Counts):
    """All of a sweep that is shown: the figures of its shards, and what stands out.

    `bins` counts scored claims by their probability of failing, in equal steps up to 1.
    """

    inputs: tuple[str, ...]
    engine: str
    made_at: datetime
    parts: int
    parts_of: int | None  # how many there are in all, if known
    pages_lost: int
    lost_unknown: int  # damaged parts with an unknown number of pages
    cpu_s: float
    most_bytes: int
    hosts: tuple[HostLine, ...]
    worst: tuple[Line, ...]
    at_sight: tuple[Line, ...]
    failed_pages: tuple[Trouble, ...]
    damaged: tuple[Trouble, ...]
    undone: tuple[str, ...]

    @property
    def is_whole(self) -> bool:
        """Whether every part of the input has its shard."""
        return not self.undone and self.parts_of in {None, self.parts}


def sum_up(
    folder: SweepFolder,
    *,
    inputs: tuple[str, ...],
    engine: str,
    made_at: datetime,
    parts_of: int | None,
    undone: tuple[str, ...],
    damaged: Sequence[DamagedStream],
    top: int,
) -> SweepSummary:
    """Return the results of the sweep so far, and write the table of hosts."""
    counts, cost = Counts(), Cost()
    damaged, failed = list(damaged), list[FailedPage]()
    parts = 0
    for shard in folder.shards():
        parts += 1
        counts.add(shard.counts)
        cost.cpu_s += shard.cost.cpu_s
        cost.most_bytes = max(cost.most_bytes, shard.cost.most_bytes)
        damaged += shard.damaged
        failed += shard.failed[: _MOST_NAMED - len(failed)]
    numbers = sorted(folder.done())
    tables = [folder.claims(number) for number in numbers]
    return SweepSummary(
        inputs=inputs,
        engine=engine,
        made_at=made_at,
        parts=parts,
        parts_of=parts_of,
        **counts.model_dump(),
        pages_lost=sum(one.pages_lost or 0 for one in damaged),
        lost_unknown=sum(one.pages_lost is None for one in damaged),
        cpu_s=round(cost.cpu_s, 1),
        most_bytes=cost.most_bytes,
        hosts=tuple(_hosts(tables, folder.path / "hosts.parquet")),
        worst=tuple(_picked_lines(tables, "fails", top, highest=True)),
        at_sight=tuple(
            _picked_lines(tables, "sight_order", top, highest=False, lacking="verdict")
        ),
        failed_pages=tuple(
            Trouble(what=one.title, why=f"{one.reason}: {one.detail}") for one in failed
        ),
        damaged=tuple(_place(one) for one in damaged[:_MOST_NAMED]),
        undone=undone,
    )


def _place(one: DamagedStream) -> Trouble:
    lost = (
        "" if one.pages_lost is None else f" ({counted(one.pages_lost, 'page')} lost)"
    )
    what = f"{one.file} at byte {one.offset:,}"
    return Trouble(what=what, why=f"{one.reason}{lost}")


def _picked_lines(
    tables: Sequence[Path],
    by: str,
    most: int,
    *,
    highest: bool,
    lacking: str | None = None,
) -> Iterator[Line]:
    """Yield the claims that come first by a column, over all tables."""
    sign = -1 if highest else 1
    found = (
        (sign * value, number, place)
        for number, table in enumerate(tables)
        for value, place in best_of(table, by, most, highest=highest, lacking=lacking)
    )
    first = heapq.nsmallest(most, found)
    rows: dict[tuple[int, int], Row] = {}
    for number in {number for _, number, _ in first}:
        places = [place for _, other, place in first if other == number]
        keys = [(number, place) for place in places]
        rows |= zip(keys, picked(tables[number], places), strict=True)
    for _, number, place in first:
        yield Line.model_validate(rows[number, place])


def _hosts(tables: Iterable[Path], to: Path) -> list[HostLine]:
    """Write the table of hosts, the worst first, and return the first of them."""

    def worse(row: Row) -> tuple[float, float, float, str]:
        failing = round(row["expected_failing"], 3)
        return -failing, -row["at_sight"], -row["claims"], row["host"]

    rows = sorted(sums_by_host(tables, Sign.NONE.value), key=worse)
    lines = [HostLine.model_validate(row) for row in rows]
    with writing(to, HOSTS) as written:
        for first in range(0, len(lines), _ROWS_AT_ONCE):
            some = lines[first : first + _ROWS_AT_ONCE]
            written.add([one.model_dump() for one in some])
    return lines[:_HOSTS_SHOWN]


def render_html(summary: SweepSummary) -> str:
    environment = templates()
    environment.filters["combined"] = lambda tally, other, prefix: {
        **tally,
        **{f"{prefix}{name}": number for name, number in other.items()},
    }
    return environment.get_template("sweep.html").render(sweep=summary)


SCHEMA_VERSION = "1.0"


def render_json(summary: SweepSummary) -> str:
    values = {**summary.model_dump(), "made_at": summary.made_at.isoformat()}
    document = {"schema_version": SCHEMA_VERSION, **values}
    return clean(json.dumps(document, ensure_ascii=False, indent=1)) + "\n"


_NAMED = 5
_LONGEST = 200


def render_text(summary: SweepSummary) -> str:
    return "".join(f"{line}\n" for line in _lines(summary))


def _lines(summary: SweepSummary) -> Iterator[str]:
    failed = sum(summary.failed.values())
    skipped = sum(summary.skipped.values())
    yield (
        f"{summary.pages:,} pages: {summary.swept:,} swept, {skipped:,} skipped"
        f"{_in_words(summary.skipped)}, {failed:,} failed{_in_words(summary.failed)}"
    )
    yield (
        f"{summary.claims:,} claims with {summary.citations:,} citations,"
        f" {summary.sources:,} sources ({summary.sources_missing:,} not at hand)"
    )
    yield (
        f"{summary.scored:,} claims scored by {clean_for_terminal(summary.engine)},"
        f" {summary.flagged:,} flagged{_in_words(summary.verdicts)}"
    )
    for line in summary.worst[:_NAMED]:
        words = shortened(line.claim, _LONGEST)
        message = f"{percent(line.fails or 0.0)} fails: {line.title}: “{words}”"
        yield f"  {clean_for_terminal(message)}"
    yield from _troubles("damaged", summary.damaged)
    yield from _troubles("failed", summary.failed_pages)
    if not summary.is_whole:
        of = "" if summary.parts_of is None else f" of {summary.parts_of:,}"
        yield (
            f"INCOMPLETE: {summary.parts:,}{of} parts are done; run the same command"
            " again, and it continues where it stopped"
        )
        for why in summary.undone[:_NAMED]:
            yield f"  {clean_for_terminal(shortened(f'not done: {why}', _LONGEST))}"


def _in_words(tally: Mapping[str, int]) -> str:
    if not tally:
        return ""
    ordered = sorted(tally.items(), key=lambda item: (-item[1], item[0]))
    return " (" + ", ".join(f"{reason} {number:,}" for reason, number in ordered) + ")"


def _troubles(kind: str, troubles: tuple[Trouble, ...]) -> Iterator[str]:
    for trouble in troubles[:_NAMED]:
        line = shortened(f"{kind}: {trouble.what}: {trouble.why}", _LONGEST)
        yield f"  {clean_for_terminal(line)}"
