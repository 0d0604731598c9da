"""Free copies of papers, as the catalogues tell of them in their own forms."""

import json
from dataclasses import replace

import pytest

from bot.sources.copies import Place, copies, free_copies
from bot.sources.settings import Services
from handlers.model import Origin, Source, SourceForm, SourceOutcome
from handlers.sources.addresses import doi_of
from tests.bot.sources.server import Site, answer
from tests.bot.sources.tools import FakeExtractor, FakeNames, reading

PAPER = Source(SourceForm.TEMPLATE, "{{cite journal}}", doi="10.1000/abc.1")
ASKED = "/unpaywall/10.1000/abc.1?email=me%40example.org"


def unpaywall(*locations: dict[str, object]) -> bytes:
    """An answer as `GET /v2/:doi` gives it; what nobody reads is left out."""
    return answer(
        json.dumps(
            {
                "doi": "10.1000/abc.1",
                "doi_url": "https://doi.org/10.1000/abc.1",
                "is_oa": bool(locations),
                "oa_status": "green" if locations else "closed",
                "best_oa_location": locations[0] if locations else None,
                "oa_locations": list(locations),
                "title": "A paper",
            }
        ),
        content_type="application/json",
    )


def location(version: str, **addresses: str | None) -> dict[str, object]:
    return {
        "host_type": "repository",
        "is_best": True,
        "license": "cc-by",
        "version": version,
        "url": None,
        "url_for_pdf": None,
        "url_for_landing_page": "https://repository.example/1",
        **addresses,
    }


def europe_pmc(*listed: dict[str, str]) -> bytes:
    """An answer as `GET /search?format=json&resultType=core` gives it."""
    result = {
        "id": "456",
        "source": "MED",
        "pmid": "456",
        "isOpenAccess": "Y",
        "fullTextUrlList": {"fullTextUrl": list(listed)},
    }
    body = {"version": "6.9", "hitCount": 1, "resultList": {"result": [result]}}
    return answer(json.dumps(body), content_type="application/json")


def full_text(url: str, code: str = "OA", style: str = "html") -> dict[str, str]:
    return {
        "availability": {"OA": "Open access", "F": "Free", "S": "Subscription"}[code],
        "availabilityCode": code,
        "documentStyle": style,
        "site": "Europe_PMC",
        "url": url,
    }


def catalogues(site: Site) -> Services:
    return Services(
        doi=site.url("/doi/"),
        pmid=site.url("/pmid/"),
        arxiv=site.url("/abs/"),
        unpaywall=site.url("/unpaywall"),
        unpaywall_email="me@example.org",
        europe_pmc=site.url("/europepmc"),
        arxiv_papers=site.url("/pdf/"),
    )


async def test_a_paper_is_read_where_unpaywall_knows_a_free_copy(
    site: Site, names: FakeNames
) -> None:
    site.pages[ASKED] = unpaywall(
        location("submittedVersion", url=site.url("/draft")),
        location("acceptedVersion", url=site.url("/copy")),
        location("publishedVersion", url=site.url("/x"), url_for_pdf=site.url("/pdf1")),
    )
    site.pages["/copy"] = answer("the manuscript")
    site.pages["/doi/10.1000/abc.1"] = answer("the abstract")

    async with reading(
        site, names, services=catalogues(site), ask_wayback=False
    ) as sources:
        found = await sources.read(PAPER)

    assert found.document.text == "the manuscript"
    assert (found.origin, found.url) == (Origin.OPEN_ACCESS, site.url("/copy"))
    assert site.asked("/pdf1"), "the published text is tried first"
    assert not site.asked("/doi/10.1000/abc.1")
    assert not site.asked("/draft"), "what was only submitted may say something else"


async def test_a_free_copy_stands_in_for_a_page_behind_a_login(
    site: Site, names: FakeNames
) -> None:
    site.pages["/article"] = answer("log in")
    site.pages[ASKED] = unpaywall(location("publishedVersion", url=site.url("/copy")))
    site.pages["/copy"] = answer("the paper")
    extractor = FakeExtractor({site.url("/article"): SourceOutcome.LOGIN_WALL})
    cited = replace(PAPER, url=site.url("/article"))

    async with reading(
        site, names, extractor, services=catalogues(site), ask_wayback=False
    ) as sources:
        found = await sources.read(cited)

    assert found.origin is Origin.OPEN_ACCESS
    assert "live page: it is login wall" in found.detail


async def test_a_page_that_can_be_read_needs_no_copy(
    site: Site, names: FakeNames
) -> None:
    site.pages["/article"] = answer("the paper")

    async with reading(site, names, services=catalogues(site)) as sources:
        found = await sources.read(replace(PAPER, url=site.url("/article")))

    assert found.origin is Origin.LIVE
    assert [request.path for request in site.requests if "unpay" in request.path] == []


async def test_without_a_copy_the_cited_page_says_what_came_of_it(
    site: Site, names: FakeNames
) -> None:
    site.pages["/doi/10.1000/abc.1"] = answer("", "403 Forbidden")
    site.pages[ASKED] = answer('{"error": true, "message": "not found"}', "404 x")

    async with reading(
        site, names, services=catalogues(site), ask_wayback=False
    ) as sources:
        found = await sources.read(PAPER)

    assert found.outcome is SourceOutcome.REFUSED
    assert "Unpaywall: " in found.detail


async def test_europe_pmc_is_asked_by_pmid(site: Site, names: FakeNames) -> None:
    site.pages["/article"] = answer("the full text")
    query = "EXT_ID%3A456+AND+SRC%3AMED"
    path = f"/europepmc/search?query={query}&resultType=core&pageSize=1&format=json"
    site.pages[path] = europe_pmc(
        full_text("https://doi.org/10.1000/abc", "S", "doi"),
        full_text(site.url("/article")),
    )
    site.pages["/pmid/456"] = answer("the abstract")
    cited = Source(SourceForm.TEMPLATE, "{{cite journal}}", pmid="456")

    async with reading(site, names, services=catalogues(site)) as sources:
        found = await sources.read(cited)

    assert found.document.text == "the full text"
    assert found.origin is Origin.OPEN_ACCESS


@pytest.mark.parametrize(
    ("fields", "path"),
    [
        ({"arxiv": "2401.01234v2"}, "/pdf/2401.01234v2"),
        ({"arxiv": "hep-th/9901001"}, "/pdf/hep-th/9901001"),
        ({"url": "https://arxiv.org/abs/2401.01234"}, "/pdf/2401.01234"),
        ({"doi": "10.48550/arXiv.2401.01234"}, "/pdf/2401.01234"),
    ],
)
async def test_of_a_preprint_the_paper_is_read_and_not_its_abstract(
    site: Site, names: FakeNames, fields: dict[str, str], path: str
) -> None:
    site.pages[path] = answer("the paper")
    cited = replace(PAPER, **{"doi": None, **fields})  # type: ignore[arg-type]

    async with reading(site, names, services=catalogues(site)) as sources:
        found = await sources.read(cited)

    assert found.url == site.url(path)


def test_unpaywall_is_not_asked_by_somebody_without_an_e_mail_address() -> None:
    services = Services(unpaywall="https://unpaywall.test")

    assert list(free_copies(PAPER, services)) == []
    named = replace(services, unpaywall_email="me@example.org")
    assert [one.place for one in free_copies(PAPER, named)] == [Place.UNPAYWALL]


@pytest.mark.parametrize(
    "body",
    [
        b"",
        b"[]",
        b"null",
        b'{"best_oa_location": 3, "oa_locations": [1]}',
        b'{"resultList": {"result": []}}',
        b'{"resultList": {"result": [{"fullTextUrlList": null}]}}',
        b'{"oa_locations": [{"version": "publishedVersion", "url": 7}]}',
        b"[" * 100_000,
    ],
)
@pytest.mark.parametrize("catalogue", [Place.UNPAYWALL, Place.EUROPE_PMC, Place.CORE])
def test_an_answer_in_another_form_names_nothing(body: bytes, catalogue: Place) -> None:
    assert copies(catalogue, body) == ()


def test_an_address_of_a_doi_is_one() -> None:
    cited = Source(SourceForm.URL, "x", url="https://doi.org/10.1000%2Fabc(1)")

    assert doi_of(cited) == "10.1000/abc(1)"


async def test_core_is_asked_by_doi_and_alone_is_sent_the_key(
    site: Site, names: FakeNames
) -> None:
    path = "/core/search/works?q=doi%3A%2210.1000%2Fabc.1%22&limit=1"
    found = {"doi": "10.1000/abc.1", "downloadUrl": site.url("/core-copy")}
    site.pages[path] = answer(
        json.dumps({"totalHits": 1, "results": [found]}),
        content_type="application/json",
    )
    site.pages["/core-copy"] = answer("the paper, as CORE has it")
    services = replace(catalogues(site), core=site.url("/core"), core_key="KEY-OF-CORE")

    async with reading(site, names, services=services, ask_wayback=False) as sources:
        read = await sources.read(PAPER)

    assert read.document.text == "the paper, as CORE has it"
    sent = {one.path: one.headers.get("authorization") for one in site.requests}
    assert sent.pop(path) == "Bearer KEY-OF-CORE"
    assert set(sent.values()) == {None}
    assert "KEY-OF-CORE" not in repr(services)


def test_core_is_not_asked_without_a_key() -> None:
    services = Services(core="https://core.example/v3")
    assert list(free_copies(PAPER, services)) == []
