"""Whether a statement and a text can be held against each other at all. Pure.

They cannot where they speak of two people, places, days, turns, parts or spans of time.
"""

from handlers.citations.cues import dates
from handlers.citations.cues.agreement import Agreement
from handlers.citations.cues.names import mentioned
from handlers.citations.cues.reading import Reading, read
from handlers.citations.cues.words import content_stems, words
from handlers.model import Statement, Subject
from handlers.updates.aggregating.calling import terms_of
from handlers.updates.aggregating.counting import (
    complement_of,
    count_at,
    is_one_money,
    is_so_now,
    is_total,
)
from handlers.updates.aggregating.figures import Change
from handlers.updates.aggregating.nearest import Near, shown
from handlers.updates.aggregating.news import named
from handlers.updates.aggregating.offices import has_new_holder
from handlers.updates.aggregating.owners import (
    Whose,
    are_of_one,
    clause_at,
    owner,
)
from handlers.updates.aggregating.perishing import is_plan, is_state
from handlers.updates.aggregating.scopes import is_of_a_year, is_of_another_span
from handlers.updates.aggregating.transitions import has_passed

_SHORT = 10  # content words of a statement that is about its figure
_SHARED = 0.3  # of the candidate's words, with a longer one
_NAMED = 0.5  # share of a name from which it is mentioned


def is_comparable(
    one: Change, near: Near, text: str, subject: Subject, *, is_known: bool
) -> bool:
    """Tell whether two figures are of one thing and one span of time.

    A long statement has its figure in passing, so it must share more than the figure.
    What is counted by no word that we know must be the subject's own, and be so now.
    """
    statement = near.statement
    if len(read(statement.text).content) > _SHORT and near.shared < _SHARED:
        return False
    if not _is_of_one_kind(one, statement, text):
        return False
    if not are_of_one(statement, one.said_at, text, one.told_at, subject):
        return False
    whose = owner(text, one.told_at, terms_of(subject)).whose
    if not one.kind.is_listed:
        return whose is Whose.OWN and is_state(statement)
    return is_known or whose is Whose.OWN


def _is_of_one_kind(one: Change, statement: Statement, text: str) -> bool:
    """Tell whether the figures are of one kind and time, whosever they are."""
    said = shown(statement)
    if not one.kind.is_listed:
        is_now = is_so_now if one.kind.name.endswith(" now") else is_total
        if not is_now(text, one.told_at):
            return False
    if is_plan(clause_at(text, one.told_at)) or is_of_another_span(
        said, text, grows=one.kind.grows
    ):
        return False
    if is_of_a_year(statement) and not one.kind.is_toll:
        return False
    mine, theirs = complement_of(said, one.said_at), complement_of(text, one.told_at)
    if mine and theirs and mine.isdisjoint(theirs):
        return False
    return is_one_money(said, one.said_at, text, one.told_at)


def counts_another(statement: Statement, text: str, subject: Subject) -> bool:
    """Tell whether the figures of both are of two things, or of two spans of time."""
    said, told = count_at(shown(statement)), count_at(text)
    if said is None or told is None:
        return False
    if is_of_another_span(shown(statement), text, grows=True):
        return True
    return not are_of_one(statement, said, text, told, subject)


def speaks_of_another(statement: Statement, text: str, subject: Subject) -> bool:
    """Tell whether the two are about other people, places, days or turns.

    That is so where both name somebody besides the subject and neither names one of
    the other's; where one speaks of the first and the other of the second; and where
    both give days that differ for what does not go on.
    """
    if has_new_holder(statement, text, subject) or has_passed(statement, text, subject):
        return False
    said, stated = read(shown(statement)), read(text)
    if _names_others(said, stated, subject) or _is_another_turn(said, stated):
        return True
    return not is_state(statement) and _is_of_other_days(said, stated)


def _names_others(said: Reading, stated: Reading, subject: Subject) -> bool:
    known = content_stems(word for name in subject.names for word in words(name))
    mine = [one for one in named(said) if not known.issuperset(one.stems)]
    theirs = [one for one in named(stated) if not known.issuperset(one.stems)]
    if not mine or not theirs:
        return False
    shared = any(mentioned(one, stated.stems) >= _NAMED for one in mine)
    return not shared and not any(
        mentioned(one, said.stems) >= _NAMED for one in theirs
    )


def _is_another_turn(said: Reading, stated: Reading) -> bool:
    mine, theirs = _turns(said), _turns(stated)
    return bool(mine and theirs) and mine.isdisjoint(theirs)


def _turns(found: Reading) -> set[float]:
    return {one.value for one in found.quantities if one.unit == "ordinal"}


def _is_of_other_days(said: Reading, stated: Reading) -> bool:
    """Tell whether all days differ; another day of the same year may be an error."""
    if not said.dates or not stated.dates:
        return False
    agreed = [dates.agreement(one, stated.dates) for one in said.dates]
    if any(one is not Agreement.DIFFERENT for one in agreed):
        return False
    return {one.year for one in said.dates}.isdisjoint(one.year for one in stated.dates)
