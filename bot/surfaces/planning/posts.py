"""The tools that plans are made with, their results, and what was posted before.

While a post may be being made, the page cannot be interpreted: what the post removes
would look as if a person had removed it. A refused post is not asked for again until
some time has passed, longer each time.
"""

from collections.abc import Awaitable, Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from hashlib import sha256
from typing import Protocol

from bot.records.posts import (
    FILTERS,
    Append,
    Create,
    NotesPosted,
    Post,
    PostState,
    Refusal,
    ReplaceSection,
    StoredPost,
)
from bot.records.watches import IntendedPost, Plan, ShownNote
from bot.store import Store
from bot.surfaces.feedback import Feedback
from bot.surfaces.messages import language_of
from bot.surfaces.note import marks_in
from bot.surfaces.post_summaries import Summaries, Task
from bot.wiki.keys import Keys, short_name
from bot.wiki.pages import ListedPage, ListedUser, Namespaces, PageText

MOST_PER_PAGE = 20  # posts of one page that are checked
_DAY_S = 86_400.0
# Refusals that the next check of the page may undo.
_PASSING = frozenset(
    {Refusal.CHANGED, Refusal.UNWANTED, Refusal.GONE, Refusal.GIVEN_UP}
)
_PASSING_S = 60.0
_MOST_PARTS = 12  # tries in a row to find what a filter refuses
_PART_S = 900.0  # the longest rest between them
_MOST_DOUBLINGS = 12
_LONGEST_S = 30 * _DAY_S
_SETTLED = frozenset({PostState.POSTED, PostState.SHOWN})


@dataclass(frozen=True, slots=True)
class Past:
    """Our posts to one page for one task.

    `made` is the last one on the wiki, `shown` the last one made or shown in a dry run,
    `refused` those since, newest first. `filtered` are posts with new notes that a
    filter refused, before it or since.
    """

    made: StoredPost | None
    shown: StoredPost | None
    waiting: StoredPost | None  # certainly not made
    refused: tuple[StoredPost, ...]
    is_trying: bool
    notes: NotesPosted  # by all posts, not only the last ones
    parked_until: datetime | None = None  # when the parked post is checked again
    filtered: tuple[StoredPost, ...] = ()

    @property
    def held_until(self) -> datetime | None:
        """Until when nothing is asked for, because a post was refused or is parked."""
        if self.parked_until is not None:
            return self.parked_until
        if not self.refused:
            return None
        newest, times = self.refused[0], len(self.refused)
        first_s, longest_s = _DAY_S, _LONGEST_S
        if newest.refusal in _PASSING:
            first_s, longest_s = _PASSING_S, _DAY_S
        elif newest in self.filtered and times <= _MOST_PARTS:
            first_s, longest_s = _PASSING_S, _PART_S
        elif newest in self.filtered:
            times -= _MOST_PARTS
        wait_s = first_s * 2.0 ** min(times - 1, _MOST_DOUBLINGS)
        return newest.changed_at + timedelta(seconds=min(wait_s, longest_s))

    def waits_as(self, post: Post) -> bool:
        """Return whether a waiting post would do the same as `post`."""
        waiting = self.waiting.post if self.waiting else None
        return waiting is not None and _essence(waiting) == _essence(post)

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


def past_of(posts: Sequence[StoredPost], notes: NotesPosted) -> Past:
    """Return what the last posts to a page for one task, newest first, mean together."""
    shown = next((each for each in posts if each.state in _SETTLED), None)
    since = posts[: posts.index(shown)] if shown else posts
    return Past(
        made=next((each for each in posts if each.state is PostState.POSTED), None),
        shown=shown,
        waiting=next((each for each in posts if each.state is PostState.WAITING), None),
        refused=tuple(each for each in since if each.state is PostState.REFUSED),
        is_trying=any(each.state is PostState.TRIED for each in posts),
        notes=notes,
        filtered=tuple(
            each
            for each in posts
            if each.state is PostState.REFUSED
            and each.refusal in FILTERS
            and each.post.adds
        ),
        parked_until=max(
            (each.due_at for each in posts if each.is_parked), default=None
        ),
    )


def shown_here(
    shown: Iterable[ShownNote], past: Past, *, is_dry: bool
) -> tuple[ShownNote, ...]:
    """Return the notes that people were shown; in a dry run, also those it showed."""
    seen_dry = past.notes.seen_dry
    return tuple(each for each in shown if is_dry or each.identity not in seen_dry)


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


class Reader(Protocol):
    """Reads one wiki, as `bot.wiki.lists.WikiLists` does.

    Every method raises PermanentError if the wiki will not answer, and TemporaryError
    if it cannot be reached or is busy.
    """

    async def namespaces(self) -> Namespaces:
        """Return the wiki's namespaces."""
        ...

    async def text_of(
        self, title: str, revision_id: int | None = None
    ) -> PageText | None:
        """Return a page or one of its revisions; `None` if it is missing or hidden."""
        ...

    async def text_by(self, title: str, user: str) -> PageText | None:
        """Return the text that a user last saved on a page; `None` if there is none."""
        ...

    async def texts_of(self, titles: Iterable[str]) -> Mapping[str, PageText]:
        """Return pages by the titles asked for, without those missing or hidden."""
        ...

    async def transclusions_of(self, title: str) -> tuple[str, ...]:
        """Return the titles of all pages that use a template."""
        ...

    async def members_of(
        self, category: str, *, namespaces: Collection[int] = (), most: int
    ) -> tuple[str, ...]:
        """Return the titles of a category's pages; no namespaces means all."""
        ...

    async def subcategories_of(
        self, category: str, *, depth: int, most: int
    ) -> tuple[str, ...]:
        """Return the titles of a category's subcategories, down to a depth."""
        ...

    async def using(
        self, template: str, *, namespaces: Collection[int] = (), most: int
    ) -> tuple[str, ...]:
        """Return the titles of pages that use a template."""
        ...

    async def created_by(
        self, user: str, *, namespaces: Collection[int] = (), most: int
    ) -> tuple[str, ...]:
        """Return the titles of pages that a user created."""
        ...

    async def found_by(
        self, query: str, *, namespaces: Collection[int] = (), most: int
    ) -> tuple[str, ...]:
        """Return the titles of pages that the wiki's own search finds."""
        ...

    async def watched_by(
        self, user: str, token: str, *, namespaces: Collection[int] = (), most: int
    ) -> tuple[str, ...]:
        """Return the watchlist of a user who gave its token."""
        ...

    async def facts_of(self, titles: Iterable[str]) -> Mapping[str, ListedPage]:
        """Return facts about pages by the titles asked for, without missing ones."""
        ...

    async def user(self, name: str) -> ListedUser | None:
        """Return an account; `None` if there is none of that name."""
        ...

    async def refused_addresses(self, urls: Iterable[str]) -> frozenset[str]:
        """Return those of `urls` that are on the wiki's spam blacklist."""
        ...


_SEPARATOR = "\x1f"  # a character that titles cannot contain


@dataclass(frozen=True, slots=True)
class PlanningTools:
    """The tools that plans are made with.

    `bot` is the name of the account, `keys` sign what it writes, and `reader` returns
    the reader of a wiki by its host name. In a dry run (`is_dry`) posts are shown and
    never made. A report is rewritten at most once in `rewrite_s` seconds; notes that a
    limit holds back are checked again after `room_s`. `feedback` says what may be shown
    according to readers' decisions; it is asked for each plan.
    """

    store: Store
    keys: Keys
    bot: str
    reader: Callable[[str], Reader]
    now: Callable[[], datetime]
    is_dry: bool
    rewrite_s: float = 600.0
    room_s: float = 3600.0
    feedback: Callable[[], Feedback] = Feedback

    def summaries(self, wiki: str) -> Summaries:
        """Return the maker of edit summaries for a wiki."""
        return Summaries(self.bot, self.keys, language_of(wiki))


@dataclass(frozen=True, slots=True)
class Planned:
    """The result of a plan: posts to be stored with its end, and plans for later.

    `drops` are the names of waiting posts that are no longer right. `why` says what is
    held back, for the log.
    """

    posts: tuple[Post, ...] = ()
    intended_posts: tuple[IntendedPost, ...] = ()
    why: str = ""
    drops: tuple[str, ...] = ()


Handler = Callable[[Plan], Awaitable[Planned]]
"""Makes plans of one kind.

It raises PermanentError or TemporaryError as the tools do, and ends well before the lease
of the plan does.
"""


def again(plan: Plan, due_at: datetime) -> IntendedPost:
    """Return the same plan, to be made once more."""
    intended_post = plan.task
    return IntendedPost(
        intended_post.kind, intended_post.wiki, intended_post.subject, due_at
    )


def later(plan: Plan, now: datetime, in_s: float, why: str) -> Planned:
    """Return that nothing is posted now, and that the plan is made again later."""
    return Planned((), (again(plan, now + timedelta(seconds=in_s)),), why)


def posted(
    post: Post | None,
    past: Past,
    intended_posts: Iterable[IntendedPost] = (),
    why: str = "",
) -> Planned:
    """Return that `post` is due, or nothing, given what waits to be posted already.

    A waiting post that would do the same stays. A different one is dropped: by the
    store when this one is asked for, or here if nothing is due.
    """
    if post is not None:
        posts = () if past.waits_as(post) else (post,)
        return Planned(posts, tuple(intended_posts), why)
    drops = (past.waiting.post.name,) if past.waiting else ()
    return Planned((), tuple(intended_posts), why, drops)


def post_name(
    wiki: str, title: str, task: Task, now: datetime, *, token: int = 0
) -> str:
    """Return a name for a post to a page; `token` is that of its plan, if any.

    It must be known before the text, which contains it, and be new.
    """
    parts = (wiki, title, task.value, str(token), now.isoformat())
    return sha256(_SEPARATOR.join(parts).encode("utf-8", "replace")).hexdigest()
