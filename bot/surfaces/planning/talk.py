"""Plans our one section on the talk page of an article that asked for it.

A note is shown on a talk page once, ever. If its claim was changed, or it was dismissed
elsewhere, it is removed or marked; if people removed it, it is dismissed. When nobody
asks any more, our section is removed if nobody has answered in it; otherwise it is left
to the people who have.
"""

import asyncio
from collections.abc import Mapping
from dataclasses import dataclass, replace
from datetime import datetime, timedelta

from bot.records.posts import Append, Change, Post, ReplaceSection
from bot.records.watches import ActiveWatch, NoteState, Plan, ShownNote, Surface
from bot.report.notes import Note
from bot.store import StoredSuggestion
from bot.surfaces.messages import language_of
from bot.surfaces.note import addresses, marks_in
from bot.surfaces.opt_in.community import Community
from bot.surfaces.opt_in.refusal import Refusals, kind_of, page_says
from bot.surfaces.planning.current_page import (
    SOON_S,
    CurrentPage,
    community_of,
    obstacle,
    past_at,
    read_current,
    reader_decisions,
)
from bot.surfaces.planning.filtered import part_of
from bot.surfaces.planning.posts import (
    Planned,
    PlanningTools,
    again,
    later,
    only_sets_states,
    post_name,
    posted,
    shown_here,
)
from bot.surfaces.planning.selection import (
    Candidate,
    ReaderDecisions,
    candidates,
    in_order,
    room_for,
    with_room,
    without_left_out,
)
from bot.surfaces.post_summaries import Task
from bot.surfaces.talk_page import (
    EditKind,
    State,
    TalkEdit,
    TalkFacts,
    TalkPlan,
    find_section,
)
from bot.surfaces.talk_page import plan as plan_section
from bot.wiki.pages import PageText

_DAY_S = 86_400.0


@dataclass(frozen=True, slots=True)
class _Talk:
    """A talk page, who asks for notes there, and what is on it.

    `open` are the suggestions of the article that still apply, except those that
    readers closed.
    """

    wiki: str
    title: str
    watches: tuple[ActiveWatch, ...]
    community: Community
    shown: tuple[ShownNote, ...]
    open: tuple[StoredSuggestion, ...]
    decided: ReaderDecisions


@dataclass(frozen=True, slots=True)
class _Notes:
    """What is new for a talk page, how many notes have to wait, and what is settled.

    `again_at` is when a note that a filter refuses is tried again.
    """

    due: tuple[Note, ...]
    waiting: int
    settled: Mapping[str, State]
    again_at: datetime | None


async def plan_talk(tools: PlanningTools, plan: Plan) -> Planned:
    """Plan the talk page of the article that is the plan's subject.

    Raises:
        PermanentError: the wiki will not answer, or a text is too long to be stored.
        TemporaryError: the wiki or the store is away.
    """
    wiki, article = plan.task.wiki, plan.task.subject
    names = await tools.reader(wiki).namespaces()
    subject = names.title(article)
    talk = names.talk_of(subject) if subject else None
    if talk is None or talk == subject:
        return Planned(why="this page has no talk page")
    page = await asyncio.to_thread(_known, tools, wiki, article, talk.text)
    past = await past_at(tools, wiki, talk.text, Task.TALK)
    if not page.shown and not _new(page):
        return posted(None, past)
    held = past.held_until
    if held is not None and held > tools.now():
        return Planned((), (again(plan, held),), "its last post was refused")
    current = await read_current(tools, wiki, talk.text, Task.TALK)
    if current is None:
        return later(plan, tools.now(), SOON_S, "an edit of the page is in progress")
    text = await tools.reader(wiki).text_of(article)
    stopped = obstacle(current.page, tools.bot) or _away(text, tools.bot)
    if stopped:
        return later(plan, tools.now(), _DAY_S, stopped)
    is_there = text is not None and not text.is_redirect
    page = await asyncio.to_thread(_seen, tools, page, current, is_there=is_there)
    return await _planned(tools, plan, page, current)


def _known(tools: PlanningTools, wiki: str, article: str, title: str) -> _Talk:
    store = tools.store
    watches = store.watches.of_page(wiki, article)
    stored = store.suggestions_of(wiki, article)
    found = Refusals(store, tools.now).shown(stored, wiki, article)
    decided = reader_decisions(tools, wiki, found)
    return _Talk(
        wiki=wiki,
        title=title,
        watches=tuple(each for each in watches if Surface.TALK in each.surfaces),
        community=community_of(store, wiki),
        shown=store.shown_notes.on(wiki, title),
        open=tuple(
            each
            for each in found
            if each.suggestion.identity not in decided.closed
            and each.suggestion.finding.is_for_talk_pages
        ),
        decided=decided,
    )


def _away(article: PageText | None, bot: str) -> str:
    """Return what in the article itself keeps bots away; redirects are ignored."""
    return "" if article is None or article.is_redirect else obstacle(article, bot)


def _seen(
    tools: PlanningTools, page: _Talk, current: CurrentPage, *, is_there: bool
) -> _Talk:
    """Return what is known once the page was read: what people removed is noted.

    If the article is missing or redirects elsewhere, no suggestion applies any more.
    """
    shown = shown_here(page.shown, current.past, is_dry=tools.is_dry)
    if current.past.made is not None and not tools.is_dry:
        marked = frozenset(marks_in(current.text, tools.keys))
        gone = [each.identity[:24] for each in shown if _is_gone(each, marked)]
        if gone:
            tools.store.shown_notes.dismiss(page.wiki, page.title, gone, tools.now())
            shown = tuple(
                replace(each, state=NoteState.DISMISSED)
                if each.identity[:24] in gone
                else each
                for each in shown
            )
    refused = page_says(current.text).optout
    left = (
        each
        for each in (page.open if is_there else ())
        if kind_of(each.suggestion.finding) not in refused
    )
    return replace(page, shown=shown, open=tuple(left))


def _is_gone(shown: ShownNote, left: frozenset[str]) -> bool:
    return shown.state is NoteState.OPEN and shown.identity[:24] not in left


def _new(page: _Talk) -> list[Candidate]:
    known = {each.identity for each in page.shown}
    fresh = [each for each in page.open if each.suggestion.identity not in known]
    return candidates(fresh, page.watches, page.community, frozenset(), page.decided)


def _notes(tools: PlanningTools, page: _Talk, current: CurrentPage) -> _Notes:
    refused, given = current.past.filtered, []
    new, again_at = without_left_out(_new(page), refused, tools.now())
    if new and _may_post(tools, page):
        room = room_for(tools, page.watches, page.community, page.shown, is_own=False)
        given = with_room(new, room)
        part = part_of([each.note.identity for each in given], refused)
        given = [each for each in given if each.note.identity in part.names]
    waiting, settled = len(new) - len(given), _settled(page, current)
    return _Notes(tuple(in_order(given)), waiting, settled, again_at)


def _may_post(tools: PlanningTools, page: _Talk) -> bool:
    today = tools.store.outbox.taken(page.wiki, Task.TALK.value, tools.now())
    return today < page.community.limits.talk_posts


def _settled(page: _Talk, current: CurrentPage) -> dict[str, State]:
    """Return what became of the notes that are there.

    A state is set only once: if it says something else now, a person wants it so.
    """
    holding = {each.suggestion.identity for each in page.open}
    before = {name[:24] for name in current.past.notes.settled}
    settled = {}
    for each in page.shown:
        is_new = each.identity[:24] not in before
        if each.state is NoteState.DISMISSED and is_new:
            settled[each.identity] = State.DISMISSED
        elif each.state is NoteState.OPEN and each.identity not in holding:
            settled[each.identity] = State.FIXED
    return settled


async def _planned(
    tools: PlanningTools, plan: Plan, page: _Talk, current: CurrentPage
) -> Planned:
    now = tools.now()
    notes = await asyncio.to_thread(_notes, tools, page, current)
    own = await _own(tools, page, current)
    name = post_name(page.wiki, page.title, Task.TALK, now, token=plan.token)
    if page.watches:
        made = await _section(tools, page, current, notes, own=own, name=name)
    else:
        made = _withdrawn(tools, page, current, own=own, name=name)
    intended_posts = []
    if notes.again_at is not None:
        intended_posts.append(again(plan, notes.again_at))
    if notes.waiting:
        intended_posts.append(again(plan, now + timedelta(seconds=tools.room_s)))
    post = _post(tools, plan, page, made.edit, name) if made.edit else None
    post = replace(post, asked_at=current.at) if post else None
    if post and tools.is_dry and _was_shown(current, post):
        return Planned((), tuple(intended_posts), "it was shown already")
    return posted(post, current.past, intended_posts, made.why)


async def _own(tools: PlanningTools, page: _Talk, current: CurrentPage) -> str | None:
    """Return our section as our last post left it; `None` if others write in it."""
    made = current.past.made
    if made is None or not made.revision_id or only_sets_states(made, tools.keys):
        return None
    if isinstance(made.post.change, ReplaceSection) and not made.post.change.text:
        return None  # we removed ours; another one is a copy that people made
    then = await tools.reader(page.wiki).text_of(page.title, made.revision_id)
    section = find_section(then.text, tools.keys) if then else None
    return section.text if section else None


async def _section(
    tools: PlanningTools,
    page: _Talk,
    current: CurrentPage,
    notes: _Notes,
    *,
    own: str | None,
    name: str,
) -> TalkPlan:
    shown = addresses(notes.due)
    reader = tools.reader(page.wiki)
    refused = await reader.refused_addresses(shown) if shown else shown
    facts = replace(_facts(tools, page, name), linkable=shown - refused)
    return plan_section(
        current.text, notes.due, notes.settled, facts, tools.keys, own=own
    )


def _withdrawn(
    tools: PlanningTools,
    page: _Talk,
    current: CurrentPage,
    *,
    own: str | None,
    name: str,
) -> TalkPlan:
    """Return the removal of our section; a section with answers stays as it is."""
    section = find_section(current.text, tools.keys)
    settled = dict.fromkeys(section.states if section else (), State.FIXED)
    facts = _facts(tools, page, name)
    made = plan_section(current.text, (), settled, facts, tools.keys, own=own)
    is_removal = made.edit is not None and made.edit.kind is EditKind.REMOVE
    return made if is_removal else TalkPlan(None, "notes are no longer asked for")


def _facts(tools: PlanningTools, page: _Talk, name: str) -> TalkFacts:
    today = tools.now().date()
    return TalkFacts(
        tools.bot,
        today,
        name,
        page.community.policy,
        language=language_of(page.wiki),
    )


def _post(
    tools: PlanningTools, plan: Plan, page: _Talk, edit: TalkEdit, name: str
) -> Post:
    full = {each.identity[:24]: each.identity for each in page.shown}
    return Post(
        name=name,
        wiki=plan.task.wiki,
        title=page.title,
        task=Task.TALK.value,
        change=_change(edit),
        summary=tools.summaries(plan.task.wiki).talk(edit, name),
        asked_at=tools.now(),
        user=page.watches[0].watcher if page.watches else "",
        plan=plan.task.kind,
        subject=plan.task.subject,
        adds=edit.added,
        settles=tuple(full.get(each, each) for each in edit.settled),
    )


def _change(edit: TalkEdit) -> Change:
    if edit.section is None:
        return Append(edit.text)
    if edit.kind is EditKind.ADD:
        text = f"{edit.expected.rstrip()}{edit.text}"
        return ReplaceSection(edit.section, edit.expected, text)
    return ReplaceSection(edit.section, edit.expected, edit.text)


def _was_shown(current: CurrentPage, post: Post) -> bool:
    """Return whether a dry run has shown this before; that changes no wiki page."""
    shown = current.past.shown
    if shown is None or shown == current.past.made:
        return False
    before = shown.post
    return (before.adds, before.settles) == (post.adds, post.settles)
