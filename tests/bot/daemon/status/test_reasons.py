"""Why nothing is posted: each reason comes with a remedy, the first blocks."""

import re
from collections.abc import Mapping
from dataclasses import replace
from datetime import timedelta
from decimal import Decimal
from pathlib import Path
from typing import get_type_hints

import pytest
import yaml

from bot.daemon.status.metrics import render_metrics
from bot.daemon.status.reasons import (
    Hold,
    health_problems,
    holds_of,
    question,
    why_nothing_is_posted,
)
from bot.daemon.status.situation import INTAKE, PUBLISH, WORK, ago, span
from bot.records.heartbeat import HealthProblem, HealthProblemKind, Incident
from bot.records.posts import PostState, Refusal
from bot.records.spending import Allowance, PayerKind
from bot.records.status import (
    AGES_S,
    Ages,
    CommunityStatus,
    FetchesStatus,
    LeftOut,
    NotesStatus,
    PostLine,
    SourcesStatus,
    SpendingStatus,
    WatchesStatus,
)
from bot.records.tasks import TaskState
from bot.records.watches import (
    CommunityPage,
    FailingPlan,
    IntendedPost,
    PlanKind,
    WatcherKind,
)
from bot.store import Store
from bot.writing.edit import outcome
from bot.writing.preflight import CurrentPage, Preflight, by_people
from handlers.model import CheckKind, SourceOutcome
from tests import builders
from tests.bot.daemon.status.filled import STOPPED, fill, heartbeat, seen
from tests.bot.daemon.status.situations import SOUND, situation, without
from tests.bot.store.runs import NOON, WIKI, hour

_DUE = Ages(0, (1, 0, 0, 0, 0), NOON - timedelta(seconds=30))
_FUTURE = Ages(1, (0,) * (len(AGES_S) + 1), hour(1))


def test_a_program_at_work_with_nothing_to_do_has_no_reason() -> None:
    assert why_nothing_is_posted(situation()) == ()
    assert health_problems(situation()) == ()


def _posts(**changes: object) -> dict[str, object]:
    return {"posts": replace(SOUND.posts, **changes)}  # type: ignore[arg-type]


def _queue(*states: tuple[TaskState, Ages], **changes: object) -> dict[str, object]:
    known = SOUND.queue.states | dict(states)  # type: ignore[operator]
    queue = replace(SOUND.queue, states=known, **changes)  # type: ignore[arg-type]
    return {"queue": queue}


def _found(**changes: object) -> dict[str, object]:
    return {"findings": replace(SOUND.findings, **changes)}  # type: ignore[arg-type]


_FAILING = FailingPlan(
    IntendedPost(PlanKind.TALK, WIKI, "Lighthouse", hour(1)),
    3,
    "the wiki is away",
    hour(-1),
)
_LEFT_OUT = LeftOut(
    *(WIKI, "User:Ada/Report", "a" * 64, "Lighthouse", "It is 40 m tall."),
    why="abusefilter-disallowed: This action …",
    refused_at=hour(-1),
)
_FAULTY = CommunityStatus(WIKI, CommunityPage("", 0, hour(-1), ("not JSON",)))
_LATE = replace(
    SOUND.feeds[0], newest_at=hour(-2), received_at=NOON - timedelta(seconds=5)
)


@pytest.mark.parametrize(
    ("changes", "message", "blocks"),
    [
        ({"configured": {"account": ""}}, "No account is set", True),
        ({"configured": {"has_secret": False}}, "No secret is set", True),
        ({"configured": {"is_live": False}}, "This is a dry run", True),
        (_posts(held=((STOPPED, 2),)), "2 posts wait: the stop page", True),
        (_posts(held=(("it says: No.", 1),)), "1 post waits: it says: No.", True),
        (
            {**_posts(waiting=_DUE), **without(PUBLISH)},
            "1 post waits, but no process with the role “publish”",
            True,
        ),
        (_posts(refusals={Refusal.EXCLUDED: 3}), "excludes bots", False),
        (
            _posts(left_out=(_LEFT_OUT,)),
            "left out of “User:Ada/Report” on en.wikipedia.org: “It is 40 m tall.” in",
            False,
        ),
        (
            {"plans": replace(SOUND.plans, waiting={PlanKind.TALK: _DUE})}
            | without(PUBLISH),
            "1 plan waits, but no process",
            True,
        ),
        (
            {"plans": replace(SOUND.plans, failing=(_FAILING,))},
            "Planning “Lighthouse” on en.wikipedia.org failed 3 times, last 1 hour",
            False,
        ),
        ({"communities": (_FAULTY,)}, "has 1 fault", False),
        ({"watches": ()}, "Nobody is watching any page", True),
        (
            {"watches": (WatchesStatus(WIKI, {WatcherKind.USER: 1}, 0, 0),)},
            "No page that the opt-ins list",
            True,
        ),
        (
            _found(flagged={}, doubtful=4),
            "certain enough to be shown (4 doubtful",
            True,
        ),
        (_found(notes=(NotesStatus("X", 3, 1, 1),)), "1 note stands on pages", False),
        ({**_queue((TaskState.WAITING, _DUE)), **without(WORK)}, "role “work”", True),
        (
            {"fetches": FetchesStatus(2, hour(-1))},
            "2 sources wait, but no process with the role “read”",
            True,
        ),
        (
            _queue((TaskState.WAITING, _FUTURE), next_due_at=hour(1)),
            "the next is in 1 hour",
            False,
        ),
        (
            _queue((TaskState.WAITING, _FUTURE), next_due_at=hour(1), failing=1),
            "1 page waits for another try after a failure.",
            False,
        ),
        (_queue((TaskState.PARKED, _DUE)), "is parked, and no other waits", False),
        (
            {
                "spending": SpendingStatus(Decimal("1.9"), Decimal("0.05"), 70, NOON),
                "configured": {"allowance": Allowance(Decimal("2.00"), 2000)},
            },
            "until the next day (UTC): 1.9500 of 2.00 and 70 of 2,000 calls",
            False,
        ),
        (
            {
                "spending": SpendingStatus(refused={PayerKind.PAGE: 2}),
                "configured": {"allowance": Allowance(Decimal("2.00"), 2000)},
            },
            "has been spent by 2 pages.",
            False,
        ),
        (_found(last_check_at=None), "No page has been checked yet", True),
        (without(INTAKE), "No process reads the change feed (the last event", False),
        ({"feeds": (_LATE,)}, "is 119 minutes behind", False),
        (
            {
                "processes": (
                    *SOUND.processes,
                    heartbeat(INTAKE, name="x", problem="429"),
                )
            },
            "has a problem: 429",
            False,
        ),
    ],
)
def test_whatever_keeps_posts_back_is_reported_with_a_remedy(
    changes: Mapping[str, object], message: str, blocks: bool
) -> None:
    found = why_nothing_is_posted(situation(**changes))  # type: ignore[arg-type]

    [reason] = found
    assert message in reason.what
    assert not reason.what.endswith("..")
    assert reason.remedy.endswith((".", ")"))
    assert reason.blocks is blocks


def test_a_kind_that_readers_find_wrong_is_reported_with_what_can_be_done() -> None:
    wrong = builders.tally(WIKI, CheckKind.NOT_SUPPORTED, (0.9,), (0.9,) * 39)
    changed = situation(decided=replace(SOUND.decided, tallies=(wrong,)))

    [reason] = why_nothing_is_posted(changed)

    assert f"is held on {WIKI}: readers found 1 of 40 suggestions right" in reason.what
    assert "the bar is 50%" in reason.what
    assert "older than 180 days" in reason.remedy
    assert reason.blocks is False


def test_what_the_limits_keep_from_being_shown_is_counted() -> None:
    notes = (NotesStatus("NOT_SUPPORTED", 1, 0, 0),)
    findings = replace(SOUND.findings, notes=notes)

    [limits, open_notes] = why_nothing_is_posted(situation(findings=findings))

    assert limits.what == "At least 2 flagged suggestions are not shown."
    assert open_notes.what.startswith("1 note stands on pages already and waits")


def test_where_sources_are_not_read_nobody_is_told_that_citations_hold() -> None:
    def remedy(read: int) -> str:
        outcomes = {SourceOutcome.READ: read, SourceOutcome.UNREACHABLE: 5}
        week = SourcesStatus(1, outcomes)
        found = replace(SOUND.findings, flagged={}, sources_week=week)
        [reason] = why_nothing_is_posted(situation(findings=found))
        return reason.remedy

    assert remedy(read=4).startswith("Most sources were not read")
    assert remedy(read=5).startswith("Nothing to do")


def test_reasons_come_from_the_last_step_back_to_the_first() -> None:
    found = why_nothing_is_posted(
        situation(
            {"is_live": False},
            watches=(),
            posts=replace(SOUND.posts, held=((STOPPED, 1),)),
            processes=(),
        )
    )

    beginnings = [reason.what.split()[0] for reason in found]
    assert beginnings == ["This", "1", "Nobody"]


def test_the_stop_page_is_named_by_its_task() -> None:
    line = PostLine(
        WIKI,
        "Talk:X",
        "talk",
        PostState.WAITING,
        0,
        NOON,
        NOON,
        NOON,
        STOPPED,
        None,
        None,
    )
    posts = replace(SOUND.posts, held=((STOPPED, 1),), newest=(line,))

    [reason] = why_nothing_is_posted(situation(posts=posts))

    assert "User:ExampleBot/Run/talk" in reason.remedy


def test_a_refusal_that_is_as_it_should_be_is_no_reason() -> None:
    posts = replace(SOUND.posts, refusals={Refusal.CHANGED: 9, Refusal.UNWANTED: 9})

    assert why_nothing_is_posted(situation(posts=posts)) == ()


def test_where_something_was_posted_lately_the_question_is_another() -> None:
    posted = replace(SOUND.posts, last_posted_at=hour(-23))

    assert question(situation()) == "Why is nothing posted?"
    assert question(situation(posts=posted)) == "What keeps other posts back?"


# --- notes of posts -----------------------------------------------------------


_GOES: dict[str, object] = {
    "ns": 2,
    "title": "User:Bot/Run/talk",
    "revisions": [{"revid": 1, "slots": {"main": {"content": "run"}}}],
}


@pytest.mark.parametrize(
    ("stop", "user", "hold"),
    [
        ({"ns": 2, "title": "User:Bot/Run/talk", "missing": True}, {}, Hold.STOPPED),
        (_GOES, {"blockid": 1, "blockreason": "why"}, Hold.BLOCKED),
    ],
)
def test_whoever_stops_the_bot_is_known_from_the_note(
    stop: dict[str, object], user: dict[str, object], hold: Hold
) -> None:
    page = CurrentPage.model_validate({"ns": 3, "title": "User talk:X"})
    account = get_type_hints(Preflight)["user"].model_validate(user)
    preflight = Preflight(
        page=page,
        subject=None,
        stop=CurrentPage.model_validate(stop),
        user=account,
        token="",
        at=NOON,
    )

    held_back = by_people(preflight)

    assert held_back is not None
    [reason] = holds_of(((held_back.why, 1),))
    assert reason.hold is hold


@pytest.mark.parametrize(
    ("code", "hold"),
    [
        ("readonly", Hold.READ_ONLY),
        ("maxlag", Hold.LAGGED),
        ("blocked", Hold.BLOCKED),
        ("autoblocked", Hold.BLOCKED),
        ("captcha", Hold.CAPTCHA),
        ("assertbotfailed", Hold.ACCOUNT),
        ("noedit", Hold.ACCOUNT),
        ("writeapidenied", Hold.ACCOUNT),
        ("mwoauth-invalid-authorization", Hold.ACCOUNT),
        ("ratelimited", Hold.OTHER),
    ],
)
def test_what_a_wiki_answers_is_sorted_by_who_can_settle_it(
    code: str, hold: Hold
) -> None:
    answered = outcome({"error": {"code": code, "info": "…"}}, 1)

    note = getattr(answered, "why", "")
    assert note
    [reason] = holds_of(((note, 1),))
    assert reason.hold is hold


@pytest.mark.parametrize(
    ("note", "hold"),
    [
        ("x.example refuses the login of “Bot” (no)", Hold.ACCOUNT),
        ("x.example does not know the account “Bot”", Hold.ACCOUNT),
        ("http://x/w/api.php answered readonly: It rests", Hold.READ_ONLY),
        ("http://x/w/api.php answered maxlag: Waiting", Hold.LAGGED),
    ],
)
def test_what_a_session_says_is_sorted_by_who_can_settle_it(
    note: str, hold: Hold
) -> None:
    [reason] = holds_of(((note, 1),))
    assert reason.hold is hold


def test_what_people_have_to_settle_comes_first() -> None:
    held = holds_of(
        (
            ("a riddle", 9),
            ("the limit for one page and day is reached", 5),
            (STOPPED, 1),
        )
    )

    assert [one.hold for one in held] == [Hold.STOPPED, Hold.LIMIT, Hold.OTHER]


# --- words --------------------------------------------------------------------


@pytest.mark.parametrize(
    ("seconds", "words"),
    [
        (0, "0 seconds"),
        (1, "1 second"),
        (60, "1 minute"),
        (90, "90 seconds"),
        (3600, "1 hour"),
        (3601, "60 minutes"),
        (7200, "2 hours"),
        (86_400, "1 day"),
        (100 * 86_400, "100 days"),
    ],
)
def test_spans_read_as_people_write_them(seconds: float, words: str) -> None:
    assert span(seconds) == words
    assert ago(NOON - timedelta(seconds=seconds), NOON) in {f"{words} ago", "now"}


def test_lag_above_the_limit_is_an_ailment() -> None:
    late = situation(feeds=(_LATE,))

    [problem] = health_problems(late)
    assert "7,195 s behind; the limit is 300 s" in problem.what
    fresh = heartbeat(INTAKE, name="x", figures={"lag_s": 1.0})
    known_better = situation(feeds=(_LATE,), processes=(fresh,))
    assert health_problems(known_better) == ()


# What an operator has to hear of at once, and what not.

_RULES = Path(__file__).parents[4] / "toolforge" / "prometheus-rules.yaml"
_OLD = Ages(0, (0, 0, 0, 1, 0), hour(-2))
_ALLOWED = Allowance(money=Decimal(1), calls=10)


def _plans(waiting: Ages = Ages(), *failing: FailingPlan) -> dict[str, object]:  # noqa: B008
    plans = {**SOUND.plans.waiting, PlanKind.OPT_INS: waiting}
    return {"plans": replace(SOUND.plans, waiting=plans, failing=failing)}


def _failing(kind: PlanKind, attempts: int) -> FailingPlan:
    intended_post = IntendedPost(kind, WIKI, "User:Ada/Watch", hour(1))
    return FailingPlan(intended_post, attempts, "the wiki is away", hour(-1))


_BLOCKED = HealthProblem(
    HealthProblemKind.BLOCKED, "the account is blocked", "Ask.", WIKI
)
_KINDS = {
    "nobody reads the feed": (without(INTAKE), "feed"),
    "a post met a stop page": (_posts(held=((STOPPED, 2),)), "stopped"),
    "a post met a block": (_posts(held=(("the account is blocked: x", 1),)), "blocked"),
    "a captcha": (
        _posts(held=(("the account may not edit without a CAPTCHA (captcha)", 1),)),
        "account",
    ),
    "the login fails": (_posts(held=(("the wiki refuses the login", 1),)), "account"),
    "the wiki says blocked": (
        {"incidents": (Incident(_BLOCKED, hour(-1)),)},
        "blocked",
    ),
    "the day's money is spent": (
        {
            "configured": {"allowance": _ALLOWED},
            "spending": SpendingStatus(Decimal(1), refused_at=hour(-1)),
        },
        "budget",
    ),
    "nobody checks": ({**without(WORK), **_queue((TaskState.WAITING, _DUE))}, "queue"),
    "nothing is finished": (_queue((TaskState.WAITING, _OLD)), "queue"),
    "nobody posts": ({**without(PUBLISH), **_posts(waiting=_DUE)}, "posts"),
    "posts wait": (_posts(waiting=_OLD), "posts"),
    "an opt-in waits": (_plans(_OLD), "opt-ins"),
    "an opt-in fails": (_plans(Ages(), _failing(PlanKind.OPT_INS, 3)), "opt-ins"),
}
_FINE = {
    "a queue that moves": _queue((TaskState.WAITING, _OLD), (TaskState.IDLE, _DUE)),
    "a page just due": _queue((TaskState.WAITING, _DUE)),
    "a post just due": _posts(waiting=_DUE),
    "a limit for the day": _posts(held=(("the limit for one page is reached", 3),)),
    "an opt-in tried twice": _plans(_DUE, _failing(PlanKind.OPT_INS, 2)),
    "a report that fails": _plans(Ages(), _failing(PlanKind.REPORT, 9)),
    "no model": {"spending": SpendingStatus(refused_at=hour(-1))},
    "a dry run": {"configured": {"is_live": False}, **_posts(held=((STOPPED, 1),))},
}


@pytest.mark.parametrize(("changes", "kind"), _KINDS.values(), ids=_KINDS)
def test_what_stands_still_is_unwell_at_once(
    changes: dict[str, object], kind: str
) -> None:
    changed = situation(**changes)  # type: ignore[arg-type]
    [one] = health_problems(changed)

    assert one.kind.value == kind
    assert one.remedy.endswith(".")
    assert f'sidenote_unwell{{kind="{kind}"}} 1.0' in render_metrics(changed)


@pytest.mark.parametrize("changes", _FINE.values(), ids=_FINE)
def test_what_passes_by_itself_is_not(changes: dict[str, object]) -> None:
    assert health_problems(situation(**changes)) == ()  # type: ignore[arg-type]


def test_a_stop_is_reported_once_however_it_was_noticed() -> None:
    of_wiki = HealthProblem(
        HealthProblemKind.STOPPED, f"stopped on {WIKI}", "Ask.", WIKI
    )
    changed = situation(**_posts(held=((STOPPED, 2),)))

    assert health_problems(changed, [of_wiki]) == (of_wiki,)
    assert [one.subject for one in health_problems(changed, [])] == [""]


def test_the_rules_of_prometheus_ask_for_metrics_that_there_are(store: Store) -> None:
    fill(store)
    store.decisions.tallies(NOON)
    known = {
        line.split()[2]
        for line in render_metrics(seen(store)).splitlines()
        if line.startswith("# TYPE")
    }
    kinds = {kind.value for kind in HealthProblemKind}
    [group] = yaml.safe_load(_RULES.read_text("utf-8"))["groups"]

    assert len({rule["alert"] for rule in group["rules"]}) == len(group["rules"])
    for rule in group["rules"]:
        assert {*rule} <= {"alert", "expr", "for", "labels", "annotations"}
        assert rule["labels"]["severity"] in {"critical", "warning", "info"}
        assert rule["annotations"]["summary"]
        named = set(re.findall(r"sidenote_\w+", rule["expr"]))
        assert named, rule["alert"]
        assert named <= known, rule["alert"]
        for listed in re.findall(r'kind[=!]~"([^"]+)"', rule["expr"]):
            assert set(listed.split("|")) <= kinds
