"""Tells that somebody else holds an office now. Pure.

"Its chief executive is Wile Coyote" and "Jane Doe was named chief executive" do not
contradict each other in so many words, and yet the first is outdated.
"""

import re
from itertools import chain

from handlers.citations.cues.names import Name, mentioned
from handlers.citations.cues.reading import Reading, read
from handlers.citations.cues.words import content_stems, words
from handlers.model import Statement, Subject
from handlers.updates.aggregating.nearest import shown

_OFFICE = re.compile(
    r"\b(?:chief (?:executive|operating|financial|technology) officer|chief executive"
    r"|ceo|cfo|coo|chair(?:man|woman|person)?|president|vice[- ]president|prime minister"
    r"|minister|mayor|governor|chancellor|vice[- ]chancellor|head coach|coach|manager"
    r"|captain|director(?:[- ]general)?|managing director|artistic director|principal"
    r"|secretary[- ]general|general secretary|secretary|leader|speaker|dean|rector"
    r"|commissioner|editor(?:[- ]in[- ]chief)?|bishop|archbishop|chief justice"
    r"|conductor|commander|superintendent|head ?(?:master|mistress|teacher)|owner)\b",
    re.IGNORECASE,
)
_SAME = {
    "ceo": "chief executive",
    "chief executive officer": "chief executive",
    "chairman": "chair",
    "chairwoman": "chair",
    "chairperson": "chair",
}
_HOLDS = re.compile(
    r"\b(?:is|are|has been|current(?:ly)?|serves|serving|incumbent|led by|headed by"
    r"|managed by|coached by|under)\b",
    re.IGNORECASE,
)
_TAKES = re.compile(
    r"\b(?:named|appointed|appoints|elected|re-?elected|succeed(?:s|ed|ing)"
    r"|replac(?:e[sd]?|ing)|sworn in|takes? over|took over|becomes?|became|new|hired"
    r"|promoted to|inaugurated|installed|tak(?:es|en) office|took office|assum(?:es|ed)"
    r"|chosen|voted in|confirmed as|unveiled as)\b",
    re.IGNORECASE,
)
_LEAVES = re.compile(
    r"\b(?:step(?:s|ped|ping) down|resign(?:s|ed|ation)|retire[sd]|left the|leaves the"
    r"|was (?:sacked|dismissed|fired|ousted|removed|replaced|succeeded)"
    r"|replac(?:es|ed|ing)|succe(?:eds|eded|eding)|died|passed away)\b",
    re.IGNORECASE,
)
# A name with one of these is no person's.
_BODY = re.compile(
    r"\b(?:university|college|school|institute|party|club|council|department|ministry"
    r"|committee|company|corporation|inc|ltd|group|bank|court|church|hospital|street"
    r"|city|county|state|league|association|board|united|house|office|agency|times)\b",
    re.IGNORECASE,
)
_FORMER = re.compile(
    r"\b(?:former|ex|previous|then|late|deputy|acting|assistant|associate|interim"
    r"|caretaker|honorary|vice)[- ]+$",
    re.IGNORECASE,
)
_STILL_TO_COME = re.compile(r"\b(?:will|would|to|may|might|could)\s(?:\w+\s)?$")
_OF = re.compile(r"\s(?:of|at)\s(?:the\s)?((?:[A-Z][\w’'-]+\s?){1,5})")
_LOOK_BACK = 20
_FULL_NAME = 2  # parts
_NAMED = 0.5


def has_new_holder(statement: Statement, text: str, subject: Subject) -> bool:
    """Tell whether who holds an office by the statement has left it by `text`.

    Either somebody else is given the office, or the holder is said to go.
    """
    if not _offices(shown(statement)) & _offices(text):
        return False
    if _is_elsewhere(statement, text, subject):
        return False
    if statement.header is None and not _HOLDS.search(statement.text):
        return False
    said, stated = read(statement.text), read(text)
    holders = _people(said, subject)
    if any(mentioned(one, stated.stems) >= _NAMED for one in holders):
        return _LEAVES.search(text) is not None
    return bool(holders) and _is_taken(text) and bool(_people(stated, subject))


def _is_taken(text: str) -> bool:
    return any(
        not _STILL_TO_COME.search(text[max(0, one.start() - _LOOK_BACK) : one.start()])
        for one in _TAKES.finditer(text)
    )


def _is_elsewhere(statement: Statement, text: str, subject: Subject) -> bool:
    """Tell whether all offices in `text` are of bodies or places not spoken of."""
    known = content_stems(
        word
        for said in (*subject.names, shown(statement), statement.context)
        for word in words(said)
    )
    places = [_OF.match(text, one.end()) for one in _OFFICE.finditer(text)]
    return bool(places) and all(
        place is not None and not known & content_stems(words(place[1]))
        for place in places
    )


def _offices(text: str) -> set[str]:
    found = set()
    for one in _OFFICE.finditer(text):
        before = text[max(0, one.start() - _LOOK_BACK) : one.start()]
        if not _FORMER.search(before):
            name = one[0].lower().replace("-", " ")
            found.add(_SAME.get(name, name))
    return found


def _people(found: Reading, subject: Subject) -> list[Name]:
    """Return the names of two parts or more that are neither the subject nor offices."""
    known = content_stems(
        word for name in subject.names for word in words(name)
    ) | content_stems(chain.from_iterable(words(one) for one in _offices(found.text)))
    return [
        one
        for one in found.names
        if len(one.stems) >= _FULL_NAME
        and known.isdisjoint(one.stems)
        and not _BODY.search(_written(found, one))
    ]


def _written(found: Reading, name: Name) -> str:
    first, last = found.words[name.first_word], found.words[name.last_word]
    return found.text[first.start : last.end]
