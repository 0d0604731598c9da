"""Is the lead as long as the article wants, and does it say what it is about? Pure."""

import re
from collections.abc import Iterator

from handlers.model import Finding, FindingKind
from handlers.page.anchors import normalised
from handlers.review.checks.placing import Fault, of_page
from handlers.review.manuscript.paragraphs import Manuscript, Paragraph
from handlers.review.manuscript.parts import Part

# Words of a body that needs a lead of so many words at least (MOS:LEADLENGTH gives a
# feel for it, not a rule: these are where nobody would disagree).
_FEWEST = ((4_000, 100, 0.8), (1_500, 60, 0.72), (600, 30, 0.62))
_LIST = re.compile(r"(?:Lists?|Timeline|Index|Outline|Glossary|Comparison) of\b")
_MISSING_FROM = 250  # words of a body that should have a lead at all
_MOST_WORDS = 600
_MOST_PARAGRAPHS = 4
_MANY_WORDS = 450  # of more paragraphs than that
_SHORT_BODY = 1_200  # words, which a lead half as long does not sum up
_LONG_FOR_SHORT = 350
_BOLD = re.compile(r"'''")
_BRACKETED = re.compile(r"\([^()]{0,200}\)")
_LEAST_LETTERS = 4


def lead_length(manuscript: Manuscript) -> Iterator[Finding]:
    """Yield a finding where the lead is missing, far too short or far too long."""
    lead = [one for one in manuscript.running(Part.LEAD) if one.words > 1]
    body = sum(
        one.words
        for one in manuscript.paragraphs
        if one.part not in (Part.LEAD, Part.APPARATUS)
    )
    words = sum(one.words for one in lead)
    # What is listed needs no summary, though a lead of some kind.
    is_list = bool(words and _LIST.match(manuscript.page.id.title))
    fault = _too_long(words, len(lead), body)
    if fault is None and not is_list:
        fault = _too_short(words, body)
    if fault:
        yield of_page(fault, manuscript)


def _too_short(words: int, body: int) -> Fault | None:
    if not words:
        return _missing() if body >= _MISSING_FROM else None
    for size, fewest, sure in _FEWEST:
        if body >= size and words < fewest:
            return Fault(
                FindingKind.LEAD_LENGTH,
                f"The lead has {words} words for an article of some {body:,}.",
                "Sum up each main section in a sentence or two.",
                "MOS:LEADLENGTH",
                sure,
                ("ww_ls_4", "bc_6"),
            )
    return None


def _missing() -> Fault:
    return Fault(
        FindingKind.LEAD_LENGTH,
        "The article has no lead.",
        "Begin with a paragraph that says what the subject is and why it matters.",
        "MOS:LEAD",
        0.9,
        ("ww_ls_1", "ww_ls_4", "bc_6"),
    )


def _too_long(words: int, paragraphs: int, body: int) -> Fault | None:
    is_split = paragraphs > _MOST_PARAGRAPHS and words > _MANY_WORDS
    is_heavy = words > _LONG_FOR_SHORT and _LONG_FOR_SHORT < body < _SHORT_BODY
    if words <= _MOST_WORDS and not is_split and not is_heavy:
        return None
    return Fault(
        FindingKind.LEAD_LENGTH,
        f"The lead has {words} words in {paragraphs} paragraphs; the rest has {body:,}.",
        "Keep the main points, in four paragraphs at most, and move the detail down.",
        "MOS:LEADLENGTH",
        0.7 if words > _MOST_WORDS or is_split else 0.55,
        ("ww_ls_1", "ww_ls_5"),
    )


def lead_identifies(manuscript: Manuscript) -> Iterator[Finding]:
    """Yield a finding where the first sentence does not name the subject."""
    first = next(manuscript.running(Part.LEAD), None)
    if first is None or not first.sentences or _names(first, manuscript):
        return
    fault = Fault(
        FindingKind.LEAD_NOT_SELF_SUFFICIENT,
        "The first sentence does not name the subject.",
        "Begin with the subject's name in bold and what it is.",
        "MOS:FIRST",
        0.55,
        ("ww_ls_4", "bc_2"),
    )
    yield of_page(fault, manuscript)


def _names(first: Paragraph, manuscript: Manuscript) -> bool:
    page = manuscript.page
    sentence = first.sentences[0]
    until = sentence.at.end + 200  # an abbreviation may have cut it short
    if _BOLD.search(page.wikitext, first.block.start, min(until, first.block.end)):
        return True
    title = normalised(_BRACKETED.sub("", page.id.title))
    stems = {word[:_LEAST_LETTERS] for word in title.split() if len(word) > 2}  # noqa: PLR2004 - "of", "a"
    said = {word[:_LEAST_LETTERS] for word in normalised(sentence.text).split()}
    return not stems or bool(stems & said)
