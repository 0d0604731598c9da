"""A healthy set-up on real servers, and many that are not: each fault and its remedy."""

import asyncio
import json
import sqlite3
from collections.abc import AsyncIterator, Iterator
from contextlib import closing
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import make_url

from bot.adapters.opensearch import Cluster
from bot.bootstrap.loopback_wiki import ADMIN_TOKEN, BOT, BOT_TOKEN, PASSWORD
from bot.doctor import models, serving, web
from bot.doctor.choosing import Wanted, chosen
from bot.doctor.examining import examine
from bot.doctor.to_text import render_text
from bot.doctor.values import Examination, Group, Patient, Standing
from bot.loopback.authorisation import AuthorisationServer, Client
from bot.loopback.event_server import EventServer, Habits
from bot.loopback.search.asked import Fault
from bot.store import open_store
from bot.store.sight import Heartbeat
from tests.bot.doctor.place import (
    ALL,
    GENERAL,
    KEY,
    SEARCH_KEY,
    SECRET,
    MakeUser,
    Place,
    SmallWiki,
    blocked,
    fault,
    model_answers,
    open_place,
    users_of,
)
from tests.bot.writing.people import ADMIN, ADMIN_PASSWORD, Person
from tests.rig.service import absent
from tests.rig.wiki.mediawiki import Wiki
from tests.rig.wiki.recorder import Recorder

mediawiki, mariadb = pytest.mark.mediawiki, pytest.mark.mariadb


@pytest.fixture
async def place(tmp_path: Path) -> AsyncIterator[Place]:
    async with open_place(tmp_path / "data") as made:
        yield made


@mediawiki
async def test_a_healthy_setup_has_nothing_wrong_and_nothing_is_written(
    place: Place, recorder: Recorder
) -> None:
    place.wiki = recorder.host
    place.environment["PYWIKIBOT_DIR"] = str(place.folder)  # where there is no file
    Cluster(place.cluster.address, index="sidenote").prepare("some")
    before = len(recorder.writes)

    found = await place.look()

    text = render_text(found, datetime.now(UTC), "all", width=100, colour=False)
    wrong = [
        one
        for one in found
        if one.standing in {Standing.BROKEN, Standing.WARNING}
        and one.group is not Group.PROGRAM  # which is as this machine is
    ]
    assert wrong == []
    assert {one.group for one in found} == set(Group)
    assert len(recorder.writes) == before
    assert not [s for s in (BOT_TOKEN, SECRET, KEY, SEARCH_KEY) if s in text]
    assert not place.folder.exists()


# --- the wiki and the account -------------------------------------------------------


@mediawiki
async def test_a_wrong_password_is_named_and_not_shown(
    place: Place, recorder: Recorder
) -> None:
    place.wiki = recorder.host
    wrong = "wrong-password-of-thirty-two-let"

    found = await place.look(Group.ACCOUNT, bot_password=wrong)

    told = fault(found, "account")
    assert "refuses the login of “SidenoteBot”" in told.seen
    assert "bot password" in told.remedy
    assert wrong not in repr(found)


@mediawiki
async def test_a_blocked_account_is_told_with_the_reason(
    place: Place, recorder: Recorder, wiki: Wiki
) -> None:
    place.wiki = recorder.host
    with blocked(wiki.host):
        found = await place.look(Group.ACCOUNT)

    told = fault(found, "block")
    assert "blocked by Admin: It posts nonsense" in told.seen
    assert f"User talk:{BOT} to be unblocked" in told.remedy


@mediawiki
async def test_rights_that_lack_or_are_too_many_are_listed(
    place: Place, recorder: Recorder
) -> None:
    place.wiki = recorder.host

    found = await place.look(
        Group.ACCOUNT,
        bot_account=ADMIN,
        bot_login=f"{ADMIN}@sidenote",
        bot_password=ADMIN_TOKEN,
        deploy_account="Bob",
        deploy_password=PASSWORD,
    )

    assert "editinterface" in fault(found, "too many rights").seen
    assert "Special:BotPasswords" in fault(found, "too many rights").remedy
    assert "no bot flag" in fault(found, "bot flag").seen
    assert "may not edit the interface" in fault(found, "deploy_account").seen
    unsigned = await place.look(Group.ACCOUNT, bot_password="", posting="dry")
    assert not [one for one in unsigned if "too many" in one.name]
    # Nor has this account any of the pages that let it run.
    assert f"User:{ADMIN}/Run/talk" in fault(found, "run pages").seen


@mediawiki
async def test_what_people_wrote_to_steer_the_bot_is_read(
    place: Place, recorder: Recorder, wiki: Wiki
) -> None:
    place.wiki = recorder.host
    admin = Person(wiki.host, ADMIN).log_in(ADMIN_PASSWORD)
    stop = f"User:{BOT}/Run/talk"
    admin.edit(stop, "stop: too many notes")
    admin.edit("Project:Sidenote", '{"policy": "whatever"}')
    try:
        found = await place.look(
            Group.ACCOUNT,
            community_page="Project:Sidenote",
            bot_watchlist_token="0" * 40,
        )
    finally:
        admin.edit(stop, "run")

    assert f"{stop} says “stop: too many notes”" in fault(found, "run pages").seen
    assert "policy" in fault(found, "community page").seen
    assert "Project:Sidenote" in fault(found, "community page").remedy
    assert "copy it anew" in fault(found, "watchlist").remedy.lower()


@mediawiki
async def test_a_gadget_that_is_not_as_in_this_version(
    place: Place, recorder: Recorder
) -> None:
    place.wiki = recorder.host
    place.gadget = {
        "MediaWiki:Common.js": "var other = 2;",
        "MediaWiki:Gadget-nowhere.js": "var x = 1;",
        "MediaWiki:Gadgets-definition": "* sidenote",
    }

    found = await place.look(Group.SERVING, panel_address="http://127.0.0.1:1")

    told = [one for one in found if one.name == "gadget"]
    assert [one.standing for one in told] == [Standing.WARNING] * 3
    assert "lacks MediaWiki:Gadget-nowhere.js" in told[0].seen
    assert "1 page of" in told[1].seen
    assert "does not name it" in told[2].seen
    assert all("sidenote gadget deploy" in one.remedy for one in told)
    assert "cannot be reached" in fault(found, "panel").seen


async def test_a_wiki_that_is_down_keeps_the_account_from_being_tried(
    place: Place,
) -> None:
    found = await place.look(Group.ACCOUNT)

    told = fault(found, "127.0.0.1:1")
    assert "cannot be reached (connection refused)" in told.seen
    assert "check the wiki's name" in told.remedy.lower()
    assert [one.standing for one in found if one.group is Group.ACCOUNT] == [
        Standing.SKIPPED
    ]


async def test_a_page_of_html_is_no_api(place: Place) -> None:
    async with SmallWiki() as small:
        place.wiki = small.host
        found = await place.look(Group.WIKI)

    told = fault(found, small.host)
    assert "did not answer as a MediaWiki API does" in told.seen
    assert "check the wiki's name" in told.remedy.lower()


async def test_an_account_that_may_not_edit_and_a_wiki_that_is_too_old(
    place: Place,
) -> None:
    user = {"name": BOT, "groups": ["*"], "rights": ["read", "createtalk"]}
    told: dict[str, Any] = {"general": GENERAL, "users": [user], "pages": []}
    async with SmallWiki(told) as small:
        place.wiki = small.host
        found = await place.look(Group.ACCOUNT, posting="dry", bot_password="")
        small.told = {"general": {"generator": "MediaWiki 1.23.1"}}
        old = await place.look(Group.WIKI)

    assert "may not edit pages, nor make pages" in fault(found, "rights").seen
    assert "edit existing pages" in fault(found, "rights").remedy
    assert "too old" in fault(old, small.host).seen


async def test_a_clock_that_is_off_is_told_with_how_much(place: Place) -> None:
    place.now = lambda: datetime.now(UTC) + timedelta(minutes=12)
    async with SmallWiki({"general": GENERAL}) as small:
        place.wiki = small.host
        found = await place.look(Group.WIKI)

    assert "12 minutes behind ours" in fault(found, "clock").seen
    assert "timedatectl" in fault(found, "clock").remedy


# --- the database -------------------------------------------------------------------


@pytest.fixture
def user_of(mariadb_socket: str, mariadb_url: str) -> Iterator[MakeUser]:
    with users_of(mariadb_socket, str(make_url(mariadb_url).database)) as make:
        yield make


@mariadb
async def test_a_mariadb_is_tried_with_its_rights_and_limits(
    place: Place, user_of: MakeUser
) -> None:
    fine = user_of("ALL PRIVILEGES")
    few = user_of("ALL PRIVILEGES", "WITH MAX_USER_CONNECTIONS 3")
    reader = user_of("SELECT, INSERT, UPDATE, DELETE")
    groups = (Group.DATABASE, Group.PROCESSES)

    healthy = await place.look(*groups, database=fine)
    crowded = await place.look(*groups, database=few)
    poor = await place.look(*groups, database=reader)
    wrong = await place.look(*groups, database=fine.replace("pw-of-u0", "other-pw"))
    nowhere = await place.look(*groups, database="mysql://u:p@127.0.0.1:1/x")

    assert {one.standing for one in healthy} == {Standing.FINE}
    [tried] = [one.seen for one in healthy if one.name == "rights"]
    assert "SKIP LOCKED" in tried
    assert "GET_LOCK" in tried
    assert fault(crowded, "connections").seen.startswith("3 allowed, 1 in use")
    assert "SIDENOTE_DATABASE_CONNECTIONS to 3" in fault(crowded, "connections").remedy
    assert "CREATE is not allowed" in fault(poor, "rights").seen
    assert "GRANT ALL PRIVILEGES" in fault(poor, "rights").remedy
    assert "'@'" in fault(poor, "rights").remedy
    assert "refuses this user" in fault(wrong, "connection").seen
    assert "check the name and password" in fault(wrong, "connection").remedy.lower()
    assert "cannot be reached" in fault(nowhere, "connection").seen
    assert not [s for s in ("pw-of-u", "other-pw") if s in repr((healthy, wrong, poor))]


async def test_processes_that_fell_silent_or_are_old_are_told(place: Place) -> None:
    place.folder.mkdir()
    now = datetime.now(UTC)
    silent = now - timedelta(hours=2)
    with open_store(f"sqlite:///{place.folder / 'sidenote.sqlite'}") as store:
        for role, version, seen_at in (
            ("intake", "0.0.9", now),
            ("work", "0.0.9", silent),
        ):
            store.processes.beat(
                Heartbeat(role, role, "host", 7, version, silent, seen_at)
            )

    found = await place.look(Group.DATABASE, Group.PROCESSES)

    assert "is Sidenote 0.0.9" in fault(found, "intake").seen
    assert "2 hours ago, and then no more" in fault(found, "work").seen
    assert "sidenote work" in fault(found, "work").remedy
    assert "publish, serve" in fault(found, "roles").seen


@pytest.mark.parametrize(
    ("version", "seen", "remedy"),
    [("0003", "this program has", "backup"), ("9999", "newer program", "Update")],
)
async def test_tables_of_another_version_are_told(
    place: Place, version: str, seen: str, remedy: str
) -> None:
    place.folder.mkdir()
    file = place.folder / "sidenote.sqlite"
    with open_store(f"sqlite:///{file}"):
        pass
    with closing(sqlite3.connect(file)) as database:
        database.execute("UPDATE alembic_version SET version_num = ?", [version])
        database.commit()

    found = await place.look(Group.DATABASE)

    assert seen in fault(found, "tables").seen
    assert remedy in fault(found, "tables").remedy


async def test_a_damaged_or_foreign_database_file_is_told(place: Place) -> None:
    place.folder.mkdir()
    file = place.folder / "sidenote.sqlite"
    file.write_bytes(b"no database at all" * 500)

    found = await place.look(Group.DATABASE, Group.PROCESSES)

    assert "is not a database" in fault(found, "connection").seen
    assert "move the file away" in fault(found, "connection").remedy.lower()
    assert found[-1].standing is Standing.SKIPPED  # no processes to be asked for


# --- this machine -------------------------------------------------------------------


async def test_a_data_folder_that_cannot_be_written_to(place: Place) -> None:
    found = await place.look(Group.DATA, data_dir=Path("/proc/sidenote"))

    assert "/proc cannot be written to" in fault(found, "folder").seen
    assert "SIDENOTE_DATA_DIR" in fault(found, "folder").remedy


async def test_a_database_where_nothing_can_be_made(
    place: Place, tmp_path: Path
) -> None:
    (tmp_path / "file").touch()

    found = await place.look(
        Group.DATABASE, database=f"sqlite:///{tmp_path}/file/a.sqlite"
    )

    assert "cannot be made" in fault(found, "connection").seen


async def test_a_disk_without_room_for_the_cache(place: Place) -> None:
    found = await place.look(Group.DATA, cache_max_bytes=2**60)

    assert "MiB free" in fault(found, "room").seen
    assert "SIDENOTE_CACHE_MAX_BYTES" in fault(found, "room").remedy


async def test_a_damaged_model_file(tmp_path: Path) -> None:
    (tmp_path / "a.onnx").write_bytes(b"damaged")
    sums = f"{'0' * 64}  a.onnx\n{'1' * 64}  b.onnx\n"
    (tmp_path / models.SUMS).write_text(sums)

    [told] = await examine([models.sums_trial(tmp_path)])

    assert told.standing is Standing.BROKEN
    assert "a.onnx is damaged" in told.seen
    assert "b.onnx cannot be read (no such file" in told.seen
    assert "Install Sidenote again" in told.remedy


async def test_a_panel_whose_address_leads_elsewhere(place: Place) -> None:
    async with SmallWiki() as other:
        other.moved = "https://elsewhere.example/healthz"
        found = await place.look(Group.SERVING, panel_address=other.root)

    assert "to 'elsewhere.example'" in fault(found, "panel").seen
    assert "SIDENOTE_PANEL_ADDRESS" in fault(found, "panel").remedy
    assert "SEARCH" not in fault(found, "panel").remedy


async def test_a_port_that_is_taken(place: Place) -> None:
    async with SmallWiki() as other:
        found = await place.look(Group.SERVING, serve_port=other.port)

    try:
        server = await asyncio.start_server(lambda _, writer: writer.close(), "::1", 0)
    except OSError:
        absent("this machine has no IPv6")
    async with server:
        port = server.sockets[0].getsockname()[1]
        newer = await place.look(Group.SERVING, serve_port=port, serve_host="::1")

    for each in (found, newer):
        assert "taken by another program" in fault(each, "port").seen
    assert "SIDENOTE_SERVE_PORT" in fault(found, "port").remedy


# --- other services -----------------------------------------------------------------


async def test_a_feed_that_lets_no_more_in_one_of_html_and_a_silent_one(
    place: Place,
) -> None:
    async with EventServer(Habits(connections=0)) as full:
        crowded = await place.look(Group.FEED, stream=full.address)
    async with SmallWiki() as small:
        html = await place.look(Group.FEED, stream=f"{small.root}/v2/")

    async with EventServer(Habits(cut_after_s=0.1)) as empty:
        silent = await place.look(Group.FEED, stream=empty.address)

    assert "the connection" in fault(silent, "first event").seen
    assert "SIDENOTE_STREAMS" in fault(silent, "first event").remedy
    assert "429" in fault(crowded, "feed").seen
    assert "end whatever else listens" in fault(crowded, "feed").remedy.lower()
    assert "text/html where events were expected" in fault(html, "feed").seen
    assert "SIDENOTE_STREAM" in fault(html, "feed").remedy


@pytest.mark.parametrize(
    ("changed", "seen", "remedy"),
    [
        (
            {"language_model_key": "sk-a-wrong-key"},
            "key",
            "SIDENOTE_LANGUAGE_MODEL_KEY",
        ),
        ({"language_model_name": "cow-2"}, "'cow-2'", "SIDENOTE_LANGUAGE_MODEL_NAME"),
        (
            {"language_model_address": "http://127.0.0.1:1/v1"},
            "reach",
            "LANGUAGE_MODEL_ADDRESS",
        ),
        ({"language_model_calls": 0}, "no request is allowed", "CALLS above 0"),
        ({"language_model_daily_calls": 0}, "no request is allowed", "_DAILY_CALLS"),
    ],
)
async def test_a_language_model_with_a_wrong_setting(
    place: Place, changed: dict[str, Any], seen: str, remedy: str
) -> None:
    found = await place.look(Group.LANGUAGE_MODEL, **changed)

    wrong = [one for one in found if one.remedy]
    assert any(seen in one.seen and remedy in one.remedy for one in wrong), wrong
    assert "sk-a-wrong-key" not in repr(found)


async def test_a_language_model_that_gives_no_json(place: Place) -> None:
    place.model.scripts[:] = [model_answers("Four, I think.")]

    found = await place.look(Group.LANGUAGE_MODEL)

    assert "no answer that can be used" in fault(found, "language model").seen
    assert "SIDENOTE_LANGUAGE_MODEL_JSON" in fault(found, "language model").remedy


async def test_opensearch_that_is_down_locked_or_empty(place: Place) -> None:
    down = await place.look(Group.OPENSEARCH, opensearch_address="http://127.0.0.1:1")
    empty = await place.look(Group.OPENSEARCH)
    place.cluster.login = ("somebody", "else")
    locked = await place.look(Group.OPENSEARCH)

    assert "does not answer" in fault(down, "OpenSearch").seen
    assert "SIDENOTE_OPENSEARCH_ADDRESS" in fault(down, "OpenSearch").remedy
    assert fault(empty, "OpenSearch").standing is Standing.WARNING
    assert "Make it: sidenote index FOLDER" in fault(empty, "OpenSearch").remedy
    assert "SIDENOTE_OPENSEARCH_USER" in fault(locked, "OpenSearch").remedy


async def test_searches_without_a_key_with_a_wrong_one_and_nearly_spent(
    place: Place,
) -> None:
    place.search.fail("searxng", Fault.HTML)
    found = await place.look(
        Group.SEARCHES,
        searches="searxng, brave, serper, openalex",
        serper_key="a-wrong-key",
        brave_key="",
        openalex_key=SEARCH_KEY,
        search_quotas="openalex=1",
    )

    assert "SIDENOTE_BRAVE_KEY" in fault(found, "brave").remedy
    assert "refuses us" in fault(found, "serper").seen
    assert "did not answer in its own form" in fault(found, "searxng").seen
    assert "1 of 1 requests of today" in fault(found, "openalex").seen
    assert "a-wrong-key" not in repr(found)


async def test_an_oauth_client_that_the_wiki_does_not_know(place: Place) -> None:
    async with AuthorisationServer() as server:
        server.register(Client("the-id", "https://panel.example/oauth/callback", ""))
        place.wiki = server.host
        both = {
            "panel_address": "https://panel.example",
            "gadget_trusts_proxy": True,
        }
        known = place.settings(oauth_clients=f"{server.host}=the-id", **both)
        other = place.settings(oauth_clients=f"{server.host}=another", **both)
        stranger = place.settings(oauth_clients="elsewhere.example=x", **both)

        told: list[Examination] = []
        for settings in (known, other, stranger):
            patient = Patient(settings, ALL)
            trials = [t for t in serving.trials(patient) if "OAuth" in t.name]
            told += await examine(trials)

    assert [one.standing for one in told] == [
        Standing.FINE,
        Standing.BROKEN,
        Standing.BROKEN,
    ]
    assert "SIDENOTE_OAUTH_CLIENTS" in told[1].remedy
    assert "SIDENOTE_WIKIS" in told[2].remedy


async def test_a_wall_with_a_hole_and_an_archive_that_is_none(place: Place) -> None:
    place.archive.pages.clear()
    patient = Patient(place.settings(internal_addresses="127.0.0.1:80"), ALL)
    trials = [t for t in web.trials(patient) if t.name in {"address wall", "archive"}]

    hole, archive = await examine(trials)
    away = patient.settings.model_copy(update={"archive_service": "http://127.0.0.1:1"})
    [gone] = await examine(
        [t for t in web.trials(Patient(away, ALL)) if t.name == "archive"]
    )

    assert hole.standing is Standing.BROKEN
    assert "cited addresses may reach 127.0.0.1" in hole.seen
    assert "SIDENOTE_INTERNAL_ADDRESSES" in hole.remedy
    assert "SIDENOTE_ARCHIVE_SERVICE" in archive.remedy
    assert "cannot be reached" in gone.seen
    # The archive is often away, and all else goes on.
    assert archive.standing is gone.standing is Standing.WARNING


async def test_offline_nothing_is_asked_of_other_machines(place: Place) -> None:
    patient = Patient(place.settings(), ALL)

    trials, left_out = chosen(patient, Wanted(offline=True))
    await examine(trials)

    assert left_out >= 10
    assert (place.model.asked, place.search.requests) == ([], [])
    assert place.archive.requests == []
    assert place.feed.requests == []
    assert json.dumps(place.cluster.asked) == "[]"
    assert list(place.folder.parent.iterdir()) == []
