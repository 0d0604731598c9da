"""What a number counts: people killed, seats, the price of a ticket, an album. Pure."""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import takewhile
from operator import attrgetter

from handlers.citations.cues.numbers import Quantity
from handlers.citations.cues.reading import Reading, read
from handlers.citations.cues.words import content_stems, stem, words

_TOLLS: Mapping[str, str] = {
    "deaths": "killed dead died deaths death fatalities fatality lives casualties",
    "injured": "injured injuries wounded hurt hospitalised hospitalized",
    "cases": "cases infections infected",
    "recovered": "recovered recoveries",
    "displaced": "displaced evacuated homeless",
    "arrests": "arrested arrests detained",
    "destroyed": "destroyed demolished burned burnt",
}
_GROWING: Mapping[str, str] = {
    "gross": "grossed grosses box",
    "sales": "sold copies sales shipped",
    "views": "views viewed viewers streams streamed",
    "goals": "goals goal",
    "appearances": "appearances appearance caps cap matches",
    "titles": "titles title championships championship",
    "trophies": "trophies trophy",
    "medals": "medals medal",
    "awards": "awards nominations",
    "episodes": "episodes",
    "albums": "albums album",
    "books": "books novels novel",
    "reviews": "reviews",
}
_CHANGING: Mapping[str, str] = {
    "missing": "missing",
    "employees": "employs employees employed staff workforce workers",
    "members": "members membership",
    "population": "population inhabitants residents populace",
    "subscribers": "subscribers followers",
    "students": "students pupils enrolment enrollment enrolled",
    "revenue": "revenue revenues turnover",
    "profit": "profit earnings",
    "branches": "stores branches locations outlets restaurants",
    "customers": "customers users passengers",
    "capacity": "seats seat seating capacity",
    "circulation": "circulation",
    "attendance": "attendance",
    "visitors": "visitors visitor visit visits visited",
    "price": "cost costs price priced fee fees fare fares admission ticket tickets"
    " subscription",
    "budget": "budget",
    "rating": "rating score approval",
}
_KIND_OF = {
    stem(word): (kind, grows)
    for kinds, grows in ((_TOLLS, True), (_GROWING, True), (_CHANGING, False))
    for kind, listed in kinds.items()
    for word in listed.split()
}
_RATES_WORDS = """
    unemployment inflation turnout approval literacy vaccination poverty interest
    tax vat occupancy vacancy recycling
"""
_RATES = frozenset(map(stem, _RATES_WORDS.split()))
_DURATIONS = "year month week day hour minute second"
_NO_COUNTS = frozenset({"ordinal", "percent", *map(stem, _DURATIONS.split())})
_REACH = 5  # words between a number and what it counts
_FAR = 12  # the same before "has risen to 32"
_SMALLEST = 2.0  # "one" is mostly no number
_REACHED = re.compile(
    r"\b(?:to|at|reached|passed|exceeded|hit|topped|surpassed|is|was|stands|stood)\s+"
    r"(?:about\s|over\s|more than\s|at least\s|nearly\s|[€$£¥])?$",
    re.IGNORECASE,
)
# Before or behind a number that is added or taken away, and no total.
_ADDED_BEFORE = re.compile(
    r"\b(?:another|additional|extra|further|added|adding|gained|lost|losing|by|cut|plus"
    r"|ordered|bought|sold its|of which|one of)\s+(?:about\s|some\s|[€$£¥])?$",
    re.IGNORECASE,
)
_ADDED_BEHIND = re.compile(
    r"\s*(?:\w+\s){0,1}(?:more|fewer|less|new|additional|extra|further|other)\b(?! than \d)",
    re.IGNORECASE,
)
_TOTAL = re.compile(
    r"\b(?:now|has|have|had|operates|runs|comprises|consists of|numbers|total(?:s|ling)?"
    r"|fleet of|network of|(?:brought|brings|bringing|risen|rose|grown|grew|fallen|fell"
    r"|increased|reduced|expanded)\b[^.;]{0,60}\bto)\s+(?:\w+\s+){0,3}?[€$£¥]?$",
    re.IGNORECASE,
)
_SO_NOW = re.compile(r"\bnow\s+(?:\w+\s+){0,2}$", re.IGNORECASE)
_COMPLEMENT = re.compile(
    r"[\d.,]+\s+(?:of the \d+ )?[a-z]+\s+(?:in|on|of|at)\s+(?:the\s)?"
    r"((?:[a-z]+|[A-Z]\w+(?:\s[A-Z]\w+)*)(?:\s(?:of|in)\s(?:the\s)?[A-Z]\w+)?)"
)
_BEFORE = 90  # characters
_SIGNS = {"€": "euro", "$": "dollar", "£": "pound", "¥": "yen"}
_MONEY = re.compile(
    r"\s*[\d.,]*\d\s*+(?:million|billion|thousand|m|bn|k)?\s*+"
    r"(?P<name>euro|dollar|pound|yen|crown|franc|rupee|yuan|peso|rand|real|lira|zloty)s?\b",
    re.IGNORECASE,
)
_NO_NOUNS_WORDS = """
    people person man woman child point vote place name company part other time
    day thing percent per the of and or in at crown euro dollar pound floor
"""
_NO_NOUNS = frozenset(map(stem, _NO_NOUNS_WORDS.split()))


@dataclass(frozen=True, slots=True)
class Kind:
    """What is counted; what `grows` never becomes less, a `toll` goes with an event."""

    name: str
    grows: bool = False
    is_toll: bool = False
    is_listed: bool = True


def counts(found: Reading) -> Iterator[tuple[Kind, Quantity]]:
    """Yield what is counted with its number, the smallest first."""
    for one in sorted(found.quantities, key=lambda each: each.value):
        kind = kind_of(found, one) if is_count(one) else None
        kind = kind or _share(found, one) or _measure(one)
        if kind is not None and not is_added(found, one):
            yield kind, one


def is_count(one: Quantity) -> bool:
    """Tell whether a quantity counts things, or money."""
    return is_bare(one) and one.value >= _SMALLEST


def is_bare(one: Quantity) -> bool:
    """Tell whether it is no measure, share, duration or place in an order."""
    return one.measure is None and one.unit not in _NO_COUNTS


def kind_of(found: Reading, one: Quantity) -> Kind | None:
    """Return what is counted, by the nearest word that can tell, those behind first.

    Where no listed word does, it is the noun behind the number.
    """
    far = _FAR if _REACHED.search(found.text, *_around(found, one)) else _REACH
    for distance in range(1, far + 1):
        for at in (one.last_word + distance, one.first_word - distance):
            is_far = distance > _REACH
            if 0 <= at < len(found.words) and not (is_far and at > one.last_word):
                listed = _KIND_OF.get(found.words[at].stem)
                if listed is not None:
                    return Kind(*listed, is_toll=listed[0] in _TOLLS)
    noun = _noun(found, one)
    return Kind(noun, is_listed=False) if noun else None


def count_at(text: str) -> int | None:
    """Return the place of the first count in `text`."""
    found = read(text)
    first = next((one for one in found.quantities if is_count(one)), None)
    return found.words[first.first_word].start if first else None


def is_one_money(said: str, said_at: int, text: str, told_at: int) -> bool:
    """Tell whether neither figure is money, or both are in one currency."""
    return _currency(said, said_at) == _currency(text, told_at)


def is_total(text: str, at: int) -> bool:
    """Tell whether the number at `at` is what there is now, as far as the words tell."""
    return _TOTAL.search(text, max(0, at - _BEFORE), at) is not None


def is_so_now(text: str, at: int) -> bool:
    """Tell whether the number at `at` is said to be that of now."""
    return _SO_NOW.search(text, max(0, at - _BEFORE), at) is not None


def complement_of(text: str, at: int) -> frozenset[str]:
    """Return where or of what the things are that are counted at `at`."""
    found = _COMPLEMENT.match(text, at)
    return content_stems(words(found[1])) if found else frozenset()


def ordinals(found: Reading) -> Iterator[tuple[frozenset[str], Quantity]]:
    """Yield "fifth studio album" as 5 with the names of what can be counted by it."""
    for one in found.quantities:
        if one.unit == "ordinal" and one.value >= _SMALLEST:
            yield nouns_of(found, one), one


def nouns_of(found: Reading, one: Quantity) -> frozenset[str]:
    """Return the nouns behind a number and the kinds that they are of."""
    behind = found.words[one.last_word + 1 : one.last_word + 4]
    stems = {word.stem for word in takewhile(attrgetter("is_content"), behind)}
    return frozenset(stems | {_KIND_OF[each][0] for each in stems if each in _KIND_OF})


def header_of(found: Reading, one: Quantity) -> frozenset[str]:
    """Return what a value is of by its header: "caps: 88"."""
    first = found.words[one.first_word].start
    header, colon, between = found.text[:first].partition(":")
    if not colon or between.strip():
        return frozenset()
    stems = {word.stem for word in found.words if word.end <= len(header)}
    return frozenset(stems | {_KIND_OF[each][0] for each in stems if each in _KIND_OF})


def is_added(found: Reading, one: Quantity) -> bool:
    """Tell whether a number is of what came or went, and not the whole."""
    start, end = _around(found, one)
    if _ADDED_BEFORE.search(found.text, start, end):
        return True
    return _ADDED_BEHIND.match(found.text, found.words[one.last_word].end) is not None


def _around(found: Reading, one: Quantity) -> tuple[int, int]:
    end = found.words[one.first_word].start
    return max(0, end - 40), end


def _share(found: Reading, one: Quantity) -> Kind | None:
    """Return what a percentage is a rate of, by the words before it."""
    if one.unit != "percent":
        return None
    before = found.words[max(0, one.first_word - _FAR) : one.first_word]
    name = next((word.stem for word in before if word.stem in _RATES), None)
    return Kind(f"rate of {name}") if name else None


def _measure(one: Quantity) -> Kind | None:
    """Return what is measured, where it is said to be so now, or to be so at all."""
    if one.measure is None:
        return None
    return Kind(f"{one.measure.name} now", is_listed=False)


def _noun(found: Reading, one: Quantity) -> str | None:
    """Return the noun behind a number, unless anything may be counted by it."""
    at = one.last_word + 1
    word = found.words[at] if at < len(found.words) else None
    if word is None or not word.is_content or word.is_number or word.is_capitalised:
        return None
    return None if word.stem in _NO_NOUNS else word.stem


def _currency(text: str, at: int) -> str | None:
    """Return the currency of the number at `at`, if it is money."""
    if at and text[at - 1] in _SIGNS:
        return _SIGNS[text[at - 1]]
    found = _MONEY.match(text, at)
    return found["name"].lower() if found else None
