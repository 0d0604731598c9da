"""A cast that needs no model files: words are compared, and a quote supports itself."""

import re
from collections import Counter
from collections.abc import Sequence
from math import sqrt

from handlers.drafts.chunks import Reranker
from handlers.drafts.dossier import Cast
from handlers.drafts.embedded import Kind
from handlers.model import (
    Chunk,
    Claim,
    DraftDocument,
    DraftMethod,
    Engine,
    Passage,
    Probabilities,
    Source,
    SourceFetch,
    SourceForm,
    SourceOutcome,
    SourceText,
    Verdict,
    Verification,
)

_WORD = re.compile(r"\w+")
_NUMBER = re.compile(r"\d+")


class BagEncoder:
    """Takes texts for alike that have the same words; `seen` are those compared with."""

    def __init__(self) -> None:
        self.seen: list[str] = []

    async def likeness(
        self, texts: Sequence[str], others: Sequence[str]
    ) -> Sequence[Sequence[float]]:
        assert texts, "nothing is encoded for nothing"
        assert others, "nothing is encoded for nothing"
        self.seen.extend(others)
        mine, theirs = [_bag(one) for one in texts], [_bag(one) for one in others]
        return [[_cosine(one, other) for other in theirs] for one in mine]


class WordVerifier:
    """Lets passages support what has only words of theirs, but not what it `doubts`.

    What it `allows` is supported whatever its words.

    Other numbers beside mostly the same words contradict.
    """

    engine = Engine("words", "1")

    def __init__(self, doubts: str = "", allows: Sequence[str] = ()) -> None:
        self._doubts = doubts
        self._allows = allows

    async def verify(
        self, title: str, claim: Claim, passages: Sequence[Passage]
    ) -> Verification:
        assert title
        assert passages
        claim_words = set(_WORD.findall(claim.text.lower()))
        told = {word for one in passages for word in _WORD.findall(one.text.lower())}
        lacking = claim_words - told
        holds = not lacking and (not self._doubts or self._doubts not in claim.text)
        holds = holds or claim.text in self._allows
        against = not holds and any(map(_NUMBER.fullmatch, lacking))
        return Verification(
            verdict=Verdict.SUPPORTED if holds else Verdict.NOT_SUPPORTED,
            probabilities=Probabilities(
                float(holds), 0.0, float(not holds and not against), float(against)
            ),
            evidence=(),
            unsupported=(),
            engine=self.engine,
        )


async def by_words(query: str, chunks: Sequence[Chunk]) -> list[float]:
    wanted = _bag(query)
    return [_cosine(wanted, _bag(one.text)) for one in chunks]


BY_WORDS = Reranker("words", by_words)


def cast(method: DraftMethod = DraftMethod.PRR, doubts: str = "") -> Cast:
    headings = {kind: kind.value for kind in Kind}
    return Cast(
        method, BY_WORDS, WordVerifier(doubts), BagEncoder(), lambda _: headings
    )


def document(
    number: int, text: str, title: str = "", url: str = "", published: str | None = None
) -> DraftDocument:
    url = url or f"https://news{number}.example/{number}"
    fetch = SourceFetch(
        Source(SourceForm.URL, raw=url, url=url),
        SourceOutcome.READ,
        "read",
        url=url,
        document=SourceText(text, title=title or None, published=published),
    )
    return DraftDocument(number, fetch, is_reliable=True)


def _bag(text: str) -> Counter[str]:
    return Counter(_WORD.findall(text.lower()))


def _cosine(one: Counter[str], other: Counter[str]) -> float:
    product = sum(count * other[word] for word, count in one.items())
    lengths = sum(n * n for n in one.values()) * sum(n * n for n in other.values())
    return product / sqrt(lengths) if lengths else 0.0
