"""The embedded writer: arranges quotes, and writes no words itself.

The survey picks what is quoted; a section has the quotes of its group in order of time.
If a model planned the headings, each sentence is put under the closest one. Pure; it
awaits the encoder.
"""

from collections.abc import Sequence
from datetime import date

from handlers.drafts.candidates import Candidate
from handlers.drafts.plan import EmbeddedPlanner, Survey, Surveyor, planned
from handlers.drafts.roles import Order
from handlers.model import (
    CitedChunk,
    DraftSection,
    DraftSentence,
    Evidence,
    Passage,
    PlannedSection,
)
from handlers.ports import TextEncoder
from handlers.updates.roles import Turn

_MOST_CITES = 3
_FULL = 4  # sentences of a paragraph
_OVER = 1.1  # times the words wanted, so that the last sentence is not cut off


def embedded(encoder: TextEncoder) -> tuple[EmbeddedPlanner, "EmbeddedWriter"]:
    """Return planner and writer, which share a survey of the documents."""
    surveyor = Surveyor(encoder)
    return EmbeddedPlanner(surveyor), EmbeddedWriter(surveyor)


class EmbeddedWriter:
    """Implements `handlers.drafts.roles.Writer`."""

    def __init__(self, surveyor: Surveyor) -> None:
        """Quote what `surveyor` finds."""
        self._surveyor = surveyor

    async def write(self, order: Order) -> Turn[tuple[DraftSection, ...]]:
        """Return the section asked for, or all; each sentence is a quote."""
        survey = await self._surveyor.survey(order.topic, order.documents, order.chunks)
        sections: Sequence[PlannedSection] = order.outline.sections
        if order.section is None:
            sections = planned(survey)
        under = await self._under(survey, sections)
        if order.section is not None:
            read = {(one.document, one.number) for one in order.chunks}
            members = [
                at
                for at in under.get(order.section.heading, ())
                if (chunk := survey.found[at].chunk)
                and (chunk.document, chunk.number) in read
            ]
            return Turn(
                (_section(survey, order.section.heading, members, order.words),)
            )
        room, made = order.words, []
        for one in sections:
            section = _section(
                survey, one.heading, under.get(one.heading, ()), min(room, one.words)
            )
            room -= sum(len(each.text.split()) for each in section.sentences)
            if section.paragraphs:
                made.append(section)
        return Turn(tuple(made))

    async def _under(
        self, survey: Survey, sections: Sequence[PlannedSection]
    ) -> dict[str, tuple[int, ...]]:
        """Return which quotes are under which heading; the lead has its own."""
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
    """Return the best of `members`, which are ordered best first, as a section."""
    kept: list[int] = []
    room = length * _OVER
    for at in members:
        size = len(survey.found[at].text.split())
        if size <= room:
            kept.append(at)
            room -= size
    ordered = sorted(kept, key=lambda at: _when(survey.found[at])) if heading else kept
    sentences = [_sentence(survey, at) for at in ordered]
    return DraftSection(
        heading,
        tuple(
            tuple(sentences[first : first + _FULL])
            for first in range(0, len(sentences), _FULL)
        ),
    )


def _when(one: Candidate) -> tuple[date, int, int]:
    return one.day or date.min, one.chunk.document, one.at


def _sentence(survey: Survey, at: int) -> DraftSentence:
    places = (at, *survey.same.get(at, ()))[:_MOST_CITES]
    cites = []
    for one in (survey.found[each] for each in places):
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
