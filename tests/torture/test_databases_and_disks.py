"""A few kills of MariaDB and a few full disks; `./dev torture` has the long forms."""

import pytest

from tests.rig.service import absent
from tests.torture import databases, disks


@pytest.mark.mariadb
def test_nothing_is_lost_when_the_database_is_killed() -> None:
    tally = databases.run(3, seed=1)

    assert not tally.faults
    assert tally.figures["checks saved"]
    assert tally.figures["posts made"]
    assert tally.figures["failures waited out"]


def test_nothing_is_lost_when_the_disk_is_full() -> None:
    if reason := disks.absence():
        absent(reason)

    tally = disks.run(2, seed=1)

    assert not tally.faults
    assert tally.figures["checks saved"]
    assert tally.figures["posts made"]
    assert tally.figures["disks noticed"]
