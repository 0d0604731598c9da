"""Which cited claims an edit changed, and how.

Claims are aligned by their words, their sources and their place, so that a claim that
only moved, a footnote with another name or a template put around it is no change, and
the halves of a sentence that was split are each beside the whole. Nothing is judged
here: what an edit did can be harmless. Pure.
"""

import re
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from difflib import SequenceMatcher
from functools import cached_property

from handlers.model import (
    CELLS,
    ChangedClaim,
    Claim,
    EditKind,
    NotCompared,
    Page,
    Source,
    Span,
    Statement,
)
from handlers.page.article import stated
from handlers.page.prose import normalised
from handlers.sources.addresses import keys_of

# Shares of the words that two versions of a sentence have in common.
_ALIKE = 0.5
_ALIKE_IN_PLACE = 0.3  # between the same unchanged claims
_MOST_CHANGED = 150  # claims; more are a rewrite, a merger or a split of the article
_MOST_BYTES = 200_000  # of what lies between the first and the last difference
_BLANK_SHARE = 0.1  # of its text, with which a page counts as blanked
_HARDLY = 0.1  # share of its statements below which a page is taken for another
_FEWEST_TOLD = 5  # statements; those of a stub may all be edited
_LEAST_PART = 4  # words
_BREAK = re.compile(r"\n(?=[ \t]*\n|[*#:;|!=])")
_WORD = re.compile(r"[^\s\W]+(?:[.,:'’–-][^\s\W]+)*|[^\w\s]")
_NEAR = 6_000  # characters of a paragraph on either side of a statement


@dataclass(frozen=True, slots=True)
class Changes:
    """What an edit changed; `not_compared` says why nothing was looked at."""

    claims: tuple[ChangedClaim, ...] = ()
    not_compared: NotCompared | None = None
    hardly_alike: bool = False  # one of the texts may be of another article


def changes_between(
    before: Page, after: Page, baselines: Mapping[str, str] | None = None
) -> Changes:
    """Return the cited claims that were changed between two revisions of a page.

    Args:
        before: the page at the earlier revision.
        after: the page now.
        baselines: what stood before an earlier edit that is still at issue, by the
            normalised words that it left; the next edit of these is compared with that.
    """
    if before.wikitext == after.wikitext:
        return Changes()
    refused = refused_texts(before.wikitext, after.wikitext)
    if refused is not None:
        return Changes(not_compared=refused)
    edit = _Edit(Side(before), Side(after), baselines or {})
    if max(len(edit.old), len(edit.new)) > _MOST_CHANGED:
        return Changes(
            not_compared=NotCompared.TOO_MANY, hardly_alike=edit.is_of_another_text
        )
    found = tuple(sorted(edit.changes(), key=lambda one: one.span.start))
    return Changes(
        found,
        hardly_alike=not any(one.before for one in found) and edit.is_of_another_text,
    )


def refused_texts(before: str, after: str) -> NotCompared | None:
    """Return why two texts are not compared; it costs little, and needs no parser."""
    if len(after.strip()) < _BLANK_SHARE * len(before.strip()):
        return NotCompared.BLANKED
    most = max(len(before), len(after))
    if most > _MOST_BYTES and _differing(before, after) > _MOST_BYTES:
        return NotCompared.TOO_LARGE
    return None


def _differing(before: str, after: str) -> int:
    """Return how many bytes of the longer text lie between what both share."""
    old, new = (text.encode("utf-8", "surrogatepass") for text in (before, after))
    shorter = min(len(old), len(new))
    start = next((at for at in range(shorter) if old[at] != new[at]), shorter)
    rest = shorter - start
    end = next((at for at in range(rest) if old[-1 - at] != new[-1 - at]), rest)
    return max(len(old), len(new)) - start - end


class Side:
    """One revision of a page: what it says, and which sources stand behind it."""

    def __init__(self, page: Page) -> None:
        self.page = page
        self.claims = tuple(claim for claim in page.claims if claim.sources)

    @cached_property
    def statements(self) -> Sequence[tuple[str, Statement]]:
        """All that the page says, with its normalised words, in order."""
        return [(_words(one.text, one.header), one) for one in stated(self.page)]

    @cached_property
    def text(self) -> str:
        """The normalised words of all statements, each on a line."""
        return _lines(words for words, _ in self.statements)

    @cached_property
    def markers(self) -> Sequence[tuple[int, frozenset[str]]]:
        """Where each citation is, and the names of its sources."""
        return [
            (citation.marker.start, names_of(citation.sources))
            for claim in self.claims
            for citation in claim.citations
        ]

    def times_cited(self, names: Collection[str]) -> int:
        """Return how many citations of one of these sources there are."""
        return len({at for at, cited in self.markers if not cited.isdisjoint(names)})

    def says(self, words: str) -> bool:
        """Return whether normalised words stand on the page, in one statement."""
        return words in self.text if _is_part(words) else _lines([words]) in self.text

    def find(self, words: str) -> Iterator[Statement]:
        """Yield the statements with these normalised words."""
        if self.says(words):
            for said, one in self.statements:
                if said == words or (_is_part(words) and words in said):
                    yield one

    def within(self, paragraph: Span) -> str:
        """Return the normalised words of a paragraph."""
        return _lines(
            words
            for words, one in self.statements
            if paragraph.start <= one.span.start < paragraph.end
        )

    def stands_behind(self, span: Span, names: Collection[str]) -> bool:
        """Return whether a citation of one of these sources follows in the paragraph.

        A footnote at the end of a paragraph can stand for several of its sentences.
        """
        paragraph = paragraph_at(self.page.wikitext, span)
        return any(
            span.start <= at < paragraph.end and not cited.isdisjoint(names)
            for at, cited in self.markers
        )


def _is_part(words: str) -> bool:
    """Return whether words are enough to be known inside a longer statement."""
    return words.count(" ") >= _LEAST_PART - 1


def _lines(texts: Iterable[str]) -> str:
    return "\n".join(("", *texts, ""))


def paragraph_at(wikitext: str, span: Span) -> Span:
    """Return the paragraph, item or line of a table that `span` begins in."""
    start = max(0, span.start - _NEAR)
    breaks = list(_BREAK.finditer(wikitext, start, span.start))
    begins = breaks[-1].end() if breaks else start
    following = _BREAK.search(wikitext, span.end, min(span.end + _NEAR, len(wikitext)))
    ends = following.start() if following else min(span.end + _NEAR, len(wikitext))
    return Span(begins, ends)


def names_of(sources: Iterable[Source]) -> frozenset[str]:
    """Return all by which sources may be known in another revision.

    An address may be written in another way, or get an archived copy.
    """
    return frozenset(
        name
        for source in sources
        for name in keys_of(source) or (source.title or source.key,)
    )


def _words(text: str, header: str | None) -> str:
    return normalised(f"{header or ''} {text}".replace("_", " "))


@dataclass(frozen=True)
class _Edit:
    """Two sides of an edit, with the claims that are not the same in both."""

    before: Side
    after: Side
    baselines: Mapping[str, str]
    old: list[Claim] = field(init=False)
    new: list[Claim] = field(init=False)

    def __post_init__(self) -> None:
        kept = Counter(map(_identity, self.before.claims))
        kept &= Counter(map(_identity, self.after.claims))
        object.__setattr__(self, "old", _without(self.before.claims, kept))
        object.__setattr__(self, "new", _without(self.after.claims, kept))

    @property
    def is_of_another_text(self) -> bool:
        """Return whether hardly a statement of either side stands on the other."""
        mine, theirs = (
            {words for words, _ in side.statements if words}
            for side in (self.before, self.after)
        )
        fewer = min(len(mine), len(theirs))
        return fewer >= _FEWEST_TOLD and len(mine & theirs) < _HARDLY * fewer

    def changes(self) -> Iterator[ChangedClaim]:
        """Yield what was changed, in no order."""
        paired: set[int] = set()  # the old claims that a new one continues
        for claim in self.new:
            former = self._former(claim)
            if former is not None:
                paired.add(id(former))
                change = self._changed(former, claim)
            else:
                change = self._inserted(claim)
            if change is not None:
                yield change
        for claim in self.old:
            if id(claim) not in paired:
                change = self._parted(claim)
                if change is not None:
                    yield change

    def _former(self, claim: Claim) -> Claim | None:
        """Return what `claim` said before the edit."""
        best, most = None, 0.0
        for old in self.old:
            likeness = self._likeness(old, claim)
            if likeness > most:
                best, most = old, likeness
        return best

    def _likeness(self, old: Claim, new: Claim) -> float:
        """Return how surely `new` continues `old`; 0 if it does not."""
        if (old.kind in CELLS) != (new.kind in CELLS):
            return 0.0
        is_same = _said(old) == _said(new)
        if not is_same and self._stands_elsewhere(old, new):
            return 0.0
        shared = _shared(old, new)
        if new.kind in CELLS:
            return float(is_same or (shared and _cell(old) == _cell(new)))
        if is_same:
            return 2.0 + shared
        alike = _alike(normalised(old.text).split(), normalised(new.text).split())
        least = _ALIKE_IN_PLACE if self._is_in_place(old, new) else _ALIKE
        return alike if shared and alike >= least else 0.0

    def _stands_elsewhere(self, old: Claim, new: Claim) -> bool:
        words = _said(old)
        return words not in _said(new) and self.after.says(words)

    def _is_in_place(self, old: Claim, new: Claim) -> bool:
        """Return whether the two are between the same unchanged claims."""
        return self._neighbours(self.before, self.old, old) == self._neighbours(
            self.after, self.new, new
        )

    def _neighbours(
        self, side: Side, changed: Sequence[Claim], claim: Claim
    ) -> tuple[object, object]:
        """Return what identifies the nearest unchanged claims on either side."""
        others = {id(one) for one in changed}
        kept = [one for one in side.claims if id(one) not in others]
        earlier = [one for one in kept if one.span.start < claim.span.start]
        later = [one for one in kept if one.span.start > claim.span.start]
        return (
            _identity(earlier[-1]) if earlier else None,
            _identity(later[0]) if later else None,
        )

    def _changed(self, old: Claim, new: Claim) -> ChangedClaim | None:
        """Return the change of a claim that has a source on both sides."""
        baseline = self.baselines.get(normalised(old.text))
        if baseline is not None:
            old = replace(old, text=baseline)
        shared = _shared(old, new)
        if _said(old) != _said(new):
            kind, sources = EditKind.REWORDED, new.sources
            return _change(kind, old, new, sources) if shared else None
        now = names_of(new.sources)
        lost = tuple(one for one in old.sources if now.isdisjoint(names_of([one])))
        if not lost or self.after.stands_behind(new.span, names_of(lost)):
            return None
        # A footnote further on stands for an earlier sentence only by the way.
        is_own = not shared and not new.sentences_before
        kind = EditKind.REPLACED if is_own else EditKind.REMOVED
        return _change(kind, old, new, lost)

    def _inserted(self, claim: Claim) -> ChangedClaim | None:
        """Return what was put before a footnote that stood there for other words."""
        if claim.kind in CELLS or self.before.says(_said(claim)):
            return None
        names = names_of(claim.sources)
        paragraph = paragraph_at(self.after.page.wikitext, claim.span)
        said = self.after.within(paragraph)
        is_under = any(
            normalised(one.text) in said
            for one in self.before.claims
            if one.kind not in CELLS and not names_of(one.sources).isdisjoint(names)
        )
        if not is_under:
            return None
        return _change(EditKind.INSERTED, None, claim, claim.sources)

    def _parted(self, claim: Claim) -> ChangedClaim | None:
        """Return a statement that still stands, but without its source."""
        names = names_of(claim.sources)
        here = list(self.after.find(_said(claim)))
        if not here or any(self.after.stands_behind(one.span, names) for one in here):
            return None
        # A footnote that is gone was removed, wherever else its source is cited.
        is_there = self.after.times_cited(names) >= self.before.times_cited(names)
        kind = EditKind.MOVED if is_there else EditKind.REMOVED
        [one, *_] = here
        return ChangedClaim(
            kind, claim, None, claim.text, one.section, one.span, claim.sources
        )


def _change(
    kind: EditKind, old: Claim | None, new: Claim, sources: tuple[Source, ...]
) -> ChangedClaim:
    return ChangedClaim(kind, old, new, new.text, new.section, new.span, sources)


def _without(claims: Sequence[Claim], kept: Counter[object]) -> list[Claim]:
    """Return the claims that are not among the `kept` ones, each counted once."""
    left = Counter(kept)
    found = []
    for claim in claims:
        name = _identity(claim)
        if left[name]:
            left[name] -= 1
        else:
            found.append(claim)
    return found


def _identity(claim: Claim) -> object:
    return _said(claim), names_of(claim.sources)


def _said(claim: Claim) -> str:
    """Return the normalised words of a claim, with the headers of a cell."""
    if claim.kind not in CELLS:
        return normalised(claim.text)
    return _words(claim.text, ", ".join(filter(None, (claim.row, claim.column))))


def _cell(claim: Claim) -> tuple[object, ...]:
    """Return which cell of the page it is."""
    names = (normalised(name or "") for name in (claim.row, claim.column))
    return (claim.kind, *claim.section, *names)


def _shared(old: Claim, new: Claim) -> bool:
    """Return whether a source of the old claim still stands behind the new one."""
    return not names_of(old.sources).isdisjoint(names_of(new.sources))


def _alike(old: Sequence[str], new: Sequence[str]) -> float:
    """Return the share of words in common, or of the shorter text's in the longer.

    A half of a sentence that was split has few of the words of the whole.
    """
    common = sum((Counter(old) & Counter(new)).values())
    both = 2 * common / max(len(old) + len(new), 1)
    part = common / max(min(len(old), len(new)), 1)
    return max(both, 0.9 * part)


def changed_words(before: str, after: str) -> tuple[tuple[Span, ...], tuple[Span, ...]]:
    """Return the ranges of words that differ: those of `after`, then of `before`."""
    old, new = list(_WORD.finditer(before)), list(_WORD.finditer(after))
    matcher = SequenceMatcher(
        None, [one[0] for one in old], [one[0] for one in new], autojunk=False
    )
    mine: list[Span] = []
    theirs: list[Span] = []
    for tag, first, last, start, end in matcher.get_opcodes():
        if tag == "equal":
            continue
        if first < last:
            theirs.append(Span(old[first].start(), old[last - 1].end()))
        if start < end:
            mine.append(Span(new[start].start(), new[end - 1].end()))
    return tuple(mine), tuple(theirs)
