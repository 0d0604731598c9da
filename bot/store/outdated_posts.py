"""Which posts nothing is judged by any longer, as conditions on their table."""

from datetime import datetime

from sqlalchemy import ColumnElement, and_, exists, func, or_, select

from bot.records.posts import PostState
from bot.store.outbox_tables import posts
from bot.store.standing_tables import watches

TALK = "talk"  # the task that writes to talk pages of articles
_DRY_RUN = "dry-run"  # the task whose page may be rewritten each minute
_NONE = "[]"  # no identities, in JSON
_MADE = [PostState.POSTED.name, PostState.SHOWN.name]
_OPEN = {PostState.WAITING, PostState.TRIED}
_SETTLED = [state.name for state in PostState if state not in _OPEN]


def is_settled(before: datetime) -> ColumnElement[bool]:
    """Tell which posts were settled before a time."""
    return posts.c.state.in_(_SETTLED) & (posts.c.changed_at < before)


def is_outdated() -> ColumnElement[bool]:
    """Tell which settled posts nothing is judged by any longer.

    Those to talk pages say which notes were told, by a post or in a dry run alone.
    """
    nobodys = ~(
        exists().where(
            (watches.c.wiki == posts.c.wiki) & (watches.c.place == posts.c.title)
        )
        | exists().where(
            (watches.c.wiki == posts.c.wiki) & (watches.c.report == posts.c.title)
        )
    )
    tells = _holds(posts.c.adds) | _holds(posts.c.settles)
    return or_(
        ~posts.c.state.in_(_MADE),
        (posts.c.task == TALK) & ~_is_last() & ~tells,
        (posts.c.task != TALK) & (~_is_last() | nobodys),
    )


def is_dry_page_of_before() -> ColumnElement[bool]:
    """Tell what the page that shows a dry run once said: hundreds of kB each time."""
    made = posts.c.state.in_(_MADE)
    return made & (posts.c.task == _DRY_RUN) & ~_is_last()


def is_talk_of_before() -> ColumnElement[bool]:
    """Tell which texts of talk pages are not the last that was written there."""
    has_text = (posts.c.text != "") | (func.coalesce(posts.c.expected, "") != "")
    return (posts.c.task == TALK) & ~_is_last() & has_text


def _holds(identities: ColumnElement[str | None]) -> ColumnElement[bool]:
    return func.coalesce(identities, _NONE).not_in(["", _NONE])


def _is_last() -> ColumnElement[bool]:
    """Tell which posts are the last of their page and task: on the wiki, or at all."""

    def later(*states: str) -> ColumnElement[bool]:
        other = posts.alias()
        is_later = or_(
            other.c.changed_at > posts.c.changed_at,
            (other.c.changed_at == posts.c.changed_at) & (other.c.id > posts.c.id),
        )
        same = and_(
            other.c.wiki == posts.c.wiki,
            other.c.title == posts.c.title,
            other.c.task == posts.c.task,
        )
        known = select(other.c.id).where(same & is_later & other.c.state.in_(states))
        return known.correlate(posts).exists()

    posted = PostState.POSTED.name
    return ~later(*_MADE) | ((posts.c.state == posted) & ~later(posted))
