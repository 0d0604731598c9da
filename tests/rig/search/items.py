"""Items as in Wikidata's API, made from the essentials of a statement."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date
from typing import Any


@dataclass(frozen=True, slots=True)
class Statement:
    """One statement; `value` is an amount, an item such as "Q42", or text."""

    property: str
    value: int | str
    point_in_time: date | None = None
    address: str = ""
    title: str = ""
    published: date | None = None
    retrieved: date | None = None
    rank: str = "normal"
    unit: str = ""
    more: Mapping[str, Any] = field(default_factory=dict)  # further parts of its JSON


def entity(statements: Sequence[Statement]) -> dict[str, Any]:
    """Return an item with these statements."""
    claims: dict[str, list[Any]] = {}
    for one in statements:
        claims.setdefault(one.property, []).append(_claim(one))
    return {"claims": claims}


def named(english: str) -> dict[str, Any]:
    """Return an item or a property with a name."""
    return {"labels": {"en": {"language": "en", "value": english}}}


def _claim(one: Statement) -> dict[str, Any]:
    claim: dict[str, Any] = {
        "mainsnak": _snak(one.property, _value(one)),
        "type": "statement",
        "rank": one.rank,
        **one.more,
    }
    if one.point_in_time:
        claim["qualifiers"] = {"P585": [_snak("P585", _time(one.point_in_time))]}
    fields = {
        "P854": {"type": "string", "value": one.address} if one.address else None,
        "P1476": _text(one.title) if one.title else None,
        "P577": _time(one.published) if one.published else None,
        "P813": _time(one.retrieved) if one.retrieved else None,
    }
    snaks = {name: [_snak(name, value)] for name, value in fields.items() if value}
    if snaks:
        claim["references"] = [{"hash": "0" * 40, "snaks": snaks}]
    return claim


def _snak(name: str, value: Mapping[str, Any]) -> dict[str, Any]:
    return {"snaktype": "value", "property": name, "datavalue": value}


def _value(one: Statement) -> dict[str, Any]:
    if isinstance(one.value, int):
        unit = f"http://www.wikidata.org/entity/{one.unit}" if one.unit else "1"
        amount = {"amount": f"{one.value:+d}", "unit": unit}
        return {"type": "quantity", "value": amount}
    if one.value[:1] == "Q" and one.value[1:].isdecimal():
        inner = {"entity-type": "item", "id": one.value}
        return {"type": "wikibase-entityid", "value": inner}
    return {"type": "string", "value": one.value}


def _text(text: str) -> dict[str, Any]:
    return {"type": "monolingualtext", "value": {"text": text, "language": "en"}}


def _time(day: date) -> dict[str, Any]:
    value = {
        "time": f"+{day.isoformat()}T00:00:00Z",
        "timezone": 0,
        "before": 0,
        "after": 0,
        "precision": 11,
        "calendarmodel": "http://www.wikidata.org/entity/Q1985727",
    }
    return {"type": "time", "value": value}
