"""What a card about newer facts adds, as far as the wiki's policy allows. Pure.

*Pointer*: the sentence, the quotes, a citation, the tag. **Facts*: also a plain
statement of the fact, even a model's. *Wording*: also the smallest edit in a model's
words.
"""

from collections.abc import Iterator
from dataclasses import dataclass

from bot.records.watches import Policy
from bot.report.words import clean
from bot.store import StoredDiscovery
from gadget.cards.edits import Change, Editor
from gadget.cards.revisions import Parsed
from gadget.cards.sources import filled
from gadget.payloads.cards import (
    Edit,
    EditKind,
    LastSearch,
    PassedOverShown,
    StepShown,
    UpdateShown,
)
from handlers.citations.quote_links import host_of, safe_href
from handlers.findings import ProposedChange, Suggestion, UpdateFinding, finding_of
from handlers.model import (
    Backing,
    Ignored,
    Role,
    Span,
    Statement,
    TagKind,
    TraceStep,
)
from handlers.updates.suggestions import Stood, difference

_MOST_PASSED_OVER = 40
_NOTHING_IN_THEM = frozenset(
    {Ignored.NOT_READ, Ignored.ALREADY_SAID, Ignored.DUPLICATE}
)


@dataclass(frozen=True, slots=True)
class Updates:
    """Shows updates beside one revision."""

    editor: Editor
    parsed: Parsed
    policy: Policy

    def shown(self, found: Suggestion) -> UpdateShown:
        """Return what newer sources say.

        Raises:
            ValueError: the suggestion is not an update.
        """
        note = _note(found)
        said = {one.quote.quote for one in note.news}
        may_state = self.policy is not Policy.POINTER and note.fact not in said
        return UpdateShown(
            kind=note.update.value,
            fact=clean(note.fact) if may_state else None,
            is_worded=note.is_worded,
            is_well_sourced=note.backing is Backing.HIGH,
            has_primary=note.has_primary,
            sites=[clean(site) for site in note.sites],
            dated=note.dated,
            citation=note.citation,
            why=[_step(step, self.policy) for step in note.why],
        )

    def edits(self, found: Suggestion, stood: Stood) -> Iterator[Edit]:
        """Yield what a reader can do about it, the best first."""
        note = _note(found)
        change = note.change
        if change is not None and self._may_offer(change):
            yield from self._change(found, change)
        is_marked = bool(note.tagged) or (change is not None and not change.is_worded)
        if not note.is_new and stood.statement and not is_marked:
            at = behind_statement(stood.statement, self.parsed)
            yield from self.editor.tag_at(at, TagKind.OUTDATED)

    def _may_offer(self, change: ProposedChange) -> bool:
        return self.policy is Policy.WORDING or not change.is_worded

    def _change(self, found: Suggestion, change: ProposedChange) -> Iterator[Edit]:
        """Yield a proposed change, if its words are still there exactly once."""
        text, before, after = self.parsed.page.wikitext, change.before, change.after
        start = text.find(before)
        if start < 0 or text.find(before, start + 1) >= 0:
            return
        first, last, new = difference(before, after)
        span = Span(start + first, start + last)
        kind = _kind(_note(found), change)
        cited = filled(_note(found).citation)
        title = cited.title if cited else ""
        label = title or host_of(found.quote_url) or found.page.title
        yield from self.editor.edit(Change("update", kind, label, span, new))


def behind_statement(statement: Statement, parsed: Parsed) -> int:
    """Return the place after a statement and the citations that support it."""
    ends = [
        place
        for claim in parsed.page.claims
        if claim.span.end == statement.span.end
        and (place := parsed.places.behind(claim)) is not None
    ]
    return max(ends, default=statement.span.end)


def searched(run: StoredDiscovery | None) -> LastSearch | None:
    """Return a search as it is shown, with what it found and left out."""
    if run is None:
        return None
    left_out: dict[tuple[str, Ignored], TraceStep] = {}
    for step in run.trace:
        if step.ignored and step.quote and step.ignored not in _NOTHING_IN_THEM:
            left_out.setdefault((step.quote, step.ignored), step)
    opened = {step.address for step in run.trace if _opens(step)}
    return LastSearch(
        at=run.searched_at,
        since=run.window.since,
        until=run.window.until,
        updates=run.updates,
        pages=len(opened),
        stopped=run.stopped.value,
        passed_over=[
            PassedOverShown(
                quote=clean(quote),
                why=why.value,
                href=safe_href(step.address),
            )
            for (quote, why), step in list(left_out.items())[:_MOST_PASSED_OVER]
        ],
    )


def _opens(step: TraceStep) -> bool:
    return step.role is Role.NAVIGATOR and step.address is not None


def _kind(note: UpdateFinding, change: ProposedChange) -> EditKind:
    if change.is_worded:
        return EditKind.WORDING
    return EditKind.PLACE if note.is_new else EditKind.UPDATE


def _note(found: Suggestion) -> UpdateFinding:
    note = finding_of(found, UpdateFinding)
    if note is None:
        raise ValueError(f"suggestion {found.identity} is not an update")
    return note


def _step(step: TraceStep, policy: Policy) -> StepShown:
    words = step.words(with_said=policy is not Policy.POINTER)
    return StepShown(
        role=step.role.value,
        what=clean(words),
        quote=clean(step.quote) if step.quote else None,
        href=safe_href(step.address),
    )
