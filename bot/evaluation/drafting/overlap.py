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
    found = _rouge(by_spaces=False).score(_cut(reference), _cut(text))["rougeL"]
    return RougeL(
        _PERCENT * float(found.precision),
        _PERCENT * float(found.recall),
        _PERCENT * float(found.fmeasure),
    )


def rouge_l_nlg_eval(reference: str, text: str) -> float:
    """Return ROUGE-L as NLG-eval has it: words between spaces, case kept, beta 1.2."""
    found = _rouge(by_spaces=True).score(_cut(reference), _cut(text))["rougeL"]
    return RougeL(
        _PERCENT * float(found.precision), _PERCENT * float(found.recall), 0.0
    ).nlg_eval


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


def _cut(text: str) -> str:
    """Return the beginning of a text; ROUGE-L takes memory by both texts' length."""
    ends = [found.end() for found in re.finditer(r"\S+", text)]
    return text if len(ends) <= MAX_WORDS else text[: ends[MAX_WORDS - 1]]


def _lower(text: str) -> list[str]:
    return [one.lower() for one in pieces(text)]


@cache
def _meteor() -> Callable[..., Any]:
    from nltk.translate.meteor_score import (  # noqa: PLC0415 - slow to import
        single_meteor_score,
    )

    return single_meteor_score  # type: ignore[no-any-return]


class _Spaced:
    """Parts words as NLG-eval does. Fulfils the package's `Tokenizer`."""

    def tokenize(self, text: str) -> list[str]:
        return text.split()


@cache
def _rouge(*, by_spaces: bool) -> Any:
    from rouge_score.rouge_scorer import RougeScorer  # noqa: PLC0415 - slow to import

    return RougeScorer(
        ["rougeL"], use_stemmer=False, tokenizer=_Spaced() if by_spaces else None
    )


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
