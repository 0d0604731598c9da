"""The article's voice: each rule about words, applied to each sentence (MOS:WTW)."""

import re
from collections.abc import Iterator, Sequence
from datetime import date

from handlers.model import WritingIssue
from handlers.page.paragraphs import Shape
from handlers.review.manuscript import MASK, Manuscript, Part, Sentence, shown
from handlers.review.rules import FORECAST, WATCHES, Rule

_FEWEST_WORDS = 5  # of a line that is a sentence
_FEWEST_IN_ITEM = 8
_LONGEST = 3_000  # characters; a longer "sentence" is a table that lost its marks
_FRESH = 20  # years; what somebody will do in 1944 is how histories are told
_WIKITEXT = re.compile(r"</?ref|\{\{|\[\[")  # of broken markup
_YEAR = re.compile(r"\b(?:19|20)\d\d\b")
_SPEAKER = re.compile(
    r"\b(?:call(?:s|ed|ing)|describ(?:es|ed|ing)|consider(?:s|ed|ing)|regard(?:s|ed|ing)"
    r"|hail(?:s|ed|ing)|prais(?:es|ed|ing)|named|voted|ranked|rated|dubbed|deem(?:s|ed)"
    r"|said|says|saying|told|declared|stat(?:es|ed|ing)|wrote|writ(?:es|ing) that|argu(?:es|ed|ing)"
    r"|according to|believ(?:es|ed)|thought|labell?ed|characteri[sz](?:es|ed|ing)"
    r"|referred to|noted|comment(?:s|ed)|claim(?:s|ed)|think|opinion of|critics?"
    r"|review(?:s|ers?|ed)?|in the words of|calling|known as|reputation|title of|titled"
    r"|credited|recogni[sz]ed|listed|nicknamed|criticis(?:ed|es)|criticiz(?:ed|es)"
    r"|endors\w+|description|view of)\b",
    re.IGNORECASE,
)


def words_to_watch(
    manuscript: Manuscript, today: date | None
) -> Iterator[WritingIssue]:
    """Yield what a reviewer would object to, in the order of the page.

    Without `today` no forecast is known to be over.
    """
    for paragraph in manuscript.paragraphs:
        is_left_out = paragraph.is_indented or paragraph.shape is Shape.PICTURE
        if is_left_out or paragraph.part is Part.APPARATUS:
            continue
        # What a lead says is supported further down.
        is_cited = manuscript.footnotes_lost or paragraph.part is Part.LEAD
        is_item = paragraph.shape is Shape.ITEM
        for sentence in paragraph.sentences:
            if not _is_sentence(
                sentence, _FEWEST_IN_ITEM if is_item else _FEWEST_WORDS
            ):
                continue
            for watch in WATCHES:
                if paragraph.part is Part.STORY and not watch.in_story:
                    continue
                hits = [
                    (*span, one.sure)
                    for one in watch.rules
                    for span in _hits(one, sentence, today, is_cited=is_cited)
                ]
                if hits:
                    marks = _apart([(start, end) for start, end, _ in hits])
                    quote, marked = shown(sentence, marks)
                    yield WritingIssue(
                        watch.kind,
                        watch.criteria,
                        paragraph.section.path,
                        sentence.at,
                        quote,
                        watch.message,
                        watch.advice,
                        watch.guideline,
                        max(sure for *_, sure in hits),
                        marked,
                    )


def _is_sentence(sentence: Sentence, fewest: int) -> bool:
    text = sentence.text
    has_words = len(text.split(None, fewest)) >= fewest
    return has_words and len(text) <= _LONGEST and not _WIKITEXT.search(text)


def _hits(
    rule: Rule, sentence: Sentence, today: date | None, *, is_cited: bool
) -> Iterator[tuple[int, int]]:
    """Yield where words are at fault."""
    # A capital at the beginning of the sentence is no sign of a name.
    own = sentence.own[:1].lower() + sentence.own[1:]
    is_forecast = FORECAST in rule.pattern.groupindex
    if is_forecast:  # its year may be in a link
        own = sentence.text
    first = rule.pattern.search(own)
    if (
        first is None
        or (rule.excused and rule.excused.search(sentence.text))
        or (rule.cited and (is_cited or sentence.is_cited))
        or (rule.said and _SPEAKER.search(sentence.text))
    ):
        return
    for found in rule.pattern.finditer(own, first.start()):
        start, end = found.span("words")
        if MASK in sentence.own[start:end]:
            continue
        if is_forecast and not _is_over(found[FORECAST], own[start:], today):
            continue
        yield start, end


def _is_over(year: str, rest: str, today: date | None) -> bool:
    latest = max(map(int, _YEAR.findall(rest)), default=int(year))
    return today is not None and 0 < today.year - latest <= _FRESH


def _apart(ranges: Sequence[tuple[int, int]]) -> list[tuple[int, int]]:
    found: list[tuple[int, int]] = []
    for start, end in sorted(ranges):
        if not found or start >= found[-1][1]:
            found.append((start, end))
    return found
