"""Events as WikiGenBench has them, of our own making."""

from pathlib import Path
from typing import Any

from tests.bot.research.evaluation.rows import write

SENTENCE = "In March 1874 the builder Ada Penrose put up the tower in Marstal."
CITED = (
    "a history of clocks menu search ada penrose of marstal finished a tower for the"
    " quay in 1874 and the town paid for all of it in silver coins that same year"
)
OTHER = (
    "the ferry odin was launched by the yard of svendborg and sailed to the islands"
    " for forty years until it was sold and broken up for its iron by a merchant"
)


def event(number: int, text: str, *pages: tuple[str, str, str]) -> dict[str, Any]:
    article = {
        "key": f"Harbour {number}",
        "text": text,
        "outlines": ["The_Tower"],
        "reference": [list(page) for page in pages],
    }
    return {"id": number, "article": article, "search_documents": []}


def of_event(number: int, text: str) -> str:
    """Give the people and places of an event names that no other one has."""
    for name in ("marstal", "Marstal", "penrose", "Penrose"):
        text = text.replace(name, f"{name}{number}")
    return text


def cited(number: int) -> tuple[str, str, str]:
    return (
        f'Berg, Anna. "How the tower of Ada Penrose{number} was paid for". The Gazette.',
        f"https://www.example.org/clock-{number}",
        of_event(number, CITED),
    )


def three_events(tmp_path: Path) -> Path:
    rows = [
        event(
            number,
            f"An introduction.\nThe Tower\n{of_event(number, SENTENCE)}",
            cited(number),
            ("A page", f"https://example.org/ferry-{number}", f"{OTHER} {number}"),
            ("Empty", f"https://example.org/empty-{number}", "404 not found"),
        )
        for number in (1, 2, 3)
    ]
    return write(tmp_path / "events.jsonl.gz", [*rows, {"id": 4}, "no event"])
