"""Renders a sweep as JSON, the fields as `SweepSummary` names them."""

import json
from dataclasses import asdict

from bot.report.sweeps.summary import SweepSummary
from bot.report.words import clean

SCHEMA_VERSION = "1.0"


def render_json(summary: SweepSummary) -> str:
    """Return one JSON document."""
    values = {**asdict(summary), "made_at": summary.made_at.isoformat()}
    document = {"schema_version": SCHEMA_VERSION, **values}
    return clean(json.dumps(document, ensure_ascii=False, indent=1)) + "\n"
