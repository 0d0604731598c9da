"""Posts that tell notes, asked for and made, in a line each."""

from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime
from hashlib import sha256

from bot.records.posts import Append, Outcome, Post, Posted
from bot.records.watches import PlanKind
from bot.store import Store
from tests.bot.store.runs import NOON, TITLE, WIKI

_MADE = Posted(7)


def post(
    name: str, adds: Sequence[str] = (), settles: Sequence[str] = (), **changes: object
) -> Post:
    """Return a post to the talk page that adds notes, and takes some away."""
    default = Post(
        name=sha256(name.encode()).hexdigest(),
        wiki=WIKI,
        title=f"Talk:{TITLE}",
        task="talk",
        change=Append(name),
        summary="Notice",
        asked_at=NOON,
        plan=PlanKind.TALK,
        subject=TITLE,
        adds=tuple(adds),
        settles=tuple(settles),
    )
    return replace(default, **changes)  # type: ignore[arg-type]  # fields by name


def numbered(number: int = 1, **changes: object) -> Post:
    """Return a post of no plan to a page of its own."""
    default = post(f"{number}", title=f"Talk:Page {number}", plan=None, subject="")
    return replace(default, **changes)  # type: ignore[arg-type]  # fields by name


def make(
    store: Store, post: Post, outcome: Outcome = _MADE, at: datetime = NOON
) -> None:
    """Ask for a post, and try it with this outcome."""
    store.outbox.ask(replace(post, asked_at=at))
    attempt = store.outbox.begin(at)
    assert attempt is not None
    assert attempt.post.name == post.name
    store.outbox.settle(attempt, outcome, at)
