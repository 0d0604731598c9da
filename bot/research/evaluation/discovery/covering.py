"""Which facts of people's edits a run's suggestions cover (WiNELL §4.2).

Entail(c, e) is asked of a judge for the suggestions whose words are nearest to the fact:
the five nearest of all, and the three nearest of the same section. The others would have to
entail a fact that they do not even resemble. All answers are kept, so that every way of
counting (hard, soft, without copies) is a count over the same answers.
"""

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import Protocol

from handlers.citations.cues.words import content_stems, words
from handlers.model import Engine
from handlers.ports import TextEncoder, Verifier
from handlers.updates.entailment import Remembering, entails

ENTAILED = 0.5
_NEAREST = 5
_NEAREST_IN_SECTION = 3
_HALF, _MOST = 0.5, 0.75  # of the content words of a fact
_FEWEST = 2  # content words by which a fact can be told
_LEAST_LIKENESS = 0.25  # cosine; below that nothing was ever entailed


class Judge(Protocol):
    """Decides whether a text entails a fact."""

    @property
    def engine(self) -> Engine:
        """Name and version, for the report."""
        ...

    async def entailed(self, title: str, edit: "Edit", fact: str, text: str) -> float:
        """Return the probability that `text` entails the fact of an edit."""
        ...


class EmbeddedJudge:
    """The verification model, asked whether a suggestion bears a fact out, and words.

    The model was made for passages of a page that was cited for the claim. Between
    sentences on one subject it is generous: of 16 (fact, suggestion) pairs that it
    called entailed, 6 were when read by hand. So all numbers of a fact and half of its
    other content words (the title's left out) must stand in the suggestion, too; where
    three quarters do, half the probability is enough. Both bounds were set on pairs of
    events with an even number. Of 44 pairs of the others it was right on 33: 13 of the
    20 that it calls entailed were, and of the 24 others most alike in words 20 were not.
    """

    def __init__(self, verifier: Verifier) -> None:
        """Ask `verifier`, each question once."""
        self._verifier = Remembering(verifier)
        self._stems: dict[str, frozenset[str]] = {}

    @property
    def engine(self) -> Engine:
        """Name and version of the verifier."""
        return self._verifier.engine

    async def entailed(self, title: str, edit: "Edit", fact: str, text: str) -> float:
        """Return the probability that `text` entails the fact of an edit."""
        shared = self._shared(title, fact, text)
        if shared < _HALF:
            return 0.0
        likely = await entails(
            self._verifier,
            title,
            fact,
            [text],
            section=edit.section,
            context=edit.context,
        )
        return min(1.0, 2 * likely) if shared >= _MOST else likely

    def _shared(self, title: str, fact: str, text: str) -> float:
        """Return the share of a fact's words in `text`; 0 where a number is missing."""
        said = words(fact)
        known, held = self._stems_of(title), self._stems_of(text)
        stems = content_stems(said) - known
        numbers = {word.stem for word in said if word.is_number} & stems
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
    context: str = ""  # plain text that precedes it


@dataclass(frozen=True, slots=True)
class Offer:
    """A suggestion as the judge sees it."""

    number: int
    text: str
    section: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Answer:
    """What the judge said of one fact and one suggestion."""

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
    """Return for each edit and fact what the judge says of the nearest suggestions."""
    found = []
    for edit in edits:
        nearness = await encoder.likeness(edit.facts, [one.text for one in offers])
        found.append(
            tuple(
                [
                    await _of_fact(title, edit, fact, _near(edit, offers, near), judge)
                    for fact, near in zip(edit.facts, nearness, strict=True)
                ]
            )
        )
    return tuple(found)


async def _of_fact(
    title: str, edit: Edit, fact: str, offers: Sequence[Offer], judge: Judge
) -> tuple[Answer, ...]:
    return tuple(
        [
            Answer(
                number=one.number,
                probability=await judge.entailed(title, edit, fact, one.text),
                is_same_section=one.section == edit.section,
            )
            for one in offers
        ]
    )


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
    """Return the surest suggestion that entails a fact; `None` where none does.

    Args:
        answers: of the judge on one fact.
        same_section: only those that go where the person's edit went.
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
