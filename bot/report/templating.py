"""The templates of every page that is shown as HTML, and what they may use."""

import re
from functools import cache

from jinja2 import ChoiceLoader, Environment, PackageLoader, StrictUndefined
from markupsafe import Markup

from bot.report.opinions import consultation_lines
from bot.report.page_report import Standing
from bot.report.wording import MEANINGS, counted, duration, moment, percent
from bot.report.words import clean, shortened
from handlers.citations.quoting.links import safe_href
from handlers.model import SourceOutcome

_LANGUAGE = re.compile(r"[a-z]{2,3}(?:-[a-z0-9]{2,8}){0,3}", re.ASCII | re.IGNORECASE)


@cache
def templates(*packages: str) -> Environment:
    """Return the templates; whatever they are given is escaped and cleaned.

    Those of `packages`, by name, are found before those of the reports. Compiling one
    takes longer than filling it in for a page, so each is compiled once.
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
        counted=counted,
        duration=duration,
        language=_language,
        moment=moment,
        percent=percent,
        safe_href=safe_href,
        shortened=shortened,
        slug=_slug,
        told=consultation_lines,
    )
    environment.globals.update(
        MEANINGS=MEANINGS, Outcome=SourceOutcome, Standing=Standing
    )
    return environment


def _clean(value: object) -> object:
    if isinstance(value, str) and not isinstance(value, Markup):
        return clean(value)
    return value


def _slug(standing: Standing) -> str:
    return standing.value.replace(" ", "-")


def _language(tag: str | None) -> str | None:
    """Return `tag` where it has the form of a language tag."""
    return tag if tag and _LANGUAGE.fullmatch(tag) else None
