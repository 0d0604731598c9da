"""The embedded planner and writer: quotes in order, and no words of their own.

The survey picks what is quoted. If a model planned the headings, each sentence is put
under the closest one. Pure; it awaits the encoder.
"""

from collections.abc import Sequence
from datetime import date

from handlers.drafts.candidates import Candidate
from handlers.drafts.roles import Order
from handlers.drafts.survey import Survey, Surveyor
from handlers.model import (
    Chunk,
    CitedChunk,
    DraftDocument,
    DraftSection,
    DraftSentence,
    Engine,
    Evidence,
    Outline,
    Passage,
    PlannedSection,
    Topic,
)
from handlers.ports import TextEncoder
from handlers.updates.roles import Turn

ENGINE = Engine("embedded", "3")
_OVER = 1.1  # times the words wanted, so that the last sentence is not cut off


def embedded(encoder: TextEncoder) -> tuple["EmbeddedPlanner", "EmbeddedWriter"]:
    """Return planner and writer, which share a survey of the documents."""
    surveyor = Surveyor(encoder)
    return EmbeddedPlanner(surveyor), EmbeddedWriter(surveyor)


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
        """Return the lead and a section for each kind of sentence."""
        survey = await self.surveyor.survey(topic, documents, chunks)
        return Turn(Outline(survey.planned, ENGINE))


class EmbeddedWriter:
    """Implements `handlers.drafts.roles.Writer`."""

    def __init__(self, surveyor: Surveyor) -> None:
        """Quote what `surveyor` finds."""
        self._surveyor = surveyor

    async def write(self, order: Order) -> Turn[tuple[DraftSection, ...]]:
        """Return the section asked for, or all; each sentence is a quote."""
        survey = await self._surveyor.survey(order.topic, order.documents, order.chunks)
        is_whole = order.section is None
        sections = survey.planned if is_whole else order.outline.sections
        under = await self._under(survey, sections)
        read_ = {(one.document, one.number) for one in order.chunks}
        room, made = order.words, []
        for one in sections if order.section is None else (order.section,):
            members = [
                at
                for at in under.get(one.heading, ())
                if (chunk := survey.found[at].chunk)
                and (is_whole or (chunk.document, chunk.number) in read_)
            ]
            length = min(room, one.words) if is_whole else room
            section = _section(survey, one.heading, members, length)
            room -= sum(len(each.text.split()) for each in section.sentences)
            if section.paragraphs or not is_whole:
                made.append(section)
        return Turn(tuple(made))

    async def _under(
        self, survey: Survey, sections: Sequence[PlannedSection]
    ) -> dict[str, tuple[int, ...]]:
        """Return which quotes are under which heading; the lead has its own.

        Under headings that a model planned, each sentence is put under the closest.
        """
        own = dict(survey.groups)
        named = [one for one in sections if one.heading]
        if {one.heading for one in named} <= own.keys():
            return {"": survey.lead, **own}
        body = [at for _, members in survey.groups for at in members]
        asked = [f"{one.heading}: {', '.join(one.wants)}" for one in named]
        texts = [survey.found[at].text for at in body]
        likeness = await self._surveyor.encoder.likeness(texts, asked) if body else []
        under: dict[str, tuple[int, ...]] = {"": survey.lead}
        for at, near in zip(body, likeness, strict=True):
            heading = named[max(range(len(named)), key=near.__getitem__)].heading
            under[heading] = (*under.get(heading, ()), at)
        return under


def _section(
    survey: Survey, heading: str, members: Sequence[int], length: int
) -> DraftSection:
    """Return the best of `members`, which are ordered best first, as a section.

    Sentences with days are ordered by them; others stay together by source, in its
    order, so that a reader opens each source once.
    """
    kept: list[int] = []
    room = length * _OVER
    for at in members:
        size = len(survey.found[at].text.split())
        if size <= room:
            kept.append(at)
            room -= size
    is_dated = bool(heading) and all(survey.found[at].day for at in kept)
    if heading:
        kept.sort(key=lambda at: _place(survey.found[at], is_dated=is_dated))
    paragraphs: dict[int, list[DraftSentence]] = {}
    for at in kept:
        source = survey.found[at].chunk.document
        by = source if heading and not is_dated else 0
        paragraphs.setdefault(by, []).append(_sentence(survey, at))
    return DraftSection(heading, tuple(tuple(one) for one in paragraphs.values()))


def _place(one: Candidate, *, is_dated: bool) -> tuple[date, int, int]:
    return one.day if is_dated and one.day else date.min, one.chunk.document, one.at


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
