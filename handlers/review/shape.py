"""The shape of an article: its lead, its headings and the size of its parts."""

import re
from collections import Counter
from collections.abc import Iterator

from handlers.model import IssueKind, Section, WritingIssue
from handlers.page.prose import normalised
from handlers.review.manuscript import Fault, Manuscript, Part

# Words of the body, and the fewest words of a lead for it (MOS:LEADLENGTH is a guide,
# not a rule: these are values with which nobody would disagree).
_FEWEST = ((4_000, 100), (1_500, 60), (600, 30))
_LIST = re.compile(r"(?:Lists?|Timeline|Index|Outline|Glossary|Comparison) of\b")
_MISSING_FROM = 250  # words of a body that should have a lead at all
_MOST_WORDS = 600
_MOST_PARAGRAPHS, _MANY_WORDS = 4, 450


def lead_length(manuscript: Manuscript) -> Iterator[WritingIssue]:
    """Yield a finding where the lead is missing, far too short or far too long."""
    lead = [one.words for one in manuscript.running(Part.LEAD) if one.words > 1]
    words, body = sum(lead), _words_of_body(manuscript)
    fewest = next((few for size, few in _FEWEST if body >= size), 0)
    if words > _MOST_WORDS or (len(lead) > _MOST_PARAGRAPHS and words > _MANY_WORDS):
        message = (
            f"The lead section may be too long: {words} words in {len(lead)}"
            f" paragraphs, with {body:,} words below it."
        )
        advice = (
            "Keep the main points, in four paragraphs at most, and move the details to"
            " the body."
        )
        criteria: tuple[str, ...] = ("ww_ls_1", "ww_ls_5")
    elif not words and body >= _MISSING_FROM:
        message = "The article has no lead section."
        advice = (
            "Begin with a paragraph that says what the subject is and why it matters."
        )
        criteria = ("ww_ls_1", "ww_ls_4", "bc_6")
    elif words < fewest and not (words and _LIST.match(manuscript.page.id.title)):
        message = (
            "The lead section may be too short to summarize the key points:"
            f" {words} words for an article of some {body:,}."
        )
        advice = "Summarize each main section in a sentence or two."
        criteria = ("ww_ls_4", "bc_6")
    else:
        return
    yield Fault(
        IssueKind.LEAD_LENGTH, message, advice, "MOS:LEADLENGTH", 0.7, criteria
    ).of_page(manuscript)


def _words_of_body(manuscript: Manuscript) -> int:
    return sum(
        one.words
        for one in manuscript.paragraphs
        if one.part not in (Part.LEAD, Part.APPARATUS)
    )


def _rule(
    message: str, advice: str, sure: float = 0.7, guideline: str = "MOS:HEADINGS"
) -> Fault:
    return Fault(IssueKind.HEADING, message, advice, guideline, sure)


_FIRST_LEVEL = _rule(
    "A heading is at the first level, which is for the title.",
    "Use two equals signs for it, and one more for each level below.",
    0.85,
)
_SKIPS = _rule(
    "A heading skips a level.",
    "Go down one level at a time.",
    0.85,
)
_REPEATED = _rule(
    "Two sections at the same level have the same heading.",
    "Give each its own heading, so that links lead to the right one.",
)
_TITLE = _rule("A heading repeats the title.", "Say what the section covers.")
# What must not be in the wikitext of a heading, and how its words must not look.
_IN_MARKUP = (
    (
        re.compile(r"<ref\b|\{\{(?:sfn|efn|refn|r)\|", re.IGNORECASE),
        _rule(
            "A heading contains a footnote.",
            "Move the footnote to the statement it supports in the section.",
            0.85,
        ),
    ),
    (
        re.compile(r"\[\[(?!\s*(?:file|image):)|\[https?:", re.IGNORECASE),
        _rule(
            "A heading contains a link.",
            "Link the words where the section first uses them, or use {{main}}.",
            0.85,
        ),
    ),
    (re.compile(r"'''"), _rule("A heading is in bold.", "Remove the bold markup.")),
)
_IN_WORDS = (
    (
        re.compile(r"^(?:The|A|An) [a-z]"),
        _rule(
            "A heading begins with an article.", "Drop it, unless it is part of a name."
        ),
    ),
    (
        re.compile(r"\?$"),
        _rule("A heading asks a question.", "Say what the section is about."),
    ),
    (
        re.compile(r"(?<!etc)(?<!\b[A-Z])[.:;,]$"),
        _rule("A heading ends with a punctuation mark.", "Remove it."),
    ),
)
_CAPITAL = re.compile(r"(?<=[\w,] )[A-Z][a-z]{3,}(?![\w'’.-])")
_BRACKETED = re.compile(r"\s*\([^()]{0,200}\)")
_INSIDE = re.compile(r"(?<=[a-z,] )[A-Z][a-z]{3,}\b|\b[a-z]{4,}\b")
_MOST_LOOK_UPS = 200  # of headings in the whole text
_TOP = 2
_FEWEST_LOWER = 2  # lower-case uses in the text from which a word is not a name
_SHORTEST_SHOUT = 12  # letters
_NAMED = 3  # headings that a message names


def headings(manuscript: Manuscript) -> Iterator[WritingIssue]:
    """Yield faults of headings; those of case are one finding, with their number."""
    page = manuscript.page
    uses = _Uses(" ".join(one.prose.text for one in manuscript.paragraphs))
    name = normalised(_BRACKETED.sub("", page.id.title))
    counts = Counter(section.path for section in page.sections if section.level)
    above, cased = 1, list[str]()
    for section in page.sections[1:]:
        heading = section.path[-1]
        raw = page.wikitext[section.span.start : section.body.start]
        for fault in _faults(section, raw, above, name):
            yield fault.of_section(section, page.wikitext)
        if counts[section.path] > 1:
            counts[section.path] = 0  # reported once
            yield _REPEATED.of_section(section, page.wikitext)
        if "{{" not in raw and uses.are_lower(heading):
            cased.append(heading)
        above = section.level
    if cased:
        named = ", ".join(f"“{one}”" for one in cased[:_NAMED])
        many = "heading is" if len(cased) == 1 else "headings are"
        yield Fault(
            IssueKind.HEADING,
            f"{len(cased)} {many} not in sentence case: {named}.",
            "Capitalize only the first word and names.",
            "MOS:SECTIONCAPS",
            0.62,
        ).of_page(manuscript)


def _faults(section: Section, raw: str, above: int, name: str) -> Iterator[Fault]:
    heading = section.path[-1]
    if section.level == 1:
        yield _FIRST_LEVEL
    elif section.level > max(above, 1) + 1:
        yield _SKIPS
    yield from (fault for sign, fault in _IN_MARKUP if sign.search(raw))
    # Further down, the section may be one of several about similar things.
    if section.level <= _TOP and normalised(heading) == name:
        yield _TITLE
    yield from (fault for sign, fault in _IN_WORDS if sign.search(heading))


class _Uses:
    """How the text writes words: in lower case, or capitalised within a sentence."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._words = Counter(_INSIDE.findall(text))
        self._looked_up = 0

    def are_lower(self, heading: str) -> bool:
        """Return whether a heading capitalises words that the text does not."""
        if heading.isupper() and len(heading) >= _SHORTEST_SHOUT and " " in heading:
            return True
        for found in _CAPITAL.finditer(heading):
            before = heading[: found.start()].rsplit(maxsplit=1)[-1]
            small = self._words[found[0].lower()]
            is_small = small >= _FEWEST_LOWER and small > self._words[found[0]]
            if is_small and not self._is_name(before, found[0], heading):
                return True
        return False

    def _is_name(self, before: str, word: str, heading: str) -> bool:
        """Return whether the text uses the heading, or the end of it, as a name."""
        self._looked_up += 1
        if self._looked_up > _MOST_LOOK_UPS:
            return True
        is_pair = before[0].isupper() and f"{before} {word}" in self._text
        return is_pair or heading in self._text


_PROBABLY = 9_000  # words of readable prose: probably to be divided
_SECTION = 1_500  # words without a heading between them
_PARAGRAPH = 350
_SPLIT = "Split it, or move details to a separate article and summarize them here."


def sizes(manuscript: Manuscript) -> Iterator[WritingIssue]:
    """Yield findings where the page, a section or a paragraph should be divided."""
    page = manuscript.page
    running = list(manuscript.running(Part.LEAD, Part.BODY, Part.STORY))
    words = Counter[int]()
    for one in running:
        words[one.section.span.start] += one.words
    if words.total() >= _PROBABLY:
        yield _too_large(
            f"The article has {words.total():,} words of prose", "WP:SIZERULE"
        ).of_page(manuscript)
    for section in page.sections:
        many = words[section.span.start]
        if section.level and many >= _SECTION:
            yield _too_large(
                f"This section has {many:,} words without a subheading", "WP:SUMMARY"
            ).of_section(section, page.wikitext)
    for one in running:
        if one.words >= _PARAGRAPH:
            yield _too_large(
                f"This paragraph has {one.words} words",
                "MOS:PARA",
                "Split it where the subject changes.",
            ).of_paragraph(one)


def _too_large(message: str, guideline: str, advice: str = _SPLIT) -> Fault:
    kind = IssueKind.OVERLONG_SECTION
    return Fault(kind, f"{message}.", advice, guideline, 0.65, ("bc_5", "bc_7"))
