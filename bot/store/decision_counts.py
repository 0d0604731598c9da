"""How decisions turned out, counted within a transaction of the caller's."""

from datetime import datetime
from functools import cache

from sqlalchemy import Connection, func, select

from bot.records.accounts import (
    DecisionKind,
    DismissReason,
    KeptDecision,
    Tally,
    says_right,
)
from bot.store.decision_reading import is_known, kept_of
from bot.store.reader_tables import closures, decisions
from handlers.model import CheckKind, Engine, Verdict

_MOST = 50_000  # decisions that are counted, the newest
_AT_ONCE = 1000


def tallies(connection: Connection, since: datetime) -> tuple[Tally, ...]:
    """Count standing decisions at `since` or later; see `Decisions.tallies`."""
    kept = decisions.c
    found = (kept.wiki, kept.engine_name, kept.engine_version, kept.flag_kind)
    said = (kept.kind, kept.reason, kept.right_verdict)
    rows = connection.execute(
        select(kept.identity, kept.flag_probability, *found, *said)
        .where(
            (kept.decided_at >= since)
            & kept.undone_at.is_(None)
            & kept.flag_kind.is_not(None)
            & is_known()
            & kept.flag_probability.is_not(None)
        )
        .order_by(kept.decided_at.desc(), kept.id.desc())
        .limit(_MOST)
    )
    seen: set[tuple[str, str]] = set()
    groups: dict[tuple[str, ...], tuple[list[float], list[float]]] = {}
    for identity, chance, wiki, name, version, flag, *words in rows:
        is_right = _says_right(flag, *words)
        if is_right is None or (wiki, identity) in seen:
            continue
        seen.add((wiki, identity))
        right, wrong = groups.setdefault((wiki, name, version, flag), ([], []))
        (right if is_right else wrong).append(chance)
    return tuple(
        Tally(
            wiki,
            Engine(name, version),
            CheckKind[flag],
            tuple(sorted(right)),
            tuple(sorted(wrong)),
        )
        for (wiki, name, version, flag), (right, wrong) in sorted(groups.items())
    )


@cache
def _says_right(
    flag: str, kind: str, reason: str | None, right_verdict: str | None
) -> bool | None:
    return says_right(
        CheckKind[flag],
        DecisionKind[kind],
        DismissReason[reason] if reason else None,
        Verdict[right_verdict] if right_verdict else None,
    )


def counts(
    connection: Connection, since: datetime
) -> tuple[dict[DecisionKind, int], int]:
    """Count the standing decisions at `since` or later by kind, and all closures."""
    found = dict.fromkeys(DecisionKind, 0)
    rows = connection.execute(
        select(decisions.c.kind, func.count())
        .where((decisions.c.decided_at >= since) & decisions.c.undone_at.is_(None))
        .where(is_known())
        .group_by(decisions.c.kind)
    )
    for kind, count in rows:
        found[DecisionKind[kind]] = count
    closed = connection.scalar(select(func.count()).select_from(closures))
    return found, closed or 0


def some(
    connection: Connection, after: int, since: datetime | None
) -> list[tuple[str | None, KeptDecision]]:
    """Return the next decisions after the one with number `after`, with their reader."""
    chosen = (
        select(decisions)
        .where((decisions.c.id > after) & is_known())
        .order_by(decisions.c.id)
    )
    if since is not None:
        chosen = chosen.where(decisions.c.decided_at >= since)
    rows = connection.execute(chosen.limit(_AT_ONCE))
    return [(row.reader, kept_of(row)) for row in rows]
