"""What people say of our findings: `sidenote evaluate preferences` and `reviews`.

Preferences, as SIDE reports them: Petroni et al. (2022) showed people the citation now
in Wikipedia and the one that their system recommends, without saying which was which,
and report

- the shares that choose one, the other or neither (their Figure 4), and the one-sided
  and two-sided sign test between the two: `sign_test_p`, `sign_test_p_two_sided`;
- the share that prefers the recommended one among those who prefer one of the two
  (their "more than 60 %"): `recommended_of_decided`;
- majorities where several people judged the same claim, by the score that the engine
  gives the present citation (their Figure 3a): `majority`, `by_present_probability`;
  and also by how much better the engine finds the recommended one: `by_gap`;
- Fleiss' kappa.

Our page also offers the answer "either", which theirs did not; it is reported
separately and counts for neither side. If the first of two equally good citations is
chosen more often, `first_of_decided` is above 0.5: the order then influenced the
answers.

Reviews, as WiNELL reports them: editors said of each suggested edit whether they would
accept it, accept it with revisions or reject it, and which errors it has (its human
evaluation: 68, 29 and 3 % of 100 edits; its Figure 9). The same is reported here for
suggestions: `accept`, `accept_with_changes`, `reject`; under `errors` the share of
reviews that name each kind of error, under `errors_by_outcome` the same for the reviews
with each outcome. A review may name several errors.

Intervals of shares are Wilson's, as wide as if each item had been judged once; those of
agreement come from resampling items (bootstrap).

Readers' decisions and judgements are exported from the database as rows, one JSON
object a line. Nothing in a row reveals who judged: `reader` is a number drawn for one
export, and only the day is given, because an exact time could be matched with the
wiki's edits.
"""

from collections import Counter, defaultdict
from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sequence
from datetime import date
from pathlib import Path
from secrets import randbelow
from typing import Annotated, Any, TypeVar

from pydantic import BaseModel, ConfigDict, Field, ValidationError, model_validator
from scipy.stats import binomtest

from bot.records.accounts import (
    Decision,
    DecisionKind,
    DismissReason,
    ErrorKind,
    Judgement,
    Preferred,
    ReviewOutcome,
    StoredDecision,
)
from bot.research.evaluation.datasets import (
    FileRows,
    Unscored,
    UnusableError,
    first_fault,
    read_json_lines,
)
from bot.research.evaluation.metrics import UndefinedMetricError
from bot.research.evaluation.report import EvaluationReport, Findings
from handlers.model import CheckKind, Verdict

_Text = Annotated[str, Field(min_length=1, max_length=255)]


class EngineRow(BaseModel):
    model_config = ConfigDict(frozen=True)

    name: _Text
    version: Annotated[str, Field(max_length=255)]

    @property
    def named(self) -> str:
        return f"{self.name} {self.version}".strip()


class JudgedRow(BaseModel):
    model_config = ConfigDict(frozen=True)

    wiki: _Text
    title: _Text
    identity: _Text
    engine: EngineRow
    day: date
    reader: int | None = None


_Row = TypeVar("_Row", bound=JudgedRow)
_BINS = 5
_DIGITS = 6  # of a difference; with more, rounding could move it across a bin's edge
_TIED = "tied"
_SIDES = (Preferred.PRESENT, Preferred.RECOMMENDED)


def evaluate_preferences(data: Path) -> EvaluationReport:
    """Report the preferences of one file."""
    read = read_judged(data, PreferenceRow)
    return EvaluationReport(
        "preferences", read, _engines_of(read), _of_preferences(read.rows)
    )


_Chance = Annotated[float, Field(ge=0, le=1)]


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


def _of_preferences(rows: Sequence[PreferenceRow]) -> dict[str, Any]:
    present = [
        (row.present_probability, row)
        for row in rows
        if row.present_probability is not None
    ]
    gaps = [
        (round(row.recommended_probability - before, _DIGITS), row)
        for before, row in present
        if row.recommended_probability is not None
    ]
    below = [row for gap, row in gaps if gap < 0]
    found = _preferred(rows) | {
        "majority": _majority(rows),
        "by_present_probability": _binned("present", present)
        | {"without": len(rows) - len(present)},
        "by_gap": ({"gap_below_0": _majority(below)} if below else {})
        | _binned("gap", [(gap, row) for gap, row in gaps if gap >= 0])
        | {"without": len(rows) - len(gaps)},
    }
    return found | _by_engine(rows, _preferred)


def _preferred(rows: Sequence[PreferenceRow]) -> dict[str, Any]:
    findings = Findings()
    for each in Preferred:
        _add_share(findings, each.value, rows, [row.preferred is each for row in rows])
    decided = [row for row in rows if row.preferred in _SIDES]
    recommended = [row.preferred is Preferred.RECOMMENDED for row in decided]
    _add_share(findings, "recommended_of_decided", decided, recommended)
    ordered = [row for row in decided if row.shown_first]
    first = [row.preferred is row.shown_first for row in ordered]
    _add_share(findings, "first_of_decided", ordered, first)
    answers = _by_thing(rows, [row.preferred for row in rows])
    _add_agreement(findings, answers)
    one_sided, two_sided = sign_test(sum(recommended), len(decided))
    return {
        **_counts_of(rows),
        "decided": len(decided),
        "judged_by_several": sum(len(each) > 1 for each in answers.values()),
        "sign_test_p": one_sided,
        "sign_test_p_two_sided": two_sided,
        **findings.to_dict(),
    }


def sign_test(hits: int, tries: int) -> tuple[float, float]:
    """Return the one-sided and two-sided p-values of so many hits under chance.

    Both are exact, from the binomial distribution with one half; 1 if nothing was tried.
    """
    if not tries:
        return 1.0, 1.0
    one_sided = binomtest(hits, tries, alternative="greater").pvalue
    two_sided = binomtest(hits, tries).pvalue
    return round(float(one_sided), 6), round(float(two_sided), 6)


def _majority(rows: Sequence[PreferenceRow]) -> dict[str, Any]:
    """Return how often each answer was the most frequent for a claim, or tied."""
    answers = _by_thing(rows, [row.preferred for row in rows])
    most = Counter(_majority_answer(each) for each in answers.values())
    findings = Findings()
    for each in Preferred:
        findings.add_share(each.value, most[each], len(answers))
    findings.add_share(_TIED, most[_TIED], len(answers))
    sides = {side: most[side] for side in _SIDES}
    recommended = sides[Preferred.RECOMMENDED]
    total = sum(sides.values())
    findings.add_share("recommended_of_decided", recommended, total)
    return {"things": len(answers), **findings.to_dict()}


def _majority_answer(answers: Sequence[Hashable]) -> Hashable:
    counted = Counter(answers).most_common(2)
    is_tied = len(counted) > 1 and counted[0][1] == counted[1][1]
    return _TIED if is_tied else counted[0][0]


def _binned(name: str, placed: Sequence[tuple[float, PreferenceRow]]) -> dict[str, Any]:
    """Return the majorities in bins of equal width from 0 to 1, without empty bins."""
    found: dict[str, Any] = {}
    for at in range(_BINS):
        rows = [
            row for value, row in placed if min(int(value * _BINS), _BINS - 1) == at
        ]
        if rows:
            low, high = (round(100 * end / _BINS) for end in (at, at + 1))
            found[f"{name}_{low}_to_{high}_percent"] = _majority(rows)
    return found


def evaluate_reviews(data: Path) -> EvaluationReport:
    """Report the reviews of one file."""
    read = read_judged(data, ReviewRow)
    return EvaluationReport("reviews", read, _engines_of(read), _of_reviews(read.rows))


_MOST_ERRORS = 20


class ReviewRow(JudgedRow):
    """What a reviewer would do with a suggestion, and what is wrong with it."""

    outcome: ReviewOutcome
    errors: Annotated[tuple[ErrorKind, ...], Field(max_length=_MOST_ERRORS)] = ()


def _of_reviews(rows: Sequence[ReviewRow]) -> dict[str, Any]:
    found = _reviewed(rows) | {
        "errors": _errors(rows),
        "errors_by_outcome": {
            _name(outcome.value): _errors([r for r in rows if r.outcome is outcome])
            for outcome in ReviewOutcome
            if any(row.outcome is outcome for row in rows)
        },
    }
    return found | _by_engine(rows, _reviewed)


def _reviewed(rows: Sequence[ReviewRow]) -> dict[str, Any]:
    findings = Findings()
    for each in ReviewOutcome:
        hits = [row.outcome is each for row in rows]
        _add_share(findings, _name(each.value), rows, hits)
    answers = _by_thing(rows, [row.outcome for row in rows])
    _add_agreement(findings, answers)
    several = sum(len(each) > 1 for each in answers.values())
    return {**_counts_of(rows), "judged_by_several": several, **findings.to_dict()}


def _errors(rows: Sequence[ReviewRow]) -> dict[str, Any]:
    findings = Findings()
    for each in ErrorKind:
        hits = [each in row.errors for row in rows]
        _add_share(findings, each.name.lower(), rows, hits)
    faultless = [not row.errors for row in rows]
    _add_share(findings, "none", rows, faultless)
    return {"judgements": len(rows), **findings.to_dict()}


def _name(words: str) -> str:
    return words.replace(" ", "_")


_TWO = 2


def shared(judged: Mapping[str, Sequence[Hashable]]) -> dict[str, Sequence[Hashable]]:
    return {name: answers for name, answers in judged.items() if len(answers) >= _TWO}


def agreement(judged: Sequence[Sequence[Hashable]]) -> float:
    """Return the mean share of pairs of judgements of the same item that agree."""
    if not judged:
        raise UndefinedMetricError("nothing was judged by two people")
    return sum(map(_agreeing, judged)) / len(judged)


def fleiss_kappa(judged: Sequence[Sequence[Hashable]]) -> float:
    """Return Fleiss' kappa; 1 is full agreement, 0 is chance.

    Fleiss, J. L. (1971): Measuring nominal scale agreement among many raters.
    Psychological Bulletin 76 (5), 378-382; in the form for items judged by different
    numbers of people. With n(i) judgements of item i, n(i, j) of them category
    j: P(i) = sum over j of n(i, j) (n(i, j) - 1) / n(i) (n(i) - 1), p(j) = share of
    category j among all judgements, kappa = (mean P - sum p(j)^2) / (1 - sum p(j)^2).
    """
    seen = agreement(judged)
    counts = Counter(one for answers in judged for one in answers)
    by_chance = sum((count / counts.total()) ** 2 for count in counts.values())
    if len(counts) == 1:
        raise UndefinedMetricError("all judgements are the same")
    return (seen - by_chance) / (1 - by_chance)


def _agreeing(answers: Sequence[Hashable]) -> float:
    pairs = len(answers) * (len(answers) - 1)
    return sum(count * (count - 1) for count in Counter(answers).values()) / pairs


RESAMPLES = 1000


def _add_share(
    findings: Findings, name: str, rows: Sequence[JudgedRow], hits: Sequence[bool]
) -> None:
    things = len({(row.wiki, row.identity) for row in rows})
    findings.add_share(name, sum(hits), len(rows), things=things)


def _add_agreement(
    findings: Findings, answers: Mapping[str, Sequence[Hashable]]
) -> None:
    """Add how far people agree, with an interval from resampling items."""
    judged = list(shared(answers).values())
    names = [str(number) for number in range(len(judged))]
    for name, of in (("agreement", agreement), ("fleiss_kappa", fleiss_kappa)):
        findings.add_measured(
            name,
            names,
            lambda at, of=of: of([judged[one] for one in at]),  # type: ignore[misc] # its default is a function
            resamples=RESAMPLES,
        )


def _by_thing(
    rows: Sequence[JudgedRow], answers: Sequence[Hashable]
) -> dict[str, list[Hashable]]:
    found: dict[str, list[Hashable]] = defaultdict(list)
    for row, one in zip(rows, answers, strict=True):
        found[f"{row.wiki} {row.identity}"].append(one)
    return dict(found)


def _by_engine(
    rows: Sequence[_Row], measure: Callable[[Sequence[_Row]], dict[str, Any]]
) -> dict[str, Any]:
    """Return the figures of each engine, if there are several."""
    engines = sorted({row.engine.named for row in rows})
    if len(engines) == 1:
        return {}
    return {
        "by_engine": {
            name: measure([row for row in rows if row.engine.named == name])
            for name in engines
        }
    }


def _engines_of(data: FileRows[Any]) -> dict[str, Any]:
    """Return what found the items judged, named as a report names its engine."""
    names = sorted({row.engine.named for row in data.rows})
    if len(names) == 1:
        [one] = {row.engine for row in data.rows}
        return {"name": one.name, "version": one.version}
    return {"names": ", ".join(names)}


def _counts_of(rows: Sequence[JudgedRow]) -> dict[str, int]:
    """Return how many judgements, items and people the figures are based on.

    `readers` counts those still known by a number.
    """
    return {
        "judgements": len(rows),
        "things": len({(row.wiki, row.identity) for row in rows}),
        "readers": len({row.reader for row in rows if row.reader is not None}),
    }


_MOST_NUMBERS = 10**9


class DecisionRow(JudgedRow):
    kind: DecisionKind
    reason: DismissReason | None
    verdict: Verdict
    right_verdict: Verdict | None
    flag: CheckKind | None
    flag_probability: _Chance | None
    revision: int | None
    is_undone: bool = False


def _rows(
    form: type[_Row], stored: Iterable[tuple[str | None, Judgement | Decision]]
) -> Iterator[_Row]:
    """Yield what is stored as rows; readers get new random numbers in each export.

    A reader has no number if it is no longer known who it was.
    """
    numbers: dict[str, int] = {}
    own = form.model_fields.keys() - JudgedRow.model_fields.keys() - {"is_undone"}
    for key, one in stored:
        while key is not None and key not in numbers:
            number = randbelow(_MOST_NUMBERS)
            if number not in numbers.values():
                numbers[key] = number
        at = one.decided_at if isinstance(one, Decision) else one.judged_at
        yield form(
            wiki=one.wiki,
            title=one.title,
            identity=one.identity,
            engine=EngineRow(name=one.engine.name, version=one.engine.version),
            day=at.date(),
            reader=None if key is None else numbers[key],
            **{name: getattr(one, name) for name in own},
        )


def preference_rows(
    stored: Iterable[tuple[str | None, Judgement]],
) -> Iterator[PreferenceRow]:
    return _rows(
        PreferenceRow, ((k, one) for k, one in stored if one.preferred is not None)
    )


def review_rows(stored: Iterable[tuple[str | None, Judgement]]) -> Iterator[ReviewRow]:
    return _rows(ReviewRow, ((k, one) for k, one in stored if one.outcome is not None))


def decision_rows(
    stored: Iterable[tuple[str | None, StoredDecision]],
) -> Iterator[DecisionRow]:
    found = list(stored)
    rows = _rows(DecisionRow, ((key, row.decision) for key, row in found))
    for (_, row), one in zip(found, rows, strict=True):
        yield one.model_copy(update={"is_undone": row.undone_at is not None})


_NEEDS = "what `sidenote judgements` writes into it"


def read_judged(path: Path, form: type[_Row]) -> FileRows[_Row]:
    """Read a file that `sidenote judgements` wrote, or one in the same format.

    If the same reader judges the same item more than once, the last row counts.
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
    """Return the key shared by two rows of which only one may count."""
    if row.reader is None:
        return number
    return row.reader, row.wiki, row.identity
