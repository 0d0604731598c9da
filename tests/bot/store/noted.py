"""Notes of edits that moved a claim away from its source, in a line each."""

from collections.abc import Iterable
from datetime import datetime
from hashlib import sha256

from bot.store import Store
from handlers.edits.finding import EXAMPLE, ChangedFinding
from handlers.findings import Suggestion
from tests.bot.store.runs import NOON, run, suggestion


def identity_of(claim: str) -> str:
    return sha256(claim.encode()).hexdigest()


def note(claim: str) -> Suggestion:
    return suggestion(claim, identity=identity_of(claim), finding=EXAMPLE)


def noted(
    store: Store, claims: Iterable[str], revision: int = 10, at: datetime = NOON
) -> None:
    """Save a check of the page that has notes about these claims and no others."""
    notes = [note(claim) for claim in claims]
    store.save_check(run(revision, at), [], beside={ChangedFinding.kind: notes})
