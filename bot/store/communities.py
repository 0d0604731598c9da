"""Wikis' configuration pages, the last good text of each. Each verb is a transaction."""

from datetime import datetime
from typing import Any

from sqlalchemy import Connection, Row, insert, select, update

from bot.records.watches import CommunityPage
from bot.store import sanitise
from bot.store.standing_tables import communities
from bot.store.transactions import Transactions

_MOST_CHARS = 3_000_000  # a page has at most 2 MiB


class Communities:
    """What communities allow the bot, as they wrote it. Processes may share it."""

    def __init__(self, transactions: Transactions) -> None:
        self._database = transactions

    def keep(self, wiki: str, page: CommunityPage) -> None:
        """Keep a page as it was read; of one with faults, only those and the time.

        Then the last text without faults stays, and its revision number. Where none
        is known, the text is empty and the revision 0.
        """
        self._database.write(lambda made: _keep(made, wiki, page))

    def get(self, wiki: str) -> CommunityPage | None:
        """Return the last good page, beside it the faults of a newer one."""
        return self._database.read(lambda made: _get(made, wiki))


def _keep(connection: Connection, wiki: str, page: CommunityPage) -> None:
    row = _row(connection, wiki, lock=True)
    values: dict[str, Any] = {
        "faults": sanitise.listed(page.faults),
        "read_at": page.read_at,
    }
    if not page.faults:
        text = sanitise.text(page.text, _MOST_CHARS)
        values |= {"text": text, "revision": page.revision_id}
    if row is None:
        fresh = {"wiki": sanitise.key(wiki, "wiki"), "text": "", "revision": 0}
        connection.execute(insert(communities).values(**fresh | values))
    elif _is_newer(row, page.read_at):
        of_wiki = communities.c.wiki == wiki
        connection.execute(update(communities).where(of_wiki).values(**values))


def _is_newer(row: Row[Any], read_at: datetime) -> bool:
    return bool(read_at >= row.read_at)


def _get(connection: Connection, wiki: str) -> CommunityPage | None:
    row = _row(connection, wiki)
    if row is None:
        return None
    return CommunityPage(
        row.text, row.revision, row.read_at, sanitise.unlisted(row.faults)
    )


def _row(connection: Connection, wiki: str, *, lock: bool = False) -> Row[Any] | None:
    chosen = select(communities).filter_by(wiki=wiki)
    return connection.execute(
        chosen.with_for_update() if lock else chosen
    ).one_or_none()
