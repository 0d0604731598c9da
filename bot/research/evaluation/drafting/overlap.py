"""How far a draft has the words of the reference article: METEOR, ROUGE-L, BLEU.

All run from 0 to 100, as the paper's tables have them, and are for one text beside one
reference. None is a judgement: each follows the length of the text (WikiGenBench
§5.2), so a figure means little without the number of words beside it.
"""

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any, Protocol

MAX_WORDS = (
    5_000  # of either text that are looked at; the table of ROUGE-L is their product
)
_PERCENT = 100
_PIECE = re.compile(r"\w+|[^\w\s]+")
_NLG_EVAL_BETA = 1.2  # what that package weighs recall with in ROUGE-L


class Synset(Protocol):
    """A meaning, with the words for it."""

    def lemmas(self) -> Sequence[Any]:
        """Return its words; each has a `name()`."""
        ...


class Synonyms(Protocol):
    """Tells the meanings of a word, as NLTK's reader of WordNet does."""

    def synsets(self, word: str) -> Sequence[Synset]:
        """Return the meanings of a word in any form; none for what it does not know."""
        ...


class NoSynonyms:
    """Stands where WordNet is not installed: words match by form and stem alone."""

    def synsets(self, _word: str) -> Sequence[Synset]:
        """Return nothing."""
        return ()


@dataclass(frozen=True, slots=True)
class Weights:
    """The parameters of METEOR: `(1 - gamma * fragmentation ** beta) * F(alpha)`."""

    alpha: float
    beta: float
    gamma: float


# NLTK's own, of METEOR's first version (Lavie and Agarwal, 2007) ...
FIRST = Weights(alpha=0.9, beta=3.0, gamma=0.5)
# ... and those of METEOR 1.5 for English, which NLG-eval runs, and so the paper. It also
# weighs function words, stems, synonyms and paraphrases less, which NLTK cannot.
LATEST = Weights(alpha=0.85, beta=0.2, gamma=0.6)


@dataclass(frozen=True, slots=True)
class RougeL:
    """ROUGE-L of two whole texts, by their longest common subsequence of words."""

    precision: float
    recall: float
    f1: float

    @property
    def nlg_eval(self) -> float:
        """F with NLG-eval's beta of 1.2, on the words of `rouge-score`."""
        weight = _NLG_EVAL_BETA**2
        below = self.recall + weight * self.precision
        return (1 + weight) * self.precision * self.recall / below if below else 0.0


def meteor(
    reference: str,
    text: str,
    *,
    synonyms: Synonyms | None = None,
    weights: Weights = FIRST,
) -> float:
    """Return NLTK's METEOR: words match by form, then stem, then as synonyms.

    Args:
        reference: what people wrote.
        text: what is measured.
        synonyms: WordNet; without it the third step finds nothing.
        weights: the parameters; NLTK's defaults if not given.
    """
    found = _meteor()(
        pieces(reference),
        pieces(text),
        wordnet=synonyms or NoSynonyms(),
        alpha=weights.alpha,
        beta=weights.beta,
        gamma=weights.gamma,
    )
    return _PERCENT * float(found)


def rouge_l(reference: str, text: str) -> RougeL:
    """Return ROUGE-L of the package `rouge-score`: no stemming, case does not matter."""
    tokens = _rouge_tokens()
    return _rouge_l(tokens(reference, None), tokens(text, None))


def rouge_l_nlg_eval(reference: str, text: str) -> float:
    """Return ROUGE-L as NLG-eval has it: words between spaces, case kept, beta 1.2."""
    return _rouge_l(reference.split(), text.split()).nlg_eval


def bleu(reference: str, text: str) -> float:
    """Return NLTK's BLEU of up to four words; a count of 0 counts as 0.1."""
    if not pieces(text) or not pieces(reference):
        return 0.0
    return _PERCENT * float(_bleu()([_lower(reference)], _lower(text)))


def pieces(text: str) -> list[str]:
    """Return the words and the runs of other signs, `MAX_WORDS` at most."""
    return _PIECE.findall(text)[:MAX_WORDS]


def words(text: str) -> int:
    """Return how many words there are between spaces, which is a text's length."""
    return len(text.split())


def _rouge_l(reference: Sequence[str], text: Sequence[str]) -> RougeL:
    reference, text = reference[:MAX_WORDS], text[:MAX_WORDS]
    common = _common(reference, text)
    if not common:
        return RougeL(0.0, 0.0, 0.0)
    precision, recall = common / len(text), common / len(reference)
    f1 = 2 * precision * recall / (precision + recall)
    return RougeL(_PERCENT * precision, _PERCENT * recall, _PERCENT * f1)


def _common(one: Sequence[str], other: Sequence[str]) -> int:
    """Return the length of the longest common subsequence.

    What `rouge-score` finds with a table of all pairs of words, in seconds, a row of
    bits for each word finds in milliseconds (Hyyrö, 2004): a bit of `row` is 0 where
    the subsequence grows by a word.
    """
    places: dict[str, int] = {}
    for at, word in enumerate(one):
        places[word] = places.get(word, 0) | 1 << at
    whole = row = (1 << len(one)) - 1
    for word in other:
        met = row & places.get(word, 0)
        row = (row + met | row - met) & whole
    return (whole ^ row).bit_count()


def _lower(text: str) -> list[str]:
    return [one.lower() for one in pieces(text)]


@cache
def _meteor() -> Callable[..., Any]:
    from nltk.translate.meteor_score import (  # noqa: PLC0415 - slow to import
        single_meteor_score,
    )

    return single_meteor_score  # type: ignore[no-any-return]


@cache
def _rouge_tokens() -> Callable[..., list[str]]:
    from rouge_score.tokenize import tokenize  # noqa: PLC0415 - slow to import

    return tokenize  # type: ignore[no-any-return]


@cache
def _bleu() -> Callable[..., Any]:
    from nltk.translate.bleu_score import (  # noqa: PLC0415 - slow to import
        SmoothingFunction,
        sentence_bleu,
    )

    smoothing = SmoothingFunction(epsilon=0.1).method1

    def measured(references: list[list[str]], text: list[str]) -> float:
        return float(sentence_bleu(references, text, smoothing_function=smoothing))

    return measured
