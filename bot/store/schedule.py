"""Whose turn it is: one ORDER BY shares the work between wikis, and between people.

A page that several people watch counts for the one who watches the fewest pages, so
that nobody waits behind somebody else's long list. The page is stored with a hash of
the person's name, not the name.

The table of shares records how much work each had; see `bot.records.tasks`. Only one
process at a time chooses, since it locks the row of all shares. No statement reads more
than the first entries of an index for each share.
"""

from collections.abc import Collection, Iterable, Mapping
from dataclasses import asdict, replace
from datetime import datetime
from hashlib import sha256
from typing import Any

from sqlalchemy import (
    Connection,
    Row,
    Select,
    case,
    exists,
    func,
    insert,
    literal,
    select,
    union_all,
    update,
)

from bot.records.jobs import JobReason
from bot.records.tasks import PATIENT_EVERY, Share, TaskState, after_serving
from bot.store import compatibility
from bot.store.schema import (
    NOBODY,
    TENANT_CHARS,
    shares,
    tasks,
    watched_pages,
    watches,
)

_AT_ONCE = 100
EVERYBODY = ""  # the tenant of a wiki's own row
ALL_WIKIS = ""


def due_in_order(kind: str, now: datetime, *, is_patient: bool) -> Select[Any]:
    """Select wiki, tenant and priority of what is due, in the order of their turns.

    One turn in four is patient: it goes to whoever is next, even if somebody else is
    waiting for an answer.
    """
    firsts = (_first_of_each(kind, one.urgency) for one in JobReason)
    due = union_all(*firsts).subquery("due")
    is_due = due.c.since <= now
    most_urgent = func.min(due.c.priority).over(partition_by=[due.c.wiki, due.c.tenant])
    asks = most_urgent == JobReason.ASKED.urgency
    waits_longest = due.c.served % PATIENT_EVERY == PATIENT_EVERY - 1
    return (
        select(due.c.wiki, due.c.tenant, due.c.priority)
        .where(is_due)
        .order_by(
            *([] if is_patient else [case((asks, 0), else_=1)]),  # waits for an answer
            due.c.wiki_had,  # then the wiki that had least of the work
            due.c.wiki,
            due.c.had,  # then the tenant that had least of it
            due.c.tenant,
            case((waits_longest, due.c.since)),  # in one turn of four
            due.c.priority,
            due.c.since,
        )
    )


def _first_of_each(kind: str, priority: int) -> Select[Any]:
    """Select all shares, with the time since when a task of this priority has waited."""
    wiki, tenant = shares.alias("of_wiki"), shares.alias("of_tenant")
    since = (
        select(tasks.c.due_at)
        .where(
            tasks.c.kind == kind,
            tasks.c.wiki == tenant.c.wiki,
            tasks.c.tenant == tenant.c.tenant,
            tasks.c.state == TaskState.WAITING.name,
            tasks.c.priority == priority,
            compatibility.known(tasks.c.reason, JobReason),
        )
        .order_by(tasks.c.due_at)
        .limit(1)
        .correlate(tenant)
        .scalar_subquery()
    )
    return (
        select(
            wiki.c.ends.label("wiki_had"),
            tenant.c.wiki,
            tenant.c.ends.label("had"),
            tenant.c.tenant,
            tenant.c.served,
            literal(priority).label("priority"),
            since.label("since"),
        )
        .join_from(wiki, tenant, tenant.c.wiki == wiki.c.wiki)
        .where(wiki.c.tenant == EVERYBODY, tenant.c.tenant != EVERYBODY)
    )


def charge(
    connection: Connection, root: Share, row: Row[Any], now: datetime, weight: float
) -> None:
    """Record a turn: for the tenant of a task, for its wiki, and for all."""
    wiki = share_of(connection, row.wiki, EVERYBODY, now)
    tenant = share_of(connection, row.wiki, row.tenant, now)
    root, wiki = after_serving(root, wiki, weight)
    wiki, tenant = after_serving(wiki, tenant)
    changed = (
        (ALL_WIKIS, EVERYBODY, replace(root, served=root.served + 1)),
        (row.wiki, EVERYBODY, wiki),
        (row.wiki, row.tenant, tenant),
    )
    for name, whose, share in changed:
        mine = (shares.c.wiki == name) & (shares.c.tenant == whose)
        values = asdict(share) | {"changed_at": now}
        connection.execute(update(shares).where(mine).values(**values))


def share_of(connection: Connection, wiki: str, tenant: str, now: datetime) -> Share:
    """Return a share, its row locked."""
    mine = select(shares).filter_by(wiki=wiki, tenant=tenant).with_for_update()
    row = connection.execute(mine).one_or_none()
    if row is None:
        connection.execute(insert(shares).values(**_fresh_share(wiki, tenant, now)))
        return Share()
    return Share(row.ends, row.clock, row.served)


def tenants_of(
    connection: Connection, wiki: str, titles: Iterable[str]
) -> Mapping[str, str]:
    """Return the tenant of each watched page."""
    ordered = sorted(titles)
    found: dict[str, tuple[int, str]] = {}
    last = (
        select(func.max(watched_pages.c.position))
        .where(watched_pages.c.watch == watches.c.id)
        .correlate(watches)
        .scalar_subquery()
    )
    for at in range(0, len(ordered), _AT_ONCE):
        rows = connection.execute(
            select(watched_pages.c.title, watches.c.kind, watches.c.watcher, last)
            .join(watches, watches.c.id == watched_pages.c.watch)
            .where(watched_pages.c.wiki == wiki)
            .where(watched_pages.c.title.in_(ordered[at : at + _AT_ONCE]))
        )
        for title, kind, watcher, size in rows:
            named = (int(size), tenant_of(kind, watcher))
            found[title] = min(named, found.get(title, named))
    return {title: tenant for title, (_, tenant) in found.items()}


def tenant_of(kind: str, watcher: str) -> str:
    """Return the tenant of a person, page or project."""
    return sha256(f"{kind}:{watcher}".encode()).hexdigest()[: TENANT_CHARS // 2]


def let_share(
    connection: Connection, wiki: str, tenants: Collection[str], now: datetime
) -> None:
    """Make sure that tenants have shares of a wiki's work, and the wiki one of all work."""
    ordered = sorted({EVERYBODY, NOBODY, *tenants})
    for at in range(0, len(ordered), _AT_ONCE):
        some = ordered[at : at + _AT_ONCE]
        known = set(
            connection.scalars(
                select(shares.c.tenant).where(
                    shares.c.wiki == wiki, shares.c.tenant.in_(some)
                )
            )
        )
        fresh = [
            _fresh_share(wiki, tenant, now) for tenant in some if tenant not in known
        ]
        if fresh:
            # Another process may be adding the same row.
            made = insert(shares).prefix_with("IGNORE", dialect="mysql")
            made = made.prefix_with("IGNORE", dialect="mariadb")
            connection.execute(made.prefix_with("OR IGNORE", dialect="sqlite"), fresh)


def let_all_share(connection: Connection, kind: str, now: datetime) -> bool:
    """Give a share to everyone with waiting tasks whose share was forgotten."""
    known = exists().where(
        shares.c.wiki == tasks.c.wiki, shares.c.tenant == tasks.c.tenant
    )
    waiting = (tasks.c.kind == kind) & (tasks.c.state == TaskState.WAITING.name)
    rows = connection.execute(
        select(tasks.c.wiki, tasks.c.tenant).where(waiting & ~known).distinct()
    ).all()
    for row in rows:
        let_share(connection, row.wiki, [row.tenant], now)
    return bool(rows)


def _fresh_share(wiki: str, tenant: str, now: datetime) -> dict[str, object]:
    """Return the row of a share that had no work yet."""
    named = {"wiki": wiki, "tenant": tenant, "changed_at": now}
    return {**named, "ends": 0.0, "clock": 0.0, "served": 0}
