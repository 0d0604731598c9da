"""Tells that what was so is no longer: closed and reopened, in service and scrapped.

The verification model takes "the ship is in service" and "the ship was decommissioned"
for two facts that go together. So such pairs of states and events are listed. Pure.
"""

import re
from dataclasses import dataclass
from enum import Enum

from handlers.citations.cues.names import Name, mentioned
from handlers.citations.cues.reading import Reading, read
from handlers.citations.cues.words import content_stems, words
from handlers.model import Statement, Subject
from handlers.updates.aggregating.calling import terms_of
from handlers.updates.aggregating.nearest import shown
from handlers.updates.aggregating.owners import (
    Whose,
    are_of_one,
    clause_at,
    owner,
)
from handlers.updates.aggregating.perishing import is_plan, is_state


class _Of(Enum):
    """What the event must speak of, besides the subject."""

    SUBJECT = "nothing: it befalls the subject"
    HOLDER = "nothing: it befalls the subject, or somebody else does it to it"
    NAMED = "a name that the statement has"
    ELSEWHERE = "a name that the statement has not"


@dataclass(frozen=True, slots=True)
class _Transition:
    state: re.Pattern[str]
    event: re.Pattern[str]
    of: _Of = _Of.SUBJECT


def _transition(state: str, event: str, of: _Of = _Of.SUBJECT) -> _Transition:
    return _Transition(
        re.compile(rf"\b(?:{state})", re.IGNORECASE),
        re.compile(rf"\b(?:{event})\b", re.IGNORECASE),
        of,
    )


_SEAT = r"(?:headquarters|head office|seat|base)"
_PLAYS = r"(?:plays?|playing|is (?:a|the) [^.;]{0,40}?player|is on loan)\b|(?:current)? ?club:|currentclub:|team:"
_TRANSITIONS = (
    _transition(
        r"in (?:\w+ )?(?:service|use|operation|commission)\b|status: active",
        r"decommissioned|withdrawn from (?:service|use)|scrapped|sank|sunk|mothballed"
        r"|struck off|(?:was|were) retired|taken out of (?:service|use)",
    ),
    _transition(
        r"(?:is|are|has been|have been|remains?) (?:\w+ )?(?:closed|shut|suspended"
        r"|disused|abandoned|out of (?:use|service))\b|status: closed",
        r"(?:re-?opened|reopens|resumed|back in (?:use|service))",
    ),
    _transition(
        r"(?:is|are|remains?) (?:\w+ )?open\b|operates\b|(?:is|are) (?:\w+ )?active\b"
        r"|is published|broadcasts?\b|publishes\b|flies\b|trades\b|status: (?:open|active)",
        r"(?:closed (?:permanently|for good|its doors)|permanently closed|shut down"
        r"|ceased (?:publication|operations?|to exist|\w+ing)|was dissolved|disbanded"
        r"|was (?:demolished|abolished|discontinued|wound up))",
    ),
    _transition(
        r"under (?:construction|renovation|restoration|repair)\b"
        r"|being (?:built|constructed|renovated|restored|rebuilt|converted)\b",
        r"(?:was|were|has been|is) (?:completed|finished|opened|inaugurated|unveiled)"
        r"|(?:re-?)?opened (?:to|on|in|its)",
    ),
    _transition(
        rf"{_SEAT} (?:is|are|in|at|of)\b|(?:has|have) (?:its|their) {_SEAT}"
        rf"|based in\b|headquartered\b|{_SEAT}:",
        rf"(?:moved|relocated|transferred|shifted)\b[^.;]{{0,40}}\b{_SEAT}"
        rf"|{_SEAT}\b[^.;]{{0,40}}\b(?:moved|relocated)|relocated",
    ),
    _transition(
        r"(?:is|are) owned by|belongs? to|is (?:a )?subsidiary of|is a division of"
        r"|owners?:|parent:",
        r"bought|acquired|acquires|taken over|took over|takes over|sold to|was sold"
        r"|purchased",
        _Of.HOLDER,
    ),
    _transition(
        r"(?:is|are) (?:run|operated|managed|provided|maintained) by|operators?:",
        r"taken over|took over|takes over|replaced|succeeded|handed over",
        _Of.HOLDER,
    ),
    _transition(
        _PLAYS, r"left|leaves|parted (?:company|ways)|was released by", _Of.NAMED
    ),
    _transition(
        _PLAYS,
        r"joined|signed (?:for|with)|moved to|transferred to|was sold to",
        _Of.ELSEWHERE,
    ),
    _transition(
        r"(?:plays?|competes?|playing|competing) in\b[^.;]{0,60}"
        r"\b(?:division|league|tier|championship|liga|serie)\b|(?:league|division):",
        r"(?:promoted|relegated|promotion to|relegation to|went (?:up|down) to)",
    ),
    _transition(
        r"(?:awaits?|awaiting|pending|stands? trial|on trial|under investigation|faces?"
        r"|facing)\b|(?:is|are) (?:accused|charged|suspected)",
        r"(?:found (?:not )?guilty|convicted|acquitted|sentenced|pleaded guilty|cleared"
        r"|charges? (?:were|was) (?:dropped|dismissed))",
    ),
    _transition(
        r"(?:is|are|remains?) (?:\w+ )?(?:ongoing|underway|in progress)\b|continues?\b",
        r"(?:has |have |was |were )?(?:ended|concluded|called off|extinguished|put out)",
    ),
    _transition(
        r"(?:is|are) (?:the )?(?:current|reigning|defending)\b[^.;]{0,40}\b(?:champions?"
        r"|holders?)\b",
        r"(?:dethroned|lost (?:the|its|his|her|their) title|beaten in the final)",
    ),
    _transition(
        r"(?:is|are) married to|spouse:|partner:|lives? with",
        r"(?:divorced?|separated|widowed|divorce was)",
    ),
    _transition(
        r"(?:is|are|remains?) (?:\w+ )?vacant\b", r"appointed|elected|sworn in"
    ),
)
_SUPERLATIVE = re.compile(
    r"\b(?:is|are|remains?|ranks? as)\b[^.;]{0,25}?\bthe (?:\w+ ){0,2}?"
    r"(?P<most>(?:\w{2,12}est|most \w+))\b",
    re.IGNORECASE,
)
_OVERTAKES = re.compile(
    r"\b(?:overtook|overtaken|overtakes|surpass(?:ed|es|ing)|eclips(?:ed|es)|supersed(?:ed|es)"
    r"|replac(?:ed|es|ing)|outstripp?(?:ed|s)|taken? the title|took the title)\b",
    re.IGNORECASE,
)
_RECORD = re.compile(r"\brecord\b", re.IGNORECASE)
_BREAKS = re.compile(
    r"\b(?:br(?:oke|eaks|eaking|oken)|beat(?:s|ing|en)?|better(?:ed|ing)|smash(?:ed|ing)"
    r"|set(?:s|ting)? a (?:new )?|lower(?:ed|ing)|improv(?:ed|ing))\b[^.;]{0,60}\brecord\b"
    r"|\brecord\b[^.;]{0,40}\b(?:was|were) (?:broken|beaten|bettered)\b|\bnew (?:\w+ )?record\b",
    re.IGNORECASE,
)
_VERSION = re.compile(
    r"\b(?:latest|current|newest|stable|recent)\b[^.;]{0,40}?\b(?:version|release)\b"
    r"[^.;\d]{0,30}(?P<number>\d+(?:\.\d+)*)",
    re.IGNORECASE,
)
_RELEASED = re.compile(
    r"\b(?:version |v)?(?P<number>(?<!\d\.)\d+(?:\.\d+){0,9}+)\b[^.;]{0,60}?"
    r"\b(?:was released|came out|is out|is available)\b",
    re.IGNORECASE,
)
_NOT_YET = re.compile(
    r"\b(?:not|never|denied|denies|rumou?r\w*|whether|if|might|may|could)\b",
    re.IGNORECASE,
)
_IN_HANDS = re.compile(
    r"\b(?P<how>owned|operated|run|managed|sponsored|led|coached|headed|chaired|edited"
    r"|published|presented|hosted|maintained|supplied) by\s(?:the\s)?"
)
_NAME = re.compile(r"(?:[A-Z][\w’'.-]*\s?){1,6}")
_SINCE = re.compile(
    r"\b(?:now|since|has been|have been|currently|from)\b", re.IGNORECASE
)
_NAMED = 0.5
_SHARED_RECORD = 2  # content words of a record that both have, "course" and "record"


def has_passed(statement: Statement, text: str, subject: Subject) -> bool:
    """Tell whether what a statement says to be so has come to an end by `text`."""
    if not is_state(statement) or _NOT_YET.search(text):
        return False
    said = shown(statement)
    return (
        any(_has_happened(one, statement, text, subject) for one in _TRANSITIONS)
        or _is_in_other_hands(said, text, subject)
        or (
            not is_plan(text)
            and (
                _is_overtaken(said, text, subject)
                or _is_broken(said, text)
                or _has_newer_version(said, text)
            )
        )
    )


def _has_happened(
    one: _Transition, statement: Statement, text: str, subject: Subject
) -> bool:
    said = shown(statement)
    state, found = one.state.search(said), one.event.search(text)
    if state is None or found is None or is_plan(clause_at(text, found.start())):
        return False
    if one.of is _Of.HOLDER:
        return _befalls(found, text, subject)
    if not are_of_one(statement, state.start(), text, found.start(), subject):
        return False
    return _has_its_names(one.of, said, text, found.end(), terms_of(subject))


def _has_its_names(
    of: _Of, said: str, text: str, event_end: int, terms: frozenset[str]
) -> bool:
    old, new = read(said), read(text)
    if of is _Of.NAMED:
        return any(mentioned(each, new.stems) >= _NAMED for each in _others(old, terms))
    if of is _Of.ELSEWHERE:
        behind = [
            each
            for each in _others(new, terms)
            if new.words[each.first_word].start >= event_end
        ]
        return bool(behind) and mentioned(behind[0], old.stems) < _NAMED
    return True


def _befalls(found: re.Match[str], text: str, subject: Subject) -> bool:
    """Tell whether the subject is what was bought or taken over, and no buyer."""
    whose = owner(text, found.start(), terms_of(subject)).whose
    before = text[max(0, found.start() - 20) : found.start()]
    is_passive = re.search(r"\b(?:was|were|been|is|being)\s(?:\w+\s)?$", before)
    if is_passive or found[0].lower().startswith("was "):
        return whose is not Whose.OTHER
    names = [content_stems(words(name)) for name in subject.names]
    behind = content_stems(words(text[found.end() :]))
    return whose is Whose.OTHER and any(name and name <= behind for name in names)


def _is_in_other_hands(said: str, text: str, subject: Subject) -> bool:
    """Tell whether it is now run by another than the statement says."""
    mine = {one["how"]: one for one in _IN_HANDS.finditer(said)}
    for one in _IN_HANDS.finditer(text):
        clause = clause_at(text, one.start())
        if one["how"] not in mine or not _SINCE.search(clause) or is_plan(clause):
            continue
        holder = _name_at(said, mine[one["how"]].end())
        other = _name_at(text, one.end())
        if not holder or not other or holder & other:
            continue
        whose = owner(text, one.start(), terms_of(subject)).whose
        return whose is not Whose.OTHER
    return False


def _name_at(text: str, at: int) -> frozenset[str]:
    """Return the stems of the name that starts at `at`, if one does."""
    found = _NAME.match(text, at)
    return content_stems(words(found[0])) if found else frozenset()


def _others(found: Reading, terms: frozenset[str]) -> list[Name]:
    dated = {one.first_word for one in found.dates}
    return [
        one
        for one in found.names
        if not terms.issuperset(one.stems) and one.first_word not in dated
    ]


def _is_overtaken(said: str, text: str, subject: Subject) -> bool:
    """Tell whether something else is the tallest now, of the same."""
    most = _SUPERLATIVE.search(said)
    if most is None or _OVERTAKES.search(text) is None:
        return False
    if not re.search(rf"\b{re.escape(most['most'])}\b", text, re.IGNORECASE):
        return False
    named = [content_stems(words(name)) for name in subject.names]
    told = content_stems(words(text))
    return any(name and name <= told for name in named)


def _is_broken(said: str, text: str) -> bool:
    if not _RECORD.search(said) or not _BREAKS.search(text):
        return False
    shared = _of_record(said) & _of_record(text)
    return len(shared) >= _SHARED_RECORD


def _of_record(text: str) -> frozenset[str]:
    """Return the content words around "record": of what it is one."""
    found = words(text)
    at = next((n for n, one in enumerate(found) if one.text.lower() == "record"), 0)
    return content_stems(found[max(0, at - 2) : at + 3])


def _has_newer_version(said: str, text: str) -> bool:
    old, new = _VERSION.search(said), _RELEASED.search(text)
    return old is not None and new is not None and _parts(new) > _parts(old)


def _parts(found: re.Match[str]) -> tuple[int, ...]:
    return tuple(int(part[:9]) for part in found["number"].split("."))
