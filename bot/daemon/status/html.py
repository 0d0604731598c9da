"""Renders the pages that `sidenote serve` shows.

Everything goes through Jinja's autoescaping. The pages share one style sheet and one
script, both of the same server; nothing comes from elsewhere.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import cache

from jinja2 import Environment
from markupsafe import Markup, escape

from bot.daemon.status.reasons import question, why_nothing_is_posted
from bot.daemon.status.sections import sections_of
from bot.daemon.status.situation import Situation, ago, ailments
from bot.report.to_html import templates


@dataclass(frozen=True, slots=True)
class Entry:
    """A page in a list, and the address of what is shown of it."""

    title: str
    wiki: str
    href: str
    written_at: datetime


@dataclass(frozen=True, slots=True)
class Shown:
    """A page as it would be written; with `is_cut`, only its beginning."""

    title: str
    wiki: str
    text: str
    history: tuple[str, ...]
    is_cut: bool = False


@cache
def _templates() -> Environment:
    environment = templates("bot.daemon.status")
    environment.filters.update(ago=ago, ticked=_ticked)
    return environment


def render_status(situation: Situation) -> str:
    """Return the status page."""
    return _rendered(
        "status.html",
        at=situation.sight.at,
        last_posted_at=situation.sight.posts.last_posted_at,
        ailments=ailments(situation),
        question=question(situation),
        reasons=why_nothing_is_posted(situation),
        sections=sections_of(situation),
    )


@dataclass(frozen=True, slots=True)
class Door:
    """A way from the first page to further ones."""

    address: str
    name: str
    told: str


def render_index(*, reports: int, shown: int, doors: Sequence[Door] = ()) -> str:
    """Return the first page; it says how many reports and pages there are."""
    return _rendered("index.html", reports=reports, shown=shown, doors=doors)


def render_listing(
    title: str,
    lede: str,
    entries: Sequence[Entry],
    *,
    at: datetime,
    left_out: int = 0,
) -> str:
    """Return a list of pages."""
    return _rendered(
        "listing.html",
        title=title,
        lede=lede,
        entries=entries,
        at=at,
        left_out=left_out,
    )


def render_shown(page: Shown) -> str:
    """Return what a dry run would have written, as plain text."""
    return _rendered(
        "shown.html",
        title=page.title,
        wiki=page.wiki,
        text=page.text,
        history=page.history,
        is_cut=page.is_cut,
    )


def render_problem(title: str, why: str) -> str:
    """Return a page that says what is wrong."""
    return _rendered("problem.html", title=title, why=why)


def style() -> str:
    """Return the style sheet of all pages."""
    return _rendered("status.css")


def script() -> str:
    """Return the script that looks again."""
    return _rendered("refresh.js")


def _ticked(text: str) -> Markup:
    """Return `text` with what stands between backticks as code."""
    parts = [
        Markup("<code>{}</code>").format(part) if number % 2 else escape(part)
        for number, part in enumerate(text.split("`"))
    ]
    return Markup("").join(parts)


def _rendered(name: str, **given: object) -> str:
    return _templates().get_template(name).render(**given)
