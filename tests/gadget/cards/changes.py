"""Notes about edits, as a judge that finds all of them wrong makes them."""

from handlers.edits.alignment import changes_between
from handlers.edits.finding import changed_claims
from handlers.findings import Suggestion
from handlers.model import (
    ChangedClaim,
    CheckKind,
    Comparison,
    EditCheck,
    EditJudgement,
    Flag,
    Page,
    Verdict,
)
from handlers.registry import PageNow
from tests import builders

SAID = "The log puts its height at 412 feet."
_FLAG = Flag(CheckKind.NOT_SUPPORTED, 0.9, 0.5)


def moved_away(before: Page, after: Page) -> tuple[Suggestion, ...]:
    """Return the notes about the edit between two revisions; there are some."""
    changes = changes_between(before, after).claims
    assert changes
    checks = tuple(map(_judged, changes))
    comparison = Comparison(before.id, len(changes), checks)
    return changed_claims(PageNow(after).side, comparison, ())


def _judged(change: ChangedClaim) -> EditCheck:
    claim = change.before or change.after
    assert claim
    [source] = claim.sources
    quote = builders.evidence(SAID, text=SAID, matching=(), of=source)
    before = builders.verification(Verdict.SUPPORTED, quote)
    after = builders.verification(Verdict.NOT_SUPPORTED)
    read = (builders.fetch(source),)
    return EditCheck(change, read, EditJudgement(0.9, before, after), 0.9, _FLAG)
