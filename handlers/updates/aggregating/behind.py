"""Where in its section a new fact belongs: behind which statement. Pure."""

from collections.abc import Sequence
from datetime import date
from itertools import pairwise

from handlers.model import CandidateUpdate, ClaimKind, Statement, Subject
from handlers.ports import TextEncoder
from handlers.updates.aggregating.perishing import last_named

_RUNNING = frozenset({ClaimKind.SENTENCE, ClaimKind.CLAUSE, ClaimKind.LIST_ITEM})
_ALIKE = 0.4  # cosine from which a fact stands best behind what is most like it
_DATED_SHARE = 0.5  # of a section's statements that make it a chronicle
_IN_ORDER_SHARE = 0.7


def is_open(subject: Subject, section: tuple[str, ...]) -> bool:
    """Tell whether the section exists and takes facts."""
    return any(one.path == section and one.is_open for one in subject.criteria.sections)


async def behind(
    subject: Subject,
    candidate: CandidateUpdate,
    section: tuple[str, ...],
    encoder: TextEncoder,
) -> Statement | None:
    """Return the statement of `section` that the fact follows; `None` of none.

    In a section that tells one day after the other it is the last of an earlier day;
    else the one most like the fact, else the last.
    """
    running = [
        one
        for one in subject.statements
        if one.section == section and one.kind in _RUNNING
    ]
    if not running:
        return None
    day = last_named(candidate.text) or candidate.dated
    days = [last_named(one.text) for one in running]
    if day is not None and _is_chronicle(days):
        return _before(running, days, day)
    [row] = await encoder.likeness([candidate.text], [one.text for one in running])
    best = max(range(len(running)), key=lambda at: row[at])
    return running[best] if row[best] >= _ALIKE else running[-1]


def _is_chronicle(days: Sequence[date | None]) -> bool:
    told = [day for day in days if day is not None]
    if len(told) < 2 or len(told) < _DATED_SHARE * len(days):  # noqa: PLR2004 - an order
        return False
    in_order = sum(one <= other for one, other in pairwise(told))
    return in_order >= _IN_ORDER_SHARE * (len(told) - 1)


def _before(
    running: Sequence[Statement], days: Sequence[date | None], day: date
) -> Statement | None:
    """Return the last statement before the first of a later day."""
    for at, told in enumerate(days):
        if told is not None and told > day:
            return running[at - 1] if at else None
    return running[-1]
