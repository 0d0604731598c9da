"""Paragraphs of wikitext before and after people edited them, and their edits as facts.

Of a human edit, what the editor of updates may do is taken: a sentence that came, and a
sentence that became another. Each is one update with one edit, brought into the old
paragraph by the editor's own operations, with a citation.
"""

import gzip
import html
import json
import re
import zlib
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from pathlib import Path
from typing import Any

from bot.research.evaluation.datasets import Unscored
from handlers.model import Page, PageId
from handlers.page import parse
from handlers.ports import PermanentError
from handlers.updates.editing.operations import Deed, Operation
from handlers.updates.editing.places import Paragraph, Places

SET = "wikitext_revision_pairs"
_WIKI = "en.wikipedia.org"
_LONGEST_CHARS = 100_000
_ALIKE = 0.5  # of two sentences of which one became the other
# Told apart from the program's own reading, so that one checks the other.
_KEPT = re.compile(
    r"<ref\b[^<>]*/>|<ref\b[^<>]*>.*?</ref\s*>|\[\[[^\[\]]*\]\]|\{\{[^{}]*\}\}"
    r"|\[https?:[^\]\n]*\]",
    re.DOTALL | re.IGNORECASE,
)
_INSIDE = re.compile(r"\[\[[^\[\]]*\]\]|\{\{[^{}]*\}\}|<ref\b", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Pair:
    """A paragraph at two dates, in wikitext."""

    title: str
    old: str
    new: str


def pair_of(line: bytes) -> Pair | str:
    """Return the row of a line, or why it cannot be used.

    The old wikitext of the data set is escaped for HTML, the new one is not.
    """
    try:
        fields = json.loads(line)
    except (ValueError, RecursionError):
        return "not JSON"
    if not isinstance(fields, dict):
        return "not a JSON object"
    title, old, new = (
        _text(fields, name) for name in ("title", "old_wikitext", "new_wikitext")
    )
    if not (title and old and new):
        return "title, old_wikitext or new_wikitext is no text of a usual length"
    return Pair(title, html.unescape(old), new)


def _text(fields: dict[str, Any], name: str) -> str:
    value = fields.get(name)
    return value if isinstance(value, str) and len(value) <= _LONGEST_CHARS else ""


def lines_of(path: Path) -> list[bytes]:
    """Return the lines of a file (.jsonl or .jsonl.gz) that are not empty.

    Raises:
        PermanentError: it is missing or no such file.
    """
    try:
        content = path.read_bytes()
        text = gzip.decompress(content) if path.suffix == ".gz" else content
    except (OSError, EOFError, zlib.error) as error:
        raise PermanentError(
            f"{path} cannot be read ({getattr(error, 'strerror', None) or error}); pass a .jsonl or .jsonl.gz file."
        ) from error
    return [line for line in text.splitlines() if line.strip()]


def pairs_of(lines: Sequence[bytes]) -> tuple[list[Pair], list[Unscored]]:
    """Return the pairs of a file's lines, and those that could not be used."""
    pairs, unscored = [], []
    for number, line in enumerate(lines, start=1):
        read = pair_of(line)
        if isinstance(read, Pair):
            pairs.append(read)
        else:
            unscored.append(Unscored(number, SET, read))
    return pairs, unscored


def page_of(title: str, wikitext: str) -> Page:
    """Return a paragraph as a page of its own."""
    return parse(wikitext, PageId(_WIKI, title or "Untitled"))


def prose(page: Page) -> str:
    """Return the sentences of a page, one behind the other."""
    said = []
    for one in reversed(list(Places(page).paragraphs(()))):
        said += [one.text(sentence) for sentence in one.sentences]
    return " ".join(said)


def operations_of(old: Page, new: Page) -> Iterator[tuple[Paragraph, Operation]]:
    """Yield the human edit's sentences that came or changed, each as one operation."""
    after = [
        one.text(sentence)
        for one in reversed(list(Places(new).paragraphs(())))
        for sentence in one.sentences
    ]
    places = reversed(list(Places(old).paragraphs(())))
    before = [(one, one.text(sentence)) for one in places for sentence in one.sentences]
    told = [text for _, text in before]
    found = SequenceMatcher(None, told, after, autojunk=False).get_opcodes()
    for tag, i, j, k, m in found:
        if tag == "insert" and i > 0:
            for text in after[k:m]:
                yield _inserted(before[i - 1], text)
        elif tag == "replace":
            for at, text in zip(range(i, j), after[k:m], strict=False):
                yield _became(before[at], text)
            for text in after[k + j - i : m]:
                yield _inserted(before[j - 1], text)


def _inserted(behind: tuple[Paragraph, str], text: str) -> tuple[Paragraph, Operation]:
    paragraph, words = behind
    return paragraph, Operation(Deed.INSERT, words, text)


def _became(old: tuple[Paragraph, str], text: str) -> tuple[Paragraph, Operation]:
    """Return a sentence as another wording of an old one, or as one behind it."""
    paragraph, words = old
    alike = SequenceMatcher(None, words.split(), text.split(), autojunk=False).ratio()
    deed = Deed.REPLACE if alike >= _ALIKE else Deed.INSERT
    return paragraph, Operation(deed, words, text)


def keeps_all(before: str, after: str, came: str) -> bool:
    """Tell whether `after` holds the markup of `before` beside what `came`, and no other.

    Asked of the wikitext by plain patterns, not of the program's own reading of it.
    """
    without = after.replace(came, "", 1)
    held, holds = (
        Counter((*_KEPT.findall(one), *_INSIDE.findall(one)))
        for one in (before, without)
    )
    return came in after and held == holds and _signs(before) == _signs(without)


def _signs(wikitext: str) -> Counter[str]:
    return Counter(re.findall(r"[\[\]{}<>|\n]|'{2,}", wikitext))
