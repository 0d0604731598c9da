from dataclasses import replace

import pytest

from bot.report.claims import claim_href, page_href, section_at
from handlers.model import PageId, Section, Span
from tests.builders import claim, page


def test_a_revision_has_a_permanent_link() -> None:
    href = page_href(page().id)

    assert href == "https://en.wikipedia.org/w/index.php?oldid=1234567890"


def test_a_page_without_a_revision_is_linked_by_its_title() -> None:
    identity = PageId("de.wikipedia.org", "Zürich & Co?")

    assert page_href(identity) == "https://de.wikipedia.org/wiki/Z%C3%BCrich_%26_Co%3F"


@pytest.mark.parametrize("wiki", ["", "a file", "evil.org/x?", "x@evil.org", "local"])
def test_a_wiki_that_is_no_host_name_is_not_linked(wiki: str) -> None:
    assert page_href(PageId(wiki, "Title")) is None


def test_a_claim_leads_to_its_words_in_the_article() -> None:
    href = claim_href(claim("it was rated"), page().id)

    assert href == (
        "https://en.wikipedia.org/w/index.php?oldid=1234567890#:~:text=it%20was%20rated"
    )


def test_a_claim_of_two_words_leads_to_the_page_only() -> None:
    assert claim_href(claim("72 miles"), page().id) == page_href(page().id)


def test_an_offset_belongs_to_the_section_around_it() -> None:
    lead = Section((), 0, Span(0, 10), Span(0, 10), 0)
    sections = (lead, replace(lead, path=("Life",), span=Span(10, 20)))

    assert [section_at(sections, at) for at in (9, 10, 20)] == [(), ("Life",), ()]
