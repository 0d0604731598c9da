"""No server has us spend more than the cap, and no restart renews it."""

from pathlib import Path

from tests.hardening.spending import try_jobs, try_restarts


async def test_a_server_that_bills_and_fails_gets_no_more_than_the_cap() -> None:
    figures = await try_jobs(40)

    assert figures.tried == 40
    assert not figures.faults


async def test_processes_that_come_and_go_spend_no_more_than_a_days_cap(
    tmp_path: Path,
) -> None:
    figures = await try_restarts(24, 5, tmp_path)

    assert figures.tried == 120
    assert not figures.faults
