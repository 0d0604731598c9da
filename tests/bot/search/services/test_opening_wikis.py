"""The settings say which wikis and feeds are searched."""

from datetime import UTC, date, datetime
from pathlib import Path
from typing import Any

import pytest

from bot.app.wiring.searches import open_services
from bot.settings import Settings, SettingsError, load_settings
from handlers.model import Query, Window
from handlers.ports import PermanentError
from tests.rig.search.feeds import Entry, FeedPage, FeedServer, rss
from tests.rig.search.items import Statement, entity, named
from tests.rig.search.wikis import Article, WikiServer

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


@pytest.mark.parametrize(
    ("name", "value", "message"),
    [
        ("SEARCH_FEEDS", "https://a.example/feed, ftp://b.example/", "http"),
        ("SEARCH_FEEDS", "https://me:hunter2@a.example/feed", "without a password"),
        ("SISTER_LANGUAGES", "de, Deutsch!", "codes"),
    ],
)
def test_wrong_settings_are_explained(
    monkeypatch: pytest.MonkeyPatch, name: str, value: str, message: str
) -> None:
    monkeypatch.setenv(f"SIDENOTE_{name}", value)

    with pytest.raises(SettingsError, match=message) as caught:
        load_settings(None)
    assert "hunter2" not in str(caught.value)
