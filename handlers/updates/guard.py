"""Refuses an edit that would lose or break any markup of the page. Pure.

The whole page is parsed before and after: each reference, template, link, tag, table
and heading must still be there, at its shifted place, with the same parameters; what
the parser does not treat as an element (apostrophes, entities, bare addresses, marks at
the beginning of a line) must come in the same order; and each citation must lead to the
same sources. Nothing may be new except the edit's own markup.
"""

import re
import unicodedata
from bisect import bisect_left
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise

from handlers.model import Citation, Span
from handlers.page.markup import Element, Kind
from handlers.page.references import find_references
from handlers.page.scan import Scan, scan


@dataclass(frozen=True, slots=True)
class Change:
    """Words at `span` are replaced by others; an empty span removes none.

    `words` are plain. `markup`, a citation or a tag, follows them, and then `closing`:
    the full stop, on wikis that put it after the citation.
    """

    span: Span
    words: str = ""
    markup: str = ""
    closing: str = ""

    @property
    def new(self) -> str:
        """Everything that is inserted."""
        return f"{self.words}{self.markup}{self.closing}"

    @property
    def gain(self) -> int:
        """By how much the wikitext grows."""
        return len(self.new) - (self.span.end - self.span.start)


def in_order(changes: Iterable[Change]) -> tuple[Change, ...]:
    """Return the changes by place, with those at the same place merged.

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
    """Where places in the wikitext are after the changes."""

    changes: tuple[Change, ...]

    def start(self, at: int) -> int:
        """Return where something that begins at `at` begins afterwards."""
        return at + sum(one.gain for one in self.changes if one.span.end <= at)

    def end(self, at: int) -> int:
        """Return where something ending at `at` ends afterwards, without insertions."""
        return at + sum(
            one.gain
            for one in self.changes
            if one.span.end <= at and one.span.start < at
        )

    def came(self) -> tuple[tuple[Span, Change], ...]:
        """Return each change with the place of everything that it inserts."""
        found = []
        gained = 0
        for one in self.changes:
            start = one.span.start + gained
            found.append((Span(start, start + len(one.new)), one))
            gained += one.gain
        return tuple(found)


_LONGEST_SHOWN = 80  # characters
# Characters with a meaning that are not among the elements that the scan finds.
_INLINE = (
    r"'{2,}|&(?:#\w{1,8}|\w{2,31});|__\w+__|~{3,}"
    r"|(?i:\b(?:[a-z][a-z+.-]{1,20}:)?//[^\s\[\]<>{}|\"]+|\bmailto:[^\s\[\]<>{}|\"]+)"
    r"|\b(?:ISBN|RFC|PMID)[ \t]+\d[\d -]*|-\{|\}-|\n+|\r|\t"
    r"|\[+|\]+|\{+|\}+|<+|>+|\|+|=+"
)
_SIGN = re.compile(_INLINE)
_SIGN_OF_PAGE = re.compile(rf"^[*#:;=! ]+|^-{{4,}}|{_INLINE}", re.MULTILINE)
_JOINERS = "\u200c\u200d"  # some scripts cannot be written without them

_Key = tuple[object, ...]


def harm(before: str, changes: Sequence[Change]) -> tuple[str, ...]:
    """Return why the changes may not be made, in plain words; empty if they may.

    Args:
        before: the wikitext of the whole page.
        changes: as `in_order` returns them, anywhere in the page.
    """
    reasons = [*_of_words(before, changes)]
    if not reasons:
        moved = Moved(tuple(changes))
        after = applied(before, changes)
        old, new = scan(before), scan(after)
        reasons += [
            *_of_places(old, changes),
            *_of_elements(old, new, moved),
            *_of_signs(before, changes),
            *_of_citations(old, new, moved),
        ]
    return tuple(dict.fromkeys(reasons))


def is_plain(words: str) -> bool:
    """Return whether MediaWiki shows `words` unchanged anywhere in a line."""
    return not _SIGN.search(words) and all(
        unicodedata.category(sign)[0] != "C" or sign in _JOINERS for sign in words
    )


def _of_words(before: str, changes: Sequence[Change]) -> Iterator[str]:
    for one in changes:
        if not (is_plain(one.words) and is_plain(one.closing)):
            yield "its new text contains markup"
        gone = one.span.of(before)
        if _SIGN.search(gone):
            yield f"it removes markup: “{_shown(gone)}”"


def _of_places(old: Scan, changes: Sequence[Change]) -> Iterator[str]:
    """Only sentences and footnotes may change inside a piece of markup."""
    first_unclosed = min((one.start for one in old.unclosed), default=len(old.text))
    for one in changes:
        # MediaWiki ends such a reference at the next "</ref>", wherever that is.
        if one.span.end > first_unclosed:
            yield "it comes after a <ref> that is never closed"
        for around in _around(old, one.span):
            if not _may_hold(old.text, around, one):
                yield f"it is inside a {around.kind.value}"


def _around(old: Scan, span: Span) -> list[Element]:
    last = bisect_left(old.elements, span.start, key=lambda one: one.start)
    return [one for one in old.elements[:last] if one.end > span.end]


def _may_hold(text: str, around: Element, change: Change) -> bool:
    is_footnote = not change.words and change.span.start == change.span.end
    match around.kind:
        case Kind.TABLE:
            return True
        case Kind.TEMPLATE:
            return is_footnote and _is_in_last_part(around, change, first=True)
        case Kind.LINK:  # a picture; its last part is the caption
            target = text[around.inner_start : (*around.pipes, around.inner_end)[0]]
            return ":" in target and _is_in_last_part(around, change)
        case _:
            return False


def _is_in_last_part(around: Element, change: Change, *, first: bool = False) -> bool:
    """Return whether a change is after the last pipe, or after the `first` one."""
    return bool(around.pipes) and around.pipes[0 if first else -1] < change.span.start


def _of_elements(old: Scan, new: Scan, moved: Moved) -> Iterator[str]:
    expected = {
        (moved.start(one.start), moved.end(one.end), *_traits(one)): one
        for one in old.elements
    }
    found = {(one.start, one.end, *_traits(one)): one for one in new.elements}
    for key, one in expected.items():
        if key not in found:
            lost = old.text[one.start : one.end]
            yield f"it changes or removes the {one.kind.value} “{_shown(lost)}”"
    own = [place for place, _ in moved.came()]
    for key, one in found.items():
        if key not in expected and not _in_one(one.start, one.end, own):
            made = new.text[one.start : one.end]
            yield f"it turns existing text into the {one.kind.value} “{_shown(made)}”"
    unclosed = [moved.start(one.start) for one in old.unclosed]
    if [one.start for one in new.unclosed] != unclosed:
        yield "it opens or closes a <ref> that is already broken"


def _traits(one: Element) -> _Key:
    return one.kind, one.name, len(one.pipes), one.attributes


def _in_one(start: int, end: int, places: Sequence[Span]) -> bool:
    return any(one.start <= start and end <= one.end for one in places)


def _of_signs(before: str, changes: Sequence[Change]) -> Iterator[str]:
    """Compare the small signs, counting each inserted citation as two of them."""
    short = tuple(
        Change(one.span, one.words, "<>" if one.markup else "", one.closing)
        for one in changes
    )
    after = applied(before, short)
    own = [
        (place.start + len(change.words), change)
        for place, change in Moved(short).came()
        if change.markup
    ]
    skipped = {at + step for at, _ in own for step in range(2)}
    if _signs(before, frozenset()) != _signs(after, skipped):
        yield "it breaks adjacent markup"


def _signs(text: str, skipped: frozenset[int] | set[int]) -> list[str]:
    return [
        one[0] for one in _SIGN_OF_PAGE.finditer(text) if one.start() not in skipped
    ]


def _of_citations(old: Scan, new: Scan, moved: Moved) -> Iterator[str]:
    """Each citation must lead where it led, and only the edit's own may be new."""
    own = [place for place, _ in moved.came()]
    expected = [_leads_to(one.citation) for one in find_references(old).markers]
    found = [
        _leads_to(one.citation)
        for one in find_references(new).markers
        if not _in_one(one.citation.marker.start, one.citation.marker.end, own)
    ]
    if expected != found:
        yield "a reference would be lost, or would point to something else"


def _leads_to(one: Citation) -> _Key:
    keys = tuple(source.key for source in one.sources)
    return one.form, one.name, one.group, one.pages, one.problem, keys


def _shown(wikitext: str) -> str:
    line = " ".join(wikitext.split())
    return line if len(line) <= _LONGEST_SHOWN else f"{line[: _LONGEST_SHOWN - 1]}…"
