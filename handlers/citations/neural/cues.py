"""The network's answer as features, to be weighed beside the lexical ones. Pure."""

from collections.abc import Sequence

from handlers.citations.claimed import Claimed
from handlers.citations.cues.reading import Reading
from handlers.citations.cues.words import Word
from handlers.citations.lexical import REFUTED_CUE
from handlers.citations.neural.answer import PairAnswer, PieceSupport, log_odds, of_word

_HALF = 0.5


def cues(claim: Claimed, answer: PairAnswer) -> dict[str, float]:
    """Return the features of one answer; shares lie in [0, 1], odds in some ±9."""
    reading = claim.reading
    words = _supports(reading.content, answer.pieces)
    novel = _supports(
        [word for word in reading.content if word.stem not in claim.title],
        answer.pieces,
    )
    values = [log_odds(each) for each in novel or words] or [0.0]
    against = answer.refuted + answer.unmentioned
    return {
        "network supported": log_odds(answer.supported),
        "network supported share": answer.supported,
        "network unmentioned": log_odds(answer.unmentioned),
        REFUTED_CUE: log_odds(answer.refuted),
        "network refuted of rest": answer.refuted / against if against else 0.0,
        "network words": sum(values) / len(values),
        "network weakest word": min(values),
        "network second weakest word": sorted(values)[:2][-1],
        "network words left over": _share_below(novel or words),
        "network weight borne": _weighed(claim, answer.pieces),
        "network weakest number": _weakest(_of_numbers(reading), answer.pieces),
        "network weakest name": _weakest(_of_names(reading, claim), answer.pieces),
    }


def _supports(words: Sequence[Word], pieces: Sequence[PieceSupport]) -> list[float]:
    found = (of_word(pieces, word.start, word.end) for word in words)
    return [each for each in found if each is not None]


def _share_below(supports: Sequence[float]) -> float:
    if not supports:
        return 0.0
    return sum(each < _HALF for each in supports) / len(supports)


def _weighed(claim: Claimed, pieces: Sequence[PieceSupport]) -> float:
    """Return the share of the claim's weight that the network sees borne out."""
    total = borne = 0.0
    for word in claim.reading.content:
        support = of_word(pieces, word.start, word.end)
        weight = claim.weights.get(word.stem, 0.0)
        if support is not None:
            total += weight
            borne += weight * support
    return borne / total if total else 1.0


def _weakest(words: Sequence[Word], pieces: Sequence[PieceSupport]) -> float:
    supports = _supports(words, pieces)
    return log_odds(min(supports)) if supports else log_odds(1.0)


def _of_numbers(reading: Reading) -> list[Word]:
    return [word for word in reading.words if word.is_number]


def _of_names(reading: Reading, claim: Claimed) -> list[Word]:
    return [
        word
        for name in reading.names
        for word in reading.words[name.first_word : name.last_word + 1]
        if word.is_content and word.stem not in claim.title
    ]
