"""The embedded planner: sections by subject. Pure except for the encoder.

Which sentences are worth quoting is decided once for planner and writer (`Surveyor`):
those that are closest to the title in meaning, name the topic, come early on their page
and say what other documents also say. Nothing is quoted twice, each source stays within
its allowance, and the lead comes first. A sentence that neither names the topic nor is
close to its title is about something else. (Closeness to the beginnings of pages was no
good test: it let in menus and notices, with which some pages begin.) On 24 unseen
events of WikiGenBench (pages as they were written) this and the checks for broken text
removed 33 sentences, of which one reader would have kept 10, and added 11; METEOR over
all events fell from 2.2 to 1.7.

The chosen sentences are grouped by meaning (average linkage on centred cosines), and a
group is named after the terms that are distinctive of it and closest to it in meaning.
"""

import asyncio
import math
import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from handlers.citations.annotation import read
from handlers.citations.words import words
from handlers.drafts.candidates import Candidate, candidates_of
from handlers.drafts.limits import Allowance
from handlers.model import (
    Chunk,
    DraftDocument,
    Engine,
    Outline,
    PlannedSection,
    Topic,
    WorthReading,
)
from handlers.ports import TextEncoder
from handlers.updates.roles import Turn

ENGINE = Engine("embedded", "2")

_MOST_COMPARED = 600
_PARENTHESES = re.compile(r"\s*\([^()]*\)\s*$")
_NAMES_IT = 0.5  # of the title's words
# Cosine with the title, of a sentence that does not name the topic, and of one that does.
_NEAR, _NEAR_IF_NAMED = 0.28, 0.2
# Weights that are added to a sentence's cosine with the title: for the title's words,
# for other documents that say the same, for a date, and minus for each sentence before
# it on its page.
_NAMED, _CENTRAL, _DATED, _LATE = 0.5, 0.5, 0.15, 0.01
_NEAREST = 5  # sentences of other documents
_LATEST = 20
_LEAD_SENTENCES = 4
_OF_ONE_THING = 0.75  # cosine from which a lead has only one of two sentences
_SAME, _SAME_STEMS, _BEARS_OUT = 0.86, 0.8, 0.9
_MOST_WORDS = 2_400  # of a draft, whatever is asked for: nobody reads more quotes
_LEAD_WORDS = 150
_SECTION_WORDS = 180
_MOST_SECTIONS = 8
_TERMS, _HEADING_TERMS = 14, 2
_LONGEST_HEADING = 60
Matrix = npt.NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Survey:
    """What a draft quotes: the lead in order, and the rest in groups by heading.

    `same` maps an index in `found` to those of other documents' sentences that say all
    of it.
    """

    topic: Topic
    found: tuple[Candidate, ...]
    lead: tuple[int, ...]
    groups: tuple[tuple[str, tuple[int, ...]], ...]
    same: dict[int, tuple[int, ...]]
    worth_reading: tuple[WorthReading, ...]


class Surveyor:
    """Surveys the documents of a draft once, for planner and writer."""

    def __init__(self, encoder: TextEncoder) -> None:
        """Compare sentences with `encoder`."""
        self.encoder = encoder
        self._last: tuple[Topic, Sequence[DraftDocument], Survey] | None = None
        self._turn = asyncio.Lock()

    async def survey(
        self,
        topic: Topic,
        documents: Sequence[DraftDocument],
        chunks: Sequence[Chunk],
    ) -> Survey:
        """Return the survey of `documents`; the last one is kept.

        Text that is in none of `chunks` is not quoted.
        """
        async with self._turn:  # sections are written in parallel
            if self._last and self._last[0] == topic and self._last[1] is documents:
                return self._last[2]
            made = await self._made(topic, documents, chunks)
            self._last = (topic, documents, made)
            return made

    async def _made(
        self,
        topic: Topic,
        documents: Sequence[DraftDocument],
        chunks: Sequence[Chunk],
    ) -> Survey:
        all_ = sorted(
            candidates_of(topic, documents, chunks),
            key=lambda one: -(one.named + 0.5 * one.is_central),
        )
        found = sorted(
            all_[:_MOST_COMPARED], key=lambda one: (one.chunk.document, one.at)
        )
        if not found:
            return Survey(topic, (), (), (), {}, ())
        texts = [one.text for one in found]
        title = f"{title_of(topic)} {topic.hint}".strip()
        [fits] = np.array(await self.encoder.likeness([title], texts))
        alike = np.array(await self.encoder.likeness(texts, texts))
        # The topic's days are those in sentences that name it. A sentence that only has
        # other days and does not name the topic is about something else: both such
        # sentences on 20 unseen events were.
        days = {day for one in found if one.named >= _NAMES_IT for day in one.days}
        on_topic = [
            at
            for at, one in enumerate(found)
            if (
                fits[at] >= _NEAR_IF_NAMED
                if one.named >= _NAMES_IT
                else one.is_central
                and fits[at] >= _NEAR
                and not (days and one.days and not one.days & days)
            )
        ]
        worth = fits + _weights(found, alike)
        picking = _Picking(found, alike, Allowance(documents))
        best = sorted(on_topic, key=lambda at: -worth[at])
        lead = picking.lead(best)
        body = picking.best(best, _MOST_WORDS)
        groups = await _groups(topic, found, body, alike, self.encoder)
        ordered = tuple(
            sorted(groups, key=lambda one: _when([found[at] for at in one[1]]))
        )
        return Survey(
            topic,
            tuple(found),
            tuple(lead),
            ordered,
            {at: tuple(others) for at, others in picking.same.items()},
            tuple(_worth_reading(found, on_topic, (*lead, *body), ordered, alike)),
        )


class EmbeddedPlanner:
    """Implements `handlers.drafts.roles.Planner`."""

    def __init__(self, surveyor: Surveyor) -> None:
        """Plan from what `surveyor` finds; share it with the writer."""
        self.surveyor = surveyor

    async def plan(
        self,
        topic: Topic,
        documents: Sequence[DraftDocument],
        chunks: Sequence[Chunk],
    ) -> Turn[Outline]:
        """Return the lead and a section for each group of sentences."""
        survey = await self.surveyor.survey(topic, documents, chunks)
        return Turn(Outline(planned(survey), ENGINE))


def planned(survey: Survey) -> tuple[PlannedSection, ...]:
    """Return the sections of a survey, each with the words available for it."""
    lead = _length(survey.found, survey.lead)
    return (
        PlannedSection("", (), max(1, lead)),
        *(
            PlannedSection(heading, (), _length(survey.found, members))
            for heading, members in survey.groups
        ),
    )


def title_of(topic: Topic) -> str:
    """Return the title without the parentheses at its end."""
    return _PARENTHESES.sub("", topic.title).strip() or topic.title


class _Picking:
    """Picks sentences without repetition, within each source's allowance."""

    def __init__(
        self, found: Sequence[Candidate], alike: Matrix, allowance: Allowance
    ) -> None:
        self._found, self._alike, self._allowance = found, alike, allowance
        self._taken: list[int] = []
        self.same: dict[int, list[int]] = {}

    def lead(self, order: Sequence[int]) -> list[int]:
        """Return the first of `order` that are about different things."""
        made: list[int] = []
        left = _LEAD_WORDS
        for at in order:
            size = len(self._found[at].text.split())
            is_covered = any(self._alike[at, other] >= _OF_ONE_THING for other in made)
            if size <= left and not is_covered and self._take(at):
                made.append(at)
                left -= size
                if len(made) == _LEAD_SENTENCES:
                    break
        return made

    def best(self, order: Sequence[int], most: int) -> list[int]:
        """Return the first of `order` that are not in the lead, of `most` words."""
        made: list[int] = []
        for at in order:
            size = len(self._found[at].text.split())
            if at not in self._taken and size <= most and self._take(at):
                made.append(at)
                most -= size
        return made

    def _take(self, at: int) -> bool:
        one = self._found[at]
        twin = next(
            (other for other in self._taken if self._says_same(at, other)), None
        )
        if twin is not None:
            other = self._found[twin]
            is_other = one.chunk.document != other.chunk.document
            if is_other and self._alike[at, twin] >= _BEARS_OUT:
                self.same.setdefault(twin, []).append(at)
            return False
        if not self._allowance.spend(one.chunk.document, one.span):
            return False
        self._taken.append(at)
        return True

    def _says_same(self, at: int, other: int) -> bool:
        """Return whether two say the same; with different figures they do not."""
        one, two = self._found[at], self._found[other]
        if at == other:
            return True
        if one.figures - two.figures and two.figures - one.figures:
            return False
        shared = len(one.stems & two.stems) / max(1, len(one.stems))
        return bool(self._alike[at, other] >= _SAME) or shared >= _SAME_STEMS


def _weights(found: Sequence[Candidate], alike: Matrix) -> Matrix:
    """Return what each sentence gets on top of its cosine with the title."""
    documents = np.array([one.chunk.document for one in found])
    others = np.where(documents[:, None] == documents, 0.0, alike)
    central = np.sort(others, axis=1)[:, -_NEAREST:].mean(axis=1)
    first: dict[int, int] = {}
    for one in found:  # in the order of their pages
        first.setdefault(one.chunk.document, one.at)
    own = [
        _NAMED * one.named
        + _DATED * bool(one.day)
        - _LATE * min(one.at - first[one.chunk.document], _LATEST)
        for one in found
    ]
    weights: Matrix = np.array(own) + _CENTRAL * central
    return weights


def _when(of: Sequence[Candidate]) -> tuple[float, int]:
    """Order sections by time, by the median of the days that they name."""
    days = sorted(one.day.toordinal() for one in of if one.day)
    return (days[len(days) // 2] if days else math.inf, -len(of))


def _length(found: Sequence[Candidate], members: Sequence[int]) -> int:
    return sum(len(found[at].text.split()) for at in members)


async def _groups(
    topic: Topic,
    found: Sequence[Candidate],
    members: Sequence[int],
    alike: Matrix,
    encoder: TextEncoder,
) -> list[tuple[str, tuple[int, ...]]]:
    if not members:
        return []
    wanted = round(_length(found, members) / _SECTION_WORDS)
    groups = _linked(
        alike[np.ix_(members, members)], max(1, min(_MOST_SECTIONS - 1, wanted))
    )
    named: list[tuple[str, tuple[int, ...]]] = []
    counted = [_terms(topic, [found[members[at]].text for at in one]) for one in groups]
    everywhere = sum(counted, Counter[str]())
    for group, terms in zip(groups, counted, strict=True):
        texts = [found[members[at]].text for at in group]
        heading = await _heading(terms, everywhere, texts, encoder)
        taken = {one.casefold() for one, _ in named}
        number = 2
        plain = heading
        while heading.casefold() in taken:
            heading, number = f"{plain} ({number})", number + 1
        named.append((heading, tuple(members[at] for at in group)))
    return named


def _linked(alike: Matrix, wanted: int) -> list[list[int]]:
    """Return groups by average linkage; centring removes what all have in common."""
    centred = alike - alike.mean(axis=0) - alike.mean(axis=1)[:, None] + alike.mean()
    groups = [[at] for at in range(len(alike))]
    sums = centred.copy()
    np.fill_diagonal(sums, -np.inf)
    sizes = np.ones(len(alike))
    alive = list(range(len(alike)))
    while len(alive) > wanted:
        means = sums[np.ix_(alive, alive)] / np.outer(sizes[alive], sizes[alive])
        one, other = np.unravel_index(int(np.argmax(means)), means.shape)
        kept, gone = sorted((alive[one], alive[other]))
        groups[kept] += groups[gone]
        sums[kept] += sums[gone]
        sums[:, kept] += sums[:, gone]
        sums[kept, kept] = -np.inf
        sizes[kept] += sizes[gone]
        alive.remove(gone)
    return [sorted(groups[at]) for at in alive]


def _terms(topic: Topic, texts: Sequence[str]) -> Counter[str]:
    """Count in how many sentences each word and pair of words occurs."""
    known = {one.stem for one in words(f"{topic.title} {topic.hint}")}
    return Counter(term for text in texts for term in {*_terms_in(text, known)})


def _terms_in(text: str, known: set[str]) -> Iterator[str]:
    """Yield the names in a sentence, except for its first word."""
    found = read(text)
    for name in found.names:
        if name.first_word and not set(name.stems) & known:
            first, last = found.words[name.first_word], found.words[name.last_word]
            yield text[first.start : last.end]


async def _heading(
    terms: Counter[str],
    everywhere: Counter[str],
    texts: Sequence[str],
    encoder: TextEncoder,
) -> str:
    """Return the distinctive terms of a group that best say what it is about."""
    standing = sorted(
        terms,
        key=lambda one: (
            -terms[one] * terms[one] / everywhere[one],
            one,
        ),
    )[:_TERMS]
    if not standing:
        return "…"
    [near] = await encoder.likeness([" ".join(texts)[:2_000]], standing)
    best = sorted(zip(near, standing, strict=True), reverse=True)
    chosen: list[str] = []
    for _, term in best:
        parts = {part.casefold() for part in term.split()}
        if any(parts & {part.casefold() for part in one.split()} for one in chosen):
            continue
        chosen.append(term)
        if len(chosen) == _HEADING_TERMS:
            break
    heading = ", ".join(chosen)[:_LONGEST_HEADING]
    return heading[0].upper() + heading[1:]


def _worth_reading(
    found: Sequence[Candidate],
    on_topic: Sequence[int],
    taken: Sequence[int],
    groups: Sequence[tuple[str, tuple[int, ...]]],
    alike: Matrix,
) -> Iterator[WorthReading]:
    """Yield the documents that have sentences on the topic but are not quoted."""
    left: dict[int, Counter[str]] = {}
    for at in sorted({*on_topic} - {*taken}):
        nearest = max(
            groups,
            key=lambda one: max(float(alike[at, other]) for other in one[1]),
            default=("", ()),
        )
        left.setdefault(found[at].chunk.document, Counter())[nearest[0]] += 1
    for document, counted in sorted(
        left.items(), key=lambda one: -sum(one[1].values())
    ):
        about = tuple(heading for heading, _ in counted.most_common(3) if heading)
        yield WorthReading(document, about, sum(counted.values()))
