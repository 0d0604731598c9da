"""The checker of the daemon asks the searches of the settings, within their quotas."""

from collections.abc import AsyncIterator, Iterator
from contextlib import AsyncExitStack
from dataclasses import dataclass
from datetime import date
from pathlib import Path

import pytest

from bot.app.wiring.checks import open_checker
from bot.daemon.progress import LoggedProgress
from bot.report import PageReport
from bot.search.opensearch import Cluster, OpenSearchUpdater
from bot.settings import Settings
from bot.sources.extraction import Extractor
from bot.store import open_store
from handlers.citations.suggestions import suggestions_of
from handlers.findings import RemedyKind
from handlers.model import PageId, Verdict
from tests.bot.search.index.documents import Counting, documents
from tests.bot.search.opensearch import standin
from tests.bot.settings.own_settings import no_settings_from_outside
from tests.bot.sources.server import Site, answer, serving
from tests.rig.databases import ready_sqlite
from tests.rig.search.serving import SearchServer
from tests.rig.search.shelf import Shelved

__all__ = ["no_settings_from_outside"]

CLOCK = "The clock of Eastmere was built in 1874 by Ada Penrose."
SAYS = (
    f"<!DOCTYPE html><html lang=en><title>The clock of Eastmere</title><body><article>"
    f"<h1>The clock of Eastmere</h1><p>{CLOCK} It stands on the customs quay, and was"
    " repaired by the harbour board after the flood.</p><p>Visitors may climb its tower"
    " from May to September, on weekdays and on the first Sunday of each month.</p>"
    "</article></body></html>"
)
SILENT = SAYS.replace(CLOCK, "Parrots are birds that live in warm countries.")
PAGE = PageId("en.wikipedia.org", "Clock of Eastmere", 7, 70)


@dataclass
class World:
    """Sites, search services, and settings that know them."""

    site: Site
    search: SearchServer
    folder: Path

    def settings(self, **changes: object) -> Settings:
        settings = {
            "searches": "searxng",
            "search_addresses": self.search.addresses,
            "internal_addresses": (f"127.0.0.1:{self.site.port}",),
            "archive_service": self.url("/available"),
            "host_delay_s": 0,
            "data_dir": self.folder,
            "verifier": "lexical",
        }
        return Settings.model_validate(settings | changes)

    def url(self, path: str) -> str:
        return self.site.url(path, "127.0.0.1")

    async def check(
        self, wikitext: str, *, services: str | None = None, **changes: object
    ) -> PageReport:
        settings = self.settings(**changes)
        async with open_checker(
            settings, None, LoggedProgress(), services=services
        ) as checker:
            return await checker.check(wikitext, PAGE)

    @property
    def asked(self) -> int:
        return len(self.search.requests)


@pytest.fixture
async def world(tmp_path: Path) -> AsyncIterator[World]:
    async with AsyncExitStack() as stack:
        pages = {
            "/says": answer(SAYS, content_type="text/html; charset=utf-8"),
            "/silent": answer(SILENT, content_type="text/html; charset=utf-8"),
            "/available": answer(
                '{"archived_snapshots": {}}', content_type="application/json"
            ),
        }
        site = await stack.enter_async_context(serving(Site(pages)))
        says = Shelved(
            site.url("/says", "127.0.0.1"),
            "The clock of Eastmere",
            CLOCK,
            date(2025, 3, 1),
        )
        search = await stack.enter_async_context(SearchServer([says]))
        yield World(site, search, tmp_path)


@pytest.fixture
def cluster() -> Iterator[standin.Cluster]:
    with standin.running(standin.Cluster()) as running:
        yield running


def failing(world: World, claim: str = CLOCK) -> str:
    return f"{claim}<ref>{world.url('/silent')}</ref>"


async def test_a_failing_citation_gets_the_source_that_a_service_found(
    world: World,
) -> None:
    report = await world.check(failing(world))

    [check] = report.checks
    assert check.verdict is Verdict.NOT_SUPPORTED
    assert check.better
    assert check.better.recommendation
    assert check.better.recommendation.fetch.url == world.url("/says")
    assert check.better.recommendation.evidence.quote == CLOCK
    assert check.better.recommendation.search == "SearXNG"


async def test_a_claim_that_wants_a_citation_is_offered_one(world: World) -> None:
    report = await world.check(f"{CLOCK}{{{{citation needed|date=May 2025}}}}")

    [found] = suggestions_of(report.page, report.checks)
    assert found.kind == "source"
    [remedy] = found.remedies
    assert (remedy.kind, remedy.address) == (
        RemedyKind.OTHER_SOURCE,
        world.url("/says"),
    )
    assert remedy.quote == CLOCK


async def test_a_world_without_services_asks_none(world: World) -> None:
    report = await world.check(failing(world), services="")

    assert report.checks[0].better is None
    assert world.asked == 0


async def test_no_more_claims_are_searched_for_than_the_settings_allow(
    world: World,
) -> None:
    text = "\n\n".join(
        failing(world, f"The clock of Eastmere was painted {colour} in 1901.")
        for colour in ("red", "green", "white")
    )

    report = await world.check(text, better_claims_per_page=2)
    searched = world.asked
    none = await world.check(text, better_claims_per_page=0)

    assert searched == world.asked == 2
    waiting = [one for one in report.checks if one.better and one.better.troubles]
    assert len(waiting) == 1
    assert waiting[0].fingerprint is None, "it is looked at again at the next look"
    assert [one.better for one in none.checks] == [None] * 3


async def test_a_check_with_a_spent_quota_leaves_what_was_found_before(
    world: World,
) -> None:
    text = f"{failing(world)}\n\nIt was the {CLOCK}{{{{citation needed}}}}"
    quota = {"search_quotas": ("searxng=2",)}

    with open_store(ready_sqlite(world.folder / "sidenote.sqlite")) as store:
        first = await world.check(text, **quota)
        store.save_check(first, suggestions_of(first.page, first.checks))
        before = store.suggestions_of(PAGE.wiki, PAGE.title)
        again = await world.check(text, **quota)
        store.save_check(again, suggestions_of(again.page, again.checks))
        after = store.suggestions_of(PAGE.wiki, PAGE.title)

    assert world.asked == 2
    assert all(one.better and one.better.troubles for one in again.checks)
    assert len(before) == 2
    assert all(one.suggestion.remedies for one in before)
    assert [one.suggestion.remedies for one in after] == [
        one.suggestion.remedies for one in before
    ]


async def test_opensearch_is_asked_where_it_is_set_up(
    world: World, cluster: standin.Cluster
) -> None:
    folder = world.folder / "pages"
    folder.mkdir()
    (folder / "clock.html").write_text(SAYS, "utf-8")
    await _index(cluster, folder)
    for passage in cluster.passages.values():
        passage["address"] = world.url("/says")

    report = await world.check(
        failing(world), searches="", opensearch_address=cluster.address
    )

    [check] = report.checks
    assert check.better
    assert check.better.recommendation
    assert check.better.recommendation.search == "OpenSearch"
    assert check.better.recommendation.fetch.url == world.url("/says")


async def _index(there: standin.Cluster, folder: Path) -> None:
    client = Cluster(there.address, index="sidenote", timeout_s=5)
    try:
        async with Extractor() as extractor:
            updater = OpenSearchUpdater(client, extractor, None, Counting())
            await updater.update(documents(folder, folder / "none"))
    finally:
        client.close()
