"""Reads articles that systems wrote, with the text of the pages they cite.

The pages were kept as Markdown, with menus and images; a page in use comes to the
verifier as plain text, so they are brought near to that.
"""

import gzip
import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from handlers.citations.passages import cut
from handlers.model import Passage, SourceText

_IMAGE = re.compile(r"!\[[^\[\]]*\]\([^\s]*(?:\s\"[^\"]*\")?\)|\[?Image \d+:?")
_LINK = re.compile(
    r"\[((?:[^\[\]]|\\\[|\\\])*)\]\((?:[^()\s]|\([^()\s]*\))*(?:\s\"[^\"]*\")?\)"
)
_NOISE = re.compile(
    r"\\?\[\\?\[?\d+\\?\]\\?\]?|\{[^{}\n]{40,}\}|https?://\S+|[*_]{1,3}|^\s*[-=|\s]{3,}$"
    r"|^\s*(?:#+|[-+•])\s",
    re.MULTILINE,
)
_FEWEST_PAGE_WORDS = 60
_MOST_PAGE_CHARACTERS = 40_000
_CLAIM_WORDS = range(7, 46)


@dataclass(frozen=True, slots=True)
class Statement:
    """A statement of an article and the page that it cites."""

    title: str
    text: str
    before: str
    page: str  # address


@dataclass(frozen=True, slots=True)
class Article:
    """The statements of one system's article and the text of the cited pages."""

    statements: tuple[Statement, ...]
    pages: Mapping[str, tuple[Passage, ...]]


def read_articles(folder: Path) -> Iterator[Article]:
    """Yield the articles of all systems in `folder`."""
    for file in sorted(folder.glob("*.jsonl.gz")):
        with gzip.open(file, "rt", encoding="utf-8") as lines:
            for line in lines:
                yield _article(json.loads(line))


def _article(fields: Mapping[str, Any]) -> Article:
    pages = {
        str(number): text
        for number, content in (fields["citation_contents"] or {}).items()
        if isinstance(content, dict)
        for text in [_text(content)]
        if len(text.split()) >= _FEWEST_PAGE_WORDS
    }
    title = str(fields["title"]).replace("_", " ")
    statements = []
    before = ""
    for one in fields["statements"]:
        text = " ".join(str(one.get("fact") or "").split())
        cited = one.get("ref_idx")
        numbers = cited if isinstance(cited, list) else [cited]
        known = [str(number) for number in numbers if str(number) in pages]
        if known and len(text.split()) in _CLAIM_WORDS:
            statements.append(Statement(title, text, before, known[0]))
        before = text
    return Article(
        tuple(statements),
        {number: cut(SourceText(text), number) for number, text in pages.items()},
    )


def _text(content: Mapping[str, Any]) -> str:
    text = str(content.get("content") or "")[:_MOST_PAGE_CHARACTERS]
    for found, instead in ((_IMAGE, ""), (_LINK, r"\1"), (_LINK, r"\1"), (_NOISE, " ")):
        text = found.sub(instead, text)
    return "\n".join(line.strip() for line in text.split("\n") if line.strip(" |"))
