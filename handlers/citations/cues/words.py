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
from dataclasses import dataclass

from handlers.citations.cues.clock import TIME, time_stem
from handlers.model import Span

_WORD = re.compile(rf"(?P<time>{TIME})|\d+(?:[.,]\d+)*|[^\W\d_]+(?:['’][^\W\d_]+)*")
_SHORTEST_STEM = 3

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


@dataclass(frozen=True, slots=True)
class Word:
    """One word of a text: as written, in stemmed form, and where it stands."""

    text: str
    stem: str
    start: int
    end: int

    @property
    def span(self) -> Span:
        """Return its place in the text."""
        return Span(self.start, self.end)

    @property
    def is_time(self) -> bool:
        """Tell whether it is a time of day."""
        return ":" in self.stem

    @property
    def is_number(self) -> bool:
        """Tell whether it is a number written in digits."""
        return self.text[0].isdigit() and not self.is_time

    @property
    def is_capitalised(self) -> bool:
        """Tell whether it starts like a name."""
        return self.text[0].isupper()

    @property
    def is_content(self) -> bool:
        """Tell whether it says something by itself."""
        folded = self.text.lower()
        return folded not in STOP_WORDS or folded in _NUMERALS


def words(text: str) -> tuple[Word, ...]:
    """Return the words of `text` in order; a number with separators is one word."""
    return tuple(
        Word(
            found[0],
            time_stem(found[0]) if found["time"] else stem(found[0]),
            found.start(),
            found.end(),
        )
        for found in _WORD.finditer(text)
    )


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
