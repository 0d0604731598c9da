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
from handlers.model import Subject

# Of a page or an article, in which it says what it is about.
_OPENING_SENTENCES, _OPENING = 8, 650  # characters
_CENTRAL_MENTIONS = 3
# Cosines of openings. Of 153 pages that were found for an article of WikiGenBench (dev,
# even ids) 80 % reach 0.45, of 12,249 pairs of a page and another article 0.05 %.
_SURELY_ALIKE, _ALIKE, _AKIN = 0.6, 0.45, 0.3
_PARTLY, _HALF = 0.25, 0.5  # of the title's words
_SHORTEST_STEM = 3
_SITE_NAME, _SHORTEST_SITE = 60, 6  # characters
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
_ORDINAL = re.compile(r"\b(\d+)(?:st|nd|rd|th)\b")
_DEPENDS = re.compile(
    r"(?:He|She|It|They|His|Her|Its|Their|Him|This|These|Those|That|Such|The (?:latter|former|same"
    r"|move|decision|announcement|news|deal|pair|duo|two|trio|group|others?)|Both|Neither|Each|Another"
    r"|Others|Here|There|Then|But|And|Or|So|Yet|Also|However|Still|Instead|Meanwhile|Moreover|Furthermore"
    r"|Additionally|In addition|As a result|Therefore|Thus|Hence|Nevertheless|Nonetheless|Otherwise"
    r"|Similarly|Likewise|Consequently|For (?:example|instance)|That['’]s|It['’]s|He['’]s|She['’]s"
    r"|At (?:that|the same) time|Afterwards?|Later|Since then|Until then|By then|At the time"
    r"|The [\w'’ -]{0,40}\bhere\b(?! (?:is|are|was)\b)|That (?:day|night|week|month|year|season)|One of (?:them|these))\b"
)
# "In 1948, he moved": who he is stands before.
_LED_IN = re.compile(
    r"(?:(?:In|On|By|Since|Until|During|After|Before|At|From|For|With)\s[^,]{2,40},\s"
    r"|(?:Soon|Then|Finally|Eventually|Initially|Afterwards?|Shortly after(?:wards)?|Today|Now|Recently|Later|Once there),?\s)"
    r"(he|she|they|his|her|their|him|it|its)\b"
)
_HE_OR_SHE = re.compile(r"(?:He|She|His|Her)\b")
_VERB = re.compile(
    r"\b(?:is|are|was|were|has|have|had|will|would|can|could|may|did|said|became|began|won|lost|led|took|made|[a-z]{2,}ed)\b"
)
_TOPIC = 8  # words in which a sentence says what it speaks of
_FIRST_NAME = re.compile(r"[A-Z][a-z]+(?=,? [a-z])(?!['’])")
_PERSON = re.compile(r"\b(?:he|she|his|her|him|who)\b", re.IGNORECASE)
_SOMEBODYS = re.compile(r"\b(?:she|her|he|his|him)\b")
# "Five guerrillas surrounded him": he is none of them.
_OF_SOMEBODY = re.compile(
    r"(?:[\w'’-]+ ){0,5}[a-z]+s (?:[a-z]+ed|shot|took|beat|met|told|found|held|led|sent|brought) (?:him|them)\b"
)
_SOMEBODY = re.compile(
    r"\b(?:m[ae]n|wom[ae]n|boy|girl|king|queen|pope|bishop|nun|priest|chief|guard|cook|widow|wife|husband"
    r"|son|daughter|child|person|president|student|each|every|anyone|everyone|[a-z]+(?:er|or|ist|ian|man|ant|ee))\b"
)
_PERSON_SHARE = 0.08  # of an article's statements that begin so, if it is on a person
_FEWEST_OF_PERSON = 2
_EDITION = re.compile(
    r"\b((?:1[89]|20)\d\d)(?:[–/-]\d{2,4})?(?: [\w'’-]+){0,3}? (?:season|edition|series|championships?|elections?|cup|league|games"
    r"|grand prix|tournament|playoffs?|finals?|draft|campaign)\b",
    re.IGNORECASE,
)
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
    by_pronoun: bool  # that word is "he" or "she", and the subject is a person
    is_another: bool  # it is about another year of what the subject is one year of
    definite: bool  # "the film", "the club"
    telling: int = 0  # how many names and numbers it has
    is_strange: bool = False  # its verb's subject is a name that the article lacks
    place: float = 0.0  # where the subject's full name stands, of its length


class About:
    """The subject's names, ready to be looked for; made once for many documents."""

    def __init__(self, subject: Subject) -> None:
        self._names = subject.names
        self._full = re.compile(
            "|".join(
                rf"(?<!\w){re.escape(name)}(?!\w)" for name in subject.names if name
            )
            or r"(?!)",
            re.IGNORECASE,
        )
        self._weights = _weights(subject.names[0] if subject.names else "")
        self._numbers = frozenset(stem for stem in self._weights if stem[0].isdigit())
        self._years = frozenset(
            stem for stem in self._numbers if len(stem) == len("2023")
        )
        self._ordinals = frozenset(_ORDINAL.findall(" ".join(subject.names[:1])))
        begun = sum(bool(_HE_OR_SHE.match(one.text)) for one in subject.statements)
        self._is_person = begun >= max(
            _FEWEST_OF_PERSON, _PERSON_SHARE * len(subject.statements)
        )
        self._said = frozenset(
            word.stem
            for one in subject.statements
            for word in words(f"{one.header or ''} {one.text}")
            if word.is_content and (word.is_capitalised or word.is_number)
        )

    def focus(self, title: str, prose: Sequence[str], likeness: float) -> Focus:
        """Return what a document has to do with the subject.

        Args:
            title: of the document.
            prose: its sentences that read like prose, in order.
            likeness: of `opening` with the article's own, -1 to 1.
        """
        named = bool(self._full.search(title))
        mentions = sum(1 for one in prose if self._full.search(one))
        cover = self.cover(opening(title, prose))
        is_same = not self._is_another(title) and (
            likeness >= _SURELY_ALIKE
            or (likeness >= _ALIKE and cover >= _PARTLY)
            or (likeness >= _AKIN and (named or mentions >= _CENTRAL_MENTIONS))
        )
        if is_same:
            return Focus.CENTRAL
        is_akin = likeness >= _AKIN and cover >= _HALF
        return Focus.MENTIONS if mentions or named or is_akin else Focus.NONE

    def _is_another(self, title: str) -> bool:
        """Tell by its title whether a page is on another year, or another of a series.

        The season of 2023 is not that of 2022, and the 72nd district not the 76th.
        """
        numbers = {word.stem for word in words(title) if word.is_number}
        if not numbers or not self._numbers:
            return False
        if self._ordinals and not self._ordinals & set(_ORDINAL.findall(title)):
            return True  # "District 72" is not the 72nd of anything
        return not numbers & self._numbers

    def _is_of_another_year(self, text: str) -> bool:
        years = {found[1] for found in _EDITION.finditer(text)}
        return bool(self._years and years) and not years & self._years

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

    def is_of_site(self, text: str, host: str) -> bool:
        """Tell whether a sentence opens with the name of the site that it stands on."""
        letters = re.sub(r"\W", "", text[:_SITE_NAME]).lower()
        own = re.sub(r"\W", "", " ".join(self._names)).lower()
        labels = (one.replace("-", "") for one in host.split("."))
        return any(
            len(one) >= _SHORTEST_SITE
            and one not in own
            and letters.removeprefix("the").startswith(one.removeprefix("the"))
            for one in labels
        )

    def fit(self, text: str) -> Fit:
        """Return how a sentence speaks of the subject."""
        naming = [word for word in words(text)[1:] if _names(word)]
        shared = [word for word in naming if word.stem in self._said]
        return Fit(
            by_name=self.cover(text),
            shared=len(shared) / len(naming) if naming else 0.0,
            depends=bool(_DEPENDS.match(text) or _LED_IN.match(text)),
            by_pronoun=self._is_person and _is_he_or_she(text),
            is_another=self._is_of_another_year(text),
            definite=bool(_DEFINITE.search(text)),
            telling=len(naming),
            is_strange=self._is_strange(text),
            place=found.start() / len(text)
            if (found := self._full.search(text))
            else 0.0,
        )

    def _is_strange(self, text: str) -> bool:
        """Tell whether what a sentence speaks of is nothing that the article knows.

        The names before its verb are looked at; one that opens it counts only where
        another follows, for any word has a capital there.
        """
        verb = _VERB.search(text)
        topic = words(text[: verb.start()] if verb else text)[:_TOPIC]
        named = [word for word in topic[1:] if _names(word)]
        if named and topic[0].is_content and topic[1] is named[0]:
            named.append(topic[0])
        known = sum(word.stem in self._said for word in named)
        return bool(named) and known < _HALF * len(named)

    def is_stranger(self, text: str) -> bool:
        """Tell whether a quote opens with a name by which nobody knows a person.

        "Rosette lost her home": neither the article nor the quote says who she is.
        """
        if self._lacks_antecedent(text):
            return True
        found = _FIRST_NAME.match(text)
        if not found or not _PERSON.search(text, found.end()):
            return False
        first = words(found[0])
        return bool(first) and first[0].is_content and first[0].stem not in self._said

    def _lacks_antecedent(self, text: str) -> bool:
        """Tell "Cyclone Doe destroyed her home": "she" is somebody before the quote."""
        if _OF_SOMEBODY.match(text):
            return True
        found = None if self._is_person else _SOMEBODYS.search(text)
        if not found or not found.start() or _SOMEBODY.search(text, 0, found.start()):
            return False
        before = words(text[: found.start()])
        return all(one.stem in self._weights for one in before if _names(one))


def _is_he_or_she(text: str) -> bool:
    led_in = _LED_IN.match(text)
    return bool(
        _HE_OR_SHE.match(text[led_in.start(1) :].capitalize() if led_in else text)
    )


def opening(title: str, prose: Sequence[str]) -> str:
    """Return the title of a page, or an article, with its first sentences."""
    return f"{title}. {' '.join(prose[:_OPENING_SENTENCES])}"[:_OPENING]


def _names(word: Word) -> bool:
    return word.is_content and (word.is_capitalised or word.is_number)


def _weights(title: str) -> dict[str, float]:
    """Return what each word of the title tells; one that many titles have tells less."""
    weights = {}
    for word in words(title):
        if word.is_content and (len(word.stem) >= _SHORTEST_STEM or word.is_number):
            telling = _names(word) and word.stem not in _GENERIC
            weights[word.stem] = 1.0 if telling else _LOWER_WEIGHT
    return weights
