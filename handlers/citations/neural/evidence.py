"""Gathers the sentences of a source that a cross-encoder is shown, in one short text.

A claim of several facts is borne out here and there in a page, which SIDE names as a
limit of judging passage by passage. So sentences are chosen for what they add to each
other, the sentence before each comes along because it says whom "he" means, and all
stand in the order of the source. The same text is built in training and in use. Pure.
"""

from collections.abc import Iterator, Sequence

from handlers.citations.claim_features import Claimed
from handlers.citations.comparison import Borne, Sentence, Stated, recall, together

MOST_WORDS = 160  # of evidence; with claim and context some 300 word pieces
_CORE_WORDS = 110  # of these, how many the telling sentences may take
_FEWEST_WORDS = 5  # of a sentence that fills up; shorter ones are menus
_GAP = " … "
_OWN_SHARE = 0.3  # of a sentence's own fit, beside what it adds to the others


def assemble(claim: Claimed, stated: Stated, *, most_words: int = MOST_WORDS) -> str:
    """Return the evidence text for `claim`, at most about `most_words` words.

    Sentences come from the passages nearest to the claim. A short source comes
    whole. "…" stands where text was left out.
    """
    return join(choose(claim, stated.sentences, most_words=most_words))


def choose(
    claim: Claimed, sentences: Sequence[Sentence], *, most_words: int = MOST_WORDS
) -> list[Sentence]:
    """Choose sentences that say most of the claim together, then their neighbours."""
    chosen = _core(claim, sentences, min(_CORE_WORDS, most_words))
    size = sum(_words(each) for each in chosen)
    left = [each for each in sentences if each not in chosen]
    for following in _beside(chosen, left):
        if size + _words(following) <= most_words:
            chosen.append(following)
            size += _words(following)
    return chosen


def _core(
    claim: Claimed, sentences: Sequence[Sentence], most_words: int
) -> list[Sentence]:
    """Choose the best sentence, and others for as long as they add something."""
    chosen = list(sentences[:1])
    left = list(sentences[1:])
    borne = chosen[0].borne
    while left:
        best = max(left, key=lambda each: _worth(claim, borne, each))
        left.remove(best)
        after = together([borne, best.borne])
        if recall(claim.weights, after) <= recall(claim.weights, borne):
            return chosen
        if sum(map(_words, chosen)) + _words(best) <= most_words:
            chosen.append(best)
            borne = after
    return chosen


def join(sentences: Sequence[Sentence]) -> str:
    """Return the sentences in the order of their sources, overlaps only once."""
    text = ""
    source, reached = None, 0
    for each in sorted(sentences, key=_place):
        key, start = _place(each)
        words = each.span.of(each.passage.text)
        if key != source or start > reached + 2:
            text += (_GAP if text else "") + words
        elif start + len(words) > reached:
            overlap = max(0, reached - start)
            text += ("" if overlap else " ") + words[overlap:]
        source = key
        reached = max(start + len(words), reached if key == source else 0)
    return text


def _worth(claim: Claimed, borne: Borne, each: Sentence) -> float:
    """Return how much of the claim a sentence adds to what is borne out already."""
    before = recall(claim.weights, borne)
    after = recall(claim.weights, together([borne, each.borne]))
    return (after - before) + _OWN_SHARE * each.score


def _beside(chosen: Sequence[Sentence], left: Sequence[Sentence]) -> Iterator[Sentence]:
    """Yield the sentences before chosen ones, those after, then the rest by fit."""
    starts = {_place(each) for each in chosen}
    ends = {(_place(each)[0], _end(each)) for each in chosen}
    before = [one for one in left if _near((_place(one)[0], _end(one)), starts)]
    after = [one for one in left if _near(_place(one), ends) and one not in before]
    rest = [one for one in left if one not in before and one not in after]
    yield from before
    yield from after
    yield from (one for one in rest if _words(one) >= _FEWEST_WORDS)


def _near(place: tuple[str, int], others: set[tuple[str, int]]) -> bool:
    return any((place[0], place[1] + step) in others for step in (-2, -1, 0, 1, 2))


def _place(each: Sentence) -> tuple[str, int]:
    return each.passage.source_key, each.passage.span.start + each.span.start


def _end(each: Sentence) -> int:
    return each.passage.span.start + each.span.end


def _words(each: Sentence) -> int:
    return len(each.reading.words)
