"""A process that is killed while it saves leaves whole runs, and nothing else."""

import itertools
import random
import time

from sqlalchemy import text

from bot.store import open_store
from tests import builders
from tests.bot.store.runs import TITLE, WIKI, connected, hour, run, start, suggestion

_CLAIMS = 30
_KILLS = 20


def _save_for_ever(url: str, first: int) -> None:
    checks = [
        builders.claim_check(of=builders.claim(f"Claim {number}"))
        for number in range(_CLAIMS)
    ]
    with open_store(url) as store:
        for number in itertools.count(first):
            found = [suggestion(f"Of {number}, {place}") for place in range(_CLAIMS)]
            store.save_check(run(number, hour(number), checks), found)


def test_nothing_is_ever_half_saved(url: str) -> None:
    chance = random.Random(9)
    with open_store(url) as store:
        store.save_check(run(1, hour(1)), [])
    saved = 0

    for _ in range(_KILLS):
        process = start(_save_for_ever, url, saved + 2)
        if not saved:
            _wait_for_a_run(url)
        time.sleep(chance.uniform(0.02, 0.15))
        process.kill()
        process.join()

        with open_store(url) as store:
            last = store.last_check(WIKI, TITLE)
            suggestions = store.suggestions_of(WIKI, TITLE)
        assert last
        revision = last.page.revision_id or 0
        saved = revision - 1
        assert last.counts.claims == len(last.claims) == _CLAIMS
        assert {one.suggestion.claim for one in suggestions} == {
            f"Of {revision}, {place}" for place in range(_CLAIMS)
        }
        assert {one.suggestion.page.revision_id for one in suggestions} <= {revision}

    assert _rows_without_owner(url) == 0
    with open_store(url) as store:
        everything = store.suggestions_of(WIKI, TITLE, with_closed=True)
    assert len(everything) == saved * _CLAIMS


def _wait_for_a_run(url: str) -> None:
    deadline = time.monotonic() + 60
    with open_store(url) as store:
        while time.monotonic() < deadline:
            last = store.last_check(WIKI, TITLE)
            if last and last.claims:
                return
            time.sleep(0.02)


def _rows_without_owner(url: str) -> int:
    odd = text(
        "SELECT COUNT(*) FROM checks WHERE claims <> (SELECT COUNT(*) FROM claim_checks"
        " WHERE check_id = checks.id) OR (claims > 0 AND 1 <> (SELECT COUNT(*) FROM"
        " source_readings WHERE check_id = checks.id))"
    )
    with connected(url) as connection:
        return int(connection.scalar(odd) or 0)
