"""The paper's tables 2 to 5 in its own form: its rows, and ours below them."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from bot.research.evaluation.drafting.paper import (
    COMPARABLE,
    PRECISION,
    PUBLISHED,
    RECALL,
    ROUGE_L,
    Column,
    PublishedRow,
    PublishedTable,
    published,
)
from bot.research.evaluation.drafting.setups import (
    CHUNKS,
    METHODS,
    RERANKED,
    SOURCES,
    Setup,
    baselines_of,
    rows_of_table,
)
from bot.research.evaluation.report import Bars, Grid, GridRow

Figures = Mapping[str, Any]
_BARS = (ROUGE_L, RECALL, PRECISION)
_DASH = "–"
_ZERO = "0"


class Tables:
    """Puts the figures of all setups into tables.

    Args:
        numbers: which of the paper's tables are wanted.
        main: the setup that the command line named.
        by_setup: figures by the key of the setup.
        references: those of the articles themselves.
        engine: the name of what made our rows.
        is_tuned: whether there is a model for TunedRR.
    """

    def __init__(
        self,
        numbers: Sequence[int],
        main: Setup,
        by_setup: Mapping[str, Figures],
        references: Figures,
        *,
        engine: str,
        is_tuned: bool,
    ) -> None:
        self._numbers = numbers
        self._main = main
        self._by_setup = by_setup
        self._references = references
        self._engine = engine
        self._is_tuned = is_tuned

    def to_dict(self) -> dict[str, Any]:
        """Return them for the JSON: the paper's rows and ours, figures by name."""
        return {
            f"table_{number}": {
                "title": PUBLISHED[number].title,
                "paper": published(number),
                "ours": [
                    {
                        "name": label,
                        "events": figures.get("events", 0),
                        **_cells(PUBLISHED[number].columns, figures),
                    }
                    for label, figures in self._ours(number)
                ],
            }
            for number in self._numbers
        }

    def grids(self) -> tuple[Grid, ...]:
        """Return them for the page."""
        return tuple(
            self._grid(PUBLISHED[number], with_remarks=at == 0)
            for at, number in enumerate(self._numbers)
        )

    def bars(self) -> tuple[Bars, ...]:
        """Return what is drawn of them: ROUGE-L and citations, the paper's rows first."""
        return tuple(self._drawn(PUBLISHED[number]) for number in self._numbers)

    def _ours(self, number: int) -> Iterator[tuple[str, Figures]]:
        if number == METHODS:
            yield "These references", self._references
        if number == CHUNKS:
            yield _ZERO, {}
        rows = rows_of_table(number, self._main, is_tuned=self._is_tuned)
        if number == METHODS:
            rows += baselines_of(self._main)
        for row in rows:
            yield row.label, self._by_setup[row.setup.key]

    def _grid(self, table: PublishedTable, *, with_remarks: bool) -> Grid:
        rows = [
            GridRow(one.label, tuple(_told(table.columns, one.cells)), one.group)
            for one in table.rows
        ]
        rows += [
            GridRow(
                _counted(label, figures),
                tuple(_told(table.columns, _cells(table.columns, figures).values())),
                f"Ours: {self._engine}",
                is_ours=True,
            )
            for label, figures in self._ours(table.number)
        ]
        return Grid(
            f"Table {table.number}: {table.title}",
            _note(table.number),
            tuple(one.heading for one in table.columns),
            tuple(rows),
            tuple((name, text.replace("`", "")) for name, text in COMPARABLE.items())
            if with_remarks
            else (),
        )

    def _drawn(self, table: PublishedTable) -> Bars:
        places = [table.columns.index(one) for one in _BARS]
        rows = [(_short(one), [one.cells[at] for at in places]) for one in table.rows]
        rows += [
            (label, [figures.get(one.figure) for one in _BARS])
            for label, figures in self._ours(table.number)
        ]
        shown = [(label, cells) for label, cells in rows if cells[0] is not None]
        return Bars(
            "wikigen",
            f"Table {table.number}: {table.title}",
            "0 to 100 (the paper’s judge of citations is another)",
            tuple(label for label, _ in shown),
            tuple(
                (one.heading, tuple(cells[at] or 0.0 for _, cells in shown))
                for at, one in enumerate(_BARS)
            ),
            has_means=False,
        )


def _short(row: PublishedRow) -> str:
    """Return a label for drawings, which have no groups."""
    method = row.group.partition(" ")[0]
    return f"{method} {row.label} (paper)".strip()


def _counted(label: str, figures: Figures) -> str:
    """Say of how many events a row is, where it is not of all: others may be harder."""
    scored, without = figures.get("events", 0), figures.get("unscored", 0)
    return f"{label} ({scored} of {scored + without} events)" if without else label


def _note(number: int) -> str:
    notes = {
        METHODS: "MET of ours is METEOR 1.5 where its program was given, else NLTK with its"
        " parameters; R-L is NLG-eval's. Citations are judged by another model than the"
        " paper's, and drafts keep only what ours bears out.",
        CHUNKS: "RR. Without documents an embedded draft has nothing to quote.",
        RERANKED: "RR. DPR and GTR are ours of that kind, not the paper's models.",
        SOURCES: "RR. What articles cite was scraped without capitals and full stops, so that"
        " stretches of it are quoted, not sentences.",
    }
    return notes[number]


def _cells(columns: Sequence[Column], figures: Figures) -> dict[str, float | None]:
    return {one.figure: _value(one.figure, figures) for one in columns}


def _value(name: str, figures: Figures) -> float | None:
    if name == "meteor_shown":
        exact: float | None = figures.get("meteor_15")
        return figures.get("meteor_15_weights") if exact is None else exact
    value: float | None = figures.get(name)
    return value


def _told(columns: Sequence[Column], cells: Any) -> Iterator[str]:
    for column, cell in zip(columns, cells, strict=True):
        yield _DASH if cell is None else f"{cell:.{column.digits}f}"
