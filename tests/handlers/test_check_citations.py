"""Which verdict a claim gets from what came of reading its sources."""

import asyncio
from dataclasses import replace
from datetime import date

import pytest

from handlers.citations import check_citations
from handlers.citations.passages import flat
from handlers.citations.suggestions import identity_of
from handlers.model import (
    Claim,
    ClaimCheck,
    MissingKind,
    MissingPiece,
    Origin,
    Page,
    PageId,
    Source,
    SourceFetch,
    SourceOutcome,
    SourceText,
    Span,
    Verdict,
)
from handlers.ports import Tools
from tests.builders import citation, claim, fetch, source, unread
from tests.fakes import FakeSources, FakeVerifier

FIRST = source(url="https://a.example/1")
SECOND = source(url="https://b.example/2")


def page(*claims: Claim) -> Page:
    return Page(PageId("en.wikipedia.org", "Tornado"), "", (), claims, (), ())


async def checks(
    given: Page, fetches: list[SourceFetch], verdicts: dict[str, Verdict]
) -> dict[str, ClaimCheck]:
    tools = Tools(FakeSources(fetches), FakeVerifier(verdicts))
    return {one.claim.text: one async for one in check_citations(given, tools)}


def cited(text: str, *sources: Source) -> Claim:
    return claim(text, citations=(citation(*sources),))


@pytest.mark.parametrize("verdict", list(Verdict))
async def test_a_claim_whose_source_was_read_gets_the_verifiers_verdict(
    verdict: Verdict,
) -> None:
    done = await checks(page(cited("A", FIRST)), [fetch(FIRST)], {"A": verdict})

    assert done["A"].verdict is verdict


@pytest.mark.parametrize(
    "outcome", [one for one in SourceOutcome if one is not SourceOutcome.READ]
)
async def test_a_source_that_was_not_read_is_never_a_verdict(
    outcome: SourceOutcome,
) -> None:
    done = await checks(page(cited("A", FIRST)), [unread(outcome, of=FIRST)], {})

    assert done["A"].verdict is None
    assert done["A"].verification is None
    assert done["A"].fetches[0].outcome is outcome


@pytest.mark.parametrize(
    ("verdict", "concluded"),
    [
        (Verdict.SUPPORTED, Verdict.SUPPORTED),
        (Verdict.CONTRADICTED, Verdict.CONTRADICTED),
        (Verdict.PARTIALLY_SUPPORTED, None),
        (Verdict.NOT_SUPPORTED, None),
    ],
)
async def test_what_is_missing_is_withheld_while_an_adjacent_source_is_unread(
    verdict: Verdict, concluded: Verdict | None
) -> None:
    fetches = [fetch(FIRST), unread(SourceOutcome.REFUSED, of=SECOND)]

    done = await checks(page(cited("A", FIRST, SECOND)), fetches, {"A": verdict})

    assert done["A"].verdict is concluded
    assert (done["A"].advice is not None) == (concluded is None)


@pytest.mark.parametrize(
    "kind", [one for one in MissingKind if one is not MissingKind.TEMPLATE]
)
@pytest.mark.parametrize("verdict", list(Verdict))
async def test_what_was_not_read_of_a_source_is_not_held_against_the_claim(
    verdict: Verdict, kind: MissingKind
) -> None:
    piece = MissingPiece(kind, "2–7")
    whole = fetch(FIRST)
    assert whole.document is not None
    in_part = replace(whole, document=replace(whole.document, missing=(piece,)))

    done = await checks(page(cited("A", FIRST)), [in_part], {"A": verdict})

    # The words that confirm it were read, unless they were mixed up.
    is_found = verdict is Verdict.SUPPORTED and kind is not MissingKind.COLUMNS
    is_judged = is_found or not kind.may_decide
    assert done["A"].verdict is (verdict if is_judged else None)
    assert (done["A"].advice is None) is is_judged


@pytest.mark.parametrize("verdict", Verdict)
async def test_a_claim_whose_words_are_not_all_known_gets_no_verdict(
    verdict: Verdict,
) -> None:
    gap = MissingPiece(MissingKind.TEMPLATE, "{{age|1960|5|2}}")
    given = replace(cited("A", FIRST), missing=(gap,))

    done = await checks(page(given), [fetch(FIRST)], {"A": verdict})

    assert done["A"].verdict is None
    assert done["A"].verification is not None  # its passages are still shown
    assert done["A"].advice is not None
    assert done["A"].advice.values == ("{{age|1960|5|2}}",)


LIVE = source(url="https://a.example/1", archive_url=None)
ARCHIVED = source(
    url="https://a.example/1",
    archive_url="https://web.archive.org/web/2011/https://a.example/1",
)
OF_LIVE = fetch(LIVE, document=SourceText("The live page says this."))
OF_ARCHIVE = fetch(
    ARCHIVED,
    origin=Origin.ARCHIVE,
    url=ARCHIVED.archive_url,
    document=SourceText("The archived page said that."),
)


class Copies:
    """Reads the copy that is cited."""

    async def read(self, given: Source) -> SourceFetch:
        return OF_ARCHIVE if given.archive_url else OF_LIVE


@pytest.mark.parametrize("order", [1, -1])
async def test_two_copies_of_one_address_are_two_sources(order: int) -> None:
    verifier = FakeVerifier({"A": Verdict.SUPPORTED, "B": Verdict.SUPPORTED})
    given = page(*[cited("A", LIVE), cited("B", ARCHIVED)][::order])

    found = [one async for one in check_citations(given, Tools(Copies(), verifier))]

    for check in found:
        [fetched] = check.fetches
        assert fetched.document is not None
        for passage in verifier.seen[check.claim.text]:
            assert passage.text == fetched.document.text
            assert check.copies[passage.source_key] is fetched


@pytest.mark.parametrize("order", [1, -1])
async def test_a_claim_that_cites_both_copies_is_judged_by_both(order: int) -> None:
    verifier = FakeVerifier({"A": Verdict.SUPPORTED})
    given = page(cited("A", *[LIVE, ARCHIVED][::order]))

    [check] = [one async for one in check_citations(given, Tools(Copies(), verifier))]

    texts = {one.source_key: one.text for one in verifier.seen["A"]}
    assert texts == {
        LIVE.url: "The live page says this.",
        ARCHIVED.archive_url: "The archived page said that.",
    }
    assert len(check.fetches) == 2


async def test_one_copy_that_is_cited_twice_is_read_as_one() -> None:
    later = replace(LIVE, access_date=date(2020, 1, 1))
    verifier = FakeVerifier({"A": Verdict.SUPPORTED})
    given = page(cited("A", LIVE, later))

    [check] = [one async for one in check_citations(given, Tools(Copies(), verifier))]

    assert check.fetches == (OF_LIVE,)
    assert len(verifier.seen["A"]) == 1


def test_a_second_copy_does_not_change_what_a_suggestion_is_called() -> None:
    given = page()
    once, twice = cited("A", LIVE), cited("A", LIVE, ARCHIVED)

    assert identity_of(given.id, once) == identity_of(given.id, twice)


async def test_adjacent_sources_are_judged_together() -> None:
    verifier = FakeVerifier({"A": Verdict.SUPPORTED})
    sources = FakeSources([fetch(FIRST), fetch(SECOND)])
    given = page(cited("A", FIRST, SECOND))

    _ = [one async for one in check_citations(given, Tools(sources, verifier))]

    keys = {passage.source_key for passage in verifier.seen["A"]}
    assert keys == {FIRST.key, SECOND.key}


async def test_a_claim_that_is_only_tagged_asks_nothing_of_anyone() -> None:
    tagged = claim("A", citations=())

    done = await checks(page(tagged), [], {})

    assert done["A"].verdict is None
    assert done["A"].fetches == ()


async def test_stopping_early_leaves_no_work_behind() -> None:
    class Never:
        async def read(self, given: Source) -> SourceFetch:
            if given == FIRST:
                return fetch(FIRST)
            await asyncio.Event().wait()
            raise AssertionError("nobody sets that event")

    given = page(cited("A", FIRST), cited("B", SECOND))
    tools = Tools(Never(), FakeVerifier({"A": Verdict.SUPPORTED}))

    results = check_citations(given, tools)
    first = await anext(results)
    await results.aclose()
    await asyncio.sleep(0)

    assert first.claim.text == "A"
    assert len(asyncio.all_tasks()) == 1


async def test_passages_stand_where_they_say_in_the_source() -> None:
    verifier = FakeVerifier({"A": Verdict.SUPPORTED})
    given = fetch(FIRST)

    tools = Tools(FakeSources([given]), verifier)
    _ = [one async for one in check_citations(page(cited("A", FIRST)), tools)]

    assert given.document is not None
    for passage in verifier.seen["A"]:
        assert passage.span.of(flat(given.document.text)) == passage.text
    assert verifier.seen["A"][0].span.start == 0
    assert Span(0, 3).of("abcd") == "abc"
