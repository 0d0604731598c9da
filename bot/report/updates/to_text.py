"""Renders a run of update discovery as text for a terminal."""

from collections import Counter
from collections.abc import Iterator, Mapping
from textwrap import fill

from bot.report.updates.views import News, SourceView, UpdateView
from bot.report.wording import counted, duration, percent
from bot.report.words import clean_for_terminal, shortened
from handlers.citations.quoting.links import safe_href
from handlers.model import TraceStep, UpdateKind

_LEAST_WIDTH = 40
_NOUNS: Mapping[UpdateKind, str] = {
    UpdateKind.OUTDATED: "outdated statement",
    UpdateKind.NEW_FACT: "new fact",
    UpdateKind.POINTER: "source worth reading",
}
_INDENT = " " * 4
_MOST_OF_A_TEXT = 400


def render_text(found: News, *, width: int, with_trace: bool = False) -> str:
    """Return the report wrapped to `width` columns; addresses are never broken."""
    width = max(width, _LEAST_WIDTH)
    lines = [*_head(found)]
    for place, one in enumerate(found.updates, start=1):
        lines += ["", *_update(place, one, width)]
    lines += [*_foot(found, width)]
    if with_trace:
        steps = (_step(one, found) for one in found.discovery.trace)
        lines += ["", "How it went:", *steps]
    return "\n".join(lines) + "\n"


def _head(found: News) -> Iterator[str]:
    run = found.discovery
    counts = Counter(one.kind for one in found.updates)
    told = [
        counted(counts[kind], noun)
        for kind, noun in _NOUNS.items()
        if counts[kind] or kind is UpdateKind.OUTDATED
    ]
    yield clean_for_terminal(
        f"{run.subject.page.id.title}: {', '.join(told)}; {run.subject.window}"
    )
    yield (
        f"{counted(found.pages_read, 'page')} opened in {duration(run.took_s)}; ended:"
        f" {run.stopped.value}"
    )
    if run.use.calls:
        yield f"{counted(run.use.calls, 'call')} to the language model, cost {run.use.cost}"
    yield "Made by a machine, which can be wrong: read the sources before editing."
    if run.subject.is_sensitive:
        yield (
            "This is a living person or a contentious topic: take more care than usual;"
            " nothing of it is shown on public pages."
        )


def _update(place: int, one: UpdateView, width: int) -> Iterator[str]:
    section = " > ".join(one.section) or "Lead"
    yield clean_for_terminal(
        f"{place}. {one.kind.value.upper()}, {one.backing.value}"
        f" ({percent(one.probability)})  [{section}]"
    )
    if one.old:
        about = f"{one.header}: " if one.header else ""
        yield _wrapped(f"the article says: “{about}{_short(one.old)}”", width)
    elif one.after:
        yield _wrapped(f"belongs behind: “{_short(one.after)}”", width)
    if one.fact:
        yield _wrapped(f"the fact: {_short(one.fact)}", width)
    for source in one.sources:
        yield from _source(source, width)
    if one.edit and not one.edit.refused:
        yield _wrapped(f"edit: {_short(one.edit.after)}", width)
    elif one.edit:
        yield _wrapped(f"no edit: {'; '.join(one.edit.refused)}", width)


def _source(one: SourceView, width: int) -> Iterator[str]:
    day = f"{one.dated}, " if one.dated else "undated, "
    primary = ", a primary source" if one.is_primary else ""
    place = one.site or one.quote.title
    yield _wrapped(f"{day}{place}{primary}: “{_short(one.quote.quote)}”", width)
    address = one.quote.href or one.address
    if safe_href(address):
        yield f"{_INDENT}{clean_for_terminal(address)}"


def _foot(found: News, width: int) -> Iterator[str]:
    if found.passed_over:
        yield ""
        yield "Passed over:"
        yield from (f"{count:6}  {why.value}" for why, count in found.passed_over)
    for trouble in found.discovery.troubles:
        yield _wrapped(f"Trouble: {trouble}", width)
    for line in found.quotas:
        yield _wrapped(line, width)


def _step(one: TraceStep, found: News) -> str:
    what = one.told(with_said=found.shows_facts)
    where = f"  {one.address}" if one.address else ""
    quote = f"  “{_short(one.quote)}”" if one.quote else ""
    return clean_for_terminal(
        f"{one.at_s:8.1f} s  {one.role.value}: {what}{where}{quote}"
    )


def _short(text: str) -> str:
    return shortened(text, _MOST_OF_A_TEXT)


def _wrapped(text: str, width: int) -> str:
    return fill(
        clean_for_terminal(text),
        width,
        initial_indent=_INDENT,
        subsequent_indent=_INDENT,
        break_on_hyphens=False,
    )
