"""For whom a page is looked at: whoever asked for it, within a wiki.

A page that several people watch counts for the one who watches the fewest pages, so
that nobody waits behind the long list of somebody else. The name of a person is not
kept with the page, but a hash of it.
"""

from collections.abc import Collection, Iterable, Mapping
from datetime import datetime
from hashlib import sha256

from sqlalchemy import Connection, func, insert, select

from bot.store.queue_tables import NOBODY
from bot.store.standing_tables import watched_pages, watches
from bot.store.tenant_tables import PARTY_CHARS, shares

_AT_ONCE = 100
EVERYBODY = ""  # the party of the row that is of a wiki itself


def parties_of(
    connection: Connection, wiki: str, titles: Iterable[str]
) -> Mapping[str, str]:
    """Return the party of each page that anybody watches."""
    wanted = sorted(titles)
    found: dict[str, tuple[int, str]] = {}
    last = (
        select(func.max(watched_pages.c.position))
        .where(watched_pages.c.watch == watches.c.id)
        .correlate(watches)
        .scalar_subquery()
    )
    for at in range(0, len(wanted), _AT_ONCE):
        rows = connection.execute(
            select(watched_pages.c.title, watches.c.kind, watches.c.watcher, last)
            .join(watches, watches.c.id == watched_pages.c.watch)
            .where(watched_pages.c.wiki == wiki)
            .where(watched_pages.c.title.in_(wanted[at : at + _AT_ONCE]))
        )
        for title, kind, watcher, size in rows:
            named = (int(size), party_of(kind, watcher))
            found[title] = min(named, found.get(title, named))
    return {title: party for title, (_, party) in found.items()}


def party_of(kind: str, watcher: str) -> str:
    """Return the party that a person, page or project is."""
    return sha256(f"{kind}:{watcher}".encode()).hexdigest()[: PARTY_CHARS // 2]


def let_share(
    connection: Connection, wiki: str, parties: Collection[str], now: datetime
) -> None:
    """Let parties have shares of the work for a wiki, and the wiki one of all work."""
    wanted = sorted({EVERYBODY, NOBODY, *parties})
    for at in range(0, len(wanted), _AT_ONCE):
        some = wanted[at : at + _AT_ONCE]
        known = set(
            connection.scalars(
                select(shares.c.party).where(
                    shares.c.wiki == wiki, shares.c.party.in_(some)
                )
            )
        )
        fresh = [fresh_share(wiki, party, now) for party in some if party not in known]
        if fresh:
            # Another process may add the same at this moment.
            made = insert(shares).prefix_with("IGNORE", dialect="mysql")
            made = made.prefix_with("IGNORE", dialect="mariadb")
            connection.execute(made.prefix_with("OR IGNORE", dialect="sqlite"), fresh)


def fresh_share(wiki: str, party: str, now: datetime) -> dict[str, object]:
    """Return the row of a share that had nothing yet."""
    named = {"wiki": wiki, "party": party, "changed_at": now}
    return {**named, "ends": 0.0, "clock": 0.0, "served": 0}
