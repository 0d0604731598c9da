"""No spelling of an internal address passes, and no name server talks us inside."""

from tests.hardening.addresses import try_addresses
from tests.hardening.rebinding import try_schedules


def test_no_spelling_of_an_internal_address_passes() -> None:
    figures = try_addresses(seed=8)

    assert figures.faults == []
    assert figures.tried > 7_000


async def test_no_schedule_of_a_name_server_leads_inside() -> None:
    figures = await try_schedules(60, seed=8)

    assert figures.faults == []
    assert figures.tried == 60
