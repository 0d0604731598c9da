"""The rows in which readers' decisions and judgements leave the database, and are read.

One JSON object a line. Nothing in a row tells who judged: `reader` is a number drawn
for one export, and of the time only the day is told, for a second would be found again
among the wiki's edits.
"""

from collections.abc import Iterable, Iterator, Mapping
from datetime import date, datetime
from pathlib import Path
from secrets import randbelow
from typing import Annotated, Any, TypeVar

from pydantic import BaseModel, ConfigDict, Field, ValidationError, model_validator

from bot.records.accounts import (
    Decision,
    DecisionKind,
    DismissReason,
    ErrorKind,
    Judgement,
    KeptDecision,
    Preferred,
    ReviewOutcome,
)
from bot.research.evaluation.datasets import (
    FileRows,
    Unscored,
    UnusableError,
    first_fault,
    read_json_lines,
)
from handlers.model import CheckKind, Verdict

_Text = Annotated[str, Field(min_length=1, max_length=255)]
_Chance = Annotated[float, Field(ge=0, le=1)]
_MOST_NUMBERS = 10**9
_MOST_ERRORS = 20


class EngineRow(BaseModel):
    """Who found what was judged."""

    model_config = ConfigDict(frozen=True)

    name: _Text
    version: Annotated[str, Field(max_length=255)]

    @property
    def named(self) -> str:
        """Name and version."""
        return f"{self.name} {self.version}".strip()


class JudgedRow(BaseModel):
    """What every row tells."""

    model_config = ConfigDict(frozen=True)

    wiki: _Text
    title: _Text
    identity: _Text
    engine: EngineRow
    day: date
    reader: int | None = None


class PreferenceRow(JudgedRow):
    """Which of two citations a reader found better, without knowing which was which."""

    preferred: Preferred
    shown_first: Preferred | None = None
    present_probability: _Chance | None = None
    recommended_probability: _Chance | None = None

    @model_validator(mode="after")
    def _is_one_of_two(self) -> "PreferenceRow":
        if self.shown_first in {Preferred.EITHER, Preferred.NEITHER}:
            raise ValueError("shown_first is present or recommended")
        return self


class ReviewRow(JudgedRow):
    """What a reviewer would do with a suggestion, and what is wrong with it."""

    outcome: ReviewOutcome
    errors: Annotated[tuple[ErrorKind, ...], Field(max_length=_MOST_ERRORS)] = ()


class DecisionRow(JudgedRow):
    """What a reader of the panel decided."""

    kind: DecisionKind
    reason: DismissReason | None
    verdict: Verdict
    right_verdict: Verdict | None
    flag: CheckKind | None
    flag_probability: _Chance | None
    revision: int | None
    is_undone: bool


class Numbers:
    """Gives each reader a number of their own, drawn anew for each export."""

    def __init__(self) -> None:
        self._known: dict[str, int] = {}
        self._taken: set[int] = set()

    def of(self, key: str | None) -> int | None:
        """Return a reader's number; `None` where nobody knows any more who it was."""
        if key is None:
            return None
        if key not in self._known:
            number = randbelow(_MOST_NUMBERS)
            while number in self._taken:
                number = randbelow(_MOST_NUMBERS)
            self._known[key] = number
            self._taken.add(number)
        return self._known[key]


def preference_rows(
    kept: Iterable[tuple[str | None, Judgement]],
) -> Iterator[PreferenceRow]:
    """Yield preferences as rows."""
    numbers = Numbers()
    for key, one in kept:
        if one.preferred is not None:
            yield PreferenceRow(
                **_what_every_row_tells(one, one.judged_at, numbers.of(key)),
                preferred=one.preferred,
                shown_first=one.shown_first,
                present_probability=one.present_probability,
                recommended_probability=one.recommended_probability,
            )


def review_rows(kept: Iterable[tuple[str | None, Judgement]]) -> Iterator[ReviewRow]:
    """Yield reviews as rows."""
    numbers = Numbers()
    for key, one in kept:
        if one.outcome is not None:
            yield ReviewRow(
                **_what_every_row_tells(one, one.judged_at, numbers.of(key)),
                outcome=one.outcome,
                errors=one.errors,
            )


def decision_rows(
    kept: Iterable[tuple[str | None, KeptDecision]],
) -> Iterator[DecisionRow]:
    """Yield decisions as rows, those undone too."""
    numbers = Numbers()
    for key, row in kept:
        one = row.decision
        yield DecisionRow(
            **_what_every_row_tells(one, one.decided_at, numbers.of(key)),
            kind=one.kind,
            reason=one.reason,
            verdict=one.verdict,
            right_verdict=one.right_verdict,
            flag=one.flag,
            flag_probability=one.flag_probability,
            revision=one.revision,
            is_undone=row.undone_at is not None,
        )


def _what_every_row_tells(
    one: Judgement | Decision, at: datetime, reader: int | None
) -> dict[str, Any]:
    engine = EngineRow(name=one.engine.name, version=one.engine.version)
    return {
        "wiki": one.wiki,
        "title": one.title,
        "identity": one.identity,
        "engine": engine,
        "day": at.date(),
        "reader": reader,
    }


_NEEDS = "what `sidenote judgements` writes into it"
_Row = TypeVar("_Row", bound=JudgedRow)


def read_judged(path: Path, form: type[_Row]) -> FileRows[_Row]:
    """Read a file that `sidenote judgements` wrote, or that looks the same.

    Of rows in which the same reader judges the same thing again the last counts.

    Raises:
        PermanentError: the file is missing, unreadable or without a usable row.
    """

    def read(number: int, fields: Mapping[str, Any]) -> tuple[int, _Row]:
        try:
            return number, form.model_validate(fields)
        except ValidationError as error:
            raise UnusableError(first_fault(error)) from error

    found = read_json_lines(path, read, needs=_NEEDS, name="")
    last = {_what(row, number): number for number, row in found.rows}
    repeated = [
        Unscored(number, "", f"the same reader judges it again in line {again}")
        for number, row in found.rows
        if (again := last[_what(row, number)]) != number
    ]
    used = tuple(
        row for number, row in found.rows if last[_what(row, number)] == number
    )
    left = sorted((*found.unscored, *repeated), key=lambda one: one.line)
    return FileRows(found.file, found.sha256, used, tuple(left))


def _what(row: JudgedRow, number: int) -> object:
    """Return what two rows have in common of which only one can count."""
    if row.reader is None:
        return number
    return row.reader, row.wiki, row.identity
