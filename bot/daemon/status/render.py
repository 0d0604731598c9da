"""Renders the status as a page, as plain text and as JSON, and the pages beside it.

All three are built from one view. On the pages everything goes through Jinja's
autoescaping; they share one style sheet and one script from the same server, and
nothing is loaded from elsewhere. The text can be read aloud and at any width: it has no
tables, and each row is a line that names each of its figures. In the JSON, times are in
ISO 8601 with their zone, spans in seconds, and names of closed sets as in the code, in
lower case; later versions may add names, but remove them only with another
`schema_version`.
"""

import json
from collections.abc import Mapping
from dataclasses import dataclass, fields, is_dataclass, replace
from datetime import datetime
from decimal import Decimal
from enum import Enum
from functools import cache
from math import inf
from typing import Any

from jinja2 import Environment
from markupsafe import Markup, escape

from bot.daemon.status.reasons import (
    Reason,
    health_problems,
    question,
    why_nothing_is_posted,
)
from bot.daemon.status.situation import Situation, ago
from bot.daemon.status.view import (
    Cell,
    Section,
    check_name,
    in_force,
    pages_of,
    sections_of,
)
from bot.records.heartbeat import Incident
from bot.records.status import FeedStatus, Status
from bot.records.watches import CommunityPage
from bot.report.to_html import templates
from bot.report.to_text import laid_out, texts
from bot.report.words import clean_for_terminal, moment, shortened
from bot.surfaces.opt_in.community import effective_entries


@dataclass(frozen=True, slots=True)
class StatusView:
    """All that is shown of a situation, whatever the output."""

    at: datetime
    health_problems: tuple[str, ...]
    last_posted_at: datetime | None
    question: str
    reasons: tuple[Reason, ...]
    sections: tuple[Section, ...]


def view_of(situation: Situation) -> StatusView:
    """Return what is shown."""
    return StatusView(
        at=situation.status.at,
        health_problems=tuple(one.what for one in health_problems(situation)),
        last_posted_at=situation.status.posts.last_posted_at,
        question=question(situation),
        reasons=why_nothing_is_posted(situation),
        sections=sections_of(situation),
    )


def render_status(situation: Situation) -> str:
    """Return the status page."""
    return render_page("status.html", view=view_of(situation))


_MOST_CHARS = 300  # of a cell
_MOST_ROWS = 12  # of a table; the page and JSON have all


def render_text(situation: Situation, *, width: int, colour: bool) -> str:
    """Return the status as text, wrapped to `width` columns."""
    filled = _texts().get_template("status.txt").render(view=view_of(situation))
    return laid_out(filled, width=width, colour=colour)


@cache
def _texts() -> Environment:
    environment = texts("bot.daemon.status")
    environment.filters.update(ago=ago, spoken=_spoken, zip=zip)
    environment.globals["MOST_ROWS"] = _MOST_ROWS
    return environment


def _spoken(cell: Cell, at: datetime) -> str:
    if isinstance(cell, datetime):
        return f"{ago(cell, at)} ({moment(cell)})"
    if isinstance(cell, int):
        return f"{cell:,}"
    return shortened(clean_for_terminal(cell), _MOST_CHARS) if cell else "none"


SCHEMA_VERSION = 1
# What version 1 calls a field that has another name in the program.
_KEYS = {
    (Status, "scheduled"): "turns",
    (Status, "incidents"): "ailments",
    (FeedStatus, "gaps"): "holes",
    (Incident, "problem"): "ailment",
}


def render_json(situation: Situation) -> str:
    """Return one JSON document with all that is known."""
    return json.dumps(as_json(situation), ensure_ascii=False, indent=2) + "\n"


def as_json(situation: Situation) -> dict[str, Any]:
    """Return what `render_json` writes."""
    view, seen, configured = view_of(situation), situation.status, situation.configured
    return {
        "schema_version": SCHEMA_VERSION,
        "is_well": not view.health_problems,
        "ailments": list(view.health_problems),
        "lag_s": situation.lag_s,
        "why_nothing_is_posted": [_plain(reason) for reason in view.reasons],
        "precision": {
            check_name(one): {"settled": one.settled, "decided": one.decided}
            | ({} if one.precision is None else {"precision": one.precision})
            for one in seen.findings.notes
        },
        "readers": [
            {name: value for name, value in _plain(row).items() if value != inf}
            | {"precision": row.precision, "is_held": row.is_held}
            for row in situation.feedback.rows
        ],
        # The totals of decisions are given above; one by one they would be too many.
        "status": _plain(replace(seen, decided=replace(seen.decided, tallies=()))),
        "searches": [_plain(quota) for quota in situation.quotas],
        "configuration": {
            "version": configured.version,
            "is_live": configured.is_live,
            "account": configured.account,
            "settings": {one.name: one.value for one in configured.settings},
            "communities": {
                wiki: _in_force(page) for wiki, page in pages_of(situation).items()
            },
        },
    }


def _in_force(page: CommunityPage | None) -> dict[str, str]:
    community, _ = in_force(page)
    return {entry.name: entry.value for entry in effective_entries(community)}


def _plain(value: Any) -> Any:
    """Return `value` in a form that JSON can hold."""
    match value:
        case Enum():
            found: Any = value.name.lower()
        case datetime():
            found = value.isoformat()
        case Decimal():
            found = str(value)
        case Mapping():
            found = {str(_plain(name)): _plain(each) for name, each in value.items()}
        case tuple():
            found = [_plain(each) for each in value]
        case _ if is_dataclass(value):
            found = {
                _KEYS.get((type(value), one.name), one.name): _plain(
                    getattr(value, one.name)
                )
                for one in fields(value)
            }
        case _:
            found = value
    return found


# The pages besides the status.


@dataclass(frozen=True, slots=True)
class Entry:
    """A page in a list, and the address of what is shown of it."""

    title: str
    wiki: str
    href: str
    written_at: datetime


@dataclass(frozen=True, slots=True)
class Link:
    """A link from the first page to others."""

    address: str
    name: str
    about: str


def _ticked(text: str) -> Markup:
    """Return `text` with backticked parts as code."""
    parts = [
        Markup("<code>{}</code>").format(part) if number % 2 else escape(part)
        for number, part in enumerate(text.split("`"))
    ]
    return Markup("").join(parts)


def render_page(name: str, **given: object) -> str:
    """Return a page, its style sheet or its script, from the template of that name."""
    return _templates().get_template(name).render(**given)


@cache
def _templates() -> Environment:
    environment = templates("bot.daemon.status")
    environment.filters.update(ago=ago, ticked=_ticked)
    return environment
