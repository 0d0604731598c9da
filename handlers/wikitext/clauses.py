"""Which words of a plain text each citation in it vouches for.

As Wikipedia editors read a marker, and as SIDE does (arXiv 2207.06220, "the sentence
or clause preceding a citation"): from the marker before it in the same sentence, or
from the beginning of that sentence. Adjacent markers vouch for the same words. Pure.
"""

import re
from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from handlers.model import Span
from handlers.wikitext.sentences import split

_WORD = re.compile(r"\w")
_ENOUGH = re.compile(r"(?:\W*+\w[\w'’.-]*+){4}")  # a shorter clause is read with others
_BEGINNING = re.compile(r"(?:\W*+\w[\w'’.-]*+){3}")  # enough where a sentence begins
_ENOUGH_AT_START = re.compile(r"(?:\W*+\w[\w'’.-]*+){5}")  # nothing precedes it
_FRONT = " \n,;:.!?)]}–—-/&·"  # left over from the clause before
_BACK = " \n,;:–—(["  # not the end of a sentence
_FARTHEST_BACK = 4  # clauses; keeps the cost linear for a marker behind each letter
_LONGEST_WHOLE_LINE = 400  # characters


@dataclass(frozen=True, slots=True)
class Piece:
    """Words vouched for, and by which marks (places in the list that was given)."""

    words: Span
    sentence: Span
    marks: tuple[int, ...]

    @property
    def is_whole(self) -> bool:
        """Tell a whole sentence (or line) from a clause of it."""
        return self.words == self.sentence


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
    sentences = split(text)
    if by_line:
        sentences = _lines_joined(text, sentences, [offsets[g[0]] for g in groups])
    pieces: list[Piece] = []
    orphans: list[int] = []
    for index, members in _by_sentence(text, sentences, offsets, groups, orphans):
        pieces.extend(_clauses(text, sentences[index], offsets, members))
    return pieces, orphans


def _groups(text: str, offsets: Sequence[int]) -> list[tuple[int, ...]]:
    """Put marks between which no word stands into one group."""
    groups: list[list[int]] = []
    for mark, offset in enumerate(offsets):
        if mark and not _WORD.search(text, offsets[mark - 1], offset):
            groups[-1].append(mark)
        else:
            groups.append([mark])
    return [tuple(group) for group in groups]


def _by_sentence(
    text: str,
    sentences: Sequence[Span],
    offsets: Sequence[int],
    groups: Sequence[tuple[int, ...]],
    orphans: list[int],
) -> Iterator[tuple[int, list[tuple[int, ...]]]]:
    """Yield each sentence that has groups, with them; the others' marks are orphans."""
    members: dict[int, list[tuple[int, ...]]] = {}
    starts = [sentence.start for sentence in sentences]
    for group in groups:
        offset = offsets[group[0]]
        # A marker behind the full stop still belongs to the sentence before.
        index = bisect_left(starts, offset) - 1
        if index < 0 or not _WORD.search(text, starts[index], offset):
            orphans.extend(group)
        else:
            members.setdefault(index, []).append(group)
    yield from members.items()


def _lines_joined(
    text: str, sentences: Sequence[Span], offsets: Sequence[int]
) -> tuple[Span, ...]:
    """Join the sentences of each line that a single group vouches for as a whole."""
    joined: list[Span] = []
    first = 0
    for index, sentence in enumerate(sentences):
        is_last = index + 1 == len(sentences)
        if not is_last and "\n" not in text[sentence.end : sentences[index + 1].start]:
            continue
        line = Span(sentences[first].start, sentence.end)
        whole = _is_vouched_for_whole(text, line, offsets)
        joined.extend([line] if whole else sentences[first : index + 1])
        first = index + 1
    return tuple(joined)


def _is_vouched_for_whole(text: str, line: Span, offsets: Sequence[int]) -> bool:
    inside = bisect_right(offsets, line.end) - bisect_right(offsets, line.start)
    if inside != 1 or line.end - line.start > _LONGEST_WHOLE_LINE:
        return False
    offset = offsets[bisect_right(offsets, line.start)]
    return not _WORD.search(text, offset, line.end)


def _clauses(
    text: str,
    sentence: Span,
    offsets: Sequence[int],
    groups: Sequence[tuple[int, ...]],
) -> Iterator[Piece]:
    if len(groups) == 1 and _closes(text, offsets[groups[0][-1]], sentence):
        yield Piece(sentence, sentence, groups[0])
        return
    begins = [sentence.start]
    for place, group in enumerate(groups):
        end = min(offsets[group[0]], sentence.end)
        if _closes(text, offsets[group[-1]], sentence):
            end = sentence.end  # the full stop and closing quote belong to it
        start = _readable_start(text, begins, end)
        if start == sentence.start:
            later = [offsets[each[0]] for each in groups[place + 1 : place + 3]]
            end = _readable_end(text, start, end, [*later, sentence.end])
        words = _stripped(text, start, end, sentence)
        yield Piece(words, sentence, group)
        begins.append(min(offsets[group[-1]], sentence.end))


def _closes(text: str, offset: int, sentence: Span) -> bool:
    """Tell whether no word of the sentence stands behind `offset`."""
    end = sentence.end
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


def _stripped(text: str, start: int, end: int, sentence: Span) -> Span:
    while start < end and start > sentence.start and text[start] in _FRONT:
        start += 1
    back = _BACK if end < sentence.end else " \n"
    while end > start and text[end - 1] in back:
        end -= 1
    return Span(start, end)
