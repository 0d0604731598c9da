"""The whole program checks pages: from disk and of a wiki, of any sources and any wikitext."""

from typing import Any

import pytest

from tests.bot.sources.server import Site, answer, endless, hang
from tests.program import Program, cites, html, local, only_report, program, site
from tests.rig.fixtures import changes_port, wiki, wiki_proxy
from tests.rig.wiki.mediawiki import Wiki

__all__ = ["changes_port", "program", "site", "wiki", "wiki_proxy"]


async def test_a_page_from_disk_is_checked_against_the_live_web(
    program: Program, site: Site
) -> None:
    page = program.write(
        "Clock.wikitext",
        cites("The clock was built in 1874 by Ada Penrose.", local(site, "/clock"))
        + cites("It was painted green in 1950.", local(site, "/nowhere")),
    )

    done = await program("check", "--file", page, "--format", "json")

    [built, painted] = only_report(done)["claims"]  # type: ignore[misc]  # checked by the schema
    assert built["verdict"] == "supported"
    assert "built in 1874 by Ada Penrose" in built["evidence"][0]["quote"]
    assert painted["verdict"] is None
    assert painted["readings"][0]["outcome"] == "gone"
    assert done.code == 0


async def test_a_claim_that_its_source_does_not_make_needs_attention(
    program: Program, site: Site
) -> None:
    page = program.write(
        "Clock.wikitext",
        cites("Parrots of Eastmere migrate to Peru.", local(site, "/clock")),
    )

    done = await program("check", "--file", page)

    assert done.code == 1
    assert "not supported" in done.out.lower()


async def test_hostile_sources_are_named_and_the_rest_is_still_checked(
    program: Program, site: Site
) -> None:
    program.settings["SIDENOTE_SOURCE_TIMEOUT_S"] = "3"
    head = b"HTTP/1.1 200 OK\r\ncontent-type: text/plain\r\ncontent-length: 10737418240\r\n\r\n"
    picture = b"\x89PNG\r\n\x1a\n" + b"\0" * 99
    hostile = {
        "/hang": (hang, "unreachable"),
        "/zeros": (endless(head, b"\0" * 65536), "too large"),
        "/picture": (answer(picture, content_type="image/png"), "not text"),
        "/refused": (answer("no", "403 Forbidden"), "refused"),
        "/shell": (
            html("<html><body><div id=root></div><script src=a.js></script>"),
            "empty shell",
        ),
    }
    site.pages |= {path: served for path, (served, _) in hostile.items()}
    page = program.write(
        "P.wikitext",
        "".join(
            cites(f"The bell of {path} was cast in 1850.", local(site, path))
            for path in hostile
        )
        + cites("The clock was built in 1874 by Ada Penrose.", local(site, "/clock")),
    )

    done = await program("check", "--file", page, "--format", "json")

    claims: list[dict[str, Any]] = only_report(done)["claims"]  # type: ignore[assignment]  # checked by the schema
    *bells, clock = claims
    assert {bell["verdict"] for bell in bells} == {None}
    assert [bell["readings"][0]["outcome"] for bell in bells] == [
        outcome for _, outcome in hostile.values()
    ]
    assert clock["verdict"] == "supported"


async def test_internal_addresses_are_refused_unless_the_settings_name_them(
    program: Program, site: Site
) -> None:
    program.settings["SIDENOTE_INTERNAL_ADDRESSES"] = "[]"
    page = program.write("P.wikitext", cites("Built in 1874.", local(site, "/clock")))

    done = await program("check", "--file", page, "--format", "json")

    [claim] = only_report(done)["claims"]  # type: ignore[misc]  # checked by the schema
    assert claim["readings"][0]["outcome"] == "forbidden address"
    assert site.requests == []


@pytest.mark.parametrize(
    "unit",
    [
        pytest.param('<ref name="' * 10_000, id="names never closed"),
        pytest.param("{|\n|\n" * 10_000 + "|}\n" * 10_000, id="tables nested"),
        pytest.param("<ref>{{cite web|title=" + "{{b|" * 10_000, id="in a template"),
    ],
)
async def test_a_parser_bomb_on_a_page_leaves_its_other_claims_checked(
    program: Program, site: Site, unit: str
) -> None:
    """All the others are for `tests/handlers`, where they cost no process each."""
    clock = cites("The clock was built in 1874 by Ada Penrose.", local(site, "/clock"))
    page = program.write("P.wikitext", f"{clock}\n== Bomb ==\n{unit}\n")

    done = await program("check", "--file", page, "--format", "json")

    assert done.code in {0, 1}
    claims = only_report(done)["claims"]
    assert claims[0]["verdict"] == "supported"  # type: ignore[index]  # checked by the schema


@pytest.mark.mediawiki
async def test_a_page_of_a_real_wiki_is_checked(program: Program, wiki: Wiki) -> None:
    done = await program(
        "check", "Harbour Clock of Eastmere", "--wiki", wiki.host, "--format", "json"
    )

    page = only_report(done)
    claims = page["claims"]
    assert [claim["readings"][0]["outcome"] for claim in claims] == [  # type: ignore[attr-defined]  # checked by the schema
        "forbidden address",
        "forbidden address",
        "offline",
    ]
    assert page["page"]["revision_id"] is not None  # type: ignore[index]  # checked by the schema
    assert done.code == 0


@pytest.mark.mediawiki
@pytest.mark.parametrize(
    ("title", "message"),
    [
        pytest.param("Eastmere Clock", "Harbour Clock of Eastmere", id="a redirect"),
        pytest.param("Eastmere", "disambiguation page", id="a disambiguation page"),
        pytest.param("Penrose Lane", "No citation was found", id="no citations"),
    ],
)
async def test_a_page_with_nothing_to_check_says_what_it_is(
    program: Program, wiki: Wiki, title: str, message: str
) -> None:
    done = await program("check", title, "--wiki", wiki.host)

    assert done.code == 0
    assert message in " ".join(done.out.split())


@pytest.mark.mediawiki
async def test_a_title_that_does_not_exist_is_one_line(
    program: Program, wiki: Wiki
) -> None:
    done = await program("check", "Harbour Cloc", "--wiki", wiki.host)

    assert done.code == 3
    assert "Harbour Cloc" in done.output
