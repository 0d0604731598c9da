"""Names in a text, told by their capitals, and whether evidence mentions them.

"Joanne K. Rowling" is mentioned by "Rowling" in part, "World Health Organization" by
"WHO" in full. Names of the article's subject are known from its title and are left
out by the caller. Pure.
"""

from collections.abc import Sequence, Set
from dataclasses import dataclass

from handlers.citations.cues.words import Word

_JOINTS = frozenset({"of", "the", "de", "la", "van", "von", "der", "du", "for"})
_LONGEST_JOINT = 2
_SHORTEST_ACRONYM = 2
_SENTENCE_ENDS = (".", "!", "?", "\n", ":", '"', "“")


@dataclass(frozen=True, slots=True)
class Name:
    """A run of capitalised words; `stems` leaves out joints such as "of"."""

    stems: tuple[str, ...]
    initials: str
    first_word: int
    last_word: int


def names(found: Sequence[Word], text: str) -> tuple[Name, ...]:
    """Return the names among the words `found` of `text`, in order."""
    read: list[Name] = []
    at = 0
    while at < len(found):
        if not _starts_name(found, text, at):
            at += 1
            continue
        last = _last_of_run(found, text, at)
        read.append(_name(found, at, last))
        at = last + 1
    return tuple(read)


def mentioned(name: Name, stems: Set[str]) -> float:
    """Return the share of the name that the evidence's stems hold, in [0, 1].

    An acronym stands for the whole name.
    """
    if len(name.initials) >= _SHORTEST_ACRONYM and name.initials in stems:
        return 1.0
    return sum(stem in stems for stem in name.stems) / len(name.stems)


def _starts_name(found: Sequence[Word], text: str, at: int) -> bool:
    word = found[at]
    if not word.is_capitalised or not word.is_content:
        return False
    if not _opens_sentence(text, word.start):
        return True
    # A capital that opens a sentence says nothing, unless another one follows.
    follower = found[at + 1] if at + 1 < len(found) else None
    return follower is not None and follower.is_capitalised and follower.is_content


def _opens_sentence(text: str, start: int) -> bool:
    before = text[max(0, start - 4) : start].rstrip(" ")
    return not before or before.endswith(_SENTENCE_ENDS)


def _last_of_run(found: Sequence[Word], text: str, first: int) -> int:
    last = first
    at = first + 1
    while at < len(found) and at - last <= _LONGEST_JOINT + 1:
        if _breaks(text, found[at - 1].end, found[at].start):
            break
        if found[at].is_capitalised:
            last = at
        elif found[at].lowered not in _JOINTS:
            break
        at += 1
    return last


def _breaks(text: str, end: int, start: int) -> bool:
    between = text[end:start]
    return any(sign in between for sign in ',;:()\n"“”') or len(between) > len(". ")


def _name(found: Sequence[Word], first: int, last: int) -> Name:
    members = [word for word in found[first : last + 1] if word.is_capitalised]
    initials = "".join(word.stem[0] for word in members)
    return Name(tuple(word.stem for word in members), initials, first, last)
