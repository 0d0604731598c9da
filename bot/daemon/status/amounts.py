"""Spans of time, sizes and figures as a person says them. Pure."""

from collections.abc import Mapping
from datetime import datetime

from bot.records.spending import PayerKind
from bot.report.words import counted

_UNITS = ((86_400.0, "day"), (3600.0, "hour"), (60.0, "minute"), (1.0, "second"))
_TWO = 2  # of the larger unit, before the smaller one is no longer told


def span(seconds: float) -> str:
    """Return a span to about one part in twenty: "2 hours", "90 seconds"."""
    for unit_s, name in _UNITS:
        if seconds >= _TWO * unit_s or unit_s in {seconds, 1}:
            number = int(max(seconds, 0) / unit_s)
            return f"{number:,} {name}{'' if number == 1 else 's'}"
    raise AssertionError  # the last unit always fits


def ago(when: datetime, now: datetime) -> str:
    """Return how long ago something was, or in how long it will be."""
    seconds = (now - when).total_seconds()
    if abs(seconds) < 1:
        return "now"
    return f"{span(seconds)} ago" if seconds > 0 else f"in {span(-seconds)}"


def share(part: int, whole: int) -> str:
    """Return a share as a percentage, or nothing of nothing."""
    return f"{part / whole:.0%}" if whole else ""


def at_their_cap(refused: Mapping[PayerKind, int]) -> str:
    """Say how many have spent their part of a day's money."""
    pages, people = (refused.get(kind, 0) for kind in PayerKind)
    told = [counted(pages, "page", "pages")] if pages else []
    told += [f"{people:,} who asked for pages"] if people else []
    return " and ".join(told)
