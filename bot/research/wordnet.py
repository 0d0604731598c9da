"""Reads WordNet from its plain files, as Debian's `wordnet-base` installs them.

NLTK's own reader opens files in its own folders only, and wants some that Debian leaves
out. METEOR asks no more than which words share a meaning; the format is `wndb(5WN)`, the
base forms of words are found by the rules of `morphy(7WN)`.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from handlers.ports import PermanentError

DEBIAN = Path("/usr/share/wordnet")  # where the package puts it
_PARTS = ("noun", "verb", "adj", "adv")
# Endings of inflected forms, and of their base forms.
_ENDINGS: Mapping[str, tuple[tuple[str, str], ...]] = {
    "noun": (("s", ""), ("ses", "s"), ("ves", "f"), ("xes", "x"), ("zes", "z"), ("ches", "ch"), ("shes", "sh"), ("men", "man"), ("ies", "y")),
    "verb": (("s", ""), ("ies", "y"), ("es", "e"), ("es", ""), ("ed", "e"), ("ed", ""), ("ing", "e"), ("ing", "")),
    "adj": (("er", ""), ("est", ""), ("er", "e"), ("est", "e")),
    "adv": (),
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class Lemma:
    """A word for a meaning."""

    text: str

    def name(self) -> str:
        """Return the word; those of several words have underscores."""
        return self.text


@dataclass(frozen=True, slots=True)
class Meaning:
    """A synset of WordNet."""

    words: tuple[Lemma, ...]

    def lemmas(self) -> Sequence[Lemma]:
        """Return the words for it."""
        return self.words


class WordNet:
    """Some 60 MB of it in memory. Fulfils `bot.research.evaluation.drafting.overlap.Synonyms`.

    Raises:
        PermanentError: the folder does not hold WordNet's files.
    """

    def __init__(self, folder: Path) -> None:
        try:
            self._parts = {part: _Part(folder, part) for part in _PARTS}
        except (OSError, ValueError, IndexError) as error:
            raise PermanentError(
                f"{folder} does not hold WordNet's files ({error}); install Debian's"
                f" wordnet-base, which puts them into {DEBIAN}"
            ) from error

    def synsets(self, word: str) -> Sequence[Meaning]:
        """Return the meanings of a word in any form; none for what it does not know."""
        return [
            meaning
            for part in self._parts.values()
            for meaning in part.meanings(word.lower())
        ]


class _Part:
    """One part of speech."""

    def __init__(self, folder: Path, part: str) -> None:
        self._data = (folder / f"data.{part}").read_bytes()
        self._offsets = dict(_indexed(folder / f"index.{part}"))
        self._irregular = dict(_exceptions(folder / f"{part}.exc"))
        self._endings = _ENDINGS[part]

    def meanings(self, word: str) -> Iterator[Meaning]:
        for form in self._bases(word):
            for offset in self._offsets[form]:
                yield Meaning(tuple(self._words(offset)))

    def _bases(self, word: str) -> list[str]:
        """Return the word and what it may be a form of, as far as they are known."""
        forms = self._irregular.get(word) or [
            word[: len(word) - len(ending)] + base
            for ending, base in self._endings
            if word.endswith(ending)
        ]
        return [one for one in dict.fromkeys([word, *forms]) if one in self._offsets]

    def _words(self, offset: int) -> Iterator[Lemma]:
        line = self._data[offset : self._data.index(b"\n", offset)].decode().split()
        for at in range(int(line[3], 16)):
            # "(p)" and the like say where an adjective may stand.
            yield Lemma(line[4 + 2 * at].partition("(")[0])


def _indexed(path: Path) -> Iterator[tuple[str, tuple[int, ...]]]:
    """Yield each word with where its meanings stand; the licence is indented."""
    for line in path.read_text("utf-8").splitlines():
        if not line.startswith(" "):
            fields = line.split()
            yield fields[0], tuple(int(one) for one in fields[-int(fields[2]) :])


def _exceptions(path: Path) -> Iterator[tuple[str, list[str]]]:
    for line in path.read_text("utf-8").splitlines():
        form, *bases = line.split()
        yield form, bases
