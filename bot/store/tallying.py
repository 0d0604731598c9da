"""How decisions turned out, counted within a transaction of the caller's."""

from collections import defaultdict
from datetime import datetime

from sqlalchemy import Connection, func, select

from bot.readers import Decision, DecisionKind, KeptDecision, Tally
from bot.store.deciding import kept_of
from bot.store.reader_tables import closures, decisions
from handlers.model import CheckKind, Engine

_MOST = 50_000  # decisions that are counted, the newest
_AT_ONCE = 1000


def tallies(connection: Connection, since: datetime) -> tuple[Tally, ...]:
    """Count standing decisions at `since` or later; see `Decisions.tallies`."""
    rows = connection.execute(
        select(decisions)
        .where(
            (decisions.c.decided_at >= since)
            & decisions.c.undone_at.is_(None)
            & decisions.c.flag_kind.is_not(None)
            & decisions.c.flag_probability.is_not(None)
        )
        .order_by(decisions.c.decided_at.desc(), decisions.c.id.desc())
        .limit(_MOST)
    )
    seen: set[tuple[str, str]] = set()
    right: dict[tuple[str, Engine, CheckKind], list[float]] = defaultdict(list)
    wrong: dict[tuple[str, Engine, CheckKind], list[float]] = defaultdict(list)
    for row in rows:
        decision = kept_of(row).decision
        what = decision.wiki, decision.identity
        is_right = decision.says_right
        if is_right is None or what in seen:
            continue
        seen.add(what)
        where = right if is_right else wrong
        where[_group(decision)].append(decision.flag_probability or 0.0)
    return tuple(
        Tally(*group, tuple(sorted(right[group])), tuple(sorted(wrong[group])))
        for group in sorted(right.keys() | wrong.keys(), key=_order)
    )


def _group(decision: Decision) -> tuple[str, Engine, CheckKind]:
    if decision.flag is None:
        raise ValueError("a suggestion that is not flagged is not counted")
    return decision.wiki, decision.engine, decision.flag


def _order(group: tuple[str, Engine, CheckKind]) -> tuple[str, str, str, str]:
    wiki, engine, kind = group
    return wiki, engine.name, engine.version, kind.value


def counts(
    connection: Connection, since: datetime
) -> tuple[dict[DecisionKind, int], int]:
    """Count the standing decisions at `since` or later by kind, and all closures."""
    found = dict.fromkeys(DecisionKind, 0)
    rows = connection.execute(
        select(decisions.c.kind, func.count())
        .where((decisions.c.decided_at >= since) & decisions.c.undone_at.is_(None))
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
    chosen = select(decisions).where(decisions.c.id > after).order_by(decisions.c.id)
    if since is not None:
        chosen = chosen.where(decisions.c.decided_at >= since)
    rows = connection.execute(chosen.limit(_AT_ONCE))
    return [(row.reader, kept_of(row)) for row in rows]
