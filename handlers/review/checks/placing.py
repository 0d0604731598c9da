"""A finding at its place: a sentence, a paragraph, a section or the whole page. Pure."""

from dataclasses import dataclass

from handlers.model import Finding, FindingKind, Section, Span
from handlers.review.manuscript.paragraphs import Manuscript, Paragraph, shown


@dataclass(frozen=True, slots=True)
class Fault:
    """What is at fault, wherever it is."""

    kind: FindingKind
    message: str
    advice: str
    guideline: str
    confidence: float
    criteria: tuple[str, ...] = ()


def of_paragraph(fault: Fault, paragraph: Paragraph) -> Finding:
    """Return a finding about a paragraph, shown by its first words."""
    first = paragraph.sentences[0]
    quote, _ = shown(first, ())
    return _made(fault, paragraph.section, first.at, quote)


def of_section(fault: Fault, section: Section, wikitext: str) -> Finding:
    """Return a finding about a section, shown by its heading."""
    if not section.level:
        return _made(fault, section, Span(section.span.start, section.span.start), "")
    span = Span(section.span.start, section.body.start)
    end = span.start + len(span.of(wikitext).rstrip())
    return _made(fault, section, Span(span.start, end), section.path[-1][:300])


def of_page(fault: Fault, manuscript: Manuscript) -> Finding:
    """Return a finding about the whole page, shown by its first words."""
    lead = manuscript.page.sections[0]
    for paragraph in manuscript.paragraphs:
        if paragraph.section is lead and paragraph.sentences:
            return of_paragraph(fault, paragraph)
    return of_section(fault, lead, manuscript.page.wikitext)


def _made(fault: Fault, section: Section, span: Span, quote: str) -> Finding:
    return Finding(
        kind=fault.kind,
        criteria=fault.criteria,
        section=section.path,
        span=span,
        quote=quote,
        message=fault.message,
        advice=fault.advice,
        guideline=fault.guideline,
        confidence=fault.confidence,
    )
