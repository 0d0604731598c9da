"""What the lead says and the body never takes up again (MOS:LEADREL).

No meaning is compared: names and figures are looked up. A sentence counts only where
it holds several that the body lacks, and few that it has. Pure.
"""

import re
from collections.abc import Iterator
from itertools import islice

from handlers.model import Finding, FindingKind
from handlers.review.checks.placing import Fault
from handlers.review.manuscript.paragraphs import (
    Manuscript,
    Paragraph,
    Sentence,
    shown,
)
from handlers.review.manuscript.parts import Part

_SMALLEST_BODY = 600  # words; a shorter one repeats little
_FEWEST_LACKED = 4
_FEWEST_WORDS = 12
_WELL_KNOWN = 0.45  # share of a sentence's longer words that the body has
_NAME = re.compile(r"\b[A-ZÀ-Þ][\w'’-]{3,}")
_FIGURE = re.compile(r"\d[\d.,]*\d|\d{2,}")
_WORD = re.compile(r"[^\W\d_]{5,}")
_STEM = 6  # letters that forms of one word have in common
_MOST = 5
_CONFIDENCE = 0.55


def lead_alone(manuscript: Manuscript) -> Iterator[Finding]:
    """Yield sentences of the lead that the body says nothing of."""
    body = [
        one
        for one in manuscript.paragraphs
        if one.part not in (Part.LEAD, Part.APPARATUS)
    ]
    if sum(one.words for one in body) < _SMALLEST_BODY:
        return
    text = " ".join(one.prose.text for one in body)
    known = _Known(text + " " + manuscript.page.id.title)
    yield from islice(_alone(manuscript, known), _MOST)


class _Known:
    def __init__(self, text: str) -> None:
        self.names = {_stem(found) for found in _NAME.findall(text)}
        self.figures = set(_FIGURE.findall(text))
        self.words = {_stem(found) for found in _WORD.findall(text)}

    def lacks(self, text: str) -> list[str]:
        """Return the names and figures of `text` that it has not, each once."""
        names = [
            name
            for name in _NAME.findall(text[1:])
            if _stem(name) not in self.names and _stem(name) not in self.words
        ]
        figures = [one for one in _FIGURE.findall(text) if one not in self.figures]
        return list(dict.fromkeys([*names, *figures]))

    def share(self, text: str) -> float:
        """Return the share of the longer words of `text` that it has."""
        words = {_stem(found) for found in _WORD.findall(text)}
        return len(words & self.words) / len(words) if words else 1.0


def _alone(manuscript: Manuscript, known: _Known) -> Iterator[Finding]:
    for at, paragraph in enumerate(manuscript.running(Part.LEAD)):
        for number, sentence in enumerate(paragraph.sentences):
            is_basic = at == 0 and number <= 1  # names, dates and what it is
            if not is_basic and len(sentence.text.split()) >= _FEWEST_WORDS:
                lacked = known.lacks(sentence.text)
                if (
                    len(lacked) >= _FEWEST_LACKED
                    and known.share(sentence.text) < _WELL_KNOWN
                ):
                    yield _finding(paragraph, sentence, lacked)


def _finding(paragraph: Paragraph, sentence: Sentence, lacked: list[str]) -> Finding:
    quote, _ = shown(sentence, ())
    named = ", ".join(lacked[:3])
    fault = Fault(
        FindingKind.LEAD_NOT_IN_BODY,
        f"The body says nothing of this, for instance of {named}.",
        "Tell it in the body, with its source, or take it out of the lead.",
        "MOS:LEADREL",
        _CONFIDENCE,
        ("ww_ls_5", "ww_ls_7"),
    )
    return Finding(
        fault.kind,
        fault.criteria,
        paragraph.section.path,
        sentence.at,
        quote,
        fault.message,
        fault.advice,
        fault.guideline,
        fault.confidence,
    )


def _stem(word: str) -> str:
    return word.lower().removesuffix("'s").removesuffix("’s")[:_STEM]
