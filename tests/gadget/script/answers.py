"""Answers of the backend about a made-up article, and the article as a wiki renders it.

All places, people and publications are made up.
"""

from collections.abc import Sequence
from datetime import UTC, date, datetime
from typing import Any

from gadget.payloads.cards import (
    Card,
    ClaimShown,
    Confidence,
    Edit,
    EditKind,
    LastCheckAnswer,
    Made,
    MessageShown,
    PageAnswer,
    QuoteShown,
    ReliabilityShown,
    RemedyShown,
    SourceShown,
    Unchecked,
    Words,
)

WIKI, TITLE, REVISION = "w.example", "Harbour Clock of Eastmere", 4711
CHECKED_AT = datetime(2026, 11, 20, 9, 30, tzinfo=UTC)
MARK = '<sup class="reference"><a href="#cite">[1]</a></sup>'
FIRST = "The Harbour Clock of Eastmere was built in 1874 by Ada Penrose."
SECOND = "Its bell can be heard nine miles out at sea."
THIRD = "About 12,000 people visit the tower each year."
FOURTH = "The tower is 41 metres (135 ft) high and made of local granite."
ARTICLE = f"""<h1>{TITLE}</h1><div class="mw-parser-output">
<p><b>The Harbour Clock</b> of Eastmere was built in&nbsp;1874 by
<a href="/wiki/Ada">Ada Penrose</a>.{MARK} It stands on the old customs quay.</p>
<div class="mw-heading"><h2>Bell</h2><span class="mw-editsection">[edit]</span></div>
<p>The bell was cast in Northam. Its bell can be heard nine miles out at sea.{MARK}
A storm cracked it in 1911.</p>
<p>{"Ships answered it with their horns for many years. " * 12}</p>
<h2>Visitors</h2>
<p>{"The stairs are steep and have no railing. " * 10}</p>
<p>About 12,000 people visit the tower each year.{MARK}</p>
<p>The tower is 41&nbsp;metres (135&nbsp;ft) high and made of local granite.{MARK}</p>
<p>{"Nobody knows who paid for the dial. " * 60}</p>
</div>"""


def source(**more: Any) -> SourceShown:
    given: dict[str, Any] = {
        "key": "https://quay.example/guide",
        "title": "A guide to the old quay",
        "work": "Eastmere Gazette",
        "published": "2019-05-03",
        "host": "quay.example",
        "href": "https://quay.example/guide",
        "reliability": ReliabilityShown(
            trust="reliable", note="Editors agree on it.", shortcut=None, href=None
        ),
    }
    return SourceShown(**{**given, **more})


def quote(**more: Any) -> QuoteShown:
    given: dict[str, Any] = {
        "quote": "The clock was built in 1847 by her father, John Penrose",
        "before": "Few towns on the coast had a public clock at all. ",
        "after": ", and paid for by the harbour dues of a single summer.",
        "cut_before": True,
        "cut_after": True,
        "source": 0,
        "href": "https://quay.example/guide#:~:text=The%20clock",
        "language": "en",
    }
    return QuoteShown(**{**given, **more})


def claim(
    text: str = FIRST,
    unsupported: str = "1874",
    section: Sequence[str] = (),
    **more: Any,
) -> ClaimShown:
    before, found, after = (
        text.partition(unsupported) if unsupported else (text, "", "")
    )
    pieces = (
        Words(text=before),
        Words(text=found, unsupported=True),
        Words(text=after),
    )
    given: dict[str, Any] = {
        "text": text,
        "pieces": [piece for piece in pieces if piece.text],
        "sentence": text,
        "section": list(section),
        "occurrence": 0,
    }
    return ClaimShown(**{**given, **more})


def edit(kind: EditKind = EditKind.TAG, label: str = "Failed verification") -> Edit:
    return Edit(
        id=kind.value,
        kind=kind,
        label=label,
        section=0,
        before="by Ada Penrose.",
        old="<ref>a</ref>",
        new="<ref>a</ref>{{Failed verification}}",
        after=" It stands",
    )


def card(number: int = 1, **more: Any) -> Card:
    given: dict[str, Any] = {
        "id": f"{number:064x}"[::-1],
        "kind": "citation",
        "verdict": "contradicted",
        "is_flagged": True,
        "place": number,
        "confidence": Confidence(percent=91, right_in_100=90),
        "claim": claim(),
        "quotes": [quote()],
        "sources": [source()],
        "remedies": [],
        "edits": [edit()],
        "made": Made(
            engine="neural",
            version="5",
            checked_at=CHECKED_AT,
            revision=REVISION,
        ),
        "title": TITLE,
        "wiki": WIKI,
    }
    return Card(**{**given, **more})


def every_kind() -> list[Card]:
    """Return a card of each kind, in page order; the last one is doubtful."""
    other = source(
        key="https://bells.example/b",
        title="Bells of the North Coast",
        work="Journal of Campanology",
        published="2021",
        host="bells.example",
        href="https://bells.example/b",
        reliability=ReliabilityShown(
            trust="unlisted", note="", shortcut=None, href=None
        ),
    )
    return [
        card(1),
        card(
            2,
            verdict="not supported",
            claim=claim(SECOND, "nine miles", ["Bell"]),
            quotes=[],
            sources=[source(), other],
            confidence=Confidence(percent=84, right_in_100=0),
            remedies=[
                RemedyShown(
                    kind="other source",
                    source=1,
                    quote="On still nights its bell carries nine miles out to sea.",
                    citation="{{cite journal |title=Bells of the North Coast}}",
                    percent=95,
                    edit="cite",
                )
            ],
            edits=[edit(EditKind.CITE, other.title), edit()],
        ),
        card(
            3,
            kind="update",
            claim=claim(THIRD, "", ["Visitors"]),
            quotes=[
                quote(
                    quote="a record 31,400 visitors climbed the tower",
                    before="In the year that has just ended, ",
                    after=", twice as many as five years before.",
                    dated=date(2026, 1, 8),
                    source=1,
                ),
            ],
            sources=[source(), other],
            edits=[edit(EditKind.TAG, "Update inline")],
        ),
        card(
            4,
            verdict="partially supported",
            is_flagged=False,
            claim=claim(FOURTH, "and made of local granite", ["Visitors"]),
            quotes=[
                quote(
                    quote="The tower rises 41 m above the quay",
                    is_archived=True,
                    page=12,
                )
            ],
            confidence=Confidence(percent=58, right_in_100=None),
        ),
    ]


def answer(cards: Sequence[Card] | None = None, **more: Any) -> dict[str, Any]:
    """Return a page's answer as JSON has it."""
    given: dict[str, Any] = {
        "wiki": WIKI,
        "title": TITLE,
        "revision": REVISION,
        "last_check": LastCheckAnswer(
            revision=REVISION, at=CHECKED_AT, engine="neural 5", claims=53, supported=41
        ),
        "is_waiting": False,
        "cards": list(every_kind() if cards is None else cards),
        "unchecked": [],
        "outdated": 0,
    }
    content: dict[str, Any] = PageAnswer(**{**given, **more}).model_dump(mode="json")
    return content


def unchecked() -> Unchecked:
    return Unchecked(
        claim=claim("A storm cracked it in 1911.", "", ["Bell"]),
        outcome="offline",
        advice="Look it up in a library.",
        lines=[
            MessageShown(
                key="advice-outcome-offline", english="Look it up in a library."
            )
        ],
        source=source(title="Storms of the North Coast", href=None, host=None),
        edits=[],
    )
