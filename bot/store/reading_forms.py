"""Sources and what came of reading them, as text in a table and back again.

What comes out of the table is checked like anything else that enters: another version
of the program may have written it.
"""

import json
import zlib
from dataclasses import fields, replace
from datetime import date
from typing import Any

from pydantic import TypeAdapter, ValidationError

from handlers.model import Source, SourceForm, SourceOutcome, SourceReading, UrlStatus

_MOST_BYTES = 64 * 1024**2  # of an answer, unpacked
_MOST_PACKED_BYTES = 15 * 1024**2  # what a row takes
_READINGS = TypeAdapter(SourceReading)
_SOURCES = TypeAdapter(Source)
_NOTHING = Source(SourceForm.URL, "")


def asked(source: Source) -> str:
    """Return what is asked for as text."""
    said = {field.name: getattr(source, field.name) for field in fields(source)}
    given = {name: _plain(value) for name, value in said.items() if value}
    return json.dumps({"raw": ""} | given)


def source_of(kept: str) -> Source | None:
    """Return what `asked` was given; `None` if it is in no form that we know."""
    try:
        return _SOURCES.validate_python(json.loads(kept))
    except ValueError:
        return None


def packed(reading: SourceReading) -> bytes:
    """Return a reading without its source, as short as it gets."""
    bare = _READINGS.dump_python(replace(reading, source=_NOTHING), mode="json")
    packed = zlib.compress(json.dumps(_whole(bare)).encode(), 6)
    if len(packed) <= _MOST_PACKED_BYTES:
        return packed
    outcome, detail = SourceOutcome.TOO_LARGE, "its text is too long to be handed on"
    return packed_failure(outcome, detail)


def packed_failure(outcome: SourceOutcome, detail: str) -> bytes:
    """Return the reading of a source that was not read."""
    return packed(SourceReading(_NOTHING, outcome, detail))


def reading_of(kept: bytes, source: Source) -> SourceReading | None:
    """Return the reading of `source`; `None` if it is not in a form that we know."""
    try:
        unpacked = zlib.decompressobj().decompress(kept, _MOST_BYTES)
        reading = _READINGS.validate_python(json.loads(unpacked))
    except (zlib.error, ValueError, ValidationError):
        return None
    return replace(reading, source=source)


def _plain(value: object) -> object:
    if isinstance(value, UrlStatus | SourceForm):
        return value.value
    return value.isoformat() if isinstance(value, date) else value


def _whole(value: Any) -> Any:
    """Return a value without halves of letters, which no other program takes."""
    if isinstance(value, str):
        return value.encode("utf-8", "replace").decode()
    if isinstance(value, list):
        return [_whole(one) for one in value]
    if isinstance(value, dict):
        return {name: _whole(one) for name, one in value.items()}
    return value
