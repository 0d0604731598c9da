"""The results of the tests, as text and as JSON."""

import json
from collections import Counter
from collections.abc import Sequence
from datetime import datetime
from itertools import groupby

from bot import __version__
from bot.app.doctor.values import Examination, Group, State
from bot.report.to_text import Paper
from bot.report.words import clean_for_terminal, counted, moment, shortened


def render_json(found: Sequence[Examination], at: datetime) -> str:
    """Return one JSON object; `standing` is that of the worst examination."""
    counts = Counter(one.state for one in found)
    worst = next(
        one
        for one in (State.BROKEN, State.WARNING, State.FINE)
        if counts[one] or one is State.FINE
    )
    told = {
        "sidenote": __version__,
        "at": at.isoformat(timespec="seconds"),
        "standing": worst.value,
        "counts": {each.value: counts[each] for each in State},
        "examinations": [
            {
                "group": one.group.value,
                "name": one.name,
                "standing": one.state.value,
                "seen": one.seen,
                "remedy": one.remedy,
            }
            for one in found
        ],
    }
    return json.dumps(told, ensure_ascii=False, indent=2) + "\n"


_MARKS = {
    State.FINE: ("  ok    ", "green"),
    State.WARNING: ("  note  ", "bold yellow"),
    State.BROKEN: ("  WRONG ", "bold red"),
    State.SKIPPED: ("  -     ", "dim"),
}
_HEADINGS = {
    Group.PROGRAM: "Program and machine",
    Group.LANGUAGE_MODEL: "Language model",
    Group.OPENSEARCH: "OpenSearch",
    Group.DATA: "Data folder",
    Group.FEED: "Change feed",
}
_MOST_CHARS = 600
_INDENT = len("  WRONG ")


def render_text(
    found: Sequence[Examination],
    at: datetime,
    about: str,
    *,
    width: int,
    colour: bool,
) -> str:
    """Return all that was found, wrapped to `width` columns; `about` says for what."""
    out = Paper(width, colour)
    out.heading(f"Sidenote {__version__}, tested for {about}, {moment(at)}", rule="=")
    for group, each in groupby(found, lambda one: one.group):
        heading = _HEADINGS.get(group, group.value.capitalize())
        out.heading(heading, rule="-")
        for one in each:
            _write(out, one)
    out.gap()
    _write_sum(out, found)
    return out.text


def summary(found: Sequence[Examination]) -> str:
    """Return how many things are how, in one line."""
    counts = Counter(one.state for one in found)
    told = [
        f"{counts[State.BROKEN]} wrong",
        f"{counts[State.WARNING]} to review",
        f"{counts[State.FINE]} fine",
        f"{counts[State.SKIPPED]} skipped",
    ]
    return ", ".join(told)


def _write(out: Paper, one: Examination) -> None:
    seen = shortened(clean_for_terminal(one.seen), _MOST_CHARS)
    quiet = "dim" if one.state is State.SKIPPED else ""
    name = clean_for_terminal(one.name)
    out.line((name, quiet or "bold"), (f": {seen}", quiet), bullet=_MARKS[one.state])
    if one.remedy:
        remedy = shortened(clean_for_terminal(one.remedy), _MOST_CHARS)
        out.line(remedy, indent=_INDENT, bullet="-> ")


def _write_sum(out: Paper, found: Sequence[Examination]) -> None:
    broken = [one for one in found if one.state is State.BROKEN]
    style = "bold red" if broken else "bold green"
    out.line((f"{summary(found)}.", style))
    if broken:
        names = [
            f"{group.value} ({', '.join(dict.fromkeys(one.name for one in each))})"
            for group, each in groupby(broken, lambda one: one.group)
        ]
        out.line(f"First fix {', '.join(names)}; then run it again.")
    else:
        warned = sum(one.state is State.WARNING for one in found)
        if warned:
            out.line(f"Sidenote can run; {counted(warned, 'thing')} could be better.")
