"""What was posted to a page before, and what follows from it. Pure.

While a post may be being made, the page cannot be interpreted: what the post removes
would look as if a person had removed it. A refused post is not asked for again until
some time has passed, longer each time.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

from bot.records.posts import (
    Append,
    Create,
    Post,
    PostState,
    Refusal,
    ReplaceSection,
    StoredPost,
)
from bot.records.watches import ShownNote
from bot.surfaces.note import marks_in
from bot.surfaces.post_summaries import Task
from bot.wiki.keys import Keys, short_name

MOST_KEPT = 20  # posts of one page that are checked
_DAY_S = 86_400.0
# Refusals that the next check of the page may undo.
_PASSING = frozenset(
    {Refusal.CHANGED, Refusal.UNWANTED, Refusal.GONE, Refusal.GIVEN_UP}
)
_PASSING_S = 60.0
_MOST_DOUBLINGS = 12
_LONGEST_S = 30 * _DAY_S
_SETTLED = frozenset({PostState.POSTED, PostState.SHOWN})


@dataclass(frozen=True, slots=True)
class Past:
    """Our posts to one page for one task.

    `made` is the last one on the wiki, `shown` the last one made or shown in a dry run,
    `refused` those since, newest first.
    """

    made: StoredPost | None
    shown: StoredPost | None
    waiting: StoredPost | None  # certainly not made
    refused: tuple[StoredPost, ...]
    is_trying: bool
    seen_dry: frozenset[str]  # identities that only a dry run showed
    settled: frozenset[str]  # short identities of notes that were removed or marked
    parked_until: datetime | None = None  # when the parked post is checked again

    @property
    def held_until(self) -> datetime | None:
        """Until when nothing is asked for, because a post was refused or is parked."""
        if self.parked_until is not None:
            return self.parked_until
        if not self.refused:
            return None
        newest = self.refused[0]
        is_passing = newest.refusal in _PASSING
        doublings = min(len(self.refused) - 1, _MOST_DOUBLINGS)
        wait_s = (_PASSING_S if is_passing else _DAY_S) * 2.0**doublings
        longest_s = _DAY_S if is_passing else _LONGEST_S
        return newest.changed_at + timedelta(seconds=min(wait_s, longest_s))

    def waits_as(self, post: Post) -> bool:
        """Return whether a waiting post would do the same as `post`."""
        kept = self.waiting.post if self.waiting else None
        return kept is not None and _essence(kept) == _essence(post)

    def is_still(self, earlier: "Past") -> bool:
        """Return whether no post was made, or may have been, since `earlier`."""
        is_trying = self.is_trying or earlier.is_trying
        return self.made == earlier.made and not is_trying


def _essence(post: Post) -> tuple[object, ...]:
    """Return what a post does, without its name and time."""
    change = post.change
    if isinstance(change, Create):
        return type(change), change.text
    expected = None if isinstance(change, Append) else change.expected
    return type(change), expected, post.adds, frozenset(post.settles)


def past_of(kept: Sequence[StoredPost], task: Task) -> Past:
    """Return what the posts to a page, newest first, mean for one task."""
    ours = [each for each in kept if each.post.task == task.value]
    settled = [each for each in ours if each.state in _SETTLED]
    made = [each for each in settled if each.state is PostState.POSTED]
    shown = settled[0] if settled else None
    since = ours[: ours.index(shown)] if shown else ours
    posted = _added(made)
    return Past(
        made=made[0] if made else None,
        shown=shown,
        waiting=next((each for each in ours if each.state is PostState.WAITING), None),
        refused=tuple(each for each in since if each.state is PostState.REFUSED),
        is_trying=any(each.state is PostState.TRIED for each in ours),
        seen_dry=_added(settled) - posted,
        settled=frozenset(
            identity[:24] for each in made for identity in each.post.settles
        ),
        parked_until=max(
            (each.due_at for each in ours if each.is_parked), default=None
        ),
    )


def _added(posts: Iterable[StoredPost]) -> frozenset[str]:
    return frozenset(identity for each in posts for identity in each.post.adds)


def shown_here(
    shown: Iterable[ShownNote], past: Past, *, is_dry: bool
) -> tuple[ShownNote, ...]:
    """Return the notes that people were shown; in a dry run, also those it showed."""
    return tuple(each for each in shown if is_dry or each.identity not in past.seen_dry)


def only_sets_states(post: StoredPost, keys: Keys) -> bool:
    """Return whether a post to a talk page changed nothing but the states of notes.

    Such a post is only made where people have answered, so the section after it is not
    only ours.
    """
    change, settles = post.post.change, post.post.settles
    if not isinstance(change, ReplaceSection) or not settles:
        return False
    names = {short_name(each) for each in settles}
    return bool(names & set(marks_in(change.text, keys)))
