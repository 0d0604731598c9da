"""Renders a draft as text for a terminal."""

from collections.abc import Iterator
from textwrap import fill

from bot.records.watches import Policy
from bot.report.drafts.telling import made_of, name_of, what_it_is
from bot.report.drafts.views import (
    Dossier,
    SentenceView,
    SourceView,
    dossier_view,
)
from bot.report.wording import counted
from bot.report.words import clean_for_terminal, shortened
from handlers.citations.quoting.links import safe_href
from handlers.model import Draft

_LEAST_WIDTH = 40
_INDENT = " " * 4
_MOST_OF_A_TEXT = 1_000
_MOST_LEFT_OUT = 20


def render_text(draft: Draft, policy: Policy = Policy.POINTER, *, width: int) -> str:
    """Return the dossier wrapped to `width` columns; addresses are never broken."""
    shown = dossier_view(draft, policy)
    width = max(width, _LEAST_WIDTH)
    lines = [*_head(shown, width)]
    for section in shown.sections:
        lines += ["", _line(section.heading.upper() or "LEAD")]
        for paragraph in section.paragraphs:
            lines += (_wrapped(f"- {_said(one)}", width) for one in paragraph)
    for part in (_disagreements, _worth_reading, _sources, _foot):
        lines += part(shown, width)
    return "\n".join(lines) + "\n"


def _head(shown: Dossier, width: int) -> Iterator[str]:
    draft = shown.draft
    yield _line(f"Dossier: {draft.topic.title}")
    yield _wrapped(
        f"{made_of(shown)}, to write an article from. It is not an article."
        f" {what_it_is(shown)}",
        width,
        "",
    )
    yield "Made by a machine, which can be wrong: read the sources before you use it."
    yield _line(
        f"Method {draft.method.value.upper()}, passages ordered by {draft.reranker};"
        f" {draft.engine.name} {draft.engine.version}"
    )
    if draft.use.calls:
        calls = counted(draft.use.calls, "call")
        yield f"{calls} to the language model, cost {draft.use.cost}"


def _said(one: SentenceView) -> str:
    words = shortened(one.shown, _MOST_OF_A_TEXT)
    numbers = dict.fromkeys(f"[{each.source}]" for each in one.cites)
    return f"{words} {''.join(numbers)}"


def _disagreements(shown: Dossier, width: int) -> Iterator[str]:
    if not shown.disagreements:
        return
    yield ""
    yield "WHERE THE SOURCES DISAGREE"
    for pair in shown.disagreements:
        about = f"{pair.about}: " if pair.about else ""
        yield _wrapped(f"- {about}{_said(pair.one)}", width)
        yield _wrapped(f"against {_said(pair.other)}", width, _INDENT * 2)


def _worth_reading(shown: Dossier, width: int) -> Iterator[str]:
    if shown.worth_reading:
        yield ""
        yield "WORTH READING"
    for one in shown.worth_reading:
        about = f": {'; '.join(one.about)}" if one.about else ""
        told = f"{counted(one.sentences, 'sentence')} more on the topic{about}"
        yield _wrapped(f"[{one.source.number}] {told}", width)


def _sources(shown: Dossier, width: int) -> Iterator[str]:
    if shown.sources:
        yield ""
        yield "SOURCES"
    for one in shown.sources:
        yield _wrapped(_source(one), width)
        if safe_href(one.address):
            yield f"{_INDENT * 2}{clean_for_terminal(one.address or '')}"


def _source(one: SourceView) -> str:
    told = (one.title, one.site if one.site != one.title else "", one.published)
    return f"[{one.number}] {', '.join(shortened(each, 200) for each in told if each)}"


def _foot(shown: Dossier, width: int) -> Iterator[str]:
    draft = shown.draft
    if shown.unused:
        yield ""
        yield f"{counted(len(shown.unused), 'document')} read and not cited"
    if draft.left_out:
        yield ""
        yield f"LEFT OUT ({len(draft.left_out)})"
    for one in draft.left_out[:_MOST_LEFT_OUT]:
        detail = f" ({shortened(one.detail, 150)})" if one.detail else ""
        yield _wrapped(
            f"{shortened(name_of(one), 150)}: {one.why.value}{detail}", width
        )
    if len(draft.left_out) > _MOST_LEFT_OUT:
        yield f"{_INDENT}and {len(draft.left_out) - _MOST_LEFT_OUT} more"
    for trouble in draft.troubles:
        yield _wrapped(f"Trouble: {trouble}", width, "")


def _line(text: str) -> str:
    return clean_for_terminal(text)


def _wrapped(text: str, width: int, indent: str = _INDENT) -> str:
    return fill(
        clean_for_terminal(text),
        width,
        initial_indent=indent,
        subsequent_indent=indent,
        break_on_hyphens=False,
        break_long_words=False,
    )
