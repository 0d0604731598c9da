"""Whole pages: nothing is lost, nothing is left unaccounted for."""

import json
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from handlers.model import Page, PageId, Span
from handlers.page import parse
from handlers.page.markup import Element, Kind
from handlers.page.references import find_references
from handlers.page.scan import Scan, scan
from tests.shared_data import shared_data

PAGE_ID = PageId("en.wikipedia.org", "Example")
PIECES = ["<ref>a</ref>", "<ref name=x />", "<ref>", "</ref>", "[[a|", "]]", "{{", "}}"]
PIECES += ["{{efn|", "|", "\n|-\n", "\n{|\n", "\n|}\n", "\n== h ==\n", "\n* ", "word "]
PIECES += ["Two words. ", "{{cn}}", "{{sfn|A|2000}}", "<references>", "</references>"]
PIECES += ["<!--", "-->", "<gallery>", "\nFile:a.jpg|", "{{ubl|", "{{quote|", "\n\n"]


def _holds(outer: Span, inner: Span) -> bool:
    return outer.start <= inner.start and inner.end <= outer.end


def unaccounted(page: Page) -> Iterator[str]:
    """Yield the references that no claim, definition, note or reason accounts for."""
    found = scan(page.wikitext)
    references = find_references(found)
    marked = {
        citation.marker.start for claim in page.claims for citation in claim.citations
    }
    marked |= {reference.span.start for reference in page.unattached}
    notes = {marker.note for marker in references.markers}
    listed = {each.span.start for each in references.definitions if each.is_listed}
    noted = {
        each.span.start for each in references.definitions if each.element in notes
    }
    names = {each.name for each in references.definitions if each.element in notes}
    for element in _reference_elements(found):
        is_reuse_of_note = dict(element.attributes).get("name") in names
        if element.start not in marked | listed | noted and not is_reuse_of_note:
            yield page.wikitext[element.start : element.end]


def _reference_elements(found: Scan) -> list[Element]:
    elements = found.elements
    kinds = (Kind.REF, Kind.REF_REUSE)
    return [
        each
        for each in elements
        if each.kind in kinds
        and not (each.parent >= 0 and elements[each.parent].kind is Kind.OPAQUE)
    ]


@given(st.lists(st.sampled_from(PIECES), max_size=25).map("".join))
def test_any_wikitext_is_read_and_its_spans_lie_inside(wikitext: str) -> None:
    page = parse(wikitext, PAGE_ID)

    whole = Span(0, len(wikitext))
    assert "".join(section.span.of(wikitext) for section in page.sections) == wikitext
    assert page.wikitext == wikitext
    for claim in page.claims:
        assert _holds(whole, claim.span)
        assert claim.span.start < claim.span.end
        assert claim.text.strip() == claim.text != ""
        assert len(claim.context) <= 600
    assert all(_holds(whole, each.span) for each in page.unattached)


@given(st.lists(st.sampled_from(PIECES), max_size=25).map("".join))
def test_every_reference_of_any_wikitext_is_accounted_for(wikitext: str) -> None:
    page = parse(wikitext, PAGE_ID)

    assert list(unaccounted(page)) == []


@pytest.mark.shared_data
def test_every_reference_of_real_articles_is_accounted_for() -> None:
    folder = shared_data("wikitext_articles")
    references = claims = 0

    for line in (folder / "index.jsonl").read_text().splitlines():
        row = json.loads(line)
        page = parse((folder / row["file"]).read_text(), PageId(row["site"], "x"))
        references += row["n_ref_tags"]
        claims += len(page.claims)
        assert list(unaccounted(page)) == [], row["file"]
        assert all(_holds(Span(0, len(page.wikitext)), c.span) for c in page.claims)

    assert references > 10_000
    assert claims > 9_000


@pytest.mark.shared_data
def test_every_parser_bomb_is_read() -> None:
    path = shared_data("security_corpora/parser-bombs/bombs.json")

    for bomb in json.loads(Path(path).read_text())["wikitext"]:
        wikitext = bomb["unit"] * 3_000
        assert parse(wikitext, PAGE_ID).wikitext == wikitext


@pytest.mark.parametrize(
    ("opener", "closer"),
    [
        pytest.param("{{nowrap|", "}}", id="templates that show their words"),
        pytest.param("{{efn|a b c ", "}}", id="notes"),
        pytest.param("{{x|", "}}", id="unknown templates"),
        pytest.param("[[File:a|", "]]", id="captions"),
        pytest.param("\n{|\n|\n", "\n|}", id="tables"),
        pytest.param("<ref>a b c ", "</ref>", id="references"),
    ],
)
def test_deep_nesting_is_read(opener: str, closer: str) -> None:
    ref = "It is so.<ref>http://a.org A</ref>"
    wikitext = (opener + ref) * 2_000 + closer * 2_000

    page = parse(wikitext, PAGE_ID)

    assert page.wikitext == wikitext


@pytest.mark.parametrize(
    ("wikitext", "target"),
    [
        pytest.param("#REDIRECT [[Rome]]", "Rome", id="English"),
        pytest.param("#redirect: [[rome_city#History|x]]", "rome city", id="fragment"),
        pytest.param("#WEITERLEITUNG [[Rom]]", "Rom", id="German"),
        pytest.param("\n#REDIRECTION[[:Rome]] {{R}}", "Rome", id="French"),
        pytest.param("# REDIRECCIÓN [[Roma]]", "Roma", id="Spanish"),
        pytest.param("#перенаправление [[Рим]]", "Рим", id="Russian"),
        pytest.param("Text #REDIRECT [[Rome]]", None, id="not at the beginning"),
        pytest.param("# [[Rome]]", None, id="numbered list"),
    ],
)
def test_a_redirect_names_its_target(wikitext: str, target: str | None) -> None:
    assert parse(wikitext, PAGE_ID).redirect_to == target


@pytest.mark.parametrize(
    ("wikitext", "expected"),
    [
        pytest.param("* [[A]]\n{{disambiguation|geo}}", True, id="full name"),
        pytest.param("* [[A]]\n{{Dab}}", True, id="short name"),
        pytest.param("* [[A]]\n{{Hndis|name=A}}", True, id="people"),
        pytest.param("{{Begriffsklärung}}", True, id="German"),
        pytest.param("{{School disambiguation}}", True, id="schools"),
        pytest.param("__DISAMBIG__", True, id="magic word"),
        pytest.param("x {{disambiguation needed}}", False, id="tag"),
        pytest.param("{{other uses}} x", False, id="hatnote"),
    ],
)
def test_a_disambiguation_page_is_recognised(wikitext: str, *, expected: bool) -> None:
    assert parse(wikitext, PAGE_ID).is_disambiguation is expected
