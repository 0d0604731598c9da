"""Writes small data-set files of our own making."""

import gzip
import json
from collections.abc import Iterable
from pathlib import Path
from typing import Any

PAGE = [
    "The Lakeside bridge carries the road over the northern arm of the lake.",
    "It was designed by the engineer Anna Berg and opened on 12 May 1937.",
    "Some 400 workers built it in three years.",
    *(
        f"Visitor note {n}: the view was fine and the weather was mixed."
        for n in range(60)
    ),
]


def row(claim: str, label: str, **changes: Any) -> dict[str, Any]:
    """Return a row about the bridge."""
    return {
        "id": claim,
        "set": "bridges",
        "claim": claim,
        "evidence": " ".join(PAGE[:3]),
        "label": label,
        "group": claim,
        "meta": {},
        "openly_licensed": True,
    } | changes


def page_row(claim: str, label: str, supporting: list[list[int]]) -> dict[str, Any]:
    """Return a row with the whole page as evidence."""
    meta = {
        "claim_title": "Lakeside bridge",
        "claim_section": "History.:Construction.",
        "claim_context": "",
        "supporting_sentences": supporting,
    }
    return row(claim, label, evidence=PAGE, meta=meta)


def write(path: Path, rows: Iterable[object]) -> Path:
    """Write one line for each row; texts are written as they are."""
    lines = [one if isinstance(one, str) else json.dumps(one) for one in rows]
    content = ("\n".join(lines) + "\n").encode()
    path.write_bytes(gzip.compress(content) if path.suffix == ".gz" else content)
    return path


CLAIMS = [
    row("The bridge opened in May 1937", "supported"),
    row("Anna Berg designed the bridge", "supported"),
    row("400 workers built the bridge", "supported"),
    row("The bridge opened in May 1947", "refuted"),
    row("900 workers built the bridge", "refuted"),
    row("The bridge was painted red by volunteers from Norway", "nei"),
    row("A ferry sank near the harbour in a storm", "nei"),
]
PAGES = [
    page_row("It opened in May 1937", "supported", [[1]]),
    page_row("Anna Berg designed it", "supported", [[1], [0, 1]]),
    page_row(
        "Built by 400 workers, it won a prize in Rome", "partially_supported", [[2]]
    ),
    page_row(
        "Designed by Anna Berg, it replaced a ferry", "partially_supported", [[1]]
    ),
    page_row("A storm sank the ferry Odin near the harbour", "not_supported", [[]]),
    page_row("Parliament voted to sell the railway", "not_supported", []),
]
