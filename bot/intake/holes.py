"""Finds times whose changes the feed did not give. Pure."""

from collections.abc import Iterator
from datetime import datetime

from bot.changes import Hole, Position
from bot.intake.reading import Harvest


def hole_in(harvest: Harvest, known: Position | None, *, at_first: bool) -> Hole | None:
    """Return what is missing before what one chunk gave, or within it.

    Args:
        harvest: what the chunk gave.
        known: how far the feed was read before it.
        at_first: whether it is the first of a connection.
    """
    if known is None:
        return None
    missing = [*_not_given_again(harvest, known, at_first), *_skipped(harvest, known)]
    if not missing:
        return None
    return Hole(min(since for since, _ in missing), max(until for _, until in missing))


def _not_given_again(
    harvest: Harvest, known: Position, at_first: bool
) -> Iterator[tuple[datetime, datetime]]:
    """Yield what the server no longer has of what we asked for.

    We ask for a time before the newest event of each topic that we know, so that one
    comes again. If the first to come is newer, those in between are gone. What is not
    known yet is held against the newest event of all, but only at first: then the hole
    is short at worst, and to look into it costs little.
    """
    newest = known.newest_at if at_first else None
    for one in harvest.begun:
        since, until = known.reached(one.place) or newest, one.at
        if since and until and until > since:
            yield since, until


def _skipped(harvest: Harvest, known: Position) -> Iterator[tuple[datetime, datetime]]:
    """Yield the time in which events came whose numbers leave some out."""
    if harvest.skipped is None or harvest.position is None:
        return
    since = known.reached(harvest.skipped) or known.newest_at
    until = harvest.position.reached(harvest.skipped)
    if since and until:
        yield min(since, until), max(since, until)
