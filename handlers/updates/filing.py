"""Keeps the updates of a run: what a ruling of the aggregator makes of them. Pure."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

from handlers.citations.better.reliability import ReliabilityLists
from handlers.model import (
    Add,
    Backing,
    CandidateUpdate,
    Corroborate,
    Ignore,
    Replace,
    Ruling,
    Subject,
    Update,
    UpdateKind,
    UpdateSource,
)
from handlers.updates.weighing import backing_of, source_of


@dataclass(frozen=True, slots=True)
class Filing:
    """The updates after a ruling, what was done in plain words, and to which."""

    updates: tuple[Update, ...]
    what: str
    number: int | None = None


def filed(
    found: Sequence[Update],
    candidate: CandidateUpdate,
    ruling: Ruling,
    subject: Subject,
    lists: ReliabilityLists,
) -> Filing:
    """Return the updates once `ruling` on `candidate` has taken effect."""
    if isinstance(ruling, Ignore):
        return Filing(tuple(found), ruling.detail or ruling.why.value)
    source = source_of(candidate, subject, lists)
    if isinstance(ruling, Corroborate):
        if ruling.probability is not None:
            source = replace(source, probability=ruling.probability)
        return _borne_out(found, ruling.update, source, subject)
    if isinstance(ruling, Replace) and ruling.update is not None:
        return _renewed(found, ruling.update, candidate, source, subject)
    number = max((one.number for one in found), default=0) + 1
    update = _update(number, candidate, ruling, source, subject)
    return Filing((*found, update), update.kind.value, number)


def in_order(found: Sequence[Update]) -> tuple[Update, ...]:
    """Return updates: the best borne out first, of those what fits the article best.

    How surely the article lacks a fact says nothing of how much it matters there.
    """
    return tuple(
        sorted(
            found,
            key=lambda one: (
                one.backing is not Backing.HIGH,
                one.kind is not UpdateKind.OUTDATED,
                -one.score,
                one.number,
            ),
        )
    )


def _update(
    number: int,
    candidate: CandidateUpdate,
    ruling: Add | Replace,
    source: UpdateSource,
    subject: Subject,
) -> Update:
    is_new = isinstance(ruling, Add)
    replaces = None if isinstance(ruling, Add) else ruling.statement
    section = ruling.section if isinstance(ruling, Add) else candidate.section
    return Update(
        number=number,
        kind=UpdateKind.NEW_FACT if is_new else UpdateKind.OUTDATED,
        text=candidate.text,
        section=replaces.section if replaces else section,
        sources=(source,),
        probability=ruling.probability,
        replaces=replaces,
        after=ruling.after if isinstance(ruling, Add) else replaces,
        backing=backing_of((source,), subject),
        is_worded=candidate.is_worded,
        score=candidate.score,
    )


def _borne_out(
    found: Sequence[Update], number: int, source: UpdateSource, subject: Subject
) -> Filing:
    """Add a source to an update; a page counts once."""

    def with_source(one: Update) -> Update:
        if any(
            known.reading.source.key == source.reading.source.key
            for known in one.sources
        ):
            return one
        sources = (*one.sources, source)
        return replace(one, sources=sources, backing=backing_of(sources, subject))

    updates = tuple(with_source(one) if one.number == number else one for one in found)
    return Filing(updates, "one more source of a fact found before", number)


def _renewed(
    found: Sequence[Update],
    number: int,
    candidate: CandidateUpdate,
    source: UpdateSource,
    subject: Subject,
) -> Filing:
    """Put a newer fact in the place of one found before."""

    def newer(one: Update) -> Update:
        return replace(
            one,
            text=candidate.text,
            sources=(source,),
            backing=backing_of((source,), subject),
            is_worded=candidate.is_worded,
        )

    updates = tuple(newer(one) if one.number == number else one for one in found)
    return Filing(updates, "a newer fact in the place of one found before", number)
