"""A page with suggestions, and decisions about them, in a line each."""

from collections.abc import Sequence
from dataclasses import replace
from hashlib import sha256

from bot.records.accounts import Decision, DecisionKind, DismissReason
from bot.records.watches import ActiveWatch, Surface, WatcherKind
from bot.store import Store
from handlers.model import CheckKind, Verdict
from tests import builders
from tests.bot.store.runs import NOON, TITLE, WIKI, hour, planned, run, suggestion

ANNA, BEN, CARA = (
    sha256(name.encode()).hexdigest() for name in ("Anna", "Ben", "Cara")
)
REPORT = "User:Anna/Sidenote report"
UNTRUE = DismissReason.SOURCE_SAYS_IT


def known(store: Store, *claims: str) -> list[str]:
    """Save suggestions about these claims; return their identities."""
    found = [
        suggestion(claim, identity=sha256(claim.encode()).hexdigest())
        for claim in claims
    ]
    store.save_check(run(), found)
    return [each.identity for each in found]


def decision(identity: str, **changes: object) -> Decision:
    """Return the dismissal of a flagged suggestion as untrue."""
    default = Decision(
        wiki=WIKI,
        title=TITLE,
        identity=identity,
        kind=DecisionKind.DISMISS,
        verdict=Verdict.NOT_SUPPORTED,
        engine=builders.ENGINE,
        flag=CheckKind.NOT_SUPPORTED,
        flag_probability=0.9,
        revision=10,
        decided_at=hour(1),
        reason=UNTRUE,
    )
    return replace(default, **changes)  # type: ignore[arg-type]  # fields by name


def accepted(identity: str, **changes: object) -> Decision:
    """Return that a suggestion was accepted."""
    fields = {"kind": DecisionKind.ACCEPT, "reason": None, **changes}
    return decision(identity, **fields)


def watch(
    store: Store,
    place: str = "User:Anna/Sidenote",
    *,
    watcher: str = "Anna",
    kind: WatcherKind = WatcherKind.USER,
    report: str | None = REPORT,
    surfaces: Sequence[Surface] = (Surface.REPORT, Surface.TALK),
) -> None:
    """Let somebody watch the page; what that asks to be planned is done."""
    active = ActiveWatch(
        WIKI, place, kind, watcher, (TITLE,), report=report, surfaces=tuple(surfaces)
    )
    store.watches.keep(active, [], NOON)
    planned(store)
