"""Cuts a source into overlapping passages along its sentences.

SIDE works on passages of 100 words (Sphere's size). Ours overlap by half, so that
evidence that spans two sentences stands whole in one passage (SIDE, section on
crowd annotation, does the same for cited pages). Pure.
"""

import asyncio
from bisect import bisect_right
from collections.abc import Iterator, Sequence

from handlers.model import Passage, SourceText, Span
from handlers.page.sentences import split

WORDS_PER_PASSAGE = 100
_OVERLAP = 0.5
# No prose has words of this length on the average; what has is no prose, and reading
# megabytes of it as one passage would take minutes.
_CHARS_PER_WORD = 100
_CHARS_IN_A_MOMENT = 50_000  # some 4 ms of prose; 70 ms of lines of a letter each


def cut(
    document: SourceText,
    source_key: str,
    *,
    words_per_passage: int = WORDS_PER_PASSAGE,
) -> tuple[Passage, ...]:
    """Return the passages of one source in order; none for a text without words.

    Each holds whole sentences of at most `words_per_passage` words together, and
    starts about half a passage after the one before. A longer sentence is cut
    between words.

    Args:
        document: the text of the source; `passage.span` points into it.
        source_key: `Source.key`, copied to each passage.
        words_per_passage: the size, in words parted by white space.
    """
    text = document.text
    pieces = [
        piece
        for sentence in split(text)
        for whole in _pieces(text, sentence, words_per_passage)
        for piece in _bounded(whole, words_per_passage)
    ]
    return tuple(
        Passage(
            source_key, span.of(text), span, _page(document.page_starts, span.start)
        )
        for span in _windows(pieces, words_per_passage)
    )


async def cut_beside(document: SourceText, source_key: str) -> tuple[Passage, ...]:
    """Cut like `cut`; in a thread where that may take seconds, as megabytes can."""
    if len(document.text) <= _CHARS_IN_A_MOMENT:
        return cut(document, source_key)
    return await asyncio.to_thread(cut, document, source_key)


def _pieces(text: str, sentence: Span, limit: int) -> Iterator[tuple[Span, int]]:
    """Yield the sentence with its length in words, in parts if it is too long."""
    length = len(sentence.of(text).split())
    if length <= limit:
        yield sentence, length
        return
    at = sentence.start
    words = sentence.of(text).split()
    for first in range(0, length, limit):
        members = words[first : first + limit]
        start = text.index(members[0], at)
        at = start
        for word in members:
            at = text.index(word, at) + len(word)
        yield Span(start, at), len(members)


def _bounded(piece: tuple[Span, int], limit: int) -> Iterator[tuple[Span, int]]:
    """Yield a piece, or parts of it that each fill a passage if it is no prose."""
    span, _ = piece
    most = limit * _CHARS_PER_WORD
    if span.end - span.start <= most:
        yield piece
        return
    for start in range(span.start, span.end, most):
        yield Span(start, min(start + most, span.end)), limit


def _windows(pieces: Sequence[tuple[Span, int]], limit: int) -> Iterator[Span]:
    first = 0
    while first < len(pieces):
        after, size = first, 0
        while after < len(pieces) and size + pieces[after][1] <= limit:
            size += pieces[after][1]
            after += 1
        yield Span(pieces[first][0].start, pieces[after - 1][0].end)
        if after == len(pieces):
            return
        first = _next_first(pieces, first, after, size)


def _next_first(
    pieces: Sequence[tuple[Span, int]], first: int, after: int, size: int
) -> int:
    """Return where the next window starts: past half of this one's words."""
    passed = 0
    following = first
    while following < after and passed < size * _OVERLAP:
        passed += pieces[following][1]
        following += 1
    return following


def _page(page_starts: Sequence[int], start: int) -> int | None:
    return bisect_right(page_starts, start) or 1 if page_starts else None
