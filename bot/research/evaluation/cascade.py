"""The whole cascade on labelled rows: what a language model makes of an engine's answers.

Rows are asked about in the way, and in the order, of a real check: first those that
would be flagged, then those in doubt.
"""

import asyncio
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass, replace
from functools import reduce
from hashlib import sha256
from itertools import groupby
from typing import Any

from bot.report import consultation_lines, expectation_line
from bot.research.evaluation import judging, metrics
from bot.research.evaluation.judging import Judged
from handlers.citations.doubt import Doubt, consult
from handlers.citations.doubt.questions import questions
from handlers.citations.flagging import OperatingPoints, flagged
from handlers.model import (
    ClaimCheck,
    Consultation,
    ModelUse,
    Source,
    SourceForm,
    SourceOutcome,
    SourceReading,
    SourceText,
    Verdict,
)
from handlers.ports import LanguageModel

_WIKI = "en.wikipedia.org"  # all data sets are of English


@dataclass(frozen=True, slots=True)
class Cascade:
    """A language model, and which claims it is asked about.

    `tell` is given lines for a person: what asking is thought to take, before, and
    what it took, after.
    """

    opened: Callable[[], AbstractAsyncContextManager[LanguageModel | None]]
    doubt: Doubt
    points: OperatingPoints
    tell: Callable[[str], None]

    def heard(self, judged: Sequence[Judged]) -> "Heard":
        """Return the rows after the model was asked about them."""
        return asyncio.run(self._heard(judged))

    async def _heard(self, judged: Sequence[Judged]) -> "Heard":
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
                title, [before[at] for at in places], self.doubt, self._is_flag
            )
        ]
        claims = sum(len(one.claims) for one in asking)
        self.tell(expectation_line(claims, self.doubt.cost(asking)))
        async with self.opened() as model:
            assert model is not None  # noqa: S101 - narrows the type
            told = await asyncio.gather(
                *(
                    consult(
                        title,
                        [before[at] for at in places],
                        model,
                        self.doubt,
                        flags=self._is_flag,
                    )
                    for title, places in pages
                )
            )
        after = list(before)
        for (_, places), one in zip(pages, told, strict=True):
            for at, check in zip(places, one.checks, strict=True):
                after[at] = check
        whole = reduce(_together, (one.consultation for one in told))
        for line in consultation_lines(whole):
            self.tell(line)
        flags = [
            (self._is_flag(one), self._is_flag(other))
            for one, other in zip(before, after, strict=True)
        ]
        return Heard(tuple(judged), tuple(after), tuple(flags), whole)

    def _is_flag(self, check: ClaimCheck) -> bool:
        return flagged(check, self.points, _WIKI).flag is not None


@dataclass(frozen=True, slots=True)
class Heard:
    """Rows as the engine alone has them, and their checks after the model's word.

    `flags` tell of each whether it was a flag before, and is one after.
    """

    alone: tuple[Judged, ...]
    after: tuple[ClaimCheck, ...]
    flags: tuple[tuple[bool, bool], ...]
    consultation: Consultation

    @property
    def judged(self) -> list[Judged]:
        """The rows with the verdicts of both together."""
        return [
            replace(one, verification=check.verification or one.verification)
            for one, check in zip(self.alone, self.after, strict=True)
        ]

    def figures(self) -> Mapping[str, Any]:
        """Return what the model was asked, what came of it, and what it changed."""
        told = self.consultation
        opinions = [one.opinion for one in self.after if one.opinion]
        setbacks = Counter(one.setback.value for one in opinions if one.setback)
        return {
            "name": told.engine.version,
            "asked": told.asked,
            "counted": told.counted,
            "source_unusable": sum(
                one.setback is None and one.verdict is None for one in opinions
            ),
            "setbacks": dict(setbacks.most_common()),
            "expected": _use(told.expected),
            "took": _use(told.use),
            "stopped": list(told.stopped),
            "without": self._quality(self.alone, [one for one, _ in self.flags]),
            "with": self._quality(self.judged, [one for _, one in self.flags]),
        }

    def rows(self) -> Iterator[Mapping[str, Any]]:
        """Yield what was said of each row that was asked about."""
        for one, check in zip(self.alone, self.after, strict=True):
            if check.opinion is None or check.verification is None:
                continue
            said, why = check.opinion.verdict, check.opinion.setback
            yield {
                "id": one.row.id,
                "label": one.row.label.verdict.value,
                "before": {
                    verdict.value: round(one.verification.probabilities.of(verdict), 4)
                    for verdict in Verdict
                },
                "said": said.value if said else None,
                "setback": why.value if why else None,
                "supported": round(check.verification.probabilities.supported, 4),
            }

    def _quality(
        self, judged: Sequence[Judged], flags: Sequence[bool]
    ) -> Mapping[str, Any]:
        truth = judging.is_supported(judged)
        called = judging.called_supported(judged)
        both = len(set(truth.tolist())) > 1
        wrong = [flag and not good for flag, good in zip(flags, truth, strict=True)]
        hit = [flag and good for flag, good in zip(flags, truth, strict=True)]
        return {
            "balanced_accuracy": (
                metrics.balanced_accuracy(truth, called) if both else None
            ),
            "flags": sum(flags),
            "flags_right": sum(wrong),
            "supported_flagged": int(sum(hit)),
            "supported": int(truth.sum()),
        }


def _check(judged: Judged) -> ClaimCheck:
    text = "\n".join(judged.row.evidence)
    key = sha256(text.encode("utf-8", "replace")).hexdigest()
    reading = SourceReading(
        Source(SourceForm.TEXT, key),
        SourceOutcome.READ,
        "read",
        document=SourceText(text),
    )
    found = judged.verification
    return ClaimCheck(judged.case.claim, (reading,), found.verdict, found)


def _together(one: Consultation, other: Consultation) -> Consultation:
    return Consultation(
        one.engine,
        one.asked + other.asked,
        one.counted + other.counted,
        one.use + other.use,
        one.expected + other.expected,
        tuple(dict.fromkeys((*one.stopped, *other.stopped))),
    )


def _use(use: ModelUse) -> Mapping[str, Any]:
    return {
        "calls": use.calls,
        "remembered": use.remembered,
        "input_tokens": use.input_tokens,
        "output_tokens": use.output_tokens,
        "cost": float(use.cost),
    }
