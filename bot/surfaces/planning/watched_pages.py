"""Which pages an opt-in comes to: those named, those of its categories, none left out.

A page that is named and not looked at is told to the person, with the reason. The
members of a category change by themselves; of those that the community leaves out
nothing is said, so that the answer stands still while the template does.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace

from bot.surfaces.messages import message
from bot.surfaces.opt_in.community import Community
from bot.surfaces.opt_in.effective import Effective, Limited
from bot.surfaces.opt_in.scope import PageFacts, page_in_scope
from bot.surfaces.planning.opt_in_ports import OptInReader
from bot.wiki.pages import ListedPage
from bot.wiki.titles import Namespaces, Title
from handlers.findings import Message

_MOST_TOLD = 10


@dataclass(frozen=True, slots=True)
class WatchedPages:
    """The titles to look at, and the state with what was left out told in it."""

    titles: tuple[str, ...]
    state: Effective


async def watched_pages(
    state: Effective, community: Community, names: Namespaces, reader: OptInReader
) -> WatchedPages:
    """Return the pages that an opt-in comes to.

    Facts about members of categories are only asked for where the community has
    rules about them; those about named pages always, since a slip in a title, or a
    page that was moved, is what people need to be told most.

    Raises:
        PermanentError: the wiki will not answer.
        TemporaryError: it cannot be reached.
    """
    members = await _members(state, community, reader)
    named = tuple(each.text for each in state.pages)
    asked = (*named, *members) if _has_rules(community) else named
    facts = await reader.facts_of(dict.fromkeys(asked)) if asked else {}
    reasons = {
        title: _why_not(names.title(title), facts.get(title), community)
        for title in dict.fromkeys(asked)
    }
    wrong = {title: why for title in named if (why := reasons[title])}
    titles = [
        title for title in dict.fromkeys((*named, *members)) if not reasons.get(title)
    ]
    most = community.limits.pages
    told = (*_told(wrong), *_cut(len(titles), most))
    return WatchedPages(
        tuple(titles[:most]),
        replace(
            state,
            pages=tuple(each for each in state.pages if each.text not in wrong),
            limited=(*state.limited, *told),
        ),
    )


async def _members(
    state: Effective, community: Community, reader: OptInReader
) -> tuple[str, ...]:
    found: dict[str, None] = {}
    spaces, most = community.namespaces, community.limits.pages
    for category in state.categories if spaces else ():
        if len(found) > most:
            break
        # One more than may be, so that it is noticed.
        listed = await reader.members_of(
            category.text, namespaces=spaces, most=most + 1
        )
        found |= dict.fromkeys(listed)
    return tuple(found)


def _has_rules(community: Community) -> bool:
    return bool(
        community.in_category or community.not_in_category or community.has_template
    )


def _why_not(
    title: Title | None, facts: ListedPage | None, community: Community
) -> tuple[Message, ...]:
    if title is None or facts is None:
        return (message("reason-no-page"),)
    if facts.is_redirect:
        return (message("reason-name-target"),)
    page = PageFacts(title, facts.categories, facts.templates)
    return page_in_scope(page, community).reasons


def _told(wrong: Mapping[str, tuple[Message, ...]]) -> Iterable[Limited]:
    titles, left_out = list(wrong), message("given-left-out")
    for title in titles[:_MOST_TOLD]:
        yield Limited("pages", title, left_out, wrong[title])
    if len(titles) > _MOST_TOLD:
        more = message("asked-more", len(titles) - _MOST_TOLD)
        yield Limited("pages", more, left_out, (message("reason-these-either"),))


def _cut(count: int, most: int) -> Iterable[Limited]:
    if count > most:
        asked, given = message("asked-all-pages"), message("given-first", most)
        yield Limited("categories", asked, given, (message("reason-most-pages"),))
