"""Which pages are about an article's subject? `sidenote evaluate pages`.

A row is an event of WikiGenBench: its article, and what a search engine returned for
it. The gate of update discovery sees each of these pages with its own article and with
all others of the same half; pages in another language or on sites that the wiki does
not accept are left out. Figures, for the half that the gate was fitted on and the other
(`events.is_held_out`):

- `own`: the share of the event's own pages that pass.
- `others`: the share of all other events' pages.
- `nearest`: the same of the seven with most of the words of the title, the hardest ones
  and what a search would return if the article had no pages of its own.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from heapq import nlargest
from pathlib import Path
from typing import Any

from bot.research.evaluation.datasets import WIKI
from bot.research.evaluation.events import Event, is_held_out, read_events
from bot.research.evaluation.report import EvaluationReport, Findings, Progress
from handlers.documents.document import is_shop
from handlers.documents.gate import PageGate, head_of
from handlers.documents.language import language_of_document
from handlers.model import SourceText
from handlers.sources.reliability import ReliabilityLists
from handlers.text.words import Rarity, content_stems, words

_NEAREST = 7
_LANGUAGE, _LANGUAGE_CHARS = "en", 60_000


@dataclass(frozen=True, slots=True)
class _Read:
    event: Event
    heads: tuple[frozenset[str], ...]  # of its usable pages


def evaluate(
    data: Path, lists: ReliabilityLists, rarity: Rarity, progress: Progress
) -> EvaluationReport:
    """Measure the gate on both halves of the events of `data`."""
    events = read_events(data)
    progress.started(len(events.rows))
    read = [_Read(one, _heads(one, lists)) for one in events.rows]
    metrics = {}
    for name, is_held in (("held_out_half", True), ("fitted_half", False)):
        half = [one for one in read if is_held_out(one.event.title) is is_held]
        metrics[name] = _figures(half, rarity, progress.advance)
    return EvaluationReport("pages", events, {"name": "words"}, metrics)


def _heads(event: Event, lists: ReliabilityLists) -> tuple[frozenset[str], ...]:
    documents = (
        SourceText(one.text, title=one.title)
        for one in event.found
        if lists.of(one.address, WIKI).trust.may_be_recommended
        and not is_shop(one.address)
    )
    return tuple(
        head_of(one)
        for one in documents
        if language_of_document(one, _LANGUAGE_CHARS) == _LANGUAGE
    )


def _figures(
    half: Sequence[_Read], rarity: Rarity, advance: Callable[[], None]
) -> dict[str, Any]:
    passed: dict[str, list[bool]] = {"own": [], "others": [], "nearest": []}
    for one in half:
        title = one.event.title
        gate = PageGate((title,), one.event.text, rarity)
        others = [head for each in half if each is not one for head in each.heads]
        nearest = nlargest(_NEAREST, others, _likeness(title, rarity))
        passed["own"] += map(gate.admits, one.heads)
        passed["others"] += map(gate.admits, others)
        passed["nearest"] += map(gate.admits, nearest)
        advance()
    found = Findings()
    for name, all_of in passed.items():
        found.add_share(name, sum(all_of), len(all_of), things=len(half))
    pages = {f"{name}_pages": len(all_of) for name, all_of in passed.items()}
    return {"events": len(half), **pages, **found.to_dict()}


def _likeness(title: str, rarity: Rarity) -> Callable[[frozenset[str]], float]:
    stems = content_stems(words(title))
    return lambda head: sum(rarity(one) for one in sorted(stems & head))
