"""The embedded planner and writer: quotes in order, and no words of their own.

Which sentences are worth quoting is decided once for planner and writer, by a survey:
those that are close to the title in meaning and to what other documents say. Nothing is
quoted twice and each source stays within its allowance. The best open the dossier; the
others are ordered by what can be seen in them: what has a day, who said something,
figures, and the rest by source. Headings made of the names in a group did not help
editors. If a model planned the headings, each sentence is put under the closest one.

The weights and the bound were fitted on the events of WikiGenBench and the topics of
WikiLiveChallenge (pages with capitals) that are not held out, 48 and 20 with sentences
to quote: a sentence is a hit if the article has one of cosine .6. With bounds on the
title's words, on the page's opening and on its days instead, 224 of 468 were hits in
the first and 288 of 431 in the second; now, of the 25 best of each,
212 of 413 and 331 of 479. On the half that is held out, 65 events and 30 topics, 104 of
241 quotes and 473 of 603 are hits. Comparing words beside meanings, to tell whether two
sentences say the same, made it 103 and 469.

Pure except for the encoder.
"""

import re
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date
from enum import Enum
from typing import TypeAlias

import numpy as np
import numpy.typing as npt

from handlers.drafts.candidates import Candidate, candidates_of, years_of
from handlers.drafts.limits import Allowance
from handlers.drafts.roles import Order, Outline
from handlers.model import (
    Chunk,
    CitedChunk,
    DraftDocument,
    DraftSection,
    DraftSentence,
    Engine,
    Evidence,
    Passage,
    PlannedSection,
    Topic,
    WorthReading,
)
from handlers.ports import TextEncoder
from handlers.text.analysis import analyse
from handlers.text.words import words

ENGINE = Engine("embedded", "4")
_PARENTHESES = re.compile(r"\s*\([^()]*\)\s*$")
_MOST_COMPARED = 600
# A sentence's worth: its cosine with the title, and the mean of its cosines with the
# nearest sentences of other documents.
_FIT, _CENTRAL, _NEAREST = 0.45, 0.55, 5
_LEAST_WORTH = 0.35
_FEW, _NEAR = 6, 0.28  # with fewer, sentences also count that are near the title
_MOST_POINTS = 24  # of a dossier: nobody reads more quotes
_MOST_OF_SOURCE = 5  # points, if there are others
_LEAD_SENTENCES = 4
# What a lead gains by the title's words and by a day, and how it is ordered.
_NAMED, _DATED = 0.07, 0.05
_SAME = 0.82
_MAY_AGREE, _MOST_AGREEING = 0.6, 2  # sentences of other documents to be judged
_FEWEST_OF_KIND = 2
_MOST_NAMES = 3
_OVER = 1.1  # times the words wanted, so that the last sentence is not cut off
Matrix = npt.NDArray[np.float64]


class Kind(Enum):
    """What can be seen in a sentence; the order is that of the sections."""

    DATED = "dated"
    FIGURES = "figures"
    SAID = "said"
    OTHER = "other"


Headings: TypeAlias = Callable[[str], Mapping[Kind, str]]
"""The heading for each kind of sentence, in the language with a code."""


@dataclass(frozen=True, slots=True)
class Survey:
    """What a draft may quote: the sentences of each section by heading, the lead first.

    Sentences are indices in `found`, those of a section the best first. `agreeing` maps
    an index to those of other documents that may say the same; the verifier decides.
    """

    found: tuple[Candidate, ...] = ()
    sections: tuple[tuple[str, tuple[int, ...]], ...] = (("", ()),)
    agreeing: Mapping[int, tuple[int, ...]] = field(default_factory=dict)
    worth_reading: tuple[WorthReading, ...] = ()

    @property
    def planned(self) -> Outline:
        """The sections, each with the words available for it."""
        return tuple(
            PlannedSection(heading, (), max(1, sum(map(self.length, members))))
            for heading, members in self.sections
        )

    def length(self, at: int) -> int:
        """Return how many words a sentence has."""
        return len(self.found[at].text.split())


async def survey(
    topic: Topic,
    documents: Sequence[DraftDocument],
    chunks: Sequence[Chunk],
    encoder: TextEncoder,
    headings: Mapping[Kind, str],
) -> Survey:
    """Return what may be quoted of `chunks`, under `headings`."""
    naming = sorted(candidates_of(topic, documents, chunks), key=lambda one: -one.named)
    found = sorted(
        naming[:_MOST_COMPARED], key=lambda one: (one.chunk.document, one.span.start)
    )
    if not found:
        unread = _worth_reading(topic, documents, found, [], [])
        return Survey(worth_reading=tuple(unread))
    texts = [one.text for one in found]
    title = _PARENTHESES.sub("", topic.title).strip() or topic.title
    title = f"{title} {topic.hint}".strip()
    [fits] = np.array(await encoder.likeness([title], texts))
    alike = np.array(await encoder.likeness(texts, texts))
    worth = _FIT * fits + _CENTRAL * _central(found, alike)
    order = [int(at) for at in np.argsort(-worth)]
    best = [at for at in order if worth[at] >= _LEAST_WORTH]
    if len(best) < _FEW:  # little to read, or a language that the encoder lacks
        best = [at for at in order if worth[at] >= _LEAST_WORTH or fits[at] >= _NEAR]
    opens = [_NAMED * one.named + _DATED * one.is_exact for one in found]
    opening = sorted(best, key=lambda at: -worth[at] - opens[at])
    allowance = Allowance(documents)
    lead = _picked(opening, _LEAD_SENTENCES, [], found, alike, allowance=allowance)
    taken = _picked(best, _MOST_POINTS, lead, found, alike, allowance=allowance)
    body = taken[len(lead) :]
    return Survey(
        tuple(found),
        (("", tuple(lead)), *_grouped(topic, found, body, headings)),
        {at: _agreeing(at, found, alike) for at in taken},
        tuple(_worth_reading(topic, documents, found, best, taken)),
    )


async def quoted(
    survey: Survey, order: Order, encoder: TextEncoder
) -> tuple[DraftSection, ...]:
    """Return the section asked for, or all; each sentence is a quote."""
    sections = survey.planned if order.section is None else order.outline
    under = await _under(survey, sections, encoder)
    to_read = {(one.document, one.number) for one in order.chunks}
    room, made = order.words, []
    for one in sections if order.section is None else (order.section,):
        members = [
            at
            for at in under.get(one.heading, ())
            if (chunk := survey.found[at].chunk)
            and (chunk.document, chunk.number) in to_read
        ]
        length = room if order.section else min(room, one.words)
        section = _section(survey, one.heading, members, length)
        room -= sum(len(each.text.split()) for each in section.sentences)
        if section.paragraphs or order.section:
            made.append(section)
    return tuple(made)


async def _under(
    survey: Survey, sections: Outline, encoder: TextEncoder
) -> dict[str, tuple[int, ...]]:
    """Return which quotes are under which heading; the lead has its own.

    Under headings that a model planned, each sentence is put under the closest.
    """
    own = dict(survey.sections)
    named = [one for one in sections if one.heading]
    if {one.heading for one in named} <= own.keys():
        return own
    under = {"": own.pop("")}
    body = [at for members in own.values() for at in members]
    labels = [f"{one.heading}: {', '.join(one.wants)}" for one in named]
    texts = [survey.found[at].text for at in body]
    likeness = await encoder.likeness(texts, labels) if body else []
    for at, near in zip(body, likeness, strict=True):
        heading = named[max(range(len(named)), key=near.__getitem__)].heading
        under[heading] = (*under.get(heading, ()), at)
    return under


def _grouped(
    topic: Topic,
    found: Sequence[Candidate],
    members: Sequence[int],
    headings: Mapping[Kind, str],
) -> Iterator[tuple[str, tuple[int, ...]]]:
    """Yield the sections behind the lead; one sentence makes none of its own."""
    years = years_of(topic)
    of: dict[Kind, list[int]] = {kind: [] for kind in Kind}
    for at in members:
        of[_kind(found[at], years)].append(at)
    for kind in (Kind.DATED, Kind.FIGURES, Kind.SAID):
        if len(of[kind]) < _FEWEST_OF_KIND:
            of[Kind.OTHER] += of.pop(kind)
    for kind in Kind:
        if of.get(kind):
            yield headings[kind], tuple(of[kind])


def _central(found: Sequence[Candidate], alike: Matrix) -> Matrix:
    """Return how near each sentence is to others; of other documents, if there are."""
    documents = np.array([one.chunk.document for one in found])
    own = documents[:, None] == documents
    others = np.where(np.eye(len(found)) if own.all() else own, 0.0, alike)
    central: Matrix = np.sort(others, axis=1)[:, -_NEAREST:].mean(axis=1)
    return central


def _picked(
    order: Sequence[int],
    most: int,
    taken: Sequence[int],
    found: Sequence[Candidate],
    alike: Matrix,
    *,
    allowance: Allowance,
) -> list[int]:
    """Return `taken` and the first of `order` that say something new, few of a source."""
    is_only = len({one.chunk.document for one in found}) == 1
    made = list(taken)
    of = Counter(found[at].chunk.document for at in made)
    for at in order:
        if len(made) == most:
            break
        source = found[at].chunk.document
        is_full = not is_only and of[source] == _MOST_OF_SOURCE
        if is_full or any(_say_same(at, each, found, alike) for each in made):
            continue
        if allowance.spend(source, found[at].span):
            of[source] += 1
            made.append(at)
    return made


def _say_same(at: int, other: int, found: Sequence[Candidate], alike: Matrix) -> bool:
    """Return whether two say the same; with different figures they do not."""
    if at == other:
        return True
    one, two = found[at].figures, found[other].figures
    return bool(alike[at, other] >= _SAME) and not (one - two and two - one)


def _agreeing(at: int, found: Sequence[Candidate], alike: Matrix) -> tuple[int, ...]:
    """Return the sentences nearest to one, at most one for each other document."""
    nearest: dict[int, int] = {}
    for other in np.argsort(-alike[at]):
        if alike[at, other] < _MAY_AGREE:
            break
        if found[other].chunk.document != found[at].chunk.document:
            nearest.setdefault(found[other].chunk.document, int(other))
    return tuple(nearest.values())[:_MOST_AGREEING]


def _kind(one: Candidate, years: frozenset[int]) -> Kind:
    if one.day and (one.is_exact or one.day.year not in years):
        return Kind.DATED
    if one.is_spoken:
        return Kind.SAID
    return Kind.FIGURES if one.figures else Kind.OTHER


def _section(
    survey: Survey, heading: str, members: Sequence[int], length: int
) -> DraftSection:
    """Return the best of `members`, which are ordered best first, as a section.

    Sentences with days are ordered by them; others stay together by source, in its
    order, so that a reader opens each source once.
    """
    chosen: list[int] = []
    room = length * _OVER
    for at in members:
        if survey.length(at) <= room:
            chosen.append(at)
            room -= survey.length(at)
    is_dated = bool(heading) and all(survey.found[at].day for at in chosen)
    if heading:
        chosen.sort(key=lambda at: _place(survey.found[at], is_dated=is_dated))
    paragraphs: dict[int, list[DraftSentence]] = {}
    for at in chosen:
        source = survey.found[at].chunk.document
        by = source if heading and not is_dated else 0
        paragraphs.setdefault(by, []).append(_sentence(survey, at))
    return DraftSection(heading, tuple(tuple(one) for one in paragraphs.values()))


def _place(one: Candidate, *, is_dated: bool) -> tuple[date, int, int]:
    return (
        one.day if is_dated and one.day else date.min,
        one.chunk.document,
        one.span.start,
    )


def _sentence(survey: Survey, at: int) -> DraftSentence:
    cites = []
    for one in (survey.found[each] for each in (at, *survey.agreeing[at])):
        chunk, start = one.chunk, one.span.start - one.chunk.span.start
        evidence = Evidence(
            passage=Passage(f"document {chunk.document}", chunk.text, chunk.span),
            quote=chunk.text[start : start + one.span.end - one.span.start],
            span=one.span,
            matched=(),
            score=one.named,
        )
        cites.append(CitedChunk(chunk, evidence))
    one = survey.found[at]
    return DraftSentence(one.text, tuple(cites), is_quote=True, dated=one.day)


def _worth_reading(
    topic: Topic,
    documents: Sequence[DraftDocument],
    found: Sequence[Candidate],
    best: Sequence[int],
    taken: Sequence[int],
) -> Iterator[WorthReading]:
    """Yield the documents with more on the topic than is quoted, the fullest first.

    Those without a sentence to quote come last; they name the topic.
    """
    known = {one.stem for one in words(f"{topic.title} {topic.hint}")}
    left: dict[int, list[str]] = {}
    for at in sorted({*best} - {*taken}):
        left.setdefault(found[at].chunk.document, []).append(found[at].text)
    for number, texts in sorted(left.items(), key=lambda one: -len(one[1])):
        named = Counter(
            name for text in texts for name in dict.fromkeys(_names(text, known))
        )
        about = tuple(name for name, _ in named.most_common(_MOST_NAMES))
        yield WorthReading(number, about, len(texts))
    listed = left.keys() | {found[at].chunk.document for at in taken}
    for document in documents:
        if document.number not in listed:
            yield WorthReading(document.number, (), 0)


def _names(text: str, known: set[str]) -> Iterator[str]:
    """Yield the names in a sentence that are not the topic's, except its first word."""
    analysis = analyse(text)
    for name in analysis.names:
        if name.first_word and not set(name.stems) & known:
            first, last = (
                analysis.words[name.first_word],
                analysis.words[name.last_word],
            )
            yield text[first.start : last.end]
