"""What a claim asks its sources to bear out, stem by stem.

A number counts as one thing however many words it takes, and its unit goes with it;
a value that only converts the one before it asks for nothing. Pure.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from itertools import pairwise

from handlers.citations.cues.rarity import Rarity
from handlers.citations.cues.reading import Reading, number_stem
from handlers.citations.cues.units import without_asides
from handlers.citations.cues.words import content_stems, words
from handlers.model import Claim, ClaimKind

CELLS = frozenset({ClaimKind.TABLE_CELL, ClaimKind.INFOBOX_VALUE})
_HINT_OF_CELL = 0.5  # beside the claim's own words
_HINT_OF_SENTENCE = 0.1


@dataclass(frozen=True, slots=True)
class Claimed:
    """A claim prepared for comparison.

    `asked` holds for each word of the claim the stem that the source must bear out,
    or an empty text. `weights` tell what each one tells; words of the title are left
    out unless nothing else remains. `hints` are words around the claim that tell
    which part of a source speaks of it; in a cell of a table or an infobox they are
    half of what is said.
    """

    reading: Reading
    asked: tuple[str, ...]
    weights: Mapping[str, float]
    all_weights: Mapping[str, float]
    title: frozenset[str]
    bigrams: frozenset[tuple[str, str]]
    hints: Mapping[str, float]
    is_cell: bool
    stems: frozenset[str]  # all of those above

    @property
    def hint_share(self) -> float:
        """Return what the hints count beside the claim, which counts 1."""
        return _HINT_OF_CELL if self.is_cell else _HINT_OF_SENTENCE


def prepare(
    claim: Claim, title: str, rarity: Rarity, read: Callable[[str], Reading]
) -> Claimed:
    """Read a claim of the article `title`."""
    reading = _with_counted(read(without_asides(claim.text)), claim)
    asked = _asked(reading)
    known = content_stems(words(title))
    everything = {stem: rarity(stem) for stem in asked if stem}
    novel = {stem: weight for stem, weight in everything.items() if stem not in known}
    hints = _hints(claim, title, rarity)
    stems = [word.stem for word in reading.content]
    return Claimed(
        reading=reading,
        asked=asked,
        weights=novel or everything,
        all_weights=everything,
        title=known,
        bigrams=frozenset(pairwise(stems)),
        hints=hints,
        is_cell=claim.kind in CELLS,
        stems=frozenset([*everything, *known, *hints]),
    )


def _asked(reading: Reading) -> tuple[str, ...]:
    asked = [word.stem if word.is_content else "" for word in reading.words]
    for one in reading.quantities:
        asked[one.first_word : one.last_word + 1] = [""] * one.word_count
        asked[one.first_word] = number_stem(one.value)
    return tuple(asked)


def _hints(claim: Claim, title: str, rarity: Rarity) -> dict[str, float]:
    """Return the words that tell what the claim is about though it does not say."""
    around = " ".join((title, claim.row or "", claim.column or ""))
    return {stem: rarity(stem) for stem in content_stems(words(around))}


def _with_counted(reading: Reading, claim: Claim) -> Reading:
    """Let the bare numbers of a cell count what its header says ("injuries: 52")."""
    label = content_stems(words(claim.column or claim.row or ""))
    if claim.kind not in CELLS or len(label) != 1:
        return reading
    [counted] = label
    return replace(
        reading,
        quantities=tuple(
            one if one.unit else replace(one, unit=counted)
            for one in reading.quantities
        ),
    )
