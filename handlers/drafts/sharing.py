"""Shares out the words of a draft among the sections that its plan has. Pure."""

from collections.abc import Sequence

from handlers.model import PlannedSection


def share(one: PlannedSection, among: Sequence[PlannedSection], left: int) -> int:
    """Return how many words a section is to have of those `left`.

    What the plan asks for is cut down where all of it together is too much; where it
    is too little, each section takes of its spare sentences in proportion.

    Args:
        one: one of `among`.
        among: the sections still to write, each with words.
        left: words for all of them.
    """
    planned = sum(each.words for each in among)
    if planned >= left:
        return round(left * one.words / max(1, planned))
    spare = sum(each.spare for each in among)
    part = min(1.0, (left - planned) / spare) if spare else 0.0
    return one.words + round(one.spare * part)
