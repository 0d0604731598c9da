"""What is said of claims that editors have tagged, and that they go first."""

from collections.abc import Sequence
from dataclasses import replace

import pytest

from handlers.citations import check_citations
from handlers.citations.better_sources import Policy, find_better_sources
from handlers.citations.suggestions import suggestions_of
from handlers.findings import RemedyKind
from handlers.model import (
    BetterSources,
    CheckKind,
    ClaimCheck,
    Origin,
    Probabilities,
    Source,
    SourceFetch,
    SourceOutcome,
    Span,
    Tag,
    TagKind,
    Verdict,
)
from handlers.page import parse
from tests import builders
from tests.handlers.citations.better_world import FakeSearch, tools, web

_PAGE = builders.page()
_FOUND = BetterSources(builders.recommendation(), None, 3)


def _tagged(kind: TagKind, verdict: Verdict | None, **changes: object) -> ClaimCheck:
    tag = Tag(kind, kind.value, Span(0, 1))
    check = builders.claim_check(verdict, builders.claim(tags=(tag,)))
    return replace(check, **changes)  # type: ignore[arg-type]  # fields by name


def _archived(**changes: object) -> tuple[SourceFetch, ...]:
    copy = "https://web.archive.org/web/20110520000000/https://www.weather.gov/bmx"
    source = builders.source(**changes)
    return (builders.fetch(source, origin=Origin.ARCHIVE, url=copy),)


_FAILED, _DEAD = TagKind.FAILED_VERIFICATION, TagKind.DEAD_LINK
_SAID = [
    (_FAILED, Verdict.SUPPORTED, {}, "The source supports it: $ can go."),
    (
        TagKind.CITATION_NEEDED,
        Verdict.SUPPORTED,
        {},
        "The source supports it: $ can go.",
    ),
    (
        TagKind.DUBIOUS,
        Verdict.SUPPORTED,
        {},
        "The source says so. If it is reliable, $ can go.",
    ),
    (
        _FAILED,
        Verdict.CONTRADICTED,
        {},
        "Correct the article to match the source; then $ can go.",
    ),
    (
        _FAILED,
        Verdict.NOT_SUPPORTED,
        {"drift": builders.drift()},
        "Link the archived copy; then $ can go.",
    ),
    (_FAILED, Verdict.NOT_SUPPORTED, {"better": _FOUND}, "Cite it; then $ can go."),
    (
        TagKind.BETTER_SOURCE_NEEDED,
        Verdict.SUPPORTED,
        {"better": _FOUND},
        "If it is more reliable, cite it; then $ can go.",
    ),
    (_DEAD, Verdict.SUPPORTED, {}, "The page is online and supports it: $ can go."),
    (
        _DEAD,
        Verdict.SUPPORTED,
        {"fetches": _archived()},
        "Link the archived copy; then $ can go.",
    ),
]


@pytest.mark.parametrize(("kind", "verdict", "changes", "advice"), _SAID)
def test_a_note_says_what_settles_the_tag_and_when_it_can_go(
    kind: TagKind, verdict: Verdict, changes: dict[str, object], advice: str
) -> None:
    [one] = suggestions_of(_PAGE, [_tagged(kind, verdict, **changes)])

    [line] = one.finding.facts.lines
    assert str(line) == advice.replace("$", f"{{{{{kind.value}}}}}")
    assert (one.kind, one.flag and one.flag.kind) == ("tag", CheckKind.TAGGED)
    assert one.finding.facts.tag is None


_UNSURE = replace(
    builders.verification(), probabilities=Probabilities(0.7, 0.2, 0.06, 0.04)
)


@pytest.mark.parametrize(
    "check",
    [
        pytest.param(_tagged(_FAILED, Verdict.NOT_SUPPORTED), id="as the tag says"),
        pytest.param(_tagged(_FAILED, None), id="not checked"),
        pytest.param(
            _tagged(_FAILED, Verdict.SUPPORTED, verification=_UNSURE), id="not sure"
        ),
        pytest.param(_tagged(_FAILED, Verdict.CONTRADICTED, flag=None), id="no flag"),
        pytest.param(_tagged(TagKind.OTHER, Verdict.SUPPORTED), id="another matter"),
        pytest.param(
            _tagged(TagKind.BETTER_SOURCE_NEEDED, Verdict.SUPPORTED), id="none better"
        ),
        pytest.param(
            _tagged(
                _DEAD,
                Verdict.SUPPORTED,
                fetches=_archived(archive_url="https://archive.example/1"),
            ),
            id="its copy is cited",
        ),
    ],
)
def test_where_nothing_settles_the_tag_nothing_is_said(check: ClaimCheck) -> None:
    assert suggestions_of(_PAGE, [check]) == ()


def test_the_copy_of_a_dead_link_is_filled_into_its_citation() -> None:
    check = _tagged(_DEAD, Verdict.SUPPORTED, fetches=_archived())

    [one] = suggestions_of(_PAGE, [check])

    [remedy] = one.remedies
    assert remedy.kind is RemedyKind.ARCHIVED_COPY
    assert remedy.citation
    assert "|archive-url=https://web.archive.org/web/20110520" in remedy.citation
    assert remedy.citation.endswith("|url-status=dead}}")


def test_what_was_decided_of_a_failing_citation_says_nothing_of_its_tag() -> None:
    [fails] = suggestions_of(_PAGE, [builders.claim_check(Verdict.NOT_SUPPORTED)])
    [tagged] = suggestions_of(_PAGE, [_tagged(_FAILED, Verdict.SUPPORTED)])

    assert fails.identity != tagged.identity


async def test_tagged_claims_are_read_first() -> None:
    page = parse(
        "It rained.<ref>https://a.org/</ref> It fell.<ref>https://b.org/</ref>\n\n"
        "It rose.<ref>https://c.org/</ref>{{failed verification|date=May 2020}}",
        _PAGE.id,
    )
    read: list[str | None] = []

    class Reader:
        async def read(self, source: Source) -> SourceFetch:
            read.append(source.url)
            return builders.unread(SourceOutcome.GONE, of=source)

    _ = [
        each
        async for each in check_citations(page, replace(tools(web()), sources=Reader()))
    ]

    assert read == ["https://c.org/", "https://a.org/", "https://b.org/"]


@pytest.mark.parametrize("kind", [_FAILED, TagKind.BETTER_SOURCE_NEEDED])
async def test_tagged_claims_are_searched_for_first(kind: TagKind) -> None:
    others = [
        builders.claim_check(Verdict.CONTRADICTED, builders.claim(f"Number {number}"))
        for number in range(2)
    ]
    verdict = Verdict.NOT_SUPPORTED if kind is _FAILED else Verdict.SUPPORTED
    checks: Sequence[ClaimCheck] = [*others, _tagged(kind, verdict)]

    found = await find_better_sources(
        _PAGE, checks, tools(web(), FakeSearch()), Policy(claims_per_page=1)
    )

    assert [one.better is not None and not one.better.troubles for one in found] == [
        False,
        False,
        True,
    ]
