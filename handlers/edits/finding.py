"""The kind of finding for an edit that parted a statement from its source.

One note for a sentence, however often it is edited: it is known by what stood there
while the source still bore it out. Pure.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime
from types import MappingProxyType

from handlers.citations.flags import is_confirmed, is_due
from handlers.citations.quote_links import quoted
from handlers.edits.alignment import Side, changed_words, names_of
from handlers.findings import (
    NEAREST,
    SOURCE_SAYS,
    CurrentPlace,
    Details,
    Earlier,
    Facts,
    Finding,
    Suggestion,
    identity_hash,
)
from handlers.model import (
    CheckKind,
    Claim,
    ClaimCheck,
    Comparison,
    EditCheck,
    EditJudgement,
    EditKind,
    Message,
    Page,
    Span,
    TagKind,
    Verdict,
    Verification,
)
from handlers.page.prose import normalised
from handlers.page.statements import header_of, statement_of

_MOST_QUOTES = 3
_HEADLINES = MappingProxyType(
    {
        EditKind.REWORDED: "An edit moved this away from its source",
        EditKind.INSERTED: "Inserted before a footnote that does not say it",
        EditKind.REPLACED: "The source was replaced by one that does not say it",
        EditKind.REMOVED: "A source that supports this was removed",
        EditKind.MOVED: "Moved away from the source that supports it",
    }
)
_ADVICE = MappingProxyType(
    {
        EditKind.REWORDED: "Bring back the old words, or cite a source that says the new ones.",
        EditKind.INSERTED: "Cite a source that says this, or move it behind the footnote.",
        EditKind.REPLACED: "Bring back the old source, or change the words.",
        EditKind.REMOVED: "Bring back the footnote, unless the source should not be cited.",
        EditKind.MOVED: "Cite the source here as well.",
    }
)
_PARTED = frozenset({EditKind.REPLACED, EditKind.REMOVED, EditKind.MOVED})
# No source stands behind the words that a tag could say it of.
_UNCITED = frozenset({EditKind.REMOVED, EditKind.MOVED})
_UNREAD = Message(
    "advice-changed-unread",
    "Another source of this was not read, and may say the new words.",
)
# Only of other words beside the same sources was it measured.
_CERTAINTY = Message(
    "certainty-changed",
    "Right about 2 times in 3 if 1 edit in 20 does harm; measured on edits written for this, not yet on real ones",
)


@dataclass(frozen=True, slots=True)
class ChangedFinding(Finding):
    """An edit parted a statement from the source that bore it out.

    `before` is what stood there, empty for what was inserted. `marked` and
    `marked_before` are the ranges that differ. `since` is the revision compared with,
    `until` the one that was checked and `at` the day and time it was saved; `None` for
    pages that are no revisions of a wiki. `supported_before` and `supported` are the
    judge's probabilities that the source supports each side; of what did not stand
    there, 0. The quote of one that `is_nearest` bears out neither side. If there is an
    `unread` source beside those that were judged, how often it is right is not known.
    """

    kind = "changed"
    asked_as = "citations"

    done: EditKind
    against: Verdict
    before: str = ""
    marked: tuple[Span, ...] = ()
    marked_before: tuple[Span, ...] = ()
    since: int | None = None
    until: int | None = None
    at: datetime | None = None
    supported_before: float = 0.0
    supported: float = 0.0
    header: str | None = None  # of the value, if it is in an infobox or a table
    is_nearest: bool = False
    unread: bool = False

    @property
    def facts(self) -> Facts:
        """What a note says about it."""
        advice = Message(f"advice-changed-{_name(self.done)}", _ADVICE[self.done])
        return Facts(
            headline(self.done),
            verdict=self.against,
            tag=None
            if self.done in _UNCITED or self.unread
            else TagKind.FAILED_VERIFICATION,
            marked=self.marked,
            quotes_label=NEAREST if self.is_nearest else SOURCE_SAYS,
            lines=(_UNREAD, advice) if self.unread else (advice,),
            certainty=None
            if self.unread or self.done is not EditKind.REWORDED
            else _CERTAINTY,
            earlier=Earlier(
                self.before, self.marked_before, self.since, self.until, self.at
            ),
        )


def headline(done: EditKind) -> Message:
    """Return what a note of this kind says first."""
    return Message(f"kind-changed-{_name(done)}", _HEADLINES[done])


def _name(done: EditKind) -> str:
    return done.value.replace(" ", "-")


EXAMPLE = ChangedFinding(
    EditKind.REWORDED,
    Verdict.NOT_SUPPORTED,
    "It has 27 rooms.",
    (Span(7, 9),),
    (Span(7, 9),),
    since=11,
    until=12,
    supported_before=0.93,
    supported=0.2,
)


def changed_claims(
    side: Side,
    comparison: Comparison | None,
    known: Sequence[Suggestion],
    checks: Sequence[ClaimCheck] = (),
) -> tuple[Suggestion, ...]:
    """Return what an edit parted from its source, in the order of the page.

    Args:
        side: the page as it is now.
        comparison: with the revision checked before, if there was one.
        known: open suggestions of the page; those of this kind stay open where the
            last edit changed neither their words nor their source, unless a language
            model now confirms them with a quote.
        checks: of the page's claims, those that were made now.
    """
    confirmed = [check.claim for check in checks if is_confirmed(check)]
    found = {one.identity: one for one in _new(side.page, comparison)}
    for one in known:
        if one.identity in found or any(_is_of(one, each) for each in confirmed):
            continue
        if stands(one, side) is not None:
            found[one.identity] = one
    return tuple(sorted(found.values(), key=lambda one: one.place))


def baselines(known: Sequence[Suggestion]) -> dict[str, str]:
    """Return what stood before edits that are still at issue, by the words they left."""
    return {
        normalised(one.claim): one.finding.before
        for one in known
        if isinstance(one.finding, ChangedFinding)
        and one.finding.done is EditKind.REWORDED
    }


def is_parted(done: EditKind) -> bool:
    """Return whether the words stayed as they were, and their source did not."""
    return done in _PARTED


def stands(found: Suggestion, here: Side) -> CurrentPlace | None:
    """Return where it is now; `None` if the words or the source were set right."""
    finding = found.finding
    if not isinstance(finding, ChangedFinding):
        return None
    names, words = frozenset(found.source_keys), normalised(found.claim)
    if is_parted(finding.done):
        return _parted(here, words, names)
    for claim in here.claims:
        if _is_of(found, claim) and _keys(claim) & names:
            return CurrentPlace(
                statement_of(claim), claim.section, claim.span.start, claim.text
            )
    return None


def _is_of(found: Suggestion, claim: Claim) -> bool:
    """Return whether a note is about the words of a claim, whatever it cites."""
    is_same = normalised(claim.text) == normalised(found.claim)
    finding = found.finding
    return (
        is_same
        and isinstance(finding, ChangedFinding)
        and header_of(claim) == finding.header
    )


def _new(page: Page, comparison: Comparison | None) -> Iterator[Suggestion]:
    for check in comparison.checks if comparison else ():
        if check.flag is not None and comparison is not None:
            yield _suggestion(page, comparison, check)


def _suggestion(page: Page, comparison: Comparison, check: EditCheck) -> Suggestion:
    change, judgement = check.change, check.judgement
    if judgement is None or check.flag is None:
        raise ValueError("what was not judged suggests nothing")
    old = change.before.text if change.before else ""
    removed = is_parted(change.kind)
    marked, marked_before = ((), ()) if removed else changed_words(old, change.words)
    after = judgement.after.verdict
    unread = change.kind is EditKind.REWORDED and any(
        one.document is None for one in check.fetches
    )
    # What an unread source says may bear the new words out, so they get no verdict.
    fails = is_due(after, CheckKind.NOT_FULLY_SUPPORTED) and not unread
    shown, is_nearest = _shown(judgement)
    fetches = {one.key: one for one in check.fetches}
    quotes = tuple(
        quoted(one, fetches.get(one.passage.source_key))
        for one in shown.evidence[:_MOST_QUOTES]
    )
    keys = tuple(dict.fromkeys(source.key for source in change.sources))
    claim = change.after or change.before
    header = header_of(claim) if claim else None
    since, until = check.made or (comparison.earlier, page.id)
    return Suggestion(
        identity=identity_hash(
            page.id,
            ChangedFinding.kind,
            change.kind.value,
            normalised(old or change.words),
            header or "",
        ),
        page=page.id,
        claim=change.words,
        section=change.section,
        source_keys=keys,
        finding=ChangedFinding(
            change.kind,
            after if fails and not removed else Verdict.NOT_SUPPORTED,
            old,
            marked if old else (),
            marked_before,
            since.revision_id,
            until.revision_id,
            until.revised_at,
            judgement.before.probabilities.supported if old else 0.0,
            judgement.after.probabilities.supported,
            header,
            is_nearest,
            unread,
        ),
        probability=check.moved,
        quote=quotes[0].quote if quotes else None,
        quote_url=quotes[0].href if quotes else None,
        engine=shown.engine,
        flag=check.flag,
        place=change.span.start,
        details=Details(
            sentence=claim.sentence if claim else change.words,
            quotes=quotes,
            cell=tuple(filter(None, (claim.row, claim.column))) if claim else (),
        ),
    )


def _shown(judgement: EditJudgement) -> tuple[Verification, bool]:
    """Return the side whose quotes are shown, and whether they only come nearest.

    They decide if they bear out what stood there, or contradict what stands there now.
    """
    before, after = judgement.before, judgement.after
    if before.evidence and before.verdict is Verdict.SUPPORTED:
        return before, False
    if after.evidence and after.verdict is Verdict.CONTRADICTED:
        return after, False
    return before if before.evidence else after, True


def _parted(here: Side, words: str, names: frozenset[str]) -> CurrentPlace | None:
    """Return where words stand that have no source of these keys behind them."""
    cited = [claim for claim in here.claims if _keys(claim) & names]
    for one in here.find(words):
        if not any(here.stands_behind(one.span, names_of(c.sources)) for c in cited):
            return CurrentPlace(one, one.section, one.span.start, one.text)
    return None


def _keys(claim: Claim) -> frozenset[str]:
    return frozenset(source.key for source in claim.sources)
