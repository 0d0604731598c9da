"""Renders the status as JSON, for programs.

Times are in ISO 8601 with their zone, spans in seconds, names of closed sets as in the
code, in lower case. Names are added in later versions, and taken away only with another
`schema_version`.
"""

import json
from collections.abc import Mapping
from dataclasses import fields, is_dataclass, replace
from datetime import datetime
from decimal import Decimal
from enum import Enum
from math import inf
from typing import Any

from bot.daemon.status.reasons import why_nothing_is_posted
from bot.daemon.status.sections import check_name, in_force, pages_of
from bot.daemon.status.situation import Situation, ailments
from bot.records.watches import CommunityPage
from bot.surfaces.opt_in.community import effective_entries

SCHEMA_VERSION = 1


def render_json(situation: Situation) -> str:
    """Return one JSON document with all that is known."""
    return json.dumps(as_json(situation), ensure_ascii=False, indent=2) + "\n"


def as_json(situation: Situation) -> dict[str, Any]:
    """Return what `render_json` writes."""
    seen, means = situation.sight, situation.means
    return {
        "schema_version": SCHEMA_VERSION,
        "is_well": not ailments(situation),
        "ailments": list(ailments(situation)),
        "lag_s": situation.lag_s,
        "why_nothing_is_posted": [
            _plain(reason) for reason in why_nothing_is_posted(situation)
        ],
        "precision": {
            check_name(one): {"settled": one.settled, "decided": one.decided}
            | ({} if one.precision is None else {"precision": one.precision})
            for one in seen.findings.told
        },
        "readers": [
            {name: value for name, value in _plain(row).items() if value != inf}
            | {"precision": row.precision, "is_held": row.is_held}
            for row in situation.steering.rows
        ],
        # Of decisions the sums are told above; one by one they would be too many.
        "sight": _plain(replace(seen, decided=replace(seen.decided, tallies=()))),
        "searches": [_plain(quota) for quota in situation.quotas],
        "configuration": {
            "version": means.version,
            "is_live": means.is_live,
            "account": means.account,
            "settings": {one.name: one.value for one in means.settings},
            "communities": {
                wiki: _in_force(page) for wiki, page in pages_of(situation).items()
            },
        },
    }


def _in_force(page: CommunityPage | None) -> dict[str, str]:
    community, _ = in_force(page)
    return {entry.name: entry.value for entry in effective_entries(community)}


def _plain(value: Any) -> Any:
    """Return `value` as what JSON can hold."""
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
                one.name: _plain(getattr(value, one.name)) for one in fields(value)
            }
        case _:
            found = value
    return found
