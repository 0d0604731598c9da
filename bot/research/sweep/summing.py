"""Adds the shards of a sweep up, and picks the claims and hosts that stand out.

Only one column of the claims is held at a time, so the whole of a large wiki can be
summed up on a small machine.
"""

import heapq
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import asdict, dataclass
from datetime import datetime
from pathlib import Path
from typing import Any

from bot.report.sweeps import HostLine, Line, SweepSummary, Trouble
from bot.report.words import counted
from bot.research.parquet import Gathering, Measure, Row, best_of, picked, writing
from bot.research.sweep.columns import HOSTS
from bot.research.sweep.counts import Cost, Counts, DamagedStream, FailedPage
from bot.research.sweep.folder import SweepFolder
from handlers.citations.priors import Sign

_MOST_NAMED = 200  # failed pages and damaged parts on the page
_HOSTS_SHOWN = 50
_ROWS_AT_ONCE = 5_000
_OF_A_HOST = (
    Measure("claims"),
    Measure("scored", "fails"),
    Measure("expected_failing", "fails", is_summed=True),
    Measure("flagged", "flag"),
    Measure("at_sight", "sign", unlike=Sign.NONE.value),
)


@dataclass(frozen=True, slots=True)
class Told:
    """What the shards themselves do not know."""

    inputs: tuple[str, ...]
    engine: str
    made_at: datetime
    parts_of: int | None
    undone: tuple[str, ...]
    damaged: Sequence[DamagedStream]  # of inputs read from beginning to end
    top: int


def sum_up(folder: SweepFolder, told: Told) -> SweepSummary:
    """Return what the sweep came to so far, and write the table of hosts.

    Raises:
        PermanentError: a shard is damaged.
        OSError: a table cannot be read or written.
    """
    counts, cost = Counts(), Cost()
    damaged, failed = list(told.damaged), list[FailedPage]()
    parts = 0
    for shard in folder.shards():
        parts += 1
        counts.add(shard.counts)
        cost.cpu_s += shard.cost.cpu_s
        cost.most_bytes = max(cost.most_bytes, shard.cost.most_bytes)
        damaged += shard.damaged
        failed += shard.failed[: _MOST_NAMED - len(failed)]
    numbers = sorted(folder.done())
    tables = [folder.places.claims(number) for number in numbers]
    return SweepSummary(
        inputs=told.inputs,
        engine=told.engine,
        made_at=told.made_at,
        parts=parts,
        parts_of=told.parts_of,
        **_figures(counts),
        pages_lost=sum(one.pages_lost or 0 for one in damaged),
        lost_unknown=sum(one.pages_lost is None for one in damaged),
        cpu_s=round(cost.cpu_s, 1),
        most_bytes=cost.most_bytes,
        hosts=tuple(_hosts(tables, folder.path / "hosts.parquet")),
        worst=tuple(_lines(tables, "fails", told.top, highest=True)),
        at_sight=tuple(
            _lines(tables, "sight_order", told.top, highest=False, lacking="verdict")
        ),
        failed_pages=tuple(
            Trouble(one.title, f"{one.reason}: {one.detail}") for one in failed
        ),
        damaged=tuple(_place(one) for one in damaged[:_MOST_NAMED]),
        undone=told.undone,
    )


def _figures(counts: Counts) -> dict[str, Any]:
    return {**counts.model_dump(), "bins": tuple(counts.bins)}


def _place(one: DamagedStream) -> Trouble:
    lost = (
        "" if one.pages_lost is None else f" ({counted(one.pages_lost, 'page')} lost)"
    )
    return Trouble(f"{one.file} at byte {one.offset:,}", f"{one.reason}{lost}")


def _lines(
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
    yield from (_line(rows[number, place]) for _, number, place in first)


def _line(row: Row) -> Line:
    return Line(
        title=row["title"],
        section=tuple(row["section"]),
        claim=row["claim"],
        link=row["link"],
        address=row["address"],
        verdict=row["verdict"],
        fails=row["fails"],
        flag=row["flag"],
        quote=row["quote"],
        sign=row["sign"],
        url_depth=row["url_depth"],
    )


def _hosts(tables: Iterable[Path], to: Path) -> list[HostLine]:
    """Write the table of hosts, the worst first, and return the first of them."""
    gathering = Gathering("host", _OF_A_HOST)
    for table in tables:
        gathering.add(table)
    rows = sorted(gathering.rows(), key=_worse)
    lines = [
        HostLine(
            host=row["host"],
            claims=int(row["claims"]),
            scored=int(row["scored"]),
            expected_failing=float(row["expected_failing"]),
            flagged=int(row["flagged"]),
            at_sight=int(row["at_sight"]),
        )
        for row in rows
    ]
    with writing(to, HOSTS) as written:
        for first in range(0, len(lines), _ROWS_AT_ONCE):
            some = lines[first : first + _ROWS_AT_ONCE]
            written.add([asdict(one) for one in some])
    return lines[:_HOSTS_SHOWN]


def _worse(row: Row) -> tuple[float, float, float, str]:
    return (
        -round(row["expected_failing"], 3),
        -row["at_sight"],
        -row["claims"],
        row["host"],
    )
