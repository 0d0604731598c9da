"""Renders reports as one self-contained HTML file.

No scripts, no requests: filters are radio buttons and style rules. Everything from a
page or a source goes through Jinja's autoescaping, and every address through
`safe_href`. The templates of all other reports are created here, too.
"""

import re
from collections.abc import Sequence
from functools import cache

from jinja2 import ChoiceLoader, Environment, PackageLoader, StrictUndefined
from markupsafe import Markup

from bot.report.claims import FILTERS, NAMES, article_views, totals
from bot.report.page_report import ClaimState, PageReport
from bot.report.words import (
    MEANINGS,
    clean,
    shortened,
)
from handlers.model import SourceOutcome

_LANGUAGE = re.compile(r"[a-z]{2,3}(?:-[a-z0-9]{2,8}){0,3}", re.ASCII | re.IGNORECASE)


@cache
def templates(*packages: str) -> Environment:
    """Return the templates; all values put into them are escaped and cleaned.

    Templates of `packages`, by name, take precedence over those of the reports.
    Compiling a template takes longer than filling it in for a page, so each is compiled
    once.
    """
    loaders = [PackageLoader(package) for package in (*packages, "bot.report")]
    environment = Environment(
        loader=ChoiceLoader(loaders),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        finalize=_clean,
    )
    environment.filters.update(
        FILTERS, language=_language, shortened=shortened, slug=_slug
    )
    environment.globals.update(NAMES, MEANINGS=MEANINGS, Outcome=SourceOutcome)
    return environment


def _clean(value: object) -> object:
    if isinstance(value, str) and not isinstance(value, Markup):
        return clean(value)
    return value


def _slug(state: ClaimState) -> str:
    return state.value.replace(" ", "-")


def _language(tag: str | None) -> str | None:
    """Return `tag` if it has the form of a language tag."""
    return tag if tag and _LANGUAGE.fullmatch(tag) else None


def render_html(reports: Sequence[PageReport]) -> str:
    """Return one self-contained HTML document that shows all of `reports`."""
    return (
        templates()
        .get_template("report.html")
        .render(articles=article_views(reports), totals=totals(reports))
    )
