"""A suggestion's details as one column, and back again. Pure.

All of it comes from pages and sources: every text is clipped, and every list has an
end, so that no source can make a row that nobody can read.
"""

import json
from collections.abc import Iterable, Mapping
from datetime import date, datetime
from typing import Any

from bot.store import compatibility, notes_json, sanitise
from bot.store.schema import ADDRESS_CHARS
from handlers.model import DatedQuote, Details, Origin, Quoted, Span

_MOST_QUOTES = 3
_MOST_NEWS = 10
_MOST_SPANS = 100
_QUOTE_CHARS = 5_000
_AROUND_CHARS = 500
_NAME_CHARS = 500


def details_text(details: Details) -> str:
    """Return details as one text."""
    return json.dumps(
        {
            "sentence": sanitise.text(details.sentence, _QUOTE_CHARS),
            "unsupported": [
                [span.start, span.end] for span in details.unsupported[:_MOST_SPANS]
            ],
            "quotes": [_quoted(one) for one in details.quotes[:_MOST_QUOTES]],
            "occurrence": details.occurrence,
            "news": [
                _quoted(one.quote) | {"dated": one.dated and one.dated.isoformat()}
                for one in details.news[:_MOST_NEWS]
            ],
            "update": notes_json.note_json(details.update),
            "writing": notes_json.writing_json(details.writing),
        },
        ensure_ascii=False,
    )


def _quoted(one: Quoted) -> dict[str, Any]:
    return {
        "quote": sanitise.text(one.quote, _QUOTE_CHARS),
        "before": sanitise.text(one.before, _AROUND_CHARS),
        "after": sanitise.text(one.after, _AROUND_CHARS),
        "cut_before": one.cut_before,
        "cut_after": one.cut_after,
        "source_key": sanitise.text(one.source_key, ADDRESS_CHARS),
        "title": sanitise.text(one.title, _NAME_CHARS),
        "work": sanitise.text(one.work, _NAME_CHARS),
        "published": sanitise.text(one.published, _NAME_CHARS),
        "page": one.page,
        # An address that was cut leads elsewhere: better none.
        "href": sanitise.text(one.href) if _fits(one.href) else None,
        "origin": one.origin.name if one.origin else None,
        "read_at": one.read_at.isoformat() if one.read_at else None,
        "language": sanitise.text(one.language, _NAME_CHARS),
    }


def _fits(href: str | None) -> bool:
    return href is not None and len(href) <= ADDRESS_CHARS


def details_of(kept: str | None) -> Details:
    """Return the details of a row; of an old one none are known."""
    if not kept:
        return Details()
    given: Mapping[str, Any] = json.loads(kept)
    return Details(
        sentence=given["sentence"],
        unsupported=_spans(given["unsupported"]),
        quotes=tuple(_quote_of(one) for one in given["quotes"]),
        occurrence=given["occurrence"],
        news=tuple(_news_of(one) for one in given["news"]),
        update=notes_json.note_of(given.get("update")),
        writing=notes_json.writing_of(given.get("writing")),
    )


def _spans(given: Iterable[tuple[int, int]]) -> tuple[Span, ...]:
    return tuple(Span(start, end) for start, end in given)


def _news_of(given: Mapping[str, Any]) -> DatedQuote:
    rest = {name: value for name, value in given.items() if name != "dated"}
    dated = given["dated"]
    return DatedQuote(_quote_of(rest), date.fromisoformat(dated) if dated else None)


def _quote_of(given: Mapping[str, Any]) -> Quoted:
    origin, read_at = given["origin"], given["read_at"]
    return Quoted(
        **{
            **compatibility.fields_of(Quoted, given),
            "origin": compatibility.kind_of(Origin, origin) if origin else None,
            "read_at": datetime.fromisoformat(read_at) if read_at else None,
        }
    )
