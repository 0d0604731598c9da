"""Tells whether a statement and a candidate speak of the same thing at all. Pure.

The verification model calls "Jones scored 15" a contradiction of "Smith scored 12":
it was made for claims beside their own sources. So names, dates and what is counted
are compared first.
"""

from handlers.citations.cues import dates, numbers
from handlers.citations.cues.agreement import Agreement
from handlers.citations.cues.names import mentioned
from handlers.citations.cues.reading import Reading, read
from handlers.citations.cues.words import content_stems, words
from handlers.model import CandidateUpdate, Statement, Subject
from handlers.updates.aggregating.nearest import Near, shown
from handlers.updates.aggregating.perishing import perishes
from handlers.updates.aggregating.policy import Policy

_NAMED = 0.5  # share of a name from which it is mentioned


def is_rival(near: Near, candidate: CandidateUpdate, policy: Policy) -> bool:
    """Tell whether a statement is near enough to be refuted by the candidate."""
    return near.alike >= policy.alike or has_other_figure(
        near.statement, candidate.text
    )


def has_other_figure(statement: Statement, text: str) -> bool:
    """Tell whether both count the same thing and get different numbers."""
    said, stated = read(shown(statement)), read(text)
    return any(
        numbers.agreement(one, stated.quantities) is Agreement.DIFFERENT
        for one in said.quantities
    )


def speaks_of_another(
    statement: Statement, candidate: CandidateUpdate, subject: Subject
) -> bool:
    """Tell whether the two are about other people, places or days.

    That is so where both name somebody besides the subject and neither names one of
    the other's, and where both give days that differ for what does not go on.
    """
    said, stated = read(shown(statement)), read(candidate.text)
    if _names_others(said, stated, subject):
        return True
    return not perishes(statement) and _is_of_other_days(said, stated)


def _names_others(said: Reading, stated: Reading, subject: Subject) -> bool:
    known = content_stems(word for name in subject.names for word in words(name))
    mine = [one for one in said.names if not known.issuperset(one.stems)]
    theirs = [one for one in stated.names if not known.issuperset(one.stems)]
    if not mine or not theirs:
        return False
    shared = any(mentioned(one, stated.stems) >= _NAMED for one in mine)
    return not shared and not any(
        mentioned(one, said.stems) >= _NAMED for one in theirs
    )


def _is_of_other_days(said: Reading, stated: Reading) -> bool:
    if not said.dates or not stated.dates:
        return False
    agreed = [dates.agreement(one, stated.dates) for one in said.dates]
    return all(one is Agreement.DIFFERENT for one in agreed)
