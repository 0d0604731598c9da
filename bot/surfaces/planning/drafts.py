"""Plans the page of a draft: a new one in its person's own folder, or none.

A page that already exists under that name stays as it is, whoever wrote it, and the
person is notified. The post planned here only succeeds if there is no page.
"""

import asyncio

from bot.records.dossiers import DraftState, StoredDraft
from bot.records.posts import Create, Post
from bot.records.watches import NoteKind, Plan
from bot.surfaces.opt_in.community import has_decided_since
from bot.surfaces.opt_in.refusal import Refusals
from bot.surfaces.planning.current_page import SOON_S, obstacle, past_at, read_current
from bot.surfaces.planning.posts import (
    Planned,
    PlanningTools,
    again,
    later,
    post_name,
    posted,
)
from bot.surfaces.post_summaries import Task

IN_THE_WAY = (
    "a page of this name exists, and it is not overwritten; move it, or have it deleted"
)
_DAY_S = 86_400.0


async def plan_draft(tools: PlanningTools, plan: Plan) -> Planned:
    """Plan the page of a draft; the plan's subject is its title.

    Raises:
        PermanentError: the wiki will not answer.
        TemporaryError: the wiki or the store is away.
    """
    wiki, title, store = plan.task.wiki, plan.task.subject, tools.store
    draft = await asyncio.to_thread(store.drafts.of_page, wiki, title)
    past = await past_at(tools, wiki, title, Task.DRAFT)
    if draft is None or not await asyncio.to_thread(_is_due, draft, tools):
        return posted(None, past, why="no draft is to be posted there")
    if past.held_until is not None and past.held_until > tools.now():
        return Planned((), (again(plan, past.held_until),), "it was refused")
    current = await read_current(tools, wiki, title, Task.DRAFT)
    if current is None:
        return later(plan, tools.now(), SOON_S, "the page is being created")
    if current.page is not None:
        now = tools.now()
        await asyncio.to_thread(store.drafts.refuse, wiki, title, IN_THE_WAY, now)
        return posted(None, current.past, why="a page exists already")
    place = await tools.reader(wiki).text_of(draft.place)
    stopped = obstacle(place, tools.bot)
    if stopped:
        return later(plan, tools.now(), _DAY_S, stopped)
    return posted(_post(tools, plan, draft), current.past)


def _is_due(draft: StoredDraft, tools: PlanningTools) -> bool:
    """Return whether it is drafted and not yet on the wiki, or not yet shown.

    Once the community has decided again, a different policy may apply from the one
    under which it was written; then it is drafted again first.
    """
    kinds = Refusals(tools.store, tools.now).of(draft.wiki, draft.topic, draft.watcher)
    if NoteKind.DRAFTS in kinds:
        return False
    was_shown = draft.state is DraftState.SHOWN and not tools.is_dry
    if draft.state is not DraftState.DRAFTED and not was_shown:
        return False
    decided = tools.store.communities.get(draft.wiki)
    is_outdated = has_decided_since(decided, draft.drafted_at)
    if is_outdated:
        tools.store.drafts.reopen(draft.wiki, draft.page, tools.now())
    return not is_outdated


def _post(tools: PlanningTools, plan: Plan, draft: StoredDraft) -> Post:
    name = post_name(
        plan.task.wiki, draft.page, Task.DRAFT, tools.now(), token=plan.token
    )
    return Post(
        name=name,
        wiki=draft.wiki,
        title=draft.page,
        task=Task.DRAFT.value,
        change=Create(draft.text),
        summary=tools.summaries(draft.wiki).draft(name),
        asked_at=tools.now(),
        user=draft.watcher,
        plan=plan.task.kind,
        subject=plan.task.subject,
    )
