"""What a program finds in an article's shape: footnotes, headings, lead and lengths."""

import pytest

from handlers.model import IssueKind, PageId
from handlers.page import parse
from handlers.review.review import review
from tests.handlers.review.articles import FILLER, REF, kinds_in, shown_in


def test_of_a_text_that_lost_its_footnotes_none_is_missed() -> None:
    bare = f"== History ==\n{FILLER * 30}\n\nSome historians say that it fell."
    page = parse(bare, PageId("file", "Harbour Bridge"))
    kept, lost = review(page), review(page, footnotes_lost=True)

    assert {one.kind for one in kept.findings} >= {
        IssueKind.CITATION_DENSITY,
        IssueKind.WEASEL,
    }
    assert not {one.kind for one in lost.findings} - {
        IssueKind.LEAD_LENGTH,
        IssueKind.WEASEL,
    }
    assert not kept.troubles
    assert "no footnotes" in lost.troubles[0]


def test_a_section_of_paragraphs_without_sources_is_one_finding() -> None:
    bare = FILLER * 5
    body = f"== History ==\n{bare}{REF}\n\n{bare}\n\n{bare}\n\n== Road ==\n{bare}{REF}"
    (found,) = shown_in(body)

    assert found.kind is IssueKind.UNSOURCED
    assert found.message.startswith("2 paragraphs")
    assert found.section == ("History",)


@pytest.mark.parametrize(
    "body",
    [
        f"== Plot ==\n{FILLER * 6}\n\n== History ==\nIt opened.{REF}",
        f"== History ==\n{FILLER * 6}{{{{citation needed|date=May 2024}}}} It opened.{REF}",
        f"== History ==\n{{{{unreferenced section}}}}\n{FILLER * 6}\n\nIt opened.{REF}",
        f"== History ==\n:{FILLER * 6}\n\nIt opened.{REF}",
        f"== History ==\n* {FILLER * 6}\n\nIt opened.{REF}",
        f"== History ==\n{FILLER * 6}\n* [https://a.example A]\n\nIt opened.{REF}",
    ],
)
def test_plots_lists_quotations_and_what_is_tagged_want_no_source(body: str) -> None:
    assert IssueKind.UNSOURCED not in kinds_in(body)


def test_an_article_without_footnotes_has_one_finding() -> None:
    body = "== History ==\n" + f"{FILLER * 10}\n\n" * 4
    found = [one for one in shown_in(body) if one.guideline != "MOS:LEADLENGTH"]

    assert [one.kind for one in found] == [IssueKind.CITATION_DENSITY]
    assert "no inline citations" in found[0].message


def test_few_footnotes_are_counted_over_the_whole_article() -> None:
    bare = f"{FILLER * 10}\n\n"
    found = shown_in(f"== History ==\n{bare * 3}It opened.{REF} It is ''open''.{REF}")
    (few,) = [one for one in found if one.kind is IssueKind.CITATION_DENSITY]

    assert "3 of 3 paragraphs have none" in few.message
    assert IssueKind.UNSOURCED not in {one.kind for one in found}


def test_most_citations_of_one_site_and_of_sites_where_anybody_can_publish() -> None:
    def body(site: str) -> str:
        said = "".join(
            f"It opened {n}.<ref>{{{{cite web|url=https://{site}/{n}}}}}</ref> "
            for n in range(12)
        )
        return f"== History ==\n{said}"

    (one,) = shown_in(body("paper.example"))
    (two,) = shown_in(body("ann.blogspot.com"))
    own = "{{Official website|https://www.hb-trust.example}}"
    (three,) = shown_in(f"{body('hb-trust.example')}\n\n{own}")

    assert (one.kind, one.guideline) == (IssueKind.ONE_SIDED, "WP:BALANCE")
    assert two.guideline == "WP:SPS"
    assert three.guideline == "WP:PRIMARY"
    assert not shown_in(body("doi.org"))


@pytest.mark.parametrize(
    ("heading", "says"),
    [
        ("== The arches and the road ==", "begins with an article"),
        ("== Road [[lane]]s ==", "link"),
        (f"== Road{REF} ==", "footnote"),
        ("==== Lanes ====", "skips a level"),
        ("= Lanes =", "first level"),
        ("== Harbour Bridge ==", "title"),
        ("== Old Lanes ==", "not in sentence case: “Old Lanes”"),
        ("== Who built it? ==", "question"),
        ("== Lanes: ==", "punctuation"),
    ],
)
def test_faults_of_headings(heading: str, says: str) -> None:
    body = f"{heading}\nIt has two lanes; the lanes are wide.{REF}"
    found = [one for one in shown_in(body) if one.kind is IssueKind.HEADING]

    assert len(found) == 1
    assert says in found[0].message


@pytest.mark.parametrize(
    "heading",
    ["== Port Example ==", "== 1932–1940: Opening ==", "== Second Arch Road =="],
)
def test_names_in_headings_and_what_follows_a_colon_keep_their_capitals(
    heading: str,
) -> None:
    body = f"{heading}\nThe Second Arch Road is a road of the town; the opening of Port Example's road, the port and the opening.{REF}"

    assert IssueKind.HEADING not in kinds_in(body)


def test_headings_in_title_case_are_one_finding_with_their_number() -> None:
    body = "".join(
        f"== {at} Lanes ==\nIt has two lanes; the lanes are wide.{REF}\n\n"
        for at in ("Old", "New", "Last", "Wide")
    )
    [found] = [one for one in shown_in(body) if one.kind is IssueKind.HEADING]

    assert found.message.startswith("4 headings are not in sentence case: “Old Lanes”,")
    assert found.is_of_page


def test_further_down_a_heading_may_be_the_title() -> None:
    body = f"== Bridges ==\n=== Harbour Bridge ===\nIt has two lanes.{REF}"

    assert IssueKind.HEADING not in kinds_in(body)


def test_leads_that_are_too_short_or_too_long_for_their_article() -> None:
    long = f"{FILLER * 20}{REF}\n\n"

    assert IssueKind.LEAD_LENGTH in kinds_in("== History ==\n" + long * 8)
    assert IssueKind.LEAD_LENGTH in kinds_in(long * 6 + "== History ==\n" + long * 6)
    assert IssueKind.LEAD_LENGTH not in kinds_in(long + "== History ==\n" + long * 6)


def test_a_list_needs_no_long_lead() -> None:
    items = f"* {FILLER * 3}{REF}\n" * 40
    text = f"This is a list of bridges.\n\n== North ==\n{items}"
    kinds = {
        title: {
            one.kind
            for one in review(parse(text, PageId("en.wikipedia.org", title))).findings
        }
        for title in ("List of bridges", "Bridges")
    }

    assert IssueKind.LEAD_LENGTH in kinds["Bridges"]
    assert IssueKind.LEAD_LENGTH not in kinds["List of bridges"]


def test_long_sections_and_paragraphs() -> None:
    found = shown_in("== History ==\n" + f"{FILLER * 40}{REF}\n\n" * 4)

    assert sum(one.kind is IssueKind.OVERLONG_SECTION for one in found) == 5


@pytest.mark.parametrize(
    ("site", "is_own"),
    [
        ("www.hb-trust.example", True),
        ("www.harbourbridge.example", False),
        ("harbourbridgenews.example", False),
    ],
)
def test_only_the_site_that_the_article_calls_official_is_its_subjects_own(
    site: str,
    is_own: bool,
) -> None:
    body = "".join(
        f"{FILLER}<ref>[https://{site}/{at} A page]</ref>\n\n" for at in range(12)
    )
    body += "{{Official website|https://www.hb-trust.example}}"
    [found] = [one for one in shown_in(body) if one.kind is IssueKind.ONE_SIDED]
    assert ("own site" in found.message) is is_own
