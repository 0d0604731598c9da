"""Whether a page or person falls under what a community decided, or why not. Pure."""

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime, timedelta

from bot.surfaces.messages import message
from bot.surfaces.opt_in.community import Community
from bot.wiki.pages import Title
from handlers.model import Message

_AWAY = timedelta(days=60)


@dataclass(frozen=True, slots=True)
class PageFacts:
    """What the wiki says about a page; names without their namespace."""

    title: Title
    categories: frozenset[str] = frozenset()
    templates: frozenset[str] = frozenset()
    is_redirect: bool = False


@dataclass(frozen=True, slots=True)
class UserFacts:
    """What the wiki says about a person who asks for notes."""

    name: str
    edit_count: int
    is_blocked: bool = False
    last_edit_at: datetime | None = None  # on the wiki; `None` if unknown


@dataclass(frozen=True, slots=True)
class Decision:
    """Whether something falls under a configuration, with all reasons against it."""

    reasons: tuple[Message, ...] = ()

    @property
    def is_in(self) -> bool:
        """Whether there is no reason against it."""
        return not self.reasons


def page_in_scope(page: PageFacts, community: Community) -> Decision:
    """Decide whether a page is checked on a wiki with this configuration."""
    reasons = []
    if page.title.namespace not in community.namespaces:
        reasons.append(message("reason-namespace"))
    if page.is_redirect:
        reasons.append(message("reason-redirect"))
    if community.in_category and not _common(community.in_category, page.categories):
        names = ", ".join(community.in_category)
        reasons.append(message("reason-no-category", names))
    unwanted = _common(community.not_in_category, page.categories)
    if unwanted:
        reasons.append(message("reason-category", ", ".join(unwanted)))
    if community.has_template and not _common(community.has_template, page.templates):
        names = ", ".join(community.has_template)
        reasons.append(message("reason-no-template", names))
    return Decision(tuple(reasons))


def user_in_scope(user: UserFacts, community: Community, now: datetime) -> Decision:
    """Decide whether a person gets notes on a wiki with this configuration.

    For someone who has been away for long nothing is checked: notes that nobody reads
    cost others their turn. Checks resume by themselves once they are back.
    """
    reasons = []
    least = community.minimum_edit_count
    if user.edit_count < least:
        reasons.append(message("reason-few-edits", least, user.edit_count))
    if user.is_blocked:
        reasons.append(message("reason-blocked"))
    if user.last_edit_at is not None and now - user.last_edit_at > _AWAY:
        reasons.append(message("reason-away", user.name))
    return Decision(tuple(reasons))


def is_ignored(section: tuple[str, ...], community: Community) -> bool:
    """Return whether claims in a section, named with its parents, are left alone."""
    headings = {_key(heading) for heading in section}
    return any(_key(name) in headings for name in community.ignore_sections)


def _common(names: Iterable[str], given: frozenset[str]) -> tuple[str, ...]:
    known = {_key(each) for each in given}
    return tuple(name for name in names if _key(name) in known)


def _key(name: str) -> str:
    """Fold case and drop the prefix: leaving out too much is on the safe side."""
    _, colon, rest = name.partition(":")
    bare = rest if colon and rest.strip() else name
    return " ".join(bare.replace("_", " ").split()).casefold()
