"""Fills text templates and lays them out for a terminal, at any width.

Templates (`*.txt`) are written line by line. The spaces that a line begins with are its
indent, `tab` ends the bullet that the rest of the line hangs beside, and `whole` begins
a line that is never broken. A line that comes out empty is left out; `gap` prints one.

Control characters are removed from every value, so that no escape sequence in a title
can rewrite the reader's screen. Our own marks are control characters, too: no value can
hold one.
"""

import re
from collections.abc import Iterable, Mapping, Sequence
from functools import cache
from io import StringIO

from jinja2 import ChoiceLoader, Environment, PackageLoader, StrictUndefined
from rich.cells import cell_len
from rich.console import Console
from rich.text import Text

from bot.report.claims import FILTERS, NAMES, article_views, totals
from bot.report.notes import in_order, notes_of
from bot.report.page_report import ClaimState, PageReport
from bot.report.words import (
    clean_for_terminal,
    clipped,
    shortened,
)
from handlers.citations.quote_links import Piece

_LEAST_WIDTH = 20
_SUMMED_UP = 3  # findings on the one screen that `run` ends with
_STYLES: Mapping[ClaimState, str] = {
    ClaimState.CONTRADICTED: "bold red",
    ClaimState.NOT_SUPPORTED: "bold yellow",
    ClaimState.PARTIALLY_SUPPORTED: "yellow",
    ClaimState.TO_COMPARE: "blue",
    ClaimState.SUPPORTED: "green",
    ClaimState.COULD_NOT_CHECK: "cyan",
    ClaimState.NO_CITATION: "magenta",
}


class Marked(str):
    """Text without control characters, but for marks of ours."""

    __slots__ = ()


_TAB, _WHOLE, _GAP, _HEADING = map(Marked, "\t\x01\x02\x03")
_WORD = re.compile(r"(\S+)\s*")
_STYLED = re.compile("\x04([^\x04\x05]*)\x05([^\x04\x06]*)\x06")


def _marked(value: object) -> str:
    if isinstance(value, Marked):
        return value
    return Marked(clean_for_terminal(str(value)))


def _styled(words: object, style: str) -> Marked:
    shown = _marked(words)
    return Marked(f"\x04{style}\x05{shown}\x06" if shown else "")


def _pieces(words: Iterable[Piece], style: str) -> Marked:
    """Return all words; the marked ones are in `style`."""
    parts = []
    for piece in words:
        # Folding white space must not join a marked word to its neighbour.
        lead = " " if piece.text[:1].isspace() else ""
        core = _marked(piece.text)
        tail = " " if piece.text[-1:].isspace() and core else ""
        text = Marked(f"{lead}{core}{tail}")
        parts.append(_styled(text, style) if piece.marked else text)
    return Marked("".join(parts))


def _address(url: str | None) -> Marked:
    """Return an address, or wikitext to copy, that is never broken."""
    return Marked(f"{_WHOLE}{_styled(url, 'blue')}" if url else "")


def _heading(words: str, rule: str) -> Marked:
    return Marked(f"{_HEADING}{rule}{_marked(words)}")


def _aligned(value: object, form: str) -> Marked:
    return Marked(
        format(value if isinstance(value, int | float) else _marked(value), form)
    )


def _shortened(words: str, most: int) -> str:
    return shortened(clean_for_terminal(words), most)


@cache
def texts(*packages: str) -> Environment:
    """Return the text templates; all values put into them are cleaned.

    Templates of `packages`, by name, take precedence over those of the reports.
    """
    loaders = [PackageLoader(package) for package in (*packages, "bot.report")]
    environment = Environment(
        loader=ChoiceLoader(loaders),
        undefined=StrictUndefined,
        finalize=_marked,
        autoescape=False,  # noqa: S701 - it is no HTML; `finalize` makes values safe
    )
    environment.filters.update(
        FILTERS,
        address=_address,
        aligned=_aligned,
        clipped=clipped,
        heading=_heading,
        pieces=_pieces,
        shortened=_shortened,
        styled=_styled,
        summary_line=summary_line,
    )
    environment.globals.update(
        NAMES,
        STYLES=_STYLES,
        gap=_GAP,
        tab=_TAB,
        whole=_WHOLE,
    )
    return environment


def laid_out(
    filled: str, *, width: int, colour: bool = False, breaks_words: bool = True
) -> str:
    """Return a filled template as it will appear in the terminal.

    A word that is longer than a line is broken, unless `breaks_words` is false.

    With `colour` it contains ANSI escape sequences; without them it says just as much.
    """
    width = max(width, _LEAST_WIDTH)
    file = StringIO()
    console = Console(
        file=file,
        width=width,
        force_terminal=colour,
        color_system="standard" if colour else None,
        no_color=not colour,
        legacy_windows=False,
    )
    for line in filled.split("\n"):
        for shown in _lines(line, width, console, breaks_words=breaks_words):
            console.print(shown, soft_wrap=True)
    lines = file.getvalue().split("\n")
    return "".join(f"{line.rstrip()}\n" for line in lines[:-1]).lstrip("\n")


def _lines(
    line: str, width: int, console: Console, *, breaks_words: bool = True
) -> Iterable[Text]:
    if line.startswith(_HEADING):
        words = shortened(line[2:], width)
        styled = _styled(Marked(words), "bold"), _styled(line[1] * len(words), "dim")
        return (
            Text(),
            *(each for one in styled for each in _lines(one, width, console)),
        )
    if line == _GAP:
        return (Text(),)
    indent = line[: len(line) - len(line.lstrip(" "))]
    if not line.strip():
        return ()
    if line.startswith(_WHOLE, len(indent)):
        return (_text(f"{indent}{line[len(indent) + 1 :]}"),)
    bullet, tab, words = line.partition(_TAB)
    if not tab:
        bullet, words = indent, line[len(indent) :]
    first = _text(bullet)
    later = Text(" " * first.cell_len)
    text, left = _text(words), max(width - first.cell_len, 1)
    wrapped = text.wrap(console, left) if breaks_words else _between_words(text, left)
    return [
        Text.assemble(later if number else first, part)
        for number, part in enumerate(wrapped)
    ]


def _between_words(text: Text, width: int) -> Iterable[Text]:
    offsets, used = [], 0
    for word in _WORD.finditer(text.plain):
        if used and used + cell_len(word[1]) > width:
            offsets.append(word.start())
            used = 0
        used += cell_len(word[0])
    return text.divide(offsets)


def _text(line: str) -> Text:
    plain = _STYLED.split(line)
    text = Text(plain[0])
    for style, words, after in zip(plain[1::3], plain[2::3], plain[3::3], strict=True):
        text.append(words, style).append(after)
    return text


def render_text(reports: Sequence[PageReport], *, width: int, colour: bool) -> str:
    """Return the reports as text, wrapped to `width` columns.

    Addresses are on lines of their own and never broken.
    """
    filled = texts().get_template("report.txt").render(articles=article_views(reports))
    return laid_out(filled, width=width, colour=colour)


def render_summary(
    reports: Sequence[PageReport],
    places: Mapping[str, str],
    *,
    width: int,
    colour: bool,
) -> str:
    """Return one screen: where to look, what was checked, what to look at first.

    `places` are addresses by what is there; they come first.
    """
    notes = in_order(
        note for report in reports for note in notes_of(report) if not note.is_question
    )
    filled = (
        texts()
        .get_template("summary.txt")
        .render(
            places=places,
            articles=len(reports),
            totals=totals(reports),
            flagged=sum(note.is_flagged for note in notes),
            doubtful=sum(not note.is_flagged for note in notes),
            notes=notes[:_SUMMED_UP],
            left_out=len(notes[_SUMMED_UP:]),
        )
    )
    return laid_out(filled, width=width, colour=colour)


def summary_line(report: PageReport) -> str:
    """Return one line that sums up `report`."""
    title = _shortened(report.page.id.title, 80)
    counts = report.summary.states.items()
    named = [f"{number} {state.value}" for state, number in counts if number]
    return f"{title}: {', '.join(named) or 'no citations found'}"
