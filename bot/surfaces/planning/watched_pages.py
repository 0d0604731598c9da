"""Which pages an opt-in comes to: those named, those of its lists, none left out.

A page that is named and not looked at is told to the person, with the reason. The
members of a list change by themselves; of those that the community leaves out
nothing is said, so that the answer stands still while the template does.
"""

import asyncio
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace

from bot.surfaces.messages import message
from bot.surfaces.opt_in.community import Community
from bot.surfaces.opt_in.effective import CountedList, Effective, Limited
from bot.surfaces.opt_in.scope import PageFacts, page_in_scope
from bot.surfaces.planning.page_lists import Lists, round_of
from bot.wiki.pages import ListedPage
from bot.wiki.titles import Title
from handlers.findings import Message

_MOST_TOLD = 10


@dataclass(frozen=True, slots=True)
class WatchedPages:
    """The titles to look at, and the state with what was left out told in it."""

    titles: tuple[str, ...]
    state: Effective


async def watched_pages(lists: Lists) -> WatchedPages:
    """Return the pages that an opt-in comes to.

    Facts about members of categories are only asked for where the community has
    rules about them; those about named pages always, since a slip in a title, or a
    page that was moved, is what people need to be told most.

    Raises:
        PermanentError: the wiki will not answer.
        TemporaryError: it cannot be reached.
    """
    state, community, names = lists.state, lists.community, lists.names
    found = await lists.look_up()
    members = found.titles
    named = tuple(each.text for each in state.pages)
    asked = (*named, *members) if _has_rules(community) else named
    facts = await lists.reader.facts_of(dict.fromkeys(asked)) if asked else {}
    reasons = {
        title: _why_not(names.title(title), facts.get(title), community)
        for title in dict.fromkeys(asked)
    }
    wrong = {title: why for title in named if (why := reasons[title])}
    titles = [
        title for title in dict.fromkeys((*named, *members)) if not reasons.get(title)
    ]
    most = community.limits.pages
    told = (*_told(wrong), *found.limited, *_cut(len(titles), most, found.counted))
    taken = None
    if found.counted:
        count = min(len(titles), most)
        taken = await asyncio.to_thread(round_of, count, lists.rules)
    return WatchedPages(
        tuple(titles[:most]),
        replace(
            state,
            pages=tuple(each for each in state.pages if each.text not in wrong),
            limited=(*state.limited, *told),
            counted=found.counted,
            round=taken,
        ),
    )


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


def _cut(count: int, most: int, counted: Iterable[CountedList]) -> Iterable[Limited]:
    if count > most:
        asked, given = message("asked-all-pages"), message("given-first", most)
        names = ", ".join(dict.fromkeys(one.parameter for one in counted)) or "pages"
        yield Limited(names, asked, given, (message("reason-most-pages"),))
