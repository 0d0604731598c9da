"""The post that answers an opt-in template, or removes the answer with it.

The answer is below the template, also on talk pages: people who ask for notes there
look there for the result, and an unreported mistake keeps the whole page without notes.
On talk pages the gate allows only whole sections to be replaced, so there the section
with the template is saved again, including the box; according to the documentation,
that is the lead.
"""

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from decimal import Decimal
from math import ceil

from bot.records.posts import Change, Post
from bot.records.spending import PageCosts, Work
from bot.records.watches import Plan, WatcherKind
from bot.store.spending import day_of
from bot.surfaces.messages import SOURCE, Words, language_of
from bot.surfaces.opt_in.effective import (
    CountedList,
    Effective,
    Limited,
    RequestedDraft,
    Round,
)
from bot.surfaces.opt_in.scope import Decision
from bot.surfaces.opt_in.values import Fault, spoken_interval, spoken_rate
from bot.surfaces.opt_in.watch import ListKind
from bot.surfaces.planning.current_page import CurrentPage, obstacle
from bot.surfaces.planning.diff import difference, section, stretch
from bot.surfaces.planning.posts import (
    Past,
    Planned,
    PlanningTools,
    again,
    post_name,
)
from bot.surfaces.post_summaries import Task
from bot.wiki import blocks
from bot.wiki.escaping import WikiSafe, filled, joined, page_link, text
from bot.wiki.keys import Keys
from bot.wiki.pages import USER, Title
from handlers.model import Span

BLOCK = "state"
_HOUR_S = 3_600.0
_MOST_HOURS = 48  # longer times are given in days
_SHOWN_TITLES = 10
_SHOWN_FAULTS = 20
_NAME = WikiSafe("'''Sidenote'''")
_TABLE = """\
{| class="wikitable" style="font-size:90%"
|+ $caption
$rows
|}"""
_ROW = """\
|-
! scope="row" style="text-align:start" | $name
| $value"""


def answered(
    page: str,
    state: Effective,
    decision: Decision,
    bot: str,
    keys: Keys,
    *,
    own: str | None = None,
    language: str = SOURCE,
    took: PageCosts | None = None,
) -> blocks.Rewritten:
    """Return the page with its state box as it should be.

    Args:
        page: the wikitext that the template was read from.
        state: what the watcher gets.
        decision: whether the watcher falls under the wiki's configuration at all.
        bot: name of the bot's account.
        keys: sign the box.
        own: `Rewritten.content` of the last time, if known.
        language: of the answer.
        took: what checking their pages cost, if known.
    """
    body = box(state, decision, bot, language, took)
    at, advice = state.watch.answer_at, Words(language).say("block-advice")
    return blocks.rewritten(page, BLOCK, body, keys, own=own, at=at, advice=advice)


def withdrawn(page: str, keys: Keys, *, own: str | None = None) -> str:
    """Return the page without its state box, after the template was removed."""
    return blocks.removed(page, BLOCK, keys, own=own)


def is_news(
    old: str, new: str, language: str, *, with_figures: bool, is_of_today: bool
) -> bool:
    """Return whether a box is worth an edit.

    With `with_figures`, changed figures alone are, unless the old box `is_of_today`;
    so is a cap that starts or stops holding something back, on any day.
    """
    row = re.compile(
        re.escape(_took_row(WikiSafe(""), Words(language)))
        + r"(?P<month>[\d-]+: [^;\n]+)(?:; [\d-]{10}: [^;\n]+)?"
        r"(?P<held>; [^\n]+)?(?:\n|$)"
    )
    if row.sub("", old) != row.sub("", new):
        return True
    was, now = row.search(old), row.search(new)
    if not with_figures or now is None:
        return False
    if bool(was and was["held"]) != bool(now["held"]):
        return True
    return not is_of_today and (was is None or was["month"] != now["month"])


def box(
    state: Effective,
    decision: Decision,
    bot: str,
    language: str = SOURCE,
    took: PageCosts | None = None,
) -> WikiSafe:
    """Return the state box as wikitext."""
    words = Words(language)
    rows = [filled(_ROW, name=name, value=value) for name, value in _rows(state, words)]
    if took is not None and took.month != Work():
        rows.append(_took_row(_took(took, words), words))
    rows += _problems(state, decision, words)
    name = words.say("box-help")
    rows.append(filled(_ROW, name=name, value=_help(bot, words)))
    caption = _caption(state, decision, words)
    return filled(_TABLE, caption=caption, rows=joined("\n", rows))


def _took_row(value: WikiSafe, words: Words) -> WikiSafe:
    return filled(_ROW, name=words.say("box-took"), value=value)


def _took(took: PageCosts, words: Words) -> WikiSafe:
    """Return the figures of the month, those of the day, and what a cap holds back."""
    parts = [_work(f"{took.day:%Y-%m}", took.month, words)]
    if took.today != Work():
        parts.append(_work(took.day.isoformat(), took.today, words))
    if took.held_back:
        parts.append(words.say("box-took-kept-back", took.held_back))
    return joined("; ", parts)


def _work(when: str, work: Work, words: Words) -> WikiSafe:
    money = WikiSafe(f"{work.money:.2f}")
    counts = (work.checks, work.fetches, work.tokens)
    return WikiSafe(f"{when}: {words.say('box-took-what', *counts, money)}")


def _caption(state: Effective, decision: Decision, words: Words) -> WikiSafe:
    watcher = text(state.watch.watcher, most=100)
    if not decision.is_in or not state.is_active:
        return words.say("box-nothing", _NAME, watcher)
    if state.watch.kind is WatcherKind.PAGE:
        return words.say("box-page", _NAME, watcher)
    if not state.watches_pages:
        return words.say("box-drafts", _NAME, len(state.drafts), watcher)
    named = (
        ("box-pages", len(state.pages)),
        ("box-categories", len(state.categories)),
        ("box-lists", len(state.lists)),
    )
    counts = [words.say(key, count) for key, count in named if count]
    all_but_last = joined(", ", counts[:-1])
    both = words.say("box-and", all_but_last, counts[-1]) if counts[1:] else counts[0]
    return words.say("box-watches", _NAME, both, watcher)


def _rows(state: Effective, words: Words) -> Iterator[tuple[WikiSafe, WikiSafe]]:
    if state.pages:
        yield WikiSafe("pages"), _titles(state.pages, words)
    if state.categories:
        yield WikiSafe("categories"), _titles(state.categories, words)
    yield from _lists(state, words)
    if state.drafts:
        yield WikiSafe("drafts"), _drafts(state.drafts, words)
    if state.drafts and not state.watches_pages:
        return  # the rest is about pages that are checked
    yield WikiSafe("checks"), _listed(words, (each.value for each in state.checks))
    yield WikiSafe("surface"), _listed(words, (each.value for each in state.surfaces))
    if state.report:
        yield WikiSafe("report"), page_link(state.report.text)
    yield WikiSafe("interval"), words.of(spoken_interval(state.interval_s))
    yield WikiSafe("max"), words.of(spoken_rate(state.most))
    if state.min_confidence is not None:
        yield WikiSafe("min-confidence"), text(f"{state.min_confidence:.0%}")
    if state.languages:
        yield WikiSafe("languages"), _listed(words, state.languages)


def _lists(state: Effective, words: Words) -> Iterator[tuple[WikiSafe, WikiSafe]]:
    """Yield how many pages each list has, and what it takes to check them all."""
    by_parameter: dict[str, list[WikiSafe]] = {}
    for one in state.counted:
        by_parameter.setdefault(one.parameter, []).append(_counted(one, words))
    for parameter, lists in by_parameter.items():
        is_listed = parameter == "categories"  # with links, in a separate row
        name = words.say("box-size") if is_listed else WikiSafe(parameter)
        yield name, joined("; ", lists)
    if state.round is not None and state.round.pages:
        yield words.say("box-round"), _round(state.round, words)


def _problems(state: Effective, decision: Decision, words: Words) -> list[WikiSafe]:
    faults = state.watch.faults
    lines = [
        *(words.say("box-nothing-yet", words.of(each)) for each in decision.reasons),
        *(_fault(each, words) for each in faults[:_SHOWN_FAULTS]),
        *(_limited(each, words) for each in state.limited),
    ]
    if len(faults) > _SHOWN_FAULTS:
        lines.append(words.say("box-more", len(faults) - _SHOWN_FAULTS))
    if not lines:
        return []
    listed = joined("", (WikiSafe(f"\n* {line}") for line in lines))
    return [filled(_ROW, name=words.say("box-problems"), value=listed)]


def _fault(fault: Fault, words: Words) -> WikiSafe:
    reason = words.say("box-fault", words.of(fault.problem), words.of(fault.remedy))
    if not fault.parameter:
        return reason
    return _about(fault.parameter, text(fault.given, most=100), reason)


def _limited(limited: Limited, words: Words) -> WikiSafe:
    reasons = joined("; ", map(words.of, limited.reasons))
    reason = words.say("box-limited", reasons, words.of(limited.given))
    return _about(limited.parameter, words.of(limited.requested), reason)


def _about(parameter: str, given: WikiSafe, reason: WikiSafe) -> WikiSafe:
    return filled(
        "'''$name''' = <code>$given</code>: $reason",
        name=text(parameter, most=100),
        given=given,
        reason=reason,
    )


def _help(bot: str, words: Words) -> WikiSafe:
    page = page_link(f"User:{bot}/watch", words.say("box-how"))
    return words.say("box-stop", page)


def _drafts(drafts: tuple[RequestedDraft, ...], words: Words) -> WikiSafe:
    lines = [
        filled(
            "\n* $topic: $reason",
            topic=text(each.topic.text),
            reason=_draft(each, words),
        )
        for each in drafts
    ]
    return joined("", [*lines, WikiSafe(f"\n: {words.say('box-again')}")])


def _draft(draft: RequestedDraft, words: Words) -> WikiSafe:
    if draft.reason:
        return words.of(draft.reason)
    return page_link(draft.page.text, words.say("box-your-draft"))


def _counted(one: CountedList, words: Words) -> WikiSafe:
    if one.has_more:
        pages = words.say("box-more-than", one.count)
    else:
        pages = words.say("box-up-to", up_to(one.count) if one.count else 0)
    name = text(one.name, most=100)
    counted = filled("$name: $pages", name=name, pages=pages) if one.name else pages
    if one.parameter != ListKind.WATCHLIST.value:
        return counted
    return joined("; ", (counted, words.say("box-watchlist-seen")))


def _round(taken: Round, words: Words) -> WikiSafe:
    pages = up_to(taken.pages)
    hours = ceil(pages / max(taken.pages, 1) * taken.takes_s / _HOUR_S)
    if hours > _MOST_HOURS:
        lasts = words.say("box-round-days", ceil(hours / 24))
    else:
        lasts = words.say("box-round-hours", hours)
    if not taken.money:
        return lasts
    money = text(f"{money_up_to(taken.money):,.2f}")
    return joined(" ", (lasts, words.say("box-round-money", money)))


def up_to(count: int) -> int:
    """Return the next of 10, 20, 50, 100 …: lists grow and shrink by themselves.

    An answer with the exact number of pages would need an edit for each change.
    """
    return next(step for step in _steps(10) if step >= count)


def money_up_to(money: Decimal) -> Decimal:
    """Return the next of 0.01, 0.02, 0.05, 0.10 …."""
    hundredths = next(step for step in _steps(1) if step >= money * 100)
    return Decimal(hundredths) / 100


def _steps(first: int) -> Iterator[int]:
    while True:
        yield from (first * step for step in (1, 2, 5))
        first *= 10


def _titles(titles: tuple[Title, ...], words: Words) -> WikiSafe:
    shown = [page_link(each.text) for each in titles[:_SHOWN_TITLES]]
    if len(titles) > _SHOWN_TITLES:
        shown.append(words.say("box-more", len(titles) - _SHOWN_TITLES))
    return joined("; ", shown)


def _listed(words: Words, listed: Iterable[str]) -> WikiSafe:
    return joined(", ", (text(each) for each in listed)) or words.say("box-none")


_MOST_CHARS = 900_000  # of a change that the outbox can store


@dataclass(frozen=True, slots=True)
class Answer:
    """What a page is to say; `state` is `None` if the template has gone.

    `took` is what checking the pages cost, if any are watched.
    """

    state: Effective | None = None
    decision: Decision = field(default_factory=Decision)
    took: PageCosts | None = None

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
    name = post_name(plan.task.wiki, title, Task.OPT_IN, now, token=plan.token)
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
