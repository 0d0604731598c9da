"""Plain text to sentences, with abbreviations, initials and quotes in mind.

One regular expression finds every place where a sentence could end; a few
look-ups around each place decide. No place is visited twice, so the cost is
linear. A line break always ends a sentence: prose writes one between list
items, headings and paragraphs. Pure.
"""

# ruff: noqa: RUF001  (the full stops and quotes of other scripts are meant)

import re
from bisect import bisect_right
from collections.abc import Iterator, Sequence

from handlers.model import Span


def _words(listed: str) -> frozenset[str]:
    return frozenset(listed.split())


# Full-width full stops need no space after them; the rest do. A run of full stops
# is tried at its first only, so a long one is not read again and again.
_END = re.compile(
    r"[。！？｡]++[」』）”’]*+"
    r"|(?<![.!?…؟۔।॥])[.!?…؟۔।॥]++[\"'”’»›)\]]*+(?=[ \n]|\Z)"
    r"|\n"
)
_ROMAN = re.compile(r"[IVXLC]+")
_LAST_WORD = 24  # characters looked back for the word before a full stop

# Words that a full stop follows inside a sentence.
_TITLES = _words(
    """mr mrs ms messrs dr prof rev hon gen col lt sgt capt cpt cmdr adm maj brig
    gov sen rep pres st ste mt ft fr mme mlle vs v cf e.g i.e eg ie viz ed eds ca c
    approx incl resp fl r b d née dept univ assn bros gr lit trans transl subsp ssp
    spp cv aka a.k.a n.b z.b d.h bzw geb gest u.a sra dra ud uds op"""
)
# Abbreviations that end a sentence about as often as they do not.
_EITHER = _words(
    """inc ltd co corp jr sr etc al cit est ph.d b.sc m.sc esq sq ave blvd rd var sp
    llc gmbh"""
)
# Words, some of them common ones, that are abbreviations where a number follows.
_NUMBERED = _words(
    """no nos nr vol vols p pp pg art fig figs ch chap sec eq ref refs jan feb mar apr
    jun jul aug sep sept oct nov dec"""
)
# Words that begin a sentence far more often than a name.
_STARTERS = _words(
    """The A An In On At As By For From With Without After Before During Since
    Until While When Where Although Though Because If Unless However Moreover
    Furthermore Meanwhile Later Today Then There Here This That These Those It Its
    He She They We I You His Her Their Our My Who What Some Many Most Several
    Other Others Another Both Each All One Two Three First Second No Not And But
    Or So Yet To Under Over According Despite Due Following Among Between Such
    Through Upon Also Thus Therefore Hence Nevertheless Once Only Subsequently
    Der Die Das Ein Eine Er Sie Es Im Am Le La Les Un Une Il Elle El Los Las En
    Su"""
)
_OPENERS = "\"'“‘«‹([—–-¿¡ "
_ORDINAL_DIGITS = 2  # "am 3. März": a short number before a full stop may be an ordinal
_SYLLABLE = 2  # letters in one part of an abbreviation such as "Ph.D"
_MONTHS = _words(
    """Januar Februar März April Mai Juni Juli August September Oktober November
    Dezember Jahrhundert"""
)


def split(text: str) -> tuple[Span, ...]:
    """Return the sentences of `text` in order, surrounding white space excluded.

    Together they cover everything but white space.
    """
    return tuple(_sentences(text))


def around(sentences: Sequence[Span], offset: int) -> int | None:
    """Return the index of the sentence that words just before `offset` are in.

    A marker after the closing full stop still belongs to that sentence, so the
    answer is the last sentence that begins before `offset`.
    """
    index = bisect_right(sentences, offset - 1, key=lambda span: span.start) - 1
    return index if index >= 0 else None


def _sentences(text: str) -> Iterator[Span]:
    start = 0
    for match in _END.finditer(text):
        if _ends_here(text, match):
            yield from _trimmed(text, start, match.end())
            start = match.end()
    yield from _trimmed(text, start, len(text))


def _trimmed(text: str, start: int, end: int) -> Iterator[Span]:
    while start < end and text[start].isspace():
        start += 1
    while end > start and text[end - 1].isspace():
        end -= 1
    if start < end:
        yield Span(start, end)


def _ends_here(text: str, match: re.Match[str]) -> bool:
    mark = match[0][0]
    if mark == "\n" or mark in "。！？｡؟۔।॥":
        return True
    following = text[match.end() + 1 : match.end() + _LAST_WORD].lstrip(_OPENERS)
    if not following or text[match.end() : match.end() + 1] == "\n":
        return True
    if following[0].islower() or following[0] in ".,;:)]%":
        return False
    return mark != "." or _full_stop_ends(text, match, following)


def _full_stop_ends(text: str, match: re.Match[str], following: str) -> bool:
    """Decide on a full stop that a capital, a digit or an uncased letter follows."""
    if match.end() - match.start() > 1:  # an ellipsis, or a quote or bracket closed
        return match[0].rstrip("\"'”’»›)]") != "." or not _is_initial(text, match)
    word = _word_before(text, match.start())
    if not word or word == ".":
        return word != "."
    return _word_ends(word, following)


def _is_initial(text: str, match: re.Match[str]) -> bool:
    """Tell `(J.)` and `Co.'s` from a quote or bracket that ends with its sentence."""
    word = _word_before(text, match.start())
    return len(word) == 1 and word.isupper()


def _word_before(text: str, end: int) -> str:
    before = text[max(0, end - _LAST_WORD) : end]
    if before.endswith(" ") and before.rstrip().endswith("."):
        return "."  # a spaced ellipsis
    return before.rsplit(" ", 1)[-1].rsplit("\n", 1)[-1].lstrip(_OPENERS)


def _word_ends(word: str, following: str) -> bool:
    lowered = word.lower()
    next_word = following.split(" ", 1)[0].rstrip(",.;:'’")
    if len(word) == 1 and word.isupper():
        return next_word in _STARTERS and next_word not in {"A", "I"}
    if lowered in _NUMBERED:
        return not (following[0].isdigit() or _ROMAN.fullmatch(next_word))
    if lowered in _TITLES:
        return False
    if lowered in _EITHER or _is_dotted(word):
        return next_word in _STARTERS
    if word.isdigit() and len(word) <= _ORDINAL_DIGITS:
        return next_word not in _MONTHS
    return True


def _is_dotted(word: str) -> bool:
    """Recognise U.S, Ph.D, a.m: short letter groups between full stops."""
    parts = word.split(".")
    return len(parts) > 1 and all(part and len(part) <= _SYLLABLE for part in parts)
