"""Fills fields of an infobox from labelled lines, and tolls that all sentences agree on.

A field is filled only where a page on the topic states it under a label that leaves no
doubt ("Running time: 117 minutes"), or where sentences of several pages count the dead
or injured and all count the same. What pages state differently is left out. Pure.
"""

import re
from bisect import bisect_right
from collections.abc import Iterator, Mapping, Sequence
from types import MappingProxyType

from handlers.citations.cues.numbers import Bound, agree
from handlers.citations.cues.reading import read
from handlers.drafts.chunking import chunks_of
from handlers.drafts.screening import MOST_CHARS, address_of, named
from handlers.model import (
    Chunk,
    CitedChunk,
    Draft,
    DraftDocument,
    Evidence,
    InfoboxField,
    Passage,
    Span,
)
from handlers.updates.aggregating.counting import counts
from handlers.updates.extracting import sites

# Kind of article: its template, and what a label is called in it.
_TEMPLATES: Mapping[str, tuple[str, str]] = MappingProxyType(
    {
        "crime": ("Infobox event", "event"),
        "disaster": ("Infobox event", "event"),
        "strike": ("Infobox event", "event"),
        "observance": ("Infobox event", "event"),
        "tour": ("Infobox concert tour", "tour"),
        "election": ("Infobox election", "election"),
        "song": ("Infobox song", "song"),
        "game": ("Infobox video game", "game"),
        "book": ("Infobox book", "book"),
        "screen": ("Infobox film", "film"),
        "television": ("Infobox television", "television"),
        "war": ("Infobox military conflict", "war"),
        "place": ("Infobox building", "place"),
        "season": ("Infobox sports season", "sport"),
        "awards": ("Infobox event", "event"),
    }
)
_FIELDS: Mapping[str, Mapping[str, str]] = MappingProxyType(
    {
        "event": {
            "date": "date",
            "location": "location",
            "place": "location",
            "venue": "venue",
            "deaths": "deaths",
            "fatalities": "deaths",
            "dead": "deaths",
            "injured": "injuries",
            "injuries": "injuries",
            "attendance": "attendance",
            "winner": "awards",
        },
        "tour": {"start date": "start_date", "end date": "end_date"},
        "election": {"date": "election_date", "turnout": "turnout"},
        "song": {
            "released": "released",
            "release date": "released",
            "label": "label",
            "genre": "genre",
            "length": "length",
            "producer": "producer",
            "producers": "producer",
        },
        "game": {
            "developer": "developer",
            "publisher": "publisher",
            "release date": "released",
            "platforms": "platforms",
            "genre": "genre",
        },
        "book": {
            "author": "author",
            "publisher": "publisher",
            "pages": "pages",
            "isbn": "isbn",
            "translator": "translator",
            "language": "language",
            "publication date": "pub_date",
        },
        "film": {
            "director": "director",
            "directed by": "director",
            "producer": "producer",
            "produced by": "producer",
            "written by": "writer",
            "writer": "writer",
            "starring": "starring",
            "music by": "music",
            "release date": "released",
            "running time": "runtime",
            "runtime": "runtime",
            "country": "country",
            "country of origin": "country",
            "language": "language",
            "budget": "budget",
        },
        "television": {
            "created by": "creator",
            "creator": "creator",
            "director": "director",
            "directed by": "director",
            "starring": "starring",
            "network": "network",
            "country of origin": "country",
            "language": "language",
            "release date": "first_aired",
            "no. of episodes": "num_episodes",
            "running time": "runtime",
            "runtime": "runtime",
        },
        "war": {"date": "date", "location": "place", "result": "result"},
        "place": {
            "location": "location",
            "architect": "architect",
            "opened": "opened_date",
            "established": "opened_date",
        },
        "sport": {
            "attendance": "attendance",
            "venue": "venue",
            "champion": "champions",
            "champions": "champions",
        },
    }
)
_TOLLS = (("deaths", "deaths"), ("injured", "injuries"))
_LINE = re.compile(
    r"^[ \t•*·-]*(?P<label>[A-Za-z][A-Za-z. ]{2,24}?)[ \t]*:[ \t]*(?P<value>\S[^\n\r]{0,118})$",
    re.MULTILINE,
)
_UNCLEAR = re.compile(
    r"[|?!©»<>{}\[\]:]|https?:|\.\.|…|\b(?:n/?a|tba|tbc|tbd|unknown|none|see|click|all|any|select|search|home|menu|other|more|view)\b",
    re.IGNORECASE,
)
_JOINED = re.compile(r"[a-z][A-Z]|\d[A-Z][a-z]")
_MOST_WORDS = 14
_ON_TOPIC = 0.6  # of the title's words, in the title and opening of a page
_OPENING = 800
_NAMES_IT = 0.5  # of the title's words, in a sentence that counts its dead


def template_of(kind: str) -> str:
    """Return the template that articles of a kind mostly have, or nothing."""
    return _TEMPLATES.get(kind, ("", ""))[0]


def fields_of(draft: Draft, kind: str) -> tuple[InfoboxField, ...]:
    """Return what is stated for the infobox, each field once."""
    known = _FIELDS.get(_TEMPLATES.get(kind, ("", ""))[1], {})
    stated: dict[str, list[InfoboxField]] = {}
    for document in draft.documents:
        for one in _labelled(draft, document, known):
            stated.setdefault(one.name, []).append(one)
    if "deaths" in known.values():
        for one in _tolls(draft):
            stated.setdefault(one.name, []).append(one)
    return tuple(
        found[0]
        for found in stated.values()
        if len({one.value.casefold() for one in found}) == 1
    )


def _labelled(
    draft: Draft, document: DraftDocument, known: Mapping[str, str]
) -> Iterator[InfoboxField]:
    source = document.reading.document
    if source is None or not known:
        return
    text = source.text[:MOST_CHARS]
    if sites.fault(address_of(document)):
        return  # a shop's labels are those of what it sells
    if named(draft.topic, f"{source.title or ''} {text[:_OPENING]}") < _ON_TOPIC:
        return
    chunks = chunks_of(document)  # once: a page can have thousands of such lines
    for found in _LINE.finditer(text):
        name = known.get(found["label"].strip().lower())
        value = found["value"].strip().rstrip(".;,")
        if name and _is_clear(value):
            cited = _cited(document, chunks, Span(found.start("label"), found.end()))
            if cited:
                yield InfoboxField(name, value, cited)


def _is_clear(value: str) -> bool:
    return (
        0 < len(value.split()) <= _MOST_WORDS
        and not _UNCLEAR.search(value)
        and not _JOINED.search(value)
    )


def _cited(
    document: DraftDocument, chunks: Sequence[Chunk], span: Span
) -> CitedChunk | None:
    at = bisect_right(chunks, span.start, key=lambda one: one.span.start) - 1
    if at < 0 or span.end > chunks[at].span.end:
        return None
    chunk = chunks[at]
    start = chunk.span.start
    quote = chunk.text[span.start - start : span.end - start]
    passage = Passage(f"document {document.number}", chunk.text, chunk.span)
    return CitedChunk(chunk, Evidence(passage, quote, span, (), 1.0))


def _tolls(draft: Draft) -> Iterator[InfoboxField]:
    """Yield how many died and were injured, where every sentence that counts agrees."""
    sentences = draft.sentences
    for kind, name in _TOLLS:
        found = [
            (quantity, one)
            for one in sentences
            for counted, quantity in counts(read(one.text))
            if counted.name == kind
        ]
        if not found or any(one.bound is not Bound.EXACT for one, _ in found):
            continue
        first, sentence = found[0]
        documents = {one.cites[0].chunk.document for _, one in found}
        agreed = all(agree(first, other) and agree(other, first) for other, _ in found)
        is_of_topic = any(named(draft.topic, one.text) >= _NAMES_IT for _, one in found)
        if agreed and is_of_topic and len(documents) > 1:
            yield InfoboxField(name, f"{first.value:,.0f}", sentence.cites[0])
