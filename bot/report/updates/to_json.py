"""Renders a run of update discovery as JSON; `updates_schema.json` has each field."""

import json
from dataclasses import asdict
from enum import Enum
from importlib import resources

from bot.report.json_parts import Json
from bot.report.updates.views import News, SourceView, UpdateView
from bot.report.words import clean
from handlers.model import Proposal, TraceStep

SCHEMA_VERSION = "1.0"


def render_json(found: News) -> str:
    """Return one JSON document. A field is always there, `null` where it says nothing."""
    run = found.discovery
    page = run.subject.page.id
    # A model says in its own words what a section wants.
    shows_wants = found.shows_facts or not run.subject.criteria.is_worded
    document = {
        "schema_version": SCHEMA_VERSION,
        "page": {
            "wiki": page.wiki,
            "title": page.title,
            "revision_id": page.revision_id,
            "href": found.href,
        },
        "window": {
            "since": _day(run.subject.window.since),
            "until": _day(run.subject.window.until),
        },
        "criteria": [
            {
                "section": list(one.path),
                "wants": list(one.wants) if shows_wants else [],
                "open": one.is_open,
            }
            for one in run.subject.criteria.sections
        ],
        "updates": [_update(one) for one in found.updates],
        "passed_over": {why.name.lower(): count for why, count in found.passed_over},
        "trace": [_step(one, found) for one in run.trace],
        "stopped": run.stopped.name.lower(),
        "troubles": list(run.troubles),
        "model": {**asdict(run.use), "cost": str(run.use.cost)},
        "took_s": round(run.took_s, 3),
        "quotas": list(found.quotas),
    }
    return clean(json.dumps(document, ensure_ascii=False, indent=2)) + "\n"


def load_schema() -> Json:
    """Return the JSON Schema (2020-12) of what `render_json` writes."""
    text = resources.files("bot.report").joinpath("updates_schema.json").read_text()
    schema: Json = json.loads(text)
    return schema


def _update(one: UpdateView) -> Json:
    return {
        "number": one.number,
        "kind": one.kind.name.lower(),
        "section": list(one.section),
        "old": one.old,
        "header": one.header,
        "after": one.after,
        "fact": one.fact,
        "probability": round(one.probability, 4),
        "backing": one.backing.name.lower(),
        "dated": _day(one.dated),
        "sources": [_source(source) for source in one.sources],
        "edit": _edit(one.edit) if one.edit else None,
    }


def _source(one: SourceView) -> Json:
    return {
        "address": one.address,
        "title": one.quote.title,
        "site": one.site,
        "dated": _day(one.dated),
        "quote": one.quote.quote,
        "href": one.quote.href,
        "reliability": one.trust,
        "primary": one.is_primary,
        "search": one.search,
    }


def _edit(one: Proposal) -> Json:
    return {
        "start": one.span.start,
        "end": one.span.end,
        "before": one.before,
        "after": one.after,
        "citation": one.citation,
        "worded": one.is_worded,
        "refused": list(one.refused),
    }


def _step(one: TraceStep, found: News) -> Json:
    return {
        "role": one.role.value,
        "what": one.told(with_said=found.shows_facts),
        "at_s": one.at_s,
        "address": one.address,
        "quote": one.quote,
        "ignored": _name(one.ignored),
        "update": one.update,
    }


def _name(one: Enum | None) -> str | None:
    return one.name.lower() if one else None


def _day(day: object) -> str | None:
    return str(day) if day else None
