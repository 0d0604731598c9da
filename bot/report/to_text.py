"""Renders reports as text for a terminal, readable in 80 columns and without colour.

Control characters are removed from everything that a page or a source says: an escape
sequence in a title could otherwise rewrite the reader's screen.
"""

from collections.abc import Iterator, Mapping, Sequence
from io import StringIO
from itertools import groupby

from rich.console import Console
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from bot.report.claims import (
    ClaimView,
    FindingView,
    SourceView,
    claim_view,
    consultation_lines,
)
from bot.report.links import EvidenceView, page_href, section_at
from bot.report.notes import MOST_SHOWN, Note, in_order, more, notes_of
from bot.report.page_report import (
    ClaimState,
    PageReport,
    Summary,
)
from bot.report.words import (
    clean_for_terminal,
    clipped,
    counted,
    duration,
    moment,
    shortened,
)
from handlers.citations.quote_links import Piece, safe_href

NOTE_INDENT = 4
_LEAST_WIDTH = 20
_MOST_OF_A_QUOTE = 320  # characters: four lines; the HTML report shows all of it
_SUMMED_UP = 3  # findings on the one screen that `run` ends with
_IN_SHORT = 150  # characters of a claim or a quote there


class Paper:
    """Lines as they will appear in the terminal."""

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
        """Return everything that was written."""
        lines = self._file.getvalue().splitlines()
        return "".join(f"{line.rstrip()}\n" for line in lines).lstrip("\n")

    def line(
        self,
        *parts: str | tuple[str, str],
        indent: int = 0,
        bullet: str | tuple[str, str] = "",
    ) -> None:
        """Write one paragraph beside `bullet`; each part may have a style."""
        words: Text | Table = _styled(*parts)
        if bullet:
            mark = _styled(bullet)
            grid = Table.grid()
            grid.add_column(width=len(mark))
            grid.add_row(mark, words)
            words = grid
        self._console.print(Padding(words, (0, 0, 0, indent)))

    def address(self, url: str | None, indent: int) -> None:
        """Write an address, or wikitext to copy, on one line that is never broken."""
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
    """Yield words for `Paper.line`; the marked ones are in `style`."""
    for piece in words:
        # Folding white space must not join a marked word to its neighbour.
        lead = " " if piece.text[:1].isspace() else ""
        tail = " " if piece.text[-1:].isspace() else ""
        core = clean_for_terminal(piece.text)
        text = f"{lead}{core}{tail}" if core else lead
        yield text, style if piece.marked else ""


def write_evidence(out: Paper, headline: str, evidence: EvidenceView) -> None:
    """Write a quote with where it is."""
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


_STYLES: Mapping[ClaimState, str] = {
    ClaimState.CONTRADICTED: "bold red",
    ClaimState.NOT_SUPPORTED: "bold yellow",
    ClaimState.PARTIALLY_SUPPORTED: "yellow",
    ClaimState.SUPPORTED: "green",
    ClaimState.COULD_NOT_CHECK: "cyan",
    ClaimState.NO_CITATION: "magenta",
}
_CLAIM_INDENT = 2


def render_text(reports: Sequence[PageReport], *, width: int, colour: bool) -> str:
    """Return the reports as text, wrapped to `width` columns.

    Addresses are on lines of their own and never broken. With `colour` the text
    contains ANSI escape sequences; without them it says just as much.
    """
    out = Paper(width, colour)
    for report in reports:
        _write_report(out, report)
    if len(reports) > 1:
        out.heading("In short", rule="=")
        for report in reports:
            out.line(summary_line(report))
    return out.text


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
    out = Paper(width, colour)
    longest = max(map(len, places), default=0)
    for name, address in places.items():
        out.address(f"{name + ':':<{longest + 1}} {address}", 0)
    out.gap()
    totals = {
        standing: sum(report.summary.standings[standing] for report in reports)
        for standing in ClaimState
    }
    claims = counted(sum(totals.values()), "claim")
    named = ", ".join(f"{n} {one.value}" for one, n in totals.items() if n)
    out.line(f"Checked {claims} of {counted(len(reports), 'article')}: {named}.")
    notes = in_order(note for report in reports for note in notes_of(report))
    if notes:
        out.gap()
        out.line(("Look at these first", "bold"))
    for note in notes[:_SUMMED_UP]:
        out.gap()
        write_note(out, note, with_title=True, most=_IN_SHORT)
    if len(notes) > _SUMMED_UP:
        out.gap()
        out.line(str(more(len(notes) - _SUMMED_UP)), indent=_CLAIM_INDENT)
    return out.text


def summary_line(report: PageReport) -> str:
    """Return one line that sums up `report`."""
    title = shortened(clean_for_terminal(report.page.id.title), 80)
    counts = report.summary.standings.items()
    named = [f"{number} {standing.value}" for standing, number in counts if number]
    return f"{title}: {', '.join(named) or 'no citations found'}"


# --- a report ---------------------------------------------------------------


def _write_report(out: Paper, report: PageReport) -> None:
    _write_head(out, report)
    _write_counts(out, report)
    _write_due(out, report)
    for path, checks in groupby(report.in_order, key=lambda one: one.claim.section):
        out.heading(" > ".join(path) or "Lead", rule="-")
        for check in checks:
            out.gap()
            _write_claim(out, claim_view(check, report.page.id))
    _write_unattached(out, report)


def _write_head(out: Paper, report: PageReport) -> None:
    page = report.page
    out.heading(page.id.title, rule="=")
    out.address(page_href(page.id), 0)
    revision = (
        f"Revision {page.id.revision_id}" if page.id.revision_id else "From a file"
    )
    when = f" of {moment(page.id.revised_at)}" if page.id.revised_at else ""
    engine = clean_for_terminal(f"{report.engine.name} {report.engine.version}")
    checked = f"checked {moment(report.checked_at)} in {duration(report.took_s)}"
    out.line(f"{revision}{when}; {checked}; engine {engine}")
    for note in report.notes:
        out.line(clean_for_terminal(note))
    _write_consultation(out, report)
    out.line(
        "A program made this report and can be wrong. Read the source before you edit."
    )


def _write_consultation(out: Paper, report: PageReport) -> None:
    if report.consultation is not None:
        for line in consultation_lines(report.consultation):
            out.line(clean_for_terminal(line))


def _write_counts(out: Paper, report: PageReport) -> None:
    summary = report.summary
    out.gap()
    if not summary.claims and not report.notes:
        out.line("No citations were found on this page, so there is nothing to check.")
    for standing, number in summary.standings.items():
        if number:
            why = _why(summary) if standing is ClaimState.COULD_NOT_CHECK else ""
            out.line((standing.value, _STYLES[standing]), why, bullet=f"{number:5} ")
    notes = notes_of(report)
    flagged = sum(one.is_flagged for one in notes)
    if notes:
        message = f"flagged; {len(notes) - flagged} doubtful"
        out.line(message, bullet=f"{flagged:5} ")
    if summary.unattached:
        number = sum(summary.unattached.values())
        out.line("references that support no text", bullet=f"{number:5} ")


def _write_due(out: Paper, report: PageReport) -> None:
    """Write the most urgent notes in full, and how many more there are."""
    notes = notes_of(report)
    flagged = [one for one in notes if one.is_flagged]
    doubtful = [one for one in notes if not one.is_flagged]
    if flagged:
        out.heading(f"Needs attention ({len(flagged)})", rule="-")
    for note in flagged[:MOST_SHOWN]:
        out.gap()
        write_note(out, note)
    if len(flagged) > MOST_SHOWN:
        out.gap()
        out.line(str(more(len(flagged) - MOST_SHOWN)), indent=_CLAIM_INDENT)
    if doubtful:
        out.gap()
        out.line(f"{counted(len(doubtful), 'doubtful note')}: not sure enough to flag")


def write_note(
    out: Paper, note: Note, *, with_title: bool = False, most: int = _MOST_OF_A_QUOTE
) -> None:
    """Write a note in the words of every surface, with its first quote.

    Args:
        out: where to write it.
        note: the note.
        with_title: whether to name its article instead of what can be done.
        most: how many characters of the article and of the source are shown.
    """
    title = (note.page.title,) if with_title else ()
    where = " > ".join((*title, *(note.section or ("Lead",)), *note.cell))
    place = f" ({shortened(clean_for_terminal(where), 60)})"
    out.line((str(note.headline), "bold"), place, bullet="  * ")
    if note.said:
        said = marked(clipped(note.pieces, most), "underline")
        out.line(f"{note.said_as}: “", *said, "”", indent=NOTE_INDENT)
    gaps = [f"“{clean_for_terminal(one.text)}”" for one in note.pieces if one.marked]
    if gaps:
        out.line(f"No support found for {', '.join(gaps)}", indent=NOTE_INDENT)
    for quote in note.quotes[:1]:
        words = shortened(clean_for_terminal(quote.words), most)
        dated = f", {quote.dated}" if quote.dated else ""
        out.line(f"{note.quoted_as}{dated}: “{words}”", indent=NOTE_INDENT)
        out.address(safe_href(quote.href) or safe_href(quote.address), NOTE_INDENT)
    if note.difference:
        words = clean_for_terminal(str(note.difference))
        out.line((words, "bold"), indent=NOTE_INDENT)
    out.line(f"{note.certainty}.", indent=NOTE_INDENT)
    todo = clean_for_terminal(" ".join(map(str, note.what_to_do)))
    if todo and not with_title:
        out.line(todo, indent=NOTE_INDENT, bullet="-> ")


def _why(summary: Summary) -> str:
    named = [f"{one.value} {number}" for one, number in summary.could_not_check.items()]
    if summary.without_source:
        named.append(f"citation leads to no source {summary.without_source}")
    if summary.undecided:
        named.append(f"read, but no verdict {summary.undecided}")
    return f" ({', '.join(named)})"


def _write_unattached(out: Paper, report: PageReport) -> None:
    if not report.page.unattached:
        return
    out.heading("References that support no text", rule="-")
    for one in report.page.unattached:
        path = section_at(report.page.sections, one.span.start)
        where = f" (in {clean_for_terminal(path[-1])})" if path else ""
        out.line(f"{one.reason.value.capitalize()}{where}:", indent=_CLAIM_INDENT)
        out.line(clean_for_terminal(one.raw), indent=NOTE_INDENT)


# --- a claim ----------------------------------------------------------------


def _write_claim(out: Paper, view: ClaimView) -> None:
    verdict = (view.standing.value.upper(), _STYLES[view.standing])
    out.line(verdict, indent=_CLAIM_INDENT)
    if view.flag:
        out.line(view.flag, indent=_CLAIM_INDENT)
    place = f"[{clean_for_terminal(view.place)}] " if view.place else ""
    out.line(place, *marked(view.words, "underline"), indent=_CLAIM_INDENT)
    for tag in view.tags:
        dated = f", {clean_for_terminal(tag.dated)}" if tag.dated else ""
        name = clean_for_terminal(tag.name)
        out.line(f"Tagged in the article: {name}{dated}", indent=NOTE_INDENT)
    gaps = [f"“{clean_for_terminal(one.text)}”" for one in view.words if one.marked]
    if gaps:
        out.line(f"No support found for {', '.join(gaps)}", indent=NOTE_INDENT)
    for evidence in view.evidence[:1]:
        write_evidence(out, view.headline, evidence)
    _write_sources(out, view)
    if view.opinion:
        out.line(clean_for_terminal(view.opinion), indent=NOTE_INDENT)
    for finding in view.findings:
        write_finding(out, finding)
    for sentence in view.advice:
        out.line(clean_for_terminal(sentence), indent=NOTE_INDENT, bullet="-> ")


def _write_sources(out: Paper, view: ClaimView) -> None:
    quoted = {evidence.source_key for evidence in view.evidence[:1]}
    for source in view.sources:
        if source.key not in quoted or not source.is_read:
            _write_source(out, source)
    for problem in view.problems:
        out.line(f"Citation problem: {clean_for_terminal(problem)}", indent=NOTE_INDENT)


def _write_source(out: Paper, source: SourceView) -> None:
    title = shortened(clean_for_terminal(source.title), 200)
    state = "not read"
    if source.outcome:
        state = source.provenance if source.is_read else source.outcome.value
    why = f": {clean_for_terminal(source.detail)}" if not source.is_read else ""
    out.line(f"Cited: {title} ({state}{why})", indent=NOTE_INDENT)
    out.address(source.href or source.unlinked, NOTE_INDENT + 2)
