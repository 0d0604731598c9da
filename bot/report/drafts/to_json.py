"""Renders a draft as JSON; `drafts_schema.json` has each field."""

import json
from dataclasses import asdict
from datetime import date
from importlib import resources

from bot.records.watches import Policy
from bot.report.drafts.views import (
    CiteView,
    Dossier,
    SentenceView,
    SourceView,
    address_of,
    dossier_view,
)
from bot.report.json_parts import Json
from bot.report.words import clean
from handlers.citations.better.template import fill
from handlers.model import Draft

SCHEMA_VERSION = "2.0"


def render_json(draft: Draft, policy: Policy = Policy.POINTER, wiki: str = "") -> str:
    """Return one JSON document. A field is always there, `null` where it says nothing.

    Args:
        draft: what is rendered.
        policy: decides about a model's words, as in all forms.
        wiki: host name for which citations are filled; else Wikipedia in the language.
    """
    shown = dossier_view(draft, policy)
    wiki = wiki or f"{draft.topic.language}.wikipedia.org"
    document = {
        "schema_version": SCHEMA_VERSION,
        "topic": asdict(draft.topic),
        "policy": policy.value,
        "method": draft.method.value,
        "reranker": draft.reranker,
        "engine": asdict(draft.engine),
        "sections": _sections(shown),
        "disagreements": [
            {
                "about": one.about or None,
                "probability": round(one.probability, 4),
                "one": _sentence(one.one),
                "other": _sentence(one.other),
            }
            for one in shown.disagreements
        ],
        "sources": [_source(one, wiki) for one in shown.sources],
        "not_cited": [
            address_of(one.reading) or one.reading.source.key for one in shown.unused
        ],
        "worth_reading": [
            {
                "source": one.source.number,
                "about": list(one.about),
                "sentences": one.sentences,
            }
            for one in shown.worth_reading
        ],
        "left_out": [
            {
                "what": one.what,
                "why": one.why.name.lower(),
                "detail": one.detail or None,
            }
            for one in draft.left_out
        ],
        "troubles": list(draft.troubles),
        "model": {**asdict(draft.use), "cost": str(draft.use.cost)},
        "worded": shown.has_model_words,
    }
    return clean(json.dumps(document, ensure_ascii=False, indent=2)) + "\n"


def load_schema() -> Json:
    """Return the JSON Schema (2020-12) of what `render_json` writes."""
    text = resources.files("bot.report").joinpath("drafts_schema.json").read_text()
    schema: Json = json.loads(text)
    return schema


def _sections(shown: Dossier) -> list[Json]:
    return [
        {
            "heading": section.heading,
            "paragraphs": [
                [_sentence(one) for one in paragraph]
                for paragraph in section.paragraphs
            ],
        }
        for section in shown.sections
    ]


def _sentence(one: SentenceView) -> Json:
    return {
        "text": one.words,
        "quote": one.is_quote,
        "dated": _day(one.dated),
        "cites": [_cite(each) for each in one.cites],
    }


def _cite(one: CiteView) -> Json:
    return {
        "source": one.source,
        "quote": one.quote,
        "href": one.href,
        "page": one.page,
        "probability": None if one.probability is None else round(one.probability, 4),
    }


def _source(one: SourceView, wiki: str) -> Json:
    return {
        "number": one.number,
        "address": one.address,
        "title": one.title,
        "site": one.site or None,
        "published": one.published or None,
        "language": one.language or None,
        "citation": fill(one.reading, wiki) or None,
        "sha256": one.reading.content_sha256,
    }


def _day(day: date | None) -> str | None:
    return day.isoformat() if day else None
