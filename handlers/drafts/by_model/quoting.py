"""Finds the words of a chunk that bear a model's sentence out best. Pure.

A reader of the draft is shown them, and a link opens on them; whether they do bear it
out is the verifier's to say, of the whole chunk.
"""

from collections.abc import Iterator
from itertools import pairwise

from handlers.citations.claim_features import Claimed, prepare
from handlers.citations.comparison import bear_out, recall
from handlers.citations.cues.rarity import Rarity
from handlers.citations.cues.reading import read
from handlers.citations.highlights import matched
from handlers.citations.quotes import find
from handlers.citations.windows import windows
from handlers.model import Chunk, Evidence, Passage, Span
from handlers.updates.entailing import claim_of

_ALL_WORDS_ALIKE = Rarity(documents=1, floor=1, frequencies={})
_LONGEST_PAIR = 600  # characters
_COST = 0.0005  # of a character: two sentences must say a good deal more than one
_MOST_SPANS = 200


def evidence_in(chunk: Chunk, text: str, title: str, source_key: str) -> Evidence:
    """Return the sentence of `chunk`, or two of them, that say most of `text`.

    Args:
        chunk: with words.
        text: a sentence of a draft.
        title: of the draft.
        source_key: of the chunk's document.
    """
    passage = Passage(source_key, chunk.text, chunk.span)
    claim = prepare(claim_of(text), title, _ALL_WORDS_ALIKE, read)
    spans = list(_spans(chunk.text))[:_MOST_SPANS] or [Span(0, len(chunk.text))]
    scored = [(_score(claim, chunk, one), -at) for at, one in enumerate(spans)]
    score, at = max(scored)
    return _evidence(passage, claim, spans[-at], score)


def verbatim(chunk: Chunk, text: str, title: str, source_key: str) -> Evidence | None:
    """Return where `text` stands in `chunk` word for word; `None` if it does not."""
    span = find(text, chunk.text)
    if span is None:
        return None
    claim = prepare(claim_of(text), title, _ALL_WORDS_ALIKE, read)
    return _evidence(Passage(source_key, chunk.text, chunk.span), claim, span, 1.0)


def _evidence(passage: Passage, claim: Claimed, span: Span, score: float) -> Evidence:
    quote = span.of(passage.text)
    start = passage.span.start
    return Evidence(
        passage=passage,
        quote=quote,
        span=Span(start + span.start, start + span.end),
        matched=matched(claim, read(quote), span.start),
        score=score,
    )


def _spans(text: str) -> Iterator[Span]:
    alone = list(windows(text))
    yield from alone
    for one, other in pairwise(alone):
        is_next = other.start >= one.end
        if is_next and other.end - one.start <= _LONGEST_PAIR:
            yield Span(one.start, other.end)


def _score(claim: Claimed, chunk: Chunk, span: Span) -> float:
    borne = bear_out(claim.stems, read(span.of(chunk.text)))
    return recall(claim.all_weights, borne) - _COST * (span.end - span.start)
