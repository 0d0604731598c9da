"""Which version of an edited claim a language model finds in the source.

`sidenote evaluate edits --model` shows both versions beside the evidence and asks which
of them it bears out: the first, the second, both or neither, with a quote. An edit is
noted where that is the version before and not the version after. Which comes first
depends on a hash of the words, so that the order tells nothing and the same pair is
always the same question; both orders are reported beside each other.

An answer counts on the terms of `handlers.citations.model_judge`: the quote stands in
the evidence, and holds something of each version that it is to bear out. Pairs without
such an answer are not scored, and counted by the reason: a bad edit for which a model
has no such answer is no miss here, so `answers` counts those, too. An answer has no
degree, so there is no threshold, and no figure at a share of harmless edits.
"""

import asyncio
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from hashlib import sha256
from pathlib import Path
from types import MappingProxyType
from typing import Any

from pydantic import Field

from bot.report import consultation_lines, expectation_line
from bot.research.evaluation.citations.edits import (
    Decision,
    Pair,
    decided,
    read_pairs,
)
from bot.research.evaluation.contest import Cascade, fetch_of, model_figures
from bot.research.evaluation.datasets import Row, Unscored, case
from bot.research.evaluation.report import (
    EvaluationReport,
    Findings,
    Progress,
    named,
)
from handlers.citations.model_judge import Terms, weighed
from handlers.citations.model_questions import (
    AROUND,
    COPYING,
    CitedText,
    ClaimAnswer,
    ClaimQuestion,
    beside_sources,
    claim_part,
)
from handlers.citations.passages import cut
from handlers.model import (
    Claim,
    ClaimCheck,
    Consultation,
    Engine,
    ModelFailure,
    ModelUse,
)
from handlers.ports import Excerpt, LanguageModel, ModelRequest
from handlers.updates.questions import Form, ask
from handlers.updates.roles import RoleAnswer

INSTRUCTIONS = f"""
You check which of two versions of a claim its sources bear out.

You are given one or more sources, whole or in excerpts, and two versions of one claim \
of an article that cites them. One version was made from the other by an edit, which \
may have mended it, spoilt it or changed only its form; which of them is older you are \
not told, and their order means nothing. Judge each version by these sources alone, \
whatever you know from elsewhere. Answer once, with:

"quotes": {COPYING} For "neither" leave the list empty.

"reason": one line. Name each detail in which the versions differ (who, what, where, \
when, how many, how surely), and hold it against the quotes.

"borne_out": one of
- "first": a fair editor would let the citation stand behind the first version and not \
behind the second, which says something that the sources do not say or that they \
contradict.
- "second": the same the other way round.
- "both": behind either. Other words, another order, another form of a number, a date \
or a name, a detail of the sources that only one version gives, and what plainly \
follows from them are no difference.
- "neither": behind none of the two.

{AROUND}"""

QUESTION = sha256(INSTRUCTIONS.encode()).hexdigest()[:6]
"""The version of the question; it changes with the instructions."""

# Which of the two versions an answer calls borne out.
_BORNE_OUT = MappingProxyType(
    {"first": (0,), "second": (1,), "both": (0, 1), "neither": ()}
)
_NAMES = ("first", "second")
# These say in a line for a person what stopped the model.
_STOPS = frozenset(
    {ModelFailure.OUT_OF_BUDGET, ModelFailure.OUT_OF_REACH, ModelFailure.UNUSABLE}
)


class VersionsAnswer(Form):
    """What the model says. An unknown answer is let in, and reported."""

    quotes: list[str]
    reason: str
    borne_out: str = Field(json_schema_extra={"enum": list(_BORNE_OUT)})


@dataclass(frozen=True, slots=True)
class PairQuestion:
    """The versions of a pair, in the order in which they are shown."""

    pair: Pair
    versions: tuple[ClaimQuestion, ...]
    is_before_first: bool
    content: tuple[Excerpt, ...]


@dataclass(frozen=True, slots=True)
class PairAnswer:
    """What was said of a question: which versions the source bears out.

    `borne_out` are indices of versions as they were shown; `failure` is why the answer
    does not count, if it does not.
    """

    question: PairQuestion
    borne_out: tuple[int, ...]
    failure: ModelFailure | None
    use: ModelUse
    detail: str = ""

    @property
    def name(self) -> str:
        """Name the versions that it calls borne out by their place in the edit."""
        if self.failure is not None:
            return "unscored"
        names = ["before", "after"]
        if not self.question.is_before_first:
            names.reverse()
        if len(self.borne_out) == 1:
            return names[self.borne_out[0]]
        return "both" if self.borne_out else "neither"

    @property
    def decision(self) -> Decision:
        order = {"before": 1.0, "after": 0.0}.get(self.name, 0.5)
        return Decision(self.question.pair, self.name == "before", order)


def evaluate(
    bad: Path,
    harmless: Path,
    cascade: Cascade,
    progress: Progress,
    *,
    swap_evidence: bool = False,
) -> EvaluationReport:
    """Measure what a language model says of the edits of two files."""
    pairs = read_pairs(bad, harmless, swap_evidence=swap_evidence)
    # If the budget ends on the way, what was asked is a fair sample of both files.
    asking = sorted(
        (question_of(one, cascade.terms) for one in pairs.all),
        key=lambda one: _digest("\n".join(part.text for part in one.content)),
    )
    answers, consultation = asyncio.run(_consult(asking, cascade, progress))
    lost = (*pairs.data.unscored, *_unscored(answers))
    return EvaluationReport(
        "edits",
        replace(pairs.data, unscored=lost),
        named(consultation.engine, question=QUESTION, swapped_evidence=swap_evidence),
        figures(answers, consultation),
        about_data=pairs.about,
        rows=list(map(_row, answers)),
    )


def question_of(pair: Pair, terms: Terms) -> PairQuestion:
    """Return what is asked about a pair; the same if the edit is made the other way."""
    rows = sorted((pair.before, pair.after), key=lambda row: _digest(row.claim))
    fetch = fetch_of(pair.after)
    assert fetch.document is not None  # noqa: S101 - narrows the type
    passages = cut(fetch.document, fetch.key)
    claims = [_beside(row, pair.after) for row in rows]
    return PairQuestion(
        pair,
        tuple(
            ClaimQuestion(name, at, ClaimCheck(claim, (fetch,), None, None), passages)
            for at, (name, claim) in enumerate(zip(_NAMES, claims, strict=True))
        ),
        rows[0] is pair.before,
        beside_sources(
            pair.after.title,
            claims,
            [CitedText(fetch.document.text, passages)],
            [
                Excerpt(f"{name} version", claim_part(claim))
                for name, claim in zip(_NAMES, claims, strict=True)
            ],
            most=terms.most_bytes,
        ),
    )


def _digest(text: str) -> bytes:
    return sha256(text.encode("utf-8", "replace")).digest()


def _beside(row: Row, after: Row) -> Claim:
    """Return the claim of a row, with what is around it after the edit."""
    around = case(after).claim
    return replace(case(row).claim, section=around.section, context=around.context)


async def _consult(
    asking: Sequence[PairQuestion], cascade: Cascade, progress: Progress
) -> tuple[list[PairAnswer], Consultation]:
    expected = cascade.terms.cost_of(
        [one.content for one in asking], INSTRUCTIONS, len(asking)
    )
    cascade.tell(expectation_line(len(asking), expected))
    progress.started(len(asking))
    async with cascade.opened() as model:
        assert model is not None  # noqa: S101 - narrows the type
        chosen: LanguageModel = model

        async def answered(question: PairQuestion) -> PairAnswer:
            request = ModelRequest(INSTRUCTIONS, question.content, VersionsAnswer)
            reply = await ask(chosen, request)
            progress.advance()
            return read(question, reply, chosen.engine, cascade.terms)

        answers = list(await asyncio.gather(*map(answered, asking)))
    consultation = Consultation(
        chosen.engine,
        len(answers),
        sum(one.failure is None for one in answers),
        sum((one.use for one in answers), ModelUse()),
        expected,
        tuple(dict.fromkeys(one.detail for one in answers if one.failure in _STOPS)),
    )
    for line in consultation_lines(consultation):
        cascade.tell(line)
    return answers, consultation


def read(
    question: PairQuestion,
    reply: RoleAnswer[VersionsAnswer | None],
    model: Engine,
    terms: Terms,
) -> PairAnswer:
    """Return what a reply says, or why it does not count."""
    said = reply.value
    if said is None:
        why = reply.failure or ModelFailure.UNREADABLE
        return PairAnswer(question, (), why, reply.use, reply.detail)
    borne_out = _BORNE_OUT.get(said.borne_out)
    if borne_out is None:
        return PairAnswer(question, (), ModelFailure.UNKNOWN_VERDICT, reply.use)
    failures = (
        _failure(question, question.versions[at], said, model, terms)
        for at in borne_out
    )
    failure = next(filter(None, failures), None)
    return PairAnswer(question, borne_out, failure, reply.use)


def _failure(
    question: PairQuestion,
    version: ClaimQuestion,
    said: VersionsAnswer,
    model: Engine,
    terms: Terms,
) -> ModelFailure | None:
    """Return why the quotes do not bear out a version, as for any claim."""
    answer = ClaimAnswer(
        id=version.id, quotes=said.quotes, reason=said.reason, verdict="supported"
    )
    title = question.pair.after.title
    opinion = weighed(title, version, [answer], model, terms.trust).opinion
    return opinion.failure if opinion else None


def figures(
    answers: Sequence[PairAnswer], consultation: Consultation
) -> dict[str, Any]:
    """Return the figures of the pairs whose answer counts, and by kind of edit."""
    counted = [one for one in answers if one.failure is None]
    return {
        **decided([one.decision for one in counted], Findings()),
        "answers": {
            name: Counter(
                one.name for one in answers if one.question.pair.is_bad is is_bad
            )
            for name, is_bad in (("bad", True), ("harmless", False))
        },
        "orders": {
            name: _of_order(
                [one for one in counted if one.question.is_before_first is is_first]
            )
            for name, is_first in (("before_first", True), ("after_first", False))
        },
        "model": model_figures(consultation, [one.failure for one in answers]),
    }


def _of_order(answers: Sequence[PairAnswer]) -> Mapping[str, Any]:
    findings = Findings()
    found = decided([one.decision for one in answers], findings)
    return {"pairs": found["pairs"], "harmless": found["harmless"]} | findings.to_dict()


def _unscored(answers: Sequence[PairAnswer]) -> Iterator[Unscored]:
    for one in answers:
        if one.failure is not None:
            pair = one.question.pair
            for row in (pair.before, pair.after):
                yield Unscored(0, row.set, f"{row.id!r}: {one.failure.value}")


def _row(answer: PairAnswer) -> Mapping[str, Any]:
    pair, failure = answer.question.pair, answer.failure
    return {
        "id": pair.after.id,
        "kind": pair.kind,
        "harmless": not pair.is_bad,
        "before_first": answer.question.is_before_first,
        "said": None if failure else answer.name,
        "setback": failure.value if failure else None,
    }
