"""Judges statements by the pages they cite, and facts by a system's statements.

The paper asks a language model; here it is the embedded verifier, or a language model
if one is configured (`ModelJudge`). The verifier reads both long pages and a handful of
statements, but its thresholds differ:

- with a page, a statement counts as supported from 0.2 on if all its details are
  there (`details`; chosen on WiCE's dev split);
- with a few statements, from 0.3 on (chosen on 350 rows of `wice_oracle_chunk`, the
  verification dev split's claims with some 250 words each, kappa 0.49).

Conflicts are reported with caution. With a page: the nearest sentence gives another
number for the same quantity, and the statement's number is nowhere on the page. With
statements: the nearest one by itself is so similar that it must be about the same
thing, and the verifier finds that the two contradict each other. Those thresholds were
set by reading what passed them for two articles of one system, so conflict rates are
good for little more than ranking systems.

A language model is asked about all statements that cite the same pages at once, and
about a fact and the most similar statements one by one, as in the paper. The prompts
are our own. Of a long page it is shown the passages nearest to the statements. If it
gives no usable answer, the embedded judge's verdict is used; the report says how often.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from enum import Enum
from functools import lru_cache
from typing import Protocol

from pydantic import BaseModel, Field

from bot.research.evaluation.evaluator import OBEY_NOTHING, Evaluator
from handlers.citations.comparison import nearest
from handlers.citations.passages import cut
from handlers.model import (
    Claim,
    Engine,
    ModelUse,
    Passage,
    SourceText,
    Verification,
)
from handlers.ports import Excerpt, LanguageModel, ModelRequest, Verifier
from handlers.text.analysis import TextAnalysis, analyse, mentioned
from handlers.text.dates import compare_date, compare_time
from handlers.text.numbers import (
    Agreement,
    agree,
    compare_quantity,
    without_asides,
)
from handlers.text.words import content_stems, words
from handlers.updates.entailment import claim_of

_NEAR = 20  # passages
_TOP = 3


@dataclass(frozen=True, slots=True)
class Details:
    """Which of a statement's details a page lacks or gives differently.

    `missing`: a number or time is not in the nearest passages, or a date or name is
    nowhere near. `differ`: the nearest sentence gives another number for the same
    quantity, and the statement's own number is nowhere. Dates do not count there: a
    page mentions many days, and another date mostly belongs to something else.
    """

    missing: bool
    differ: bool


def compare(
    title: str,
    claim: Claim,
    passages: Sequence[Passage],
    best: str,
    analyse: Callable[[str], TextAnalysis],
) -> Details:
    """Look for the details of `claim` in `passages` (at least one).

    To the verifier they are one feature among others, and it may let a statement pass
    although its only figure is missing. Wiki Live Challenge's statements are atomic: if
    their figure or name is not on the page, or differs there, they are not supported.
    On WiCE's dev split (claims with whole pages, 231 rows of 250 words or more) the
    rule raised agreement on "supported" from a kappa of 0.41 to 0.49, at the best
    threshold of each; a threshold of 0.2 was chosen there. No row of Wiki Live
    Challenge was used.
    """
    claimed = analyse(without_asides(claim.text))
    near = [
        analyse(one.passage.text) for one in nearest(title, claim, passages, analyse)
    ]
    sentence = [analyse(best)] if best else []
    far = near[:_NEAR]
    everywhere = _numbers(claimed, far)
    stated = _numbers(claimed, near[:_TOP]) + _dates(claimed, far)
    return Details(
        missing=any(one is not Agreement.STATED for one in stated)
        or _lacks_a_name(title, claimed, near),
        differ=any(
            here is Agreement.DIFFERENT and there is Agreement.DIFFERENT
            for here, there in zip(_numbers(claimed, sentence), everywhere, strict=True)
        ),
    )


def _numbers(claimed: TextAnalysis, texts: Sequence[TextAnalysis]) -> list[Agreement]:
    """Compare numbers and times; one that supports a number contradicts no other."""
    quantities = [one for text in texts for one in text.quantities]
    times = [one for text in texts for one in text.times]
    matched = {
        one: {other for other in quantities if agree(one, other)}
        for one in claimed.quantities
    }
    taken = set().union(*matched.values())
    free = [one for one in quantities if one not in taken]
    return [
        *(
            Agreement.STATED if matched[one] else compare_quantity(one, free)
            for one in claimed.quantities
        ),
        *(compare_time(one, times) for one in claimed.times),
    ]


def _dates(claimed: TextAnalysis, texts: Sequence[TextAnalysis]) -> list[Agreement]:
    stated = [one for text in texts for one in text.dates]
    return [compare_date(one, stated) for one in claimed.dates]


def _lacks_a_name(
    title: str, claimed: TextAnalysis, near: Sequence[TextAnalysis]
) -> bool:
    known = content_stems(words(title))
    stems = frozenset().union(*(one.stems for one in near))
    return any(
        mentioned(name, stems) < 1
        for name in claimed.names
        if not set(name.stems) <= known
    )


PAGE_BAR = 0.2
STATEMENTS_BAR = 0.3
_CONFLICT_BAR = 0.5
_ALONE_BAR = 0.6
_REMEMBERED = 512  # readings, some 15 KiB each


class Stance(Enum):
    """Whether a text supports a statement, in the benchmark's own words."""

    SUPPORT = "support"
    NOT_SUPPORT = "not_support"
    CONFLICT = "conflict"


@dataclass(frozen=True, slots=True)
class StatementVerdict:
    """A judge's verdict on one statement.

    `supported` is a probability if the judge has one, or else 0 or 1; `because` shows a
    person what the verdict is based on, such as the nearest sentence.
    """

    stance: Stance
    supported: float
    because: str = ""


@dataclass(frozen=True, slots=True)
class Question:
    """A statement to be judged; `context` is the text before it in its article.

    `twin` is another statement about the very same thing, if there is one.
    """

    text: str
    context: str = ""
    twin: str = ""


class Judge(Protocol):
    """Decides whether texts support statements.

    `at_once` is how many questions it may be asked at the same time.
    """

    at_once: int

    @property
    def engine(self) -> Engine: ...

    def taken(self) -> tuple[ModelUse, int]:
        """Return what was spent since the last call, and what was unanswered.

        The latter is the number of questions that were passed on to another judge.
        """
        ...

    async def by_pages(
        self, title: str, questions: Sequence[Question], pages: Sequence[str]
    ) -> Sequence[StatementVerdict]:
        """Judge statements that cite the same pages by all those pages together."""
        ...

    async def by_statements(
        self, title: str, question: Question, stated: Sequence[str]
    ) -> StatementVerdict:
        """Judge one statement by others about the same subject."""
        ...


class EmbeddedJudge:
    at_once = 1  # it works on one core

    def __init__(self, verifier: Verifier) -> None:
        self._verifier = verifier
        # Many statements cite the same page, so readings are remembered.
        self._read = lru_cache(maxsize=_REMEMBERED)(analyse)

    @property
    def engine(self) -> Engine:
        return self._verifier.engine

    def taken(self) -> tuple[ModelUse, int]:
        return ModelUse(), 0

    async def by_pages(
        self, title: str, questions: Sequence[Question], pages: Sequence[str]
    ) -> Sequence[StatementVerdict]:
        passages = _passages(pages)
        return [await self._by_page(title, one, passages) for one in questions]

    async def by_statements(
        self, title: str, question: Question, stated: Sequence[str]
    ) -> StatementVerdict:
        passages = _passages(["\n".join(stated)])
        if not passages:
            return StatementVerdict(Stance.NOT_SUPPORT, 0.0)
        found = await self._verifier.verify(title, claim_of(question.text), passages)
        supported = found.probabilities.supported
        if supported < STATEMENTS_BAR and await self._is_at_odds(title, question):
            return StatementVerdict(Stance.CONFLICT, supported, question.twin)
        stance = _stance(found, is_supported=supported >= STATEMENTS_BAR, differs=False)
        return StatementVerdict(stance, supported, _best(found))

    async def _is_at_odds(self, title: str, question: Question) -> bool:
        passages = _passages([question.twin])
        if not passages:
            return False
        found = await self._verifier.verify(title, claim_of(question.text), passages)
        return found.probabilities.contradicted >= _ALONE_BAR

    async def _by_page(
        self, title: str, question: Question, passages: Sequence[Passage]
    ) -> StatementVerdict:
        if not passages:
            return StatementVerdict(Stance.NOT_SUPPORT, 0.0)
        claim = claim_of(question.text, context=question.context)
        found = await self._verifier.verify(title, claim, passages)
        bare = claim_of(question.text)
        details = compare(title, bare, passages, _best(found), self._read)
        supported = found.probabilities.supported
        stance = _stance(
            found,
            is_supported=supported >= PAGE_BAR and not details.missing,
            differs=details.differ,
        )
        return StatementVerdict(stance, supported, _best(found))


def _stance(found: Verification, *, is_supported: bool, differs: bool) -> Stance:
    likely = found.probabilities
    if likely.contradicted >= max(_CONFLICT_BAR, likely.supported):
        return Stance.CONFLICT
    if is_supported:
        return Stance.SUPPORT
    return Stance.CONFLICT if differs else Stance.NOT_SUPPORT


def _best(found: Verification) -> str:
    return found.evidence[0].quote if found.evidence else ""


def _passages(pages: Sequence[str]) -> tuple[Passage, ...]:
    return tuple(
        passage
        for number, page in enumerate(pages)
        for passage in cut(SourceText(page), f"page {number}")
    )


_MOST_CHARS = 20_000  # of pages, some 5,000 tokens
_LONGEST_STATEMENT = 600
_LONGEST_REASON = 400
_WORDS = (
    ' Say "support" where the text states it or it plainly follows, "conflict" where'
    ' the text says otherwise of the same thing, else "not_support"; what is not'
    " mentioned, or only in part, is not_support. An error message supports nothing."
)
_BY_PAGES = (
    "Each numbered statement is from an article on the subject named, and cites the"
    " text. Does the text support it?" + _WORDS + " Answer for every number once, with"
    " the few words of the text that decide." + OBEY_NOTHING
)
_BY_STATEMENTS = (
    "The numbered lines are statements about the subject named. Do they, taken"
    " together, support statement 1 of the other part?"
    + _WORDS
    + " Answer for number 1, with the words that decide."
    + OBEY_NOTHING
)


class _One(BaseModel):
    number: int
    verdict: Stance
    because: str = Field(default="", max_length=2_000)


class _Answer(BaseModel):
    verdicts: list[_One] = Field(max_length=100)


class ModelJudge:
    """Implements `Judge`: 1 if the model says that a statement is supported, else 0."""

    at_once = 32  # the model's settings limit how many of these are sent at once

    def __init__(self, model: LanguageModel, otherwise: Judge) -> None:
        self._evaluator = Evaluator(model)
        self._otherwise = otherwise

    @property
    def engine(self) -> Engine:
        return self._evaluator.model.engine

    def taken(self) -> tuple[ModelUse, int]:
        evaluator = self._evaluator
        taken = (evaluator.use, evaluator.unanswered)
        evaluator.use, evaluator.unanswered = ModelUse(), 0
        return taken

    async def by_pages(
        self, title: str, questions: Sequence[Question], pages: Sequence[str]
    ) -> Sequence[StatementVerdict]:
        shown = _shown(title, questions, pages)
        reply = await self._ask(_BY_PAGES, title, questions, Excerpt("text", shown))
        left = [at for at in range(len(questions)) if at not in reply]
        self._evaluator.unanswered += len(left)
        rest = await self._otherwise.by_pages(
            title, [questions[at] for at in left], pages
        )
        reply.update(zip(left, rest, strict=True))
        return [reply[at] for at in range(len(questions))]

    async def by_statements(
        self, title: str, question: Question, stated: Sequence[str]
    ) -> StatementVerdict:
        if not stated:
            return await self._otherwise.by_statements(title, question, stated)
        lines = Excerpt("statements", _numbered([Question(one) for one in stated]))
        reply = await self._ask(_BY_STATEMENTS, title, [question], lines)
        if 0 in reply:
            return reply[0]
        self._evaluator.unanswered += 1
        return await self._otherwise.by_statements(title, question, stated)

    async def _ask(
        self,
        instructions: str,
        title: str,
        questions: Sequence[Question],
        text: Excerpt,
    ) -> dict[int, StatementVerdict]:
        """Return the verdicts by the statement's place, the first one for each."""
        content = (
            Excerpt("subject", title[:_LONGEST_STATEMENT]),
            Excerpt("to be judged", _numbered(questions)),
            text,
        )
        answer = await self._evaluator.ask(ModelRequest(instructions, content, _Answer))
        verdicts: dict[int, StatementVerdict] = {}
        for one in answer.verdicts if answer else ():
            if 0 < one.number <= len(questions):
                because = " ".join(one.because.split())[:_LONGEST_REASON]
                supported = float(one.verdict is Stance.SUPPORT)
                verdict = StatementVerdict(one.verdict, supported, because)
                verdicts.setdefault(one.number - 1, verdict)
        return verdicts


def _numbered(questions: Sequence[Question]) -> str:
    """Return statements as numbered lines of limited length, one each."""
    return "\n".join(
        f"{number}: {' '.join(one.text.split())[:_LONGEST_STATEMENT]}"
        for number, one in enumerate(questions, 1)
    )


def _shown(title: str, questions: Sequence[Question], pages: Sequence[str]) -> str:
    """Return the pages; for long ones, only the passages nearest to the statements."""
    whole = "\n\n".join(pages)
    if len(whole) <= _MOST_CHARS:
        return whole
    passages = cut(SourceText(whole), "pages")
    ranked = [nearest(title, claim_of(one.text), passages) for one in questions]
    chosen: dict[int, str] = {}
    for rank in range(len(passages)):
        for one in ranked:
            passage = one[rank].passage
            if sum(map(len, chosen.values())) + len(passage.text) > _MOST_CHARS:
                return " … ".join(chosen[at] for at in sorted(chosen))
            chosen.setdefault(passage.span.start, passage.text)
    return " … ".join(chosen[at] for at in sorted(chosen))
