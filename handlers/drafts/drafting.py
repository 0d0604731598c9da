"""Makes a draft of documents, with any cast: RR, PRR and TunedRR of WikiGenBench (§4).

The paper's methods write; here each sentence is then put to the verifier beside the
chunks that it cites, and what they do not bear out is left out. Pure.
"""

from collections.abc import Sequence
from dataclasses import replace
from typing import TypeVar

from handlers.drafts.checking import checked
from handlers.drafts.chunking import chunks_of
from handlers.drafts.disagreeing import disagreements
from handlers.drafts.embedded.finishing import finished
from handlers.drafts.roles import Cast, NothingToDraftError, Order, Rules
from handlers.drafts.screening import screened
from handlers.drafts.sharing import share
from handlers.model import (
    Chunk,
    Draft,
    DraftDocument,
    DraftMethod,
    DraftSection,
    Engine,
    Left,
    LeftOut,
    ModelUse,
    Outline,
    PlannedSection,
    Topic,
)
from handlers.updates.roles import Turn

T = TypeVar("T")

_NO_PLAN = Engine("none", "1")


async def draft(
    topic: Topic,
    documents: Sequence[DraftDocument],
    cast: Cast,
    rules: Rules = Rules(),  # noqa: B008 - a frozen value
    *,
    left_out: Sequence[LeftOut] = (),
) -> Draft:
    """Return a draft on `topic` out of `documents`.

    Args:
        topic: what to write on.
        documents: that were read for it; what cannot be used is told in the draft.
        cast: who ranks, plans, writes and verifies.
        rules: sizes; `rules.chunks` bounds what is read for a section (PRR) or for
            all of it (RR).
        left_out: what was left out before, to be told in the draft.

    Raises:
        NothingToDraftError: no document can be used, or none says anything to quote.
    """
    screening = screened(topic, documents)
    gone = (*left_out, *screening.left_out)
    if not screening.documents:
        raise _nothing(topic, gone)
    work = _Work(topic, screening.documents, cast, rules)
    outline, sections = await work.sections()
    sections, unsupported = await checked(topic, sections, cast.verifier, rules)
    sections = tuple(one for one in sections if one.paragraphs)
    if not any(one.sentences for one in sections):
        raise _nothing(topic, gone)
    made = Draft(
        topic=topic,
        method=cast.method,
        reranker=cast.reranker.name,
        engine=cast.engine or outline.engine,
        outline=outline,
        sections=sections,
        documents=screening.documents,
        disagreements=await disagreements(topic, sections, cast),
        left_out=(*gone, *unsupported),
        troubles=tuple(dict.fromkeys(work.troubles)),
        use=work.use,
        is_worded=any(not one.is_quote for part in sections for one in part.sentences),
    )
    return finished(made)


class _Work:
    """One draft in the making: what asking for it took, and what went wrong."""

    def __init__(
        self,
        topic: Topic,
        documents: tuple[DraftDocument, ...],
        cast: Cast,
        rules: Rules,
    ) -> None:
        self._topic, self._documents, self._cast = topic, documents, cast
        self._rules = rules
        self._chunks = [
            chunk for one in documents for chunk in chunks_of(one, rules.chunk_words)
        ]
        self.use = ModelUse()
        self.troubles: list[str] = []

    async def sections(self) -> tuple[Outline, tuple[DraftSection, ...]]:
        """Return the outline and the sections, as the cast's method makes them."""
        best = await self._ranked(f"{self._topic.title} {self._topic.hint}".strip())
        if self._cast.method is DraftMethod.PRR:
            return await self._planned(best)
        lead = (PlannedSection(""),)
        outline = Outline(lead, self._cast.engine or _NO_PLAN)
        order = self._order(
            outline, None, best[: self._rules.chunks], (), self._rules.words
        )
        sections = self._of(await self._cast.writer.write(order))
        told = tuple(PlannedSection(one.heading) for one in sections) or lead
        return replace(outline, sections=told), sections

    async def _planned(
        self, best: Sequence[Chunk]
    ) -> tuple[Outline, tuple[DraftSection, ...]]:
        outline = self._of(
            await self._cast.planner.plan(self._topic, self._documents, best)
        )
        outline = replace(outline, sections=outline.sections[: self._rules.sections])
        written: list[DraftSection] = []
        left = self._rules.words
        for number, section in enumerate(outline.sections):
            wanted = _wanted(outline.sections[number:], left)
            query = " ".join((self._topic.title, section.heading, *section.wants))
            ranked = (await self._ranked(query))[: self._rules.chunks]
            order = self._order(outline, section, ranked, tuple(written), wanted)
            for one in self._of(await self._cast.writer.write(order)):
                written.append(one)
                left = max(0, left - _length(one))
        return outline, tuple(written)

    def _order(
        self,
        outline: Outline,
        section: PlannedSection | None,
        chunks: Sequence[Chunk],
        earlier: tuple[DraftSection, ...],
        words: int,
    ) -> Order:
        return Order(
            self._topic,
            outline,
            section,
            tuple(chunks),
            self._documents,
            earlier,
            words,
        )

    async def _ranked(self, query: str) -> list[Chunk]:
        scores = await self._cast.reranker.scores(query, self._chunks)
        order = sorted(range(len(self._chunks)), key=lambda at: (-scores[at], at))
        return [self._chunks[at] for at in order]

    def _of(self, turn: Turn[T]) -> T:
        self.use = self.use + turn.use
        if turn.detail:
            self.troubles.append(turn.detail)
        return turn.value


def _wanted(sections: Sequence[PlannedSection], left: int) -> int:
    """Return how many words the first of the sections still to write is to have.

    A plan that says nothing of it gives to each the same.
    """
    first = sections[0]
    if not first.words and not first.spare:
        return left // len(sections)
    if not first.heading:
        return min(first.words, left)
    return share(first, sections, left)


def _length(section: DraftSection) -> int:
    return sum(len(one.text.split()) for one in section.sentences)


def _nothing(topic: Topic, left_out: Sequence[LeftOut]) -> NothingToDraftError:
    """Return why there is no draft, and what to do."""
    if not left_out:
        why = f"there are no documents on “{topic.title}” to make a draft of"
        return NothingToDraftError(why, "name some, or widen the search")
    counted: dict[str, int] = {}
    for one in left_out:
        counted[one.why.value] = counted.get(one.why.value, 0) + 1
    why = "; ".join(f"{count} where {told}" for told, count in counted.items())
    remedy = "name other documents"
    if Left.OTHER_LANGUAGE.value in counted:
        remedy += f", or ask for a draft in their language (now {topic.language})"
    return NothingToDraftError(
        f"no document on “{topic.title}” can be used ({why})", remedy
    )
