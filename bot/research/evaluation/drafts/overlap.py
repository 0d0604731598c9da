"""How many words a draft shares with the reference article: METEOR, ROUGE-L, BLEU.

All run from 0 to 100, as in the paper's tables, and compare one text with one
reference. None says how good a text is: each depends on its length (WikiGenBench §5.2),
so a figure means little without the number of words beside it.

METEOR 1.5, the Java program of its authors, which the paper's figures come from, is
neither shipped nor required. Whoever has its file (it comes with NLG-eval and
pycocoevalcap) can get its figures beside those of NLTK, which only implements METEOR's
first version.

WordNet is read from its plain files, as Debian's `wordnet-base` installs them: NLTK's
own reader only opens files in its own folders, and needs some that Debian leaves out.
METEOR only asks which words share a meaning. The format is `wndb(5WN)`; the base forms
of words are found by the rules of `morphy(7WN)`.
"""

import re
import shutil
import subprocess
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from threading import Timer
from typing import Protocol

from handlers.ports import PermanentError

MAX_WORDS = 5_000  # of either text that are compared
_PERCENT = 100
_PIECE = re.compile(r"\w+|[^\w\s]+")


class Synonyms(Protocol):
    """Gives the meanings of a word in any form, as NLTK's reader of WordNet does."""

    def synsets(self, word: str) -> Sequence["Meaning"]: ...


class NoSynonyms:
    """Used if WordNet is not installed: words then match only by form and stem."""

    def synsets(self, _word: str) -> Sequence["Meaning"]:
        return ()


@dataclass(frozen=True, slots=True)
class Weights:
    """The parameters of METEOR: `(1 - gamma * fragmentation ** beta) * F(alpha)`."""

    alpha: float
    beta: float
    gamma: float


# NLTK's defaults, from METEOR's first version (Lavie and Agarwal, 2007) ...
FIRST = Weights(alpha=0.9, beta=3.0, gamma=0.5)
# ... and those of METEOR 1.5 for English, which NLG-eval runs, and thus the paper. It
# also gives less weight to function words, stems, synonyms and paraphrases; NLTK
# cannot.
LATEST = Weights(alpha=0.85, beta=0.2, gamma=0.6)


def meteor(
    reference: str,
    text: str,
    *,
    synonyms: Synonyms | None = None,
    weights: Weights = FIRST,
) -> float:
    """Return NLTK's METEOR: words match by form, then stem, then as synonyms."""
    from nltk.translate import meteor_score  # noqa: PLC0415 - slow to import

    found = meteor_score.single_meteor_score(
        pieces(reference),
        pieces(text),
        wordnet=synonyms or NoSynonyms(),
        alpha=weights.alpha,
        beta=weights.beta,
        gamma=weights.gamma,
    )
    return _PERCENT * float(found)


def rouge_l(reference: str, text: str) -> float:
    """Return ROUGE-L (F1) of the package `rouge-score`: no stemming, case is ignored."""
    from rouge_score.tokenize import tokenize  # noqa: PLC0415 - slow to import

    return _rouge_l(tokenize(reference, None), tokenize(text, None), beta=1.0)


def rouge_l_nlg_eval(reference: str, text: str) -> float:
    """Return ROUGE-L as in NLG-eval: words split at spaces, case kept, beta 1.2."""
    return _rouge_l(reference.split(), text.split(), beta=1.2)


def bleu(reference: str, text: str) -> float:
    """Return NLTK's BLEU of up to four words; a count of 0 counts as 0.1."""
    if not pieces(text) or not pieces(reference):
        return 0.0
    from nltk.translate import bleu_score  # noqa: PLC0415 - slow to import

    found = bleu_score.sentence_bleu(
        [[one.lower() for one in pieces(reference)]],
        [one.lower() for one in pieces(text)],
        smoothing_function=bleu_score.SmoothingFunction(epsilon=0.1).method1,
    )
    return _PERCENT * float(found)


def pieces(text: str) -> list[str]:
    """Return the words and the runs of other characters, `MAX_WORDS` at most."""
    return _PIECE.findall(text)[:MAX_WORDS]


def words(text: str) -> int:
    """Return the length of a text: how many words it has, split at spaces."""
    return len(text.split())


def _rouge_l(reference: Sequence[str], text: Sequence[str], *, beta: float) -> float:
    """Return the F of two whole texts by their longest common subsequence of words."""
    reference, text = reference[:MAX_WORDS], text[:MAX_WORDS]
    common = _common(reference, text)
    if not common:
        return 0.0
    precision, recall = common / len(text), common / len(reference)
    weight = beta**2
    below = recall + weight * precision
    return _PERCENT * (1 + weight) * precision * recall / below


def _common(one: Sequence[str], other: Sequence[str]) -> int:
    """Return the length of the longest common subsequence.

    `rouge-score` fills a table of all pairs of words, which takes seconds; a row of
    bits for each word takes milliseconds (Hyyrö, 2004). A bit of `row` is 0 where the
    subsequence grows by a word.
    """
    places: dict[str, int] = {}
    for at, word in enumerate(one):
        places[word] = places.get(word, 0) | 1 << at
    whole = row = (1 << len(one)) - 1
    for word in other:
        met = row & places.get(word, 0)
        row = (row + met | row - met) & whole
    return (whole ^ row).bit_count()


_SLOWEST_S = 300.0  # long texts take about ten seconds
_BAR = "|||"  # what the program separates its fields with


class MeteorProgram:
    """One running program; to be used in a `with` statement."""

    def __init__(self, jar: Path) -> None:
        self._java = shutil.which("java")
        if self._java is None:
            raise PermanentError(
                "METEOR 1.5 is a Java program and no `java` was found; install"
                " default-jre-headless, or leave it out"
            )
        if not jar.is_file():
            raise PermanentError(f"{jar} is no file; pass the path of meteor-1.5.jar")
        self._jar = jar.resolve()
        self._program: subprocess.Popen[str] | None = None

    def __enter__(self) -> "MeteorProgram":
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Stop the program; it starts again at the next question."""
        if self._program is not None:
            self._program.kill()
            self._program.communicate()
            self._program = None

    def score(self, reference: str, text: str) -> float:
        """Return METEOR 1.5 for English, normalised, as NLG-eval asks for it: 0 to 100."""
        self._put(f"SCORE {_BAR} {_line(reference)} {_BAR} {_line(text)}")
        self._put(f"EVAL {_BAR} {self._get()}")
        self._get()  # the score of the segment, which is the whole text
        try:
            return _PERCENT * float(self._get())
        except ValueError as error:
            raise self._broken() from error

    def _put(self, line: str) -> None:
        program = self._running()
        assert program.stdin is not None  # noqa: S101 - it was opened with one
        try:
            program.stdin.write(f"{line}\n")
            program.stdin.flush()
        except OSError as error:
            raise self._broken() from error

    def _get(self) -> str:
        program = self._running()
        assert program.stdout is not None  # noqa: S101 - it was opened with one
        limit = Timer(_SLOWEST_S, program.kill)
        limit.start()
        try:
            message = program.stdout.readline().strip()
        finally:
            limit.cancel()
        if not message:
            raise self._broken()
        return message

    def _running(self) -> "subprocess.Popen[str]":
        if self._program is None:
            self._program = subprocess.Popen(  # noqa: S603 - no shell, and what the user named
                [
                    self._java or "java",
                    *("-Xmx2G", "-jar", str(self._jar)),
                    *("-", "-", "-stdio", "-l", "en", "-norm"),
                ],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.DEVNULL,
                text=True,
                encoding="utf-8",
            )
        return self._program

    def _broken(self) -> PermanentError:
        self.close()
        return PermanentError(
            f"{self._jar} gave no score; is it METEOR 1.5 with its `data` folder beside?"
        )


def _line(text: str) -> str:
    return " ".join(text.replace(_BAR, " ").split())


DEBIAN = Path("/usr/share/wordnet")  # where the package puts it
_PARTS = ("noun", "verb", "adj", "adv")
# Endings of inflected forms, and of their base forms.
_ENDINGS: Mapping[str, tuple[tuple[str, str], ...]] = {
    "noun": (("s", ""), ("ses", "s"), ("ves", "f"), ("xes", "x"), ("zes", "z"), ("ches", "ch"), ("shes", "sh"), ("men", "man"), ("ies", "y")),
    "verb": (("s", ""), ("ies", "y"), ("es", "e"), ("es", ""), ("ed", "e"), ("ed", ""), ("ing", "e"), ("ing", "")),
    "adj": (("er", ""), ("est", ""), ("er", "e"), ("est", "e")),
    "adv": (),
}  # fmt: skip


class Lemma(str):
    """A word for a meaning; phrases are written with underscores."""

    __slots__ = ()

    def name(self) -> str:
        return self


class Meaning(tuple[Lemma, ...]):
    """A synset of WordNet."""

    __slots__ = ()

    def lemmas(self) -> Sequence[Lemma]:
        return self


class WordNet:
    """Needs some 60 MB of memory. Implements `Synonyms`."""

    def __init__(self, folder: Path) -> None:
        try:
            self._parts = {part: _Part(folder, part) for part in _PARTS}
        except (OSError, ValueError, IndexError) as error:
            raise PermanentError(
                f"{folder} does not hold WordNet's files ({error}); install Debian's"
                f" wordnet-base, which puts them into {DEBIAN}"
            ) from error

    def synsets(self, word: str) -> Sequence[Meaning]:
        return [
            meaning
            for part in self._parts.values()
            for meaning in part.meanings(word.lower())
        ]


class _Part:
    def __init__(self, folder: Path, part: str) -> None:
        self._data = (folder / f"data.{part}").read_bytes()
        self._offsets = dict(_indexed(folder / f"index.{part}"))
        self._irregular = dict(_exceptions(folder / f"{part}.exc"))
        self._endings = _ENDINGS[part]

    def meanings(self, word: str) -> Iterator[Meaning]:
        for form in self._bases(word):
            for offset in self._offsets[form]:
                yield Meaning(self._words(offset))

    def _bases(self, word: str) -> list[str]:
        """Return the word and its possible base forms, as far as WordNet knows them."""
        forms = self._irregular.get(word) or [
            word[: len(word) - len(ending)] + base
            for ending, base in self._endings
            if word.endswith(ending)
        ]
        return [one for one in dict.fromkeys([word, *forms]) if one in self._offsets]

    def _words(self, offset: int) -> Iterator[Lemma]:
        line = self._data[offset : self._data.index(b"\n", offset)].decode().split()
        for at in range(int(line[3], 16)):
            # "(p)" and the like say where an adjective may be placed.
            yield Lemma(line[4 + 2 * at].partition("(")[0])


def _indexed(path: Path) -> Iterator[tuple[str, tuple[int, ...]]]:
    """Yield each word with the places of its meanings; the licence text is indented."""
    for line in path.read_text("utf-8").splitlines():
        if not line.startswith(" "):
            fields = line.split()
            yield fields[0], tuple(int(one) for one in fields[-int(fields[2]) :])


def _exceptions(path: Path) -> Iterator[tuple[str, list[str]]]:
    for line in path.read_text("utf-8").splitlines():
        form, *bases = line.split()
        yield form, bases
