"""The tasks of all kinds: one row for each, leased by one worker at a time.

A row changes as in the table. Every step of a worker names the fencing number of its
lease, so that a worker that was thought dead changes nothing when it wakes up. A step
that is repeated, because the answer to the first try was lost, takes effect once.

    put        IDLE, PARKED → WAITING;  LEASED: waits again afterwards
    lease      WAITING, LEASED and expired → LEASED
    finish     LEASED → IDLE, or WAITING if it was asked for meanwhile
    retry      LEASED → WAITING, later;  after too many attempts → PARKED
    put_off    LEASED → WAITING, as if it had never been leased
    park       LEASED → PARKED

A task whose worker died comes first: there are never more of these than workers. A task
that killed two workers runs only while no other such task does, because workers share a
process: if a task kills it, the tasks beside it would be given up as well.

Where work is shared between wikis, and between people, one ORDER BY says whose turn it
is. A page that several people watch counts for the one who watches the fewest pages, so
that nobody waits behind somebody else's long list. It is stored with a hash of the
person's name, not the name. The table of shares records how much work each had; see
`bot.records.tasks`. Only one process at a time chooses, since it locks the row of all
shares. No statement reads more than the first entries of an index for each share.
"""

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from datetime import datetime, timedelta
from hashlib import sha256
from typing import Any, TypeVar

from sqlalchemy import (
    ColumnElement,
    Connection,
    Row,
    Select,
    bindparam,
    case,
    exists,
    func,
    insert,
    literal,
    or_,
    select,
    true,
    union_all,
    update,
)

from bot.records.jobs import JobReason
from bot.records.tasks import (
    PATIENT_EVERY,
    Lease,
    LeaseLost,
    Share,
    TaskKind,
    TaskState,
    after_serving,
)
from bot.store import mapping, sanitise
from bot.store.clock import DatabaseTime
from bot.store.database import (
    Repository,
    Transactions,
    change,
    find,
    insert_all,
    reads,
    rows_with,
    writes,
)
from bot.store.schema import (
    NAME_CHARS,
    NOBODY,
    TENANT_CHARS,
    shares,
    tasks,
    watched_pages,
    watches,
)

T = TypeVar("T")

_AT_ONCE = 100  # rows in one statement
_DIED = "its worker died or exceeded its lease {attempts} times"
_SUSPECT_AFTER = 2  # attempts that killed their worker
_SUSPECT_WAITS = timedelta(minutes=10)  # at most
WAITING, LEASED, PARKED, IDLE = (state.name for state in TaskState)
EVERYBODY = ""  # the tenant of a wiki's own share
ALL_WIKIS = ""


@dataclass(frozen=True, slots=True)
class Policy:
    """How tasks of a kind are leased, retried and parked.

    A lease lasts `lease_s`. After `attempts` a task is parked; with `rest_s` it is
    never parked for failures, but rests that long after so many workers died. `task`
    returns what a row asks for, or `None` if there is nothing to do now: then it has
    changed the row. `waits` is a further condition for waiting tasks. `on_failure`
    receives a task that failed, why, and in how many seconds it is due, `None` if it is
    parked; without a reason it was not really begun.

    With `by_database_time`, the times are those of the database; with `weights` of wikis, the
    work is shared. Otherwise what is due first comes first.
    """

    lease_s: float
    attempts: int
    task: Callable[[Connection, Row[Any], datetime], Any]
    rest_s: float | None = None
    waits: Callable[[datetime], ColumnElement[bool]] = lambda _now: true()
    on_failure: Callable[
        [Connection, Row[Any], datetime, str | None, float | None], None
    ] = lambda _connection, _row, _now, _why, _in_s: None
    weights: Mapping[str, float] | None = None
    by_database_time: bool = False


class Tasks(Repository):
    """The waiting tasks, of all kinds."""

    def __init__(
        self,
        transactions: Transactions,
        policies: Mapping[TaskKind, Policy],
        database_time: DatabaseTime | None = None,
    ) -> None:
        super().__init__(transactions)
        self._database_time = database_time or DatabaseTime()
        self.policies = dict(policies)

    @reads
    def is_due(
        self, connection: Connection, kinds: Sequence[TaskKind], now: datetime
    ) -> bool:
        """Return whether any can be leased: one query, which locks nothing."""
        at = self._at(connection, kinds[0], now)
        mine = tasks.c.kind.in_([kind.name for kind in kinds])
        due = [
            select(tasks.c.id).where(mine, which).limit(1).scalar_subquery()
            for which in (_is_waiting(at), _has_run_out(at))
        ]
        return any(one is not None for one in connection.execute(select(*due)).one())

    def lease(
        self,
        kinds: Sequence[TaskKind],
        worker: str,
        now: datetime,
        *,
        wiki: str | None = None,
        without: Collection[str] = (),
    ) -> Lease[Any] | None:
        """Lease the task whose turn it is; `None` if none is due.

        Kinds named first come first. If `wiki` is given, only its tasks are leased;
        tasks of the wikis in `without` go on waiting.
        """
        if not self.is_due(kinds, now):
            return None
        which = true() if wiki is None else tasks.c.wiki == wiki
        if without:
            which &= tasks.c.wiki.not_in(without)
        return self._lease(kinds, worker, now, which)

    @writes
    def _lease(
        self,
        connection: Connection,
        kinds: Sequence[TaskKind],
        worker: str,
        now: datetime,
        which: ColumnElement[bool],
    ) -> Lease[Any] | None:
        """Lease a task; one that killed its workers too often is parked or rests."""
        now = self._at(connection, kinds[0], now)
        root = None
        if any(self.policies[kind].weights is not None for kind in kinds):
            root = share_of(connection, ALL_WIKIS, EVERYBODY, now)
        while True:
            row = _next(connection, self.policies, kinds, now, which=which, root=root)
            if row is None:
                return None
            kind = TaskKind[row.kind]
            policy, tried = self.policies[kind], 0 if row.again else row.attempts
            if row.state == LEASED and tried >= policy.attempts:
                note = _DIED.format(attempts=tried)
                if policy.rest_s is None:
                    _park(connection, policy, row, now, note)
                else:
                    rests = waits(row, now, policy.rest_s, note) | {"attempts": 0}
                    change(connection, tasks, rests, id=row.id)
                continue
            task = policy.task(connection, row, now)
            if task is None:
                continue
            if root is not None and policy.weights is not None:
                charge(connection, root, row, now, policy.weights.get(row.wiki, 1.0))
            until = now + timedelta(seconds=policy.lease_s)
            values = {
                "state": LEASED,
                "attempts": tried + 1,
                "token": row.token + 1,
                "leased_until": until,
                "worker": sanitise.text(worker, NAME_CHARS),
                "begun_at": now,
                "again": False,  # all requests so far are handled now
                "changed_at": now,
            }
            change(connection, tasks, values, id=row.id)
            named = row.wiki, row.subject
            return Lease(task, kind, *named, row.token + 1, tried + 1, until)

    @writes
    def renew(self, connection: Connection, lease: Lease[Any], now: datetime) -> None:
        """Extend a lease.

        Raises:
            LeaseLost: somebody else has the task; the methods below raise this, too.
        """
        row = locked(connection, lease)
        if row is not None:
            at = self._at(connection, lease.kind, now)
            duration = timedelta(seconds=self.policies[lease.kind].lease_s)
            change(connection, tasks, {"leased_until": at + duration}, id=row.id)

    @writes
    def finish(self, connection: Connection, lease: Lease[Any], now: datetime) -> None:
        """End the work on a task; it waits again if it was asked for meanwhile."""
        finish(connection, lease, self._at(connection, lease.kind, now))

    @writes
    def retry(
        self,
        connection: Connection,
        lease: Lease[Any],
        now: datetime,
        in_s: float,
        why: str,
    ) -> None:
        """Make a task wait after a failure; the last attempt parks it."""
        row = locked(connection, lease)
        if row is None:
            return
        policy, at = self.policies[lease.kind], self._at(connection, lease.kind, now)
        is_last = row.attempts >= policy.attempts and policy.rest_s is None
        if is_last and not row.again:
            _park(connection, policy, row, at, why)
        else:
            change(connection, tasks, waits(row, at, in_s, why), id=row.id)
            policy.on_failure(connection, row, at, why, in_s)

    @writes
    def put_off(
        self,
        connection: Connection,
        lease: Lease[Any],
        now: datetime,
        in_s: float,
        why: str | None = None,
    ) -> None:
        """Make a task wait through no fault of its own: no attempt counts.

        Without a reason it was not really begun.
        """
        row = locked(connection, lease)
        if row is not None:
            at = self._at(connection, lease.kind, now)
            attempts = {"attempts": max(0, row.attempts - 1)}
            change(connection, tasks, waits(row, at, in_s, why) | attempts, id=row.id)
            self.policies[lease.kind].on_failure(connection, row, at, why, in_s)

    @writes
    def park(
        self, connection: Connection, lease: Lease[Any], now: datetime, why: str
    ) -> None:
        """Give up a task until it is asked for again, which may already have happened."""
        row = locked(connection, lease)
        if row is None:
            return
        policy, at = self.policies[lease.kind], self._at(connection, lease.kind, now)
        if row.again:
            change(connection, tasks, waits(row, at, 0.0, why), id=row.id)
            policy.on_failure(connection, row, at, why, 0.0)
        else:
            _park(connection, policy, row, at, why)

    def _at(self, connection: Connection, kind: TaskKind, now: datetime) -> datetime:
        """Return the time by the clock used for tasks of a kind."""
        by_database_time = self.policies[kind].by_database_time
        return self._database_time.at(connection, now) if by_database_time else now


def _next(
    connection: Connection,
    policies: Mapping[TaskKind, Policy],
    kinds: Sequence[TaskKind],
    now: datetime,
    *,
    which: ColumnElement[bool],
    root: Share | None,
) -> Row[Any] | None:
    mine = tasks.c.kind.in_([kind.name for kind in kinds])
    row = _died_over(connection, mine & which, now)
    for kind in () if row is not None else kinds:
        policy = policies[kind]
        waiting = (tasks.c.kind == kind.name) & _is_waiting(now) & which
        waiting &= policy.waits(now)
        if root is not None and policy.weights is not None:
            row = _of_shares(connection, kind, now, which=waiting, root=root)
        else:
            row = _first(connection, waiting)
        if row is not None:
            break
    return row


def _of_shares(
    connection: Connection,
    kind: TaskKind,
    now: datetime,
    *,
    which: ColumnElement[bool],
    root: Share,
) -> Row[Any] | None:
    """Return the task whose turn it is; shares that others are changing are skipped."""
    turns = due_in_order(kind.name, now, is_patient=root.is_patient)
    found = connection.execute(turns).all()
    if not found and let_all_share(connection, kind.name, now):
        found = connection.execute(turns).all()
    for one in found:
        mine = (tasks.c.wiki == one.wiki) & (tasks.c.tenant == one.tenant)
        row = _first(connection, which & mine & (tasks.c.priority == one.priority))
        if row is not None:
            return row
    return None


def _died_over(
    connection: Connection, which: ColumnElement[bool], now: datetime
) -> Row[Any] | None:
    """Return a task whose worker died; see the module's description."""
    chosen = which & _has_run_out(now)
    in_work = (tasks.c.state == LEASED) & (tasks.c.leased_until > now)
    is_suspect = tasks.c.attempts > _SUSPECT_AFTER
    suspect = select(tasks.c.id).where(in_work, which, is_suspect).limit(1)
    if connection.scalar(suspect) is not None:
        long_ago = tasks.c.leased_until <= now - _SUSPECT_WAITS
        chosen &= or_(tasks.c.attempts < _SUSPECT_AFTER, long_ago)
    return _first(connection, chosen)


def _first(connection: Connection, which: ColumnElement[bool]) -> Row[Any] | None:
    """Return the task that is due first and not locked by others; its row is locked."""
    return connection.execute(
        select(tasks)
        .where(which, mapping.known(tasks.c.reason, JobReason))
        .order_by(tasks.c.due_at, tasks.c.id)
        .limit(1)
        .with_for_update(skip_locked=True)
    ).one_or_none()


def _is_waiting(now: datetime) -> ColumnElement[bool]:
    return (tasks.c.state == WAITING) & (tasks.c.due_at <= now)


def _has_run_out(now: datetime) -> ColumnElement[bool]:
    return (tasks.c.state == LEASED) & (tasks.c.leased_until <= now)


def locked(connection: Connection, lease: Lease[Any]) -> Row[Any] | None:
    """Return the row of a leased task; `None` if this lease already ended it.

    Raises:
        LeaseLost: somebody else has the task.
    """
    named = {"kind": lease.kind.name, "wiki": lease.wiki, "subject": lease.subject}
    row = find(connection, tasks, **named, lock=True)
    if row is None or row.token != lease.token:
        raise LeaseLost(f"“{lease.subject[:255]}” on {lease.wiki} is no longer ours")
    return row if row.state == LEASED else None


def finish(connection: Connection, lease: Lease[Any], now: datetime) -> None:
    """End the work on a task; it waits again if it was asked for meanwhile.

    Raises:
        LeaseLost: somebody else has the task.
    """
    row = locked(connection, lease)
    if row is not None:
        state = {"state": WAITING if row.again else IDLE, "note": None, "attempts": 0}
        change(connection, tasks, _ended(now) | state, id=row.id)


def waits(row: Row[Any], now: datetime, in_s: float, why: str | None) -> dict[str, Any]:
    """Return the values of a task that waits again; `why` is what failed."""
    values = _ended(now) | {
        "state": WAITING,
        "due_at": now + timedelta(seconds=in_s),
        "note": sanitise.text(why),
    }
    return values | ({"attempts": 0} if row.again else {})  # a new request starts at 0


def _park(
    connection: Connection, policy: Policy, row: Row[Any], now: datetime, why: str
) -> None:
    """Give up a task, and inform whoever waits for it."""
    parked = {"state": PARKED, "note": sanitise.text(why)}
    change(connection, tasks, _ended(now) | parked, id=row.id)
    policy.on_failure(connection, row, now, why, None)


def _ended(now: datetime) -> dict[str, Any]:
    return {"leased_until": None, "worker": None, "again": False, "changed_at": now}


def nothing_to_do(connection: Connection, row: Row[Any], now: datetime) -> None:
    """Record that there is nothing to do for a task until it is asked for again."""
    values = {"state": IDLE, "leased_until": None, "changed_at": now}
    change(connection, tasks, values, id=row.id)


def queue(
    connection: Connection,
    kind: TaskKind,
    wiki: str,
    due: Mapping[str, datetime],
    now: datetime,
    *,
    anew: bool = False,
) -> None:
    """Queue tasks by subject, each with its due time.

    Those waiting or in progress stay as they are, unless they are to be done `anew`.
    """

    def fresh(due_at: datetime) -> dict[str, Any]:
        return {"asked_at": now, "due_at": due_at, "changed_at": now}

    def renewed(due_at: datetime, row: Row[Any]) -> dict[str, Any] | None:
        if row.state in {WAITING, LEASED} and not anew:
            return None
        if row.state == LEASED:
            return {"again": True, "due_at": due_at}
        begun = {"state": WAITING, "attempts": 0, "note": None}
        return fresh(due_at) | begun

    put_each(connection, kind, wiki, due, fresh=fresh, renewed=renewed)


def put_each(
    connection: Connection,
    kind: TaskKind,
    wiki: str,
    by_subject: Mapping[str, T],
    *,
    fresh: Callable[[T], dict[str, Any]],
    renewed: Callable[[T, Row[Any]], dict[str, Any] | None],
) -> int:
    """Queue one task for each subject; return for how many there was something new.

    Each statement handles many subjects, because statements cost more than rows. All
    writers lock rows in the same order, so that none waits for another in a circle.

    Args:
        connection: in a transaction.
        kind: of the tasks.
        wiki: of the tasks.
        by_subject: what is asked for, by its name.
        fresh: returns the values of a new row.
        renewed: returns those of an existing row; `None` if nothing changes.
    """
    news = 0
    subjects = sorted(by_subject)
    for at in range(0, len(subjects), _AT_ONCE):
        some = subjects[at : at + _AT_ONCE]
        rows = connection.execute(
            select(tasks)
            .filter_by(kind=kind.name, wiki=wiki)
            .where(tasks.c.subject.in_(some))
            .order_by(tasks.c.subject)
            .with_for_update()
        ).all()
        named = {"kind": kind.name, "wiki": wiki, "state": WAITING} | _NEW
        known = {row.subject for row in rows}
        new = [
            {**named, "subject": one, **fresh(by_subject[one])}
            for one in some
            if one not in known
        ]
        insert_all(connection, tasks, new)
        changed = [
            {"row_id": row.id, **values}
            for row in rows
            if (values := renewed(by_subject[row.subject], row)) is not None
        ]
        _update_each(connection, changed)
        news += len(new) + len(changed)
    return news


_NEW: dict[str, Any] = {
    "priority": 0,
    "tenant": NOBODY,
    "attempts": 0,
    "token": 0,
    "again": False,
}


def _update_each(connection: Connection, changed: Sequence[dict[str, Any]]) -> None:
    alike: dict[tuple[str, ...], list[dict[str, Any]]] = {}
    for values in changed:
        alike.setdefault(tuple(values), []).append(values)
    for several in alike.values():  # a statement sets the same columns in all rows
        one = update(tasks).where(tasks.c.id == bindparam("row_id"))
        connection.execute(one, several)


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
            mapping.known(tasks.c.reason, JobReason),
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
        values = asdict(share) | {"changed_at": now}
        change(connection, shares, values, wiki=name, tenant=whose)


def share_of(connection: Connection, wiki: str, tenant: str, now: datetime) -> Share:
    """Return a share, its row locked."""
    row = find(connection, shares, wiki=wiki, tenant=tenant, lock=True)
    if row is None:
        connection.execute(insert(shares).values(**_fresh_share(wiki, tenant, now)))
        return Share()
    return Share(row.ends, row.clock, row.served)


def tenants_of(
    connection: Connection, wiki: str, titles: Iterable[str]
) -> Mapping[str, str]:
    """Return the tenant of each watched page."""
    found: dict[str, tuple[int, str]] = {}
    last = (
        select(func.max(watched_pages.c.position))
        .where(watched_pages.c.watch == watches.c.id)
        .correlate(watches)
        .scalar_subquery()
    )
    query = (
        select(watched_pages.c.title, watches.c.kind, watches.c.watcher, last)
        .join(watches, watches.c.id == watched_pages.c.watch)
        .where(watched_pages.c.wiki == wiki)
    )
    rows = rows_with(connection, query, watched_pages.c.title, titles, _AT_ONCE)
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
    everyone = {EVERYBODY, NOBODY, *tenants}
    query = select(shares.c.tenant).where(shares.c.wiki == wiki)
    found = rows_with(connection, query, shares.c.tenant, everyone, _AT_ONCE)
    missing = sorted(everyone - {row.tenant for row in found})
    if missing:
        # Another process may be adding the same row.
        made = insert(shares).prefix_with("IGNORE", dialect="mysql")
        made = made.prefix_with("IGNORE", dialect="mariadb")
        fresh = [_fresh_share(wiki, tenant, now) for tenant in missing]
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
