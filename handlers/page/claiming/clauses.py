"""Which words of a plain text each citation in it vouches for.

As Wikipedia editors read a marker, and as SIDE does (arXiv 2207.06220, "the sentence
or clause preceding a citation"): from the marker before it in the same sentence, or
from the beginning of that sentence. Adjacent markers vouch for the same words. Pure.
"""

import re
from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

from handlers.page.claiming.sentences import edges

_Edges = tuple[int, int]  # where a sentence or line begins and ends

_WORD = re.compile(r"\w")
_ENOUGH = re.compile(r"(?:\W*+\w[\w'’.-]*+){4}")  # a shorter clause is read with others
_BEGINNING = re.compile(r"(?:\W*+\w[\w'’.-]*+){3}")  # enough where a sentence begins
_ENOUGH_AT_START = re.compile(r"(?:\W*+\w[\w'’.-]*+){5}")  # nothing precedes it
_FRONT = " \n,;:.!?)]}–—-/&·"  # left over from the clause before
_BACK = " \n,;:–—(["  # not the end of a sentence
_FARTHEST_BACK = 4  # clauses; keeps the cost linear for a marker behind each letter
_LONGEST_WHOLE_LINE = 400  # characters


class Piece(NamedTuple):
    """Words vouched for, and by which marks (places in the list that was given).

    `start:end` are the words and `sentence_start:sentence_end` the sentence (or
    line) that they belong to, both in the text.
    """

    start: int
    end: int
    sentence_start: int
    sentence_end: int
    marks: tuple[int, ...]


def pieces_of(
    text: str, offsets: Sequence[int], *, by_line: bool
) -> tuple[list[Piece], list[int]]:
    """Return what each mark vouches for, and the marks no words stand before.

    Args:
        text: plain.
        offsets: where in `text` the marks stand, in order.
        by_line: a mark at the end of a line without another one vouches for the
            line, and not only for its last sentence: lists, cells, captions.
    """
    groups = _groups(text, offsets)
    sentences = edges(text)
    if by_line:
        sentences = _lines_joined(text, sentences, [offsets[g[0]] for g in groups])
    pieces: list[Piece] = []
    orphans: list[int] = []
    by_sentence = _by_sentence(text, sentences, offsets, groups, orphans)
    for (start, end), members in by_sentence:
        if len(members) == 1 and _closes(text, offsets[members[0][-1]], end):
            pieces.append(Piece(start, end, start, end, members[0]))
        else:
            pieces.extend(_clauses(text, (start, end), offsets, members))
    return pieces, orphans


def _groups(text: str, offsets: Sequence[int]) -> list[tuple[int, ...]]:
    """Put marks between which no word stands into one group."""
    firsts: list[int] = []  # of each group
    before = -1
    for mark, offset in enumerate(offsets):
        if offset != before and (not mark or _WORD.search(text, before, offset)):
            firsts.append(mark)
        before = offset
    afters = [*firsts[1:], len(offsets)]
    return [tuple(range(*ends)) for ends in zip(firsts, afters, strict=True)]


def _by_sentence(
    text: str,
    sentences: Sequence[_Edges],
    offsets: Sequence[int],
    groups: Sequence[tuple[int, ...]],
    orphans: list[int],
) -> Iterable[tuple[_Edges, list[tuple[int, ...]]]]:
    """Return each sentence that has groups, with them; others' marks are orphans."""
    found: dict[int, tuple[_Edges, list[tuple[int, ...]]]] = {}
    for group in groups:
        offset = offsets[group[0]]
        # A marker behind the full stop still belongs to the sentence before.
        index = bisect_left(sentences, (offset,)) - 1
        if index < 0 or not _WORD.search(text, sentences[index][0], offset):
            orphans.extend(group)
        elif index in found:
            found[index][1].append(group)
        else:
            found[index] = sentences[index], [group]
    return found.values()


def _lines_joined(
    text: str, sentences: Sequence[_Edges], offsets: Sequence[int]
) -> list[_Edges]:
    """Join the sentences of each line that a single group vouches for as a whole."""
    joined: list[_Edges] = []
    first = 0
    for index, sentence in enumerate(sentences):
        is_last = index + 1 == len(sentences)
        if not is_last and "\n" not in text[sentence[1] : sentences[index + 1][0]]:
            continue
        line = sentences[first][0], sentence[1]
        whole = _is_vouched_for_whole(text, line, offsets)
        joined.extend([line] if whole else sentences[first : index + 1])
        first = index + 1
    return joined


def _is_vouched_for_whole(text: str, line: _Edges, offsets: Sequence[int]) -> bool:
    inside = bisect_right(offsets, line[1]) - bisect_right(offsets, line[0])
    if inside != 1 or line[1] - line[0] > _LONGEST_WHOLE_LINE:
        return False
    offset = offsets[bisect_right(offsets, line[0])]
    return not _WORD.search(text, offset, line[1])


def _clauses(
    text: str,
    sentence: _Edges,
    offsets: Sequence[int],
    groups: Sequence[tuple[int, ...]],
) -> Iterator[Piece]:
    begins = [sentence[0]]
    for place, group in enumerate(groups):
        end = min(offsets[group[0]], sentence[1])
        if _closes(text, offsets[group[-1]], sentence[1]):
            end = sentence[1]  # the full stop and closing quote belong to it
        start = _readable_start(text, begins, end)
        if start == sentence[0]:
            later = [offsets[each[0]] for each in groups[place + 1 : place + 3]]
            end = _readable_end(text, start, end, [*later, sentence[1]])
        words = _stripped(text, start, end, sentence)
        yield Piece(*words, *sentence, group)
        begins.append(min(offsets[group[-1]], sentence[1]))


def _closes(text: str, offset: int, end: int) -> bool:
    """Tell whether no word stands between `offset` and the end of the sentence."""
    return offset >= end or _WORD.search(text, offset, end) is None


def _readable_start(text: str, begins: Sequence[int], end: int) -> int:
    """Go back past earlier marks until there are words enough."""
    near = begins[-_FARTHEST_BACK:]
    for start in reversed(near):
        if _ENOUGH.match(text, start, end):
            return start
    return near[0]


def _readable_end(text: str, start: int, end: int, later: Sequence[int]) -> int:
    """Go on past later marks where the sentence has only begun at the mark."""
    if _BEGINNING.match(text, start, end):
        return end
    for further in later:
        if _ENOUGH_AT_START.match(text, start, further):
            return further
    return max(end, later[-1])


def _stripped(text: str, start: int, end: int, sentence: _Edges) -> _Edges:
    while start < end and start > sentence[0] and text[start] in _FRONT:
        start += 1
    back = _BACK if end < sentence[1] else " \n"
    while end > start and text[end - 1] in back:
        end -= 1
    return start, end
