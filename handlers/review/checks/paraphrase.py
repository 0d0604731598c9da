"""Words that a cited source says just so, without quotation marks (WP:CLOP).

Runs of words are compared, outside quotations. What is long and whole is more often a
page that copied the article than the other way round, and is said to be so. Pure.
"""

import re
from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache

from handlers.model import Finding, FindingKind, Source, Span
from handlers.review.manuscript.masking import COVER
from handlers.review.manuscript.paragraphs import (
    Manuscript,
    Paragraph,
    Sentence,
    shown,
)
from handlers.review.manuscript.parts import Part

_WORD = re.compile(r"[^\W_]+(?:['’][^\W_]+)?")
_COVERED = re.compile(f"{COVER}+")
_QUOTATION_MARK = re.compile('["“”«»„]')
_SHINGLE = 6  # words
_RUN = 12  # words in a row that are no chance
_LONG_RUN = 20
_SHARE = 0.6  # of a sentence's shingles
_FEWEST_WORDS = 15
_MOST_NAMES = 0.5  # share of capitalised words or figures above which a run is a list
_MOST_SOURCE_CHARS = 200_000
_AROUND = 8  # words of the source shown beside the run
_MIRRORED = 0.5  # share of an article's sentences that one source has just so
_FEWEST_MIRRORED = 6
_FREE = re.compile(
    r"citation-attribution|source-attribution|pd-notice|eb1911|1911|cite dnb|dnb|cite eb1911"
    r"|catholic|cc-notice|free-content attribution|nrhp|usgovernment|dafs|congbio|pd old text"
)

Shingles = Mapping[tuple[str, ...], int]


def close_paraphrase(
    manuscript: Manuscript, sources: Mapping[str, str]
) -> Iterator[Finding]:
    """Yield sentences whose words stand in a source that they cite.

    Args:
        manuscript: the article.
        sources: the text of a source by its key.
    """
    if any(_FREE.fullmatch(each.name) for each in manuscript.elements if each.name):
        return
    comparer = _Comparer(manuscript, sources)
    found = [
        one
        for paragraph in manuscript.running(Part.LEAD, Part.BODY, Part.STORY)
        for sentence in paragraph.sentences
        if (one := comparer.finding(paragraph, sentence))
    ]
    copied: dict[str, int] = {}
    for one in found:
        copied[one.source_key or ""] = copied.get(one.source_key or "", 0) + 1
    total = sum(len(one.sentences) for one in manuscript.running(Part.LEAD, Part.BODY))
    mirrors = {
        key
        for key, count in copied.items()
        if count >= _FEWEST_MIRRORED and count >= _MIRRORED * total
    }
    yield from (one for one in found if one.source_key not in mirrors)


class _Comparer:
    def __init__(self, manuscript: Manuscript, sources: Mapping[str, str]) -> None:
        self._texts = sources
        self._cited: list[tuple[int, Source]] = sorted(
            (
                (citation.marker.start, source)
                for claim in manuscript.page.claims
                for citation in claim.citations
                for source in citation.sources
                if source.key in sources
            ),
            key=lambda one: one[0],
        )
        self._places = [place for place, _ in self._cited]
        self._shingles = lru_cache(maxsize=64)(self._read)

    def finding(self, paragraph: Paragraph, sentence: Sentence) -> Finding | None:
        if len(sentence.own.split()) < _FEWEST_WORDS:
            return None
        # Sources are shared by the sentences of a paragraph.
        first = bisect_left(self._places, paragraph.block.start)
        last = bisect_right(self._places, paragraph.block.end)
        keys = dict.fromkeys(source.key for _, source in self._cited[first:last])
        best: tuple[float, Span, str, str] | None = None
        for key in keys:
            one = self._compare(sentence, key)
            if one and (best is None or one[0] > best[0]):
                best = (*one, key)
        return _finding(paragraph, sentence, best) if best else None

    def _read(self, key: str) -> tuple[Shingles, list[re.Match[str]], str]:
        text = self._texts[key][:_MOST_SOURCE_CHARS]
        words = list(_WORD.finditer(text))
        said = [one[0].lower().replace("’", "'") for one in words]
        places: dict[tuple[str, ...], int] = {}
        for at in range(len(said) - _SHINGLE + 1):
            places.setdefault(tuple(said[at : at + _SHINGLE]), at)
        return places, words, text

    def _compare(self, sentence: Sentence, key: str) -> tuple[float, Span, str] | None:
        """Return how sure it is, the run in the sentence, and the source's words."""
        places, there, text = self._shingles(key)
        here = list(_WORD.finditer(sentence.text))
        quoted = _quoted(sentence)
        starts = [start for start, _ in quoted]
        said = [
            COVER
            if (at := bisect_left(starts, one.end()))
            and one.start() < quoted[at - 1][1]
            else one[0].lower().replace("’", "'")
            for one in here
        ]
        hits = [
            tuple(said[at : at + _SHINGLE]) in places
            for at in range(len(said) - _SHINGLE + 1)
        ]
        first, length = _longest(hits)
        words = length + _SHINGLE - 1 if length else 0
        share = sum(hits) / len(hits) if hits else 0.0
        if words < _RUN or _is_list(here[first : first + words]):
            return None
        sure = 0.8 if words >= _LONG_RUN or share >= _SHARE else 0.58
        at = places[tuple(said[first : first + _SHINGLE])]
        begin = there[max(0, at - _AROUND)].start()
        end = there[min(len(there), at + words + _AROUND) - 1].end()
        run = Span(here[first].start(), here[first + words - 1].end())
        return sure, run, " ".join(text[begin:end].split())[:500]


def _quoted(sentence: Sentence) -> list[tuple[int, int]]:
    """Return what is covered for its quotation marks, and is no mere link or title."""
    return [
        one.span()
        for one in _COVERED.finditer(sentence.own)
        if _QUOTATION_MARK.search(sentence.text, *one.span())
    ]


def _longest(hits: Sequence[bool]) -> tuple[int, int]:
    """Return where the longest run of hits begins, and its length."""
    best = (0, 0)
    length = 0
    for at, hit in enumerate(hits):
        length = length + 1 if hit else 0
        if length > best[1]:
            best = (at - length + 1, length)
    return best


def _is_list(words: Sequence[re.Match[str]]) -> bool:
    names = sum(not one[0].islower() for one in words)
    return names > _MOST_NAMES * len(words)


def _finding(
    paragraph: Paragraph, sentence: Sentence, best: tuple[float, Span, str, str]
) -> Finding:
    sure, run, source_quote, key = best
    quote, marked = shown(sentence, ((run.start, run.end),))
    count = len(run.of(sentence.text).split())
    return Finding(
        FindingKind.CLOSE_PARAPHRASE,
        (),
        paragraph.section.path,
        sentence.at,
        quote,
        f"{count} words in a row stand in the cited source just so.",
        "Say it in words of your own, or mark it as a quotation; first make sure that the"
        " source did not copy the article.",
        "WP:CLOP",
        sure,
        marked,
        source_key=key,
        source_quote=source_quote,
    )
