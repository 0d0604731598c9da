"""What a later run means for the updates that an earlier one found.

The same update keeps its identity, however its sources have grown: who refused it is not
asked again. A newer figure is another update. Of what a run does not find again, only
that is over which it must have found: it read all its sources, or found something newer
in its place. Pure.
"""

import re
from collections.abc import Iterable, Sequence
from dataclasses import replace

from handlers.citations.addresses import normal_key
from handlers.model import (
    Discovery,
    Ignored,
    Role,
    Suggestion,
    UpdateKind,
    UpdateNote,
)
from handlers.page.anchors import normalised

_NUMBER = re.compile(r"\d+(?:[.,]\d+)*")
_ALIKE = 0.6  # share of the words of two facts that both have


def as_kept(
    found: Iterable[Suggestion], kept: Sequence[Suggestion]
) -> tuple[Suggestion, ...]:
    """Return `found`, each under the identity it has among `kept` if it is there."""
    known = {one.identity for one in kept}
    free = list(kept)
    renamed: dict[str, Suggestion] = {}
    for one in found:
        same = None
        if one.identity not in known:
            same = next((each for each in free if is_same(one, each)), None)
        if same is not None:
            free.remove(same)
            one = replace(one, identity=same.identity)  # noqa: PLW2901 - the same one
        renamed.setdefault(one.identity, one)
    return tuple(renamed.values())


def is_same(one: Suggestion, other: Suggestion) -> bool:
    """Tell whether two suggestions say the same is new, perhaps by other sources."""
    mine, its = one.details.update, other.details.update
    if mine is None or its is None or not _is_about_the_same(one, other):
        return False
    if _quotes(one) & _quotes(other):
        return True  # a model words one quote in many ways
    if _numbers(mine) != _numbers(its):
        return False
    if normalised(mine.fact) == normalised(its.fact):
        return True
    shares_source = bool(set(one.source_keys) & set(other.source_keys))
    is_outdated = mine.kind is UpdateKind.OUTDATED
    return (shares_source and is_outdated) or _alike(mine, its) >= _ALIKE


def outlived(
    kept: Iterable[Suggestion], found: Sequence[Suggestion], run: Discovery
) -> frozenset[str]:
    """Return the identities of those of `kept` that are over after a run.

    Args:
        kept: open suggestions of the page.
        found: of the run, under the identities of `as_kept`.
        run: how they were found.
    """
    again = {one.identity for one in found}
    read = _read(run)
    return frozenset(
        one.identity
        for one in kept
        if one.identity not in again
        and (_is_superseded(one, found) or _was_not_borne_out(one, read, run))
    )


def _is_about_the_same(one: Suggestion, other: Suggestion) -> bool:
    mine, its = one.details.update, other.details.update
    if mine is None or its is None or mine.kind is not its.kind:
        return False
    if mine.kind is not UpdateKind.OUTDATED:
        return True
    words = (normalised(one.claim), mine.header)
    return words == (normalised(other.claim), its.header)


def _is_superseded(one: Suggestion, found: Iterable[Suggestion]) -> bool:
    """Tell whether a newer fact refutes the same statement."""
    note = one.details.update
    if note is None or note.kind is not UpdateKind.OUTDATED:
        return False
    newer = (each.details.update for each in found if _is_about_the_same(one, each))
    return any(
        note.dated is None or each.dated is None or each.dated >= note.dated
        for each in newer
        if each
    )


def _was_not_borne_out(one: Suggestion, read: frozenset[str], run: Discovery) -> bool:
    """Tell whether a run read all its sources, minded its day, and did not take it."""
    note = one.details.update
    if note is None or not one.source_keys:
        return False
    window = run.subject.window
    is_minded = window.is_open or (note.dated is not None and window.holds(note.dated))
    return is_minded and all(normal_key(key) in read for key in one.source_keys)


def _read(run: Discovery) -> frozenset[str]:
    """Return the addresses of the pages that a run could read, normalised."""
    opened, unread = set[str](), set[str]()
    for step in run.trace:
        if step.address is None:
            continue
        if step.ignored is Ignored.NOT_READ:
            unread.add(normal_key(step.address))
        elif step.role is Role.NAVIGATOR:
            opened.add(normal_key(step.address))
    return frozenset(opened - unread)


def _quotes(one: Suggestion) -> frozenset[tuple[str, str]]:
    """Return the words that bear a suggestion out, each with where they stand."""
    told = (dated.quote for dated in one.details.news)
    return frozenset((each.source_key, normalised(each.quote)) for each in told)


def _numbers(note: UpdateNote) -> frozenset[str]:
    return frozenset(_NUMBER.findall(note.fact))


def _alike(one: UpdateNote, other: UpdateNote) -> float:
    mine, its = set(normalised(one.fact).split()), set(normalised(other.fact).split())
    return len(mine & its) / max(len(mine | its), 1)
