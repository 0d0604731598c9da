"""A healthy set-up, and broken ones on this machine."""

import asyncio
from datetime import UTC, datetime
from pathlib import Path

import pytest

from bot.app.doctor import machine
from bot.app.doctor.examination import examine, render_text
from bot.app.doctor.trial import Group, State
from bot.app.wiring.demo import BOT_TOKEN
from bot.search.opensearch import Cluster
from tests.bot.app.doctor.place import (
    KEY,
    SEARCH_KEY,
    SECRET,
    Place,
    SmallWiki,
    fault,
)
from tests.rig.service import absent
from tests.rig.wiki.mediawiki import Wiki
from tests.rig.wiki.recorder import Recorder

mediawiki = pytest.mark.mediawiki


@mediawiki
async def test_a_healthy_setup_has_nothing_wrong_and_nothing_is_written(
    place: Place, wiki: Wiki, recorder: Recorder
) -> None:
    wiki.reset()  # of what tests before it wrote to the bot
    place.wiki = recorder.host
    place.environment["PYWIKIBOT_DIR"] = str(place.folder)  # where there is no file
    Cluster(place.cluster.address, index="sidenote").prepare("some")
    before = len(recorder.writes)

    found = await place.examine()

    text = render_text(found, datetime.now(UTC), "all", width=100, colour=False)
    wrong = [
        one
        for one in found
        if one.state in {State.BROKEN, State.WARNING}
        and one.group is not Group.PROGRAM  # which is as this machine is
    ]
    assert wrong == []
    assert {one.group for one in found} == set(Group)
    assert len(recorder.writes) == before
    assert not [s for s in (BOT_TOKEN, SECRET, KEY, SEARCH_KEY) if s in text]
    assert not place.folder.exists()


async def test_a_data_folder_that_cannot_be_written_to(place: Place) -> None:
    found = await place.examine(Group.DATA, data_dir=Path("/proc/sidenote"))

    assert "/proc is not writable" in fault(found, "folder").seen
    assert "SIDENOTE_DATA_DIR" in fault(found, "folder").remedy


async def test_a_database_where_nothing_can_be_made(
    place: Place, tmp_path: Path
) -> None:
    (tmp_path / "file").touch()

    found = await place.examine(
        Group.DATABASE, database=f"sqlite:///{tmp_path}/file/a.sqlite"
    )

    assert "cannot be created" in fault(found, "connection").seen


async def test_a_disk_without_room_for_the_cache(place: Place) -> None:
    found = await place.examine(Group.DATA, cache_max_bytes=2**60)

    assert "MiB free" in fault(found, "room").seen
    assert "SIDENOTE_CACHE_MAX_BYTES" in fault(found, "room").remedy


async def test_a_damaged_model_file(tmp_path: Path) -> None:
    (tmp_path / "a.onnx").write_bytes(b"damaged")
    sums = f"{'0' * 64}  a.onnx\n{'1' * 64}  b.onnx\n"
    (tmp_path / machine.SUMS).write_text(sums)

    [examination] = await examine([machine.sums_trial(tmp_path)])

    assert examination.state is State.BROKEN
    assert "a.onnx is damaged" in examination.seen
    assert "b.onnx cannot be read (no such file" in examination.seen
    assert "Reinstall Sidenote" in examination.remedy


async def test_a_panel_whose_address_leads_elsewhere(place: Place) -> None:
    async with SmallWiki() as other:
        other.moved = "https://elsewhere.example/healthz"
        found = await place.examine(Group.SERVING, panel_address=other.root)

    assert "to 'elsewhere.example'" in fault(found, "panel").seen
    assert "SIDENOTE_PANEL_ADDRESS" in fault(found, "panel").remedy
    assert "SEARCH" not in fault(found, "panel").remedy


async def test_a_port_that_is_taken(place: Place) -> None:
    async with SmallWiki() as other:
        found = await place.examine(Group.SERVING, serve_port=other.port)

    try:
        server = await asyncio.start_server(lambda _, writer: writer.close(), "::1", 0)
    except OSError:
        absent("this machine has no IPv6")
    async with server:
        port = server.sockets[0].getsockname()[1]
        newer = await place.examine(Group.SERVING, serve_port=port, serve_host="::1")

    for each in (found, newer):
        assert "another program is using" in fault(each, "port").seen
    assert "SIDENOTE_SERVE_PORT" in fault(found, "port").remedy
