"""Plans the report page of a watcher: one page, one block, one edit at a time.

The report page is also the digest: whoever watches it sees one edit with everything
new, no more often than the interval of their opt-in allows, and gets no other message.
What people remove from it is dismissed; they can blank it to dismiss everything. A page
that they deleted or moved away is not made again until they edit their opt-in: making
it again with the next note would mean arguing with them about their own space.

Stretches are only replaced in user space. A report on a talk page stays within one
section, which is replaced as a section.
"""

import asyncio
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta

from bot.records.posts import Append, Change, Post, ReplaceStretch, StoredPost
from bot.records.watches import ActiveWatch, NoteState, Plan, ShownNote, WatcherKind
from bot.report.notes import Note
from bot.surfaces.messages import language_of
from bot.surfaces.note import addresses, marked, marks_in
from bot.surfaces.opt_in.community import Community
from bot.surfaces.opt_in.refusal import Refusals, page_says
from bot.surfaces.planning.current_page import (
    SOON_S,
    CurrentPage,
    community_of,
    obstacle,
    past_at,
    read_current,
    reader_decisions,
)
from bot.surfaces.planning.diff import difference, section
from bot.surfaces.planning.filtered import part_of
from bot.surfaces.planning.posts import (
    Past,
    Planned,
    PlanningTools,
    again,
    later,
    post_name,
    posted,
    shown_here,
)
from bot.surfaces.planning.selection import (
    Candidate,
    Room,
    candidates,
    in_order,
    room_for,
    with_room,
    without_left_out,
)
from bot.surfaces.post_summaries import Task
from bot.surfaces.report_page import (
    BLOCK,
    MOST_NOTES,
    ReportFacts,
    is_unchanged,
    reported,
    standing,
    taken_away,
)
from bot.wiki import blocks
from bot.wiki.keys import Keys
from bot.wiki.pages import USER
from handlers.model import Span

_EVER = datetime.min.replace(tzinfo=UTC)
_DAY_S = 86_400.0
_WEEK_S = 7 * _DAY_S


@dataclass(frozen=True, slots=True)
class Report:
    """A report page, who it is for, and what is on it.

    `own` is its block as our last post left it, `shown` the notes that were shown, and
    `there` the short identities of those that are there now.
    """

    title: str
    watches: tuple[ActiveWatch, ...]
    community: Community
    current: CurrentPage
    own: str | None
    shown: tuple[ShownNote, ...]
    there: frozenset[str]

    @property
    def open(self) -> frozenset[str]:
        """Return the identities of the notes that are open here."""
        return frozenset(
            each.identity for each in self.shown if each.state is NoteState.OPEN
        )

    @property
    def dismissed(self) -> frozenset[str]:
        """Return the identities of the notes that people do not want here."""
        return frozenset(
            each.identity for each in self.shown if each.state is NoteState.DISMISSED
        )

    @property
    def overdue(self) -> frozenset[str]:
        """Return those of them still here: readers dismissed them elsewhere."""
        return frozenset(name for name in self.dismissed if name[:24] in self.there)


@dataclass(frozen=True, slots=True)
class Content:
    """What a report should say: notes in their order, and how many have to wait.

    `is_search` says that new notes are added out of turn, to see which of them a filter
    of the wiki refuses; `again_at` is when one that is left out is tried again.
    """

    notes: tuple[Note, ...]
    added: tuple[str, ...]
    closed: tuple[str, ...]
    waiting: int
    is_search: bool = False
    again_at: datetime | None = None


def content_of(
    report: Report, chosen: Sequence[Candidate], room: Room, now: datetime
) -> Content:
    """Return what a report should say, from the notes that may be shown."""
    lines = [each for each in chosen if each.note.identity in report.open]
    refused = report.current.past.filtered
    new, again_at = without_left_out(
        [each for each in chosen if each.note.identity not in report.open], refused, now
    )
    given = with_room(new, room)[: max(0, MOST_NOTES - len(lines))]
    part = part_of([each.note.identity for each in given], refused)
    given = [each for each in given if each.note.identity in part.names]
    shown = {each.note.identity for each in lines}
    return Content(
        notes=tuple(in_order([*lines, *given])),
        added=tuple(each.note.identity for each in given),
        closed=tuple(sorted((report.open - shown) | report.overdue)),
        waiting=len(new) - len(given),
        is_search=part.is_search,
        again_at=again_at,
    )


def new_notes_due(report: Report) -> datetime:
    """Return when the report may next be rewritten for new notes alone."""
    last = report.current.past.shown
    interval_s = min(each.interval_s for each in report.watches)
    if last is None or interval_s < _DAY_S:
        return _EVER
    return last.changed_at + timedelta(seconds=min(interval_s, _WEEK_S))


def without_new(wanted: Content) -> Content:
    """Return the same content without what is new."""
    new = frozenset(wanted.added)
    return Content(
        notes=tuple(each for each in wanted.notes if each.identity not in new),
        added=(),
        closed=wanted.closed,
        waiting=wanted.waiting + len(new),
    )


def articles(watches: Iterable[ActiveWatch]) -> list[str]:
    """Return the titles that several watches name, each once."""
    return list(dict.fromkeys(title for watch in watches for title in watch.pages))


def change_of(
    page: str,
    notes: Sequence[Note],
    facts: ReportFacts,
    keys: Keys,
    own: str | None,
    *,
    in_user_space: bool,
) -> Change | None:
    """Return the change that makes a page show `notes`; `None` if none is possible.

    It touches nothing else on the page.

    Args:
        page: its wikitext, empty if there is no page yet.
        notes: the open notes, in order.
        facts: about the report.
        keys: sign the block and the notes.
        own: the content of the block as we last wrote it, if known.
        in_user_space: whether any stretch of the page may be replaced.
    """
    block = blocks.find(page, BLOCK, keys, own=own).block
    heading = f"\n\n== {facts.words.say('report-heading')} ==\n"
    begun = page if block or in_user_space else f"{page}{heading}"
    made = reported(begun, notes, facts, keys, own=own)
    if made.content is None:
        return None
    if block is None:
        # On a new line, whatever people have begun the page with meanwhile.
        return Append("\n" + made.text[len(page) :].removeprefix("\n"))
    if in_user_space:
        return _stretch(page, block, made.text, keys)
    now = blocks.find(made.text, BLOCK, keys).block
    whole = Span(now.start, now.end) if now else None
    return section(page, made.text, difference(page, made.text, whole))


def _stretch(page: str, block: blocks.Block, new: str, keys: Keys) -> ReplaceStretch:
    """Return the change of the block, with text around it if it is not unique.

    Otherwise, whatever people write next to it meanwhile does not prevent the change.
    Notes that stand only outside, where people copied the report, are part of it: if
    people remove one meanwhile, the change must not bring it back.
    """
    ours = frozenset(marks_in(block.content, keys))
    strays = [span for name, span in marked(page, keys) if name not in ours]
    first = min((block.start, *(each.start for each in strays)))
    last = max((block.end, *(each.end for each in strays)))
    for start, end in ((first, last), (0, last), (0, len(page))):
        if page.count(page[start:end]) == 1:
            break
    return ReplaceStretch(page[start:end], new[start : len(new) - (len(page) - end)])


async def plan_report(tools: PlanningTools, plan: Plan) -> Planned:
    """Plan the report of the opt-in on the page that is the plan's subject.

    Raises:
        PermanentError: the wiki will not answer, or a text is too long to be stored.
        TemporaryError: the wiki or the store is away.
    """
    wiki, store = plan.task.wiki, tools.store
    watch = await asyncio.to_thread(store.watches.get, wiki, plan.task.subject)
    if watch is None or watch.report is None:
        return Planned(why="no report is asked for")
    waits = _waits(tools, await past_at(tools, wiki, watch.report, Task.REPORT))
    if waits is not None:
        return Planned(
            (),
            (again(plan, waits),),
            "it was rewritten a short while ago, or that was refused",
        )
    current = await read_current(tools, wiki, watch.report, Task.REPORT)
    if current is None:
        return later(plan, tools.now(), SOON_S, "an edit of the report is in progress")
    stopped = await _obstacle(tools, watch, current)
    if stopped:
        return later(plan, tools.now(), _DAY_S, stopped)
    left = await _left(tools, wiki, current)
    report = await asyncio.to_thread(_read, tools, watch, current, left)
    room = await asyncio.to_thread(
        room_for,
        tools,
        report.watches,
        report.community,
        report.shown,
        is_own=True,
    )
    chosen = await asyncio.to_thread(_chosen, tools, report)
    return await _planned(
        tools, plan, report, content_of(report, chosen, room, tools.now())
    )


async def _obstacle(
    tools: PlanningTools, watch: ActiveWatch, current: CurrentPage
) -> str:
    """Return why nothing is written to the report page, if so."""
    made = current.past.made
    if current.page is None and made is not None and not tools.is_dry:
        place = await tools.reader(watch.wiki).text_of(watch.place)
        if place is None or place.revised_at <= made.changed_at:
            return "its page was deleted, and the opt-in has not been edited since"
    return obstacle(current.page, tools.bot)


async def _left(tools: PlanningTools, wiki: str, current: CurrentPage) -> str:
    """Return the page as our last post left it, if people have edited it since."""
    page, made = current.page, current.past.made
    if page is None or made is None or not made.revision_id or tools.is_dry:
        return ""
    if page.revision_id == made.revision_id:
        return ""
    then = await tools.reader(wiki).text_of(page.title, made.revision_id)
    return then.text if then else ""


def _read(
    tools: PlanningTools, watch: ActiveWatch, current: CurrentPage, left: str
) -> Report:
    """Return the report as it is, after noting what people removed."""
    store, title = tools.store, watch.report or ""
    made = current.past.shown if tools.is_dry else current.past.made
    own = _own(made, tools)
    if own is not None and current.page is not None and not tools.is_dry:
        gone = taken_away(current.text, own, tools.keys, left=left)
        if gone:
            store.shown_notes.dismiss(watch.wiki, title, sorted(gone), tools.now())
    shown = store.shown_notes.on(watch.wiki, title)
    same = (each for each in store.watches.all(watch.wiki) if each.report == title)
    return Report(
        title=title,
        # Several opt-ins may share a page: each plan writes for all of them.
        watches=tuple(sorted(same, key=lambda each: each.place)),
        community=community_of(store, watch.wiki),
        current=current,
        own=own,
        shown=shown_here(shown, current.past, is_dry=tools.is_dry),
        there=standing(_text(tools, current), own, tools.keys),
    )


def _own(made: StoredPost | None, tools: PlanningTools) -> str | None:
    if made is None:
        return None
    block = blocks.find(made.post.change.text, BLOCK, tools.keys).block
    return block.content if block else None


def _chosen(tools: PlanningTools, report: Report) -> list[Candidate]:
    first, store = report.watches[0], tools.store
    person = first.watcher if first.kind is WatcherKind.USER else ""
    refusals = Refusals(store, tools.now)
    there = page_says(report.current.text).optout
    found = [
        each
        for title in articles(report.watches)
        for each in refusals.shown(
            store.suggestions_of(first.wiki, title),
            *(first.wiki, title, person),
            also=there,
        )
        if each.suggestion.identity not in report.dismissed
    ]
    decided = reader_decisions(tools, first.wiki, found)
    return candidates(found, report.watches, report.community, report.open, decided)


async def _planned(
    tools: PlanningTools, plan: Plan, report: Report, wanted: Content
) -> Planned:
    """Return the post that is due, and when to check again."""
    now, intended_posts = tools.now(), []
    if wanted.again_at is not None:
        intended_posts.append(again(plan, wanted.again_at))
    if _stands(tools, report, wanted):
        if wanted.waiting:
            intended_posts.append(again(plan, now + timedelta(seconds=tools.room_s)))
        return posted(None, report.current.past, intended_posts)
    due_at = _EVER if wanted.is_search else new_notes_due(report)
    if now < due_at and not wanted.closed:
        return Planned(
            (), (again(plan, due_at),), "new notes are posted together, later"
        )
    if now < due_at and wanted.added:
        wanted = without_new(wanted)
        intended_posts.append(again(plan, due_at))
    elif wanted.waiting:
        soon_s = tools.rewrite_s if wanted.is_search else tools.room_s
        intended_posts.append(again(plan, now + timedelta(seconds=soon_s)))
    post = await _post(tools, plan, report, wanted)
    if post is None:
        why = "nothing can be added to the page as it is"
        return later(plan, now, _DAY_S, why)
    return posted(post, report.current.past, intended_posts)


def _stands(tools: PlanningTools, report: Report, wanted: Content) -> bool:
    """Return whether the page already says what it should."""
    text = _text(tools, report.current)
    if blocks.find(text, BLOCK, tools.keys, own=report.own).block is None:
        return not wanted.notes
    return is_unchanged(text, report.own, wanted.notes, tools.keys)


def _text(tools: PlanningTools, current: CurrentPage) -> str:
    """Return the page as people see it; in a dry run, as it was last shown."""
    if tools.is_dry and current.past.shown is not None:
        return current.past.shown.post.change.text
    return current.text


def _waits(tools: PlanningTools, past: Past) -> datetime | None:
    """Return until when the page is not even read."""
    until = past.held_until
    if until is None and past.shown is not None:
        until = past.shown.changed_at + timedelta(seconds=tools.rewrite_s)
    return until if until is not None and until > tools.now() else None


async def _post(
    tools: PlanningTools, plan: Plan, report: Report, wanted: Content
) -> Post | None:
    wiki, now = plan.task.wiki, tools.now()
    change = await _change(tools, wiki, report, wanted)
    if change is None:
        return None
    name = post_name(wiki, report.title, Task.REPORT, now, token=plan.token)
    return Post(
        name=name,
        wiki=wiki,
        title=report.title,
        task=Task.REPORT.value,
        change=change,
        summary=tools.summaries(wiki).report(len(wanted.notes), name),
        asked_at=report.current.at,
        user=report.watches[0].watcher,
        plan=plan.task.kind,
        subject=plan.task.subject,
        adds=wanted.added,
        settles=wanted.closed,
    )


async def _change(
    tools: PlanningTools, wiki: str, report: Report, wanted: Content
) -> Change | None:
    shown = addresses(wanted.notes)
    refused = await tools.reader(wiki).refused_addresses(shown) if shown else shown
    title = (await tools.reader(wiki).namespaces()).title(report.title)
    is_in_user_space = title is not None and title.namespace == USER
    facts = ReportFacts(
        bot=tools.bot,
        as_of=tools.now(),
        policy=report.community.policy,
        linkable=shown - refused,
        waiting=wanted.waiting,
        has_headings=is_in_user_space,
        language=language_of(wiki),
    )
    text, own = report.current.text, None if tools.is_dry else report.own
    return change_of(
        text, wanted.notes, facts, tools.keys, own, in_user_space=is_in_user_space
    )
