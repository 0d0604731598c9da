"""Cards as the backend sends them; all facts are made up."""

from datetime import UTC, date, datetime
from typing import Any

from gadget.payloads.answers import ComparisonAnswer, QueueAnswer, Side
from gadget.payloads.cards import (
    Card,
    ClaimShown,
    Confidence,
    Edit,
    EditKind,
    Made,
    QuoteShown,
    ReliabilityShown,
    RemedyShown,
    SourceShown,
    Words,
    WritingShown,
)

NOON = datetime(2026, 11, 20, 12, tzinfo=UTC)
WIKI = "en.wikipedia.org"
_SENTENCE = "The clock was built in 1847 by Ada Penrose, who never saw it run."


def claim_shown(sentence: str = _SENTENCE) -> ClaimShown:
    return ClaimShown(
        text=sentence,
        pieces=[
            Words(text=sentence[:22]),
            Words(text=sentence[22:27], unsupported=True),
            Words(text=sentence[27:]),
        ],
        sentence=sentence,
        section=["History", "Building"],
        occurrence=0,
    )


def quote_shown(words: str, **more: Any) -> QuoteShown:
    return QuoteShown(
        **{
            "quote": words,
            "before": "The harbour board paid for it in two parts. ",
            "after": " A storm stopped it for a year.",
            "cut_before": True,
            "cut_after": True,
            "source": 0,
            "href": "https://news.example/quay#:~:text=built",
            **more,
        }
    )


def source_shown(title: str, **more: Any) -> SourceShown:
    return SourceShown(
        **{
            "key": title,
            "title": title,
            "work": "Eastmere Courier",
            "published": "2019-03-02",
            "host": "news.example",
            "href": "https://news.example/quay",
            **more,
        }
    )


def card(number: int = 1, **more: Any) -> Card:
    """Return a card of a source that says another year; `number` makes it another."""
    old = (
        "in 1847 by Ada Penrose.<ref>{{cite web |url=https://news.example/quay}}</ref>"
    )
    tagged = old + "{{Failed verification|date=November 2026}}"
    place: dict[str, Any] = {
        "section": 1,
        "before": "The clock was built ",
        "old": old,
        "after": " A",
    }
    return Card(
        **{
            "id": f"{number:064x}",
            "kind": "citation",
            "verdict": "contradicted",
            "is_flagged": True,
            "place": number,
            "confidence": Confidence(percent=92, right_in_100=90),
            "claim": claim_shown(),
            "quotes": [quote_shown("The clock was built in 1874 by Ada Penrose.")],
            "sources": [
                source_shown(
                    "A guide to the quay",
                    reliability=ReliabilityShown(trust="reliable", note="Reliable."),
                ),
                source_shown("Clocks of the north coast"),
            ],
            "remedies": [
                RemedyShown(
                    kind="other source",
                    source=1,
                    quote="Penrose finished it in 1847.",
                    citation="{{cite web |url=https://news.example/clocks}}",
                    percent=88,
                    edit="e2",
                )
            ],
            "edits": [
                Edit(
                    id="e1",
                    kind=EditKind.TAG,
                    label="Failed verification",
                    new=tagged,
                    **place,
                ),
                Edit(
                    id="e2",
                    kind=EditKind.CITE,
                    label="Clocks",
                    new=old + "<ref/>",
                    **place,
                ),
            ],
            "made": Made(engine="minilm", version="1.2", checked_at=NOON, revision=12),
            "title": f"Harbour Clock of Eastmere {number}",
            "wiki": WIKI,
            **more,
        }
    )


def update(number: int = 2) -> Card:
    """Return a card of a newer fact."""
    return card(
        number,
        kind="update",
        verdict="not supported",
        quotes=[
            quote_shown("The clock was moved to the museum.", dated=date(2026, 5, 4)),
            quote_shown(
                "It stands in the museum now.", dated=date(2026, 6, 1), source=1
            ),
        ],
    )


def writing(number: int = 3) -> Card:
    """Return a card about the wording."""
    shown = WritingShown(
        kind="peacock term",
        message="It praises the clock.",
        advice="Say what shows it.",
        guideline="MOS:PUFFERY",
        href="https://en.wikipedia.org/wiki/MOS:PUFFERY",
        is_of_section=False,
    )
    kind, verdict = "writing", "supported"
    return card(number, kind=kind, verdict=verdict, quotes=[], edits=[], writing=shown)


def as_json(payload: Any) -> Any:
    return payload.model_dump(mode="json")


def queue_answer(cards: list[Card], total: int, after: str | None = None) -> Any:
    return as_json(QueueAnswer(cards=cards, next=after, total=total))


def comparison(identity: str = "c1") -> Any:
    """Return a pair whose first citation stands in an archive, as the backend has it."""
    archived = quote_shown(
        "The clock was built in 1874.",
        is_archived=True,
        read_at=NOON,
        href="https://web.archive.org/web/2019/https://news.example/quay",
    )
    return as_json(
        ComparisonAnswer(
            comparison=identity,
            claim=claim_shown(),
            title="Harbour Clock of Eastmere",
            wiki=WIKI,
            first=Side(quotes=[archived], source=source_shown("A guide to the quay")),
            second=Side(
                quotes=[quote_shown("Penrose finished it in 1847.")],
                source=source_shown("Clocks of the north coast", work="North Press"),
            ),
        )
    )
