"""Who wrote a source: people as citation templates name them, part by part. Pure."""

import re
from typing import NamedTuple

from handlers.wikitext.citing.template_names import PEOPLE

_INNER_NUMBER = re.compile(r"(author|editor)(\d{1,2})(\w+)")
_MOST_DIGITS = 2  # of a person's number
_MOST_INITIALS = 3


class Person(NamedTuple):
    """What a parameter such as `last2` names."""

    role: str  # "author" or "editor"
    number: int
    part: str  # "first", "last" or "whole"


# Which part of which person's name, and the value given for it.
People = list[tuple[Person, str]]


def person_named(parameter: str) -> Person | None:
    """Return what `parameter`, lower case without separators, names of a person."""
    base = parameter.rstrip("0123456789")
    number = parameter[len(base) :]
    known = PEOPLE.get(base)
    if known is None and (inner := _INNER_NUMBER.fullmatch(parameter)):
        number = inner[2]
        known = PEOPLE.get(inner[1] + inner[3])
    if known is None or len(number) > _MOST_DIGITS:
        return None
    role, part = known
    return Person(role, int(number or 1), part)


def full_names(people: People) -> tuple[str, ...]:
    """Return the authors' names, first names first."""
    if not people:
        return ()
    names = (
        each.get("whole") or f"{each.get('first', '')} {each.get('last', '')}".strip()
        for each in _by_number(people, "author")
    )
    return tuple(name for name in names if name)


def surnames_of(people: People) -> tuple[str, ...]:
    """Return the surnames of the authors, else those of the editors."""
    for role in ("author", "editor"):
        parts = _by_number(people, role)
        found = (each.get("last") or each.get("whole") for each in parts)
        surnames = tuple(name for name in found if name)
        if surnames:
            return surnames
    return ()


def surname(name: str) -> str:
    """Return the surname of "Smith JR" or "John Smith"."""
    first, _, last = name.rpartition(" ")
    initials = last.isupper() and len(last) <= _MOST_INITIALS
    return first if first and initials else last


def _by_number(people: People, role: str) -> list[dict[str, str]]:
    numbered: dict[int, dict[str, str]] = {}
    for person, value in people:
        if person.role == role:
            numbered.setdefault(person.number, {}).setdefault(person.part, value)
    return [numbered[number] for number in sorted(numbered)]
