"""Rerankers that go by meaning, in the manner of the paper's DPR and GTR.

Neither is the paper's model. Both are bi-encoders: query and text are turned into
vectors apart from each other, and their cosine is the score. What ships is one encoder,
all-MiniLM-L6-v2 (a symmetric one, made of a billion pairs of sentences), where DPR has
two BERTs made of questions and passages, and GTR a T5 made of web questions. What tells
the two apart here is what is laid beside the query: DPR reads a chunk whole, GTR's
promise is to find the place in it, so its counterpart takes the best sentence. Figures
of theirs are named "dpr" and "gtr" for the paper's tables alone. Pure but for the
encoder, which is awaited.
"""

from collections.abc import Sequence

from handlers.model import Chunk
from handlers.ports import TextEncoder
from handlers.wikitext.claiming.sentences import split

_HALF_WORDS = 130  # the encoder reads 256 word pieces, some 190 words of English
_LONGEST_SENTENCE = 45  # words; tables, and pages whose full stops were lost
_MOST_SENTENCES = 40  # of one chunk
_SHORTEST_WORDS = 4


class DprReranker:
    """The cosine of the query and the whole chunk.

    A chunk of 256 words is longer than what the encoder reads, so it is read in halves
    and the better one counts; nothing of it goes unread.
    """

    name = "dpr"

    def __init__(self, encoder: TextEncoder) -> None:
        self._encoder = encoder

    async def scores(self, query: str, chunks: Sequence[Chunk]) -> Sequence[float]:
        """Return the cosine of each chunk with the query, -1 to 1."""
        return await _best(self._encoder, query, [_halves(one.text) for one in chunks])


class GtrReranker:
    """The cosine of the query and the best sentence of the chunk."""

    name = "gtr"

    def __init__(self, encoder: TextEncoder) -> None:
        self._encoder = encoder

    async def scores(self, query: str, chunks: Sequence[Chunk]) -> Sequence[float]:
        """Return the cosine of each chunk's best sentence with the query, -1 to 1."""
        parts = [_sentences(one.text) for one in chunks]
        return await _best(self._encoder, query, parts)


async def _best(
    encoder: TextEncoder, query: str, parts: Sequence[Sequence[str]]
) -> list[float]:
    """Return for each text the best cosine of its parts with the query."""
    distinct = list(dict.fromkeys(part for one in parts for part in one))
    if not distinct:
        return [-1.0] * len(parts)
    [cosines] = await encoder.likeness([query], distinct)
    known = dict(zip(distinct, cosines, strict=True))
    return [max((known[part] for part in one), default=-1.0) for one in parts]


def _halves(text: str) -> list[str]:
    words = text.split()
    if not words:
        return []
    if len(words) <= _HALF_WORDS:
        return [" ".join(words)]
    half = (len(words) + 1) // 2
    return [" ".join(words[:half]), " ".join(words[half:])]


def _sentences(text: str) -> list[str]:
    """Return the sentences of a text; what has no full stops, in pieces."""
    found = [span.of(text).split() for span in split(text)]
    pieces = [
        one[at : at + _LONGEST_SENTENCE]
        for one in found
        for at in range(0, len(one), _LONGEST_SENTENCE)
    ]
    telling = [one for one in pieces if len(one) >= _SHORTEST_WORDS]
    return [" ".join(one) for one in (telling or pieces)[:_MOST_SENTENCES]]
