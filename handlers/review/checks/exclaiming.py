"""Questions and exclamations in the article's own voice (WP:TONE). Pure."""

import re
from collections.abc import Iterator

from handlers.model import Finding, FindingKind
from handlers.review.manuscript.masking import COVER
from handlers.review.manuscript.paragraphs import Manuscript, shown
from handlers.review.manuscript.parts import Part

_FEWEST_WORDS = 6
_ENDS = re.compile(r"(?<=[a-z]{3})[?!]+$")
_SPEECH = re.compile(
    r"(?:\bask\w*|\bquestion|\bwonder\w*|\bsays?\b|\bsaid\b|:)", re.IGNORECASE
)


def exclaiming(manuscript: Manuscript) -> Iterator[Finding]:
    """Yield the first sentence of each paragraph that asks or calls out."""
    for paragraph in manuscript.running(Part.LEAD, Part.BODY):
        for sentence in paragraph.sentences:
            found = _ENDS.search(sentence.own)
            if (
                found is None
                or COVER in sentence.own[-20:]
                or len(sentence.text.split()) < _FEWEST_WORDS
                or _SPEECH.search(sentence.text)
            ):
                continue
            quote, marked = shown(sentence, (found.span(),))
            asks = "?" in found[0]
            yield Finding(
                FindingKind.TONE,
                ("ww_cc_1", "n_5"),
                paragraph.section.path,
                sentence.at,
                quote,
                "The article asks its reader a question."
                if asks
                else "The article calls out to its reader.",
                "Say plainly who asks, or what is not known."
                if asks
                else "End the sentence with a full stop.",
                "WP:TONE",
                0.62,
                marked,
            )
            break  # the rest of the paragraph is likely to go on like that
