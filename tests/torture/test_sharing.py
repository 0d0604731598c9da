"""Workers and readers share a database and are killed; `./dev torture` has the long form."""

import pytest

from tests.torture.sharing.torture import HOSTS, Wishes, run


@pytest.mark.mariadb
@pytest.mark.allow_hosts(["127.0.0.1", *HOSTS])
def test_nothing_is_lost_or_asked_in_haste_when_workers_and_readers_are_killed() -> (
    None
):
    tally = run(Wishes(pages=12, kills=3, seed=1, longest_s=240))

    assert not tally.faults, str(tally)
    assert tally.figures["pages looked at"] == 12
    assert tally.figures["requests to hosts"] >= 24
    assert tally.figures["processes that died"] >= 3
