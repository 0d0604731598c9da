"""Which pages an opt-in comes to: those named, those of its categories, none left out.

A page that is named and not looked at is told to the person, with the reason. The
members of a category change by themselves; of those that the community leaves out
nothing is said, so that the answer stands still while the template does.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace

from bot.surfaces.opt_in.community import Community
from bot.surfaces.opt_in.effective import Effective, Limited
from bot.surfaces.opt_in.scope import PageFacts, page_in_scope
from bot.surfaces.planning.opt_in_ports import OptInReader
from bot.wiki.pages import ListedPage
from bot.wiki.titles import Namespaces, Title

_MOST_TOLD = 10
_LEFT_OUT = "left out"


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
    wrong = {title: reasons[title] for title in named if reasons[title]}
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
) -> str:
    if title is None or facts is None:
        return "there is no page of this name"
    if facts.is_redirect:
        return "it is a redirect, so name the page that it leads to"
    page = PageFacts(title, facts.categories, facts.templates)
    return "; ".join(page_in_scope(page, community).reasons)


def _told(wrong: Mapping[str, str]) -> Iterable[Limited]:
    titles = list(wrong)
    for title in titles[:_MOST_TOLD]:
        yield Limited("pages", title, _LEFT_OUT, wrong[title])
    if len(titles) > _MOST_TOLD:
        more = f"{len(titles) - _MOST_TOLD} more"
        yield Limited("pages", more, _LEFT_OUT, "they cannot be looked at, either")


def _cut(count: int, most: int) -> Iterable[Limited]:
    if count > most:
        reason = "one watcher cannot watch more pages on this wiki"
        yield Limited("categories", "all of their pages", f"the first {most}", reason)
