"""A suggestion's flag and remedies as columns, and back again. Pure."""

import json
from collections.abc import Iterable
from typing import Any

from sqlalchemy import Row

from bot.store import compatibility, sanitise
from bot.store.schema import ADDRESS_CHARS
from handlers.model import CheckKind, ExpectedPrecision, Flag, Remedy, RemedyKind

_MOST_REMEDIES = 10
_CITATION_CHARS = 10_000


def flag_columns(flag: Flag | None) -> dict[str, Any]:
    """Return a flag as columns; all are NULL where there is none.

    Raises:
        PermanentError: a number in it is none from 0 to 1.
    """
    return {
        "flag_kind": flag.kind.name if flag else None,
        "flag_probability": sanitise.share(flag.probability) if flag else None,
        "flag_threshold": sanitise.share(flag.threshold) if flag else None,
        "flag_expected": _expected_text(flag.expected) if flag else None,
    }


def flag_of(row: Row[Any]) -> Flag | None:
    """Return the flag of a suggestion's row."""
    if row.flag_kind is None:
        return None
    return Flag(
        compatibility.kind_of(CheckKind, row.flag_kind),
        row.flag_probability,
        row.flag_threshold,
        _expected_of(row.flag_expected),
    )


def _expected_text(expected: ExpectedPrecision | None) -> str | None:
    if expected is None:
        return None
    kept = {
        "one_in_10": sanitise.share(expected.one_in_10),
        "one_in_40": sanitise.share(expected.one_in_40),
        "file": sanitise.text(expected.file),
        "sets": expected.sets,
        "rows": expected.rows,
    }
    return json.dumps(kept, ensure_ascii=False)


def _expected_of(text: str | None) -> ExpectedPrecision | None:
    if text is None:
        return None
    kept: dict[str, Any] = compatibility.fields_of(ExpectedPrecision, json.loads(text))
    return ExpectedPrecision(**kept | {"sets": tuple(kept["sets"])})


def remedies_text(remedies: Iterable[Remedy]) -> str:
    """Return remedies as one text.

    A citation that is too long is left out: half a template would break the page
    that it is copied to.

    Raises:
        PermanentError: a probability is none.
    """
    return json.dumps(
        [
            {
                "kind": one.kind.name,
                "address": sanitise.text(one.address, ADDRESS_CHARS),
                "citation": _whole(one.citation),
                "quote": sanitise.text(one.quote),
                "probability": sanitise.share(one.probability),
            }
            for one in tuple(remedies)[:_MOST_REMEDIES]
        ],
        ensure_ascii=False,
    )


def _whole(citation: str | None) -> str | None:
    fits = citation is not None and len(citation) <= _CITATION_CHARS
    return sanitise.text(citation) if fits else None


def remedies_of(row: Row[Any]) -> tuple[Remedy, ...]:
    """Return the remedies of a suggestion's row; none are known of an old one."""
    kept: list[dict[str, Any]] = json.loads(row.remedies or "[]")
    return tuple(compatibility.understood(_remedy, kept))


def _remedy(given: dict[str, Any]) -> Remedy:
    kind = compatibility.kind_of(RemedyKind, given["kind"])
    return Remedy(**compatibility.fields_of(Remedy, given) | {"kind": kind})
