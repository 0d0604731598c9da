"""Renders the status as plain text, readable aloud and in any width.

No table is drawn: each row is a line of its own that begins with what it is about and
names each of its figures.
"""

from datetime import datetime

from bot.daemon.status.reasons import Reason, question, why_nothing_is_posted
from bot.daemon.status.sections import Cell, Section, Table, sections_of
from bot.daemon.status.situation import Situation, ago, ailments
from bot.report.to_text import Paper
from bot.report.words import clean_for_terminal, moment, shortened

_MOST_CHARS = 300  # of a cell
_MOST_ROWS = 12  # of a table; the page and JSON have all


def render_text(situation: Situation, *, width: int, colour: bool) -> str:
    """Return the status as text, wrapped to `width` columns."""
    out = Paper(width, colour)
    at = situation.sight.at
    out.heading(f"Sidenote, {moment(at)}", rule="=")
    for line in ailments(situation):
        out.line(("Not well: ", "bold red"), line)
    last = situation.sight.posts.last_posted_at
    out.line("Last posted: ", ago(last, at) if last else "never")
    out.heading(question(situation), rule="-")
    _write_reasons(out, why_nothing_is_posted(situation))
    for section in sections_of(situation):
        _write_section(out, section, at)
    return out.text


def _write_reasons(out: Paper, reasons: tuple[Reason, ...]) -> None:
    if not reasons:
        out.line("Nothing that is known here keeps posts back.")
    for number, reason in enumerate(reasons, 1):
        style = "bold" if reason.blocks else ""
        out.line((clean_for_terminal(reason.what), style), bullet=f"{number:2}. ")
        out.line(clean_for_terminal(reason.remedy), indent=4, bullet="-> ")


def _write_section(out: Paper, section: Section, at: datetime) -> None:
    out.heading(section.title, rule="-")
    if section.lede:
        out.line(section.lede)
    for fact in section.facts:
        note = f" ({clean_for_terminal(fact.note)})" if fact.note else ""
        value = (_spoken(fact.value, at), "bold red" if fact.is_bad else "bold")
        out.line(f"{fact.name}: ", value, note, bullet="! " if fact.is_bad else "  ")
    begun = bool(section.lede or section.facts)
    for table in section.tables:
        if not table.is_long:
            if begun:
                out.gap()
            _write_table(out, table, at)
            begun = True


def _write_table(out: Paper, table: Table, at: datetime) -> None:
    out.line(f"{table.caption}:")
    for row in table.rows[:_MOST_ROWS]:
        first, *rest = (_spoken(cell, at) for cell in row)
        told = "; ".join(
            f"{name.lower()}: {cell}"
            for name, value, cell in zip(table.columns[1:], row[1:], rest, strict=True)
            if value not in {None, "", 0}
        )
        out.line((first, "bold"), f" – {told or 'none'}", bullet="  * ")
    left = len(table.rows) - _MOST_ROWS
    if left > 0:
        out.line(f"and {left:,} more (see --format json)", indent=4)
    if table.note:
        out.line((table.note, "dim"), indent=4)


def _spoken(cell: Cell, at: datetime) -> str:
    if isinstance(cell, datetime):
        return f"{ago(cell, at)} ({moment(cell)})"
    if isinstance(cell, int):
        return f"{cell:,}"
    return shortened(clean_for_terminal(cell), _MOST_CHARS) if cell else "none"
