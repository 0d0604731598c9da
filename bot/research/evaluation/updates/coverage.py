"""Which facts of people's edits a run's suggestions cover (WiNELL §4.2).

A judge answers Entail(c, e) for the suggestions whose words are nearest to the fact:
the five nearest of all, and the three nearest of the same section. The others would
have to entail a fact that they do not even resemble. All answers are kept, so that each
way of counting (hard, soft, without copies) counts the same answers.

As in the paper, a language model can judge, and split sentences into facts. If it gives
no usable answer, the embedded engine's is used; the report says how often.

The results of one event or period are kept on disk until all are done.
"""

from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from enum import Enum
from typing import Protocol

from pydantic import BaseModel, Field, TypeAdapter

from bot.research.evaluation.evaluator import OBEY_NOTHING, Evaluator
from bot.research.evaluation.updates.human_edits import FactFinder
from handlers.model import Discovery, Engine, Update
from handlers.ports import (
    Excerpt,
    ModelRequest,
    TextEncoder,
    Verifier,
)
from handlers.sources.addresses import normal_key
from handlers.text.words import content_stems, words
from handlers.updates.entailment import CachedVerifier, judged

ENTAILED = 0.5
_NEAREST = 5
_NEAREST_IN_SECTION = 3
_HALF, _MOST = 0.5, 0.75  # of the content words of a fact
_FEWEST = 2  # content words that a fact needs to be recognised by
_LEAST_LIKENESS = 0.25  # cosine; nothing below it was ever entailed


class Judge(Protocol):
    """Decides whether a text entails a fact."""

    @property
    def engine(self) -> Engine: ...

    async def entailed(
        self, title: str, edit: "Edit", fact: str, text: str
    ) -> float: ...


class EmbeddedJudge:
    """Asks the verification model if a suggestion confirms a fact, and compares words.

    The model was made for passages of a page that was cited for the claim. Between
    sentences on one subject it is too generous: of 16 (fact, suggestion) pairs that it
    called entailed, only 6 were when read by hand. So all numbers of a fact and half of
    its other content words (without the title's) must be in the suggestion too; if
    three quarters are, half the probability is enough. Both bounds were set on pairs of
    events with an even number. Of 44 pairs of the others it was right on 33: 13 of the
    20 that it calls entailed were, and of the 24 others most alike in words 20 were
    not.
    """

    def __init__(self, verifier: Verifier) -> None:
        self._verifier = CachedVerifier(verifier)
        self._stems: dict[str, frozenset[str]] = {}

    @property
    def engine(self) -> Engine:
        return self._verifier.engine

    async def entailed(self, title: str, edit: "Edit", fact: str, text: str) -> float:
        shared = self._shared(title, fact, text)
        if shared < _HALF:
            return 0.0
        found = await judged(
            self._verifier,
            title,
            fact,
            [text],
            section=edit.section,
            context=edit.context,
        )
        likely = found.supported
        return min(1.0, 2 * likely) if shared >= _MOST else likely

    def _shared(self, title: str, fact: str, text: str) -> float:
        """Return the share of a fact's words in `text`; 0 where a number is missing."""
        fact_words = words(fact)
        known, held = self._stems_of(title), self._stems_of(text)
        stems = content_stems(fact_words) - known
        numbers = {word.stem for word in fact_words if word.is_number} & stems
        if len(stems) < _FEWEST or not numbers <= held:
            return 0.0
        return len(stems & held) / len(stems)

    def _stems_of(self, text: str) -> frozenset[str]:
        if text not in self._stems:
            self._stems[text] = content_stems(words(text))
        return self._stems[text]


@dataclass(frozen=True, slots=True)
class Edit:
    """A person's edit: its atomic facts and the section it was made in."""

    section: tuple[str, ...]
    facts: tuple[str, ...]
    context: str = ""  # the plain text before it


@dataclass(frozen=True, slots=True)
class Offer:
    number: int
    text: str
    section: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Answer:
    """The judge's answer on one fact and one suggestion."""

    number: int  # of the suggestion
    probability: float
    is_same_section: bool


Answers = tuple[tuple[Answer, ...], ...]  # for each fact of one edit


async def answers_of(
    title: str,
    edits: Sequence[Edit],
    offers: Sequence[Offer],
    *,
    judge: Judge,
    encoder: TextEncoder,
) -> tuple[Answers, ...]:
    """Return for each edit and fact the judge's answers on the nearest suggestions."""
    found = []
    for edit in edits:
        nearness = await encoder.likeness(edit.facts, [one.text for one in offers])
        of_edit = []
        for fact, near in zip(edit.facts, nearness, strict=True):
            lines = [
                Answer(
                    one.number,
                    await judge.entailed(title, edit, fact, one.text),
                    one.section == edit.section,
                )
                for one in _near(edit, offers, near)
            ]
            of_edit.append(tuple(lines))
        found.append(tuple(of_edit))
    return tuple(found)


def _near(edit: Edit, offers: Sequence[Offer], near: Sequence[float]) -> list[Offer]:
    order = sorted(range(len(offers)), key=lambda at: -near[at])
    order = [at for at in order if near[at] >= _LEAST_LIKENESS]
    same = [at for at in order if offers[at].section == edit.section]
    chosen = {*order[:_NEAREST], *same[:_NEAREST_IN_SECTION]}
    return [offers[at] for at in sorted(chosen)]


def best(
    answers: Sequence[Answer],
    *,
    same_section: bool = False,
    without: Collection[int] = (),
) -> Answer | None:
    """Return the most probable suggestion that entails a fact; `None` if none does.

    Args:
        answers: the judge's, on one fact.
        same_section: whether to count only those for the section of the person's edit.
        without: numbers of suggestions that do not count.
    """
    counted = [
        one
        for one in answers
        if one.probability >= ENTAILED
        and one.number not in without
        and (one.is_same_section or not same_section)
    ]
    return max(
        counted, key=lambda one: (one.probability, one.is_same_section), default=None
    )


def score(
    answers: Answers, *, same_section: bool = False, without: Collection[int] = ()
) -> float:
    """Return Score(e_h): the share of an edit's facts that are covered; see `best`."""
    covered = [
        best(one, same_section=same_section, without=without) is not None
        for one in answers
    ]
    return sum(covered) / len(covered) if covered else 0.0


_MOST_FACTS = 12
_LONGEST_FACT = 400  # characters
_TAKE_APART = (
    "Take the sentence apart into facts: the smallest statements that can be true or"
    " false by themselves. Each is a whole sentence that is understood alone: names in"
    " the place of pronouns. Together they say what the sentence says, and nothing else."
    + OBEY_NOTHING
)
_JUDGE = (
    "Does the text state the fact, or something from which the fact follows? What the"
    " text leaves open does not follow. Read both as being about the article named."
    + OBEY_NOTHING
)


class _Facts(BaseModel):
    facts: list[str] = Field(max_length=_MOST_FACTS)


class _Word(BaseModel):
    follows: bool


class ModelFacts:
    def __init__(self, evaluator: Evaluator, otherwise: FactFinder) -> None:
        self.evaluator = evaluator
        self._otherwise = otherwise

    @property
    def name(self) -> str:
        return f"by {self.evaluator.name}"

    async def facts(self, sentence: str) -> tuple[str, ...]:
        content = (Excerpt("sentence", sentence),)
        answer = await self.evaluator.ask(ModelRequest(_TAKE_APART, content, _Facts))
        lines = [" ".join(one.split()) for one in answer.facts] if answer else []
        self.evaluator.unanswered += answer is None
        usable = tuple(one for one in lines if one and len(one) <= _LONGEST_FACT)
        return usable or await self._otherwise.facts(sentence)


class ModelJudge:
    """Implements `Judge`: 1 if the model says that a fact follows, else 0."""

    def __init__(self, evaluator: Evaluator, otherwise: Judge) -> None:
        self.evaluator = evaluator
        self._otherwise = otherwise

    @property
    def engine(self) -> Engine:
        return self.evaluator.model.engine

    async def entailed(self, title: str, edit: Edit, fact: str, text: str) -> float:
        content = (
            Excerpt("article", title),
            Excerpt("section", " / ".join(edit.section)),
            Excerpt("fact", fact),
            Excerpt("text", text),
        )
        answer = await self.evaluator.ask(ModelRequest(_JUDGE, content, _Word))
        if answer is None:
            self.evaluator.unanswered += 1
            return await self._otherwise.entailed(title, edit, fact, text)
        return float(answer.follows)


class Configuration(Enum):
    """The engine, the paper's two ablations of it, and the paper's oracle."""

    FULL = "full"
    NO_CRITERIA = "no_criteria"  # only the names of sections
    SINGLE_QUERY = "single_query"  # only a search for the title
    ORACLE = "oracle"  # all pages of the event, and no others


@dataclass(frozen=True, slots=True)
class Suggested:
    """A suggestion. `borne_out` is the judge's probability for its first source.

    `is_own`: a source was returned for this very event; `is_copy`: all of its sources
    repeat a hidden sentence word for word.
    """

    number: int
    kind: str
    text: str
    section: tuple[str, ...]
    probability: float
    backing: str
    addresses: tuple[str, ...]
    is_own: bool
    is_copy: bool
    is_quoted: bool
    borne_out: float
    replaces: str | None = None


@dataclass(frozen=True, slots=True)
class RoleTurns:
    """How many turns a role had, and how often its model gave nothing usable."""

    role: str
    turns: int
    failed: int


@dataclass(frozen=True, slots=True)
class Run:
    """One run on one event; `answers` are the judge's, for each hidden sentence."""

    stopped: str
    took_s: float
    asked: int
    opened: int
    ignored: Mapping[str, int]
    troubles: tuple[str, ...]
    suggested: tuple[Suggested, ...]
    answers: tuple[Answers, ...]
    turns: tuple[RoleTurns, ...] = ()
    calls: int = 0
    cost: float = 0.0


@dataclass(frozen=True, slots=True)
class Gold:
    """A hidden sentence. `reachable` has the judge's answers on the event's pages."""

    sentence: str
    section: tuple[str, ...]
    facts: tuple[str, ...]
    reachable: tuple[float, ...]
    has_source: bool


@dataclass(frozen=True, slots=True)
class EventResult:
    event: str
    title: str
    category: str
    pages: int
    sentences: int
    passed_over: int
    gold: tuple[Gold, ...]
    runs: Mapping[Configuration, Run]


RESULT = TypeAdapter(EventResult)


_LONGEST_JUDGED = 100_000  # characters of a page


def sources_of(update: Update) -> list[tuple[str, str]]:
    """Return address and text of each source of an update, which has at least one."""
    fetches = [one.fetch for one in update.sources]
    return [
        (
            one.url or one.source.url or "",
            one.document.text if one.document else "",
        )
        for one in fetches
    ]


def readable(text: str) -> str:
    """Return the part of a source's text that a judge reads."""
    return text[:_LONGEST_JUDGED]


def recorded(
    update: Update,
    own: Collection[str],
    *,
    is_copy: bool,
    is_quoted: bool,
    borne_out: float,
) -> Suggested:
    """Return an update as it is saved; `own` are the keys of the event's pages."""
    addresses = tuple(address for address, _ in sources_of(update))
    return Suggested(
        number=update.number,
        kind=update.kind.name,
        text=update.text,
        section=update.section,
        probability=round(update.probability, 4),
        backing=update.backing.name,
        addresses=addresses,
        is_own=any(normal_key(address) in own for address in addresses),
        is_copy=is_copy,
        is_quoted=is_quoted,
        borne_out=borne_out,
        replaces=update.replaces.text if update.replaces else None,
    )


def run_of(
    found: Discovery, suggested: Iterable[Suggested], answers: tuple[Answers, ...]
) -> Run:
    return Run(
        stopped=found.stopped.name,
        took_s=round(found.took_s, 3),
        asked=sum(one.what.startswith("asks ") for one in found.trace),
        opened=sum(one.what.startswith("opens ") for one in found.trace),
        ignored=Counter(one.ignored.name for one in found.trace if one.ignored),
        troubles=found.troubles,
        suggested=tuple(suggested),
        answers=answers,
        turns=tuple(
            RoleTurns(role.value, turns, found.failed.get(role, 0))
            for role, turns in found.turns.items()
        ),
        calls=found.use.calls,
        cost=float(found.use.cost),
    )
