"""Articles, sections and paragraphs that are too long to be read (WP:SIZERULE). Pure."""

from collections.abc import Iterator

from handlers.model import Finding, FindingKind
from handlers.review.checks.placing import Fault, of_page, of_paragraph, of_section
from handlers.review.manuscript.paragraphs import Manuscript
from handlers.review.manuscript.parts import Part

_ALMOST_CERTAINLY = 15_000  # words of readable prose: to be divided
_PROBABLY = 9_000
_SECTION = 1_500  # words without a heading between them
_PARAGRAPH = 350
_RUNNING = (Part.LEAD, Part.BODY, Part.STORY)


def sizes(manuscript: Manuscript) -> Iterator[Finding]:
    """Yield what should be divided."""
    running = list(manuscript.running(*_RUNNING))
    total = sum(one.words for one in running)
    if total >= _PROBABLY:
        sure = 0.8 if total >= _ALMOST_CERTAINLY else 0.6
        yield of_page(
            _fault(f"The article has {total:,} words of prose", sure), manuscript
        )
    words: dict[int, int] = {}
    for one in running:
        words[one.section.span.start] = words.get(one.section.span.start, 0) + one.words
    for section in manuscript.page.sections:
        many = words.get(section.span.start, 0)
        if section.level and many >= _SECTION:
            message = f"This section has {many:,} words without a subheading"
            yield of_section(_fault(message, 0.65), section, manuscript.page.wikitext)
    for one in running:
        if one.words >= _PARAGRAPH:
            yield of_paragraph(
                _fault(f"This paragraph has {one.words} words", 0.6, "MOS:PARA"), one
            )


def _fault(message: str, sure: float, guideline: str = "WP:SIZERULE") -> Fault:
    advice = "Divide it, or move detail to an article of its own and sum it up here."
    if guideline == "MOS:PARA":
        advice = "Divide it where its subject changes."
    return Fault(
        FindingKind.OVERLONG_SECTION,
        f"{message}.",
        advice,
        guideline,
        sure,
        ("bc_5", "bc_7"),
    )
