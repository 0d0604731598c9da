"""Makes a card from a suggestion and its claim, as the reader sees it. Pure.

What the page says comes from the revision that the reader sees; what the sources say,
and how certain that is, from the time when they were read. What a card says about
newer facts depends on the wiki's policy. *Pointer*: the sentence, the quotes, a
citation, the tag. *Facts*: also a plain statement of the fact, even a model's.
*Wording*: also the smallest edit in a model's words.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import date
from itertools import islice

from bot.records.accounts import StoredDecision, says_so
from bot.records.watches import Policy
from bot.report.notes import is_weak_contradiction, note_of
from bot.report.words import clean
from bot.store import StoredDiscovery, StoredSuggestion
from gadget.cards.changes import change_shown, restored
from gadget.cards.edits import Change, Editor
from gadget.cards.revisions import Parsed
from gadget.cards.sources import Sources, filled
from gadget.payloads.cards import (
    ActionShown,
    Card,
    ChangeShown,
    ClaimShown,
    Confidence,
    Edit,
    EditKind,
    LastSearch,
    Made,
    MessageShown,
    Mine,
    NoteShown,
    PassedOverShown,
    QuoteShown,
    RemedyShown,
    StepShown,
    UpdateShown,
    Words,
    WritingShown,
)
from handlers.citations.quote_links import host_of, joined, pieces, safe_href
from handlers.citations.tags import TagFinding
from handlers.citations.unsure import UnsureFinding
from handlers.edits.finding import ChangedFinding
from handlers.findings import (
    CurrentPlace,
    ProposedChange,
    Quoted,
    Suggestion,
    UpdateFinding,
    WritingFinding,
    finding_of,
)
from handlers.model import (
    Claim,
    Ignored,
    Message,
    Origin,
    PageId,
    Role,
    Source,
    Span,
    Statement,
    TagKind,
    TraceStep,
)
from handlers.review.criteria import address_of
from handlers.sources.reliability import ReliabilityLists
from handlers.updates.suggestions import difference

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
        quoted = {one.quote.quote for one in note.news}
        may_state = self.policy is not Policy.POINTER and note.fact not in quoted
        return UpdateShown(
            kind=note.update.value,
            fact=clean(note.fact) if may_state else None,
            is_worded=note.is_worded,
            dated=note.dated,
            citation=note.citation,
            why=[_step(step, self.policy) for step in note.why],
        )

    def edits(self, found: Suggestion, current: CurrentPlace) -> Iterator[Edit]:
        """Yield what a reader can do about it, the best first."""
        note = _note(found)
        change = note.change
        may_word = self.policy is Policy.WORDING
        if change is not None and (may_word or not change.is_worded):
            yield from self._change(found, change)
        is_marked = bool(note.tagged) or (change is not None and not change.is_worded)
        if not note.is_new and current.statement and not is_marked:
            at = behind_statement(current.statement, self.parsed)
            yield from self.editor.tag_at(at, TagKind.OUTDATED)

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
    steps = (step for step in run.trace if step.role is Role.NAVIGATOR)
    opened = {step.address for step in steps if step.address is not None}
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


@dataclass(frozen=True, slots=True)
class CardBuilder:
    """What all cards of one page have in common.

    `mine` has the reader's decisions, by identity, and `gone` the keys of sources that
    were missing when last read. `policy` is the wiki's.
    """

    lists: ReliabilityLists
    editor: Editor
    mine: Mapping[str, StoredDecision]
    gone: frozenset[str] = frozenset()
    policy: Policy = Policy.POINTER

    def card(
        self,
        stored: StoredSuggestion,
        parsed: Parsed,
        claim: Claim,
        *,
        is_flagged: bool,
    ) -> Card:
        """Return the card of a suggestion whose claim is in `parsed`."""
        found = stored.suggestion
        mends = self.editor.mend(claim, found.verdict, found.remedies)
        # The places of words only fit if the words are still exactly the same.
        marked = found.finding.facts.marked if found.claim == claim.text else ()
        return self._card(
            stored,
            parsed.page.id,
            _Shown(
                claim_shown(claim, parsed, marked),
                claim.span.start,
                tuple(self._edits(found, claim, mends)),
                claim.sources,
                mends,
            ),
            is_flagged=is_flagged,
        )

    def beside(
        self,
        stored: StoredSuggestion,
        parsed: Parsed,
        current: CurrentPlace,
        *,
        is_flagged: bool,
    ) -> Card:
        """Return the card of a suggestion that is not about a citation in `parsed`."""
        found = stored.suggestion
        shown = _Shown(
            _words_shown(found, current, parsed),
            current.place,
            tuple(self._edits_beside(found, current, parsed)),
        )
        if isinstance(found.finding, UpdateFinding):
            update = Updates(self.editor, parsed, self.policy).shown(found)
            shown = replace(shown, update=update)
        elif isinstance(found.finding, WritingFinding):
            shown = replace(shown, writing=_writing_shown(found.finding))
        elif isinstance(found.finding, UnsureFinding):
            claim = _now_shown(found, current, parsed)
            cited = _cited_at(current, parsed)
            shown = replace(shown, claim=claim, sources=cited)
        elif isinstance(found.finding, ChangedFinding):
            claim = _now_shown(found, current, parsed)
            change = change_shown(found.finding)
            shown = replace(shown, claim=claim, change=change)
        return self._card(stored, parsed.page.id, shown, is_flagged=is_flagged)

    def _edits_beside(
        self, found: Suggestion, current: CurrentPlace, parsed: Parsed
    ) -> Iterator[Edit]:
        if isinstance(found.finding, UpdateFinding):
            yield from Updates(self.editor, parsed, self.policy).edits(found, current)
            return
        if isinstance(found.finding, ChangedFinding):
            yield from restored(found, found.finding, current, self.editor)
        label = current.section[-1] if current.section else found.page.title
        at = Span(current.place, current.place)
        yield from self.editor.edit(Change("section", EditKind.SECTION, label, at, ""))
        tag = found.finding.facts.tag
        if tag is not None and current.statement is not None:
            place = behind_statement(current.statement, parsed)
            yield from self.editor.tag_at(place, tag)

    def _edits(
        self, found: Suggestion, claim: Claim, mends: Mapping[int, Edit]
    ) -> Iterator[Edit]:
        label = claim.section[-1] if claim.section else found.page.title
        at = Span(claim.span.start, claim.span.start)
        yield from self.editor.edit(Change("section", EditKind.SECTION, label, at, ""))
        yield from mends.values()
        tagged = finding_of(found, TagFinding)
        if tagged is not None and tagged.can_go_now:
            yield from self.editor.untag(claim, tagged.tag)
        tag = found.finding.facts.tag
        if tag is None or is_weak_contradiction(found):
            return
        yield from self.editor.tag(claim, tag)
        if any(self._is_unfit(source, found.page.wiki) for source in claim.sources):
            yield from self.editor.tag(claim, TagKind.BETTER_SOURCE_NEEDED)
        yield from self.editor.dead_links(claim, self.gone)

    def _is_unfit(self, source: Source, wiki: str) -> bool:
        """Return whether the wiki's own lists rate a source as unreliable."""
        address = source.url or source.archive_url
        if not address:
            return False
        return self.lists.of(address, wiki).trust.asks_for_another

    def _card(
        self,
        stored: StoredSuggestion,
        page: PageId,
        shown: "_Shown",
        *,
        is_flagged: bool,
    ) -> Card:
        found, sources = stored.suggestion, Sources(page, self.lists)
        details, flag = found.details, found.flag
        sources.cited(shown.sources, details.quotes)
        newer = found.finding.facts.quotes
        news = [_quote(one.quote, sources, one.dated) for one in newer]
        old = () if details.quotes else _without_surroundings(found)
        quotes = news or [_quote(one, sources) for one in (*details.quotes, *old)]
        differing = found.finding.facts.marked_in_quote
        if quotes and differing:
            quotes[0] = quotes[0].model_copy(
                update={"pieces": _marked(details.quotes[0].quote, differing)}
            )
        decided = self.mine.get(found.identity)
        return Card(
            id=found.identity,
            kind=found.kind,
            verdict=found.verdict.value,
            is_flagged=is_flagged,
            place=shown.place,
            confidence=Confidence(
                percent=percent(flag.probability if flag else found.probability),
                right_in_100=flag.expected.right_in_100
                if flag and flag.expected
                else None,
            ),
            claim=shown.claim,
            quotes=quotes,
            remedies=list(_remedies(found, shown.mends, sources)),
            sources=sources.shown,
            edits=list(shown.edits),
            made=Made(
                engine=clean(found.engine.name),
                version=clean(found.engine.version),
                checked_at=stored.last_seen,
                revision=found.page.revision_id,
            ),
            title=page.title,
            wiki=page.wiki,
            mine=_mine(decided) if decided else None,
            update=shown.update,
            writing=shown.writing,
            change=shown.change,
            note=_note_shown(found, quotes, shown.edits),
        )


@dataclass(frozen=True, slots=True)
class _Shown:
    """What a card says about the page, and what can be done there."""

    claim: ClaimShown
    place: int
    edits: Sequence[Edit]
    sources: Sequence[Source] = ()  # that the claim cites
    mends: Mapping[int, Edit] = field(default_factory=dict)
    update: UpdateShown | None = None
    writing: WritingShown | None = None
    change: ChangeShown | None = None


def _cited_at(current: CurrentPlace, parsed: Parsed) -> Sequence[Source]:
    claims = (one for one in parsed.page.claims if one.span.start == current.place)
    same = (one for one in claims if one.text == current.words)
    return tuple(source for one in islice(same, 1) for source in one.sources)


def _marked(words: str, marked: Sequence[Span]) -> list[Words]:
    return [
        Words(text=clean(one.text), is_meant=one.marked)
        for one in pieces(words, joined(words, marked))
    ]


def _now_shown(found: Suggestion, current: CurrentPlace, parsed: Parsed) -> ClaimShown:
    """Return a claim as it is now, with the words marked that differ."""
    words, statement = current.words, current.statement
    # The places of words only fit if the words are still exactly the same.
    marked = found.finding.facts.marked if found.claim == words else ()
    return ClaimShown(
        text=clean(words),
        pieces=_marked(words, marked),
        sentence=clean(words),
        section=[clean(heading) for heading in current.section],
        occurrence=_before(statement, parsed) if statement else 0,
        place=[clean(name) for name in found.details.cell],
    )


def _words_shown(
    found: Suggestion, current: CurrentPlace, parsed: Parsed
) -> ClaimShown:
    """Return the relevant words, in their sentence as it reads now."""
    marked = joined(current.words, found.finding.facts.marked)
    whole = Span(0, len(current.words))
    meant = Span(marked[0].start, marked[-1].end) if marked else whole
    statement = current.statement
    return ClaimShown(
        text=clean(meant.of(current.words)),
        pieces=[
            Words(text=clean(one.text), is_meant=one.marked)
            for one in pieces(current.words, marked)
        ],
        sentence=clean(current.words),
        section=[clean(heading) for heading in current.section],
        occurrence=_before(statement, parsed) if statement else 0,
    )


def _before(statement: Statement, parsed: Parsed) -> int:
    """Return how many statements with the same words come before it."""
    return sum(
        one.text == statement.text and one.span.start < statement.span.start
        for one in parsed.statements
    )


def _writing_shown(finding: WritingFinding) -> WritingShown:
    return WritingShown(
        kind=finding.flaw.value,
        message=clean(finding.message),
        advice=clean(finding.advice),
        guideline=clean(finding.guideline),
        href=address_of(finding.guideline),
        is_of_section=finding.is_of_section,
    )


_ORDER = ("restore", "undo", "fix", "replace", "untag", "tag")
_AS_ACTIONS = {
    EditKind.RESTORE: "restore",
    EditKind.SECTION: "fix",
    EditKind.WORDING: "fix",
    EditKind.PLACE: "fix",
    EditKind.TAG: "tag",
    EditKind.UNTAG: "untag",
}


def _note_shown(
    found: Suggestion, quotes: Sequence[QuoteShown], edits: Sequence[Edit]
) -> NoteShown:
    """Return the note with what can be done about it, in an editor's order."""
    note = note_of(found)
    href = next((one.href for one in quotes if one.href), None)
    does = [
        ActionShown(kind=_AS_ACTIONS.get(one.kind, "replace"), edit=one.id)
        for one in edits
    ]
    # Their addresses are the script's to make, from the numbers alone.
    earlier = note.earlier
    has_diff = bool(earlier and earlier.since and earlier.until)
    if has_diff:
        does.append(ActionShown(kind="undo"))
    return NoteShown(
        headline=message_shown(note.headline),
        said_as=message_shown(note.text_label),
        quoted_as=message_shown(note.quotes_label),
        reason=message_shown(note.reason) if note.reason else None,
        certainty=message_shown(note.certainty),
        lines=[message_shown(one) for one in note.lines],
        cell=[clean(one) for one in note.cell],
        actions=[
            *([ActionShown(kind="diff")] if has_diff else []),
            *([ActionShown(kind="open", href=href)] if href else []),
            *sorted(does, key=lambda one: _ORDER.index(one.kind)),
            ActionShown(kind="dismiss"),
        ],
    )


def message_shown(message: Message) -> MessageShown:
    """Return a message with what the script needs to put it into words."""
    values = [
        one if isinstance(one, int) else clean(str(one)) for one in message.values
    ]
    english = clean(message.english)
    return MessageShown(key=message.key, english=english, values=values)


def claim_shown(
    claim: Claim, parsed: Parsed, unsupported: Sequence[Span] = ()
) -> ClaimShown:
    """Return a claim's words and how the script finds them in the page."""
    cut = pieces(claim.text, joined(claim.text, unsupported))
    return ClaimShown(
        text=clean(claim.text),
        pieces=[Words(text=clean(one.text), unsupported=one.marked) for one in cut],
        sentence=clean(claim.sentence),
        section=[clean(heading) for heading in claim.section],
        occurrence=parsed.occurrences.get(claim.span, 0),
        place=[clean(name) for name in (claim.row, claim.column) if name],
    )


def percent(probability: float) -> int:
    """Return a probability in percent, never 100."""
    return min(max(round(probability * 100), 1), 99)


def _without_surroundings(found: Suggestion) -> Iterator[Quoted]:
    """Yield the quote of an older suggestion, stored without its context."""
    keys = found.source_keys
    key = keys[0] if len(keys) == 1 else found.quote_url
    if found.quote and key:
        yield Quoted(
            quote=found.quote,
            before="",
            after="",
            cut_before=True,
            cut_after=True,
            source_key=key,
            title=host_of(found.quote_url) or key,
            href=found.quote_url,
        )


def _quote(quote: Quoted, sources: Sources, dated: date | None = None) -> QuoteShown:
    return QuoteShown(
        quote=clean(quote.quote),
        before=clean(quote.before),
        after=clean(quote.after),
        cut_before=quote.cut_before,
        cut_after=quote.cut_after,
        source=sources.quoted(quote),
        page=quote.page,
        href=safe_href(quote.href),
        is_archived=quote.origin is Origin.ARCHIVE,
        origin=quote.origin.value if quote.origin else None,
        caveats=tuple(one.value for one in quote.caveats),
        read_at=quote.read_at,
        language=quote.language,
        dated=dated,
    )


def _remedies(
    found: Suggestion, mends: Mapping[int, Edit], sources: Sources
) -> Iterator[RemedyShown]:
    for number, remedy in enumerate(found.remedies):
        edit = mends.get(number)
        yield RemedyShown(
            kind=remedy.kind.value,
            source=sources.offered(remedy),
            quote=clean(remedy.quote),
            citation=remedy.citation,
            percent=percent(remedy.probability),
            edit=edit.id if edit else None,
        )


def _mine(stored: StoredDecision) -> Mine:
    decision = stored.decision
    return Mine(
        id=stored.number,
        kind=decision.kind.value,
        reason=decision.reason.value if decision.reason else None,
        says_so=says_so(decision),
        decided_at=decision.decided_at,
    )
