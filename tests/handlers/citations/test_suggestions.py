"""What is kept of a page's checks: which claims, with which flag and remedies."""

from dataclasses import replace

from handlers.citations.suggestions import occurrences, suggestions_of
from handlers.findings import RemedyKind
from handlers.model import (
    BetterSources,
    ClaimCheck,
    SourceOutcome,
    Span,
    Tag,
    TagKind,
    Verdict,
)
from handlers.page import parse
from tests import builders

_PAGE = builders.page()


def _failing(**changes: object) -> ClaimCheck:
    return replace(
        builders.claim_check(Verdict.NOT_SUPPORTED),
        **changes,  # type: ignore[arg-type]  # fields by name
    )


def test_a_suggestion_says_what_it_was_flagged_for() -> None:
    [flagged] = suggestions_of(_PAGE, [_failing()])
    [doubtful] = suggestions_of(_PAGE, [_failing(flag=None)])

    assert flagged.flag == builders.flag()
    assert doubtful.flag is None
    assert flagged.identity == doubtful.identity


def test_of_a_claim_that_stands_there_twice_the_flagged_one_counts() -> None:
    first, second, third = (
        _failing(
            claim=builders.claim(span=Span(start, start + 9)),
            flag=None if start == 10 else builders.flag(probability=start / 100),
        )
        for start in (10, 20, 30)
    )

    [one] = suggestions_of(_PAGE, [first, second, third])

    assert one.place == 20


def test_a_claim_without_a_verdict_against_it_suggests_nothing() -> None:
    checks = [builders.claim_check(), builders.unchecked(SourceOutcome.GONE)]

    assert suggestions_of(_PAGE, checks) == ()


def test_what_would_mend_the_claim_comes_along_the_simplest_first() -> None:
    better = BetterSources(builders.recommendation(), None, 3)

    [one] = suggestions_of(_PAGE, [_failing(better=better, drift=builders.drift())])

    found, drift = builders.recommendation(), builders.drift()
    assert [remedy.kind for remedy in one.remedies] == list(RemedyKind)
    copy, other = one.remedies
    assert (copy.citation, copy.address) == (drift.template, drift.archive_url)
    assert (other.citation, other.address) == (found.template, found.fetch.url)
    assert (copy.quote, other.quote) == (drift.evidence.quote, found.evidence.quote)
    assert one.citation == drift.template


def test_a_citation_that_could_not_be_filled_is_none() -> None:
    better = BetterSources(builders.recommendation(template=""), None, 3)

    [one] = suggestions_of(
        _PAGE, [_failing(better=better, drift=builders.drift(template=None))]
    )

    assert [remedy.citation for remedy in one.remedies] == [None, None]
    assert one.citation is None


def test_the_quotes_come_along_in_their_surroundings() -> None:
    found = builders.verification(
        Verdict.NOT_SUPPORTED,
        builders.evidence(page=3),
        unsupported=(Span(0, 4),),
    )

    [one] = suggestions_of(_PAGE, [_failing(verification=found)])

    [quote] = one.details.quotes
    cited = builders.source()
    assert quote.quote == builders.QUOTE
    assert f"{quote.before}{quote.quote}{quote.after}" in builders.SOURCE_TEXT
    assert (quote.title, quote.work, quote.published) == (
        cited.title,
        cited.work,
        cited.published,
    )
    assert (quote.page, quote.href) == (3, f"{cited.url}#page=3")
    assert (quote.language, quote.read_at) == ("en", builders.CHECKED_AT)
    assert one.finding.facts.marked == (Span(0, 4),)
    assert one.details.sentence == builders.claim().sentence


def test_a_source_that_is_cited_by_its_address_is_named_as_it_names_itself() -> None:
    bare = builders.source(title=None, work=None, published=None)
    found = builders.verification(Verdict.NOT_SUPPORTED, builders.evidence(of=bare))
    check = _failing(
        claim=builders.claim(citations=(builders.citation(bare),)),
        fetches=(builders.fetch(bare),),
        verification=found,
    )

    [one] = suggestions_of(_PAGE, [check])

    [quote] = one.details.quotes
    assert (quote.title, quote.work) == (
        "Sawyerville-Eoline EF-3 Tornado",
        "weather.gov",
    )


def test_at_most_three_quotes_are_kept() -> None:
    found = builders.verification(Verdict.NOT_SUPPORTED, *[builders.evidence()] * 5)

    [one] = suggestions_of(_PAGE, [_failing(verification=found)])

    assert len(one.details.quotes) == 3


def test_the_second_sentence_with_the_same_words_is_the_second() -> None:
    twice = (
        "It fell to the ground in May,<ref>https://a.org/</ref> and it rose again in"
        " June.<ref>https://b.org/</ref> It fell,<ref>https://c.org/</ref> and it"
        " fell.<ref>https://d.org/</ref>\n\n"
    )
    wikitext = f"It rained.<ref>https://e.org/</ref> {twice * 2}"
    page = parse(wikitext, _PAGE.id)

    places = occurrences(page.claims)

    counted = [(claim.text, places[claim.span]) for claim in page.claims]
    once = [
        "It fell to the ground in May",
        "and it rose again in June.",
        *["It fell, and it fell."] * 2,
    ]
    assert counted == [
        ("It rained.", 0),
        *((text, 0) for text in once),
        *((text, 1) for text in once),
    ]


def test_what_an_editor_has_marked_is_no_suggestion() -> None:
    tag = Tag(TagKind.FAILED_VERIFICATION, "failed verification", Span(9, 12))
    kinds = (TagKind.FAILED_VERIFICATION, TagKind.DUBIOUS, TagKind.DEAD_LINK)
    failed, doubted, dead = (
        _failing(
            claim=builders.claim(tags=(replace(tag, kind=kind),), span=Span(at, at + 9))
        )
        for at, kind in enumerate(kinds)
    )

    assert suggestions_of(_PAGE, [failed, doubted]) == ()
    assert len(suggestions_of(_PAGE, [dead])) == 1


_WANTED = Tag(TagKind.CITATION_NEEDED, "citation needed", Span(0, 1))


def _wanting(**changes: object) -> ClaimCheck:
    """A claim that editors want a citation for, and a source that was found for it."""
    found = BetterSources(builders.recommendation(), None, 3)
    default = ClaimCheck(
        builders.claim(citations=(), tags=(_WANTED,)), (), None, None, better=found
    )
    return replace(default, **changes)  # type: ignore[arg-type]  # fields by name


def test_a_claim_that_editors_want_a_source_for_is_offered_one() -> None:
    [one] = suggestions_of(_PAGE, [_wanting()])

    found = builders.recommendation()
    assert one.kind == "source"
    assert (one.verdict, one.probability) == (Verdict.SUPPORTED, found.probability)
    assert (one.flag, one.quote, one.details.quotes) == (None, None, ())
    [remedy] = one.remedies
    assert remedy.kind is RemedyKind.OTHER_SOURCE
    assert (remedy.address, remedy.quote) == (found.fetch.url, found.evidence.quote)
    assert one.citation == found.template


def test_nothing_is_offered_without_the_request_or_the_source() -> None:
    checks = [
        _wanting(claim=builders.claim(citations=())),
        _wanting(better=BetterSources(None, None, 3)),
        _wanting(better=None),
    ]

    assert suggestions_of(_PAGE, checks) == ()


def test_a_fault_is_no_offer() -> None:
    [one] = suggestions_of(_PAGE, [_failing()])

    assert one.kind == "citation"
