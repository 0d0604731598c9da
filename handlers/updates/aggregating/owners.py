"""Whose figure or deed a text tells of: the subject's own, or that of something else.

"The roof cost 1.2 million" has nothing to do with what the arena cost, nor "the faculty
of law has 1,640 students" with those of the university. What stands before the figure
in its clause tells; a grammar is not needed. Pure.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from enum import Enum

from handlers.citations.cues.words import Word, content_stems, stem, words
from handlers.model import ClaimKind, Statement, Subject
from handlers.updates.aggregating.calling import terms_of

_CELLS = frozenset({ClaimKind.INFOBOX_VALUE, ClaimKind.TABLE_CELL})
_BREAK = re.compile(r"[,;:()](?!\d)|\s[—–-]\s")
_ASIDE = re.compile(
    r"\s*(?:which|who|whose|with|of which|of whom|where|including)\b", re.IGNORECASE
)
_CARRIED_ON = re.compile(
    r"\s*(?:and\s+)?(?:now\s+)?(?:has|had|have|having|is|was|were|are|will|took|said"
    r"|passed)\b",
    re.IGNORECASE,
)
_SETTING = re.compile(
    r"\s*(?:in|on|at|with|after|before|since|by|as|from|for|during|under|until)\b",
    re.IGNORECASE,
)
_CORE_ENDS = frozenset(
    [
        "of",
        "in",
        "at",
        "for",
        "from",
        "to",
        "on",
        "by",
        "with",
        "that",
        "which",
        "who",
        "whose",
        "has",
        "had",
        "have",
        "is",
        "was",
        "are",
        "were",
        "will",
        "would",
        "now",
        "been",
        "be",
        "also",
        "said",
        "says",
        "after",
        "since",
        "as",
        "than",
        "into",
        "brings",
        "brought",
    ]
)
_RAISES = re.compile(
    r"\b(?:brings?|bringing|brought|takes|taking|raises|raising|raised|lifts|lifting"
    r"|lifted|increases|increased|reduces|reduced|cuts|cutting)\b(?=[^.;]{0,60}?\bto\s)",
    re.IGNORECASE,
)
_BOUND = re.compile(
    r"\b(?:at least|at most|more than|less than|fewer than|over|under|about|around|some"
    r"|nearly|almost|approximately|up to|an estimated)\s+$",
    re.IGNORECASE,
)
_PRONOUNS = frozenset({"it", "they", "he", "she", "we"})
_COUNTED_WORDS = """
    number total toll count figure capacity population inhabitants residents
    people attendance price fee fare admission ticket tickets subscription
    membership members staff workforce employees students enrolment enrollment
    revenue turnover profit circulation length height deaths dead casualties fleet
    cases infections injured wounded missing arrests visitors passengers customers
    subscribers followers seats beds
"""
_COUNTED = frozenset(map(stem, _COUNTED_WORDS.split()))
_TIMES_WORDS = """
    january february march april may june july august september october november
    december monday tuesday wednesday thursday friday saturday sunday year end
    beginning start spring summer autumn winter today yesterday week month morning
    evening night day season now moment present last this
"""
_TIMES = frozenset(map(stem, _TIMES_WORDS.split()))


class Whose(Enum):
    """To whom something is ascribed."""

    OWN = "the subject of the article"
    OTHER = "somebody or something else"
    UNTOLD = "the text does not say"


@dataclass(frozen=True, slots=True)
class Owner:
    """What stands where a sentence has its subject; `stems` are those of its head.

    It `is_named` unless "it" or "the number" stand there, which can be of much.
    """

    whose: Whose
    stems: frozenset[str] = frozenset()
    is_named: bool = True


_UNTOLD = Owner(Whose.UNTOLD)


def are_of_one(
    statement: Statement, said_at: int, text: str, told_at: int, subject: Subject
) -> bool:
    """Tell whether what stands at two places can be of one thing.

    Args:
        statement: of the article.
        said_at: place in the statement's own text of what is compared.
        text: of the candidate.
        told_at: place in `text` of what is compared.
        subject: of the article.
    """
    terms = terms_of(subject)
    told = owner(text, told_at, terms)
    if statement.kind in _CELLS:
        return _is_of_cell(statement, text, told)
    said = owner(statement.text, said_at, terms)
    if told.whose is Whose.UNTOLD:
        return True
    if said.whose is Whose.UNTOLD:  # most that an article says is of its subject
        return told.whose is Whose.OWN
    if told.whose is Whose.OWN and (said.whose is Whose.OWN or not told.is_named):
        return True
    return bool(said.stems & told.stems)


def owner(text: str, at: int, terms: frozenset[str]) -> Owner:
    """Return what the clause around place `at` of `text` is about."""
    at = len(_BOUND.sub("", text[:at]))
    raised = [found.end() for found in _RAISES.finditer(text[:at])]
    if raised:
        return _headed(text[raised[-1] : at], terms)
    starts = [0, *(found.end() for found in _BREAK.finditer(text, 0, at))]
    clauses = [
        text[start:end] for start, end in zip(starts, [*starts[1:], at], strict=True)
    ]
    clauses = [one for one in clauses if one.strip(" ,;:()—–-")]
    if not clauses:
        return _UNTOLD
    if not text[starts[-1] : at].strip():  # the figure opens the clause
        return _set(clauses[-1], terms) if _SETTING.match(clauses[-1]) else _UNTOLD
    return _of_clauses(clauses, terms)


def clause_at(text: str, at: int) -> str:
    """Return the clause of `text` in which place `at` lies."""
    start = max((one.end() for one in _BREAK.finditer(text, 0, at)), default=0)
    after = _BREAK.search(text, at)
    return text[start : after.start() if after else len(text)]


def _of_clauses(clauses: Sequence[str], terms: frozenset[str]) -> Owner:
    """Return whose the last of `clauses` is; an aside belongs to what it is put to."""
    last = clauses[-1]
    if not _ASIDE.match(last) and not _CARRIED_ON.match(last):
        return _set(last, terms) if _SETTING.match(last) else _headed(last, terms)
    before = [
        one for one in clauses[:-1] if not _ASIDE.match(one) and not _SETTING.match(one)
    ]
    if not before:
        return _UNTOLD
    chosen = before[-1] if _ASIDE.match(last) else before[0]
    return _headed(chosen, terms)


def _set(clause: str, terms: frozenset[str]) -> Owner:
    """Return whose a clause is that opens with a place or a time."""
    stems = content_stems(words(clause))
    if stems & (terms | _COUNTED) or any(
        word.text.lower() in _PRONOUNS for word in words(clause)
    ):
        return Owner(Whose.OWN, stems)
    others = {one for one in stems if one not in _TIMES and not one.isdigit()}
    return Owner(Whose.OTHER, frozenset(others)) if others else _UNTOLD


def _headed(clause: str, terms: frozenset[str]) -> Owner:
    """Return whose a clause is that opens with its subject."""
    found = words(clause)
    if found and found[0].text.lower() in _PRONOUNS:
        return Owner(Whose.OWN, is_named=False)
    core, end = _core(found)
    if not core:
        return _UNTOLD
    head, is_anothers = _without_possessor(core, terms)
    stems = frozenset(word.stem for word in head)
    if is_anothers or _is_another(head, terms):
        return Owner(Whose.OTHER, stems)
    if head[0].stem in _COUNTED and end < len(found) and found[end].text == "of":
        rest, _ = _core(found[end + 1 :])
        of = frozenset(word.stem for word in rest)
        if of and not of & (terms | _COUNTED):
            return Owner(Whose.OTHER, of)
    return Owner(Whose.OWN, stems, is_named=not stems.isdisjoint(terms))


def _core(found: Sequence[Word]) -> tuple[list[Word], int]:
    """Return the content words of the first noun phrase, and where it ends."""
    core: list[Word] = []
    for at, word in enumerate(found):
        if word.is_number or (word.text.lower() in _CORE_ENDS):
            return core, at
        if word.is_content:
            core.append(word)
    return core, len(found)


def _without_possessor(
    core: list[Word], terms: frozenset[str]
) -> tuple[list[Word], bool]:
    """Return what is possessed, and whether that by something else."""
    last = max(
        (at for at, word in enumerate(core) if word.text.endswith(("'s", "’s"))),
        default=-1,
    )
    if last < 0 or last + 1 == len(core):
        return core, False
    holder = {stem(re.sub(r"['’]s$", "", word.text)) for word in core[: last + 1]}
    return core[last + 1 :], not holder & (terms | _TIMES)


def _is_another(core: Sequence[Word], terms: frozenset[str]) -> bool:
    """Tell whether the head is neither the subject nor what is counted of it.

    Where it has a name, the whole name must be the subject's.
    """
    named = [word for word in core if word.is_capitalised and word.start > 0]
    if named and not all(word.stem in terms for word in named):
        return not any(word.stem in _COUNTED for word in named)
    known = terms | _COUNTED
    return not any(word.stem in known for word in core[:2])


def _is_of_cell(statement: Statement, text: str, told: Owner) -> bool:
    """Tell whether a text can be of an infobox's subject, or of a table's row.

    The row of a year stays what it was.
    """
    if statement.kind is ClaimKind.INFOBOX_VALUE:
        return told.whose is not Whose.OTHER
    row = words((statement.header or "").rpartition(",")[0])
    if not row or any(word.is_number for word in row):
        return False
    return content_stems(row) <= content_stems(words(text))
