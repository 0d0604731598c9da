"""Headings: their case, their words, their order (MOS:HEAD). Pure."""

import re
from collections import Counter
from collections.abc import Iterator

from handlers.model import Finding, FindingKind, Section
from handlers.page.anchors import normalised
from handlers.review.checks.placing import Fault, of_section
from handlers.review.manuscript.paragraphs import Manuscript

_LINK = re.compile(r"\[\[(?!\s*(?:file|image):)|\[https?:", re.IGNORECASE)
_REF = re.compile(r"<ref\b|\{\{(?:sfn|efn|refn|r)\|", re.IGNORECASE)
_BOLD = re.compile(r"'''")
_CAPITAL = re.compile(r"(?<=[\w,] )[A-Z][a-z]{3,}(?![\w'’.-])")
_ARTICLE = re.compile(r"(?:The|A|An) [a-z]")
_ENDS_BADLY = re.compile(r"(?<!etc)(?<!\b[A-Z])[.:;,]$")
_BRACKETED = re.compile(r"\s*\([^()]{0,200}\)")
_INSIDE = re.compile(r"(?<=[a-z,] )[A-Z][a-z]{3,}\b|\b[a-z]{4,}\b")
_MOST_LOOK_UPS = 200  # of headings in the whole text
_TOP = 2
_FEWEST_LOWER = 2  # times a word is written small in the text, to be no name
_SHORTEST_SHOUT = 12  # letters


def headings(manuscript: Manuscript) -> Iterator[Finding]:
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


def _fault(
    message: str, advice: str, sure: float, guideline: str = "MOS:HEAD"
) -> Fault:
    return Fault(FindingKind.HEADING, message, advice, guideline, sure)


def _level(section: Section, above: int) -> Fault | None:
    if section.level == 1:
        return _fault(
            "The heading is of the first level, which is the title's.",
            "Write it with two equal signs, and those below it with one more each.",
            0.85,
        )
    if section.level > max(above, _TOP - 1) + 1:
        return _fault(
            "The heading skips a level.",
            f"Write it with {max(above, 1) + 1} equal signs on each side.",
            0.85,
            "MOS:HEADINGS",
        )
    return None


def _markup(raw: str) -> Fault | None:
    if _REF.search(raw):
        return _fault(
            "The heading holds a footnote.",
            "Put the footnote behind what it bears out in the section.",
            0.85,
        )
    if _LINK.search(raw):
        return _fault(
            "The heading holds a link.",
            "Link the words where the section first uses them, or with {{main}}.",
            0.85,
        )
    if _BOLD.search(raw):
        return _fault("The heading is set in bold.", "Leave out the bold marks.", 0.7)
    return None


def _case(heading: str, uses: "_Uses") -> Fault | None:
    if heading.isupper() and len(heading) >= _SHORTEST_SHOUT and " " in heading:
        return _fault(
            "The heading is written in capitals.", "Write it like a sentence.", 0.7
        )
    for found in _CAPITAL.finditer(heading):
        before = heading[: found.start()].rsplit(maxsplit=1)[-1]
        if uses.are_small(found[0]) and not uses.is_name(before, found[0], heading):
            return _fault(
                f"“{found[0]}” has a capital in the heading and none in the text.",
                "Write headings like sentences: a capital at the start and for names.",
                0.68,
            )
    return None


class _Uses:
    """How the text writes words: small, or with a capital inside a sentence."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._words = Counter(_INSIDE.findall(text))
        self._looked_up = 0

    def are_small(self, word: str) -> bool:
        small = self._words[word.lower()]
        return small >= _FEWEST_LOWER and small > self._words[word]

    def is_name(self, before: str, word: str, heading: str) -> bool:
        """Tell whether the text has the heading, or the end of it, as a name."""
        self._looked_up += 1
        if self._looked_up > _MOST_LOOK_UPS:
            return True
        is_pair = before[0].isupper() and f"{before} {word}" in self._text
        return is_pair or heading in self._text


def _words(section: Section, title: str) -> Fault | None:
    heading = section.path[-1]
    name = _BRACKETED.sub("", title)
    if normalised(heading) == normalised(name):
        return _fault(
            "The heading repeats the article's title.",
            "Name what the section tells of the subject.",
            # Further down it may be one of several things of a kind.
            0.68 if section.level <= _TOP else 0.45,
        )
    if _ARTICLE.match(heading):
        return _fault(
            f"The heading begins with “{heading.split(maxsplit=1)[0]}”.",
            "Leave out the article, unless it is part of a name.",
            0.65,
        )
    if heading.endswith("?"):
        return _fault(
            "The heading asks a question.", "Name what the section tells.", 0.62
        )
    if _ENDS_BADLY.search(heading):
        return _fault("The heading ends with a punctuation mark.", "Leave it out.", 0.7)
    return None


def _repeated(section: Section, counts: Counter[tuple[str, ...]]) -> Fault | None:
    if counts[section.path] < 2:  # noqa: PLR2004 - twice
        return None
    counts[section.path] = 0  # told once
    return _fault(
        "Two sections of the same rank have this heading.",
        "Give each a heading of its own, so that links find the right one.",
        0.7,
    )
