"""What is wrong: why nothing is posted, and what an operator must act on. Pure.

Reasons follow the path of a post backwards: from the settings, through people and the
wiki, the process that writes, and the plans, to what is checked and read. The first
that `blocks` explains why nothing is posted; those after it would be next.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import Enum

from bot.daemon.status.situation import (
    INTAKE,
    PUBLISH,
    READ,
    WORK,
    Situation,
    ago,
    at_their_cap,
    span,
)
from bot.daemon.status.view import engine_name, interval
from bot.records.heartbeat import OF_THE_WIKI, HealthProblem, HealthProblemKind
from bot.records.posts import PostState, Refusal
from bot.records.status import Ages
from bot.records.tasks import TaskState
from bot.records.watches import PlanKind
from bot.report.words import counted


class Hold(Enum):
    """What holds a post back; the value says what can be done."""

    STOPPED = "To let the task write, save its stop page with just the word “run”."
    BLOCKED = "Read the reason on the wiki, and resolve it with the community."
    CAPTCHA = "The account needs the right to skip CAPTCHAs: request the bot flag."
    ACCOUNT = "Check the account's rights, bot flag, and password or OAuth grants."
    READ_ONLY = "Nothing to do: it continues when the wiki can be edited again."
    LAGGED = (
        "Nothing to do: it continues when the databases of the wiki have caught up."
    )
    LIMIT = (
        "Nothing to do until midnight UTC. To allow more, raise the setting of that"
        " limit."
    )
    OTHER = "It is retried automatically; if the problem persists, see the log."


# Words in the remarks on waiting posts, which are sentences of `bot.writing` and of the
# store; a test runs the real ones through here.
_SIGNS: Mapping[str, Hold] = {
    "stop page of the task": Hold.STOPPED,
    "is blocked": Hold.BLOCKED,
    "CAPTCHA": Hold.CAPTCHA,
    "may not edit": Hold.ACCOUNT,
    "the account is no bot": Hold.ACCOUNT,
    "refuses the login": Hold.ACCOUNT,
    "does not know the account": Hold.ACCOUNT,
    "OAuth": Hold.ACCOUNT,
    "is read-only": Hold.READ_ONLY,
    "answered readonly": Hold.READ_ONLY,
    "databases are behind": Hold.LAGGED,
    "answered maxlag": Hold.LAGGED,
    "the limit for one": Hold.LIMIT,
}


@dataclass(frozen=True, slots=True)
class Held:
    """Posts that wait for one reason."""

    hold: Hold
    note: str
    posts: int


def holds_of(notes: tuple[tuple[str, int], ...]) -> tuple[Held, ...]:
    """Return what holds posts back, what people must settle first."""
    found = [
        Held(
            next((hold for sign, hold in _SIGNS.items() if sign in note), Hold.OTHER),
            note,
            count,
        )
        for note, count in notes
    ]
    order = list(Hold)
    return tuple(sorted(found, key=lambda one: (order.index(one.hold), -one.posts)))


_LATELY_S = 86_400.0

_REFUSED = {
    Refusal.PLACE: "Only talk pages and user pages are written; check the request.",
    Refusal.EXCLUDED: "These pages have {{nobots}} or {{bots|deny=…}}; nothing to do.",
    Refusal.SPAM: "A link in the text is on the spam blacklist of the wiki; change the source.",
    Refusal.FILTER: "Read the abuse filter log on the wiki, and ask the maintainers of the filter.",
    Refusal.PROTECTED: "Nothing to do: these pages are protected, and tried again ever more rarely.",
    Refusal.BLOCKED: "Read the block log on the wiki, and settle it with the people there.",
    Refusal.TOO_LONG: "The talk page must be archived before anything can be added.",
    Refusal.GIVEN_UP: "Held back for a week: see the notes of these posts. Notes that still apply are planned again.",
    Refusal.DELETED: "Nothing to do: pages that people deleted are not written again.",
    Refusal.UNKNOWN: "See the notes of these posts; it may be an error in the program.",
}
"""What the operator can do about each; refusals that are as intended are left out."""

_HOLDS = "Nothing to do: this is expected where the citations hold."
_UNREAD = (
    "Most sources were not read, and a claim whose source was not read gets no"
    " verdict: see “Sources” below; `sidenote doctor --only web` tries one."
)


@dataclass(frozen=True, slots=True)
class Reason:
    """Something that keeps posts back.

    With `blocks` nothing at all is posted meanwhile; otherwise it affects some posts.
    """

    what: str
    remedy: str
    blocks: bool


def question(situation: Situation) -> str:
    """Return the question that the reasons answer."""
    last, at = situation.status.posts.last_posted_at, situation.status.at
    is_lately = last is not None and (at - last).total_seconds() < _LATELY_S
    return "What keeps other posts back?" if is_lately else "Why is nothing posted?"


def why_nothing_is_posted(situation: Situation) -> tuple[Reason, ...]:
    """Return all reasons, in the order in which to look into them."""
    return tuple(
        reason
        for find in (_set, _written, _planned, _held, _found, _checked, _received)
        for reason in find(situation)
    )


def _set(situation: Situation) -> Iterator[Reason]:
    configured = situation.configured
    if not configured.account:
        yield Reason(
            "No account is set for posting.",
            "Set `bot_account`; a dry run needs it too.",
            blocks=True,
        )
    if not configured.has_secret:
        yield Reason(
            "No secret is set; the bot needs one to recognise its own posts.",
            "Set `bot_secret` in the environment: at least 16 random bytes.",
            blocks=True,
        )
    if not configured.is_live:
        shown = situation.status.posts.counts[PostState.SHOWN]
        yield Reason(
            "This is a dry run: posts go to a folder, not to the wiki"
            f" ({counted(shown, 'post')} shown so far).",
            "See what would be posted; then set `posting` to `live`.",
            blocks=True,
        )


def _written(situation: Situation) -> Iterator[Reason]:
    posts = situation.status.posts
    for held in holds_of(posts.held):
        waits = counted(held.posts, "post waits", "posts wait")
        why = held.note.rstrip(".")
        yield Reason(f"{waits}: {why}.", _remedy(held, situation), blocks=True)
    yield from _nobody_publishes(situation)
    if posts.parked:
        yield Reason(
            f"{counted(posts.parked, 'post is', 'posts are')} parked: it is not known"
            " whether it was made, or why the wiki refuses it; its page waits, too.",
            "`sidenote posts` lists them with the reasons; settle each one there.",
            blocks=False,
        )
    for one in posts.left_out:
        yield Reason(
            f"A note is left out of “{one.title}” on {one.wiki}:"
            f" “{one.claim}” in “{one.article}”. The wiki refuses it:"
            f" {one.why.rstrip('.')}.",
            "The other notes are posted, and this one is tried again ever more rarely;"
            " ask the maintainers of the filter, or change the source.",
            blocks=False,
        )
    for refusal, count in posts.refusals.items():
        if refusal in _REFUSED:
            yield Reason(
                f"{counted(count, 'post was', 'posts were')} refused this week:"
                f" {refusal.value}.",
                _REFUSED[refusal],
                blocks=False,
            )


def _nobody_publishes(situation: Situation) -> Iterator[Reason]:
    posts = situation.status.posts.waiting.total
    plans = sum(ages.come for ages in situation.status.plans.waiting.values())
    if posts + plans == 0 or situation.fresh(PUBLISH):
        return
    named = ((posts, "post"), (plans, "plan"))
    message = " and ".join(counted(number, name) for number, name in named if number)
    yield _nobody(PUBLISH, f"{message} {'waits' if posts + plans == 1 else 'wait'}")


def _remedy(held: Held, situation: Situation) -> str:
    tasks = {
        line.task
        for line in situation.status.posts.newest
        if line.state is PostState.WAITING and line.note == held.note
    }
    if held.hold is not Hold.STOPPED or not tasks:
        return held.hold.value
    account = situation.configured.account or "<bot>"
    pages = ", ".join(f"User:{account}/Run/{task}" for task in sorted(tasks))
    return f"{held.hold.value} ({pages})"


def _planned(situation: Situation) -> Iterator[Reason]:
    plans, at = situation.status.plans, situation.status.at
    for failing in plans.failing[:3]:
        intended_post = failing.intended_post
        yield Reason(
            f"Planning “{intended_post.subject or intended_post.kind.value}” on {intended_post.wiki} failed"
            f" {counted(failing.attempts, 'time')}, last {ago(failing.failed_at, at)}:"
            f" {failing.note}.",
            "It is retried automatically; if the problem persists, see the log.",
            blocks=False,
        )
    for one in situation.status.communities:
        if one.page.faults:
            yield Reason(
                f"The configuration page of {one.wiki} has"
                f" {counted(len(one.page.faults), 'fault')}; the last"
                " valid one applies.",
                "Fix the page on the wiki; the faults are listed below.",
                blocks=False,
            )


def _held(situation: Situation) -> Iterator[Reason]:
    rules = situation.configured.feedback
    for row in situation.feedback.held:
        yield Reason(
            f"“{row.kind.value}” by {engine_name(row)} is held on {row.wiki}: readers"
            f" found {row.right} of {counted(row.decided, 'suggestion')} right"
            f" ({interval(row)}; the bar is {rules.bar:.0%}).",
            "Read what they refused (`sidenote judgements decisions`), and raise that"
            " threshold in `operating_points` or use a better engine. It is shown"
            " again automatically once these decisions are older than"
            f" {rules.days:,.0f} days.",
            blocks=False,
        )


def _found(situation: Situation) -> Iterator[Reason]:
    seen = situation.status
    if not seen.watches:
        yield Reason(
            "Nobody is watching any page.",
            "An editor must put {{User:<bot>/watch}} on a page in their user space.",
            blocks=True,
        )
    elif not any(one.pages for one in seen.watches):
        yield Reason(
            "No page that the opt-ins list may be checked.",
            "See the box on each opt-in page, which says what was understood.",
            blocks=True,
        )
    if seen.findings.last_check_at and not sum(seen.findings.flagged.values()):
        doubtful = counted(seen.findings.doubtful, "doubtful one")
        yield Reason(
            f"No open suggestion is certain enough to be shown ({doubtful}).",
            _UNREAD if seen.findings.sources_week.is_mostly_unread else _HOLDS,
            blocks=True,
        )
    open_notes = sum(one.open for one in seen.findings.notes)
    left = sum(seen.findings.flagged.values()) - sum(
        o.shown for o in seen.findings.notes
    )
    if open_notes and left > 0:
        yield Reason(
            f"At least {counted(left, 'flagged suggestion')} {'is' if left == 1 else 'are'} not shown.",
            "Opt-ins and wikis limit the notes per day; the limits are listed"
            " under the configuration of the wiki.",
            blocks=False,
        )
    if open_notes:
        yield Reason(
            f"{counted(open_notes, 'note stands', 'notes stand')} on pages already and"
            f" {'waits' if open_notes == 1 else 'wait'} for people.",
            "Nothing to do: no note is posted twice.",
            blocks=False,
        )


def _checked(situation: Situation) -> Iterator[Reason]:
    queue, at = situation.status.queue, situation.status.at
    waiting = queue.states[TaskState.WAITING]
    parked = queue.states[TaskState.PARKED].total
    in_work = queue.states[TaskState.LEASED].total
    if waiting.come and not situation.fresh(WORK):
        yield _nobody(WORK, counted(waiting.come, "page waits", "pages wait"))
    unread = situation.status.fetches.waiting
    if unread and not situation.fresh(READ):
        yield _nobody(READ, counted(unread, "source waits", "sources wait"))
    if queue.failing:
        waits = counted(queue.failing, "page waits", "pages wait")
        yield Reason(
            f"{waits} for another try after a failure.",
            "It is retried automatically; if the problem persists, see the log.",
            blocks=False,
        )
    elif queue.next_due_at and not waiting.come and not in_work:
        in_s = (queue.next_due_at - at).total_seconds()
        yield Reason(
            f"No page is due; the next is in {span(in_s)}.",
            "Nothing to do: pages rest between checks.",
            blocks=False,
        )
    if parked:
        only = not waiting.total and not in_work
        yield Reason(
            f"{counted(parked, 'page is', 'pages are')} parked"
            f"{', and no other waits' if only else ''}.",
            "A page is checked again when it is edited; the reasons are listed below.",
            blocks=False,
        )
    yield from _asleep(situation)
    if situation.status.findings.last_check_at is None:
        yield Reason(
            "No page has been checked yet.",
            "A page is checked when it is first watched, and after each edit.",
            blocks=True,
        )


def _asleep(situation: Situation) -> Iterator[Reason]:
    allowance, spent = situation.configured.allowance, situation.status.spending
    if allowance is None:
        return
    if spent.refused:
        yield Reason(
            "Their share of the daily budget of the language model (UTC) has been"
            f" spent by {at_their_cap(spent.refused)}.",
            "Doubtful claims there were not put to the model; this is retried at the"
            " next check. To allow more, raise `language_model_daily_page_share` or"
            " `language_model_daily_person_share` and restart the workers.",
            blocks=False,
        )
    if spent.refused_at is None:
        return
    yield Reason(
        "The language model is not used, at most until the next day (UTC):"
        f" {spent.settled + spent.reserved:.4f} of {allowance.money} and {spent.calls:,}"
        f" of {allowance.calls:,} calls are spent or set aside.",
        "Pages are checked without it, and doubtful claims stay doubtful. To allow"
        " more, raise"
        " `language_model_daily_budget` or `language_model_daily_calls` and restart"
        " the workers.",
        blocks=False,
    )


def _received(situation: Situation) -> Iterator[Reason]:
    seen, lag_s = situation.status, situation.lag_s
    if seen.watches and not situation.fresh(INTAKE):
        last = max((one.received_at for one in seen.feeds), default=None)
        since = f" (the last event came {ago(last, seen.at)})" if last else ""
        yield Reason(
            f"No process reads the change feed{since}.",
            "Start `sidenote daemon`, or `sidenote intake`.",
            blocks=False,
        )
    if lag_s is not None and lag_s > situation.configured.lag_limit_s:
        yield Reason(
            f"The change feed is {span(lag_s)} behind, or silent.",
            "It catches up automatically; if it does not, check the network and the feed.",
            blocks=False,
        )
    for one in situation.fresh(INTAKE):
        if one.problem:
            yield Reason(
                f"The change feed has a problem: {one.problem}.",
                "It is retried automatically; if the problem persists, check the network.",
                blocks=False,
            )


def _nobody(role: str, waiting: str) -> Reason:
    return Reason(
        f"{waiting}, but no process with the role “{role}” is running.",
        f"Start {'' if role == READ else '`sidenote daemon`, or '}`sidenote {role}`.",
        blocks=True,
    )


_LATE_S = 1800.0  # that a post or an opt-in may be overdue
_STALLED_S = 3600.0  # that pages may, while none is finished
_TRIES = 3  # that an opt-in may fail
_OF_HOLDS = {
    Hold.STOPPED: HealthProblemKind.STOPPED,
    Hold.BLOCKED: HealthProblemKind.BLOCKED,
    Hold.CAPTCHA: HealthProblemKind.ACCOUNT,
    Hold.ACCOUNT: HealthProblemKind.ACCOUNT,
}


def health_problems(
    situation: Situation, of_wikis: Sequence[HealthProblem] | None = None
) -> tuple[HealthProblem, ...]:
    """Return what is wrong; empty if all is well.

    Only what the operator must know at once, for /healthz and the alerts. The other
    reasons are everything that holds a post back, most of it normal.

    Args:
        situation: of the program.
        of_wikis: what the wikis say now about stop pages and blocks, which
            `bot.daemon.health_watch` asks them; without it, what they said last.
    """
    if of_wikis is None:
        of_wikis = last_of_wikis(situation)
    known = {one.kind for one in of_wikis}
    # What the wiki says about a stop takes precedence over what a post ran into.
    held = (one for one in _refused_by_wiki(situation) if one.kind not in known)
    others = (_feed, _queue, _posts, _opt_ins, _budget)
    found = [*of_wikis, *held, *(one for find in others for one in find(situation))]
    return tuple({(one.kind, one.subject): one for one in reversed(found)}.values())[
        ::-1
    ]


def last_of_wikis(situation: Situation) -> tuple[HealthProblem, ...]:
    """Return what the wikis said when they were asked last."""
    return tuple(
        one.problem
        for one in situation.status.incidents
        if one.problem.kind in OF_THE_WIKI and one.problem.subject
    )


def _refused_by_wiki(situation: Situation) -> Iterator[HealthProblem]:
    if not situation.configured.is_live:
        return
    for held in holds_of(situation.status.posts.held):
        if held.hold in _OF_HOLDS:
            waits = counted(held.posts, "post waits", "posts wait")
            what = f"{waits}: {held.note.rstrip('.')}"
            yield HealthProblem(_OF_HOLDS[held.hold], what, held.hold.value)


def _feed(situation: Situation) -> Iterator[HealthProblem]:
    lag_s, limit_s = situation.lag_s, situation.configured.lag_limit_s
    if situation.status.watches and not situation.fresh(INTAKE):
        yield HealthProblem(
            HealthProblemKind.FEED,
            "no process reads the change feed",
            "Start `sidenote daemon`, or `sidenote intake`.",
        )
    elif lag_s is not None and lag_s > limit_s:
        yield HealthProblem(
            HealthProblemKind.FEED,
            f"the change feed is {lag_s:,.0f} s behind; the limit is {limit_s:,.0f} s",
            "It catches up by itself; if it does not, check the network and the feed.",
        )


def _queue(situation: Situation) -> Iterator[HealthProblem]:
    states = situation.status.queue.states
    waiting, done = states[TaskState.WAITING], states[TaskState.IDLE]
    late_s = _late_s(situation, waiting)
    pages = counted(waiting.come, "page is", "pages are")
    if waiting.come and not situation.fresh(WORK):
        yield HealthProblem(
            HealthProblemKind.QUEUE,
            f"{pages} due, and no process checks pages",
            "Start `sidenote daemon`, or `sidenote work`.",
        )
    elif late_s > _STALLED_S and not sum(done.counts[:3]):
        yield HealthProblem(
            HealthProblemKind.QUEUE,
            f"{pages} due, the oldest for {span(late_s)}, and none was finished in the"
            " last hour",
            "Check the log of the workers, and whether the wiki and the sources"
            " respond.",
        )


def _posts(situation: Situation) -> Iterator[HealthProblem]:
    if not situation.configured.is_live:
        return
    waiting = situation.status.posts.waiting
    late_s = _late_s(situation, waiting)
    posts = counted(waiting.come, "post is", "posts are")
    if waiting.come and not situation.fresh(PUBLISH):
        yield HealthProblem(
            HealthProblemKind.POSTS,
            f"{posts} due, and no process writes to the wiki",
            "Start `sidenote daemon`, or `sidenote publish`.",
        )
    elif late_s > _LATE_S:
        yield HealthProblem(
            HealthProblemKind.POSTS,
            f"{posts} due, the oldest for {span(late_s)}",
            "Check the log of the process that publishes.",
        )


def _opt_ins(situation: Situation) -> Iterator[HealthProblem]:
    plans = situation.status.plans
    waiting = plans.waiting.get(PlanKind.OPT_INS, Ages())
    late_s = _late_s(situation, waiting)
    if late_s > _LATE_S:
        unread = counted(waiting.come, "opt-in has", "opt-ins have")
        yield HealthProblem(
            HealthProblemKind.OPT_INS,
            f"{unread} not been read, the oldest for {span(late_s)}",
            "Check that a process with the role “publish” is running, and its log.",
        )
        return
    for one in plans.failing:
        if one.intended_post.kind is PlanKind.OPT_INS and one.attempts >= _TRIES:
            place = (
                one.intended_post.subject
                or f"the list of opt-ins of {one.intended_post.wiki}"
            )
            yield HealthProblem(
                HealthProblemKind.OPT_INS,
                f"{place} cannot be read: {one.note.rstrip('.')}",
                "It is retried automatically; if the problem persists, see the log.",
            )
            return


def _budget(situation: Situation) -> Iterator[HealthProblem]:
    allowance, spent = situation.configured.allowance, situation.status.spending
    if allowance is not None and spent.refused_at is not None:
        yield HealthProblem(
            HealthProblemKind.BUDGET,
            "the daily budget of the language model (UTC) is spent:"
            f" {spent.settled + spent.reserved:.4f} of {allowance.money},"
            f" {spent.calls:,} of {allowance.calls:,} calls",
            "Pages are checked without it until the next day. To allow more, raise"
            " `language_model_daily_budget` or `language_model_daily_calls`.",
        )


def _late_s(situation: Situation, ages: Ages) -> float:
    if not ages.come or ages.oldest_at is None:
        return 0.0
    return (situation.status.at - ages.oldest_at).total_seconds()
