"""The article's voice: words to watch, questions, exclamations (MOS:WTW, WP:TONE)."""

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import replace

from handlers.model import IssueKind, WritingIssue
from handlers.page.paragraphs import Shape
from handlers.review.manuscript import (
    MASK,
    Manuscript,
    Paragraph,
    Part,
    Sentence,
    shown,
)
from handlers.review.words import WATCHES, Rule, Watch

_SURE = 0.5  # confidence from which a finding may represent others
_FEWEST_WORDS = 5  # of a line that is a sentence
_FEWEST_IN_ITEM = 8
_MOST_NAMED = 3  # words of a message
_LONGEST = 3_000  # characters; a longer "sentence" is a table that lost its marks
_SPEAKER = re.compile(
    r"\b(?:call(?:s|ed|ing)|describ(?:es|ed|ing)|consider(?:s|ed|ing)|regard(?:s|ed|ing)"
    r"|hail(?:s|ed|ing)|prais(?:es|ed|ing)|named|voted|ranked|rated|dubbed|deem(?:s|ed)"
    r"|said|says|stat(?:es|ed|ing) that|wrote|writ(?:es|ing) that|argu(?:es|ed|ing)"
    r"|according to|believ(?:es|ed)|thought|labell?ed|characteri[sz](?:es|ed|ing)"
    r"|referred to|noted|comment(?:s|ed)|claim(?:s|ed)|think|opinion of|critics?"
    r"|review(?:s|ers?|ed)?|in the words of|calling|known as|reputation|title of|titled"
    r"|credited|recogni[sz]ed|listed|nicknamed|criticis(?:ed|es)|criticiz(?:ed|es))\b",
    re.IGNORECASE,
)


def words_to_watch(manuscript: Manuscript) -> Iterator[WritingIssue]:
    """Yield what a reviewer would object to, in the order of the page.

    If a tone continues through a section, its first place represents the others.
    """
    found = list(_words(manuscript))
    often = Counter(filter(None, map(_bulk, found)))
    shown: set[object] = set()
    for one in found:
        bulk = _bulk(one)
        if bulk is None or often[bulk] < _BULK[one.kind]:
            yield one
        elif bulk not in shown:
            shown.add(bulk)
            yield replace(one, message=f"{one.message}{_more(one, often[bulk] - 1)}")


# From so many on, the first place represents the others: in a section for its tone, in
# the whole article for words such as "currently".
_BULK = {IssueKind.TONE: 1, IssueKind.RELATIVE_TIME: 4}


def _bulk(one: WritingIssue) -> tuple[IssueKind, tuple[str, ...]] | None:
    """Return the key of findings that are counted together; `None` if this is not."""
    if one.kind not in _BULK or one.confidence < _SURE:
        return None
    return one.kind, one.section if one.kind is IssueKind.TONE else ()


def _more(one: WritingIssue, count: int) -> str:
    if not count:
        return ""
    places = "place" if count == 1 else "places"
    where = "section" if one.kind is IssueKind.TONE else "article"
    return f" The same occurs in {count} {places} of the {where}."


def _words(manuscript: Manuscript) -> Iterator[WritingIssue]:
    for paragraph in manuscript.paragraphs:
        is_left_out = paragraph.is_indented or paragraph.shape is Shape.PICTURE
        if is_left_out or paragraph.part is Part.APPARATUS:
            continue
        is_story = paragraph.part is Part.STORY
        watches = [one for one in WATCHES if one.in_story or not is_story]
        # What a lead says is supported further down.
        is_cited = manuscript.footnotes_lost or paragraph.part is Part.LEAD
        for sentence in paragraph.sentences:
            if not _is_sentence(paragraph, sentence):
                continue
            for watch in watches:
                hits = list(_hits(watch.rules, sentence, is_cited=is_cited))
                if hits:
                    yield _finding(watch, paragraph, sentence, hits)


def _is_sentence(paragraph: Paragraph, sentence: Sentence) -> bool:
    fewest = _FEWEST_IN_ITEM if paragraph.shape is Shape.ITEM else _FEWEST_WORDS
    has_words = len(sentence.text.split(None, fewest)) >= fewest
    return has_words and len(sentence.text) <= _LONGEST


def _hits(
    rules: Sequence[Rule], sentence: Sentence, *, is_cited: bool
) -> Iterator[tuple[int, int, float]]:
    """Yield where words are, and how likely they are at fault."""
    # A capital at the beginning of the sentence is no sign of a name.
    own = sentence.own[:1].lower() + sentence.own[1:]
    for rule in rules:
        first = rule.pattern.search(own)
        if first is None or (rule.excused and rule.excused.search(sentence.text)):
            continue
        sure = min(
            rule.bare,
            rule.cited if is_cited or sentence.is_cited else 1.0,
            rule.attributed if _SPEAKER.search(sentence.text) else 1.0,
        )
        for found in rule.pattern.finditer(own, first.start()):
            yield *found.span("words"), sure


def _finding(
    watch: Watch,
    paragraph: Paragraph,
    sentence: Sentence,
    hits: Sequence[tuple[int, int, float]],
) -> WritingIssue:
    surest = max(sure for _, _, sure in hits)
    # Words that are hardly at fault are not marked next to others that are.
    marks = _apart([(start, end) for start, end, sure in hits if sure >= surest / 1.5])
    quote, marked = shown(sentence, marks)
    words = list(dict.fromkeys(f"“{sentence.text[one:end]}”" for one, end in marks))
    return WritingIssue(
        kind=watch.kind,
        criteria=watch.criteria,
        section=paragraph.section.path,
        span=sentence.at,
        quote=quote,
        message=watch.message.format(words=", ".join(words[:_MOST_NAMED])),
        advice=watch.advice,
        guideline=watch.guideline,
        confidence=surest,
        marked=marked,
    )


def _apart(ranges: Sequence[tuple[int, int]]) -> list[tuple[int, int]]:
    found: list[tuple[int, int]] = []
    for start, end in sorted(ranges):
        if not found or start >= found[-1][1]:
            found.append((start, end))
    return found


_FEWEST_EXCLAIMED = 6
_ENDS = re.compile(r"(?<=[a-z]{3})[?!]+$")
_SPEECH = re.compile(
    r"(?:\bask\w*|\bquestion|\bwonder\w*|\bsays?\b|\bsaid\b|:)", re.IGNORECASE
)


def questions_to_reader(manuscript: Manuscript) -> Iterator[WritingIssue]:
    """Yield the first question or exclamation of each paragraph."""
    for paragraph in manuscript.running(Part.LEAD, Part.BODY):
        for sentence in paragraph.sentences:
            found = _ENDS.search(sentence.own)
            if (
                found is None
                or MASK in sentence.own[-20:]
                or len(sentence.text.split()) < _FEWEST_EXCLAIMED
                or _SPEECH.search(sentence.text)
            ):
                continue
            quote, marked = shown(sentence, (found.span(),))
            asks = "?" in found[0]
            yield WritingIssue(
                IssueKind.TONE,
                ("ww_cc_1", "n_5"),
                paragraph.section.path,
                sentence.at,
                quote,
                "The article asks its reader a question."
                if asks
                else "The article addresses its reader.",
                "Say who asks, or what is not known."
                if asks
                else "End the sentence with a full stop.",
                "WP:TONE",
                0.62,
                marked,
            )
            break  # the rest of the paragraph is likely to continue like that
