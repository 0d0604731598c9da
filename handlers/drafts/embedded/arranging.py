"""Brings the quotes of a section into an order that can be read: runs, by time. Pure.

Sentences that stand near each other in a document stay together, for each was written
to follow the one before. The runs are told in the order of their days.
"""

from collections.abc import Iterator, Sequence
from datetime import date

from handlers.drafts.embedded.quarry import Quote

_NEAR = 3  # sentences apart that are still of one run
_FULL = 4  # sentences of a paragraph


def arranged(quotes: Sequence[Quote]) -> tuple[tuple[Quote, ...], ...]:
    """Return the paragraphs of a section."""
    runs = sorted(_runs(quotes), key=_when)
    paragraphs: list[list[Quote]] = []
    for run in runs:
        if paragraphs and len(paragraphs[-1]) + len(run) <= _FULL:
            paragraphs[-1] += run
        else:
            paragraphs += (run[at : at + _FULL] for at in _breaks(run))
    return tuple(tuple(one) for one in paragraphs)


def _breaks(run: Sequence[Quote]) -> Iterator[int]:
    yield from range(0, len(run), _FULL)


def _runs(quotes: Sequence[Quote]) -> list[list[Quote]]:
    runs: list[list[Quote]] = []
    for one in sorted(quotes, key=lambda each: (each.chunk.document, each.at)):
        last = runs[-1][-1] if runs else None
        if (
            last
            and last.chunk.document == one.chunk.document
            and one.at - last.at <= _NEAR
            and (one.depends or not _goes_back(last, one))
        ):
            runs[-1].append(one)
        else:
            runs.append([one])
    return runs


def _goes_back(last: Quote, one: Quote) -> bool:
    """Tell whether a sentence names an earlier day than the one before it."""
    return bool(
        last.day
        and one.day
        and last.is_own_day
        and one.is_own_day
        and one.day < last.day
    )


def _when(run: Sequence[Quote]) -> tuple[date, int, int]:
    own = next((one.day for one in run if one.day and one.is_own_day), None)
    page = next((one.day for one in run if one.day), None)
    return (own or page or date.min, run[0].chunk.document, run[0].at)
