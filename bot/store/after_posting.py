"""What follows from a post that is settled, in the transaction that settles it."""

from datetime import datetime, timedelta

from sqlalchemy import Connection

from bot.records.posts import Outcome, Post, Posted, Refusal, Refused, Shown
from bot.records.watches import PlanKind, Wish
from bot.store import drafting, notified_rows, planning

_AGAIN_IN_S = 60.0
# Thinking again can help against these; against all others the same would come out,
# and be refused again.
_WORTH_A_THOUGHT = frozenset(
    {Refusal.CHANGED, Refusal.GONE, Refusal.UNWANTED, Refusal.GIVEN_UP}
)


def settled(
    connection: Connection, post: Post, outcome: Outcome, now: datetime
) -> None:
    """Note which notes people see now, or let the post be planned anew."""
    match outcome:
        case Posted() | Shown():
            notified_rows.record(connection, post, now)
            if post.plan is PlanKind.DRAFT:
                drafting.settled(connection, post, outcome, now)
            if isinstance(outcome, Posted) and outcome.taken:
                place = post.wiki, post.title
                notified_rows.dismiss(connection, *place, outcome.taken, now)
        case Refused(reason):
            refused(connection, post, reason, now)


def refused(connection: Connection, post: Post, reason: Refusal, now: datetime) -> None:
    """Let what will not be posted be planned anew, where that can help.

    What may have stood on a page that people deleted counts as dismissed there: else
    the next plan would bring it back.
    """
    if reason is Refusal.DELETED:
        notified_rows.dismiss_unseen(connection, post, now)
    if post.plan is PlanKind.DRAFT:
        drafting.settled(connection, post, Refused(reason, reason.value), now)
    if post.plan is not None and reason in _WORTH_A_THOUGHT:
        due = now + timedelta(seconds=_AGAIN_IN_S)
        planning.ask(connection, [Wish(post.plan, post.wiki, post.subject, due)], now)


def dropped(connection: Connection, post: Post, reason: Refusal, now: datetime) -> None:
    """Let nobody see the notes of a post that an operator dropped."""
    notified_rows.dismiss_unseen(connection, post, now)
    if post.plan is PlanKind.DRAFT:
        drafting.settled(connection, post, Refused(reason, reason.value), now)
