"""Refuses an edit that would lose or break any markup of the page. Pure.

Words hold no markup and take none away, and stand where words may change. The whole
page is parsed before and after: each reference, template, link, tag, table and heading
must still be there, and only those of the edit's own citation may be new; what the
parser does not treat as an element (apostrophes, entities, bare addresses, marks at the
beginning of a line) must come in the same order; and each footnote must cite the same.
"""

import re
import unicodedata
from bisect import bisect_left
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise

from handlers.model import Span
from handlers.page.markup import Element, Kind
from handlers.page.references import find_references
from handlers.page.scan import Scan, scan
from handlers.updates.questions import line


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


def harm(before: str, changes: Sequence[Change]) -> tuple[str, ...]:
    """Return why `changes`, which are `in_order`, may not be made to a page."""
    reasons = [*_of_words(before, changes)]
    if not reasons:
        old = scan(before)
        new = scan(applied(before, changes))
        reasons += [
            *_of_places(old, changes),
            *_of_elements(old, new, changes),
            *_of_signs(before, changes),
        ]
        if Counter(_citations(old)) - Counter(_citations(new)):
            reasons.append(
                "a reference would be lost, or would point to something else"
            )
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
            yield f"it removes markup: “{line(gone, _LONGEST_SHOWN)}”"


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


def _of_elements(old: Scan, new: Scan, changes: Sequence[Change]) -> Iterator[str]:
    """Compare the pieces of markup; those of the edit's own citations are added."""
    expected = Counter(map(_traits, old.elements))
    for one in changes:
        expected.update(map(_traits, scan(one.markup).elements))
    found = Counter(map(_traits, new.elements))
    for kind, *_ in expected - found:
        yield f"it changes or removes a {kind.value}"
    for kind, *_ in found - expected:
        yield f"it turns existing text into a {kind.value}"
    if len(new.unclosed) != len(old.unclosed):
        yield "it opens or closes a <ref> that is already broken"


def _traits(one: Element) -> tuple[Kind, str, int, object]:
    return one.kind, one.name, len(one.pipes), one.attributes


def _of_signs(before: str, changes: Sequence[Change]) -> Iterator[str]:
    """Compare the small signs, counting each inserted citation as two of them."""
    short = tuple(
        Change(one.span, one.words, "<>" if one.markup else "", one.closing)
        for one in changes
    )
    skipped: set[int] = set()
    gained = 0
    for one in short:
        at = one.span.start + gained + len(one.words)
        skipped |= {at, at + 1} if one.markup else set()
        gained += len(one.new) - (one.span.end - one.span.start)
    if _signs(before, set()) != _signs(applied(before, short), skipped):
        yield "it breaks adjacent markup"


def _signs(text: str, skipped: set[int]) -> list[str]:
    return [
        one[0] for one in _SIGN_OF_PAGE.finditer(text) if one.start() not in skipped
    ]


def _citations(page: Scan) -> Iterator[tuple[object, ...]]:
    """Yield what each footnote cites; page numbers behind one belong to it."""
    for one in (each.citation for each in find_references(page).markers):
        keys = tuple(source.key for source in one.sources)
        yield one.form, one.name, one.group, one.pages, one.problem, keys
