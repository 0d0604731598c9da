"""The stems of a text, arranged so that a near relative of a stem is found fast.

A stem of the claim is borne out by the same stem, less by one that is often used
for it or that only ends otherwise, and by a number that rounds to it. Pure.
"""

from handlers.citations.cues.clock import same_times
from handlers.citations.cues.kinship import kin
from handlers.citations.cues.numbers import close

_PREFIX = 5  # letters that two stems must share to count as related
_KIN = 0.6
_RELATED = 0.6  # what a related stem ("German" for "Germany") is worth
_LONGEST_DIGITS = 15


class StemIndex:
    """A set of stems. What it says of a stem is remembered."""

    __slots__ = ("_decimals", "_heads", "_known", "stems")

    def __init__(self, stems: frozenset[str]) -> None:
        self.stems = stems
        self._known: dict[str, float] = {}
        self._heads: frozenset[str] | None = None
        self._decimals: list[str] | None = None

    def support(self, stem: str) -> float:
        """Return how far it holds `stem`: 1 the same, less a related one, else 0."""
        if stem in self.stems:
            return 1.0
        known = self._known.get(stem)
        if known is None:
            known = self._known[stem] = self._near(stem)
        return known

    def _near(self, stem: str) -> float:
        if not kin(stem).isdisjoint(self.stems):
            return _KIN
        if stem.isalpha():
            return _RELATED if len(stem) >= _PREFIX and self._related(stem) else 0.0
        if ":" in stem:
            return float(any(time in self.stems for time in same_times(stem)))
        return float("." in stem and _is_number(stem) and self._rounded(stem))

    def _related(self, stem: str) -> bool:
        if self._heads is None:
            self._heads = frozenset({one[:_PREFIX] for one in self.stems})
        head = stem[:_PREFIX]
        return head in self._heads and any(
            _only_ends_otherwise(stem, other)
            for other in self.stems
            if other.startswith(head)
        )

    def _rounded(self, stem: str) -> bool:
        if self._decimals is None:
            self._decimals = [one for one in self.stems if _is_number(one)]
        precision, value = _precision(stem), float(stem)
        return any(
            close(value, precision, float(other), _precision(other))
            for other in self._decimals
        )


def _only_ends_otherwise(stem: str, other: str) -> bool:
    shared = min(len(stem), len(other)) - 1
    return abs(len(stem) - len(other)) <= _PREFIX and stem[:shared] == other[:shared]


def _is_number(stem: str) -> bool:
    whole, _, decimals = stem.partition(".")
    return (
        len(stem) <= _LONGEST_DIGITS
        and stem.isascii()
        and whole.isdigit()
        and (not decimals or decimals.isdigit())
    )


def _precision(stem: str) -> float:
    return float(10.0 ** -len(stem.partition(".")[2]))
