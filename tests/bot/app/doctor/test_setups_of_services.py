"""Set-ups whose feed, models, searches or other services are not as they should be."""

import json
from pathlib import Path
from typing import Any

import pytest

from bot.app.doctor import services
from bot.app.doctor.examination import SelectedTests, chosen, examine
from bot.app.doctor.trial import Examination, Group, Installation, State
from bot.demo.loopback.event_server import EventServer, Habits
from bot.settings import Settings
from tests.bot.app.doctor.place import (
    ALL,
    SEARCH_KEY,
    Place,
    SmallWiki,
    fault,
    model_answers,
)
from tests.rig.authorisation import AuthorisationServer, Client
from tests.rig.search.asked import Fault


async def test_a_feed_that_lets_no_more_in_one_of_html_and_a_silent_one(
    place: Place,
) -> None:
    async with EventServer(Habits(connections=0)) as full:
        crowded = await place.examine(Group.FEED, stream=full.address)
    async with SmallWiki() as small:
        html = await place.examine(Group.FEED, stream=f"{small.root}/v2/")

    async with EventServer(Habits(cut_after_s=0.1)) as empty:
        silent = await place.examine(Group.FEED, stream=empty.address)

    assert "the connection" in fault(silent, "first event").seen
    assert "SIDENOTE_STREAMS" in fault(silent, "first event").remedy
    assert "429" in fault(crowded, "feed").seen
    assert "stop whatever else listens" in fault(crowded, "feed").remedy.lower()
    assert "text/html instead of events" in fault(html, "feed").seen
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
        ({"language_model_calls": 0}, "limit of requests is 0", "CALLS above 0"),
        ({"language_model_daily_calls": 0}, "limit of requests is 0", "_DAILY_CALLS"),
    ],
)
async def test_a_language_model_with_a_wrong_setting(
    place: Place, changed: dict[str, Any], seen: str, remedy: str
) -> None:
    found = await place.examine(Group.LANGUAGE_MODEL, **changed)

    wrong = [one for one in found if one.remedy]
    assert any(seen in one.seen and remedy in one.remedy for one in wrong), wrong
    assert "sk-a-wrong-key" not in repr(found)


async def test_a_language_model_that_gives_no_json(place: Place) -> None:
    place.model.scripts[:] = [model_answers("Four, I think.")]

    found = await place.examine(Group.LANGUAGE_MODEL)

    assert "an unusable answer" in fault(found, "language model").seen
    assert (
        "SIDENOTE_LANGUAGE_MODEL_OUTPUT_TOKENS" in fault(found, "language model").remedy
    )


async def test_opensearch_that_is_down_locked_or_empty(place: Place) -> None:
    down = await place.examine(
        Group.OPENSEARCH, opensearch_address="http://127.0.0.1:1"
    )
    empty = await place.examine(Group.OPENSEARCH)
    place.cluster.login = ("somebody", "else")
    locked = await place.examine(Group.OPENSEARCH)

    assert "does not answer" in fault(down, "OpenSearch").seen
    assert "SIDENOTE_OPENSEARCH_ADDRESS" in fault(down, "OpenSearch").remedy
    assert fault(empty, "OpenSearch").state is State.WARNING
    assert "Create it: sidenote index FOLDER" in fault(empty, "OpenSearch").remedy
    assert "SIDENOTE_OPENSEARCH_USER" in fault(locked, "OpenSearch").remedy


async def test_searches_without_a_key_with_a_wrong_one_and_nearly_spent(
    place: Place,
) -> None:
    place.search.fail("searxng", Fault.HTML)
    found = await place.examine(
        Group.SEARCHES,
        searches="searxng, brave, serper, openalex",
        serper_key="a-wrong-key",
        brave_key="",
        openalex_key=SEARCH_KEY,
        search_quotas="openalex=1",
    )

    assert fault(found, "brave").remedy == (
        "Set SIDENOTE_BRAVE_KEY, or remove brave from SIDENOTE_SEARCHES."
    )
    assert "refuses us" in fault(found, "serper").seen
    assert "gave an answer that cannot be read" in fault(found, "searxng").seen
    assert "1 of 1 requests of today" in fault(found, "openalex").seen
    assert "a-wrong-key" not in repr(found)


async def test_a_search_of_the_defaults_that_is_not_set_up_is_no_fault(
    tmp_path: Path,
) -> None:
    installation = Installation(Settings(data_dir=tmp_path), ALL)
    without = {"searxng", "brave", "serper", "google", "feeds"}
    trials = [t for t in services.search_trials(installation) if t.name in without]

    found = await examine(trials)

    assert {one.name for one in found} == without
    assert {one.state for one in found} == {State.SKIPPED}


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

        examinations: list[Examination] = []
        for settings in (known, other, stranger):
            installation = Installation(settings, ALL)
            trials = [
                t for t in services.serving_trials(installation) if "OAuth" in t.name
            ]
            examinations += await examine(trials)

    assert [one.state for one in examinations] == [
        State.FINE,
        State.BROKEN,
        State.BROKEN,
    ]
    assert "SIDENOTE_OAUTH_CLIENTS" in examinations[1].remedy
    assert "SIDENOTE_WIKIS" in examinations[2].remedy


async def test_a_wall_with_a_hole_and_an_archive_that_is_none(place: Place) -> None:
    place.archive.pages.clear()
    open_to = place.settings(internal_addresses="127.0.0.1:80")
    installation = Installation(open_to, ALL, own_addresses=tuple)
    trials = [
        t
        for t in services.web_trials(installation)
        if t.name in {"address wall", "archive"}
    ]

    hole, archive = await examine(trials)
    away = installation.settings.model_copy(
        update={"archive_service": "http://127.0.0.1:1"}
    )
    [gone] = await examine(
        [t for t in services.web_trials(Installation(away, ALL)) if t.name == "archive"]
    )

    assert hole.state is State.BROKEN
    assert "cited addresses may reach 127.0.0.1" in hole.seen
    assert "SIDENOTE_INTERNAL_ADDRESSES" in hole.remedy
    assert "SIDENOTE_ARCHIVE_SERVICE" in archive.remedy
    assert "cannot be reached" in gone.seen
    # The archive is often away, and all else goes on.
    assert archive.state is gone.state is State.WARNING


@pytest.mark.parametrize(
    ("own", "denied", "state"),
    [
        ("10.0.0.9", (), State.FINE),
        ("8.8.8.8", (), State.WARNING),
        ("2600::8", (), State.WARNING),
        ("8.8.8.8", ("8.8.8.0/24",), State.FINE),
        ("2600::8", ("2600::8",), State.FINE),
    ],
)
async def test_a_machines_own_public_address_is_to_be_denied(
    tmp_path: Path, own: str, denied: tuple[str, ...], state: State
) -> None:
    given: dict[str, Any] = {"data_dir": tmp_path, "denied_networks": denied}
    installation = Installation(Settings(**given), ALL, own_addresses=lambda: (own,))
    trials = [t for t in services.web_trials(installation) if t.name == "address wall"]

    [found] = await examine(trials)

    assert found.state is state
    if state is State.WARNING:
        assert f"SIDENOTE_DENIED_NETWORKS: {own}" in found.remedy


async def test_offline_nothing_is_asked_of_other_machines(place: Place) -> None:
    installation = Installation(place.settings(), ALL)

    trials, left_out = chosen(installation, SelectedTests(offline=True))
    await examine(trials)

    assert left_out >= 10
    assert (place.model.asked, place.search.requests) == ([], [])
    assert place.archive.requests == []
    assert place.feed.requests == []
    assert json.dumps(place.cluster.asked) == "[]"
    assert list(place.folder.parent.iterdir()) == []
