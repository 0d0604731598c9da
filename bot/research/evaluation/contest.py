"""Has a verifier judge every row of a data set, and whatever it is compared with.

An engine may be calibrated or stacked on the very file it is measured on, if no other
data of that kind exists. Its answers to those rows then come from folds: each from an
engine fitted without any row of the same article. Only such answers may be used to
choose a threshold, to report a figure or to compare engines, so that no engine profits
from having seen the rows.
"""

import asyncio
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass, replace
from functools import reduce
from hashlib import sha256
from itertools import groupby
from typing import Any, Protocol, TypeAlias

import numpy as np
import numpy.typing as npt

from bot.report import consultation_lines, expectation_line
from bot.research.evaluation import metrics
from bot.research.evaluation.datasets import WIKI, Case, DataSet, Row, case
from bot.research.evaluation.metrics import Classes, OfScores, Scores, Truth, over
from bot.research.evaluation.report import Curves, Findings, Progress
from handlers.citations.flags import OperatingPoints, flagged
from handlers.citations.model_judge import Terms, consult
from handlers.citations.model_questions import questions
from handlers.model import (
    ClaimCheck,
    Consultation,
    ModelFailure,
    ModelUse,
    Probabilities,
    Source,
    SourceFetch,
    SourceForm,
    SourceOutcome,
    SourceText,
    Verdict,
    Verification,
)
from handlers.ports import LanguageModel, Verifier
from handlers.sources.addresses import url_depth

# "Contradicted" is the strongest way of not being supported.
VERDICTS = tuple(Verdict)


@dataclass(frozen=True, slots=True)
class Judged:
    case: Case
    verification: Verification

    @property
    def row(self) -> Row:
        return self.case.row


def judge_all(
    rows: Iterable[Row], verifier: Verifier, progress: Progress
) -> list[Judged]:
    return asyncio.run(_judge_all(rows, verifier, progress))


async def _judge_all(
    rows: Iterable[Row], verifier: Verifier, progress: Progress
) -> list[Judged]:
    judged = []
    for row in rows:
        given = case(row)
        answer = await verifier.verify(row.title, given.claim, given.passages)
        judged.append(Judged(given, answer))
        progress.advance()
    return judged


def is_supported(judged: Sequence[Judged]) -> Truth:
    return np.array([one.row.label.verdict is Verdict.SUPPORTED for one in judged])


def called_supported(judged: Sequence[Judged]) -> Truth:
    return np.array([one.verification.verdict is Verdict.SUPPORTED for one in judged])


def scores(judged: Sequence[Judged]) -> Scores:
    likely = [one.verification.probabilities.supported for one in judged]
    return np.array(likely, dtype=np.float64)


@dataclass(frozen=True, slots=True)
class Cascade:
    """A language model, and the terms on which it is asked.

    `tell` receives lines for a person: before asking, an estimate of what it will take;
    afterwards, what it took.
    """

    opened: Callable[[], AbstractAsyncContextManager[LanguageModel | None]]
    terms: Terms
    points: OperatingPoints
    tell: Callable[[str], None]

    def consulted(self, judged: Sequence[Judged]) -> "Consulted":
        return asyncio.run(self._consult(judged))

    async def _consult(self, judged: Sequence[Judged]) -> "Consulted":
        order = sorted(range(len(judged)), key=lambda at: judged[at].row.title)
        pages = [
            (title, list(places))
            for title, places in groupby(order, key=lambda at: judged[at].row.title)
        ]
        before = [_check(one) for one in judged]
        asking = [
            one
            for title, places in pages
            for one in questions(
                title, [before[at] for at in places], self.terms, self._is_flag
            )
        ]
        claims = sum(len(one.claims) for one in asking)
        self.tell(expectation_line(claims, self.terms.cost(asking)))
        async with self.opened() as model:
            assert model is not None  # noqa: S101 - narrows the type
            results = await asyncio.gather(
                *(
                    consult(
                        title,
                        [before[at] for at in places],
                        model,
                        self.terms,
                        flags=self._is_flag,
                    )
                    for title, places in pages
                )
            )
        after = list(before)
        for (_, places), one in zip(pages, results, strict=True):
            for at, check in zip(places, one.checks, strict=True):
                after[at] = check
        whole = reduce(_together, (one.consultation for one in results))
        for line in consultation_lines(whole):
            self.tell(line)
        flags = [
            (self._is_flag(one), self._is_flag(other))
            for one, other in zip(before, after, strict=True)
        ]
        return Consulted(tuple(judged), tuple(after), tuple(flags), whole)

    def _is_flag(self, check: ClaimCheck) -> bool:
        return flagged(check, self.points, WIKI).flag is not None


class OutOfFold(Protocol):
    """An engine that can be fitted again without the rows it is asked about."""

    def answers(self, data: DataSet, progress: Progress) -> Mapping[int, Probabilities]:
        """Return the answers to the rows of `data` that the engine has seen.

        The key is the row's index in `data.rows`. Rows that are missing were not used
        to fit any part of the engine. All that was fitted on these rows (weights,
        calibration, stack) is fitted again for each fold; folds keep `Row.group`
        together and are drawn from a fixed seed.
        """
        ...


# Returns how to fit an engine again; `None` if it never saw data it may be measured on.
FindsFolds: TypeAlias = Callable[[Verifier], OutOfFold | None]


@dataclass(frozen=True, slots=True)
class Contest:
    """What an engine is measured against.

    `baseline` is the lexical verifier; `None` if that is the engine itself. With a
    `cascade`, a language model is asked about the engine's answers.
    """

    baseline: Verifier | None = None
    cascade: Cascade | None = None
    folds: FindsFolds = lambda _: None


@dataclass(frozen=True, slots=True)
class Consulted:
    """Rows as judged by the engine alone, and their checks after asking the model.

    `flags` says of each whether it was flagged before, and whether it is after.
    """

    alone: tuple[Judged, ...]
    after: tuple[ClaimCheck, ...]
    flags: tuple[tuple[bool, bool], ...]
    consultation: Consultation

    @property
    def judged(self) -> list[Judged]:
        """The rows with the verdicts of engine and model together."""
        return [
            replace(one, verification=check.verification or one.verification)
            for one, check in zip(self.alone, self.after, strict=True)
        ]

    def figures(self) -> Mapping[str, Any]:
        consultation = self.consultation
        opinions = [one.opinion for one in self.after if one.opinion]
        return {
            **model_figures(consultation, [one.failure for one in opinions]),
            "source_unusable": sum(
                one.failure is None and one.verdict is None for one in opinions
            ),
            "without": self._quality(self.alone, [one for one, _ in self.flags]),
            "with": self._quality(self.judged, [one for _, one in self.flags]),
        }

    def rows(self) -> Iterator[Mapping[str, Any]]:
        for one, check in zip(self.alone, self.after, strict=True):
            if check.opinion is None or check.verification is None:
                continue
            answer, failure = check.opinion.verdict, check.opinion.failure
            yield {
                "id": one.row.id,
                "label": one.row.label.verdict.value,
                "before": {
                    verdict.value: round(one.verification.probabilities.of(verdict), 4)
                    for verdict in Verdict
                },
                "said": answer.value if answer else None,
                "setback": failure.value if failure else None,
                "supported": round(check.verification.probabilities.supported, 4),
            }

    def _quality(
        self, judged: Sequence[Judged], flags: Sequence[bool]
    ) -> Mapping[str, Any]:
        truth, flagged_ = is_supported(judged), np.array(flags, dtype=np.bool_)
        both = len(set(truth.tolist())) > 1
        return {
            "balanced_accuracy": metrics.balanced_accuracy(
                truth, called_supported(judged)
            )
            if both
            else None,
            "flags": int(flagged_.sum()),
            "flags_right": int((flagged_ & ~truth).sum()),
            "supported_flagged": int((flagged_ & truth).sum()),
            "supported": int(truth.sum()),
        }


@dataclass(frozen=True, slots=True)
class Answers:
    """The same rows judged by the engine and by the baseline, row by row."""

    engine: tuple[Judged, ...]
    baseline: tuple[Judged, ...]  # empty without a baseline
    out_of_fold: int  # how many of the engine's answers come from folds
    consulted: Consulted | None = None  # what a language model added to them

    def of_set(self, name: str) -> "Answers":
        ours, theirs = (
            tuple(one for one in judged if one.row.set == name)
            for judged in (self.engine, self.baseline)
        )
        return Answers(ours, theirs, self.out_of_fold)


def answer_all(
    data: DataSet, verifier: Verifier, contest: Contest, progress: Progress
) -> Answers:
    """Judge all rows of `data`, with both engines where there are two."""

    def answered(engine: Verifier) -> tuple[list[Judged], int]:
        progress.started(len(data.rows))
        judged = judge_all(data.rows, engine, progress)
        folds = contest.folds(engine)
        answers = folds.answers(data, progress) if folds else {}
        return out_of_fold(judged, answers), len(answers)

    judged, folded = answered(verifier)
    consulted = contest.cascade.consulted(judged) if contest.cascade else None
    other = answered(contest.baseline)[0] if contest.baseline is not None else []
    judged = consulted.judged if consulted else judged
    return Answers(tuple(judged), tuple(other), folded, consulted)


class Figures(Findings):
    """Metrics of judged rows, with intervals over articles.

    `classes` are labels as indices into `VERDICTS`, `called_classes` the verdicts given.
    """

    def __init__(self, answers: Answers) -> None:
        super().__init__()
        judged = answers.engine
        self.judged = judged
        # Rows of one article are not independent.
        self.groups = [one.row.group for one in judged]
        self.truth, self.called = is_supported(judged), called_supported(judged)
        self.scores = scores(judged)
        self.classes: Classes = np.array(
            [VERDICTS.index(one.row.label.verdict) for one in judged], dtype=np.int64
        )
        self.called_classes: Classes = np.array(
            [VERDICTS.index(one.verification.verdict) for one in judged], dtype=np.int64
        )
        self._depths = depths_of(judged)
        self._baseline = scores(answers.baseline) if answers.baseline else None

    def likeliest(self, among: Sequence[int]) -> Classes:
        """Return each row's likeliest verdict among those with these indices."""
        likely = [
            [one.verification.probabilities.of(VERDICTS[at]) for at in among]
            for one in self.judged
        ]
        chosen: Classes = np.array(among, dtype=np.int64)[np.argmax(likely, axis=1)]
        return chosen

    def add(
        self, name: str, of: Callable[..., float], *values: npt.NDArray[Any]
    ) -> None:
        self.add_measured(name, self.groups, over(of, *values))

    def add_compared(self, name: str, of: OfScores) -> None:
        """Add `<name>_minus_lexical`, measured on the same draws."""
        key = f"{name}_minus_lexical"
        if self._baseline is None:
            self.omit(key, "the engine is the lexical verifier itself")
        else:
            self._add_difference(key, of, self._baseline)

    def add_url_depth(self, name: str, of: OfScores, *, against: bool = False) -> None:
        """Add `url_depth_<name>`, the baseline of SIDE's paper on the same rows.

        With `against`, add `<name>_minus_url_depth` instead, measured on the same draws.
        """
        key = f"{name}_minus_url_depth" if against else f"url_depth_{name}"
        if self._depths is None:
            self.omit(key, "not every row carries the address of its source")
        elif against:
            self._add_difference(key, of, self._depths)
        else:
            self.add(key, of, self.truth, self._depths)

    def _add_difference(self, key: str, of: OfScores, other: Scores) -> None:
        ours, theirs = over(of, self.truth, self.scores), over(of, self.truth, other)
        self.add_measured(key, self.groups, lambda at: ours(at) - theirs(at))


def depths_of(judged: Sequence[Judged]) -> Scores | None:
    """Return each row's URL depth as a score; `None` if a row has no address."""
    depths = [url_depth(one.row.address) for one in judged]
    known = [one for one in depths if one is not None]
    return np.array(known, dtype=np.float64) if len(known) == len(depths) else None


def curves_of(name: str, answers: Answers, engine: str) -> tuple[Curves, ...]:
    """Return what to draw; nothing unless both labels occur."""
    likely = scores(answers.engine)
    scorers = [(engine, 1 - likely)]
    if answers.baseline:
        scorers.append(("lexical", 1 - scores(answers.baseline)))
    depths = depths_of(answers.engine)
    if depths is not None:
        scorers.append(("URL depth", -depths))
    fails = ~is_supported(answers.engine)
    if fails.all() or not fails.any():
        return ()
    return (Curves(name, fails, tuple(scorers), likely),)


def _check(judged: Judged) -> ClaimCheck:
    found = judged.verification
    fetch = fetch_of(judged.row)
    return ClaimCheck(judged.case.claim, (fetch,), found.verdict, found)


def fetch_of(row: Row) -> SourceFetch:
    """Return the evidence of a row as a source that was read."""
    text = "\n".join(row.evidence)
    key = sha256(text.encode("utf-8", "replace")).hexdigest()
    return SourceFetch(
        Source(SourceForm.TEXT, key),
        SourceOutcome.READ,
        "read",
        document=SourceText(text),
    )


def _together(one: Consultation, other: Consultation) -> Consultation:
    return Consultation(
        one.engine,
        one.asked + other.asked,
        one.counted + other.counted,
        one.use + other.use,
        one.expected + other.expected,
        tuple(dict.fromkeys((*one.stopped, *other.stopped))),
    )


def model_figures(
    consultation: Consultation, failures: Iterable[ModelFailure | None]
) -> Mapping[str, Any]:
    """Return who was asked how much, why answers do not count, and the cost."""
    counts = Counter(one.value for one in failures if one)
    return {
        "name": consultation.engine.version,
        "asked": consultation.asked,
        "counted": consultation.counted,
        "setbacks": dict(counts.most_common()),
        "expected": figures_of_use(consultation.expected),
        "took": figures_of_use(consultation.use),
        "stopped": list(consultation.stopped),
    }


def figures_of_use(use: ModelUse) -> Mapping[str, Any]:
    """Return what asking a model took, under the names used in reports."""
    return {
        "calls": use.calls,
        "remembered": use.remembered,
        "input_tokens": use.input_tokens,
        "output_tokens": use.output_tokens,
        "cost": float(use.cost),
    }


def out_of_fold(
    judged: Sequence[Judged], answers: Mapping[int, Probabilities]
) -> list[Judged]:
    """Return `judged` with the answers of folds for the rows that the engine has seen.

    As everywhere, the verdict is the likeliest one.
    """
    found = list(judged)
    for at, likely in answers.items():
        verdict = max(Verdict, key=likely.of)
        answer = replace(judged[at].verification, probabilities=likely, verdict=verdict)
        found[at] = replace(judged[at], verification=answer)
    return found
