"""Posts that tell notes, asked for and made, in a line each."""

from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime
from hashlib import sha256

from bot.records.posts import Append, Post, Posted
from bot.records.watches import PlanKind
from bot.store import Store
from tests.bot.store.runs import NOON, TITLE, WIKI


def post(name: str, adds: Sequence[str] = (), **changes: object) -> Post:
    """Return a post to the talk page that adds notes."""
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
    )
    return replace(default, **changes)  # type: ignore[arg-type]  # fields by name


def make(store: Store, intended_post: Post, at: datetime = NOON) -> None:
    """Ask for a post, and make it."""
    store.outbox.ask(replace(intended_post, asked_at=at))
    attempt = store.outbox.begin(at)
    assert attempt is not None
    store.outbox.settle(attempt, Posted(7), at)
