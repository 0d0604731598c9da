"""Makes untrusted text safe to print anywhere, and short enough.

Control characters could move a terminal's cursor, and lone surrogates cannot be
encoded; both become one replacement character each, so offsets stay true. Pure.
"""

import re
from collections.abc import Iterable

from handlers.citations.quoting.words import Piece, head

_REPLACEMENT = "\N{REPLACEMENT CHARACTER}"
_CONTROL = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\ud800-\udfff\ufffe\uffff]")
# Without markup around it, a change of direction would run on to the next line.
_DIRECTION = re.compile("[\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]")


def clean(text: str) -> str:
    """Return `text`, equally long, without characters that no text should hold."""
    return _CONTROL.sub(_REPLACEMENT, text)


def clean_for_terminal(text: str) -> str:
    """Return `text` without controls and marks of direction, white space folded."""
    return " ".join(_DIRECTION.sub("", clean(text)).split())


def clipped(words: Iterable[Piece], most: int) -> tuple[Piece, ...]:
    """Return the first `most` characters of `words`, with an ellipsis where cut."""
    kept: list[Piece] = []
    for piece in words:
        if len(piece.text) > most:
            return (*kept, Piece(head(piece.text, most)[0], piece.marked), Piece("…"))
        kept.append(piece)
        most -= len(piece.text)
    return tuple(kept)


def shortened(text: str, most: int) -> str:
    """Return `text` on one line, cut at a word to at most `most` characters."""
    folded = " ".join(text.split())
    if len(folded) <= most:
        return folded
    words, _, _ = folded[:most].rpartition(" ")
    return f"{words or folded[: most - 1]}…"
