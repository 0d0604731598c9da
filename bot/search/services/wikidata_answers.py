"""What Wikidata's API answers, as typed values; a statement that is none costs no other.

The form is that of `wbgetentities` (Wikibase's JSON of 2024). Everything in it was
written by anybody, so sizes are bounded. Pure.
"""

import re
from calendar import monthrange
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from typing import Annotated, Any

from pydantic import BaseModel, Field, ValidationError

from bot.wiki.answers import Reply

_TIME = re.compile(r"\+(\d{4})-(\d\d)-(\d\d)T00:00:00Z")
_ID = re.compile(r"[QP][1-9]\d{0,11}")
_UNIT = re.compile(r"https?://[^/\s]{1,100}/entity/(Q[1-9]\d{0,11})")
_YEAR, _MONTH, _DAY = 9, 10, 11  # precisions of a time
_MOST_SNAKS = 30
_MOST_TEXT = 300
_MOST_STATEMENTS = 5_000

Id = Annotated[str, Field(pattern=r"^[QP][1-9]\d{0,11}$")]


class DataValue(BaseModel):
    """A value with its type."""

    type: str = Field(max_length=40)
    value: Any


class Snak(BaseModel):
    """A property with a value; without one it is unknown, or there is none."""

    property: Id
    snaktype: str = "value"
    datavalue: DataValue | None = None


class Reference(BaseModel):
    """Where a statement is from."""

    snaks: dict[Id, list[Snak]] = Field({}, max_length=_MOST_SNAKS)


class Claim(BaseModel):
    """A statement of an item; `rank` is "deprecated" where it is known to be wrong."""

    mainsnak: Snak
    rank: str = "normal"
    qualifiers: dict[Id, list[Snak]] = Field({}, max_length=_MOST_SNAKS)
    references: list[Reference] = Field([], max_length=100)


class Label(BaseModel):
    """The name of an item or a property in a language."""

    value: str = Field(max_length=1_000)


class Entity(BaseModel):
    """An item or a property; `claims` are read one by one."""

    claims: dict[str, list[Any]] = {}
    labels: dict[str, Label] = {}


class EntitiesAnswer(Reply):
    """A whole answer of `action=wbgetentities`."""

    entities: dict[str, Entity] = Field({}, max_length=60)


@dataclass(frozen=True, slots=True)
class Days:
    """The days that a time may mean, both ends included."""

    first: date
    last: date


def claims_of(entity: Entity) -> Iterator[Claim]:
    """Yield the statements of an item that have the form."""
    count = 0
    for rows in entity.claims.values():
        for raw in rows:
            count += 1
            if count > _MOST_STATEMENTS:
                return
            try:
                yield Claim.model_validate(raw)
            except ValidationError:
                continue


def days_of(snaks: Sequence[Snak]) -> Days | None:
    """Return the days that the first of several times means."""
    for snak in snaks:
        told = _inner(snak, "time")
        found = _TIME.fullmatch(str(told.get("time", "")))
        if found:
            numbers = int(found[1]), int(found[2]), int(found[3])
            return _days(*numbers, told.get("precision"))
    return None


def addresses_of(snaks: Sequence[Snak]) -> Iterator[str]:
    """Yield the addresses among values."""
    for snak in snaks:
        value = snak.datavalue.value if snak.datavalue else None
        if isinstance(value, str) and value.startswith(("http://", "https://")):
            yield value


def ids_in(snak: Snak) -> Iterator[str]:
    """Yield the items and properties whose names are needed to say it in words."""
    yield snak.property
    item = _inner(snak, "wikibase-entityid").get("id")
    if isinstance(item, str) and _ID.fullmatch(item):
        yield item
    if unit := _unit(snak):
        yield unit


def in_words(snak: Snak, names: Mapping[str, str]) -> str:
    """Return a value in words, "" where it has none that a reader would understand."""
    if snak.datavalue is None:
        return ""
    kind, value = snak.datavalue.type, snak.datavalue.value
    if kind == "string":
        return str(value)[:_MOST_TEXT]
    if kind == "monolingualtext":
        return str(_inner(snak, kind).get("text", ""))[:_MOST_TEXT]
    if kind == "wikibase-entityid":
        return names.get(str(_inner(snak, kind).get("id")), "")
    if kind == "time":
        return _time_in_words(snak)
    return _amount(snak, names) if kind == "quantity" else ""


def _inner(snak: Snak, kind: str) -> Mapping[str, Any]:
    value = snak.datavalue
    is_it = value is not None and value.type == kind and isinstance(value.value, dict)
    return value.value if is_it and value is not None else {}


def _unit(snak: Snak) -> str | None:
    found = _UNIT.fullmatch(str(_inner(snak, "quantity").get("unit", "")))
    return found[1] if found else None


def _amount(snak: Snak, names: Mapping[str, str]) -> str:
    told = str(_inner(snak, "quantity").get("amount", "")).lstrip("+")[:40]
    try:
        number = f"{int(told):,}" if "." not in told else told
    except ValueError:
        return ""
    return f"{number} {names.get(_unit(snak) or '', '')}".strip()


def _time_in_words(snak: Snak) -> str:
    days = days_of([snak])
    if days is None:
        return ""
    first, last = days.first, days.last
    if first == last:
        return f"{first.day} {first:%B %Y}"
    return f"{first:%B %Y}" if first.month == last.month else str(first.year)


def _days(year: int, month: int, day: int, precision: object) -> Days | None:
    try:
        if precision == _YEAR:
            return Days(date(year, 1, 1), date(year, 12, 31))
        if precision == _MONTH:
            last = monthrange(year, month)[1]
            return Days(date(year, month, 1), date(year, month, last))
        if precision == _DAY:
            return Days(date(year, month, day), date(year, month, day))
    except ValueError:
        pass
    return None
