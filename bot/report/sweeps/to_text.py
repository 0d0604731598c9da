"""Renders what a sweep came to as a few lines for a terminal."""

from collections.abc import Iterator, Mapping

from bot.report.sweeps.summary import SweepSummary, Trouble
from bot.report.wording import percent
from bot.report.words import clean_for_terminal, shortened

_NAMED = 5
_LONGEST = 200


def render_text(summary: SweepSummary) -> str:
    """Return the lines."""
    return "\n".join(_lines(summary)) + "\n"


def _lines(summary: SweepSummary) -> Iterator[str]:
    failed = sum(summary.failed.values())
    skipped = sum(summary.skipped.values())
    yield (
        f"{summary.pages:,} pages: {summary.swept:,} swept, {skipped:,} skipped"
        f"{_told(summary.skipped)}, {failed:,} failed{_told(summary.failed)}"
    )
    yield (
        f"{summary.claims:,} claims with {summary.citations:,} citations,"
        f" {summary.sources:,} sources ({summary.sources_missing:,} not at hand)"
    )
    yield (
        f"{summary.scored:,} claims scored by {clean_for_terminal(summary.engine)},"
        f" {summary.flagged:,} flagged{_told(summary.verdicts)}"
    )
    for line in summary.worst[:_NAMED]:
        words = shortened(line.claim, _LONGEST)
        told = f"{percent(line.fails or 0.0)} fails: {line.title}: “{words}”"
        yield f"  {clean_for_terminal(told)}"
    yield from _troubles("damaged", summary.damaged)
    yield from _troubles("failed", summary.failed_pages)
    if not summary.is_whole:
        of = "" if summary.parts_of is None else f" of {summary.parts_of:,}"
        yield (
            f"NOT WHOLE: {summary.parts:,}{of} parts are done; run the same command"
            " again, and it goes on where it stands"
        )
        for why in summary.undone[:_NAMED]:
            yield f"  {clean_for_terminal(shortened(f'not done: {why}', _LONGEST))}"


def _told(tally: Mapping[str, int]) -> str:
    if not tally:
        return ""
    ordered = sorted(tally.items(), key=lambda item: (-item[1], item[0]))
    return " (" + ", ".join(f"{reason} {number:,}" for reason, number in ordered) + ")"


def _troubles(kind: str, troubles: tuple[Trouble, ...]) -> Iterator[str]:
    for trouble in troubles[:_NAMED]:
        told = shortened(f"{kind}: {trouble.what}: {trouble.why}", _LONGEST)
        yield f"  {clean_for_terminal(told)}"
