"""The embedded writer: arranges quotes, and writes no word of its own.

For each section it takes those sentences of its chunks that belong under the heading,
each once, the best first, and tells them by time. Pure; it awaits the encoder.
"""

from collections.abc import Sequence
from datetime import date

from handlers.citations.cues.dates import dates
from handlers.citations.cues.words import words
from handlers.drafts.embedded.arranging import arranged
from handlers.drafts.embedded.choosing import Chosen, chosen, filled
from handlers.drafts.embedded.defining import defines
from handlers.drafts.embedded.planner import LEAD_WORDS, planned
from handlers.drafts.embedded.quarry import Quote
from handlers.drafts.embedded.sorting import sorted_under
from handlers.drafts.embedded.surveying import Survey, Surveyor, held_by
from handlers.drafts.roles import Order
from handlers.drafts.sharing import share
from handlers.model import (
    Chunk,
    CitedChunk,
    DraftSection,
    DraftSentence,
    Evidence,
    Passage,
    PlannedSection,
    Span,
)
from handlers.ports import TextEncoder
from handlers.updates.roles import Turn

_RANKED = 0.1  # what the reranker's best chunk adds to a sentence's worth
_LEAST_LEAD = 0.45
_LEAD_SENTENCES = 5
_MOST_CITES = 3
_FAR = 40  # sentences into a page


class EmbeddedWriter:
    """Fulfils `handlers.drafts.roles.Writer`."""

    def __init__(self, encoder: TextEncoder, surveyor: Surveyor | None = None) -> None:
        """Choose by `encoder`; share a `surveyor` with the planner to survey but once."""
        self._surveyor = surveyor or Surveyor(encoder)

    async def write(self, order: Order) -> Turn[tuple[DraftSection, ...]]:
        """Return the section asked for, or all; each sentence is a quote."""
        survey = await self._surveyor.survey(order.topic, order.documents, order.chunks)
        encoder = self._surveyor.encoder
        if order.section is not None:
            sections: Sequence[PlannedSection] = order.outline.sections
            under = await sorted_under(survey, sections, encoder, survey.kind.rest)
            desk = _Desk(survey, under, order)
            return Turn((desk.section(order.section, order.words),))
        sections = await planned(survey, encoder)
        under = await sorted_under(survey, sections, encoder, survey.kind.rest)
        desk = _Desk(survey, under, order)
        room = max(0, order.words - LEAD_WORDS)
        written = [
            desk.section(
                one, share(one, sections[1:], room) if one.heading else one.words
            )
            for one in sections
        ]
        return Turn(tuple(one for one in written if one.paragraphs))


class _Desk:
    """One order being written: what may be used, and what was."""

    def __init__(self, survey: Survey, under: Sequence[str], order: Order) -> None:
        self._survey, self._under = survey, under
        self._chunks = {
            at: (chunk, rank)
            for at, quote in enumerate(survey.quotes)
            for chunk, rank in _ranked(order.chunks, quote)
        }
        said = {one.text for part in order.earlier for one in part.sentences}
        self._taken = [
            at for at, quote in enumerate(survey.quotes) if quote.text in said
        ]
        self._worths = [
            worth + (_RANKED * self._chunks[at][1] if at in self._chunks else 0.0)
            for at, worth in enumerate(survey.worths)
        ]

    def section(self, section: PlannedSection, length: int) -> DraftSection:
        found = self._lead(length) if not section.heading else self._of(section, length)
        self._taken += found.at
        quotes = [self._survey.quotes[at] for at in found.at]
        of = {id(self._survey.quotes[at]): at for at in found.at}
        paragraphs = arranged(quotes) if section.heading else (tuple(quotes),)
        return DraftSection(
            section.heading,
            tuple(
                tuple(self._sentence(of[id(one)], found) for one in paragraph)
                for paragraph in paragraphs
                if paragraph
            ),
        )

    def _of(self, section: PlannedSection, length: int) -> Chosen:
        among = [
            at
            for at in self._chunks
            if self._under[at] == section.heading and at not in self._taken
        ]
        return filled(
            self._survey, among, length, taken=self._taken, worths=self._worths
        )

    def _lead(self, length: int) -> Chosen:
        """Return the sentences that say what it is, when and where."""
        worths = [
            _lead_worth(self._survey, at, worth)
            for at, worth in enumerate(self._worths)
        ]
        among = [
            at
            for at in self._chunks
            if at not in self._survey.second and not self._survey.quotes[at].depends
        ]
        found = chosen(self._survey, among, length, worths=worths, least=_LEAST_LEAD)
        best = sorted(found.at[:_LEAD_SENTENCES], key=self._tells_when)
        return Chosen(tuple(best), found.same)

    def _tells_when(self, at: int) -> tuple[bool, date, int]:
        """Order a lead: what it is, then by time."""
        quote = self._survey.quotes[at]
        day = quote.day if quote.day and quote.is_own_day else date.max
        return not defines(self._survey.topic, quote.text), day, at

    def _sentence(self, at: int, found: Chosen) -> DraftSentence:
        quote = self._survey.quotes[at]
        cited = (at, *found.same.get(at, ()))
        cites = [
            _cited(self._survey.quotes[one], self._chunks[one][0], self._worths[one])
            for one in cited[:_MOST_CITES]
            if one in self._chunks
        ]
        day = quote.day if quote.is_own_day else None
        return DraftSentence(quote.text, tuple(cites), is_quote=True, dated=day)


def _ranked(chunks: Sequence[Chunk], quote: Quote) -> Sequence[tuple[Chunk, float]]:
    """Return the chunk that holds a quote, with its rank: 1 for the best, to 0."""
    held = held_by(chunks, quote)
    if held is None:
        return ()
    return ((held, 1 - chunks.index(held) / len(chunks)),)


def _lead_worth(survey: Survey, at: int, worth: float) -> float:
    """Return how well a sentence would open an article: what, when and where."""
    quote = survey.quotes[at]
    days = dates(words(quote.text))
    is_dated = 1.0 if any(one.day for one in days) else 0.6 if days else 0.0
    early = max(0.0, 1 - quote.at / _FAR)
    core = next(
        (one for one in survey.kind.sections if one.heading == survey.kind.rest), None
    )
    cued = min(1.0, len(core.cues.findall(quote.text)) / 3) if core else 0.0
    return (
        0.4 * worth
        + 0.3 * quote.named
        + 0.1 * is_dated
        + 0.08 * early
        + 0.1 * cued
        + 0.2 * defines(survey.topic, quote.text)
        - quote.cost
    )


def _cited(quote: Quote, chunk: Chunk, score: float) -> CitedChunk:
    evidence = Evidence(
        passage=Passage(f"document {chunk.document}", chunk.text, chunk.span),
        quote=chunk.text[
            quote.span.start - chunk.span.start : quote.span.end - chunk.span.start
        ],
        span=Span(quote.span.start, quote.span.end),
        matched=(),
        score=score,
    )
    return CitedChunk(chunk, evidence)
