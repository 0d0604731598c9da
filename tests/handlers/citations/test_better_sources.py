"""Which source is recommended for a claim whose citation fails, and which never."""

from collections.abc import Sequence
from dataclasses import replace

import pytest

from handlers.citations.better_sources import Policy, find_better_sources
from handlers.model import (
    BetterSources,
    Claim,
    ClaimCheck,
    ClaimKind,
    Found,
    Imprint,
    MissingKind,
    MissingPiece,
    Passage,
    Query,
    SearchResults,
    Source,
    SourceOutcome,
    SourceText,
    Span,
    Tag,
    TagKind,
    Trust,
    Verdict,
    Verification,
)
from handlers.ports import PermanentError, TemporaryError
from handlers.sources.reliability import ReliabilityLists, Rule
from tests.builders import citation, claim, fetch, page, unread
from tests.handlers.citations.better_world import (
    CITED,
    FakeSearch,
    FakeWeb,
    opinion,
    text,
    tools,
    web,
)

FOUND = "https://found.example/1"
OTHER = "https://other.example/2"
GAP = MissingPiece(MissingKind.TEMPLATE, "{{age|1960|5|2}}")
NEEDED = Tag(TagKind.CITATION_NEEDED, "citation needed", Span(0, 1))


def failing(
    verdict: Verdict | None = Verdict.NOT_SUPPORTED,
    *,
    of: Claim | None = None,
    share: float = 0.7,
    cited: Source = CITED,
    **changes: object,
) -> ClaimCheck:
    """A claim whose own source has the `verdict`."""
    passage = Passage(cited.key, "silent words", Span(0, 12))
    found = opinion(verdict, share, passage) if verdict else None
    default = ClaimCheck(
        of or claim(citations=(citation(cited),)), (fetch(cited),), verdict, found
    )
    return replace(default, **changes)  # type: ignore[arg-type]  # fields by name


async def better(
    check: ClaimCheck,
    pages: FakeWeb,
    *searches: FakeSearch,
    policy: Policy | None = None,
) -> BetterSources | None:
    [done] = await find_better_sources(
        page(), [check], tools(pages, *searches), policy or Policy()
    )
    assert replace(done, better=None) == check, "all else stays as it was"
    return done.better


async def recommended(
    check: ClaimCheck,
    pages: FakeWeb,
    *addresses: str,
    policy: Policy | None = None,
) -> str | None:
    """The address of what is recommended, if anything is."""
    found = await better(check, pages, FakeSearch(addresses), policy=policy)
    return found.recommendation.fetch.url if found.recommendation else None


async def test_a_source_that_supports_the_claim_is_recommended_with_its_quote() -> None:
    words = "supports:0.9 The tornado was rated EF3."

    found = await better(failing(share=0.7), web(text(words)), FakeSearch([FOUND]))

    assert found.recommendation is not None
    best = found.recommendation
    assert best.evidence.quote == words
    assert best.probability == pytest.approx(0.9)
    assert best.present == pytest.approx(0.1)
    assert best.search == "fake search"
    assert best.reliability.trust is Trust.UNLISTED
    assert f"|url={FOUND}" in best.template
    assert (found.contrary, found.candidates_read, found.troubles) == (None, 1, ())


@pytest.mark.parametrize(
    ("check", "is_searched"),
    [
        (failing(Verdict.NOT_SUPPORTED), True),
        (failing(Verdict.CONTRADICTED), True),
        (failing(Verdict.PARTIALLY_SUPPORTED, share=0.5), True),
        (failing(None, fetches=(unread(SourceOutcome.GONE, of=CITED),)), True),
        (failing(None, of=claim(citations=(), tags=(NEEDED,)), fetches=()), True),
        (failing(Verdict.SUPPORTED), False),
        (failing(None, of=claim(missing=(GAP,))), False),
        (failing(Verdict.SUPPORTED, of=claim(tags=(NEEDED,))), True),
    ],
    ids=[
        "not",
        "against",
        "half",
        "unread",
        "uncited",
        "supported",
        "not known in all its words",
        "supported, tagged",
    ],
)
async def test_only_claims_that_need_a_source_are_looked_for(
    check: ClaimCheck, is_searched: bool
) -> None:
    found = await better(check, web(), FakeSearch([FOUND]))

    assert (found is not None) is is_searched


async def test_without_a_search_nothing_is_said() -> None:
    assert await better(failing(), web()) is None


@pytest.mark.parametrize(
    ("present", "offered", "is_recommended"),
    [
        (0.1, 0.9, True),
        (0.75, 0.9, False),  # better, but by less than the margin
        (0.65, 0.9, True),
        (None, 0.55, True),  # nothing stands against it
        (None, 0.45, False),  # less than likely
    ],
)
async def test_a_source_must_beat_the_present_one_by_the_margin(
    present: float | None, offered: float, is_recommended: bool
) -> None:
    share = None if present is None else 1 - 3 * present
    if share is not None and share < 0:  # the present one supports the rest of it
        check = failing(Verdict.PARTIALLY_SUPPORTED)
        likely = replace(
            check.verification.probabilities,
            supported=present,
            partially_supported=1 - (present or 0),
        )
        check = replace(
            check, verification=replace(check.verification, probabilities=likely)
        )
    elif share is not None:
        check = failing(share=share)
    else:
        check = failing(None)

    found = await recommended(check, web(text(f"supports:{offered} it")), FOUND)

    assert (found is not None) is is_recommended


async def test_the_likeliest_of_several_is_recommended() -> None:
    pages = web(text("supports:0.8 a"), text("supports:0.95 b", OTHER))

    assert await recommended(failing(), pages, FOUND, OTHER) == OTHER


@pytest.mark.parametrize("word", ["half:0.9", "silent:0.9", "denies:0.9"])
async def test_what_does_not_support_the_claim_is_not_recommended(word: str) -> None:
    assert await recommended(failing(), web(text(f"{word} it")), FOUND) is None


@pytest.mark.parametrize(
    "address",
    [
        "https://cited.example/page",
        "http://www.cited.example/page/",
        "https://CITED.example./page#notes",
        "https://cited.example:443/page?utm_source=x&fbclid=1",
        "https://web.archive.org/web/20200102030405/https://cited.example/page",
        "https://web.archive.org/web/20200102030405id_/http://cited.example:80/page",
        "https://archive.today/20200102030405/https://cited.example/page",
        "https://arquivo.pt/wayback/20200102030405/https://cited.example/page",
        "http://127.0.0.1:8080/web/20200102030405id_/https://cited.example/page",
    ],
)
async def test_the_cited_page_under_another_address_is_not_even_read(
    address: str,
) -> None:
    pages = web(text("supports:0.9 it", address))

    assert await recommended(failing(), pages, address) is None
    assert not pages.reads


async def test_the_cited_page_is_known_by_its_identifier() -> None:
    cited = replace(CITED, doi="10.1000/182")
    landed = text(
        "supports:0.9 it",
        document=SourceText("supports:0.9 it", imprint=Imprint(doi="10.1000/182")),
    )

    assert await recommended(failing(cited=cited), web(landed), FOUND) is None
    resolver = "https://doi.org/10.1000/182"
    assert await recommended(failing(cited=cited), web(), resolver) is None


async def test_an_address_that_leads_to_the_cited_page_is_not_recommended() -> None:
    pages = FakeWeb({FOUND: text("supports:0.9 it", "https://cited.example/page/")})

    assert await recommended(failing(), pages, FOUND) is None


async def test_a_page_with_the_cited_text_is_not_recommended() -> None:
    same = fetch(CITED, document=SourceText("supports:0.9 it"))

    found = await recommended(
        failing(fetches=(same,)), web(text("supports:0.9 it")), FOUND
    )

    assert found is None


@pytest.mark.parametrize("trust", [one for one in Trust if one is not Trust.UNLISTED])
async def test_a_source_that_the_wiki_does_not_accept_is_not_even_read(
    trust: Trust,
) -> None:
    policy = Policy(lists=ReliabilityLists([Rule("found.example", "", trust)]))
    pages = web(text("supports:0.9 it"))
    accepted = trust in {Trust.RELIABLE, Trust.MIXED}

    found = await recommended(failing(), pages, FOUND, policy=policy)

    assert (found == FOUND) is accepted
    assert bool(pages.reads) is accepted


async def test_an_address_that_leads_to_an_unacceptable_site_is_not_recommended() -> (
    None
):
    policy = Policy(lists=ReliabilityLists([Rule("blog.example", "", Trust.MIRROR)]))
    pages = FakeWeb({FOUND: text("supports:0.9 it", "https://blog.example/1")})

    assert await recommended(failing(), pages, FOUND, policy=policy) is None


@pytest.mark.parametrize(
    "error", [PermanentError("no key"), TemporaryError("try later", retry_in_s=5.0)]
)
async def test_a_search_that_fails_is_reported_and_does_not_stop_the_others(
    error: Exception,
) -> None:
    broken = FakeSearch(name="broken", error=error)

    found = await better(
        failing(), web(text("supports:0.9 it")), broken, FakeSearch([FOUND])
    )

    assert found.recommendation is not None
    assert found.troubles == (f"broken: {error}",)


async def test_a_page_that_several_searches_find_comes_first() -> None:
    one, two = FakeSearch([OTHER, FOUND]), FakeSearch(["https://c.example/", FOUND])
    pages = web(text("supports:0.9 it"))

    found = await better(failing(), pages, one, two, policy=Policy(per_claim=1))

    assert found is not None
    assert list(pages.reads) == [FOUND]


async def test_no_more_candidates_are_read_than_a_claim_may_cost() -> None:
    addresses = [f"https://site{number}.example/" for number in range(9)]
    pages = web()

    await better(failing(), pages, FakeSearch(addresses), policy=Policy(per_claim=3))

    assert list(pages.reads) == addresses[:3]


async def test_a_pages_budget_goes_to_the_first_candidates_of_every_claim() -> None:
    checks = [
        failing(verdict, of=claim(f"Claim {at}", citations=(citation(CITED),)))
        for at, verdict in enumerate(
            [Verdict.PARTIALLY_SUPPORTED, Verdict.NOT_SUPPORTED, Verdict.CONTRADICTED]
        )
    ]
    search = FakeSearchByClaim()
    pages = web()

    await find_better_sources(
        page(), checks, tools(pages, search), Policy(per_page=4, per_claim=5)
    )

    assert sorted(pages.reads) == [
        "https://claim-0.example/0",
        "https://claim-1.example/0",
        "https://claim-2.example/0",
        "https://claim-2.example/1",  # what a source contradicts comes first
    ]


class FakeSearchByClaim(FakeSearch):
    """Finds other addresses for every claim."""

    async def search(self, query: Query, *, limit: int) -> Sequence[Found]:
        host = query.claim.lower().replace(" ", "-")
        addresses = [f"https://{host}.example/{at}" for at in range(limit)]
        return await FakeSearch(addresses).search(query, limit=limit)


async def test_a_page_that_several_claims_share_costs_once() -> None:
    checks = [failing(of=claim(f"Claim {at}")) for at in range(4)]
    pages = web(text("supports:0.9 it"))

    done = await find_better_sources(
        page(), checks, tools(pages, FakeSearch([FOUND])), Policy(per_page=1)
    )

    assert all(one.better and one.better.recommendation for one in done)


async def test_results_keep_the_order_of_the_claims() -> None:
    checks = [
        failing(verdict, of=claim(f"Claim {verdict.value}")) for verdict in Verdict
    ]

    done = await find_better_sources(
        page(), checks, tools(web(), FakeSearch([FOUND])), Policy()
    )

    assert [one.claim for one in done] == [one.claim for one in checks]


async def test_where_nothing_supports_a_claim_the_other_side_is_shown() -> None:
    pages = web(text("silent:0.9 it"), text("denies:0.8 EF4, not EF3", OTHER))

    found = await better(failing(), pages, FakeSearch([FOUND, OTHER]))

    assert found.recommendation is None
    assert found.contrary.evidence.quote == "denies:0.8 EF4, not EF3"
    assert found.contrary.probability == pytest.approx(0.8)


@pytest.mark.parametrize("support", ["supports:0.9 it", "supports:0.3 it"])
async def test_where_a_source_supports_the_claim_no_other_side_is_shown(
    support: str,
) -> None:
    pages = web(text(support), text("denies:0.8 it", OTHER))

    found = await better(failing(), pages, FakeSearch([FOUND, OTHER]))

    assert found.contrary is None


async def test_an_unlikely_contradiction_is_not_shown() -> None:
    found = await better(failing(), web(text("denies:0.4 it")), FakeSearch([FOUND]))

    assert found.contrary is None


async def test_a_quote_that_is_not_in_the_source_is_never_shown() -> None:
    class Liar:
        engine = failing().verification.engine  # type: ignore[union-attr]  # it has one

        async def verify(
            self, title: str, claim: Claim, passages: Sequence[Passage]
        ) -> Verification:
            assert title
            assert claim.text
            found = opinion(Verdict.SUPPORTED, 0.9, passages[0])
            made_up = replace(found.evidence[0], quote="supports:0.9 It!")
            return replace(found, evidence=(made_up,))

    given = replace(
        tools(web(text("supports:0.9 it")), FakeSearch([FOUND])), verifier=Liar()
    )

    [done] = await find_better_sources(page(), [failing()], given, Policy())

    assert done.better.recommendation is None


async def test_a_candidate_that_cannot_be_read_says_nothing() -> None:
    found = await better(failing(), web(), FakeSearch([FOUND]))

    assert found == BetterSources(None, None, candidates_read=0)


@pytest.mark.parametrize(
    ("subject", "queries"),
    [
        (claim("It was EF3"), ["It was EF3"]),
        (
            claim("EF3", kind=ClaimKind.TABLE_CELL, row="Bibb County", column="Rating"),
            ["Bibb County Rating EF3"],
        ),
        (
            claim("was EF3", kind=ClaimKind.CLAUSE, sentence="It was EF3, and long."),
            ["was EF3", "It was EF3, and long."],
        ),
    ],
)
async def test_a_search_is_asked_for_the_claim_as_a_reader_would_understand_it(
    subject: Claim, queries: list[str]
) -> None:
    search = FakeSearch()

    await better(failing(of=subject), web(), search)

    assert [query.claim for query in search.requests] == queries
    assert {query.title for query in search.requests} == {page().id.title}
    assert {query.section for query in search.requests} == {subject.section}


async def test_the_most_urgent_claims_are_searched_for_and_the_others_say_they_wait() -> (
    None
):
    checks = [
        failing(Verdict.PARTIALLY_SUPPORTED, share=0.5),
        failing(Verdict.SUPPORTED),
        failing(Verdict.CONTRADICTED),
        failing(Verdict.NOT_SUPPORTED),
    ]
    search = FakeSearch([FOUND])
    pages = web(text("supports:0.95 It was rated EF3."))

    done = await find_better_sources(
        page(), checks, tools(pages, search), Policy(claims_per_page=2)
    )

    assert len(search.requests) == 2
    half, fine, contradicted, silent = (one.better for one in done)
    assert fine is None
    assert contradicted.recommendation is not None
    assert silent.recommendation is not None
    assert half.recommendation is None
    assert len(half.troubles) == 1


async def test_services_that_failed_before_others_found_nothing_are_reported() -> None:
    class Failing(FakeSearch):
        async def search(self, query: Query, *, limit: int) -> SearchResults:
            await super().search(query, limit=limit)
            return SearchResults(
                tuple(Found(one, None, "", 1.0, "web") for one in self.addresses),
                ("GDELT: its quota is spent",),
            )

    pages = web(text("supports:0.95 It was rated EF3."))

    nothing = await better(failing(), pages, Failing([]))
    something = await better(failing(), pages, Failing([FOUND]))

    assert nothing.troubles == ("GDELT: its quota is spent",)
    assert something.troubles == ()
