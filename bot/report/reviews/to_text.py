"""Renders a review as plain text for a terminal."""

from collections.abc import Iterator
from textwrap import fill

from bot.report.reviews.views import FindingView, Group, ReviewView
from bot.report.wording import counted, percent
from bot.report.words import clean_for_terminal

_INDENT = "   "
_MOST_OF_A_KIND = 12  # in a terminal; the other forms have all


def render_text(view: ReviewView, *, width: int = 100, shows_all: bool = False) -> str:
    """Return the review as text that a terminal can show safely, and nothing else.

    Of one kind it has the first dozen; with `shows_all` it has them all.
    """
    lines = [*_head(view)]
    for group in view.groups:
        lines += ["", *_group(group, width, shows_all=shows_all)]
    lines += ["", *_foot(view, width)]
    return "\n".join(lines).rstrip() + "\n"


def _head(view: ReviewView) -> Iterator[str]:
    title = view.review.page.id.title
    hidden = f"; {view.hidden} less sure with --all" if view.hidden else ""
    yield clean_for_terminal(
        f"{title}: {counted(len(view.findings), 'finding')}{hidden}"
    )
    use = view.review.use
    if use.calls:
        yield f"{counted(use.calls, 'call')} to the language model, cost {use.cost}"
    yield "Made by a machine, which can be wrong: judge each for yourself."


def _group(group: Group, width: int, *, shows_all: bool) -> Iterator[str]:
    yield f"{group.kind.value.upper()} ({len(group.findings)})"
    shown = group.findings if shows_all else group.findings[:_MOST_OF_A_KIND]
    advice = ""
    for one in shown:
        yield from _finding(one, width, with_advice=one.finding.advice != advice)
        advice = one.finding.advice
    if len(shown) < len(group.findings):
        yield f"{_INDENT}and {len(group.findings) - len(shown)} more like it"


def _finding(one: FindingView, width: int, *, with_advice: bool) -> Iterator[str]:
    finding = one.finding
    place = " > ".join(one.place)
    sure = percent(finding.confidence)
    yield clean_for_terminal(f"{one.number}. [{place}] {finding.message} ({sure})")
    if one.pieces:
        words = "".join(
            f"[[{piece.text}]]" if piece.is_marked else piece.text
            for piece in one.pieces
        )
        yield _wrapped(f"“{words}”", width)
    if finding.source_quote:
        yield _wrapped(f"the source: “{finding.source_quote}”", width)
    if with_advice:
        yield _wrapped(f"{finding.advice} See {finding.guideline}.", width)


def _foot(view: ReviewView, width: int) -> Iterator[str]:
    for trouble in view.review.troubles:
        yield _wrapped(trouble, width)
    if view.unjudged:
        ids = ", ".join(one.id for one in view.unjudged)
        yield _wrapped(
            f"Not looked at, for they need a language model or a reader: {ids}.", width
        )


def _wrapped(text: str, width: int) -> str:
    return fill(
        clean_for_terminal(text),
        width,
        initial_indent=_INDENT,
        subsequent_indent=_INDENT,
        break_on_hyphens=False,
    )
