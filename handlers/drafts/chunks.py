"""Cuts documents into chunks of some 256 words, the size that WikiGenBench reads.

A chunk ends where a sentence ends, so that whatever is quoted stands whole in one of
them. The paper cuts between any two words. Pure.
"""

from collections.abc import Iterator, Sequence

from handlers.documents.prose import sentences
from handlers.model import Chunk, DraftDocument, Span

WORDS_PER_CHUNK = 256
_MOST_CHARS = 400_000  # of a document that are read; some 65,000 words


def chunks_of(
    document: DraftDocument, words: int = WORDS_PER_CHUNK
) -> tuple[Chunk, ...]:
    """Return the chunks of one document in order; none for a text without words.

    Together they hold every sentence of its first 400,000 characters. None has more
    than `words` words (parted by white space); a sentence that alone has more is cut
    between words.
    """
    if document.reading.document is None:
        return ()
    text = document.reading.document.text[:_MOST_CHARS]
    cut = [piece for one in sentences(text) for piece in _pieces(text, one.span, words)]
    return tuple(
        Chunk(document.number, number, span.of(text), span)
        for number, span in enumerate(_joined(cut, words))
    )


def _pieces(text: str, span: Span, limit: int) -> Iterator[tuple[Span, int]]:
    """Yield a sentence with its length in words, in parts if it is too long."""
    words = span.of(text).split()
    if len(words) <= limit:
        if words:
            yield span, len(words)
        return
    at = span.start
    for first in range(0, len(words), limit):
        members = words[first : first + limit]
        start = at = text.index(members[0], at)
        for word in members:
            at = text.index(word, at) + len(word)
        yield Span(start, at), len(members)


def _joined(pieces: Sequence[tuple[Span, int]], limit: int) -> Iterator[Span]:
    first, size = 0, 0
    for at, (_, length) in enumerate(pieces):
        if at > first and size + length > limit:
            yield Span(pieces[first][0].start, pieces[at - 1][0].end)
            first, size = at, 0
        size += length
    if pieces:
        yield Span(pieces[first][0].start, pieces[-1][0].end)
