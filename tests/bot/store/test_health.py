"""What is wrong is reported once, and so is its end."""

from datetime import timedelta

from bot.records.heartbeat import HealthChange, HealthProblem, HealthProblemKind
from bot.store import Store
from tests.bot.store.runs import NOON

_QUEUE = HealthProblem(HealthProblemKind.QUEUE, "nobody checks pages", "Start it.")
_HERE, _THERE = (
    HealthProblem(HealthProblemKind.STOPPED, f"stopped on {wiki}", "Ask.", wiki)
    for wiki in ("de.example.org", "en.example.org")
)


def _keep(store: Store, minutes: float, *wrong: HealthProblem) -> HealthChange:
    """Keep what is wrong, and tell what is new."""
    now = NOON + timedelta(minutes=minutes)
    change = store.health.keep(wrong, now)
    store.health.notified(change, now)
    return change


def test_each_change_is_reported_once(store: Store) -> None:
    assert [one.problem for one in _keep(store, 0, _QUEUE).begun] == [_QUEUE]
    assert _keep(store, 1, _QUEUE) == HealthChange()
    assert [one.problem for one in _keep(store, 2, _QUEUE, _HERE, _THERE).begun] == [
        _HERE,
        _THERE,
    ]
    [known, *_] = store.status(NOON).incidents
    assert (known.problem, known.since) == (_QUEUE, NOON)

    assert _keep(store, 3, _HERE) == HealthChange()
    assert [one.problem for one in store.health.known()] == [_HERE]
    [one, other] = _keep(store, 9, _HERE).ended
    assert {one.problem, other.problem} == {_QUEUE, _THERE}
    assert one.ended_at == NOON + timedelta(minutes=3)
    assert _keep(store, 10, _HERE) == HealthChange()


def test_what_comes_and_goes_is_one_thing(store: Store) -> None:
    _keep(store, 0, _QUEUE)
    swings = [_keep(store, at, *([] if at % 2 else [_QUEUE])) for at in range(1, 20)]

    assert swings == [HealthChange()] * len(swings)
    assert store.health.known() == ()


def test_what_was_not_reported_is_reported_by_the_next_check(store: Store) -> None:
    change = store.health.keep([_QUEUE], NOON)

    again = store.health.keep([_QUEUE], NOON + timedelta(minutes=1))
    assert again == change
    assert store.health.keep([], NOON + timedelta(minutes=2)) == HealthChange()
    assert store.health.keep([], NOON + timedelta(minutes=9)) == HealthChange()
