"""What the history of a page shows of somebody who signs in by an edit. Pure.

The wiki says who saved a revision, and no more: by an undo, a rollback, a move or a
restored version somebody saves what another wrote. So only an edit counts that brings
the text in, for the first time, with the sign-in's own edit summary, on a page that
nobody else edited since the sign-in began: whoever knows the text could leave it there
in pieces, for its owner to mend. What cannot be seen might be such an edit.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from enum import Enum


class Holding(Enum):
    """Whether a revision holds the text of the sign-in."""

    YES = "yes"
    NO = "no"
    UNSEEN = "unseen"  # hidden or lost


@dataclass(frozen=True, slots=True)
class Saved:
    """A revision, as far as it matters here.

    `is_own` says that the account saved it that signs in, `is_named` that its edit
    summary is that of the sign-in, `is_revert` that the wiki tagged it as undoing what
    somebody did, and `is_listed` that the recent changes have it as an edit of this
    page: imported, restored and moved revisions they have not.
    """

    revision_id: int
    holding: Holding
    is_own: bool
    is_named: bool
    is_revert: bool
    is_listed: bool
    sha1: str | None


@dataclass(frozen=True, slots=True)
class Evidence:
    """What stands in the history of the page, newest first, and what befell it.

    `newest_before` is the newest revision that the page had when the sign-in began, 0
    for none. `has_older` says that there are older revisions than these. `is_displaced`
    says that since then revisions may have come or gone otherwise than by edits: the
    page was moved, deleted, restored, imported or merged.
    """

    revisions: Sequence[Saved]
    newest_before: int
    has_older: bool
    is_displaced: bool
    is_redirect: bool


class Finding(Enum):
    """What the history shows. All but the first two end the sign-in."""

    WAITING = "the text is not there yet"
    PROVEN = "the account itself brought it in"
    BY_ANOTHER = "somebody else saved it first, or anything else since then"
    DISPLACED = "revisions came or went otherwise than by edits"
    UNSEEN = "a revision since then cannot be seen"
    TOO_MANY = "more revisions since then than are read"
    TWICE = "more than one revision holds it"
    REMOVED = "it was taken away again"
    REDIRECT = "the page leads on to another"
    REVERT = "the edit only brought back what had stood there"
    UNNAMED = "the edit summary is another"


def finding_of(evidence: Evidence) -> Finding:
    """Return what the history of the page shows."""
    holders = [each for each in evidence.revisions if each.holding is Holding.YES]
    unclear = _unclear(evidence, holders)
    if unclear is not None:
        return unclear
    if not holders:
        return Finding.WAITING
    if len(holders) > 1:
        return Finding.TWICE
    return _of_the_edit(holders[0], evidence)


def _unclear(evidence: Evidence, holders: Sequence[Saved]) -> Finding | None:
    """Return why nobody can tell whose words stand there."""
    revisions = evidence.revisions
    since = [each for each in revisions if each.revision_id > evidence.newest_before]
    if not all(each.is_own for each in (*since, *holders)):
        return Finding.BY_ANOTHER
    if evidence.is_displaced:
        return Finding.DISPLACED
    if any(each.holding is Holding.UNSEEN for each in since):
        return Finding.UNSEEN
    if evidence.has_older and len(since) == len(revisions):
        return Finding.TOO_MANY
    return None


def _of_the_edit(edit: Saved, evidence: Evidence) -> Finding:
    """Return what the only revision shows that holds the text; the account saved it."""
    newest, *older = evidence.revisions
    if edit is not newest:
        return Finding.REMOVED
    if evidence.is_redirect:
        return Finding.REDIRECT
    is_new = edit.revision_id > evidence.newest_before and edit.sha1 is not None
    if edit.is_revert or not is_new or edit.sha1 in {each.sha1 for each in older}:
        return Finding.REVERT
    if not edit.is_named:
        return Finding.UNNAMED
    return Finding.PROVEN if edit.is_listed else Finding.WAITING
