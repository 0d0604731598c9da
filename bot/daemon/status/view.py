"""The status page as facts and tables, in the order that people read them. Pure.

Each section holds facts and tables under a heading, whatever the output: the page, the
plain text and the JSON are built from the same sections.
"""

from collections.abc import Iterator, Mapping
from dataclasses import astuple, dataclass
from datetime import datetime
from decimal import Decimal
from math import inf
from typing import TypeAlias

from bot.daemon.status.situation import ROLES, Situation, at_their_cap, share, span
from bot.records.accounts import DecisionKind
from bot.records.dossiers import DraftState
from bot.records.heartbeat import Heartbeat
from bot.records.posts import PostState
from bot.records.status import (
    AGES_S,
    Ages,
    FeedStatus,
    NotesStatus,
    PostLine,
    Used,
)
from bot.records.tasks import TaskState
from bot.records.watches import CommunityPage
from bot.surfaces.feedback import FeedbackRow, FeedbackRules
from bot.surfaces.opt_in.community import Community, effective_entries, read_community
from handlers.model import CheckKind, SourceOutcome

Cell: TypeAlias = str | int | datetime | None
"""A point in time is also shown as how long ago it was; `None` as a dash."""


@dataclass(frozen=True, slots=True)
class Fact:
    """One fact; with `is_bad`, a person should look at it."""

    name: str
    value: Cell
    note: str = ""
    is_bad: bool = False


@dataclass(frozen=True, slots=True)
class Table:
    """Rows under a caption; the first cell of each names the row.

    A long one (`is_long`) is collapsed on the page, and left out of the text.
    """

    caption: str
    columns: tuple[str, ...]
    rows: tuple[tuple[Cell, ...], ...]
    note: str = ""
    is_long: bool = False


@dataclass(frozen=True, slots=True)
class Section:
    """A part of the page. `lede` adds what the heading does not say."""

    anchor: str
    title: str
    facts: tuple[Fact, ...] = ()
    tables: tuple[Table, ...] = ()
    lede: str = ""


def sections_of(situation: Situation) -> tuple[Section, ...]:
    """Return all sections."""
    return (
        _processes(situation),
        _feeds(situation),
        _queue(situation),
        _plans(situation),
        _posts(situation),
        _notes(situation),
        _decided(situation),
        _checks(situation),
        _sources(situation),
        _costs(situation),
        _watches(situation),
        *_patrol(situation),
        *_noted(situation),
        *_drafts(situation),
        *_searches(situation),
        _schedule(situation),
        *_communities(situation),
        _settings(situation),
    )


def _with_rows(*tables: Table) -> tuple[Table, ...]:
    return tuple(table for table in tables if table.rows)


def _processes(situation: Situation) -> Section:
    """Show which processes run."""
    seen = situation.status
    silent = [one for one in seen.processes if not one.is_fresh(seen.at)]
    running = len(seen.processes) - len(silent)
    facts = [Fact("Running", running, is_bad=not running)]
    if silent:
        note = "killed, or cut off from the database"
        facts.append(Fact("No heartbeat", len(silent), note, is_bad=True))
    table = Table(
        "Processes, last 24 hours",
        (
            *("Role", "Task", "State", "Process", "Started"),
            *("Last heartbeat", "Message"),
        ),
        tuple(
            (
                one.role,
                ROLES.get(one.role, ""),
                "running" if one.is_fresh(seen.at) else "no heartbeat",
                f"{one.host}, process {one.pid}, version {one.version}",
                one.started_at,
                one.seen_at,
                _state_of(one),
            )
            for one in seen.processes
        ),
    )
    return Section("processes", "Processes", tuple(facts), _with_rows(table))


def _state_of(one: Heartbeat) -> str:
    figures = (f"{name} {_figure(value)}" for name, value in one.figures.items())
    return "; ".join(part for part in (one.problem, ", ".join(figures)) if part)


def _figure(value: float) -> str:
    return f"{value:,.0f}" if value.is_integer() else f"{value:,.1f}"


def _feeds(situation: Situation) -> Section:
    """Show how far behind the wikis we are."""
    seen, lag_s = situation.status, situation.lag_s
    limit_s = situation.configured.lag_limit_s
    lag = "no event yet" if lag_s is None else span(lag_s)
    is_bad = lag_s is not None and lag_s > limit_s
    facts = [Fact("Lag", lag, f"the limit is {span(limit_s)}", is_bad=is_bad)]
    for feed in seen.feeds:
        if feed.gaps:
            note = "periods whose changes are still to be fetched"
            facts.append(Fact("Gaps", len(feed.gaps), note))
    feeds = Table(
        "Feeds",
        ("Feed", "Newest event", "Last saved", "Gaps", "Unreadable, 24 h", "Reasons"),
        tuple(_feed(feed) for feed in seen.feeds),
    )
    gaps = Table(
        "Gaps",
        ("Feed", "From", "To"),
        tuple(
            (feed.feed, gap.since, gap.until)
            for feed in seen.feeds
            for gap in feed.gaps
        ),
    )
    return Section("feeds", "Change feed", tuple(facts), _with_rows(feeds, gaps))


def _feed(feed: FeedStatus) -> tuple[Cell, ...]:
    dead = {reason.value: count for reason, count in feed.dead_day.items()}
    return (
        feed.feed,
        feed.newest_at,
        feed.received_at,
        len(feed.gaps),
        sum(dead.values()),
        _listed(dead),
    )


def _schedule(situation: Situation) -> Section:
    """Show when each scheduled task last ran."""
    at = situation.status.at
    table = Table(
        "Scheduled tasks",
        ("Task", "Last run", "Running in"),
        tuple(
            (
                task.name,
                task.last_run_at,
                # The name of the process, without the part for its turn.
                task.holder.partition(" at ")[0]
                if task.until and task.until > at
                else "",
            )
            for task in situation.status.scheduled
        ),
    )
    lede = "" if table.rows else "No scheduled task has run yet."
    return Section("tasks", "Schedule", (), _with_rows(table), lede)


def _listed(counts: Mapping[str, int]) -> str:
    """Return the counts by name, without zeros."""
    return ", ".join(f"{name} {count:,}" for name, count in counts.items() if count)


def _searches(situation: Situation) -> tuple[Section, ...]:
    """Show the search services, if any was ever asked."""
    if not situation.quotas:
        return ()
    table = Table(
        "Search services",
        ("Service", "Requests today", "Daily limit", "Paused until", "Reason"),
        tuple(
            (one.search, one.used, one.limit, one.free_at, one.note)
            for one in situation.quotas
        ),
        note="A day begins at midnight, UTC.",
    )
    return (Section("searches", "Searches", (), (table,)),)


_CLASSES = (
    "Scheduled",
    f"Up to {span(AGES_S[0])}",
    *(f"Up to {span(age_s)}" for age_s in AGES_S[1:]),
    "Longer",
)


def _queue(situation: Situation) -> Section:
    """Show how many pages are in each state, since when, and what is parked."""
    queue = situation.status.queue
    waiting = queue.states[TaskState.WAITING]
    parked = queue.states[TaskState.PARKED].total
    facts = [Fact("Due now", waiting.come)]
    if waiting.come:
        facts.append(Fact("Oldest due", waiting.oldest_at))
    if queue.next_due_at:
        facts.append(Fact("Next due", queue.next_due_at))
    if queue.failing:
        facts.append(Fact("To be retried", queue.failing))
    unread = situation.status.fetches
    if unread.waiting:
        facts.append(Fact("Sources to be read elsewhere", unread.waiting))
        facts.append(Fact("Oldest of these", unread.since))
    facts.append(Fact("Parked", parked, is_bad=parked > 0))
    states = Table(
        "Pages by state and age",
        ("State", "Total", *_CLASSES, "Oldest"),
        tuple(_aged(state.value, ages) for state, ages in queue.states.items()),
        "Age is counted from when a page became due, was taken up, parked or done.",
    )
    why = Table("Why pages are parked", ("Reason", "Pages"), queue.why_parked)
    pages = Table(
        "Parked pages, newest first",
        ("Page", "Wiki", "Revision", "Parked", "Attempts", "Reason"),
        tuple(
            (
                one.title,
                one.wiki,
                str(one.revision_id or ""),
                one.parked_at,
                one.attempts,
                one.reason,
            )
            for one in queue.parked
        ),
    )
    return Section(
        "queue", "Queue of pages", tuple(facts), _with_rows(states, why, pages)
    )


def _plans(situation: Situation) -> Section:
    """Show what must be planned again, and what cannot be."""
    plans = situation.status.plans
    due = sum(ages.come for ages in plans.waiting.values())
    facts = [Fact("Due now", due)]
    if plans.failing:
        facts.append(Fact("Failing", len(plans.failing), is_bad=True))
    kinds = Table(
        "Waiting plans by kind and age",
        ("Kind", "Total", *_CLASSES, "Oldest"),
        tuple(
            _aged(f"{kind.name.lower().replace('_', ' ')} ({kind.value})", ages)
            for kind, ages in plans.waiting.items()
            if ages.total
        ),
    )
    failing = Table(
        "Failed plans, to be retried",
        ("Subject", "Wiki", "Kind", "Attempts", "Failed", "Next attempt", "Reason"),
        tuple(
            (
                one.intended_post.subject or "all opt-ins",
                one.intended_post.wiki,
                one.intended_post.kind.name.lower().replace("_", " "),
                one.attempts,
                one.failed_at,
                one.intended_post.due_at,
                one.note,
            )
            for one in plans.failing
        ),
    )
    return Section("plans", "Planning", tuple(facts), _with_rows(kinds, failing))


def _patrol(situation: Situation) -> tuple[Section, ...]:
    """Show what became of all edits of the wikis that are patrolled, if any."""
    wikis = situation.status.patrol
    if not wikis:
        return ()
    counts = Table(
        "Edits of articles, by wiki",
        (
            *("Wiki", "Period", "Heard of", "Diffs read", "Not read", "Candidates"),
            *("Over the limit", "Sources read", "New notes"),
        ),
        tuple(
            (one.wiki, name, *astuple(counts))
            for one in wikis
            for name, counts in (("today (UTC)", one.today), ("7 days", one.week))
        ),
        "Several edits in a row are one diff. Not read: too large, a blanking, a move or"
        " merger, or a text that is hidden or lost. Over the limit: candidates for which"
        " the day's sources (`patrol_sources_per_day`) did not suffice.",
    )
    waiting = Table(
        "Waiting edits by age",
        ("Wiki", "Total", *_CLASSES, "Oldest"),
        tuple(_aged(one.wiki, one.waiting) for one in wikis if one.waiting.total),
    )
    return (Section("patrol", "Patrol", (), _with_rows(counts, waiting)),)


_NOTED = (
    "Edits noted as moved away from their source, in the {days:,.0f} days for which"
    " decisions count. Each is looked at again after 48 hours, and after 30 days unless"
    " it was reverted by then. Still there: as noted, with the same words and sources."
    " Not seen: deleted, moved or hidden. Precision is right / (right + wrong). Right:"
    " a reader said so, or nobody answered and it was reverted. Wrong: a reader said so,"
    " or nobody answered and it is still there after 30 days. All others are undecided,"
    " without those not seen."
)


def _noted(situation: Situation) -> tuple[Section, ...]:
    """Show what became of the edits that were noted, if any."""
    noted = situation.status.noted
    if not noted:
        return ()
    became = Table(
        "Noted edits",
        (
            *("Kind", "Wiki", "Noted", "Not due yet", "Reverted", "Changed again"),
            *("Still there, 48 hours", "Still there, 30 days", "Not seen"),
            *("Readers: right", "Readers: wrong"),
            *("Right", "Wrong", "Undecided", "Precision"),
        ),
        tuple(
            (
                one.kind.value,
                *(one.wiki, one.noted, one.waiting, one.reverted, one.changed),
                *(one.stands, one.stayed, one.unseen),
                *(one.said_right, one.said_wrong),
                *(one.right, one.wrong, one.undecided),
                share(one.right, one.decided),
            )
            for one in noted
        ),
        _NOTED.format(days=situation.configured.feedback.days),
    )
    return (Section("noted-edits", "What became of noted edits", (), (became,)),)


def _drafts(situation: Situation) -> tuple[Section, ...]:
    """Show the drafts that people asked for, if any."""
    drafts = situation.status.drafts
    if not any(ages.total for ages in drafts.states.values()):
        return ()
    waiting = drafts.states[DraftState.WAITING]
    facts = [Fact("To be drafted", waiting.total)]
    if waiting.come:
        facts.append(Fact("Oldest request", waiting.oldest_at))
    states = Table(
        "Drafts by state and age",
        ("State", "Total", *_CLASSES, "Oldest"),
        tuple(
            _aged(state.value, ages)
            for state, ages in drafts.states.items()
            if ages.total
        ),
    )
    why = Table("Why there is no draft", ("Reason", "Drafts"), drafts.why_none)
    return (Section("drafts", "Drafts", tuple(facts), _with_rows(states, why)),)


def _aged(name: str, ages: Ages) -> tuple[Cell, ...]:
    return (name, ages.total, ages.to_come, *ages.counts, ages.oldest_at)


_PRECISION = (
    "Precision is settled / (settled + dismissed): of the notes that people acted on,"
    " those where they changed the sentence or its source. It says nothing about notes"
    " that no one has acted on, and a sentence can change for another reason. A note"
    " on two pages counts twice."
)


def _posts(situation: Situation) -> Section:
    """Show what was posted, what waits and what was refused."""
    posts = situation.status.posts
    facts = [
        Fact("Last posted", posts.last_posted_at),
        Fact("Waiting", posts.waiting.total),
    ]
    if posts.parked:
        how = "`sidenote posts` says why, and settles them"
        facts.append(Fact("Parked", posts.parked, how, is_bad=True))
    if posts.last_shown_at:
        facts.append(Fact("Last dry-run post", posts.last_shown_at))
    refused = posts.week[PostState.REFUSED]
    facts.append(Fact("Refused, last 7 days", refused))
    states = Table(
        "Posts by state",
        ("State", "Last 7 days", "All kept"),
        tuple(
            (state.value, posts.week[state], posts.counts[state])
            for state in PostState
            if posts.counts[state]
        ),
    )
    held = Table("Why posts wait", ("Reason", "Posts"), posts.held)
    refusals = Table(
        "Refused in the last 7 days",
        ("Reason", "Posts"),
        tuple((refusal.value, count) for refusal, count in posts.refusals.items()),
    )
    used = Table(
        "Posts today (UTC) and their limits",
        ("Task", "Wiki", "Posts", "Limit"),
        tuple(_used(one, situation) for one in posts.used_today),
    )
    newest = Table(
        "Latest posts",
        ("Page", "Wiki", "Task", "State", "Changed", "Attempts", "Revision", "Note"),
        tuple(_post(line) for line in posts.newest),
    )
    tables = _with_rows(states, held, refusals, used, newest)
    return Section("posts", "Posts", tuple(facts), tables)


def _used(one: Used, situation: Situation) -> tuple[Cell, ...]:
    limits = situation.configured.rules.of(one.task)
    limit = limits.per_wiki if one.wiki else limits.in_all
    return (one.task, one.wiki or "all wikis", one.count, limit)


def _post(line: PostLine) -> tuple[Cell, ...]:
    why = f"{line.refusal.value}: " if line.refusal else ""
    return (
        line.title,
        line.wiki,
        line.task,
        line.state.value,
        line.changed_at,
        line.tries,
        str(line.revision_id or ""),
        f"{why}{line.note}",
    )


def _notes(situation: Situation) -> Section:
    """Show what became of the notes that people saw, by kind of check."""
    notes = situation.status.findings.notes
    table = Table(
        "Notes by check",
        ("Check", "Shown", "Open", "Settled", "Dismissed", "Precision"),
        tuple(
            (
                check_name(one),
                one.shown,
                one.open,
                one.settled,
                one.dismissed,
                _precision_words(one),
            )
            for one in notes
        ),
        _PRECISION,
    )
    lede = "" if notes else "No note has been shown yet."
    return Section("notes", "Notes and dismissals", (), _with_rows(table), lede)


def _precision_words(one: NotesStatus) -> str:
    """Return the precision with the number it is based on; empty if that is 0."""
    if one.precision is None:
        return ""
    return f"{share(one.settled, one.decided)} (n = {one.decided})"


def check_name(one: NotesStatus) -> str:
    """Return what the claims were flagged for."""
    if one.kind in CheckKind.__members__:
        return CheckKind[one.kind].value
    return one.kind or "not known"


def _checks(situation: Situation) -> Section:
    """Show how much was checked, and what is open."""
    found = situation.status.findings
    flagged = {kind.value: count for kind, count in found.flagged.items()}
    facts = (
        Fact("Pages checked", found.pages),
        Fact("Last check", found.last_check_at),
        Fact("Open suggestions, flagged", sum(flagged.values()), _listed(flagged)),
        Fact("Open suggestions, uncertain", found.doubtful, "below the threshold"),
        Fact("Closed suggestions", found.closed, "deleted after 30 days"),
    )
    days = Table(
        "Last 7 days, each of 24 hours",
        ("Until", "Checks", "Claims", "Could not check", "Verdicts"),
        tuple(
            (
                day.until,
                day.checks,
                day.claims,
                day.unchecked,
                _listed({verdict.value: n for verdict, n in day.verdicts.items()}),
            )
            for day in found.days
            if day.checks
        ),
    )
    return Section("checks", "Checks", facts, _with_rows(days))


def _sources(situation: Situation) -> Section:
    """Show how fetching sources went."""
    day = situation.status.findings.sources_day
    week = situation.status.findings.sources_week
    read = SourceOutcome.READ
    facts = tuple(
        Fact(
            f"Read, {name}",
            share(one.outcomes.get(read, 0), one.total) or None,
            f"of {one.total:,} fetches for {one.pages:,} pages",
        )
        for name, one in (("last 24 hours", day), ("last 7 days", week))
        if one.total
    )
    table = Table(
        "Sources by outcome",
        ("Outcome", "24 hours", "Share", "7 days", "Share of 7 days"),
        tuple(
            (
                outcome.value,
                day.outcomes.get(outcome, 0),
                share(day.outcomes.get(outcome, 0), day.total),
                count,
                share(count, week.total),
            )
            for outcome, count in week.outcomes.items()
        ),
        "Newest check of each page in that time.",
    )
    lede = "" if table.rows else "No source was fetched in the last seven days."
    return Section("sources", "Sources", facts, _with_rows(table), lede)


def _costs(situation: Situation) -> Section:
    """Show what language models cost."""
    seen = situation.status
    table = Table(
        "Language models",
        (
            *("Model", "Period", "Calls", "Cached"),
            *("Input tokens", "Output tokens", "Cost"),
        ),
        tuple(
            (
                one.model,
                name,
                one.calls,
                one.remembered,
                one.input_tokens,
                one.output_tokens,
                _money(one.cost),
            )
            for name, costs in (
                ("24 hours", seen.costs_day),
                ("7 days", seen.costs_week),
            )
            for one in costs
        ),
        "Saved checks only, in the currency of the prices in the settings.",
    )
    lede = "" if table.rows else "No language model was asked in the last seven days."
    spent = sum((one.cost for one in seen.costs_day), Decimal(0))
    lately = (Fact("Spent, last 24 hours", _money(spent)),)
    facts = (*(lately if table.rows else ()), *_today(situation))
    return Section("costs", "Costs", facts, _with_rows(table), lede)


def _today(situation: Situation) -> Iterator[Fact]:
    """Show what is left of the day's allowance, if a model is set up."""
    allowance, spent = situation.configured.allowance, situation.status.spending
    if allowance is None:
        return
    aside = f"{_money(spent.reserved)} of it set aside"
    yield Fact(
        "Booked today (UTC), all processes",
        f"{_money(spent.settled + spent.reserved)} of {allowance.money}",
        f"{aside}; at the limit until the next day" if spent.refused_at else aside,
    )
    yield Fact("Calls today (UTC)", f"{spent.calls:,} of {allowance.calls:,}")
    if spent.refused:
        yield Fact("At their own daily limit", at_their_cap(spent.refused))


def _money(amount: Decimal) -> str:
    """Return an amount to a hundredth of a cent."""
    return f"{amount:.4f}"


_NAMES = {
    DecisionKind.ACCEPT: "Accepted",
    DecisionKind.DISMISS: "Dismissed",
    DecisionKind.WRONG_VERDICT: "Given another verdict",
    DecisionKind.COMPARED: "Compared with the source",
}
_HOW = (
    "Each suggestion counts once, by the newest decision that says whether it is right."
    " Precision is right / decided. The 95 % Wilson interval is by readers, each with"
    " one voice, however much they decided. After {least} decisions by {readers}"
    " readers, only suggestions are shown whose probability is so high that the"
    " lower bound of the interval reaches {bar:.0%} for them and those above; if no"
    " probability is high enough, the kind is held. Decisions count for {days:,.0f}"
    " days."
)


def _decided(situation: Situation) -> Section:
    """Show how often readers find each kind right, and what is held back for it."""
    decided, rules = situation.status.decided, situation.configured.feedback
    made = situation.feedback
    facts = [Fact(_NAMES[kind], count) for kind, count in decided.kinds.items()]
    facts.append(Fact("Closed after two dismissals", decided.closed))
    answered = sum(n for answer, n in decided.reports.items() if answer)
    facts.append(Fact("Problems reported", sum(decided.reports.values())))
    facts.append(Fact("Of these answered", answered))
    facts.append(Fact("Checks held back", len(made.held), is_bad=bool(made.held)))
    table = Table(
        "Precision by readers' decisions",
        (
            *("Check", "Wiki", "Engine", "Decided", "Right", "Wrong", "Readers"),
            *("Precision", "95 % interval", "Threshold", "Held back"),
        ),
        tuple(_row(row, rules) for row in made.rows),
        _HOW.format(
            least=rules.least_decisions,
            readers=rules.least_readers,
            bar=rules.bar,
            days=rules.days,
        ),
    )
    lede = "" if made.rows else "No one has decided on a flagged suggestion recently."
    title = "Readers' decisions"
    return Section("decided", title, tuple(facts), _with_rows(table), lede)


def _row(row: FeedbackRow, rules: FeedbackRules) -> tuple[Cell, ...]:
    return (
        row.kind.value,
        row.wiki,
        engine_name(row),
        row.decided,
        row.right,
        row.wrong,
        round(row.readers),
        share(row.right, row.decided),
        interval(row),
        _shown_from(row, rules),
        "yes" if row.is_held else "no",
    )


def engine_name(row: FeedbackRow) -> str:
    """Return the engine with its version."""
    return f"{row.engine.name} {row.engine.version}".strip()


def interval(row: FeedbackRow) -> str:
    """Return the interval of the precision in words."""
    low, high = row.interval
    return f"{low:.0%} to {high:.0%}"


def _shown_from(row: FeedbackRow, rules: FeedbackRules) -> str:
    if row.decided < rules.least_decisions:
        return "as set (too few decisions)"
    if row.readers < rules.least_readers:
        return "as set (too few readers)"
    if row.least == inf:
        return "nothing is shown"
    return f"{row.least:.3f}" if row.least else "as set"


_DEFAULT = "default"


def _watches(situation: Situation) -> Section:
    """Show what people want watched."""
    table = Table(
        "Opt-ins in force",
        ("Wiki", "Pages", "By users", "By talk pages", "By projects", "Talk notes"),
        tuple(
            (one.wiki, one.pages, *one.kinds.values(), one.talk)
            for one in situation.status.watches
        ),
    )
    lede = "" if table.rows else "Nobody has opted in."
    return Section("watches", "Opt-ins", (), _with_rows(table), lede)


def _communities(situation: Situation) -> Iterator[Section]:
    """Show, for each wiki, what is in force there."""
    for number, (wiki, page) in enumerate(pages_of(situation).items(), 1):
        yield _community(f"community-{number}", wiki, page)


def pages_of(situation: Situation) -> Mapping[str, CommunityPage | None]:
    """Return the configuration page of each wiki that is watched or has one."""
    found: dict[str, CommunityPage | None] = dict.fromkeys(
        one.wiki for one in situation.status.watches
    )
    found |= {one.wiki: one.page for one in situation.status.communities}
    return dict(sorted(found.items()))


def in_force(page: CommunityPage | None) -> tuple[Community, bool]:
    """Return what is in force, and whether the wiki itself says so."""
    read = read_community(page.text) if page and page.text else None
    if read is None or read.community is None:
        return Community(), False
    return read.community, True


def _community(anchor: str, wiki: str, page: CommunityPage | None) -> Section:
    community, is_own = in_force(page)
    source = "the program's defaults"
    if page and is_own:
        source = f"revision {page.revision_id} of the wiki's page"
    facts = [Fact("Source", source)]
    if page:
        facts.append(Fact("Read", page.read_at))
        facts += [Fact("Fault", fault, is_bad=True) for fault in page.faults]
    table = Table(
        "All values",
        ("Name", "Value", "Source", "Meaning"),
        tuple(
            (
                entry.name,
                entry.value,
                _DEFAULT if entry.is_default else "the wiki's",
                entry.meaning,
            )
            for entry in effective_entries(community)
        ),
        is_long=True,
    )
    title = f"Configuration of {wiki}"
    return Section(anchor, title, tuple(facts), _with_rows(_own(table), table))


def _settings(situation: Situation) -> Section:
    """Show all settings in force, with secrets hidden."""
    configured = situation.configured
    table = Table(
        "All settings",
        ("Name", "Value", "Source", "Meaning"),
        tuple(
            (
                one.name,
                one.value,
                _DEFAULT if one.is_default else "set",
                one.meaning,
            )
            for one in configured.settings
        ),
        is_long=True,
    )
    facts = (
        Fact("Version", configured.version),
        Fact("Posting", "live" if configured.is_live else "dry run"),
        Fact("Account", configured.account or None),
    )
    tables = _with_rows(_own(table), table)
    return Section("settings", "Settings", facts, tables)


def _own(table: Table) -> Table:
    """Return the rows of `table` whose value is not the default."""
    rows = tuple(
        (name, value) for name, value, whose, _ in table.rows if whose != _DEFAULT
    )
    return Table("Changed from the default", ("Name", "Value"), rows)
