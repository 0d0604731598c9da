"""What an operator has to hear of at once, and what not."""

import re
from dataclasses import replace
from datetime import timedelta
from decimal import Decimal
from pathlib import Path

import pytest
import yaml

from bot.daemon.status.metrics import render_metrics
from bot.daemon.status.reasons import health_problems
from bot.daemon.status.situation import INTAKE, PUBLISH, WORK
from bot.records.heartbeat import HealthProblem, HealthProblemKind, Incident
from bot.records.spending import Allowance
from bot.records.status import Ages, SpendingStatus
from bot.records.tasks import TaskState
from bot.records.watches import FailingPlan, IntendedPost, PlanKind
from bot.store import Store
from tests.bot.daemon.status.filled import STOPPED, fill, seen
from tests.bot.daemon.status.situations import SOUND, situation, without
from tests.bot.store.runs import NOON, WIKI, hour

_RULES = Path(__file__).parents[4] / "toolforge" / "prometheus-rules.yaml"
_DUE = Ages(0, (1, 0, 0, 0, 0), NOON - timedelta(seconds=30))
_OLD = Ages(0, (0, 0, 0, 1, 0), hour(-2))
_ALLOWED = Allowance(money=Decimal(1), calls=10)


def _queue(waiting: Ages, done: Ages = Ages()) -> dict[str, object]:  # noqa: B008 - frozen
    states = {TaskState.WAITING: waiting, TaskState.IDLE: done}
    return {"queue": replace(SOUND.queue, states={**SOUND.queue.states, **states})}


def _posts(**changes: object) -> dict[str, object]:
    return {"posts": replace(SOUND.posts, **changes)}  # type: ignore[arg-type]


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
    "nobody checks": ({**without(WORK), **_queue(_DUE)}, "queue"),
    "nothing is finished": (_queue(_OLD), "queue"),
    "nobody posts": ({**without(PUBLISH), **_posts(waiting=_DUE)}, "posts"),
    "posts wait": (_posts(waiting=_OLD), "posts"),
    "an opt-in waits": (_plans(_OLD), "opt-ins"),
    "an opt-in fails": (_plans(Ages(), _failing(PlanKind.OPT_INS, 3)), "opt-ins"),
}
_FINE = {
    "a queue that moves": _queue(_OLD, replace(_DUE)),
    "a page just due": _queue(_DUE),
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
