"""Forgets suggestions that were closed long ago, in small transactions.

What people said of them stays: who decided what, what readers closed, and which notes
were told where, each known by the identity of the suggestion. A claim that comes back
has the same identity, so nobody is told again what they took away. An update has not: a
later one is known by the words of the one that is kept. So of these stay all that
anybody was told, or decided on.
"""

from datetime import datetime

from bot.store import suggesting
from bot.store.schema import suggestions
from bot.store.standing_tables import told_notes
from bot.store.sweeping_rows import remove_all
from bot.store.transactions import Transactions


def sweep_suggestions(database: Transactions, before: datetime, batch: int) -> int:
    """Remove what was closed before a time; return how many.

    Raises:
        PermanentError, TemporaryError: for what a database can do; what was removed
            before stays removed.
    """
    kept = suggestions.c
    is_old = kept.closed_at < before
    was_told = suggesting.is_named_in(told_notes)
    is_known_by = suggesting.is_update() & (suggesting.is_decided() | was_told)
    return remove_all(database, suggestions, is_old & ~is_known_by, batch, still=is_old)
