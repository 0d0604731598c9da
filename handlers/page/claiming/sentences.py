"""Plain text to sentences, with abbreviations, initials and quotes in mind.

One regular expression finds every place where a sentence could end; a few
look-ups around each place decide. No place is visited twice, so the cost is
linear. A line break always ends a sentence: prose writes one between list
items, headings and paragraphs. Pure.
"""

# ruff: noqa: RUF001  (the full stops and quotes of other scripts are meant)

import re

from handlers.model import Span


def _words(listed: str) -> frozenset[str]:
    return frozenset(listed.split())


_ANYWHERE = "。！？｡\n"  # these need no space after them
# One set of characters is searched fast. Of a run of full stops only the last one is
# found, and none inside a number or an abbreviation.
_END = re.compile(
    r"[.!?…؟۔।॥。！？｡\n](?:(?<=[。！？｡\n])|(?![.!?…؟۔।॥\w,;:])(?! [a-z]))"
)
# Most sentences end like this, behind a word that is no abbreviation.
_PLAIN_END = re.compile(r"\. [A-Z]")
_LONGEST_DOUBTFUL = 6  # letters
_CLOSERS = re.compile(r"[\"'”’»›)\]」』）]*+")
_ROMAN = re.compile(r"[IVXLC]+")
_BLANK = " \n"
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
_SHORTENED = _TITLES | _EITHER | _NUMBERED
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
_NEVER_INSIDE = "؟۔।॥"
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
    return tuple(Span(start, end) for start, end in edges(text))


def edges(text: str) -> list[tuple[int, int]]:
    """Return what `split` does as pairs, which are cheaper to make."""
    found: list[tuple[int, int]] = []
    start, length = 0, len(text)
    for match in _END.finditer(text):
        at = match.start()
        if at + 1 == length or (
            _PLAIN_END.match(text, at) and _is_plain_word(text, start, at)
        ):
            end = at + 1
        else:
            end = _end_of_sentence(text, at) or 0
        if end:
            _add(found, text, start, end)
            start = end
    if start < length:
        _add(found, text, start, length)
    return found


def _add(found: list[tuple[int, int]], text: str, start: int, end: int) -> None:
    """Add a range, but for the white space at its ends, where it has more."""
    while start < end and text[start] in _BLANK:
        start += 1
    while start < end and text[end - 1] in _BLANK:
        end -= 1
    if start < end:
        found.append((start, end))


def _is_plain_word(text: str, start: int, end: int) -> bool:
    """Tell whether the word that ends at `end` is neither shortened nor an initial."""
    word = text[text.rfind(" ", start, end) + 1 : end]
    if not word.isalnum() or len(word) <= _SYLLABLE:
        return False
    return len(word) > _LONGEST_DOUBTFUL or word.lower() not in _SHORTENED


def _end_of_sentence(text: str, at: int) -> int | None:
    """Return where the sentence ends that may end with `text[at]`, closers included."""
    mark = text[at]
    if mark == "\n":
        return at + 1
    closers = _CLOSERS.match(text, at + 1)
    end = closers.end() if closers else at + 1
    if mark in _ANYWHERE:
        return end
    if text[end : end + 1] not in ("", " ", "\n"):
        return None
    following = text[end + 1 : end + _LAST_WORD].lstrip(_OPENERS)
    if not following or text[end] == "\n" or mark in _NEVER_INSIDE:
        return end
    if following[0].islower() or following[0] in ".,;:)]%":
        return None
    return end if mark != "." or _full_stop_ends(text, at, end, following) else None


def _full_stop_ends(text: str, at: int, end: int, following: str) -> bool:
    """Decide on a full stop that a capital, a digit or an uncased letter follows."""
    if text[at - 1 : at] == ".":  # an ellipsis
        return True
    word = _word_before(text, at)
    if end - at > 1:  # a quote or a bracket is closed, as in "(J.)"
        return not (len(word) == 1 and word.isupper())
    return bool(word) and word != "." and _word_ends(word, following)


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
