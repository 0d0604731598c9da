"""What an edit does to wikitext: words that go, words and markup that come."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import pairwise

from handlers.model import Span


@dataclass(frozen=True, slots=True)
class Change:
    """Words at `span` go, and others come in their place; an empty span takes none.

    `words` are plain. `markup`, a citation or a mark, follows them, and then `closing`:
    the full stop, on wikis that put it behind the citation.
    """

    span: Span
    words: str = ""
    markup: str = ""
    closing: str = ""

    @property
    def new(self) -> str:
        """All that comes."""
        return f"{self.words}{self.markup}{self.closing}"

    @property
    def gain(self) -> int:
        """How much longer the wikitext gets."""
        return len(self.new) - (self.span.end - self.span.start)


def in_order(changes: Iterable[Change]) -> tuple[Change, ...]:
    """Return the changes by place, those at one place made into one.

    Raises:
        ValueError: two of them overlap.
    """
    found: list[Change] = []
    for one in sorted(changes, key=lambda each: (each.span.start, each.span.end)):
        last = found[-1] if found else None
        if last and last.span == one.span and one.span.start == one.span.end:
            found[-1] = Change(
                one.span,
                last.words + one.words,
                last.markup + one.markup,
                last.closing + one.closing,
            )
        else:
            found.append(one)
    for one, other in pairwise(found):
        if other.span.start < one.span.end:
            raise ValueError("two changes overlap")
    return tuple(found)


def applied(wikitext: str, changes: Sequence[Change]) -> str:
    """Return `wikitext` with all changes, which are `in_order`."""
    parts = []
    at = 0
    for one in changes:
        parts += [wikitext[at : one.span.start], one.new]
        at = one.span.end
    return "".join([*parts, wikitext[at:]])


@dataclass(frozen=True, slots=True)
class Moved:
    """Where places of the wikitext are once the changes have been made."""

    changes: tuple[Change, ...]

    def start(self, at: int) -> int:
        """Return where something that begins at `at` begins then."""
        return at + sum(one.gain for one in self.changes if one.span.end <= at)

    def end(self, at: int) -> int:
        """Return where something that ends at `at` ends then: what comes is not in it."""
        return at + sum(
            one.gain
            for one in self.changes
            if one.span.end <= at and one.span.start < at
        )

    def came(self) -> tuple[tuple[Span, Change], ...]:
        """Return each change with the place of all that it brings."""
        found = []
        gained = 0
        for one in self.changes:
            start = one.span.start + gained
            found.append((Span(start, start + len(one.new)), one))
            gained += one.gain
        return tuple(found)
