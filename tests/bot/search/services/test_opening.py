"""The settings say which services are asked, in what order, and with what."""

import json
from datetime import UTC, date, datetime
from pathlib import Path
from typing import Any

import pytest

from bot.app.wiring.searches import open_services
from bot.settings import Settings, SettingsError, load_settings
from bot.settings.sources import SearchName
from handlers.model import Query, Window
from handlers.ports import Metered, PermanentError
from tests.bot.search.services.tools import KEY, NEW, query
from tests.bot.settings.own_settings import no_settings_from_outside
from tests.rig.search.asked import Fault
from tests.rig.search.feeds import Entry, FeedPage, FeedServer, rss
from tests.rig.search.items import Statement, entity, named
from tests.rig.search.serving import SearchServer
from tests.rig.search.wikis import Article, WikiServer

__all__ = ["no_settings_from_outside"]


def given(**values: Any) -> Settings:
    return Settings(**values)


async def test_services_step_in_for_each_other_as_the_settings_say(
    server: SearchServer, tmp_path: Path
) -> None:
    settings = given(
        searches="searxng > brave, crossref",
        search_addresses=server.addresses,
        brave_key=KEY,
        data_dir=tmp_path,
        contact="tester@example.org",
    )
    server.fail("searxng", Fault.HTML)

    async with open_services(settings) as (news, works):
        found = await news.search(query(), limit=5)
        papers = await works.search(query(), limit=5)

        assert [one.search for one in found] == ["Brave"]
        assert [one.search for one in papers] == ["Crossref"]
        assert found[0].published == NEW.published
        assert isinstance(news, Metered)
        assert [(one.search, one.used, one.limit) for one in news.quotas()] == [
            ("SearXNG", 1, None),
            ("Brave", 1, 60),
        ]
    assert server.requests[-1].parameters["mailto"] == "tester@example.org"


async def test_what_lacks_its_key_is_left_out_unless_it_is_asked_for(
    tmp_path: Path,
) -> None:
    settings = given(searches="brave>gdelt>searxng, google", data_dir=tmp_path)

    async with open_services(settings) as searches:
        assert [one.name for one in searches] == ["GDELT"]

    for order, message in [
        ("brave", "SIDENOTE_BRAVE_KEY"),
        ("searxng", "SIDENOTE_SEARCH_ADDRESSES"),
        ("bing", "there is no search 'bing'.*, or an existing folder"),
    ]:
        with pytest.raises(PermanentError, match=message):
            async with open_services(settings, order):
                pass


async def test_openalex_without_a_key_is_asked_seldom(tmp_path: Path) -> None:
    settings = given(searches="openalex", data_dir=tmp_path)

    async with open_services(settings) as (search,):
        assert isinstance(search, Metered)
        assert search.quotas()[0].limit == 10


@pytest.mark.parametrize(
    ("name", "pause_s"), [("gdelt", 5.5), ("brave", 1.1), ("crossref", 0.2)]
)
async def test_a_service_is_asked_at_its_own_pace(
    server: SearchServer, tmp_path: Path, name: str, pause_s: float
) -> None:
    settings = given(
        search_addresses=server.addresses, brave_key=KEY, data_dir=tmp_path
    )
    before = datetime.now(UTC).timestamp()

    async with open_services(settings, name) as (search,):
        await search.search(query(), limit=5)

    after = datetime.now(UTC).timestamp()
    [file] = (tmp_path / "searches").glob("*.json")
    next_at = json.loads(file.read_text("utf-8"))["next_at"]
    assert before + pause_s <= next_at <= after + pause_s


@pytest.mark.parametrize(
    ("name", "value", "message"),
    [
        ("SEARCHES", "gdelt>bing", "there is no search 'bing'"),
        ("SEARCHES", "gdelt, gdelt", "name each search once"),
        ("SEARCHES", "gdelt>", "there is no search ''"),
        ("SEARCH_ADDRESSES", "searxng=ftp://x", "http"),
        ("SEARCH_ADDRESSES", "searxng", "write pairs"),
        ("SEARCH_ADDRESSES", "searxng=https://me:hunter2@x.org/", "without a password"),
        ("SEARCH_QUOTAS", "brave=many", "brave=500"),
        ("BRAVE_KEY", "hunter2 x", "without spaces"),
        ("SEARCH_FEEDS", "https://a.example/feed, ftp://b.example/", "http"),
        ("SEARCH_FEEDS", "https://me:hunter2@a.example/feed", "without a password"),
        ("SISTER_LANGUAGES", "de, Deutsch!", "codes"),
    ],
)
def test_wrong_settings_are_explained_without_what_they_hold(
    monkeypatch: pytest.MonkeyPatch, name: str, value: str, message: str
) -> None:
    monkeypatch.setenv(f"SIDENOTE_{name}", value)

    with pytest.raises(SettingsError, match=message) as caught:
        load_settings(None)
    assert "hunter2" not in str(caught.value)


@pytest.mark.parametrize(
    ("address", "is_safe"),
    [
        ("http://search.example.org/", False),
        ("https://search.example.org/", True),
        ("http://127.0.0.1:8080/search", True),
        ("http://8.8.8.8/", False),
    ],
)
def test_a_key_is_not_sent_in_the_open(
    monkeypatch: pytest.MonkeyPatch, address: str, *, is_safe: bool
) -> None:
    monkeypatch.setenv("SIDENOTE_BRAVE_KEY", "hunter2")
    monkeypatch.setenv("SIDENOTE_SEARCH_ADDRESSES", f"brave={address}")

    if is_safe:
        assert load_settings(None).search_address(SearchName.BRAVE) == address
        return
    with pytest.raises(SettingsError, match="not sent in the open") as caught:
        load_settings(None)
    assert "hunter2" not in str(caught.value)


@pytest.mark.parametrize(
    "secret", ["brave_key", "serper_key", "google_key", "openalex_key"]
)
def test_keys_belong_into_the_environment_and_are_never_shown(
    secret: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = tmp_path / "sidenote.toml"
    file.write_text(f"{secret} = 'hunter2'\n", "utf-8")
    with pytest.raises(SettingsError, match="does not belong in a file") as caught:
        load_settings(file)
    assert "hunter2" not in str(caught.value)

    monkeypatch.setenv(f"SIDENOTE_{secret.upper()}", "hunter2")
    assert "hunter2" not in repr(load_settings(None))


def test_quotas_not_named_keep_what_the_free_plans_allow() -> None:
    settings = given(search_quotas="google=0,serper=7")

    assert settings.search_quota(SearchName.GOOGLE) is None
    assert settings.search_quota(SearchName.SERPER) == 7
    assert settings.search_quota(SearchName.BRAVE) == 60
    assert settings.search_quota(SearchName.GDELT) is None


_HALL = "Ashdown Arena"
_QUERY = Query("attendance", _HALL, window=Window(date(2024, 5, 1), date(2024, 5, 31)))
_OLD = "Die Halle wurde 1998 erbaut."
_NEW = f"{_OLD} 2024 wurde sie erneuert.<ref>[https://blatt.example/dach Dach]</ref>"


def _given(tmp_path: Path, **values: Any) -> Settings:
    return Settings(data_dir=tmp_path, **values)


async def test_wikidata_sisters_and_feeds_are_asked_about_the_wiki_of_the_article(
    tmp_path: Path,
) -> None:
    async with WikiServer() as wikis, FeedServer() as feeds:
        sisters = {"de": _HALL}
        wikis.wikis["en"] = {_HALL: Article(item="Q1", sisters=sisters)}
        revisions = [
            (datetime(2024, day, 5, tzinfo=UTC), text)
            for day, text in ((1, _OLD), (5, _NEW))
        ]
        wikis.wikis["de"] = {_HALL: Article(revisions)}
        crowd = Statement(
            "P1110", 23105, date(2024, 5, 2), address="https://stats.example/crowd"
        )
        wikis.entities |= {
            "Q1": entity([crowd]),
            "P1110": named("attendance"),
            "P585": named("point in time"),
        }
        news = Entry(
            "https://news.example/1", _HALL, "Full.", datetime(2024, 5, 2, tzinfo=UTC)
        )
        feeds.pages["/feed"] = FeedPage(rss([news]).encode())
        place = wikis.address("en").removeprefix("http://").partition("/")[0]
        settings = _given(
            tmp_path,
            searches="wikidata, sisters, feeds",
            search_addresses=f"wikidata={wikis.address('wikidata')}",
            search_feeds=feeds.address("/feed"),
            sister_languages="de",
            internal_addresses=place,
        )

        async with open_services(settings, wiki=wikis.address("en")) as searches:
            found = [await one.search(_QUERY, limit=5) for one in searches]

    assert [[one.address for one in each] for each in found] == [
        ["https://stats.example/crowd"],
        ["https://blatt.example/dach"],
        ["https://news.example/1"],
    ]


async def test_feeds_without_an_address_are_left_out_unless_asked_for(
    tmp_path: Path,
) -> None:
    settings = _given(tmp_path, searches="feeds, wikidata")

    async with open_services(settings) as searches:
        assert [one.name for one in searches] == ["Wikidata"]
    with pytest.raises(PermanentError, match="SIDENOTE_SEARCH_FEEDS"):
        async with open_services(settings, "feeds"):
            pass
