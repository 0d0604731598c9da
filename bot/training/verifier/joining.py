"""Joins statements to longer claims that a page bears out in full, or in part.

Most citations that fail do so in part: a claim of several facts, of which the page
has all but one. Statements of one article joined to one claim are such claims, in the
words that people and systems use, and what is left open is known: the part that cites
another page. Where parts stand and how they are joined tells nothing.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from random import Random

from bot.training.verifier.pair import Mark, whole

_CONNECTORS = (", and ", ", and ", ". ", ". ", "; ", ", while ")
_OPENING_WORDS = "The In It He She They This A An His Her Its On At By"
_OPENINGS = frozenset(_OPENING_WORDS.split())


@dataclass(frozen=True, slots=True)
class Part:
    """A statement that becomes a part of a claim, and whether the page has it."""

    text: str
    supported: bool


def join_parts(parts: Sequence[Part], draws: Random) -> tuple[str, tuple[Mark, ...]]:
    """Return one claim of all `parts` in some order, with marks for each word."""
    order = list(parts)
    draws.shuffle(order)
    text = ""
    lacking = []
    for part in order:
        connector = draws.choice(_CONNECTORS) if text else ""
        text = text.rstrip().rstrip(".") + connector
        words = part.text.strip()
        if connector and not connector.startswith("."):
            words = _lowered(words)
        if not part.supported:
            end = len(text) + len(words.rstrip("."))
            lacking.append(Mark(len(text), end, supported=False))
        text += words
    return text, (whole(text, supported=True), *lacking)


def _lowered(sentence: str) -> str:
    """Begin a sentence with a small letter, unless it begins with a name."""
    first = sentence.split(maxsplit=1)[:1]
    plain = bool(first) and first[0] in _OPENINGS
    return sentence[:1].lower() + sentence[1:] if plain else sentence
