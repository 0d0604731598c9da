"""A process that is killed while it saves leaves whole runs, and nothing else."""

import itertools
import os
import signal

from sqlalchemy import Engine, event, text

from bot.store import Store, open_store
from tests import builders
from tests.bot.store.runs import TITLE, WIKI, connected, hour, run, start, suggestion

_CLAIMS = 30


def _save(store: Store, number: int) -> None:
    checks = [
        builders.claim_check(of=builders.claim(f"Claim {place}"))
        for place in range(_CLAIMS)
    ]
    found = [suggestion(f"Of {number}, {place}") for place in range(_CLAIMS)]
    assert store.save_check(run(number, hour(number), checks), found)


def _save_until(url: str, step: int) -> None:
    """Save a second run, and die before one of its statements or commits."""
    steps = itertools.count(1)

    def die_before(*_: object) -> None:
        if next(steps) == step:
            os.kill(os.getpid(), signal.SIGKILL)

    with open_store(url) as store:
        event.listen(Engine, "before_cursor_execute", die_before)
        event.listen(Engine, "commit", die_before)
        _save(store, 2)


def _is_saved(url: str, number: int) -> bool:
    """Return whether a run is the last one, as a whole."""
    with open_store(url) as store:
        last = store.last_check(WIKI, TITLE)
        suggestions = store.suggestions_of(WIKI, TITLE)
        everything = store.suggestions_of(WIKI, TITLE, with_closed=True)
    assert last
    assert last.counts.claims == len(last.claims) == _CLAIMS
    assert len(everything) == number * _CLAIMS
    assert _rows_without_owner(url) == 0
    return {one.suggestion.claim for one in suggestions} == {
        f"Of {number}, {place}" for place in range(_CLAIMS)
    } and last.page.revision_id == number


def test_nothing_is_ever_half_saved(url: str) -> None:
    with open_store(url) as store:
        _save(store, 1)

    for step in itertools.count(1, 2):
        process = start(_save_until, url, step)
        process.join(60)
        if process.exitcode == 0:
            break
        assert process.exitcode == -signal.SIGKILL
        assert _is_saved(url, 1)

    assert step > 20
    assert _is_saved(url, 2)


def _rows_without_owner(url: str) -> int:
    odd = text(
        "SELECT COUNT(*) FROM checks WHERE claims <> (SELECT COUNT(*) FROM claim_checks"
        " WHERE check_id = checks.id) OR (claims > 0 AND 1 <> (SELECT COUNT(*) FROM"
        " source_readings WHERE check_id = checks.id))"
    )
    with connected(url) as connection:
        return int(connection.scalar(odd) or 0)
