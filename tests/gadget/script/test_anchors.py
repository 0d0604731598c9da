"""Finding a claim's words in an article as a wiki renders it."""

from collections.abc import Iterator
from typing import Any

import pytest
from playwright.sync_api import Browser, Page

from bot.demo.loopback.wiki.serving import Wiki
from handlers.model import PageId
from handlers.page import parse
from tests.gadget.script.backend import Backend, serve_backend

pytestmark = pytest.mark.browser

_FIND = """claims => {
    const { index, find } = window.sidenote.anchors;
    const indexed = index( document.querySelector( '.mw-parser-output' ) );
    return claims.map( ( claim ) => {
        const range = find( indexed, Object.assign( { section: [], occurrence: 0, sentence: '' }, claim ) );
        return range && String( range );
    } );
}"""


@pytest.fixture(scope="module")
def locating() -> Iterator[Backend]:
    with serve_backend("anchors.js") as served:
        yield served


@pytest.fixture(scope="module")
def tab(chromium: Browser, locating: Backend) -> Iterator[Page]:
    page = chromium.new_page()
    page.goto(f"{locating.address}/page")
    yield page
    page.close()


def find(tab: Page, html: str, *claims: dict[str, Any]) -> list[str | None]:
    tab.evaluate(
        """html => {
            const parsed = new DOMParser().parseFromString( html, 'text/html' );
            const root = document.createElement( 'div' );
            root.className = 'mw-parser-output';
            root.append( ...parsed.body.childNodes );
            document.getElementById( 'content' ).replaceChildren( root );
        }""",
        html,
    )
    found: list[str | None] = tab.evaluate(_FIND, list(claims))
    return found


_MARK = '<sup class="reference"><a href="#1">[1]</a></sup>'


@pytest.mark.parametrize(
    ("html", "text", "found"),
    [
        ("<p>The <b>bell</b> rang.</p>", "The bell rang.", "The bell rang."),
        (
            f"<p>It rang,{_MARK} and broke. So</p>",
            "It rang, and broke.",
            "It rang,[1] and broke.",
        ),
        ("<p>Built in&nbsp;1874 –\n he said</p>", "Built in 1874 - he said", None),
        ("<p>She said “no”.</p>", 'She said "no".', "She said “no”."),
        ("<td>About $300 million</td>", "$300 million", "$300 million"),
        ("<p>It rose by (+45%) then.</p>", "+45%", "(+45%)"),
        ("<p>Der <i>İstanbul</i>-Turm fiel.</p>", "Der İstanbul-Turm fiel.", None),
        ("<p>بُنيت الساعة في ١٨٧٤.</p>", "بُنيت الساعة في ١٨٧٤.", "بُنيت الساعة في ١٨٧٤."),
        ("<p>鐘は1874年に建てられた。</p>", "鐘は1874年に建てられた。", None),
        (
            "<p>The tower is 41 metres (135 ft) high and made of stone.</p>",
            "The tower is high and made of stone.",
            "The tower is 41 metres (135 ft) high and made of stone.",
        ),
        (
            "<p>The crew of the ship left <i>in a hurry</i> one cold night in May.</p>",
            "The crew of the ship left one cold night in May.",
            "The crew of the ship left in a hurry one cold night in May.",
        ),
    ],
)
def test_words_are_found_whatever_a_parser_made_of_them(
    tab: Page, html: str, text: str, found: str | None
) -> None:
    [words] = find(tab, html, {"text": text})

    assert words is not None
    if found:
        assert words == found


def test_words_of_references_menus_and_hidden_places_are_not_meant(tab: Page) -> None:
    html = (
        '<ol class="references"><li>The bell rang twice.</li></ol>'
        '<p style="display:none">The bell rang twice.</p>'
        "<p hidden>The bell rang twice.</p><style>The bell rang twice.</style>"
        '<div class="noprint">The bell rang twice.</div>'
    )
    assert find(tab, html, {"text": "The bell rang twice."}) == [None]
    assert find(tab, "", {"text": "The bell rang twice."}) == [None]
    assert find(tab, html, {"text": "…"}, {"text": ""}) == [None, None]


def test_of_equal_sentences_the_one_that_is_meant_is_found(tab: Page) -> None:
    html = (
        (
            "<p>It rang<i>a</i>.</p><h2>Storm</h2><p>It rang<i>b</i>. So it rang.</p>"
            "<h2>Peace</h2><h3>Later</h3><p>It rang<i>c</i>.</p>"
        )
        .replace("<i>", "<i id=")
        .replace("=a<", "=a></i><")
        .replace("=b<", "=b></i><")
    )
    html = html.replace("=c<", "=c></i><").replace("</i></i>", "</i>")
    where = """claims => {
        const { index, find } = window.sidenote.anchors;
        const indexed = index( document.querySelector( '.mw-parser-output' ) );
        return claims.map( ( claim ) => find( indexed, claim ).startContainer
            .parentElement.querySelector( 'i' ).id );
    }"""
    find(tab, html)
    claim = {"text": "It rang.", "sentence": "It rang."}
    places = tab.evaluate(
        where,
        [
            {**claim, "section": [], "occurrence": 0},
            {**claim, "section": ["Storm"], "occurrence": 1},
            {**claim, "section": ["Peace", "Later"], "occurrence": 3},
            {**claim, "section": ["Peace", "Later"], "occurrence": 0},
        ],
    )
    assert places == ["a", "b", "c", "c"]


def test_a_clause_is_found_inside_its_own_sentence(tab: Page) -> None:
    html = "<p>In May it rang.</p><p>It was cast in 1874 and in May it rang.</p>"
    [words] = find(
        tab,
        html,
        {
            "text": "in May it rang",
            "sentence": "It was cast in 1874 and in May it rang.",
        },
    )
    assert words == "in May it rang."


@pytest.mark.mediawiki
@pytest.mark.parametrize(
    "title",
    [
        "2011 Sawyerville–Eoline tornado",
        "2020 Jonesboro tornado",
        "Edwardsville Amazon warehouse collapse",
        "Parasitic ant",
    ],
)
def test_every_claim_of_a_shipped_article_is_found_as_a_real_wiki_renders_it(
    chromium: Browser, locating: Backend, wiki: Wiki, title: str
) -> None:
    address = f"http://{wiki.host}/wiki/{title.replace(' ', '_')}"
    page = chromium.new_page()
    script = page.request.get(f"{locating.address}/anchors.js").text()
    source = page.request.get(f"{address}?action=raw").text()
    page.goto(address)
    page.evaluate(f"const module = undefined, require = undefined; {script}")
    claims = parse(source, PageId(wiki.host, title)).claims
    given = [
        {"text": one.text, "sentence": one.sentence, "section": list(one.section)}
        for one in claims
    ]

    found = page.evaluate(_FIND, given)
    page.close()

    missing = [
        one["text"] for one, words in zip(given, found, strict=True) if not words
    ]
    assert len(given) > 5
    assert missing == []
