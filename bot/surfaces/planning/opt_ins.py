"""Plans opt-ins: from the template on a page to a watch in force, and the answer there.

The watch is stored first, with a job for each page that nobody watched before. The
answer is posted with the end of the plan. If the plan is made again after a crash in
between, it finds the watch as it should be and answers. Our answer changes nothing in
the template, so a plan triggered by that edit finds nothing to do.
"""

import asyncio
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta

from bot.records.dossiers import (
    IN_HAND,
    DraftOrder,
    DraftState,
    NamedTopic,
    StoredDraft,
    is_code,
)
from bot.records.jobs import JobReason, PageJob
from bot.records.watches import (
    ActiveWatch,
    Check,
    IntendedPost,
    NoteKind,
    Plan,
    PlanKind,
    WatcherKind,
)
from bot.store import Store
from bot.store.spending import day_of
from bot.store.tasks import tenant_of
from bot.surfaces.messages import from_note, message
from bot.surfaces.opt_in.community import Community, in_force, to_keep
from bot.surfaces.opt_in.effective import CountedList, Effective, Limited, effective
from bot.surfaces.opt_in.refusal import page_says
from bot.surfaces.opt_in.scope import (
    Decision,
    PageFacts,
    UserFacts,
    page_in_scope,
    user_in_scope,
)
from bot.surfaces.opt_in.watch import Watch, read_watch
from bot.surfaces.planning.current_page import SOON_S, read_current
from bot.surfaces.planning.drafts import IN_THE_WAY
from bot.surfaces.planning.opt_in_answers import Answer, planned
from bot.surfaces.planning.page_lists import ListRules, Lists, round_of
from bot.surfaces.planning.posts import Planned, PlanningTools, Reader, later
from bot.surfaces.post_summaries import Task
from bot.wiki.pages import (
    USER,
    USER_TALK,
    ListedPage,
    Namespaces,
    PageText,
    Title,
)
from handlers.model import Message
from handlers.registry import KINDS

_STATE_MESSAGES = {
    DraftState.WAITING: "draft-waiting",
    DraftState.DRAFTED: "draft-waiting",
    DraftState.SHOWN: "draft-shown",
}
_MOST_SHOWN = 10
_ONLY_ON_REQUEST = {Check(kind.finding.asked_as) for kind in KINDS.values()} - {
    Check(kind.finding.asked_as)
    for kind in KINDS.values()
    if kind.finding.is_shown_unasked
}


@dataclass(frozen=True, slots=True)
class DraftDesk:
    """Handles the draft orders of one wiki's opt-ins; `now` is the time.

    Anyone can edit a person's page, and a draft creates a new page under their name. So
    only topics are drafted that are in the person's own last revision of the opt-in. A
    new revision is also how they ask again: a draft whose page is gone, or was never
    made, is made again once they save the opt-in after that. Revisions are compared,
    not clocks.
    """

    wiki: str
    store: Store
    reader: Reader
    now: datetime

    async def order(
        self, state: Effective, named: Callable[[PageText | None], frozenset[Title]]
    ) -> Effective:
        """Ask for the drafts of an opt-in in force; return it with the state of each.

        Args:
            state: what the person gets.
            named: reads the topics that the opt-in on a page names.

        Raises:
            PermanentError: the wiki will not answer.
            TemporaryError: it cannot be reached, or the store.
        """
        wiki, place, drafts = self.wiki, state.watch.place.text, self.store.drafts
        if not state.drafts:
            await self.drop(place)
            return state
        own = await self.reader.text_by(place, state.watch.watcher)
        state = _named_by_themselves(state, named(own))
        wanted = tuple(
            NamedTopic(each.topic.text, each.page.text) for each in state.drafts
        )
        revision = own.revision_id if own else 0
        order = DraftOrder(wiki, place, state.watch.watcher, wanted, revision)
        await asyncio.to_thread(drafts.ask, order, self.now)
        stored = await asyncio.to_thread(drafts.of_place, wiki, place)
        older = [each.page for each in stored if _is_requested_again(each, order)]
        if older:
            there = await self.reader.texts_of(older)
            gone = frozenset(older) - frozenset(there)
            await asyncio.to_thread(drafts.again, order, gone, self.now)
            stored = await asyncio.to_thread(drafts.of_place, wiki, place)
        return _with_reasons(state, stored)

    async def drop(self, place: str) -> None:
        """Drop the drafts of an opt-in that asks for none, or that has ended."""
        drafts = self.store.drafts
        stored = await asyncio.to_thread(drafts.of_place, self.wiki, place)
        if stored:
            order = DraftOrder(self.wiki, place, stored[0].watcher, ())
            await asyncio.to_thread(drafts.ask, order, self.now)


def _is_requested_again(stored: StoredDraft, order: DraftOrder) -> bool:
    """Return whether it is settled and the person has saved the opt-in since."""
    return stored.state not in IN_HAND and stored.asked_in < order.revision


def _named_by_themselves(state: Effective, mine: frozenset[Title]) -> Effective:
    """Leave out topics that someone else added to the opt-in."""
    others = [each for each in state.drafts if each.topic not in mine]
    given, why = message("given-left-out"), message("reason-somebody-else")
    left_out = tuple(
        Limited("drafts", each.topic.text, given, (why,))
        for each in others[:_MOST_SHOWN]
    )
    return replace(
        state,
        drafts=tuple(each for each in state.drafts if each not in others),
        limited=(*state.limited, *left_out),
    )


def _with_reasons(state: Effective, stored: Iterable[StoredDraft]) -> Effective:
    known = {each.page: each for each in stored}
    drafts = (
        replace(each, reason=_words(known[each.page.text]))
        for each in state.drafts
        if each.page.text in known
    )
    return replace(state, drafts=tuple(drafts))


def _words(stored: StoredDraft) -> Message | None:
    if stored.state in _STATE_MESSAGES:
        return message(_STATE_MESSAGES[stored.state])
    if stored.state is DraftState.POSTED:
        return None
    if stored.note == IN_THE_WAY:
        return message("draft-in-the-way")
    return message("draft-nothing", from_note(stored.note or stored.state.value))


@dataclass(frozen=True, slots=True)
class OptInRules:
    """The rules for planning opt-ins.

    `community_page` is the title of a wiki's configuration, `reread_s` the time after
    which all opt-ins are read again, `lists` how lists of pages are looked up.
    """

    community_page: str
    reread_s: float = 3600.0
    lists: ListRules = field(default_factory=ListRules)


class OptIns:
    """Makes OPT_INS plans; a `bot.surfaces.planning.posts.Handler`.

    Args:
        tools: what plans are made with.
        rules: the rules for planning opt-ins.
    """

    def __init__(self, tools: PlanningTools, rules: OptInRules) -> None:
        self._tools = tools
        self._store = tools.store
        self._reader = tools.reader
        self._rules = rules
        self._lists = OptInLists(tools, rules.reread_s)

    async def __call__(self, plan: Plan) -> Planned:
        """Plan the opt-in on one page, or find those that need a plan.

        Raises:
            PermanentError: the wiki will not answer.
            TemporaryError: it cannot be reached, or the store.
        """
        wiki = plan.task.wiki
        names = await self._reader(wiki).namespaces()
        community = await self._community(wiki, names)
        if not plan.task.subject:
            count = await self._lists.refresh(wiki, names, community)
            return Planned(why=f"{count} opt-ins are read")
        if not is_place(names, plan.task.subject):
            return Planned(why="notes cannot be requested on such a page")
        return await self._one(plan, names, community)

    async def _community(self, wiki: str, names: Namespaces) -> Community:
        """Read the community's page, store it if it is new, and return what applies."""
        communities, now = self._store.communities, self._tools.now()
        title = names.title(self._rules.community_page)
        page = await self._reader(wiki).text_of(title.text) if title else None
        fresh = to_keep(page, await asyncio.to_thread(communities.get, wiki), now)
        if fresh is not None:
            await asyncio.to_thread(communities.keep, wiki, fresh)
        return in_force(await asyncio.to_thread(communities.get, wiki))

    async def _one(
        self, plan: Plan, names: Namespaces, community: Community
    ) -> Planned:
        wiki, place = plan.task.wiki, plan.task.subject
        current = await read_current(self._tools, wiki, place, Task.OPT_IN)
        if current is None:
            why = "an answer is being posted, or the wiki does not show it yet"
            return later(plan, self._tools.now(), SOON_S, why)
        watch = await asyncio.to_thread(_watch_on, current.page, self._tools.bot, names)
        if watch is None:
            await self._end(wiki, place)
            answer = Answer()
        elif not await self._is_own_request(wiki, watch, names):
            return Planned(why="someone else put the template in this user's space")
        else:
            answer = await self._in_force(wiki, watch, community, names)
        if watch is not None and _is_archived(watch):
            return Planned(why="the template is in an archive")
        return await asyncio.to_thread(planned, self._tools, plan, current, answer)

    async def _is_own_request(self, wiki: str, watch: Watch, names: Namespaces) -> bool:
        """Return whether the person added the template to their user space themselves.

        Anyone can edit there. An opt-in begins with a revision by the person that has
        the template; after that they notice who changes it, as with all their pages.
        """
        place = watch.place.text
        if watch.kind is not WatcherKind.USER:
            return True
        if await asyncio.to_thread(self._store.watches.get, wiki, place) is not None:
            return True
        own = await self._reader(wiki).text_by(place, watch.watcher)
        return _watch_on(own, self._tools.bot, names) is not None

    async def _in_force(
        self, wiki: str, watch: Watch, community: Community, names: Namespaces
    ) -> Answer:
        """Store or end the watch, and return what the page should say."""
        refuses = await self._refuses(wiki, watch, names)
        state = effective(watch, community, names, refuses)
        decision = await self._decision(wiki, watch, community)
        titles: tuple[str, ...] = ()
        if decision.is_in and state.watches_pages:
            reader, rules = self._reader(wiki), self._rules.lists
            lists = Lists(wiki, state, community, names, reader, rules)
            found = await watched_pages(lists)
            titles, state = found.titles, found.state
        if decision.is_in:
            state = await self._with_drafts(wiki, state, names)
        if titles or (decision.is_in and state.drafts):
            await asyncio.to_thread(self._keep, _standing(wiki, state, titles))
        else:
            await self._end(wiki, watch.place.text)
        if not titles:
            return Answer(state, decision)
        tenant = tenant_of(watch.kind.name, watch.watcher)
        today = day_of(self._tools.now())
        took = await asyncio.to_thread(
            self._store.spending.taken, wiki, titles, tenant, today
        )
        return Answer(state, decision, took)

    async def _refuses(
        self, wiki: str, watch: Watch, names: Namespaces
    ) -> frozenset[NoteKind]:
        """Return what a person refuses on their user page and user talk page."""
        if watch.kind is not WatcherKind.USER:
            return frozenset()
        own = names.of(USER, watch.watcher), names.of(USER_TALK, watch.watcher)
        titles = [title.text for title in own if title]
        texts = await self._reader(wiki).texts_of(titles)
        return frozenset(
            kind for page in texts.values() for kind in page_says(page.text).optout
        )

    async def _with_drafts(
        self, wiki: str, state: Effective, names: Namespaces
    ) -> Effective:
        def named(page: PageText | None) -> frozenset[Title]:
            watch = _watch_on(page, self._tools.bot, names)
            return frozenset(watch.drafts if watch else ())

        desk = DraftDesk(wiki, self._store, self._reader(wiki), self._tools.now())
        return await desk.order(state, named)

    async def _decision(
        self, wiki: str, watch: Watch, community: Community
    ) -> Decision:
        if watch.kind is not WatcherKind.USER:
            return Decision()
        user = await self._reader(wiki).user(watch.watcher)
        if user is None:
            return Decision((message("reason-no-account", watch.watcher),))
        facts = UserFacts(
            user.name, user.edit_count, user.is_blocked, user.last_edit_at
        )
        return user_in_scope(facts, community, self._tools.now())

    def _keep(self, watch: ActiveWatch) -> None:
        now, watches = self._tools.now(), self._store.watches
        before = watches.get(watch.wiki, watch.place)
        fresh = set(watch.pages) - set(before.pages if before else ())
        # All watches together can be large, so they are only loaded where it matters.
        watched = watches.pauses() if fresh else {}
        unread = _unread(watch, before)
        jobs = [
            PageJob(
                watch.wiki,
                title,
                JobReason.OPT_IN,
                asked_at=now,
                due_at=now,
                pause_s=float(watch.interval_s),
            )
            for title in watch.pages
            if (title in fresh and (watch.wiki, title) not in watched)
            or title in unread
        ]
        watches.keep(watch, jobs, now)

    async def _end(self, wiki: str, place: str) -> None:
        now = self._tools.now()
        await DraftDesk(wiki, self._store, self._reader(wiki), now).drop(place)
        await asyncio.to_thread(self._store.watches.end, wiki, place, now)


def _unread(watch: ActiveWatch, before: ActiveWatch | None) -> set[str]:
    """Return the pages that need checks which are only made when asked for.

    Their last check left those out if nobody had asked then.
    """
    known = before.checks if before else ()
    new = _ONLY_ON_REQUEST & (set(watch.checks) - set(known))
    if new:
        return set(watch.pages)
    is_requested = _ONLY_ON_REQUEST & set(watch.checks)
    return (
        set(watch.pages) - set(before.pages if before else ())
        if is_requested
        else set()
    )


def _watch_on(page: PageText | None, bot: str, names: Namespaces) -> Watch | None:
    """Return what a page asks for; `None` if it is not a wikitext page."""
    if page is None or page.is_redirect or page.content_model != "wikitext":
        return None
    title: Title | None = names.title(page.title)
    if title is None or is_code(title.name):
        return None
    return read_watch(page.text, title, bot, names)


def _is_archived(watch: Watch) -> bool:
    """Return whether it is in a talk archive, where nobody writes any more."""
    return watch.kind is WatcherKind.PAGE and not watch.pages


def _standing(wiki: str, state: Effective, titles: tuple[str, ...]) -> ActiveWatch:
    return ActiveWatch(
        wiki=wiki,
        place=state.watch.place.text,
        kind=state.watch.kind,
        watcher=state.watch.watcher,
        pages=titles,
        checks=state.checks,
        surfaces=state.surfaces,
        report=state.report.text if state.report else None,
        interval_s=state.interval_s,
        most=state.most,
        min_confidence=state.min_confidence,
        languages=state.languages,
        refuses=state.refuses,
    )


@dataclass(frozen=True, slots=True)
class WatchedPages:
    """The titles to check, and the state, which now lists what was left out."""

    titles: tuple[str, ...]
    state: Effective


async def watched_pages(lists: Lists) -> WatchedPages:
    """Return the pages that an opt-in covers: named or of its lists, and not excluded.

    If a named page is not checked, the person is told, with the reason. The members of
    a list change by themselves, so those that the community leaves out are not
    reported: the answer stays the same as long as the template does.

    Facts about members of categories are only fetched if the community has rules about
    them. Those about named pages always are, because a mistake in a title, or a page
    that was moved, is what people most need to know.

    Raises:
        PermanentError: the wiki will not answer.
        TemporaryError: it cannot be reached.
    """
    state, community, names = lists.state, lists.community, lists.names
    found = await lists.resolve()
    members = found.titles
    named = tuple(each.text for each in state.pages)
    listed = (*named, *members) if _has_rules(community) else named
    facts = await lists.reader.facts_of(dict.fromkeys(listed)) if listed else {}
    reasons = {
        title: _why_not(names.title(title), facts.get(title), community)
        for title in dict.fromkeys(listed)
    }
    wrong = {title: why for title in named if (why := reasons[title])}
    titles = [
        title for title in dict.fromkeys((*named, *members)) if not reasons.get(title)
    ]
    most = community.limits.pages
    left_out = (
        *_limited_by(wrong),
        *found.limited,
        *_cut(len(titles), most, found.counted),
    )
    taken = None
    if found.counted:
        count = min(len(titles), most)
        taken = await asyncio.to_thread(round_of, count, lists.rules)
    return WatchedPages(
        tuple(titles[:most]),
        replace(
            state,
            pages=tuple(each for each in state.pages if each.text not in wrong),
            limited=(*state.limited, *left_out),
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


def _limited_by(wrong: Mapping[str, tuple[Message, ...]]) -> Iterable[Limited]:
    titles, left_out = list(wrong), message("given-left-out")
    for title in titles[:_MOST_SHOWN]:
        yield Limited("pages", title, left_out, wrong[title])
    if len(titles) > _MOST_SHOWN:
        more = message("asked-more", len(titles) - _MOST_SHOWN)
        yield Limited("pages", more, left_out, (message("reason-these-either"),))


def _cut(count: int, most: int, counted: Iterable[CountedList]) -> Iterable[Limited]:
    if count > most:
        requested, given = message("asked-all-pages"), message("given-first", most)
        names = ", ".join(dict.fromkeys(one.parameter for one in counted)) or "pages"
        yield Limited(names, requested, given, (message("reason-most-pages"),))


_APART_S = 0.5  # between opt-ins that are merely read again


@dataclass(slots=True)
class _Known:
    """What this process knows about a wiki's list."""

    all_at: datetime
    community: Community
    revisions: dict[str, int] = field(default_factory=dict)  # of opt-ins not in force


class OptInLists:
    """Lists the opt-ins of wikis; remembers what was read until the program ends.

    The change feed reports those in force, so the list of pages is used to find new
    ones and those that have gone. All are read again now and then, because of what no
    edit of theirs shows: members of categories, edit counts, blocks. Each is a separate
    plan, so that a failing one does not block the others.

    Args:
        tools: what plans are made with.
        reread_s: time after which all opt-ins are read again.
    """

    def __init__(self, tools: PlanningTools, reread_s: float) -> None:
        self._tools = tools
        self._reread_s = reread_s
        self._known: dict[str, _Known] = {}

    async def refresh(self, wiki: str, names: Namespaces, community: Community) -> int:
        """Ask for a plan of each opt-in that must be read; return how many.

        Raises:
            PermanentError: the wiki will not answer.
            TemporaryError: it cannot be reached, or the store.
        """
        template = names.of(USER, f"{self._tools.bot}/watch")
        if template is None:
            return 0
        began, reader = self._tools.now(), self._tools.reader(wiki)
        listed = [
            title
            for title in await reader.transclusions_of(template.text)
            if is_place(names, title)
        ]
        watches = await asyncio.to_thread(self._tools.store.watches.all, wiki)
        # The watchlist of the bot's own account is also a watch, without a template.
        places = {each.place for each in watches if is_place(names, each.place)}
        fresh = await reader.texts_of(each for each in listed if each not in places)
        revisions = {title: page.revision_id for title, page in fresh.items()}
        known = self._known.get(wiki)
        at_once = {
            *(places - set(listed)),
            *(
                title
                for title, number in revisions.items()
                if known is None or known.revisions.get(title) != number
            ),
        }
        is_due = known is None or self._is_due(known, community, began)
        rest = {*places, *revisions} - at_once if is_due else set()
        intended_posts = [*_intended_posts(wiki, at_once, rest, began)]
        await asyncio.to_thread(self._tools.store.plans.ask, intended_posts, began)
        # Remembered only after the plans are stored, so that a failure loses none.
        all_at = began if known is None or is_due else known.all_at
        self._known[wiki] = _Known(all_at, community, revisions)
        return len(intended_posts)

    def _is_due(self, known: _Known, community: Community, now: datetime) -> bool:
        age_s = (now - known.all_at).total_seconds()
        return age_s >= self._reread_s or known.community != community


def is_place(names: Namespaces, written: str) -> bool:
    """Return whether people can ask for notes on a page and get an answer there."""
    title = names.title(written)
    return title is not None and (title.namespace == USER or title.is_talk)


def _intended_posts(
    wiki: str, at_once: set[str], rest: set[str], now: datetime
) -> Iterator[IntendedPost]:
    for title in sorted(at_once):
        yield IntendedPost(PlanKind.OPT_INS, wiki, title, now)
    for number, title in enumerate(sorted(rest)):
        due = now + timedelta(seconds=number * _APART_S)
        yield IntendedPost(PlanKind.OPT_INS, wiki, title, due)
