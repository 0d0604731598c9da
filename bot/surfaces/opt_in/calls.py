"""The templates on a page that ask something of the bot, and their arguments. Pure."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import islice, pairwise

from handlers.page.markup import Element, Kind, plain_text
from handlers.page.scan import Scan, scan

LONGEST_VALUE = 20_000  # characters of an argument that are read
MOST_CALLS = 200  # of a page that are read; more are an attack
_MARKUP = frozenset("[]{}<>")


@dataclass(frozen=True, slots=True)
class Argument:
    """One argument of a call. `name` is `None` if it is positional.

    `raw` is the value as written, without comments and surrounding white space.
    """

    name: str | None
    raw: str

    @property
    def text(self) -> str:
        """What a reader sees of the value, on one line."""
        return plain_text(self.raw)


@dataclass(frozen=True, slots=True)
class Call:
    """A template on a page; `text[start:end]` is all of it.

    `name` is normalised: lower case, no "Template:" before it. `is_nested` says that it
    is inside other markup, such as the argument of another call.
    """

    name: str
    start: int
    end: int
    is_nested: bool
    arguments: tuple[Argument, ...]


def find_calls(text: str, wanted: Callable[[str], bool]) -> tuple[Call, ...]:
    """Return the calls with a wanted name, in the order in which they begin.

    At most `MOST_CALLS` of them, each value cut at `LONGEST_VALUE`: calls nest, and a
    value is read once for each call that contains it.
    """
    page = scan(text)
    calls = (
        Call(
            _name(each),
            each.start,
            each.end,
            each.parent >= 0,
            tuple(_arguments(page, at)),
        )
        for at, each in enumerate(page.elements)
        if each.kind is Kind.TEMPLATE and wanted(_name(each))
    )
    return tuple(islice(calls, MOST_CALLS))


def _name(template: Element) -> str:
    return template.name.lstrip(": ")


def _arguments(page: Scan, at: int) -> Iterator[Argument]:
    template = page.elements[at]
    comments = _comments(page, at)
    for pipe, end in pairwise((*template.pipes[:MOST_CALLS], template.inner_end)):
        last = min(end, pipe + 1 + LONGEST_VALUE)
        raw = _without(comments, page.text, pipe + 1, last)
        name, equals, value = raw.partition("=")
        if equals and not _MARKUP & set(name):
            yield Argument(name.strip(), value.strip())
        else:
            yield Argument(None, raw.strip())


def _comments(page: Scan, at: int) -> list[tuple[int, int]]:
    elements, end = page.elements, page.elements[at].end
    comments = []
    while (at := at + 1) < len(elements) and elements[at].start < end:
        if elements[at].kind is Kind.COMMENT:
            comments.append((elements[at].start, elements[at].end))
    return comments


def _without(comments: list[tuple[int, int]], text: str, start: int, end: int) -> str:
    parts = []
    for first, last in comments:
        if start <= first and last <= end:
            parts.append(text[start:first])
            start = last
    return "".join((*parts, text[start:end]))
