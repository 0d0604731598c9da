"""Notes that people were shown; they are saved when a post is settled.

A note is on each page once. Its state changes as in the table; one that a person
removed from a page never comes back there.

    record_notes (adds)      → OPEN;  SETTLED → OPEN, shown again;  DISMISSED stays
    record_notes (settles)   OPEN → SETTLED
    dismiss_notes            OPEN, SETTLED → DISMISSED
    dismiss_ahead            the same; never shown there → DISMISSED, shown at NEVER
    bring_note_back          what was dismissed at one time → OPEN, SETTLED or unknown
"""

from collections.abc import Iterable
from datetime import UTC, datetime
from typing import Any

from sqlalchemy import Connection, Row, delete, func, insert, select, update

from bot.records.posts import Post
from bot.records.watches import NoteState, PlanKind, ShownNote
from bot.store.database import Repository, reads, write_with
from bot.store.mapping import as_value
from bot.store.schema import pages, shown_notes, suggestions

SHORT_CHARS = 24  # of an identity, as written on pages
# The time of a note that was dismissed before it was ever shown: nothing counts it.
NEVER = datetime(1970, 1, 1, tzinfo=UTC)


def dismiss_notes(
    connection: Connection, wiki: str, place: str, names: Iterable[str], now: datetime
) -> int:
    """Record that people do not want these notes on this page, now or ever.

    The first 24 digits of an identity are enough.

    Returns:
        How many were not dismissed before. Notes never shown there do not count.
    """
    dismissed = NoteState.DISMISSED
    rows = _rows(connection, wiki, place, {short_identity(name) for name in names})
    ids = [row.id for row in rows if row.state != dismissed.name]
    _set(connection, ids, dismissed, now)
    return len(ids)


class ShownNotes(Repository):
    """The notes people were shown, and what became of them."""

    dismiss = write_with(dismiss_notes)

    @reads
    def on(
        self, connection: Connection, wiki: str, place: str
    ) -> tuple[ShownNote, ...]:
        """Return the notes that are, or were, on a page, in the order they were shown."""
        rows = connection.execute(
            select(shown_notes)
            .filter_by(wiki=wiki, place=place)
            .order_by(shown_notes.c.shown_at, shown_notes.c.short)
        )
        return tuple(as_value(ShownNote, row) for row in rows)

    @reads
    def shown_since(
        self,
        connection: Connection,
        wiki: str,
        *,
        since: datetime,
        watcher: str | None = None,
        article: str | None = None,
    ) -> int:
        """Count notes shown at `since` or later, to one watcher or about one article.

        `watcher` is the `user` of the posts with the notes; it is forgotten after a
        month.
        """
        filters = {"wiki": wiki, "watcher": watcher, "article": article}
        named = {name: value for name, value in filters.items() if value is not None}
        counted = select(func.count()).select_from(shown_notes).filter_by(**named)
        return connection.scalar(counted.where(shown_notes.c.shown_at >= since)) or 0


def short_identity(identity: str) -> str:
    """Return the part of an identity that is written on pages."""
    return identity[:SHORT_CHARS]


def record_notes(connection: Connection, post: Post, now: datetime) -> None:
    """Record what people see, and no longer see, now that `post` was made."""
    added = {short_identity(name): name for name in post.adds}
    settled = {short_identity(name) for name in post.settles} - added.keys()
    known = {
        row.short: row
        for row in _rows(connection, post.wiki, post.title, {*added, *settled})
    }
    reopened = [
        row.id
        for name, row in known.items()
        if name in added and row.state == NoteState.SETTLED.name
    ]
    gone = [
        row.id
        for name, row in known.items()
        if name in settled and row.state == NoteState.OPEN.name
    ]
    _set(connection, reopened, NoteState.OPEN, now, shown_at=now, watcher=post.user)
    _set(connection, gone, NoteState.SETTLED, now)
    new = {name: full for name, full in added.items() if name not in known}
    if new:
        about = _about(connection, post, new.values())
        unknown = post.subject if post.plan is PlanKind.TALK else "", None
        place, shown = (post.wiki, post.title), NoteState.OPEN
        fresh = [
            _fresh(place, full, about.get(full, unknown), shown, now, watcher=post.user)
            for full in new.values()
        ]
        connection.execute(insert(shown_notes), fresh)


def _rows(
    connection: Connection, wiki: str, place: str, names: Iterable[str]
) -> list[Row[Any]]:
    """Return rows, locked in the same order by everyone."""
    ordered = sorted(names)
    if not ordered:
        return []
    chosen = select(shown_notes).filter_by(wiki=wiki, place=place)
    return list(
        connection.execute(
            chosen.where(shown_notes.c.short.in_(ordered))
            .order_by(shown_notes.c.short)
            .with_for_update()
        )
    )


def _set(
    connection: Connection,
    rows: list[int],
    state: NoteState,
    now: datetime,
    **values: Any,
) -> None:
    if rows:
        changed = update(shown_notes).where(shown_notes.c.id.in_(rows))
        connection.execute(changed.values(state=state.name, changed_at=now, **values))


def _about(
    connection: Connection, post: Post, identities: Iterable[str]
) -> dict[str, tuple[str, str | None]]:
    """Return the article's title for each note, and what it was flagged for."""
    rows = connection.execute(
        select(suggestions.c.identity, pages.c.title, suggestions.c.flag_kind)
        .join(pages, pages.c.id == suggestions.c.page)
        .where(suggestions.c.identity.in_(identities) & (pages.c.wiki == post.wiki))
    )
    return {identity: (title, kind) for identity, title, kind in rows}


def _fresh(
    place: tuple[str, str],
    identity: str,
    about: tuple[str, str | None],
    state: NoteState,
    now: datetime,
    **shown: Any,
) -> dict[str, Any]:
    """Return a new row; `place` is a wiki and a page, `about` an article and a kind."""
    return {
        "wiki": place[0],
        "place": place[1],
        "short": short_identity(identity),
        "identity": identity,
        "article": about[0],
        "check_kind": about[1] or "",
        "watcher": "",
        "state": state.name,
        "shown_at": now,
        "changed_at": now,
        **shown,
    }


def dismiss_ahead(
    connection: Connection,
    place: tuple[str, str],
    identity: str,
    about: tuple[str, str],
    now: datetime,
) -> None:
    """Record that people do not want a note on a page, even if it was never there.

    Args:
        connection: in a transaction.
        place: the wiki and the page.
        identity: of the note.
        about: its article, and the name of its check kind, if any.
        now: the time.
    """
    wiki, title = place
    if _rows(connection, wiki, title, [short_identity(identity)]):
        dismiss_notes(connection, wiki, title, [identity], now)
        return
    dismissed = NoteState.DISMISSED
    fresh = _fresh(place, identity, about, dismissed, now, shown_at=NEVER)
    connection.execute(insert(shown_notes).values(**fresh))


def dismiss_unseen(connection: Connection, post: Post, now: datetime) -> None:
    """Record that people do not want the notes of a post that may never have been seen."""
    about = _about(connection, post, post.adds)
    unknown = post.subject if post.plan is PlanKind.TALK else "", None
    for identity in sorted(post.adds):
        article, kind = about.get(identity, unknown)
        place = post.wiki, post.title
        dismiss_ahead(connection, place, identity, (article, kind or ""), now)


def bring_note_back(
    connection: Connection,
    place: tuple[str, str],
    identity: str,
    dismissed_at: datetime,
    now: datetime,
    *,
    is_open: bool,
) -> None:
    """Restore a note on one page to what it was before it was dismissed at `dismissed_at`.

    Notes dismissed there at any other time stay dismissed. `is_open` says whether its
    suggestion is still open.
    """
    wiki, title = place
    rows = _rows(connection, wiki, title, [short_identity(identity)])
    _bring_back(connection, rows, dismissed_at, now, is_open=is_open)


def dismiss_everywhere(
    connection: Connection, wiki: str, identity: str, now: datetime
) -> None:
    """Record that a note should not be shown any more, on any page."""
    rows = _everywhere(connection, wiki, identity)
    standing = [row.id for row in rows if row.state == NoteState.OPEN.name]
    _set(connection, standing, NoteState.DISMISSED, now)


def bring_back_everywhere(
    connection: Connection,
    wiki: str,
    identity: str,
    dismissed_at: datetime,
    now: datetime,
    *,
    is_open: bool,
) -> None:
    """Do the same as `bring_note_back`, on all pages."""
    rows = _everywhere(connection, wiki, identity)
    _bring_back(connection, rows, dismissed_at, now, is_open=is_open)


def _everywhere(connection: Connection, wiki: str, identity: str) -> list[Row[Any]]:
    """Return the rows of a note, locked in the same order by everyone."""
    same = select(shown_notes.c.id).filter_by(wiki=wiki, short=short_identity(identity))
    numbers = sorted(connection.scalars(same))
    if not numbers:
        return []
    chosen = select(shown_notes).where(shown_notes.c.id.in_(numbers))
    ordered = chosen.order_by(shown_notes.c.place)
    return list(connection.execute(ordered.with_for_update()))


def _bring_back(
    connection: Connection,
    rows: Iterable[Row[Any]],
    dismissed_at: datetime,
    now: datetime,
    *,
    is_open: bool,
) -> None:
    dismissed = NoteState.DISMISSED.name
    ours = [
        row for row in rows if row.state == dismissed and row.changed_at == dismissed_at
    ]
    never = [row.id for row in ours if row.shown_at == NEVER]
    if never:
        connection.execute(delete(shown_notes).where(shown_notes.c.id.in_(never)))
    lines = [row.id for row in ours if row.shown_at != NEVER]
    state = NoteState.OPEN if is_open else NoteState.SETTLED
    _set(connection, lines, state, now)
