"""Tells what one revision changed: sentences that came and went, and new sources.

The sentences of the whole page are weighed against each other, so that one that was
only moved, or whose heading was renamed, is no change. Neither are signs, capitals and
markup, for only words and numbers are compared. Paragraphs are paired by the words
they share. Pure.
"""

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence

from handlers.citations.addresses import keys_of
from handlers.model import Source
from handlers.updates.human_edits.paragraphs import Paragraph
from handlers.updates.human_edits.values import (
    HumanEdit,
    Look,
    ParagraphChange,
    RevisionNote,
)

_MOST_PAIRS = (
    40_000  # of changed paragraphs that are weighed; a page made anew has more
)
_REACH = 40  # places among those that changed, on a page made anew
_LEAST_SHARED = 0.3  # of the words of two paragraphs that are taken for the same
_SAME_SECTION = 0.1  # what standing in one section adds to that
_WITH_HEADER = frozenset({Look.INFOBOX, Look.TABLE})

_Pair = tuple[Paragraph | None, Paragraph | None]


def edits_between(
    before: Sequence[Paragraph], after: Sequence[Paragraph], note: RevisionNote
) -> tuple[HumanEdit, ...]:
    """Return the edits of the revision `note`, one for each section, in page order.

    Args:
        before: the paragraphs of the revision before it.
        after: its own.
        note: who saved it, and when.
    """
    weighed = _Weighed(before, after)
    by_section: dict[tuple[str, ...], list[ParagraphChange]] = defaultdict(list)
    for pair in _pairs(before, after):
        change = weighed.change(*pair)
        if change is not None:
            there = pair[1] or pair[0]
            if there is not None:
                by_section[there.section].append(change)
    looks: dict[tuple[str, ...], set[Look]] = defaultdict(set)
    for one in after:
        looks[one.section].add(one.look)
    is_changed = {one.section for one in before} != {one.section for one in after}
    return tuple(
        HumanEdit(note, section, tuple(changes), frozenset(looks[section]), is_changed)
        for section, changes in by_section.items()
    )


class _Weighed:
    """The sentences and sources of two revisions, weighed against each other."""

    def __init__(self, before: Sequence[Paragraph], after: Sequence[Paragraph]) -> None:
        old = Counter(key for one in before for key in one.keys if key)
        new = Counter(key for one in after for key in one.keys if key)
        self._came = new - old
        self._went = old - new
        self._known = {
            key for one in before for source in one.sources for key in _names_of(source)
        }

    def change(
        self, old: Paragraph | None, new: Paragraph | None
    ) -> ParagraphChange | None:
        """Return what became of a paragraph; `None` if it says what it said."""
        came = _taken(self._came, new, old)
        went = _taken(self._went, old, new)
        sources = tuple(
            source
            for source in (new.sources if new else ())
            if self._known.isdisjoint(_names_of(source))
        )
        there = new or old
        if there is None or not (came or went or sources):
            return None
        return ParagraphChange(
            look=there.look,
            before=old.wikitext if old else "",
            after=new.wikitext if new else "",
            insertions=came,
            removals=went,
            sources=sources,
        )


def _names_of(source: Source) -> tuple[str, ...]:
    return keys_of(source) or (source.key,)


def _taken(
    counts: Counter[str], here: Paragraph | None, there: Paragraph | None
) -> tuple[str, ...]:
    """Return the sentences `here` that the other side lacks; each is given out once."""
    if here is None:
        return ()
    same = Counter(there.keys if there else ())
    found = []
    for sentence, key in zip(here.sentences, here.keys, strict=True):
        if same[key] > 0:
            same[key] -= 1
        elif counts[key] > 0:
            counts[key] -= 1
            found.append(sentence)
    return tuple(found)


def _pairs(before: Sequence[Paragraph], after: Sequence[Paragraph]) -> list[_Pair]:
    """Pair the paragraphs that differ, in the order of `after`, then what is gone."""
    unchanged = Counter(map(_face, before)) & Counter(map(_face, after))
    old = list(_others(before, Counter(unchanged)))
    new = list(_others(after, Counter(unchanged)))
    partners = _partners(old, new)
    pairs: list[_Pair] = [
        (old[partners[at]] if at in partners else None, one)
        for at, one in enumerate(new)
    ]
    taken = set(partners.values())
    return pairs + [(one, None) for at, one in enumerate(old) if at not in taken]


def _face(one: Paragraph) -> tuple[str, tuple[str, ...], tuple[str, ...]]:
    """Return what two paragraphs must have in common to be one and the same."""
    return one.wikitext, one.keys, tuple(source.key for source in one.sources)


def _others(
    paragraphs: Iterable[Paragraph],
    unchanged: Counter[tuple[str, tuple[str, ...], tuple[str, ...]]],
) -> Iterator[Paragraph]:
    for one in paragraphs:
        face = _face(one)
        if unchanged[face] > 0:
            unchanged[face] -= 1
        else:
            yield one


def _partners(old: Sequence[Paragraph], new: Sequence[Paragraph]) -> dict[int, int]:
    """Return for places in `new` the place in `old` that became it, best pairs first."""
    partners: dict[int, int] = {}
    taken: set[int] = set()
    for _, _, there, here in sorted(_scored(old, new)):
        if there not in partners and here not in taken:
            partners[there] = here
            taken.add(here)
    return partners


def _scored(
    old: Sequence[Paragraph], new: Sequence[Paragraph]
) -> Iterator[tuple[float, int, int, int]]:
    """Yield pairs that may be one paragraph, with what orders them, the best lowest."""
    old_words = [set(" ".join(one.keys).split()) for one in old]
    new_words = [set(" ".join(one.keys).split()) for one in new]
    reach = _REACH if len(old) * len(new) > _MOST_PAIRS else max(len(old), len(new))
    for there, one in enumerate(new):
        for here in range(max(0, there - reach), min(len(old), there + reach + 1)):
            other = old[here]
            is_near = one.section == other.section
            if one.look is not other.look:
                continue
            alike = _dice(old_words[here], new_words[there])
            if one.look in _WITH_HEADER:
                alike = max(alike, _same_header(other, one))
            if alike >= _LEAST_SHARED:
                yield -alike - _SAME_SECTION * is_near, abs(here - there), there, here


def _dice(one: set[str], other: set[str]) -> float:
    if not one or not other:
        return 0.0
    return 2 * len(one & other) / (len(one) + len(other))


def _same_header(one: Paragraph, other: Paragraph) -> float:
    """Return 1 for two values of one parameter or cell, however unlike they are."""
    headers = {
        text.partition(": ")[0] for text in (one.sentences[0], other.sentences[0])
    }
    return float(len(headers) == 1)
