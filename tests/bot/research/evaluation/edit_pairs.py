"""Pairs of claims about the bridge, before and after an edit."""

from pathlib import Path
from typing import Any

from tests.bot.research.evaluation.rows import row, write

RIGHT_AND_WRONG = {
    "time": ("The bridge opened in May 1937", "The bridge opened in May 1947"),
    "other value": ("400 workers built the bridge", "900 workers built the bridge"),
    "role": ("Anna Berg designed the bridge", "Anna Berg opened the bridge"),
}
HARMLESS = {
    "order": (
        "Some 400 workers built it in three years",
        "In three years it was built by some 400 workers",
    ),
    "copyedit": (
        "It was designed by the engineer Anna Berg",
        "It was designed by Anna Berg, an engineer",
    ),
}


def write_pairs(folder: Path) -> tuple[Path, Path]:
    """Write a file of bad edits and one of harmless ones."""
    bad = [
        one
        for kind, (right, wrong) in RIGHT_AND_WRONG.items()
        for one in (_row(wrong, "refuted", kind), _row(right, "supported", kind))
    ]
    harmless = [
        _row(claim, "supported", kind, side=side)
        for kind, claims in HARMLESS.items()
        for side, claim in zip(("before", "after"), claims, strict=True)
    ]
    return (
        write(folder / "edits.jsonl.gz", bad),
        write(folder / "harmless.jsonl.gz", harmless),
    )


def _row(claim: str, label: str, kind: str, **meta: str) -> dict[str, Any]:
    of_pair = {"pair": kind, "kind": kind, "title": "Lakeside bridge", **meta}
    return row(claim, label, group=kind, meta=of_pair)
