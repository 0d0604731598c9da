"""Finds a claim again in a later revision of its page.

An anchor holds the words of a claim and of what stands around it, never the number
of a footnote. The same words are looked for first, then, among the claims that
share rare words with it, the one whose words changed least; surroundings decide
between equals. Pure.
"""

import hashlib
import re
import unicodedata
from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from enum import Enum
from itertools import islice
from math import log
from operator import itemgetter

from handlers.model import Claim, Page

_TOKEN = re.compile(r"(?:(?<!\w)[-\u2212])?\d+(?:[.,]\d+)*|[^\W\d_]+|[%$€£]")
# Footnotes, templates, tags and link targets in what follows a claim.
_NOISE = re.compile(
    r"<ref[^<>]{0,300}/>|<ref[^<>]{0,300}>.{0,1000}?</ref>|<!--.{0,500}?-->"
    r"|\{\{[^{}]{0,500}\}\}|\[\[(?:[^\[\]|]{0,200}\|)?|\[https?:\S{0,500}|<[^<>]{0,300}>|\'{2,}",
    re.DOTALL | re.IGNORECASE,
)
_AFTER = 1_500  # characters of wikitext read for the words after a claim
_SURROUNDING_WORDS = 12
_BOTH_EMPTY = 0.5  # nothing before either claim says a little
_NEAREST = 4  # words next to a claim
_LONGEST = 300  # words of a claim that are compared
_CANDIDATES = 12  # claims that are compared word by word
_RAREST = 24  # words of a claim by which candidates are looked up
_ALIKE_AT_MOST = 100  # claims with one word, or all words, in common that are checked
_LEAST_ALIKE = 0.5  # similarity below which a claim is not taken for the same
_SURROUNDINGS_WEIGHT = (
    0.25  # of the surroundings in a similarity; the rest is the words
)


class How(Enum):
    """What became of a claim that was found again."""

    EXACT = "same words, same section"
    EDITED = "some words changed"
    MOVED = "same words in another section"


@dataclass(frozen=True, slots=True)
class Anchor:
    """What a claim is known by. Texts are normalised: words in lower case.

    `label` is the header of row and column (or the parameter) that a value needs
    to be told from the same value elsewhere. `digest` names words and label alone:
    it stays the same wherever the claim goes.
    """

    text: str
    digest: str
    label: str
    prefix: str  # up to 12 words before
    suffix: str  # up to 12 words after
    section: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Change:
    """Words that were replaced; one side is empty where words came or went."""

    before: str
    after: str


@dataclass(frozen=True, slots=True)
class Located:
    """A claim found again. `similarity` is in (0, 1], 1 for the same words."""

    claim: Claim
    how: How
    similarity: float
    changes: tuple[Change, ...] = ()


def normalised(text: str) -> str:
    """Return the words, numbers and units of `text` in lower case, one space between."""
    return " ".join(_words(text))


def anchor_of(page: Page, claim: Claim) -> Anchor:
    """Return what `claim` of `page` is known by."""
    text = normalised(claim.text)
    label = normalised(f"{claim.row or ''} {claim.column or ''}")
    digest = hashlib.sha256(f"{text}\n{label}".encode()).hexdigest()[:16]
    prefix = _words(claim.context)[-_SURROUNDING_WORDS:]
    suffix = _words(_following(page.wikitext, claim))[:_SURROUNDING_WORDS]
    return Anchor(
        text, digest, label, " ".join(prefix), " ".join(suffix), claim.section
    )


def find(anchor: Anchor, page: Page) -> Located | None:
    """Return the claim of `page` that `anchor` belongs to; `None` if it is gone."""
    return find_all([anchor], page)[0]


def find_all(anchors: Sequence[Anchor], page: Page) -> tuple[Located | None, ...]:
    """Find several claims of one earlier revision.

    No claim is given twice, and those with the same words are given out first, so
    that a deleted sentence is not taken for a similar one that was there before.
    """
    index = _Index(page)
    found: dict[int, Located] = {}
    for place, anchor in enumerate(anchors):
        same = index.take_same(anchor)
        if same:
            found[place] = same
    for place, anchor in enumerate(anchors):
        edited = None if place in found else index.take_edited(anchor)
        if edited:
            found[place] = edited
    return tuple(found.get(place) for place in range(len(anchors)))


class _Index:
    """The claims of a page by their words; those given out are marked as taken."""

    def __init__(self, page: Page) -> None:
        self._page = page
        self._claims = page.claims
        self._anchors = [anchor_of(page, claim) for claim in page.claims]
        self._taken: set[int] = set()
        self._by_digest: dict[str, list[int]] = defaultdict(list)
        self._by_word: dict[str, list[int]] = defaultdict(list)
        for place, anchor in enumerate(self._anchors):
            self._by_digest[anchor.digest].append(place)
            for word in set(_compared(anchor)):
                self._by_word[word].append(place)

    def take_same(self, anchor: Anchor) -> Located | None:
        places = self._by_digest.get(anchor.digest)
        if not places:
            return None
        some = places[:_ALIKE_AT_MOST]
        place = max(some, key=lambda each: self._around(anchor, each))
        places.remove(place)
        self._taken.add(place)
        claim = self._claims[place]
        is_here = claim.section == anchor.section
        return Located(claim, How.EXACT if is_here else How.MOVED, 1.0)

    def take_edited(self, anchor: Anchor) -> Located | None:
        words = _compared(anchor)
        best: tuple[float, float, int] | None = None
        for place in self._candidates(words):
            alike = _matcher(words, _compared(self._anchors[place])).ratio()
            score = _blend(alike, self._around(anchor, place))
            if score >= _LEAST_ALIKE and (best is None or score > best[0]):
                best = score, alike, place
        if best is None:
            return None
        _, alike, place = best
        self._taken.add(place)
        changes = _changes(words, _compared(self._anchors[place]))
        return Located(self._claims[place], How.EDITED, alike, changes)

    def _candidates(self, words: Iterable[str]) -> list[int]:
        """Return the few claims that share the most, and the rarest, words."""
        shared: dict[int, float] = defaultdict(float)
        count = len(self._claims) + 1
        postings = sorted((self._by_word.get(word, []) for word in set(words)), key=len)
        for places in [each for each in postings if each][:_RAREST]:
            for place in places[:_ALIKE_AT_MOST]:
                shared[place] += log(count / len(places))
        ranked = sorted(shared.items(), key=itemgetter(1), reverse=True)
        free = (place for place, _ in ranked if place not in self._taken)
        return list(islice(free, _CANDIDATES))

    def _around(self, anchor: Anchor, place: int) -> float:
        """Return how alike the surroundings are, from 0 to 1."""
        other = self._anchors[place]
        return (
            _overlap(anchor.prefix.split()[::-1], other.prefix.split()[::-1])
            + _overlap(anchor.suffix.split(), other.suffix.split())
            + (anchor.section == other.section)
        ) / 3


def _words(text: str) -> list[str]:
    return _TOKEN.findall(unicodedata.normalize("NFKC", text).casefold())


def _compared(anchor: Anchor) -> list[str]:
    return f"{anchor.label} {anchor.text}".split()[:_LONGEST]


def _following(wikitext: str, claim: Claim) -> str:
    """Return roughly the words after a claim; both revisions are read alike."""
    after = wikitext[claim.span.end : claim.span.end + _AFTER]
    return _NOISE.sub(" ", after).partition("<ref")[0].partition("{{")[0]


def _overlap(first: Sequence[str], second: Sequence[str]) -> float:
    """Return how alike two texts are; the words next to the claim count for half."""
    if not first or not second:
        return 0.0 if first or second else _BOTH_EMPTY
    nearest = 0
    for one, other in zip(first[:_NEAREST], second[:_NEAREST], strict=False):
        if one != other:
            break
        nearest += 1
    most = min(_NEAREST, len(first), len(second))
    shared = len(set(first) & set(second))
    dice = 2 * shared / (len(set(first)) + len(set(second)))
    return (nearest / most + dice) / 2


def _blend(alike: float, around: float) -> float:
    return (1 - _SURROUNDINGS_WEIGHT) * alike + _SURROUNDINGS_WEIGHT * around


def _matcher(before: Sequence[str], after: Sequence[str]) -> SequenceMatcher[str]:
    return SequenceMatcher(None, before, after, autojunk=False)


def _changes(before: Sequence[str], after: Sequence[str]) -> tuple[Change, ...]:
    return tuple(
        Change(" ".join(before[i:j]), " ".join(after[k:m]))
        for tag, i, j, k, m in _matcher(before, after).get_opcodes()
        if tag != "equal"
    )
