"""The whole program, where a citation fails and something better can be shown."""

import json
from datetime import date
from pathlib import Path
from urllib.parse import quote

import pytest

from tests.bot.sources.server import Site, answer
from tests.program import (
    PAGE_SAYS,
    Program,
    html,
    local,
    only_report,
    program,
    site,
)

__all__ = ["program", "site"]

CLAIM = "The clock on the customs quay was built in 1874 by Ada Penrose."
OTHER_PAGE = (
    "<html><head><title>Fishing rights</title></head><body><article><h1>Fishing rights"
    "</h1><p>The council met on Tuesday to discuss herring quotas for the coming season"
    " and heard from three skippers.</p><p>A vote was put off until the minister has"
    " answered the letter that was sent to the capital in spring. The public gallery was"
    " full, and the meeting was closed at nine in the evening.</p></article></body></html>"
)
BETTER_PAGE = PAGE_SAYS.replace(
    "</head>",
    '<meta property="og:site_name" content="Harbour Times">'
    '<meta name="citation_author" content="Doe, Jane">'
    '<meta property="article:published_time" content="2019-04-05T06:00:00Z"></head>',
)


def changed_page(site: Site, captured: str = "20200103040506") -> tuple[str, str]:
    """Serve a page that has changed, and its capture; return both addresses."""
    site.pages["/clock"] = html(OTHER_PAGE)
    url = local(site, "/clock")
    copy = local(site, f"/web/{captured}/{url}")
    closest = {"status": "200", "available": True, "url": copy, "timestamp": captured}
    question = f"/available?url={quote(url, safe='')}&timestamp=20200101"
    site.pages[question] = answer(
        json.dumps({"archived_snapshots": {"closest": closest}}),
        content_type="application/json",
    )
    site.pages[f"/web/{captured}id_/{url}"] = html(PAGE_SAYS)
    return url, copy


def cited_in_2020(program: Program, url: str) -> str:
    return program.write(
        "page.wikitext",
        f"{CLAIM}<ref>{{{{cite web |url={url} |title=The clock"
        " |access-date=1 January 2020}}</ref>\n",
    )


async def test_a_page_that_changed_since_it_was_cited_is_reported_with_its_copy(
    program: Program, site: Site
) -> None:
    url, copy = changed_page(site)
    file = cited_in_2020(program, url)

    done = await program("check", "--file", file)

    assert "The page said this when it was cited" in done.out
    assert "by the copy archived on 2020-01-03" in done.out
    assert "It was cited on 2020-01-01." in done.out
    assert f"archive-url={copy}" in done.out
    assert "archive-date=2020-01-03" in done.out
    assert "url-status=deviated" in done.out


SPANISH_PAGE = (
    "<html><head><title>El reloj del puerto</title></head><body><article><h1>El reloj"
    " del puerto</h1><p>El reloj del muelle de la aduana fue construido en 1874 por Ada"
    " Penrose, que había aprendido el oficio de su padre en el norte.</p><p>Una tormenta"
    " lo detuvo en 1911 y fue reparado dos años más tarde a costa de la ciudad. La torre"
    " puede visitarse el primer domingo de cada mes, de mayo a septiembre.</p></article>"
    "</body></html>"
)


@pytest.mark.parametrize("language", ["", " |language=es", " |language=en"])
async def test_a_source_in_spanish_is_not_judged(
    program: Program, site: Site, language: str
) -> None:
    site.pages["/reloj"] = html(SPANISH_PAGE)
    source = f"{{{{cite web |url={local(site, '/reloj')} |title=El reloj{language}}}}}"
    file = program.write("page.wikitext", f"{CLAIM}<ref>{source}</ref>\n")

    page = only_report(await program("check", "--file", file, "--format", "json"))

    [claim] = page["claims"]  # type: ignore[misc]  # a list of one
    assert claim["verdict"] is None
    [reading] = claim["readings"]
    assert reading["outcome"] == "foreign language"
    assert "Spanish" in reading["detail"]


async def test_drift_is_in_the_json_report(program: Program, site: Site) -> None:
    url, copy = changed_page(site)
    file = cited_in_2020(program, url)

    page = only_report(await program("check", "--file", file, "--format", "json"))

    [claim] = page["claims"]  # type: ignore[misc]  # a list of one
    assert claim["verdict"] in {"not supported", "contradicted", "partially supported"}
    drift = claim["drift"]
    assert drift["archive_url"] == copy
    assert drift["cited_on"] == date(2020, 1, 1).isoformat()
    assert drift["probability"] > drift["present"] + 0.2
    assert "1874 by Ada Penrose" in drift["evidence"]["quote"]


async def test_a_copy_of_another_year_says_nothing(
    program: Program, site: Site
) -> None:
    url, _ = changed_page(site, captured="20220103040506")
    file = cited_in_2020(program, url)

    page = only_report(await program("check", "--file", file, "--format", "json"))

    [claim] = page["claims"]  # type: ignore[misc]  # a list of one
    assert claim["drift"] is None


# --- a better source --------------------------------------------------------------


@pytest.fixture
def folders(program: Program) -> tuple[str, str]:
    """A folder with the cited page, and one to search with a page that is better."""
    cited, library = program.folder / "cited", program.folder / "library"
    for folder in (cited, library):
        folder.mkdir()
    put(cited, {"https://fish.example/rights": OTHER_PAGE})
    put(
        library,
        {
            "https://fish.example/rights": OTHER_PAGE,
            "https://harbour.blogspot.com/clock": PAGE_SAYS.replace("quay", "quay "),
            "https://times.example/clock": BETTER_PAGE,
            "https://times.example/herring": OTHER_PAGE.replace("Tuesday", "Monday"),
        },
    )
    return str(cited), str(library)


def put(folder: Path, pages: dict[str, str]) -> None:
    entries = []
    for number, (url, page) in enumerate(pages.items()):
        (folder / f"{number}.html").write_text(page, "utf-8")
        entries.append({"url": url, "file": f"{number}.html", "captured": "2026-10-02"})
    (folder / "index.json").write_text(json.dumps(entries), "utf-8")


@pytest.mark.parametrize(
    "citation",
    [
        "<ref>{{cite web |url=https://fish.example/rights |title=Fish}}</ref>",
        "{{citation needed|date=May 2024}}",
    ],
    ids=["fails", "missing"],
)
async def test_a_search_finds_a_source_that_supports_the_claim(
    program: Program, folders: tuple[str, str], citation: str
) -> None:
    cited, library = folders
    file = program.write("page.wikitext", f"{CLAIM}{citation}\n")

    done = await program(
        *("check", "--file", file, "--wiki", "en.wikipedia.org", "--sources", cited),
        *("--search", library, "--format", "json"),
    )

    [claim] = only_report(done)["claims"]  # type: ignore[misc]  # a list of one
    found = claim["better"]["recommendation"]
    assert found["url"] == "https://times.example/clock"
    assert "1874 by Ada Penrose" in found["evidence"]["quote"]
    assert found["template"] == (
        "{{cite web |last=Doe |first=Jane |date=2019-04-05"
        " |url=https://times.example/clock |title=The Harbour Clock"
        " |website=Harbour Times |access-date=2026-10-02}}"
    )
    assert found["reliability"]["trust"] == "not on the list of discussed sources"
    assert found["search"] == "folder"


async def test_a_better_source_is_in_the_reports_for_people(
    program: Program, folders: tuple[str, str]
) -> None:
    cited, library = folders
    file = program.write(
        "page.wikitext",
        f"{CLAIM}<ref>{{{{cite web |url=https://fish.example/rights |title=F}}}}</ref>",
    )
    arguments = ("check", "--file", file, "--sources", cited, "--search", library)

    text = await program(*arguments)
    page = await program(*arguments, "--format", "html", "-o", "report.html")

    assert "Another source supports this" in text.out
    assert "{{cite web |last=Doe |first=Jane" in text.out
    report = (program.folder / "report.html").read_text("utf-8")
    assert page.code == text.code
    assert "Another source supports this" in report
    assert "{{cite web |last=Doe |first=Jane" in report


async def test_a_folder_that_is_not_there_is_reported_before_any_work(
    program: Program,
) -> None:
    done = await program("check", "--file", "page.wikitext", "--search", "nowhere")

    assert done.code == 2
    assert "nowhere" in done.err
