"""How often search services were asked is seen, wherever the status is shown."""

import asyncio
from dataclasses import replace
from datetime import timedelta
from pathlib import Path

from bot.app.wiring.serving import search_quotas
from bot.daemon.status.render import as_json, render_text
from bot.daemon.status.view import searches_sections
from bot.search.services.service import Allowance, Meter
from bot.settings import Settings
from handlers.model import Quota
from tests.bot.daemon.status.situations import situation
from tests.bot.store.runs import NOON

HELD = Quota("GDELT", 7, None, NOON + timedelta(minutes=2), "GDELT is busy")


def test_requests_of_today_are_reported_with_what_is_allowed() -> None:
    seen = replace(situation(), quotas=(Quota("Brave", 12, 60), HELD))

    text = render_text(seen, width=200, colour=False)

    assert "Brave – requests today: 12; daily limit: 60" in text
    assert "GDELT – requests today: 7; paused until: " in text
    assert as_json(seen)["searches"][1]["note"] == "GDELT is busy"


def test_where_nothing_was_ever_searched_searches_are_left_out(tmp_path: Path) -> None:
    assert searches_sections(situation()) == ()
    assert search_quotas(Settings.model_construct(data_dir=tmp_path)) == ()


def test_the_count_is_read_where_the_searches_leave_it(tmp_path: Path) -> None:
    settings = Settings(data_dir=tmp_path)  # type: ignore[call-arg]  # the others have values
    meter = Meter(tmp_path / "searches", "brave", Allowance("Brave", per_day=60))
    asyncio.run(meter.wait())

    [quota] = search_quotas(settings)

    assert (quota.search, quota.used, quota.limit) == ("Brave", 1, 60)
