"""Lines for a terminal, and the parts of a report that are laid out from them."""

from collections.abc import Iterator, Sequence
from io import StringIO

from rich.console import Console
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from bot.report.evidence import EvidenceView
from bot.report.findings import FindingView
from bot.report.words import clean_for_terminal, clipped, shortened
from handlers.citations.quoting.words import Piece

NOTE_INDENT = 4
_LEAST_WIDTH = 20
_MOST_OF_A_QUOTE = 320  # characters: four lines; the HTML report shows all of it


class Paper:
    """Lines as they will stand in the terminal."""

    def __init__(self, width: int, colour: bool) -> None:
        self._file = StringIO()
        self._width = max(width, _LEAST_WIDTH)
        self._console = Console(
            file=self._file,
            width=self._width,
            force_terminal=colour,
            color_system="standard" if colour else None,
            no_color=not colour,
            legacy_windows=False,
            markup=False,
            emoji=False,
            highlight=False,
        )

    @property
    def text(self) -> str:
        """Return all that was written."""
        lines = self._file.getvalue().splitlines()
        return "".join(f"{line.rstrip()}\n" for line in lines).lstrip("\n")

    def line(
        self,
        *parts: str | tuple[str, str],
        indent: int = 0,
        bullet: str | tuple[str, str] = "",
    ) -> None:
        """Write one paragraph beside `bullet`; each part may bring its style."""
        words: Text | Table = _styled(*parts)
        if bullet:
            mark = _styled(bullet)
            grid = Table.grid()
            grid.add_column(width=len(mark))
            grid.add_row(mark, words)
            words = grid
        self._console.print(Padding(words, (0, 0, 0, indent)))

    def address(self, url: str | None, indent: int) -> None:
        """Write an address, or wikitext to copy, on a line that is never broken."""
        if url:
            self._console.print(
                " " * indent + clean_for_terminal(url), style="blue", soft_wrap=True
            )

    def heading(self, words: str, *, rule: str) -> None:
        """Write a heading underlined with `rule`."""
        clear = shortened(clean_for_terminal(words), self._width)
        self.gap()
        self.line((clear, "bold"))
        self.line((rule * len(clear), "dim"))

    def gap(self) -> None:
        """Write an empty line."""
        self._console.print()


def _styled(*parts: str | tuple[str, str]) -> Text:
    text = Text()
    for part in parts:
        words, style = (part, "") if isinstance(part, str) else part
        text.append(words, style)
    return text


def marked(words: Sequence[Piece], style: str) -> Iterator[tuple[str, str]]:
    """Yield words for `Paper.line`, those that are marked in `style`."""
    for piece in words:
        # Folding white space must not glue a marked word to its neighbour.
        lead = " " if piece.text[:1].isspace() else ""
        tail = " " if piece.text[-1:].isspace() else ""
        core = clean_for_terminal(piece.text)
        text = f"{lead}{core}{tail}" if core else lead
        yield text, style if piece.marked else ""


def write_evidence(out: Paper, headline: str, evidence: EvidenceView) -> None:
    """Write a quote with where it stands."""
    quote = marked(clipped(evidence.place.quote, _MOST_OF_A_QUOTE), "bold")
    out.line(f"{headline}: “", *quote, "”", indent=NOTE_INDENT)
    page = f", page {evidence.page}" if evidence.page else ""
    origin = f", {evidence.provenance}" if evidence.provenance else ""
    source = clean_for_terminal(evidence.source)
    out.line(f"in {source}{page}{origin}", indent=NOTE_INDENT + 2)
    out.address(evidence.href, NOTE_INDENT + 2)


def write_finding(out: Paper, finding: FindingView) -> None:
    """Write what was found for a claim that fails, with what can be copied."""
    out.line((finding.heading, "bold"), indent=NOTE_INDENT)
    inner = NOTE_INDENT + 2
    out.line(finding.sentence, indent=inner)
    write_evidence(
        out, "It says" if finding.reliability else "It said", finding.evidence
    )
    if finding.reliability:
        shortcut = f" ({finding.shortcut})" if finding.shortcut else ""
        out.line(clean_for_terminal(f"{finding.reliability}{shortcut}"), indent=inner)
    if finding.template or finding.address:
        out.line(f"{finding.template_label}:", indent=inner)
        out.address(finding.template or finding.address, inner)
