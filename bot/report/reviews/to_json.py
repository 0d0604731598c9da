"""Renders a review as JSON; `reviews_schema.json` has each field."""

import json
from dataclasses import asdict
from importlib import resources

from bot.report.json_parts import Json
from bot.report.reviews.views import FindingView, ReviewView
from bot.report.words import clean
from handlers.model import Criterion

SCHEMA_VERSION = "1.0"


def render_json(view: ReviewView) -> str:
    """Return one JSON document. A field is always there, `null` where it says nothing."""
    review = view.review
    page = review.page.id
    document = {
        "schema_version": SCHEMA_VERSION,
        "page": {
            "wiki": page.wiki,
            "title": page.title,
            "revision_id": page.revision_id,
            "href": view.href,
        },
        "findings": [_finding(one) for one in view.findings],
        "hidden": view.hidden,
        "judged": sorted(review.judged),
        "not_judged": [_criterion(one) for one in view.unjudged],
        "troubles": list(review.troubles),
        "model": {**asdict(review.use), "cost": str(review.use.cost)},
    }
    return clean(json.dumps(document, ensure_ascii=False, indent=2)) + "\n"


def load_schema() -> Json:
    """Return the JSON Schema (2020-12) of what `render_json` writes."""
    text = resources.files("bot.report").joinpath("reviews_schema.json").read_text()
    schema: Json = json.loads(text)
    return schema


def _finding(one: FindingView) -> Json:
    found = one.finding
    return {
        "number": one.number,
        "kind": found.kind.name.lower(),
        "criteria": list(found.criteria),
        "section": list(found.section),
        "start": found.span.start,
        "end": found.span.end,
        "quote": found.quote,
        "marked": [[mark.start, mark.end] for mark in found.marked],
        "message": found.message,
        "advice": found.advice,
        "guideline": found.guideline,
        "guideline_href": one.guideline_href,
        "confidence": round(found.confidence, 4),
        "source": found.source_key,
        "source_quote": found.source_quote or None,
        "engine": asdict(found.engine) if found.engine else None,
    }


def _criterion(one: Criterion) -> Json:
    return {
        "id": one.id,
        "category": one.category.value,
        "group": one.group,
        "text": one.text,
        "guideline": one.guideline,
    }
