"""Tells whether a document, and a sentence of it, is about the article's subject.

The title of an article is seldom quoted in full: "2022 Indonesian motorcycle Grand
Prix" is "the race in Indonesia". So the words of its names are looked for, and what
the article itself speaks of: its people, places and years. Pure.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from enum import IntEnum

from handlers.citations.cues.stems import StemIndex
from handlers.citations.cues.words import Word, content_stems, words
from handlers.model import SourceText, Subject

_OPENING = 900  # characters of prose in which a page says what it is about
_CENTRAL_COVER = 0.74
_CENTRAL_MENTIONS = 3
_WHOLE = 0.99
_LOWER_WEIGHT = 0.5  # of a word that is written small, beside a name or a year
_GENERIC = frozenset(
    content_stems(
        words(
            "season series film song album list history election party party's games"
            " tournament cup league championship american episode miniseries company"
            " university school college station museum church house river district"
        )
    )
)
_DEPENDS = re.compile(
    r"(?:He|She|It|They|His|Her|Its|Their|Him|This|These|Those|That|Such|The (?:latter|former|same"
    r"|move|decision|announcement|news|deal|pair|duo|two|trio|group|others?)|Both|Neither|Each|Another"
    r"|Others|Here|There|Then|But|And|Or|So|Yet|Also|However|Still|Instead|Meanwhile|Moreover|Furthermore"
    r"|Additionally|In addition|As a result|Therefore|Thus|Hence|Nevertheless|Nonetheless|Otherwise"
    r"|Similarly|Likewise|Consequently|For (?:example|instance)|That['’]s|It['’]s|He['’]s|She['’]s"
    r"|At (?:that|the same) time|Afterwards?|Later|One of (?:them|these))\b"
)
_PRONOUN = re.compile(r"(?:He|She|It|They|His|Her|Its|Their)\b")
_DEFINITE = re.compile(
    r"\b[Tt]he (?:film|movie|series|show|song|album|single|book|novel|game|company|club|team|party|band"
    r"|museum|church|station|castle|building|match|race|event|tournament|season|election|court|law|act"
    r"|treaty|agreement|battle|war|attack|shooting|strike|dispute|murder|trial|protests?|campaign|council"
    r"|university|school|college|association|league|ship|vessel|port|island|city|town|village|district"
    r"|directive|regiment|battalion|division|hostages?|cyclone|storm|earthquake|programme|program|project"
    r"|site|square|temple|palace|mosque|episode|miniseries|soundtrack|record|play|musical|opera)\b"
)


class Focus(IntEnum):
    """How much a document has to do with the subject."""

    NONE = 0
    MENTIONS = 1
    CENTRAL = 2


@dataclass(frozen=True, slots=True)
class Fit:
    """How a sentence speaks of the subject, each 0 to 1, and whether it stands alone."""

    by_name: float
    shared: float  # of its names and numbers, those that the article has, too
    depends: bool  # it opens with a word that points back
    by_pronoun: bool  # that word may well be the subject
    definite: bool  # "the film", "the club"
    telling: int = 0  # how many names and numbers it has


class About:
    """The subject's names, ready to be looked for; made once for many documents."""

    def __init__(self, subject: Subject) -> None:
        self._full = re.compile(
            "|".join(
                rf"(?<!\w){re.escape(name)}(?!\w)" for name in subject.names if name
            )
            or r"(?!)",
            re.IGNORECASE,
        )
        self._weights = _weights(subject.names[0] if subject.names else "")
        self._said = frozenset(
            word.stem
            for one in subject.statements
            for word in words(f"{one.header or ''} {one.text}")
            if word.is_content and (word.is_capitalised or word.is_number)
        )

    def focus(self, document: SourceText, prose: Sequence[str]) -> Focus:
        """Return what a document has to do with the subject.

        Args:
            document: with its title.
            prose: its sentences that read like prose, in order.
        """
        title = document.title or document.imprint.title or ""
        opening = f"{title}\n{' '.join(prose)[:_OPENING]}"
        mentions = sum(1 for one in prose if self._full.search(one))
        if self._full.search(title) or mentions >= _CENTRAL_MENTIONS:
            return Focus.CENTRAL
        if self.cover(opening) >= _CENTRAL_COVER:
            return Focus.CENTRAL
        return (
            Focus.MENTIONS
            if mentions or self.cover(" ".join(prose)) >= _WHOLE
            else Focus.NONE
        )

    def cover(self, text: str) -> float:
        """Return the share of the title's words that `text` has, by what they tell."""
        if self._full.search(text):
            return 1.0
        index = StemIndex(content_stems(words(text)))
        total = sum(self._weights.values())
        held = sum(
            weight * index.support(stem) for stem, weight in self._weights.items()
        )
        return held / total if total else 0.0

    def fit(self, text: str) -> Fit:
        """Return how a sentence speaks of the subject."""
        naming = [word for word in words(text)[1:] if _names(word)]
        shared = [word for word in naming if word.stem in self._said]
        return Fit(
            by_name=self.cover(text),
            shared=len(shared) / len(naming) if naming else 0.0,
            depends=bool(_DEPENDS.match(text)),
            by_pronoun=bool(_PRONOUN.match(text)),
            definite=bool(_DEFINITE.search(text)),
            telling=len(naming),
        )


def _names(word: Word) -> bool:
    return word.is_content and (word.is_capitalised or word.is_number)


def _weights(title: str) -> dict[str, float]:
    """Return what each word of the title tells; one that many titles have tells less."""
    weights = {}
    for word in words(title):
        if word.is_content:
            telling = _names(word) and word.stem not in _GENERIC
            weights[word.stem] = 1.0 if telling else _LOWER_WEIGHT
    return weights
