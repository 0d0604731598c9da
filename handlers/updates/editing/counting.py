"""How many words an edit changes: the token change of WiNELL §5.1."""

import re
from difflib import SequenceMatcher

_WORD = re.compile(r"\d[\d.,]*\d|\w+|[^\w\s]")


def token_change(before: str, after: str) -> int:
    """Return the number of words that went or came between two texts.

    A word that became another counts once, as in a word-level edit distance whose
    alignment is that of the longest blocks in common.
    """
    old, new = _WORD.findall(before), _WORD.findall(after)
    found = SequenceMatcher(None, old, new, autojunk=False).get_opcodes()
    return sum(max(j - i, m - k) for tag, i, j, k, m in found if tag != "equal")
