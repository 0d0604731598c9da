"""A tiny benchmark of our own making, in both forms, with two systems."""

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

TITLE = "Marstal_Bridge"
WIKI = "https://en.wikipedia.org/wiki/Marstal_Bridge"
NEWS = "https://news.example/marstal"
GONE = "https://gone.example/x"
FACTS = (
    "Marstal Bridge was opened in 1931.",
    "The bridge has seven stone arches.",
    "A fire damaged two arches in 2022.",
)
MARKDOWN = """# Marstal Bridge

Marstal Bridge was opened in 1931. The bridge has seven stone arches.

## Fire

A fire damaged two arches in 2022.
"""
NEWS_TEXT = (
    "![Image 1: logo](https://news.example/l.png)\n*   [Home](https://news.example/)\n\n"
    "A fire damaged two arches of [Marstal](https://news.example/s) Bridge in 2022, the town said on Monday. The bridge was opened in 1931 and is"
    " used by four thousand cars a day. Repairs will take a year, said Mayor Anna"
    " Holm, who hopes that the harbour can be reached again by the summer."
)
REGISTRY = {
    "description": "ours",
    "version": "1.0",
    "agencies": {
        "good": {"name": "Good", "description": "", "has_citations": True, "enabled": True},
        "mute": {"name": "Mute", "has_citations": False},
    },
}  # fmt: skip


def statement(fact: str, ref: object = None, url: object = None) -> dict[str, Any]:
    return {"fact": fact, "ref_idx": ref, "url": url}


GOOD: dict[str, Any] = {
    "pageid": 7,
    "ns": 0,
    "title": TITLE,
    "extract": "# Marstal Bridge\nA fire …",
    "citation_urls": {"1": NEWS, "2": GONE, "3": WIKI},
    "statements": [
        statement("A fire damaged two arches of Marstal Bridge in 2022.", "1", NEWS),
        statement("The fire damaged five arches of Marstal Bridge.", ["1", "2"], [NEWS, GONE]),
        statement("Marstal Bridge was opened in 1931.", "3", f"{WIKI}#:~:text=opened"),
        statement("The harbour was closed for boats.", "2", GONE),
        statement("Nobody was hurt."),
    ],
    "citation_contents": {
        "1": {"url": NEWS, "title": "Fire", "content": NEWS_TEXT},
        "2": {"url": GONE, "title": "", "content": "404 Not Found"},
        "3": {"url": WIKI, "title": "", "content": "", "error": "timeout"},
    },
    "source_file": "good/md_data/Marstal_Bridge.md",
}  # fmt: skip
MUTE: dict[str, Any] = {
    "title": "Marstal Bridge",  # some of the data lack the underscore
    "extract": "",
    "statements": [statement("The bridge has seven stone arches.")],
}


def _lines(path: Path, rows: Sequence[Mapping[str, Any]]) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("".join(json.dumps(one) + "\n" for one in rows), "utf-8")


def shared_form(folder: Path) -> Path:
    """Write the benchmark as JSON lines; return its folder."""
    article = {"title": TITLE, "article_markdown": MARKDOWN, "statements": FACTS}
    _lines(folder / "articles_dev.jsonl", [article])
    _lines(folder / "systems_dev" / "good.jsonl", [GOOD])
    _lines(folder / "systems_dev" / "mute.jsonl", [MUTE])
    (folder / "agencies.json").write_text(json.dumps(REGISTRY), "utf-8")
    return folder
