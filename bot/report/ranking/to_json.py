"""Renders a ranking as JSON; `schema.json` beside this file describes every field."""

import json
from collections.abc import Mapping
from dataclasses import asdict
from importlib import resources
from typing import Any

from bot.report.json_parts import flag_json
from bot.report.ranking.gathered import Ranking
from bot.report.words import clean
from handlers.citations.ranking import Place, Ranked, Unranked

SCHEMA_VERSION = "2.0"


def render_json(ranking: Ranking) -> str:
    """Return the ranking as one JSON document, best first."""
    document = {
        "schema_version": SCHEMA_VERSION,
        "made_at": ranking.made_at.isoformat(),
        "engine": asdict(ranking.engine),
        "pages": ranking.pages,
        "ranked": [_ranked(rank, row) for rank, row in enumerate(ranking.rows, 1)],
        "left_out": ranking.left_out,
        "could_not_check": [_unranked(one) for one in ranking.unchecked],
        "pages_not_read": [asdict(one) for one in ranking.failures],
    }
    return clean(json.dumps(document, ensure_ascii=False, indent=1)) + "\n"


def load_schema() -> Mapping[str, Any]:
    """Return the JSON Schema (2020-12) of what `render_json` writes."""
    file = resources.files("bot.report.ranking").joinpath("schema.json")
    schema: Mapping[str, Any] = json.loads(file.read_text("utf-8"))
    return schema


def _ranked(rank: int, row: Ranked) -> dict[str, Any]:
    return {
        "rank": rank,
        "fails": row.fails,
        "verdict": row.verdict.value,
        "flag": flag_json(row.flag),
        **_placed(row.place),
        "source": row.address,
        "quote": row.quote,
        "url_depth": row.url_depth,
        "engine": asdict(row.engine),
    }


def _unranked(one: Unranked) -> dict[str, Any]:
    return {
        **_placed(one.place),
        "outcome": one.outcome.value if one.outcome else None,
        "detail": one.detail,
        "source": one.address,
        "url_depth": one.url_depth,
    }


def _placed(place: Place) -> dict[str, Any]:
    return {
        "wiki": place.page.wiki,
        "page": place.page.title,
        "revision_id": place.page.revision_id,
        "section": list(place.section),
        "claim": place.claim,
        "sentence": place.sentence,
        "url": place.link,
    }
