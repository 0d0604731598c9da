"""Brings back what a page says beside its paragraphs: captions, boxes, tables of facts.

The extractor of the main text leaves them out together with menus and advertising. Here
they are told from these by their place: what stands between two paragraphs of the main
text, or is a caption or a box of the same article, belongs to it, if most of it is not
links. So does what follows in the smallest element around all paragraphs. Each becomes lines of its own, where it stands on the page. Runs in a child
process.
"""

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field

from bot.sources.extraction.text import clean_line

_MOST_SEARCHED_CHARS = 400_000_000  # a moment
_FEWEST_WORDS = 2  # a label and its value; a single word is a button
_MOST_LINKED = 0.5  # of the characters
_SHORTEST_PARAGRAPH = 60  # characters; shorter ones are headings
_LONGEST_LINE = 3000  # characters; a longer one is no caption, and no row


@dataclass(slots=True)
class Line:
    """A line of a page as it is walked.

    `box` is the number of the box or caption that it is in, and 0 for none.
    """

    text: str = ""
    linked_chars: int = 0
    box: int = 0
    is_in_article: bool = False
    is_in_main: bool = False


@dataclass(slots=True)
class Lines:
    """Collects the lines of a page that are not of its menus.

    Attributes:
        all: the lines, in order.
        parts: the numbers of the lines in each element that is a part of the page.
    """

    _open: Counter[str] = field(default_factory=Counter)
    _boxes: list[int] = field(default_factory=list)
    _count: int = 0
    _line: Line = field(default_factory=Line)
    all: list[Line] = field(default_factory=list)
    _starts: list[int] = field(default_factory=list)
    parts: list[range] = field(default_factory=list)

    def enter(self, states: Sequence[str], *, is_block: bool) -> None:
        """Begin an element: `link`, `chrome`, `box`, `part`, `article` or `main`."""
        if is_block:
            self._end_line()
        for state in states:
            self._open[state] += 1
        if "part" in states:
            self._starts.append(len(self.all))
        if "box" in states:
            self._count += 1
            self._boxes.append(self._count)

    def leave(self, states: Sequence[str], *, is_block: bool) -> None:
        """End an element that was begun with the same states."""
        if is_block:
            self._end_line()
        for state in states:
            self._open[state] -= 1
        if "part" in states:
            self.parts.append(range(self._starts.pop(), len(self.all)))
        if "box" in states:
            self._boxes.pop()

    def add(self, text: str) -> None:
        """Add text to the line."""
        if self._open["chrome"] > 0:
            return
        self._line.text += text
        if self._open["link"] > 0:
            self._line.linked_chars += len(text)

    def _end_line(self) -> None:
        text = clean_line(self._line.text).strip("|: ")
        if text:
            self._line.text = text
            self._line.box = self._boxes[-1] if self._boxes else 0
            # An article inside of another is a comment, or a teaser of a story.
            self._line.is_in_article = self._open["article"] == 1
            self._line.is_in_main = self._open["main"] > 0
            self.all.append(self._line)
        self._line = Line()


def with_what_is_beside(main: str, page: Lines) -> str:
    """Return the main text of a page with what the page says beside it.

    Args:
        main: the main text, one paragraph a line.
        page: its lines, without its menus.
    """
    lines = page.all
    paragraphs = main.split("\n")
    places = _places(paragraphs, lines)
    known = [number for number, place in enumerate(places) if place is not None]
    # Between a headline and its story are bylines.
    prose = [one for one in known if len(lines[one].text) >= _SHORTEST_PARAGRAPH]
    if not prose:
        return main
    first, last = prose[0], known[-1]
    around = _smallest(page.parts, first, prose[-1])
    has_article = any(lines[one].is_in_article for one in prose)
    boxes = _by_box(lines)
    added: dict[int, list[str]] = {}
    seen: set[str] = set()
    at = 0
    for number, (line, place) in enumerate(zip(lines, places, strict=True)):
        if place is not None:
            at = place
            continue
        is_between = first < number < last
        in_story = line.is_in_article or (line.is_in_main and not has_article)
        is_below = number > first and (line.is_in_article or number in around)
        is_box = line.box and (in_story or number in around)
        belongs = is_between or is_below or is_box
        if belongs and line.text not in seen and _says_something(line, boxes):
            seen.add(line.text)
            added.setdefault(at, []).append(line.text)
    return "\n".join(_joined(paragraphs, added))


def _smallest(parts: Iterable[range], first: int, last: int) -> range:
    """Return the lines of the smallest part that holds both lines."""
    fitting = (one for one in parts if first in one and last in one)
    return min(fitting, key=len, default=range(0))


def _places(paragraphs: Sequence[str], lines: Sequence[Line]) -> list[int | None]:
    """Return the paragraph of the main text that each line is part of, if any."""
    starts: list[int] = []
    pieces = [_folded(one) for one in paragraphs]
    at = 0
    for piece in pieces:
        starts.append(at)
        at += len(piece)
    whole = "".join(pieces)
    exact = {piece: number for number, piece in reversed(list(enumerate(pieces)))}
    left = _MOST_SEARCHED_CHARS
    places: list[int | None] = []
    for line in lines:
        folded = _folded(line.text)
        place = exact.get(folded)
        if place is None:
            left -= len(whole)
            found = whole.find(folded) if left > 0 else 0
            place = _last_before(starts, found) if found >= 0 else None
        places.append(place)
    return places


def _last_before(starts: Sequence[int], at: int) -> int:
    low, high = 0, len(starts)
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (middle, high) if starts[middle] <= at else (low, middle)
    return low


def _folded(text: str) -> str:
    return "".join(one for one in text if one.isalnum())


def _by_box(lines: Sequence[Line]) -> dict[int, float]:
    """Return the share of each box's characters that are links."""
    chars: Counter[int] = Counter()
    linked: Counter[int] = Counter()
    for line in lines:
        chars[line.box] += len(line.text)
        linked[line.box] += line.linked_chars
    return {box: linked[box] / chars[box] for box in chars if box}


def _says_something(line: Line, boxes: dict[int, float]) -> bool:
    words = [one for one in line.text.split() if any(map(str.isalnum, one))]
    return (
        len(words) >= _FEWEST_WORDS
        and len(line.text) <= _LONGEST_LINE
        and line.linked_chars <= _MOST_LINKED * len(line.text)
        and boxes.get(line.box, 0.0) <= _MOST_LINKED
    )


def _joined(paragraphs: Sequence[str], added: dict[int, list[str]]) -> Iterator[str]:
    for number, paragraph in enumerate(paragraphs):
        yield paragraph
        yield from added.get(number, ())
