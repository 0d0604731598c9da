"""The shape of an article: its lead, its headings and the size of its parts."""

import re
from collections import Counter
from collections.abc import Iterator

from handlers.model import IssueKind, Section, WritingIssue
from handlers.page.prose import normalised
from handlers.review.manuscript import (
    Fault,
    Manuscript,
    Part,
    of_page,
    of_paragraph,
    of_section,
)

# Words of the body, and the fewest words of a lead for it (MOS:LEADLENGTH is a guide,
# not a rule: these are values with which nobody would disagree).
_FEWEST = ((4_000, 100, 0.8), (1_500, 60, 0.72), (600, 30, 0.62))
_LIST = re.compile(r"(?:Lists?|Timeline|Index|Outline|Glossary|Comparison) of\b")
_MISSING_FROM = 250  # words of a body that should have a lead at all
_MOST_WORDS = 600
_MOST_PARAGRAPHS = 4
_MANY_WORDS = 450  # with more paragraphs than that
_SHORT_BODY = 1_200  # words; a lead half as long is no summary of it
_LONG_FOR_SHORT = 350


def lead_length(manuscript: Manuscript) -> Iterator[WritingIssue]:
    """Yield a finding where the lead is missing, far too short or far too long."""
    lead = [one for one in manuscript.running(Part.LEAD) if one.words > 1]
    body = sum(
        one.words
        for one in manuscript.paragraphs
        if one.part not in (Part.LEAD, Part.APPARATUS)
    )
    words = sum(one.words for one in lead)
    # A list needs a lead of some kind, but no summary.
    is_list = bool(words and _LIST.match(manuscript.page.id.title))
    fault = _too_long(words, len(lead), body)
    if fault is None and not is_list:
        fault = _too_short(words, body)
    if fault:
        yield of_page(fault, manuscript)


def _too_short(words: int, body: int) -> Fault | None:
    if not words:
        return (
            Fault(
                IssueKind.LEAD_LENGTH,
                "The article has no lead.",
                "Begin with a paragraph that says what the subject is and why it matters.",
                "MOS:LEAD",
                0.9,
                ("ww_ls_1", "ww_ls_4", "bc_6"),
            )
            if body >= _MISSING_FROM
            else None
        )
    for size, fewest, sure in _FEWEST:
        if body >= size and words < fewest:
            return Fault(
                IssueKind.LEAD_LENGTH,
                f"The lead has {words} words for an article of some {body:,}.",
                "Summarize each main section in a sentence or two.",
                "MOS:LEADLENGTH",
                sure,
                ("ww_ls_4", "bc_6"),
            )
    return None


def _too_long(words: int, paragraphs: int, body: int) -> Fault | None:
    is_split = paragraphs > _MOST_PARAGRAPHS and words > _MANY_WORDS
    is_heavy = words > _LONG_FOR_SHORT and _LONG_FOR_SHORT < body < _SHORT_BODY
    if words <= _MOST_WORDS and not is_split and not is_heavy:
        return None
    return Fault(
        IssueKind.LEAD_LENGTH,
        f"The lead has {words} words in {paragraphs} paragraphs; the rest has {body:,}.",
        "Keep the main points, in four paragraphs at most, and move the details to"
        " the body.",
        "MOS:LEADLENGTH",
        0.7 if words > _MOST_WORDS or is_split else 0.55,
        ("ww_ls_1", "ww_ls_5"),
    )


_CAPITAL = re.compile(r"(?<=[\w,] )[A-Z][a-z]{3,}(?![\w'’.-])")
_ARTICLE = re.compile(r"(?:The|A|An) [a-z]")
_ENDS_BADLY = re.compile(r"(?<!etc)(?<!\b[A-Z])[.:;,]$")
_BRACKETED = re.compile(r"\s*\([^()]{0,200}\)")
_INSIDE = re.compile(r"(?<=[a-z,] )[A-Z][a-z]{3,}\b|\b[a-z]{4,}\b")
_MOST_LOOK_UPS = 200  # of headings in the whole text
_TOP = 2
_FEWEST_LOWER = 2  # lower-case uses in the text from which a word is not a name
_SHORTEST_SHOUT = 12  # letters


def headings(manuscript: Manuscript) -> Iterator[WritingIssue]:
    """Yield faults of headings, in the order of the page."""
    page = manuscript.page
    text = " ".join(one.prose.text for one in manuscript.paragraphs)
    uses = _Uses(text)
    counts = Counter(section.path for section in page.sections if section.level)
    above = 1
    for section in page.sections[1:]:
        raw = page.wikitext[section.span.start : section.body.start]
        for fault in (
            _level(section, above),
            _markup(raw),
            None if "{{" in raw else _case(section.path[-1], uses),
            _words(section, page.id.title),
            _repeated(section, counts),
        ):
            if fault:
                yield of_section(fault, section, page.wikitext)
        above = section.level


def _bad_heading(
    message: str, advice: str, sure: float, guideline: str = "MOS:HEAD"
) -> Fault:
    return Fault(IssueKind.HEADING, message, advice, guideline, sure)


def _level(section: Section, above: int) -> Fault | None:
    if section.level == 1:
        return _bad_heading(
            "The heading is at the first level, which is for the title.",
            "Use two equals signs for it, and one more for each level below.",
            0.85,
        )
    if section.level > max(above, _TOP - 1) + 1:
        return _bad_heading(
            "The heading skips a level.",
            f"Use {max(above, 1) + 1} equals signs on each side.",
            0.85,
            "MOS:HEADINGS",
        )
    return None


_IN_MARKUP = (
    (
        re.compile(r"<ref\b|\{\{(?:sfn|efn|refn|r)\|", re.IGNORECASE),
        _bad_heading(
            "The heading contains a footnote.",
            "Move the footnote to the statement it supports in the section.",
            0.85,
        ),
    ),
    (
        re.compile(r"\[\[(?!\s*(?:file|image):)|\[https?:", re.IGNORECASE),
        _bad_heading(
            "The heading contains a link.",
            "Link the words where the section first uses them, or use {{main}}.",
            0.85,
        ),
    ),
    (
        re.compile(r"'''"),
        _bad_heading("The heading is in bold.", "Remove the bold markup.", 0.7),
    ),
)


def _markup(raw: str) -> Fault | None:
    return next((fault for sign, fault in _IN_MARKUP if sign.search(raw)), None)


def _case(heading: str, uses: "_Uses") -> Fault | None:
    if heading.isupper() and len(heading) >= _SHORTEST_SHOUT and " " in heading:
        return _bad_heading("The heading is in capitals.", "Use sentence case.", 0.7)
    for found in _CAPITAL.finditer(heading):
        before = heading[: found.start()].rsplit(maxsplit=1)[-1]
        if uses.are_small(found[0]) and not uses.is_name(before, found[0], heading):
            return _bad_heading(
                f"“{found[0]}” is capitalized in the heading but not in the text.",
                "Use sentence case for headings: capitalize only the first word and"
                " names.",
                0.68,
            )
    return None


class _Uses:
    """How the text writes words: in lower case, or capitalised within a sentence."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._words = Counter(_INSIDE.findall(text))
        self._looked_up = 0

    def are_small(self, word: str) -> bool:
        small = self._words[word.lower()]
        return small >= _FEWEST_LOWER and small > self._words[word]

    def is_name(self, before: str, word: str, heading: str) -> bool:
        """Return whether the text uses the heading, or the end of it, as a name."""
        self._looked_up += 1
        if self._looked_up > _MOST_LOOK_UPS:
            return True
        is_pair = before[0].isupper() and f"{before} {word}" in self._text
        return is_pair or heading in self._text


def _words(section: Section, title: str) -> Fault | None:
    heading = section.path[-1]
    name = _BRACKETED.sub("", title)
    if normalised(heading) == normalised(name):
        return _bad_heading(
            "The heading repeats the article's title.",
            "Say what the section covers.",
            # Further down, the section may be one of several about similar things.
            0.68 if section.level <= _TOP else 0.45,
        )
    if _ARTICLE.match(heading):
        return _bad_heading(
            f"The heading begins with “{heading.split(maxsplit=1)[0]}”.",
            "Drop it, unless it is part of a name.",
            0.65,
        )
    if heading.endswith("?"):
        return _bad_heading(
            "The heading asks a question.", "Say what the section is about.", 0.62
        )
    if _ENDS_BADLY.search(heading):
        return _bad_heading(
            "The heading ends with a punctuation mark.", "Remove it.", 0.7
        )
    return None


def _repeated(section: Section, counts: Counter[tuple[str, ...]]) -> Fault | None:
    if counts[section.path] < 2:  # noqa: PLR2004 - twice
        return None
    counts[section.path] = 0  # reported once
    return _bad_heading(
        "Two sections at the same level have this heading.",
        "Give each its own heading, so that links lead to the right one.",
        0.7,
    )


_ALMOST_CERTAINLY = 15_000  # words of readable prose: almost certainly to be divided
_PROBABLY = 9_000
_SECTION = 1_500  # words without a heading between them
_PARAGRAPH = 350
_RUNNING = (Part.LEAD, Part.BODY, Part.STORY)


def sizes(manuscript: Manuscript) -> Iterator[WritingIssue]:
    """Yield findings where the page or a section should be divided."""
    running = list(manuscript.running(*_RUNNING))
    total = sum(one.words for one in running)
    if total >= _PROBABLY:
        sure = 0.8 if total >= _ALMOST_CERTAINLY else 0.6
        yield of_page(
            _too_large(f"The article has {total:,} words of prose", sure), manuscript
        )
    words: dict[int, int] = {}
    for one in running:
        words[one.section.span.start] = words.get(one.section.span.start, 0) + one.words
    for section in manuscript.page.sections:
        many = words.get(section.span.start, 0)
        if section.level and many >= _SECTION:
            message = f"This section has {many:,} words without a subheading"
            yield of_section(
                _too_large(message, 0.65), section, manuscript.page.wikitext
            )
    for one in running:
        if one.words >= _PARAGRAPH:
            yield of_paragraph(
                _too_large(f"This paragraph has {one.words} words", 0.6, "MOS:PARA"),
                one,
            )


def _too_large(message: str, sure: float, guideline: str = "WP:SIZERULE") -> Fault:
    advice = "Split it, or move details to a separate article and summarize them here."
    if guideline == "MOS:PARA":
        advice = "Split it where the subject changes."
    return Fault(
        IssueKind.OVERLONG_SECTION,
        f"{message}.",
        advice,
        guideline,
        sure,
        ("bc_5", "bc_7"),
    )
