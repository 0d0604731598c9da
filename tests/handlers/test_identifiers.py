"""The address of a source, however an editor has written it down."""

import pytest

from tests.handlers.cited import citations_of, only_source


@pytest.mark.parametrize(
    ("body", "key"),
    [
        ("10.5555/velde.2018.08.011", "doi:10.5555/velde.2018.08.011"),
        ("Holm A. ''Stones''. J Stones 2001. doi:10.5555/v(2).3.", "doi:10.5555/v(2).3"),
        ("Holm, Stones (DOI: 10.5555/v.1).", "doi:10.5555/v.1"),
        ("Holm, Stones, doi.org/10.5555/v.1.", "doi:10.5555/v.1"),
        ("Holm, Stones [[doi:10.5555/v.1]]", "doi:10.5555/v.1"),
        ("Dreyer K. Ann Stones 1999. PMID 12345678", "pmid:12345678"),
        ("Dreyer K. Ann Stones 1999. PMID: 12345678.", "pmid:12345678"),
        ("Dreyer K. PMC1234567", "pmc:1234567"),
        ("Dreyer K. arXiv:1901.01234", "arxiv:1901.01234"),
        ("Dreyer K. ''Stones''. ISBN 978-0-19-852663-6", "isbn:978-0-19-852663-6"),
        ("www.seven.example/quarries, retrieved 2020", "http://www.seven.example/quarries"),
        ("Holm (www.seven.example/a).", "http://www.seven.example/a"),
        ("[www.seven.example/a Quarries]", "http://www.seven.example/a"),
        ("Holm (http://seven.example/a(b)).", "http://seven.example/a(b))"),
        ("(http://seven.example/a)", "http://seven.example/a"),
        ("{{URL|https://seven.example/b|Velde Stone}}", "https://seven.example/b"),
        ("{{URL|seven.example/b}}", "http://seven.example/b"),
        ("{{URL|seven.example}}, retrieved 2020", "http://seven.example/"),
        ("{{Velde|id=1|https://seven.example/b|2=[c]}}", "https://seven.example/b"),
        ("{{cite web|title=[https://a.example/h Wall]|publisher=V}}", "https://a.example/h"),
        ("{{cite web|title={{URL|https://a.example/h|Wall}}}}", "https://a.example/h"),
        ("{{cite web|https://a.example/h?a=b|title=Wall}}", "https://a.example/h?a=b"),
        ("{{cite web|title=A|work=[https://a.example/h Wall]}}", "https://a.example/h"),
        ("{{cite journal|title=A|doi=https://doi.org/10.5555/1}}", "doi:10.5555/1"),
        ("{{cite journal|title=A|pmid=PMID 123}}", "pmid:123"),
    ],
)  # fmt: skip
def test_an_address_or_number_without_its_parameter_is_the_source(
    body: str, key: str
) -> None:
    assert only_source(f"It is.<ref>{body}</ref>").key == key


@pytest.mark.parametrize(
    "body",
    [
        "Holm, ''Stones of Velde'', vol. 10, p. 5, 1990/91",
        "{{cite web|title=Wall|work=[https://a.example Velde News]}}",
        "{{cite web|title=Wall|quote=See https://a.example/h}}",
        "{{cite book|title=Wall|url=see below}}",
        "{{cite book|title=Wall|url=report.pdf}}",
    ],
)
def test_what_is_no_address_of_the_source_is_not_taken_for_it(body: str) -> None:
    source = only_source(f"It is.<ref>{body}</ref>")

    assert (source.url, source.doi, source.pmid, source.isbn) == (None,) * 4


def test_two_numbers_of_a_sort_are_two_sources() -> None:
    [citation] = citations_of(
        "It is.<ref>Holm. doi:10.5555/1 PMID 12345; Dreyer. doi:10.5555/2</ref>"
    )

    assert [(one.doi, one.pmid) for one in citation.sources] == [
        ("10.5555/1", "12345"),
        ("10.5555/2", None),
    ]


def test_a_number_beside_a_full_citation_is_its_own_only_without_an_address() -> None:
    linked = only_source(
        "It is.<ref>{{cite web|url=http://a.org/1}} doi:10.5555/1</ref>"
    )
    unlinked = only_source("It is.<ref>{{cite book|title=A}} doi:10.5555/1</ref>")

    assert (linked.doi, unlinked.doi) == (None, "10.5555/1")


@pytest.mark.parametrize(
    ("written", "address"),
    [
        ("https://a.example/annual report 2019.pdf", "https://a.example/annual%20report%202019.pdf"),
        ("https://a.example/f?q=velde tram&amp;page=2", "https://a.example/f?q=velde%20tram&page=2"),
        ("https://a.example/item[12]/text", "https://a.example/item%5B12%5D/text"),
        ("https://a.example/item&#91;12&#93;", "https://a.example/item%5B12%5D"),
        ("https://a.example/a{{!}}b", "https://a.example/a|b"),
        ("www.a.example/annual report", "http://www.a.example/annual%20report"),
        ("//a.example/annual report", "https://a.example/annual%20report"),
        ("a.example/annual report", "http://a.example/annual%20report"),
        ("https://a.example/S0003-9993(23)1/full", "https://a.example/S0003-9993(23)1/full"),
        ("[https://a.example/b Title]", "https://a.example/b"),
        ('"https://a.example/b"', "https://a.example/b"),
        ("<https://a.example/b>", "https://a.example/b"),
        ("https://a.example/b]", "https://a.example/b"),
        ("https://a.example/b http://b.example/c", "https://a.example/b"),
        ("https://a.example The title", "https://a.example"),
        ("https://a.example/b <!-- dead -->", "https://a.example/b"),
        ("{{URL|https://a.example/b|Title}}", "https://a.example/b"),
    ],
)  # fmt: skip
def test_the_whole_value_of_url_is_the_address(written: str, address: str) -> None:
    assert (
        only_source(f"a<ref>{{{{cite web|url={written}|title=T}}}}</ref>").url
        == address
    )
    copy = f"a<ref>{{{{cite web|title=T|archive-url={written}}}}}</ref>"
    assert only_source(copy).archive_url == address


@pytest.mark.parametrize(
    ("marker", "pages"),
    [
        ('<ref name="v" details="p. 12">{{cite book|title=A}}</ref>', "p. 12"),
        ("<ref details=\"''ch.'' 3\">{{cite book|title=A}}</ref>", "ch. 3"),
        ('<ref name="w" details="pp. 40–41" />', "pp. 40–41"),
        ('<ref name="w" />', None),
        ('<ref name="w" />{{rp|7}}', "7"),
    ],
)
def test_the_details_of_a_reference_are_its_pages(
    marker: str, pages: str | None
) -> None:
    listed = '<references><ref name="w">{{cite book|title=B}}</ref></references>'

    [citation] = citations_of(f"It is.{marker}\n{listed}")

    assert citation.pages == pages
    assert citation.sources
