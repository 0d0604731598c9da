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
    cut = [part for one in sentences(text) for part in _parts(text, one.span, words)]
    return tuple(
        Chunk(document.number, number, span.of(text), span)
        for number, span in enumerate(_joined(text, cut, words))
    )


def _parts(text: str, span: Span, limit: int) -> Iterator[Span]:
    """Yield a sentence, in parts if it has more words than `limit`."""
    words = span.of(text).split()
    if len(words) <= limit:
        if words:
            yield span
        return
    at = span.start
    for first in range(0, len(words), limit):
        members = words[first : first + limit]
        start = at = text.index(members[0], at)
        for word in members:
            at = text.index(word, at) + len(word)
        yield Span(start, at)


def _joined(text: str, parts: Sequence[Span], limit: int) -> Iterator[Span]:
    """Join parts as long as all between their ends is `limit` words at most."""
    joined, size = None, 0
    for one in parts:
        more = len(text[joined.end if joined else one.start : one.end].split())
        if joined and size + more <= limit:
            joined, size = Span(joined.start, one.end), size + more
            continue
        if joined:
            yield joined
        joined, size = one, len(one.of(text).split())
    if joined:
        yield joined
