"""How much a word tells: the rarer, the more.

The counts come from the training texts and ship with the model, so that a claim is
weighed alike whatever the length of its source. Pure.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from math import log


@dataclass(frozen=True, slots=True)
class Rarity:
    """Document frequencies of the common stems; all others count as rare.

    `floor` is the frequency below which stems are not listed.
    """

    documents: int
    floor: int
    frequencies: Mapping[str, int]

    def __call__(self, stem: str) -> float:
        """Return the weight of `stem`, scaled so that an unlisted one weighs 1."""
        frequency = self.frequencies.get(stem, self.floor)
        return log(1 + self.documents / frequency) / log(
            1 + self.documents / self.floor
        )
