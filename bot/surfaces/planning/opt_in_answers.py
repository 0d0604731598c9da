"""The post that answers an opt-in template, or removes the answer with it.

The answer is below the template, also on talk pages: people who ask for notes there
look there for the result, and an unreported mistake keeps the whole page without notes.
On talk pages the gate allows only whole sections to be replaced, so there the section
with the template is saved again, including the box; according to the documentation,
that is the lead.
"""

from dataclasses import dataclass, field

from bot.records.posts import Change, Post
from bot.records.spending import PagesTook
from bot.records.watches import Plan, WatcherKind
from bot.store.spending import day_of
from bot.surfaces.messages import language_of
from bot.surfaces.opt_in.effective import Effective
from bot.surfaces.opt_in.scope import Decision
from bot.surfaces.planning.current_page import CurrentPage, obstacle
from bot.surfaces.planning.diff import difference, section, stretch
from bot.surfaces.planning.intended_post import Planned, PlanningTools, again, post_name
from bot.surfaces.planning.post_history import Past
from bot.surfaces.post_summaries import Task
from bot.surfaces.state_box import BLOCK, answered, is_news, withdrawn
from bot.wiki import blocks
from bot.wiki.keys import Keys
from bot.wiki.titles import USER
from handlers.model import Span

_MOST_CHARS = 900_000  # of a change that the outbox can store


@dataclass(frozen=True, slots=True)
class Answer:
    """What a page is to say; `state` is `None` if the template has gone.

    `took` is what checking the pages cost, if any are watched.
    """

    state: Effective | None = None
    decision: Decision = field(default_factory=Decision)
    took: PagesTook | None = None

    @property
    def problems(self) -> int:
        """How many problems there are to look at."""
        if self.state is None:
            return 0
        faults = len(self.state.watch.faults) + len(self.state.limited)
        return faults + len(self.decision.reasons)

    @property
    def user(self) -> str:
        """The person it is for; empty if it is for a page."""
        watch = self.state.watch if self.state else None
        return watch.watcher if watch and watch.kind is WatcherKind.USER else ""


def planned(
    tools: PlanningTools, plan: Plan, current: CurrentPage, answer: Answer
) -> Planned:
    """Return the post that makes the page say what it should, unless it already does.

    Args:
        tools: what plans are made with.
        plan: what is planned.
        current: the page as it is now, and what was posted there.
        answer: what the page should say.
    """
    past, change = current.past, _change(tools, plan.task.wiki, current, answer)
    if change is None:
        return _nothing(past, "the page is up to date")
    stopped = obstacle(current.page, tools.bot)
    if stopped:
        return _nothing(past, stopped)
    if past.waiting is not None and past.waiting.post.change == change:
        return Planned(why="the answer is waiting to be posted")
    if tools.is_dry and past.shown is not None and past.shown.post.change == change:
        return Planned(why="the answer was shown")
    held = past.held_until
    if held and held > tools.now() and past.refused[0].post.change == change:
        return Planned((), (again(plan, held),), "the answer was refused")
    return Planned((_post(tools, plan, current, answer, change),))


def _nothing(past: Past, why: str) -> Planned:
    """Return that nothing is due; a waiting post was meant for an older template."""
    drops = (past.waiting.post.name,) if past.waiting else ()
    return Planned((), (), why, drops)


def _change(
    tools: PlanningTools, wiki: str, current: CurrentPage, answer: Answer
) -> Change | None:
    """Return the change that is due; `None` if there is none, or none is possible."""
    page = current.page
    if page is None:
        return None
    own = _own(current.past, tools.keys)
    if answer.state is None:
        new = withdrawn(page.text, tools.keys, own=own)
    else:
        done = answered(
            page.text,
            answer.state,
            answer.decision,
            tools.bot,
            tools.keys,
            own=own,
            language=language_of(wiki),
            took=answer.took,
        )
        new = done.text
        if not _is_news(current, done.content, wiki, tools):
            return None
        own = done.content
    if new == page.text:
        return None
    # The change contains the whole box, so that the next plan finds it there.
    box = blocks.find(new, BLOCK, tools.keys, own=own).block
    whole = Span(box.start, box.end) if box else None
    found = difference(page.text, new, whole)
    change: Change | None
    if page.namespace == USER:
        change = stretch(page.text, found)
    else:
        change = section(page.text, new, found)
    return change if change and _fits(change) else None


def _is_news(
    current: CurrentPage, content: str | None, wiki: str, tools: PlanningTools
) -> bool:
    """Return whether to save a box; on talk pages, not for changed figures alone."""
    page, made = current.page, current.past.made
    old = blocks.find(page.text, BLOCK, tools.keys).block if page else None
    if page is None or old is None or content is None or old.content != old.written:
        return True
    return is_news(
        old.content,
        content,
        language_of(wiki),
        with_figures=page.namespace == USER,
        is_of_today=made is not None and day_of(made.changed_at) == day_of(tools.now()),
    )


def _fits(change: Change) -> bool:
    expected = getattr(change, "expected", "")
    return max(len(change.text), len(expected)) <= _MOST_CHARS


def _own(past: Past, keys: Keys) -> str | None:
    """Return what we last wrote into the box, taken from that post."""
    if past.made is None:
        return None
    block = blocks.find(past.made.post.change.text, BLOCK, keys).block
    return block.content if block else None


def _post(
    tools: PlanningTools,
    plan: Plan,
    current: CurrentPage,
    answer: Answer,
    change: Change,
) -> Post:
    title, now = current.page.title if current.page else plan.task.subject, tools.now()
    name = post_name(plan, title, Task.OPT_IN, now)
    if answer.state is None:
        summary = tools.summaries(plan.task.wiki).withdrawal(name)
    else:
        summary = tools.summaries(plan.task.wiki).state(answer.problems, name)
    return Post(
        name=name,
        wiki=plan.task.wiki,
        title=title,
        task=Task.OPT_IN.value,
        change=change,
        summary=summary,
        asked_at=now,
        user=answer.user,
        plan=plan.task.kind,
        subject=plan.task.subject,
    )
