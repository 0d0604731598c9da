"""Words of a text with their places, reduced to stems that can be compared.

A claim and its source seldom inflect a word alike, so words are compared by a
light stem: case, accents, regular endings and the commonest irregular forms are
folded away. It is deliberately weaker than a full stemmer: a wrong merge lets an
unsupported word pass, a missed one only costs a little coverage. A time of day is
one word, however it is written. Pure.
"""

import re
import unicodedata
from collections.abc import Iterable
from functools import lru_cache
from typing import NamedTuple, TypeAlias

from handlers.citations.cues.clock import TIME, time_stem
from handlers.model import Span

# Most words are of letters; whatever else begins with a digit, times as well.
_WORD = re.compile(
    rf"[^\W\d_]+(?:['’][^\W\d_]+)*|(?=\d)(?:(?P<time>{TIME})|\d+(?:[.,]\d+)*)"
)
_SHORTEST_STEM = 3
_MOST_KNOWN, _LONGEST_KNOWN = 2**14, 32  # words, characters

_STOP_WORDS = """
    a about above after again all also am an and any are as at be because been
    before being below between both but by can could did do does doing during each
    few for from further had has have having he her here hers herself him himself
    his how however i if in into is it its itself just me more most my no nor not
    now of off on once only or other our out over own same she should so some such
    than that the their theirs them themselves then there these they this those
    through to too under until up upon us very was we were what when where which
    while who whom whose why will with within would you your s t ll re ve d
    one two three several many much may might must shall since although though
    among along around against without via per including include
"""
STOP_WORDS = frozenset(_STOP_WORDS.split())

# Numerals count as content: "two albums" is wrong where there were three.
_NUMERALS = frozenset({"one", "two", "three"})

_DIGITS = """
    zero one two three four five six seven eight nine ten eleven twelve thirteen
    fourteen fifteen sixteen seventeen eighteen nineteen twenty
"""
_TENS = "thirty forty fifty sixty seventy eighty ninety"

_SAME = {
    form: base
    for base, forms in {
        **{str(value): word for value, word in enumerate(_DIGITS.split())},
        **{str(10 * n): word for n, word in enumerate(_TENS.split(), start=3)},
        "be": "is are was were been being",
        "become": "became",
        "begin": "began begun",
        "bring": "brought",
        "build": "built",
        "buy": "bought",
        "catch": "caught",
        "child": "children",
        "choose": "chose chosen",
        "come": "came",
        "die": "died dies dying death deaths dead",
        "draw": "drew drawn",
        "drive": "drove driven",
        "fall": "fell fallen",
        "feel": "felt",
        "fight": "fought",
        "film": "films movie movies filmed filming",
        "find": "found",
        "fly": "flew flown",
        "get": "got gotten",
        "give": "gave given",
        "go": "went gone",
        "grow": "grew grown",
        "hold": "held",
        "keep": "kept",
        "know": "knew known",
        "lead": "led",
        "leave": "left",
        "lose": "lost loses losing loss",
        "make": "made",
        "man": "men",
        "marry": "married marries marriage wed wedding",
        "meet": "met",
        "pay": "paid",
        "person": "people persons",
        "rise": "rose risen",
        "run": "ran",
        "say": "said",
        "see": "saw seen",
        "sell": "sold",
        "send": "sent",
        "sing": "sang sung",
        "speak": "spoke spoken",
        "spend": "spent",
        "strike": "struck",
        "take": "took taken",
        "teach": "taught",
        "tell": "told",
        "think": "thought",
        "win": "won winning wins",
        "woman": "women",
        "write": "wrote written",
        "january": "jan",
        "february": "feb",
        "march": "mar",
        "april": "apr",
        "august": "aug",
        "september": "sep sept",
        "october": "oct",
        "november": "nov",
        "december": "dec",
        "television": "tv",
        "percent": "pct",
    }.items()
    for form in forms.split()
}


class Word(NamedTuple):
    """One word of a text: as written, in stemmed form, and where it stands.

    `lowered` is how it is written in small letters. It is a number if it is written in
    digits, capitalised if it starts like a name, and has content if it says something
    by itself.
    """

    text: str
    stem: str
    lowered: str
    is_time: bool  # of day
    is_number: bool
    is_capitalised: bool
    is_content: bool
    start: int
    end: int

    @property
    def span(self) -> Span:
        """Return its place in the text."""
        return Span(self.start, self.end)


def words(text: str) -> tuple[Word, ...]:
    """Return the words of `text` in order; a number with separators is one word."""
    made = Word._make
    return tuple(
        [
            made((*_form(found[0], found.lastgroup), *found.span()))
            for found in _WORD.finditer(text)
        ]
    )


_Form: TypeAlias = tuple[str, str, str, bool, bool, bool, bool]


def _form(text: str, kind: str | None) -> _Form:
    """Return what of a word does not depend on its place."""
    return (_known if len(text) <= _LONGEST_KNOWN else _formed)(text, kind)


def _formed(text: str, kind: str | None) -> _Form:
    lowered, first, is_time = text.lower(), text[0], kind == "time"
    return (
        text,
        time_stem(text) if is_time else stem(text),
        lowered,
        is_time,
        first.isdigit() and not is_time,
        first.isupper(),
        lowered not in STOP_WORDS or lowered in _NUMERALS,
    )


# Most words of a text are words of the one before. Long ones are few, and whoever writes
# many of them would fill the memory.
_known = lru_cache(maxsize=_MOST_KNOWN)(_formed)


def stem(word: str) -> str:
    """Return the form under which `word` is compared."""
    folded = _fold(word)
    if folded[0].isdigit():
        return folded.replace(",", "")
    folded = folded.partition("'")[0] or folded
    return _without_e(_SAME.get(folded) or _without_ending(folded))


def content_stems(found: Iterable[Word]) -> frozenset[str]:
    """Return the distinct stems of the content words."""
    return frozenset(word.stem for word in found if word.is_content)


def _fold(word: str) -> str:
    lowered = word.casefold().replace("’", "'")
    if lowered.isascii():
        return lowered
    parts = unicodedata.normalize("NFKD", lowered)
    return "".join(part for part in parts if not unicodedata.combining(part)) or lowered


def _without_ending(word: str) -> str:
    for ending, instead in (("ies", "y"), ("ied", "y"), ("sses", "ss"), ("ing", "")):
        if word.endswith(ending) and len(word) - len(ending) >= _SHORTEST_STEM:
            return _undoubled(word[: -len(ending)] + instead)
    if word.endswith("ed") and len(word) - 2 >= _SHORTEST_STEM:
        return _undoubled(word[:-2])
    return _without_plural(word)


def _without_plural(word: str) -> str:
    if word.endswith(("ches", "shes", "xes", "zes")):
        return word[:-2]
    ends_in_s = word.endswith("s") and not word.endswith(("ss", "us", "is"))
    return word[:-1] if ends_in_s and len(word) > _SHORTEST_STEM else word


def _undoubled(word: str) -> str:
    doubled = len(word) > _SHORTEST_STEM and word[-1] == word[-2]
    return word[:-1] if doubled and word[-1] not in "lsz" else word


def _without_e(word: str) -> str:
    return word[:-1] if word.endswith("e") and len(word) > _SHORTEST_STEM else word
