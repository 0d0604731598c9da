"""Makes a draft from documents, with any cast: RR, PRR, TunedRR of WikiGenBench (§4).

With a plan, the sections are written in parallel and the lead last, to sum them up. The
paper's methods end there. Here the verifier then checks each sentence against the
chunks that it cites. Left out are sentences that they do not support, sentences about
people that only one source supports, and quotes that would take too much from a source.
Pure.
"""

import asyncio
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations, islice
from statistics import fmean
from typing import TypeVar

from handlers.drafts.check import checked, connected
from handlers.drafts.chunks import Reranker, chunks_of
from handlers.drafts.embedded import ENGINE, Headings, Survey, quoted, survey
from handlers.drafts.gather import screened
from handlers.drafts.limits import guarded, limited, with_each
from handlers.drafts.roles import (
    Order,
    Outline,
    Planner,
    Rules,
    Writer,
    none_usable,
)
from handlers.model import (
    Chunk,
    Disagreement,
    Draft,
    DraftDocument,
    DraftMethod,
    DraftSection,
    DraftSentence,
    Engine,
    LeftOut,
    ModelUse,
    PlannedSection,
    Topic,
)
from handlers.page.prose import normalised
from handlers.ports import TextEncoder, Verifier
from handlers.text.analysis import TextAnalysis, analyse
from handlers.text.numbers import Bound, Quantity, agree
from handlers.text.words import content_stems
from handlers.updates.entailment import judged
from handlers.updates.roles import RoleAnswer

_SHARED = 0.7  # of the shorter sentence's content words
_LIKELY = 0.4  # mean of both directions; the other bounds exclude merely similar pairs
_MOST_ASKED = 40
_MOST_SHOWN = 12
T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Cast:
    """Who makes a draft; `engine` names the writer.

    Where nobody else plans or writes, or gives no answer, quotes are arranged under
    `headings` in the draft's language.
    """

    method: DraftMethod
    reranker: Reranker
    verifier: Verifier
    encoder: TextEncoder
    headings: Headings
    planner: Planner | None = None
    writer: Writer | None = None
    engine: Engine = ENGINE


async def disagreements(
    topic: Topic, sections: Sequence[DraftSection], verifier: Verifier
) -> tuple[Disagreement, ...]:
    """Return the pairs of sentences whose figures cannot both hold, most certain first.

    The verification model takes any different figure for a contradiction, even an old
    one next to a new one. So it is asked about a pair only if both count the same thing
    once, in mostly the same words, not for different days or of different names, and in
    different documents. With a third of their words in common, two pairs were reported
    on 95 unseen topics of WikiGenBench and Wiki Live Challenge, both wrongly; now none.
    """
    found = [one for section in sections for one in section.sentences]
    shown = []
    for one, other, unit in islice(_differing(found), _MOST_ASKED):
        both = [
            await judged(verifier, topic.title, mine.text, [its.text])
            for mine, its in ((one, other), (other, one))
        ]
        likely = fmean(each.contradicted for each in both)
        if likely >= _LIKELY:
            shown.append(Disagreement(one, other, likely, unit))
    return tuple(sorted(shown, key=lambda one: -one.probability)[:_MOST_SHOWN])


def _differing(
    found: Sequence[DraftSentence],
) -> Iterator[tuple[DraftSentence, DraftSentence, str]]:
    """Yield pairs from two documents with different figures, and the unit counted."""
    analyses = [(one, analyse(one.text)) for one in found]
    for (one, mine), (other, its) in combinations(analyses, 2):
        if one.cites[0].chunk.document == other.cites[0].chunk.document:
            continue
        days, others = (
            {(day.year, day.month, day.day) for day in each.dates}
            for each in (mine, its)
        )
        if days and others and not days & others:
            continue
        named, also = (
            {" ".join(name.stems) for name in each.names} for each in (mine, its)
        )
        if named - also and also - named:
            continue
        stems, known_stems = content_stems(mine.words), content_stems(its.words)
        fewest = max(1, min(len(stems), len(known_stems)))
        if len(stems & known_stems) < _SHARED * fewest:
            continue
        counted, known = _counted_once(mine), _counted_once(its)
        for unit in sorted(counted.keys() & known.keys()):
            if not agree(counted[unit], known[unit]):
                yield one, other, unit
                break


def _counted_once(found: TextAnalysis) -> dict[str, Quantity]:
    """Return the exact quantities by unit, without units that occur twice."""
    times = Counter(one.unit for one in found.quantities)
    return {
        one.unit: one
        for one in found.quantities
        if one.unit and times[one.unit] == 1 and one.bound is Bound.EXACT
    }


async def draft(
    topic: Topic,
    documents: Sequence[DraftDocument],
    cast: Cast,
    rules: Rules = Rules(),  # noqa: B008 - a frozen value
    *,
    left_out: Sequence[LeftOut] = (),
) -> Draft:
    """Return a draft on `topic` from `documents`.

    Args:
        topic: what to write on.
        documents: those read for it; those that cannot be used are named in the draft.
        cast: who ranks, plans, writes and verifies.
        rules: sizes; `rules.chunks` limits what is read for a section (PRR) or for the
            whole draft (RR).
        left_out: what was already left out, to be named in the draft.

    Raises:
        NothingToDraftError: no document can be used, or none says anything to quote.
    """
    usable = screened(topic, documents)
    gone = (*left_out, *usable.left_out)
    if not usable.documents:
        raise none_usable(topic, gone)
    work = _Drafting(topic, usable.documents, cast, rules)
    written = await work.sections()
    sections, unsupported = await checked(topic, written, cast.verifier)
    sections, single = await guarded(
        topic, _once(sections), usable.documents, cast.encoder
    )
    sections, over_limit = limited(sections, usable.documents)
    sections, dangling = connected(topic, written, sections, usable.documents)
    gone = (*gone, *unsupported, *single, *over_limit, *dangling)
    if not any(one.sentences for one in sections) and not work.survey.worth_reading:
        raise none_usable(topic, gone)
    return Draft(
        topic=topic,
        method=cast.method,
        reranker=work.reranker,
        engine=cast.engine,
        sections=sections,
        documents=usable.documents,
        worth_reading=work.survey.worth_reading,
        disagreements=await disagreements(topic, sections, cast.verifier),
        left_out=gone,
        troubles=tuple(dict.fromkeys(work.troubles)),
        use=work.use,
        is_worded=any(not one.is_quote for part in sections for one in part.sentences),
        turns=work.turns,
        replaced=work.replaced,
    )


class _Drafting:
    """One draft being made: what the model calls used, and what went wrong."""

    def __init__(
        self,
        topic: Topic,
        documents: tuple[DraftDocument, ...],
        cast: Cast,
        rules: Rules,
    ) -> None:
        self._topic, self._documents, self._cast = topic, documents, cast
        self._rules = rules
        self._chunks = [chunk for one in documents for chunk in chunks_of(one)]
        self.survey = Survey()
        self.reranker = ""  # the name of the one that was asked, if any
        self.use = ModelUse()
        self.troubles: list[str] = []
        self.turns = 0
        self.replaced = 0  # turns in which the embedded role replaced the model

    async def sections(self) -> tuple[DraftSection, ...]:
        """Return the sections, made by the cast's method."""
        topic, cast, rules = self._topic, self._cast, self._rules
        is_planned = cast.method is DraftMethod.PRR
        chunks = await self._ranked(None)
        self.survey = await survey(
            topic,
            self._documents,
            chunks if is_planned else chunks[: rules.chunks],
            cast.encoder,
            cast.headings(topic.language),
        )
        if not is_planned:
            return await self._section((PlannedSection(""),), None, rules.words)
        outline = await self._outline(chunks)
        wanted = dict(zip(outline, self._words(outline), strict=True))
        body = await asyncio.gather(
            *(
                self._section(outline, one, wanted[one])
                for one in outline
                if one.heading
            )
        )
        written = tuple(one for sections in body for one in sections)
        leads = [
            await self._section(outline, one, wanted[one], written)
            for one in outline
            if not one.heading
        ]
        return (*(one for lead in leads for one in lead), *written)

    async def _outline(self, chunks: Sequence[Chunk]) -> Outline:
        made: Outline | None = None
        if self._cast.planner and chunks:
            answer = await self._cast.planner(self._topic, self._documents, chunks)
            made = self._value(answer, "planner")
        return (made or self.survey.planned)[: self._rules.sections]

    async def _section(
        self,
        outline: Outline,
        section: PlannedSection | None,
        words: int,
        earlier: tuple[DraftSection, ...] = (),
    ) -> tuple[DraftSection, ...]:
        chunks = tuple((await self._ranked(section))[: self._rules.chunks])
        order = Order(
            self._topic, outline, section, chunks, self._documents, earlier, words
        )
        if self._cast.writer and chunks:
            answer = await self._cast.writer(order)
            made = self._value(answer, "writer")
            if made is not None:
                return made
        return await quoted(self.survey, order, self._cast.encoder)

    def _words(self, outline: Outline) -> list[int]:
        """Return the number of words for each section; equal if not planned."""
        planned = sum(one.words for one in outline)
        if not planned:
            return [self._rules.words // len(outline)] * len(outline)
        part = min(1.0, self._rules.words / planned)
        return [round(one.words * part) for one in outline]

    async def _ranked(self, section: PlannedSection | None) -> list[Chunk]:
        """Return the chunks, the best for a section or the whole topic first."""
        # Quotes are ordered by the survey, whatever the order of chunks.
        if not self._cast.writer and len(self._chunks) <= self._rules.chunks:
            return self._chunks
        parts = (section.heading, *section.wants) if section else (self._topic.hint,)
        query = " ".join((self._topic.title, *parts)).strip()
        self.reranker = self._cast.reranker.name
        scores = await self._cast.reranker.scores(query, self._chunks)
        order = sorted(range(len(self._chunks)), key=lambda at: (-scores[at], at))
        return [self._chunks[at] for at in order]

    def _value(self, answer: RoleAnswer[T], role: str) -> T:
        self.use = self.use + answer.use
        self.turns += 1
        self.replaced += answer.value is None
        why = answer.detail or (answer.failure.value if answer.failure else "")
        if why:
            self.troubles.append(f"the language model as {role}: {why}")
        return answer.value


def _once(sections: Sequence[DraftSection]) -> tuple[DraftSection, ...]:
    """Return sections without sentences that occurred before."""
    seen: set[str] = set()

    def new(_: DraftSection, one: DraftSentence) -> DraftSentence | None:
        text = normalised(one.text)
        if text in seen:
            return None
        seen.add(text)
        return one

    return with_each(sections, new)
