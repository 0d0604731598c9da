"""Writes one run over a page, within a transaction of the caller's.

The page's row is locked first, so that two workers on one page take turns. What
is already there is left as it is: saving the same run again changes nothing.
"""

from collections.abc import Sequence
from datetime import datetime

from sqlalchemy import Connection, select, update

from bot.store import discovering, results, rows, sanitise, suggesting
from bot.store.schema import NAME_CHARS, checks, claim_checks, pages, revisions
from bot.store.sight import costs
from bot.store.values import Carried, CheckedPage
from handlers.model import ClaimCheck, PageId, Suggestion, Verdict


def save_check(
    connection: Connection,
    checked: CheckedPage,
    found: Sequence[Suggestion],
    kept: Sequence[Carried] = (),
    writing: Sequence[Suggestion] | None = None,
) -> bool:
    """Save a run and the suggestions that it found; `False` if it is there already.

    At the first look at a page, and where another finds something else, what people
    are shown of the page is planned anew.
    """
    page = rows.page_row(connection, checked.page.id)
    revision = rows.revision_row(connection, page, checked.page)
    values = {
        "revision": revision,
        "checked_at": checked.checked_at,
        "engine_name": sanitise.key(checked.engine.name, "engine's name", NAME_CHARS),
        "engine_version": sanitise.text(checked.engine.version, NAME_CHARS),
    }
    if rows.row_of(connection, checks, values) is not None:
        return False
    is_first = not suggesting.has_runs(connection, page)
    is_newest = is_first or _is_newest(connection, page, checked)
    was_shown = suggesting.shown(connection, page)
    check = rows.inserted(
        connection, checks, {**values, **_counts(checked.checks, kept)}
    )
    results.save(connection, check, checked, kept)
    if is_newest:
        suggesting.save(connection, page, revision, checked, found, kept=kept)
        discovering.follow(connection, page, checked.page, checked.checked_at)
        if writing is not None:
            seen_at = checked.checked_at
            suggesting.save_writing(connection, page, revision, writing, seen_at)
    costs.keep(connection, checked.consultation, checked.checked_at)
    if is_first:  # of a page whose text was hidden: what is closed now goes, too
        suggesting.forget_closed(connection, page)
    if is_first or suggesting.shown(connection, page) != was_shown:
        rows.plan_anew(connection, checked.page.id, checked.checked_at)
    return True


def close_page(connection: Connection, wiki: str, title: str, now: datetime) -> int:
    """Close what is suggested for a page that is no more; return how many were open.

    Nothing that came of its claims holds any longer: should the page come back, all of
    it is looked at.
    """
    named = {"wiki": sanitise.key(wiki, "wiki"), "title": sanitise.key(title, "title")}
    page = rows.row_of(connection, pages, named, lock=True)
    if page is None:
        return 0
    of_page = (
        select(checks.c.id)
        .join(revisions, revisions.c.id == checks.c.revision)
        .where(revisions.c.page == page)
    )
    forgotten = update(claim_checks).where(
        claim_checks.c.check_id.in_(of_page), claim_checks.c.fingerprint.is_not(None)
    )
    connection.execute(forgotten.values(fingerprint=None))
    closed = suggesting.close(connection, page, now)
    if closed:
        rows.plan_anew(connection, PageId(wiki, title), now)
    if not suggesting.has_runs(connection, page):  # it was deleted on the wiki
        suggesting.forget_closed(connection, page)
    return closed


def _is_newest(connection: Connection, page: int, checked: CheckedPage) -> bool:
    """Tell whether no later revision, and no later run over this one, is known."""
    latest = connection.execute(
        select(revisions.c.number, checks.c.checked_at)
        .join(checks, checks.c.revision == revisions.c.id)
        .where(revisions.c.page == page)
        .order_by(revisions.c.number.desc(), checks.c.checked_at.desc())
        .limit(1)
    ).first()
    if latest is None:
        return True
    number: int = checked.page.id.revision_id or 0
    known: tuple[int, datetime] = (latest.number, latest.checked_at)
    return (number, checked.checked_at) >= known


def _counts(looked_at: Sequence[ClaimCheck], kept: Sequence[Carried]) -> dict[str, int]:
    verdicts = [one.verdict for one in looked_at]
    verdicts += [one.result.verdict for one in kept]
    counts = {verdict.name.lower(): verdicts.count(verdict) for verdict in Verdict}
    return {"claims": len(verdicts), **counts, "unchecked": verdicts.count(None)}
