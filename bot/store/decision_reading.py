"""Reads what readers decided, within a transaction of the caller's; decisions as rows."""

from collections.abc import Iterable
from typing import Any

from sqlalchemy import ColumnElement, Connection, Row, func, select

from bot.records.accounts import Decision, DecisionKind, DismissReason, KeptDecision
from bot.store import compatibility, sanitise
from bot.store.reader_tables import HASH_CHARS, closures, decisions
from bot.store.schema import NAME_CHARS
from handlers.model import CheckKind, Engine, Verdict

_AT_ONCE = 500  # identities in one query


def of_reader(
    connection: Connection, reader: str, wiki: str, identities: Iterable[str]
) -> dict[str, KeptDecision]:
    """Return what a reader decided about each of these suggestions, where they did."""
    rows = standing_of(connection, reader, wiki, identities)
    return {row.identity: kept_of(row) for row in rows}


def standing_of(
    connection: Connection, reader: str, wiki: str, identities: Iterable[str]
) -> list[Row[Any]]:
    """Return the decisions of a reader that stand, the first one first."""
    wanted = sorted(set(identities))
    found: list[Row[Any]] = []
    for at in range(0, len(wanted), _AT_ONCE):
        found += connection.execute(
            select(decisions)
            .filter_by(reader=reader, wiki=wiki, undone_at=None)
            .where(decisions.c.identity.in_(wanted[at : at + _AT_ONCE]))
            .where(is_known())
            .order_by(decisions.c.id)
        ).all()
    return found


def closed(
    connection: Connection, wiki: str, identities: Iterable[str] | None
) -> frozenset[str]:
    """Return which suggestions of a wiki are closed: of these, or of all."""
    every = select(closures.c.identity).filter_by(wiki=wiki)
    if identities is None:
        return frozenset(connection.scalars(every))
    wanted, found = sorted(set(identities)), set[str]()
    for at in range(0, len(wanted), _AT_ONCE):
        some = closures.c.identity.in_(wanted[at : at + _AT_ONCE])
        found |= set(connection.scalars(every.where(some)))
    return frozenset(found)


def version(connection: Connection, wiki: str, title: str) -> str:
    """Return what changes with every decision about a page, and when one is undone."""
    newest, undone = connection.execute(
        select(func.max(decisions.c.id), func.count(decisions.c.undone_at)).filter_by(
            wiki=wiki, title=title
        )
    ).one()
    return f"{newest or 0}-{undone}"


def is_known() -> ColumnElement[bool]:
    """Return the condition that this version understands a decision."""
    kept = decisions.c
    return (
        compatibility.known(kept.kind, DecisionKind)
        & compatibility.known(kept.reason, DismissReason)
        & compatibility.known(kept.flag_kind, CheckKind)
    )


def columns_of(one: Decision) -> dict[str, Any]:
    """Return a decision as the values of a row, but for who decided."""
    chance = one.flag_probability
    return {
        "wiki": sanitise.key(one.wiki, "wiki"),
        "title": sanitise.key(one.title, "title"),
        "identity": sanitise.key(one.identity, "identity", HASH_CHARS),
        "kind": one.kind.name,
        "reason": one.reason.name if one.reason else None,
        "right_verdict": one.right_verdict.name if one.right_verdict else None,
        "verdict": one.verdict.name,
        "flag_kind": one.flag.name if one.flag else None,
        "flag_probability": None if chance is None else sanitise.share(chance),
        "engine_name": sanitise.key(one.engine.name, "engine's name", NAME_CHARS),
        "engine_version": sanitise.text(one.engine.version, NAME_CHARS),
        "revision": one.revision,
        "decided_at": one.decided_at,
    }


def kept_of(row: Row[Any]) -> KeptDecision:
    """Return a row of `decisions` as a value."""
    decision = Decision(
        wiki=row.wiki,
        title=row.title,
        identity=row.identity,
        kind=DecisionKind[row.kind],
        verdict=Verdict[row.verdict],
        engine=Engine(row.engine_name, row.engine_version),
        flag=CheckKind[row.flag_kind] if row.flag_kind else None,
        flag_probability=row.flag_probability,
        revision=row.revision,
        decided_at=row.decided_at,
        reason=DismissReason[row.reason] if row.reason else None,
        right_verdict=Verdict[row.right_verdict] if row.right_verdict else None,
    )
    return KeptDecision(row.id, decision, row.undone_at)
