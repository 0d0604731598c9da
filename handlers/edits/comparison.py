"""Judges what an edit changed: both sides beside the same passages.

A claim that was reworded is judged as a pair, since a bad edit brings no new words; a
small fall of the pair says more than the verdict on either side. Where a source was
taken away, that source is asked about the words that stayed. What was put before a
footnote is judged like any new claim. Pure; it awaits only its tools.
"""

import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from handlers.citations.flags import is_confirmed
from handlers.citations.passages import cut_beside, readable
from handlers.edits.alignment import (
    Changes,
    changed_words,
    changes_between,
    names_of,
)
from handlers.model import (
    CELLS,
    ChangedClaim,
    CheckKind,
    Claim,
    ClaimCheck,
    Comparison,
    EditCheck,
    EditJudgement,
    EditKind,
    Flag,
    NotJudged,
    Page,
    PageId,
    Passage,
    Probabilities,
    Source,
    SourceFetch,
    Verdict,
    Verification,
)
from handlers.ports import EditJudge, Tools


@dataclass(frozen=True, slots=True)
class EditPoints:
    """From when on it is noted that a source was taken away.

    It must have supported the words with at least the probability `supported`, and what
    is left must be below `unsupported`. How often these two are right was not measured.
    From when on other words are noted, the judge of edits says; it must be as sure as
    `beside_unread`, not measured either, if another source of the words was not read.
    """

    supported: float = 0.8
    unsupported: float = 0.5
    beside_unread: float = 0.95


async def compare(
    before: Page,
    after: Page,
    checks: Sequence[ClaimCheck],
    *,
    tools: Tools,
    points: EditPoints,
    baselines: Mapping[str, str] | None = None,
    changes: Changes | None = None,
) -> Comparison:
    """Return what was changed between two revisions, and what the sources say of it.

    Args:
        before: the page at the earlier revision.
        after: the page now.
        checks: of the claims that are due now; what was inserted is among them.
        tools: reads the sources, once for both sides, and judges.
        points: from when on a change is flagged.
        baselines: see `changes_between`.
        changes: those to judge, if they are known already.
    """
    if changes is None:
        changes = await asyncio.to_thread(changes_between, before, after, baselines)
    if changes.not_compared is not None:
        return Comparison(
            before.id,
            not_compared=changes.not_compared,
            hardly_alike=changes.hardly_alike,
        )
    one = _Comparer(after, tools, points, {id(each.claim): each for each in checks})
    found = await asyncio.gather(*map(one.check, changes.claims))
    return Comparison(
        before.id,
        len(found),
        tuple(check for check in found if check.judgement),
        unjudged=tuple(check for check in found if not check.judgement),
        hardly_alike=changes.hardly_alike,
    )


def traced(
    comparison: Comparison,
    before: Page,
    after: Page,
    saved: Sequence[tuple[PageId, str]],
) -> Comparison:
    """Return the comparison with the edit that brought each flagged change.

    Args:
        comparison: of `before` and `after`.
        before: the page at the earlier revision.
        after: the page now.
        saved: the revisions after `before`, oldest first, with their wikitext; if there
            are too many, the newest.
    """
    checks = tuple(
        replace(one, made=_made(one, before, after, saved)) if one.flag else one
        for one in comparison.checks
    )
    return replace(comparison, checks=checks)


def _made(
    check: EditCheck, before: Page, after: Page, saved: Sequence[tuple[PageId, str]]
) -> tuple[PageId, PageId] | None:
    """Return the revisions before and after the edit; `None` if it is not among them."""
    new = _as_now(check.change, after)
    old = _as_before(check.change, before)
    at = len(saved)
    while at and new in saved[at - 1][1] and not (old and old in saved[at - 1][1]):
        at -= 1
    if at in {0, len(saved)}:  # made by the first, or before all of them
        return (before.id, saved[0][0]) if saved and not at else None
    return saved[at - 1][0], saved[at][0]


def _as_now(change: ChangedClaim, after: Page) -> str:
    return change.span.of(after.wikitext)


def _as_before(change: ChangedClaim, before: Page) -> str:
    """Return the wikitext that the edit took away, empty for what was inserted."""
    claim = change.before
    if claim is None:
        return ""
    ends = [citation.marker.end for citation in claim.citations]
    return before.wikitext[claim.span.start : max(ends, default=claim.span.end)]


def unconfirmed(
    checks: Sequence[ClaimCheck], comparison: Comparison
) -> tuple[ClaimCheck, ...]:
    """Return the checks without "supported" for words that an edit moved away.

    The judge of one side alone confirms many of them: a bad edit brings no new words.
    """
    moved = {
        id(one.change.after)
        for one in comparison.checks
        if one.flag and one.change.after
    }
    return tuple(
        replace(check, verdict=None)
        if check.verdict is Verdict.SUPPORTED and id(check.claim) in moved
        else check
        for check in checks
    )


@dataclass(frozen=True, slots=True)
class _Comparer:
    page: Page
    tools: Tools
    points: EditPoints
    checks: Mapping[int, ClaimCheck]  # by the identity of their claim

    async def check(self, change: ChangedClaim) -> EditCheck:
        """Return the change, judged if something could be read.

        What a language model confirms with a quote is not flagged.
        """
        found = await self._judged(change)
        now = self.checks.get(id(change.after))
        return replace(found, flag=None) if now and is_confirmed(now) else found

    async def _judged(self, change: ChangedClaim) -> EditCheck:
        if change.kind is EditKind.INSERTED:
            return self._of_inserted(change)
        fetches, passages = await self._read(change.sources)
        if not passages:
            return EditCheck(change, fetches, why_not=NotJudged.UNREAD)
        if change.kind is EditKind.REWORDED:
            return await self._of_reworded(change, fetches, passages)
        return await self._of_parted(change, fetches, passages)

    async def _read(
        self, sources: Sequence[Source]
    ) -> tuple[tuple[SourceFetch, ...], list[Passage]]:
        fetches = tuple(await asyncio.gather(*map(self._fetched, sources)))
        passages = [
            passage
            for one in fetches
            if one.document is not None
            for passage in await cut_beside(one.document, one.key)
        ]
        return fetches, passages

    async def _fetched(self, source: Source) -> SourceFetch:
        """Return what was read for the check, so that both sides have one reading."""
        for check in self.checks.values():
            for one in check.fetches:
                if one.source.copy == source.copy:
                    return one
        found = await self.tools.sources.read(source)
        return readable(found, self.page.id.wiki, self.page.language)

    async def _of_reworded(
        self,
        change: ChangedClaim,
        fetches: tuple[SourceFetch, ...],
        passages: Sequence[Passage],
    ) -> EditCheck:
        before, after = change.before, change.after
        judge = self.tools.verifier
        if before is None or after is None or not isinstance(judge, EditJudge):
            return EditCheck(change, fetches, why_not=NotJudged.NO_JUDGE)
        before = _beside(before, after)
        found = await judge.judge_edit(self.page.id.title, before, after, passages)
        check = EditCheck(change, fetches, found, found.moved)
        if found.moved < judge.noted_from:
            return check
        if before.missing or after.missing:
            return replace(check, why_not=NotJudged.WORDS_MISSING)
        noted_from = judge.noted_from
        if not _are_read(fetches):
            noted_from = max(noted_from, self.points.beside_unread)
            if found.moved < noted_from or not _is_telling(before, after, fetches):
                return replace(check, why_not=NotJudged.READ_IN_PART)
        return replace(check, flag=_flag(found.moved, noted_from))

    async def _of_parted(
        self,
        change: ChangedClaim,
        fetches: tuple[SourceFetch, ...],
        passages: Sequence[Passage],
    ) -> EditCheck:
        """Judge the words that stayed by the source that no longer stands behind."""
        claim = change.after or change.before
        if claim is None or claim.kind in CELLS:
            return EditCheck(change, fetches, why_not=NotJudged.VALUE)
        found = await self.tools.verifier.verify(self.page.id.title, claim, passages)
        supported = found.probabilities.supported
        left = self._left(change)
        if left is None:
            return EditCheck(change, fetches, why_not=NotJudged.READ_IN_PART)
        judgement = EditJudgement(supported * (1 - left), found, found)
        flag = None
        if supported >= self.points.supported and left <= self.points.unsupported:
            flag = _flag(supported, self.points.supported)
        return EditCheck(change, fetches, judgement, judgement.moved, flag)

    def _left(self, change: ChangedClaim) -> float | None:
        """Return how surely the sources that are left support the words.

        `None` if one of them could not be read.
        """
        if change.after is None:
            return 0.0
        check = self.checks.get(id(change.after))
        if check is None or check.verification is None:
            return None
        if not _are_read(check.fetches):
            return None
        return check.verification.probabilities.supported

    def _of_inserted(self, change: ChangedClaim) -> EditCheck:
        check = self.checks.get(id(change.after))
        if check is None or check.verification is None:
            fetches = check.fetches if check else ()
            return EditCheck(change, fetches, why_not=NotJudged.UNREAD)
        found = check.verification
        supported = found.probabilities.supported
        is_held = not check.flag and not _are_read(check.fetches)
        return EditCheck(
            change,
            check.fetches,
            EditJudgement(1 - supported, _nothing(found), found),
            1 - supported,
            # What was measured are claims as they stand in articles.
            replace(check.flag, expected=None) if check.flag else None,
            why_not=NotJudged.READ_IN_PART
            if is_held and supported <= self.points.unsupported
            else None,
        )


def _flag(probability: float, threshold: float) -> Flag:
    return Flag(CheckKind.NOT_SUPPORTED, probability, threshold)


def _are_read(fetches: Sequence[SourceFetch]) -> bool:
    """Return whether all of each source was read.

    What the rest says of the words is not known.
    """
    return all(
        one.document is not None
        and not any(piece.kind.may_decide for piece in one.document.missing)
        for one in fetches
    )


def _is_telling(before: Claim, after: Claim, fetches: Sequence[SourceFetch]) -> bool:
    """Return whether what was read decides about an edit beside an unread source.

    What was only put in may come from the unread one, and so may all words if that came
    with the edit. What is missing of a source that was read may say anything.
    """
    unread = [one.source for one in fetches if one.document is None]
    read = [one for one in fetches if one.document is not None]
    stood = names_of(before.sources)
    # A word at the beginning loses its capital if others are put before it.
    old = before.text.casefold()
    _, struck = changed_words(old, after.text.casefold())
    return (
        any(any(map(str.isalnum, one.of(old))) for one in struck)
        and _are_read(read)
        and not any(stood.isdisjoint(names_of([one])) for one in unread)
    )


def _beside(before: Claim, after: Claim) -> Claim:
    """Return the claim as it stood, with what is around it now.

    What else was edited is not this claim's doing.
    """
    return replace(
        before,
        section=after.section,
        context=after.context,
        row=before.row or after.row,
        column=before.column or after.column,
    )


def _nothing(found: Verification) -> Verification:
    """Return that nothing stood there before."""
    return Verification(
        Verdict.SUPPORTED, Probabilities(1.0, 0.0, 0.0, 0.0), (), (), found.engine
    )
