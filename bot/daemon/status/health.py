"""What is so wrong that the operator must be told at once. Pure.

`why_nothing_is_posted` lists everything that holds a post back, most of it normal; here
is only what a person must act on, or would want to know today.
`bot.daemon.health_watch` asks the wiki about stop pages and blocks; its last findings
are in the situation.
"""

from collections.abc import Iterator, Sequence

from bot.daemon.status.reasons import Hold, holds_of
from bot.daemon.status.situation import INTAKE, PUBLISH, WORK, Situation, span
from bot.records.heartbeat import OF_THE_WIKI, HealthProblem, HealthProblemKind
from bot.records.status import Ages
from bot.records.tasks import TaskState
from bot.records.watches import PlanKind
from bot.report.words import counted

_LATE_S = 1800.0  # that a post or an opt-in may be overdue
_STALLED_S = 3600.0  # that pages may, while none is finished
_TRIES = 3  # that an opt-in may fail
_HELD = {
    Hold.STOPPED: HealthProblemKind.STOPPED,
    Hold.BLOCKED: HealthProblemKind.BLOCKED,
    Hold.ACCOUNT: HealthProblemKind.ACCOUNT,
}


def health_problems(
    situation: Situation, of_wikis: Sequence[HealthProblem] | None = None
) -> tuple[HealthProblem, ...]:
    """Return what is wrong; empty if all is well.

    Args:
        situation: of the program.
        of_wikis: what the wikis say now; without it, what they said last.
    """
    if of_wikis is None:
        of_wikis = last_of_wikis(situation)
    asked = {one.kind for one in of_wikis}
    # What the wiki says about a stop takes precedence over what a post ran into.
    held = (one for one in _held(situation) if one.kind not in asked)
    others = (_feed, _queue, _posts, _opt_ins, _budget)
    found = [*of_wikis, *held, *(one for find in others for one in find(situation))]
    return tuple({(one.kind, one.subject): one for one in reversed(found)}.values())[
        ::-1
    ]


def last_of_wikis(situation: Situation) -> tuple[HealthProblem, ...]:
    """Return what the wikis said when they were asked last."""
    known = (kept.problem for kept in situation.status.incidents)
    return tuple(one for one in known if one.kind in OF_THE_WIKI and one.subject)


def _held(situation: Situation) -> Iterator[HealthProblem]:
    if not situation.configured.is_live:
        return
    for held in holds_of(situation.status.posts.held):
        if held.hold in _HELD:
            waits = counted(held.posts, "post waits", "posts wait")
            what = f"{waits}: {held.note.rstrip('.')}"
            yield HealthProblem(_HELD[held.hold], what, held.hold.remedy)


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
