"""Each service is asked and understood in its own form, over real connections."""

from datetime import date
from itertools import product

import pytest

from bot.search.services.client import RefusedError
from handlers.model import Query, Window
from handlers.ports import PermanentError, TemporaryError
from tests.bot.search.services.tools import (
    KEY,
    MARCH,
    NEW,
    OLD,
    RETRACTED,
    SearchServices,
    dialects,
    query,
)
from tests.rig.search.asked import Fault

ALL = ("gdelt", "searxng", "brave", "serper", "google", "crossref", "openalex")
WITH_KEY = ("brave", "serper", "google", "openalex")
SCHOLARLY = frozenset({"crossref", "openalex"})


@pytest.mark.parametrize("name", ALL)
async def test_a_service_finds_what_is_new_and_no_wiki_and_nothing_inside(
    services: SearchServices, name: str
) -> None:
    found = await services.service(name).search(query(), limit=10)

    address = (
        f"https://doi.org/{NEW.doi}"
        if name in SCHOLARLY
        else "https://www.bbc.co.uk/news/clock-tower"
    )
    assert [one.address for one in found] == [address]
    assert found[0].published == NEW.published
    assert "reopens" in (found[0].title or "")
    assert name == "gdelt" or "after repairs." in found[0].excerpt
    assert "<" not in found[0].excerpt
    assert not found.troubles


@pytest.mark.parametrize("name", ALL)
async def test_a_window_reaches_the_service_itself(
    services: SearchServices, name: str
) -> None:
    window = Window(date(2024, 4, 20), date(2024, 5, 20))

    found = await services.service(name).search(query("closes", window), limit=10)

    assert [one.published for one in found] == [OLD.published]


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        (
            "gdelt",
            {
                "query": '"Clock tower" reopens sourcelang:german',
                "startdatetime": "20260301000000",
                "enddatetime": "20260320235959",
                "maxrecords": "15",
            },
        ),
        ("searxng", {"time_range": "month", "language": "de", "format": "json"}),
        ("brave", {"freshness": "2026-03-01to2026-03-31", "search_lang": "de"}),
        (
            "serper",
            {"tbs": "lr:lang_1de,cdr:1,cd_min:3/1/2026,cd_max:3/31/2026", "num": 5},
        ),
        ("google", {"sort": "date:r:20260301:20260331", "lr": "lang_de"}),
        (
            "crossref",
            {"filter": "from-pub-date:2026-03-01,until-pub-date:2026-03-31"},
        ),
        (
            "openalex",
            {
                "filter": "from_publication_date:2026-03-01,"
                "to_publication_date:2026-03-31,language:de"
            },
        ),
    ],
)
async def test_window_and_language_are_asked_in_the_service_s_own_form(
    services: SearchServices, name: str, expected: dict[str, object]
) -> None:
    wanted = Query("clock tower reopens", "Clock tower", window=MARCH, language="de")

    await services.service(name).search(wanted, limit=5)

    [request] = services.server.requests
    sent = dict(request.body or request.parameters)
    assert {key: sent[key] for key in expected} == expected


async def test_a_retracted_work_is_no_source(services: SearchServices) -> None:
    services.server.put(RETRACTED)

    found = await services.service("openalex").search(query("retracted"), limit=9)

    assert found, "there is another one"
    assert not any("Retracted" in (one.title or "") for one in found)


@pytest.mark.parametrize("name", ALL)
async def test_without_a_window_any_day_will_do(
    services: SearchServices, name: str
) -> None:
    found = await services.service(name).search(query("clock tower", None), limit=10)

    days = {NEW.published} if name == "gdelt" else {NEW.published, OLD.published}
    assert {one.published for one in found} == days


@pytest.mark.parametrize("name", ALL)
async def test_nothing_found_is_no_failure(services: SearchServices, name: str) -> None:

    search = services.service(name)

    assert not await search.search(
        query("zzz", Window(date(2019, 1, 1), date(2019, 1, 2))), limit=3
    )


@pytest.mark.parametrize("name", WITH_KEY)
async def test_a_wrong_key_is_reported_once_asked_once_and_never_shown(
    services: SearchServices, name: str
) -> None:
    search = services.service(name, key="wr0ng-key")

    for _ in range(2):
        with pytest.raises(
            RefusedError, match=f"SIDENOTE_{name.upper()}_KEY"
        ) as caught:
            await search.search(query(), limit=3)
        assert "wr0ng-key" not in str(caught.value)

    assert len(services.server.requests) == 1
    assert "SIDENOTE" in str(search.quotas()[0])
    assert "wr0ng-key" not in repr(dialects(services.server, "wr0ng-key")[name])


@pytest.mark.parametrize(
    ("name", "fault"),
    [
        *product(ALL, (Fault.HTML, Fault.DOWN, Fault.STRANGE)),
        *product(("searxng", "serper", "google", "crossref"), (Fault.TOO_OFTEN,)),
    ],
)
async def test_a_service_out_of_order_is_left_alone_for_a_while(
    services: SearchServices, name: str, fault: Fault
) -> None:
    services.server.fail(name, fault)
    search = services.service(name)

    with pytest.raises(TemporaryError) as caught:
        await search.search(query(), limit=3)
    assert caught.value.retry_in_s == 60
    assert "<" not in str(caught.value)
    with pytest.raises(TemporaryError, match="not used"):
        await search.search(query(), limit=3)
    assert len(services.server.requests) == 1

    await services.clock.sleep(61)
    assert await search.search(query(), limit=3)


@pytest.mark.parametrize("name", [one for one in ALL if one != "gdelt"])
async def test_an_answer_that_breaks_off_is_reported(
    services: SearchServices, name: str
) -> None:
    services.server.fail(name, Fault.BROKEN)

    with pytest.raises(TemporaryError, match="gave an answer that cannot be read"):
        await services.service(name).search(query(), limit=3)


@pytest.mark.parametrize("name", ALL)
async def test_a_time_to_wait_is_kept(services: SearchServices, name: str) -> None:
    services.server.fail(name, Fault.COME_LATER)

    with pytest.raises(TemporaryError) as caught:
        await services.service(name).search(query(), limit=3)
    assert caught.value.retry_in_s == 120


@pytest.mark.parametrize(
    ("name", "wait_s"), [("gdelt", 5.5), ("brave", 1.1), ("openalex", 1.0)]
)
async def test_a_short_pause_is_waited_for(
    services: SearchServices, name: str, wait_s: float
) -> None:
    services.server.fail(name, Fault.TOO_OFTEN)

    assert await services.service(name).search(query(), limit=3)
    assert services.clock.slept == [wait_s]


@pytest.mark.parametrize(
    ("name", "wait_s"),
    [("brave", 40_000), ("serper", 86_400), ("google", 86_400), ("openalex", 40_000)],
)
async def test_a_quota_that_is_spent_there_is_reported_with_its_end(
    services: SearchServices, name: str, wait_s: float
) -> None:
    services.server.fail(name, Fault.SPENT)
    search = services.service(name)

    with pytest.raises(TemporaryError, match="quota is used up") as caught:
        await search.search(query(), limit=3)

    assert caught.value.retry_in_s == wait_s
    assert search.quotas()[0].free_at is not None


async def test_a_redirect_is_not_followed_and_the_key_stays_here(
    services: SearchServices,
) -> None:
    services.server.fail("google", Fault.MOVED)

    with pytest.raises(RefusedError, match=r"elsewhere\.example\.org") as caught:
        await services.service("google").search(query(), limit=3)
    assert KEY not in str(caught.value)


async def test_engines_that_are_silent_are_no_empty_answer(
    services: SearchServices,
) -> None:
    services.server.fail("searxng", Fault.NOTHING)

    with pytest.raises(TemporaryError, match="google, bing"):
        await services.service("searxng").search(query(), limit=3)


async def test_wrong_escapes_of_gdelt_are_read(services: SearchServices) -> None:
    services.server.fail("gdelt", Fault.BROKEN)

    [found] = await services.service("gdelt").search(query(), limit=3)

    assert found.title == r"A \& B \'quoted\' \x41 C:\new"


async def test_what_gdelt_says_in_plain_text_is_reported(
    services: SearchServices,
) -> None:
    search = services.service("gdelt")

    with pytest.raises(PermanentError, match="query was too short"):
        await search.search(Query("it", "", window=MARCH), limit=3)
    assert await search.search(query(), limit=3), "another question may be taken"


async def test_a_long_window_is_asked_of_gdelt_in_parts_the_newest_first(
    services: SearchServices,
) -> None:
    window = Window(date(2024, 1, 1))

    found = await services.service("gdelt").search(query("", window), limit=10)

    spans = [
        (request.parameters["startdatetime"][:8], request.parameters["enddatetime"][:8])
        for request in services.server.requests
    ]
    assert spans[0] == ("20251221", "20260320")
    assert spans[1][1] == "20251220"
    assert len(spans) == 4
    assert services.clock.slept == [5.5, 5.5, 5.5]
    assert [one.published for one in found] == [NEW.published]
    assert found.troubles == ("GDELT was only asked for what is newer than 2025-03-26",)


async def test_enough_found_ends_the_asking(services: SearchServices) -> None:
    found = await services.service("gdelt").search(
        query("", Window(date(2024, 1, 1))), limit=1
    )

    assert len(found) == len(services.server.requests) == 1
    assert not found.troubles


async def test_what_was_found_before_a_failure_is_kept(
    services: SearchServices,
) -> None:
    search = services.service("gdelt")
    window = Window(date(2024, 1, 1))
    services.server.fail("gdelt", None, Fault.DOWN)
    found = await search.search(query("", window), limit=10)

    assert len(found) == 1
    assert any("out of order" in one for one in found.troubles)


async def test_the_pace_that_crossref_names_is_kept(services: SearchServices) -> None:
    search = services.service("crossref")
    await search.search(query(), limit=3)
    await search.search(query(), limit=3)
    await search.search(query(), limit=3)

    assert services.clock.slept == [0.02]
