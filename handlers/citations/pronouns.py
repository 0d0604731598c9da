"""Puts the last fitting name in place of a source's pronouns.

"The North Hall was opened in 1990. The South Hall was opened in 1975. Otto Lund designed
it." A judge that reads this for "Otto Lund designed the North Hall" finds each word of
it. So "it" is read as what the sentence before is about, and "he" or "she" as the only
person that it names. Where several fit or none does, a pronoun stays: a wrong name would
be worse than none. Pure.
"""

import re
from collections.abc import Iterator

from handlers.page.sentences import split
from handlers.text.words import STOP_WORDS, stem, words

GAP = " … "  # between sentences that do not follow each other
_PERSONS = frozenset({"he", "she", "him", "his", "her"})
_POSSESSIVE = frozenset({"his", "her", "its", "their"})
_PRONOUN = re.compile(r"\b(he|she|him|his|her|it|its|they|them|their)\b", re.IGNORECASE)
_DETERMINERS = frozenset({"the", "a", "an", "this", "that", *_POSSESSIVE})
_DETERMINED = re.compile(r"\b(?:the|an?|this|that|these|those)\b", re.IGNORECASE)
# "It was said that …", "it is in Velde that …": stands for nothing.
_EMPTY = re.compile(r"it(?: \w+){1,6} (?:that|to|whether)\b", re.IGNORECASE)
_NAME = re.compile(
    r"[^\W\d_a-z][\w’'-]*(?:\.? (?:(?:of|the|de|la|van|von|der|du) )*[^\W\d_a-z][\w’'-]*)*"
)
# Before a name that is a place or a date rather than a person.
_NO_PERSON = re.compile(
    r"\b(?:the|an?|(?:in|at|on|from|of|to|near|for|since|until|into)(?: the)?) $",
    re.IGNORECASE,
)
# "Its rival Sudbank", "Nordbank’s rival Sudbank": the name is clearer alone.
_OWNED = re.compile(
    rf"(?:(?i:its|his|her|their)|.{{0,80}}['’]s)(?: [^\W\dA-Z]\w*){{1,4}} ({_NAME.pattern})"
)
_OPENING = re.compile(r"(?:[^\W\d]\w+ )(?:[^\W\d]\w+ )?\d{4},? ")
_OWNERS = ("’s", "'s")
_MOST_WORDS = 6  # of what a sentence is about


def resolved(text: str) -> str:
    """Return `text` with those pronouns replaced of which it is clear what they mean."""
    return GAP.join(" ".join(_resolved(part)) for part in text.split(GAP))


def _resolved(text: str) -> Iterator[str]:
    before = ""
    for span in split(text):
        before = _with_names(span.of(text), before)
        yield before


def _with_names(sentence: str, before: str) -> str:
    """Return `sentence` with the names of the one before, itself without pronouns."""
    owned = _OWNED.match(sentence)
    found = _PRONOUN.search(sentence, owned.end() if owned else 0)
    while found is not None:
        if found[0].isupper():  # "IT" is none
            found = _PRONOUN.search(sentence, found.end())
            continue
        word, own = found[0].lower(), sentence[: found.start()]
        is_person = word in _PERSONS
        fitting = None
        if is_person and not _persons(own):
            fitting = _person(before)
        elif not is_person and not _DETERMINED.search(own):
            is_empty = word == "it" and _EMPTY.match(sentence, found.start())
            fitting = None if is_empty else _thing(before)
        if fitting:
            return own + _put(fitting, found, sentence) + sentence[found.end() :]
        found = _PRONOUN.search(sentence, found.end())
    return sentence


def _put(fitting: str, found: re.Match[str], sentence: str) -> str:
    following = words(sentence[found.end() :])[:1]
    is_owner = found[0].lower() in _POSSESSIVE and any(
        one.is_content or one.is_number for one in following
    )
    at_start = not found.start()
    first = fitting[0].upper() if at_start else fitting[0]
    if not at_start and fitting.split(maxsplit=1)[0].lower() in _DETERMINERS:
        first = first.lower()
    return first + fitting[1:] + "’s" * is_owner


def _persons(sentence: str) -> list[tuple[int, str]]:
    """Return the names that may be those of persons, with their places."""
    return [
        (found.start(), found[0])
        for found in _NAME.finditer(sentence)
        if (" " in found[0] or found.start())  # "Berlin grew", "Microsoft said"
        and not found[0].endswith(_OWNERS)
        and not _NO_PERSON.search(sentence[: found.start()])
    ]


def _opens(name: str) -> bool:
    """Return whether a name at the start of a sentence may be a common word."""
    return " " not in name and (name.lower() in STOP_WORDS or name.endswith("s"))


def _person(sentence: str) -> str | None:
    """Return the only person that a sentence names."""
    found = _persons(sentence)
    if not found:
        subject = _subject(sentence)
        is_kin = subject and re.match(r"(?i:his|her)\b|.*['’]s ", subject)
        return subject if is_kin else None
    return found[0][1] if len({name for _, name in found}) == 1 else None


def _thing(sentence: str) -> str | None:
    """Return what a sentence is about, unless its verb has an object that it may be."""
    subject = _subject(sentence)
    rest = sentence.partition(subject)[2] if subject else ""
    for found in (*_DETERMINED.finditer(rest), *_NAME.finditer(rest)):
        before = words(rest[: found.start()])[-1:]
        if any(one.is_content and not one.is_number for one in before):
            return None
    return subject


def _subject(sentence: str) -> str | None:
    """Return what a sentence begins with: a name, or a noun with its article."""
    start = _start(sentence)
    found = words(sentence[start:])[: _MOST_WORDS + 1]
    if not found:
        return None
    name = _NAME.match(sentence, start)
    is_owned = name is not None and name[0].endswith(_OWNERS)
    if not is_owned and found[0].lowered not in _DETERMINERS:
        is_other = name is None or _opens(name[0]) or _DETERMINED.search(sentence)
        return None if is_other or name is None else name[0]
    end, at = found[0].end, 1
    while at < len(found) and not _ends_subject(found[at].text):
        end, at = found[at].end, at + 1
    if at in {1, _MOST_WORDS + 1} or at == len(found):
        return None
    place = re.compile(rf" (?:of|at|in|on|near|from) (?:the )?{_NAME.pattern}")
    tail = place.match(sentence, start + end)
    subject = sentence[start : tail.end() if tail else start + end]
    of_owner = _OWNED.fullmatch(subject)
    return of_owner[1] if of_owner else subject


def _start(sentence: str) -> int:
    """Return where a sentence begins behind an opening such as "In 1990,"."""
    first = words(sentence)[:1]
    if not first or first[0].lowered not in STOP_WORDS - _DETERMINERS:
        return 0
    dated = _OPENING.match(sentence)
    return dated.end() if dated else sentence.find(", ") + 1


def _ends_subject(word: str) -> bool:
    """Return whether a word is a verb, or belongs to no noun."""
    lowered = word.lower()
    if word[0].isupper():
        return False
    is_past = lowered.endswith("ed") or stem(lowered) not in lowered  # "fell"
    return lowered in STOP_WORDS or (is_past and not lowered.endswith("ies"))
