"""What people changed in an article, from its revisions (WiNELL §4.1, appendix A). Pure.

Two revisions are compared paragraph by paragraph: those that share most words are the
same one; punctuation, capitals and markup do not count. A sentence that was only moved
counts as neither added nor removed.
"""

import re
from bisect import bisect_right
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import date, datetime
from enum import Enum
from operator import itemgetter

from handlers.model import ClaimKind, Page, Source, Span, Statement
from handlers.page.article import stated
from handlers.page.paragraphs import PageFlow
from handlers.page.prose import normalised
from handlers.page.scan import scan
from handlers.page.sources import parse_date
from handlers.sources.addresses import keys_of


@dataclass(frozen=True, slots=True)
class RevisionNote:
    """What a wiki says about a revision besides its text. Hidden parts are empty."""

    revision_id: int
    saved_at: datetime
    user: str = ""
    comment: str = ""
    tags: tuple[str, ...] = ()  # such as "mw-reverted"
    is_minor: bool = False


@dataclass(frozen=True, slots=True)
class Revision:
    """A revision with its wikitext, which is `None` if hidden."""

    note: RevisionNote
    text: str | None


class Layout(Enum):
    """How the changed words look on the page."""

    PARAGRAPH = "paragraph"
    ITEM = "item of a list"
    CAPTION = "caption"
    INFOBOX = "value of an infobox"
    TABLE = "cell of a table"


class Fate(Enum):
    """What became of an edit by the last revision that was read."""

    KEPT = "it is still there"
    REWORDED = "others have changed its words"
    UNDONE = "it was undone"


@dataclass(frozen=True, slots=True)
class ParagraphChange:
    """A paragraph, item, value or cell before and after, in wikitext.

    One side is empty if it is new or gone. `insertions` and `removals` are plain
    sentences that the page did not have before, or no longer has; a sentence that was
    only moved is in neither. `sources` are those new to the page.
    """

    layout: Layout
    before: str
    after: str
    insertions: tuple[str, ...] = ()
    removals: tuple[str, ...] = ()
    sources: tuple[Source, ...] = ()


@dataclass(frozen=True, slots=True)
class HumanEdit:
    """What one revision changed in one section, in the order of the page.

    `layouts` are those of everything in the section.
    """

    note: RevisionNote
    section: tuple[str, ...]
    changes: tuple[ParagraphChange, ...]
    layouts: frozenset[Layout] = frozenset()
    fate: Fate = Fate.KEPT

    @property
    def insertions(self) -> tuple[str, ...]:
        """The plain sentences that were added."""
        return tuple(text for one in self.changes for text in one.insertions)

    @property
    def removals(self) -> tuple[str, ...]:
        """The plain sentences that were removed."""
        return tuple(text for one in self.changes for text in one.removals)

    @property
    def sources(self) -> tuple[Source, ...]:
        """The sources new to the page, each once."""
        found = {source.key: source for one in self.changes for source in one.sources}
        return tuple(found.values())


_LAYOUTS = {
    ClaimKind.LIST_ITEM: Layout.ITEM,
    ClaimKind.CAPTION: Layout.CAPTION,
    ClaimKind.INFOBOX_VALUE: Layout.INFOBOX,
    ClaimKind.TABLE_CELL: Layout.TABLE,
}


@dataclass(frozen=True, slots=True)
class Paragraph:
    """A block of words. `keys` are its sentences, normalised, in the same order.

    `sources` are those that its words cite, in order.
    """

    section: tuple[str, ...]
    layout: Layout
    wikitext: str
    sentences: tuple[str, ...]
    keys: tuple[str, ...]
    sources: tuple[Source, ...] = ()


def paragraphs_of(page: Page) -> tuple[Paragraph, ...]:
    """Return the paragraphs of `page` in its order. Takes time linear in its length."""
    return _Reader(page).read()


class _Reader:
    def __init__(self, page: Page) -> None:
        self._page = page
        elements = scan(page.wikitext).elements
        starts = list(map(itemgetter(1), elements))
        self._flows = PageFlow(page.wikitext, page.sections, elements, starts)

    def read(self) -> tuple[Paragraph, ...]:
        groups: dict[Span, list[Statement]] = {}
        for one in stated(self._page):
            groups.setdefault(self._around(one), []).append(one)
        words = [found[0].span.start for found in groups.values()]
        sources = self._sources(sorted(words))
        return tuple(
            self._paragraph(span, found, sources.get(found[0].span.start, ()))
            for span, found in groups.items()
        )

    def _around(self, one: Statement) -> Span:
        """Return the whole paragraph or value that contains a statement."""
        if one.header is not None:
            return one.span
        flow = self._flows.flow_of(self._flows.section_of(one.span.start))
        index = flow.block_of(one.span.start)
        if index is None:
            return one.span
        block = flow.blocks[index]
        return Span(block.start, block.end)

    def _sources(self, starts: Sequence[int]) -> dict[int, tuple[Source, ...]]:
        """Return what is cited, by where the words of a paragraph begin."""
        found: dict[int, dict[str, Source]] = defaultdict(dict)
        for claim in self._page.claims:
            at = bisect_right(starts, claim.span.start) - 1
            if at >= 0:
                for source in claim.sources:
                    found[starts[at]].setdefault(source.key, source)
        return {start: tuple(by_key.values()) for start, by_key in found.items()}

    def _paragraph(
        self, span: Span, found: Sequence[Statement], sources: tuple[Source, ...]
    ) -> Paragraph:
        sentences = tuple(
            f"{one.header}: {one.text}" if one.header else one.text for one in found
        )
        return Paragraph(
            section=found[0].section,
            layout=_LAYOUTS.get(found[0].kind, Layout.PARAGRAPH),
            wikitext=self._words(span, found[0].span.start),
            sentences=sentences,
            keys=tuple(map(normalised, sentences)),
            sources=sources,
        )

    def _words(self, span: Span, first: int) -> str:
        """Return the wikitext of a paragraph without a box directly before it."""
        text = self._page.wikitext
        line = text.rfind("\n", span.start, first) + 1 or span.start
        before = text[line:first]
        is_whole = before.count("{{") == before.count("}}")
        return text[line if is_whole else first : span.end].strip()


_NUMBER = re.compile(r"\d+")
_YEAR = re.compile(r"(?<!\d)(?:1[5-9]|20)\d\d(?!\d)")
_LEAST_NUMBERS = 2  # a day needs one besides the year


def published_on(source: Source) -> date | None:
    """Return the day that the citation gives; `None` for a month or a year alone."""
    written = source.published or ""
    if len(_NUMBER.findall(written)) < _LEAST_NUMBERS or _is_month(written):
        return None
    return parse_date(written)


def published_in(source: Source) -> int | None:
    """Return the year that the citation gives."""
    found = _YEAR.search(source.published or "")
    return int(found[0]) if found else None


def latency_days(saved: date, days: Iterable[date | None]) -> tuple[int, ...]:
    """Return how many days after each known day an edit was saved.

    A source from after the edit has a wrong date, and is left out.
    """
    return tuple((saved - day).days for day in days if day and day <= saved)


def _is_month(written: str) -> bool:
    """Recognise "2024-05", which has two numbers but no day."""
    return bool(re.fullmatch(r"\s*\d{4}-\d{1,2}\s*", written))


_MOST_PAIRS = 40_000  # of changed paragraphs to compare; a rewritten page has more
_REACH = 40  # places among those that changed, on a rewritten page
_LEAST_SHARED = 0.3  # of the words of two paragraphs that count as the same
_SAME_SECTION = 0.1  # what being in the same section adds to that
_WITH_HEADER = frozenset({Layout.INFOBOX, Layout.TABLE})

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
    layouts: dict[tuple[str, ...], set[Layout]] = defaultdict(set)
    for one in after:
        layouts[one.section].add(one.layout)
    return tuple(
        HumanEdit(note, section, tuple(changes), frozenset(layouts[section]))
        for section, changes in by_section.items()
    )


class _Weighed:
    """The sentences and sources of two revisions, compared."""

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
        """Return what became of a paragraph; `None` if it still says the same."""
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
            layout=there.layout,
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
    """Return the sentences `here` that the other side lacks, each once."""
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
    """Pair the paragraphs that differ, in the order of `after`, then removed ones."""
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
    """Return what two paragraphs share if nothing in them has changed."""
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
    """Return, for places in `new`, the matching place in `old`, best pairs first."""
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
    """Yield pairs that may be one paragraph, with a sort key, the best lowest."""
    old_words = [set(" ".join(one.keys).split()) for one in old]
    new_words = [set(" ".join(one.keys).split()) for one in new]
    reach = _REACH if len(old) * len(new) > _MOST_PAIRS else max(len(old), len(new))
    for there, one in enumerate(new):
        for here in range(max(0, there - reach), min(len(old), there + reach + 1)):
            other = old[here]
            is_near = one.section == other.section
            if one.layout is not other.layout:
                continue
            alike = _dice(old_words[here], new_words[there])
            if one.layout in _WITH_HEADER:
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
