"""The report as a page: its markup, its links, and colours that can be told apart."""

import re
from collections import Counter
from dataclasses import replace
from functools import partial
from html.parser import HTMLParser
from importlib import resources
from itertools import pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bot.report import ClaimState, render_html, render_json, render_text
from bot.report.claims import claim_href, page_href, section_at
from bot.report.notes import notes_of
from bot.report.words import ADVICE
from handlers.model import (
    Evidence,
    PageId,
    Passage,
    Section,
    SourceOutcome,
    Span,
    Verdict,
)
from tests.bot.report.hostile import report_full_of, report_sharing
from tests.bot.report.payloads import payloads
from tests.builders import (
    claim,
    claim_check,
    evidence,
    fetch,
    page,
    page_report,
    source,
    verification,
)
from tests.full_report import full_report


class Outline(HTMLParser):
    """Collects what a document is made of."""

    def __init__(self, document: str) -> None:
        super().__init__()
        self.elements: Counter[str] = Counter()
        self.attributes: list[tuple[str, str, str]] = []
        self.headings: list[int] = []
        self._words: list[str] = []
        self.feed(document)
        self.text = " ".join("".join(self._words).split())

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.elements[tag] += 1
        self.attributes += [(tag, name, value or "") for name, value in attrs]
        if re.fullmatch(r"h[1-6]", tag):
            self.headings.append(int(tag[1]))

    def handle_data(self, data: str) -> None:
        self._words.append(data)

    def values(self, attribute: str) -> list[str]:
        return [value for _, name, value in self.attributes if name == attribute]


@pytest.fixture(scope="module")
def outline() -> Outline:
    return Outline(
        render_html([full_report(), page_report(claim_check()), page_report()])
    )


def test_the_file_needs_nothing_but_itself(outline: Outline) -> None:
    assert not {"script", "link", "img", "iframe", "object"} & set(outline.elements)
    assert not outline.values("src")
    policy = "default-src 'none'; style-src 'unsafe-inline'"
    assert policy in outline.values("content")


def test_headings_go_down_one_level_at_a_time(outline: Outline) -> None:
    assert outline.headings[0] == 1
    assert outline.headings.count(1) == 1
    assert all(below - above <= 1 for above, below in pairwise(outline.headings))


def test_every_link_inside_the_file_leads_somewhere_and_every_name_is_unique(
    outline: Outline,
) -> None:
    names = Counter(outline.values("id"))
    targets = {href[1:] for href in outline.values("href") if href.startswith("#")}

    assert targets <= set(names)
    assert set(outline.values("aria-labelledby")) <= set(names)
    assert max(names.values()) == 1


def test_each_count_leads_to_the_first_claim_that_stands_so() -> None:
    document = render_html([full_report()])

    for state in ClaimState:
        slug = state.value.replace(" ", "-")
        chip = re.search(rf'<a class="chip is-{slug}" href="#(a1-c\d+)"', document)
        first = re.search(rf'<li class="claim is-{slug}[^"]*" id="(a1-c\d+)"', document)
        assert chip
        assert first
        assert chip[1] == first[1]


def test_what_needs_attention_is_listed_most_urgent_first() -> None:
    document = render_html([full_report()])

    listed = re.findall(r"headline..><b>([^<]+)</b>", document.replace('"', ".."))

    assert listed
    notes = notes_of(full_report())
    assert listed == [str(one.headline) for one in notes if not one.is_question]


def test_it_shows_all_that_an_editor_needs(outline: Outline) -> None:
    for words in (
        "Revision 1234567890",
        "of 2026-10-02 08:30 UTC",
        "Checked 2026-11-20 12:51 UTC",
        "Engine lexical 1.0",
        "Damage \N{SINGLE RIGHT-POINTING ANGLE QUOTATION MARK} By county",
        "row Bibb County, column Rating",
        "infobox, path length",
        "Tagged in the article: dubious, May 2024",
        "archived copy of 2011-06-01",
        "copy on disk, captured 2026-11-20",
        "live page, read 2026-11-20",
        "Open page 3 of the document",
        "p. 3–4",
        "cite report",
        "Citation problem: no reference is named “smith”",
        "the server answered 403",
        "Defined in a list but never used",
        "No citations were found on this page",
        "From the article “2011 Sawyerville–Eoline tornado” on Wikipedia",
        "A program made this report",
        *map(str, ADVICE.values()),
    ):
        assert words in outline.text


def test_words_without_support_and_words_that_match_are_marked_each_their_way() -> None:
    document = render_html([full_report()])

    assert re.search(
        r'<mark class="gap" title="no support[^"]*">midnight</mark>', document
    )
    assert re.search(
        r'<mark class="hit" title="[^"]*">near Sawyerville</mark>', document
    )


def test_the_quote_is_linked_at_its_very_words() -> None:
    document = render_html([page_report(claim_check())])

    assert (
        'href="https://www.weather.gov/bmx/event_04272011sawyerville'
        "#:~:text=The%20tornado%20was%20rated%20EF%2D3,the%20ground%20for%2072%20miles."
    ) in document


def _quoted(words: str) -> Evidence:
    return evidence(words, text=words, matching=())


def test_what_is_to_be_compared_stands_side_by_side_with_both_sides_marked() -> None:
    said = claim("The storm stayed on the ground for 70 miles.")
    found = _quoted("The storm stayed on the ground for 72 miles and lifted.")
    half = claim_check(
        None,
        said,
        fetches=(fetch(),),
        verification=verification(Verdict.SUPPORTED, found),
    )

    document = render_html([page_report(half)])

    _, _, group = document.partition('<details class="attention compare">')
    pair, _, below = group.partition("</details>")
    for part in (pair, below):
        marked = re.findall(r'<mark class="differs"[^>]*>([^<]*)</mark>', part)
        assert marked == ["70", "72", "lifted"]
    assert "No support found" not in below.partition("</ol>")[0]


def test_no_words_of_a_supported_claim_are_marked_and_no_odds_are_shown() -> None:
    said = claim("It has 22 rooms.")
    good = claim_check(
        Verdict.SUPPORTED,
        said,
        fetches=(fetch(),),
        verification=verification(unsupported=(Span(7, 9),)),
    )

    document = render_html([page_report(good)])

    assert '<mark class="gap" title="no support' not in document
    assert "Probability of" not in document


def test_nothing_near_is_said_instead_of_a_random_sentence() -> None:
    found = _quoted("Tickets cost five pounds.")
    bad = claim_check(
        Verdict.NOT_SUPPORTED,
        claim("Lukas Brandt painted the mill."),
        fetches=(fetch(),),
        verification=verification(Verdict.NOT_SUPPORTED, found),
    )

    document = render_html([page_report(bad)])

    assert "Tickets cost" not in document
    assert "No passage about this was found" in document


def test_a_long_list_of_what_needs_attention_is_folded() -> None:
    checks = [
        claim_check(Verdict.CONTRADICTED, claim(f"It has {number} rooms."))
        for number in range(11)
    ]

    outline = Outline(render_html([page_report(*checks)]))

    assert "… and 6 more" in outline.text
    assert outline.values("class").count("found kind-citation flagged") == 11


def test_could_not_check_is_never_shown_as_not_supported() -> None:
    check = claim_check(
        None, fetches=(fetch(outcome=SourceOutcome.REFUSED, document=None),)
    )

    outline = Outline(render_html([page_report(check)]))

    claims = [one for one in outline.values("class") if one.startswith("claim ")]
    assert claims == ["claim is-could-not-check"]


def test_an_unsafe_address_is_shown_but_not_linked() -> None:
    cited = source(title="A title", url="javascript:alert(1)")
    check = claim_check(of=claim(citations=()), fetches=(fetch(cited, url=cited.url),))

    outline = Outline(render_html([page_report(check)]))

    assert "javascript:alert(1)" in outline.text
    assert not [one for one in outline.values("href") if "javascript" in one]


def test_the_language_of_the_wiki_is_named_on_its_words() -> None:
    subject = page(id=PageId("de.wikipedia.org", "Zürich"))

    outline = Outline(render_html([page_report(claim_check(), page=subject)]))

    assert "de" in outline.values("lang")


@pytest.mark.parametrize("tag", ['de" onload="x', "", "x" * 50, "de_DE"])
def test_a_language_that_is_no_language_tag_is_left_out(tag: str) -> None:
    spoken = fetch()
    assert spoken.document is not None
    check = claim_check(
        fetches=(fetch(document=type(spoken.document)("text", language=tag)),)
    )

    outline = Outline(render_html([page_report(check)]))

    assert set(outline.values("lang")) == {"en"}


def test_no_report_makes_a_page_that_says_so() -> None:
    assert "No articles were checked." in Outline(render_html([])).text


def test_what_cannot_be_encoded_is_replaced() -> None:
    document = render_html([page_report(claim_check(of=claim("a\ud800b\x00c")))])

    assert "a�b�c" in document
    assert document.encode()


odd_spans = st.builds(Span, st.integers(-9, 99), st.integers(-9, 99))


@given(
    text=st.text(max_size=30),
    quote=st.text(max_size=30),
    passage=st.text(max_size=60),
    spans=st.lists(odd_spans, max_size=3).map(tuple),
)
@settings(max_examples=25, deadline=None)
def test_values_that_do_not_fit_together_are_still_shown(
    text: str, quote: str, passage: str, spans: tuple[Span, ...]
) -> None:
    strange = Evidence(
        Passage("no such key", passage, Span(7, 9)), quote, Span(3, 1), spans, 0
    )
    check = claim_check(
        of=claim(text, sentence=quote, section=(passage,)),
        verification=verification(Verdict.CONTRADICTED, strange, unsupported=spans),
    )

    for render in (
        render_html,
        render_json,
        partial(render_text, width=80, colour=True),
    ):
        assert render([page_report(check)]).encode()


@pytest.mark.shared_data
def test_no_payload_adds_an_element_or_an_attribute() -> None:
    all_known = payloads()
    known = all_known[::4]  # in every field; each of them all in one, below
    tame = Outline(
        render_html([report_full_of([f"x{number}" for number in range(len(known))])])
    )

    hostile = Outline(render_html([report_full_of(known)]))
    shared = Outline(render_html([report_sharing(all_known)]))

    allowed = {(tag, name) for tag, name, _ in tame.attributes}
    links = {("a", "href"), ("a", "rel"), ("a", "class")}
    for each in (hostile, shared):
        assert {(tag, name) for tag, name, _ in each.attributes} <= allowed | links
    assert (
        hostile.elements
        - tame.elements
        - Counter(
            a=len(known) * 9,
            p=len(known),  # a passage may be near or not
        )
        == Counter()
    )
    assert not [
        href
        for href in (*hostile.values("href"), *shared.values("href"))
        if not href.startswith(("https://", "http://", "#", "HTTP"))
    ]


def test_what_is_doubtful_is_told_apart_from_what_is_flagged() -> None:
    sure = claim_check(Verdict.NOT_SUPPORTED, claim("It was blue."))
    doubtful = claim_check(Verdict.NOT_SUPPORTED, claim("It was red."), flag=None)

    document = render_html([page_report(sure, doubtful)])

    attention, _, rest = document.partition('<details class="attention doubtful">')
    listed, _, _ = rest.partition("</details>")
    assert "It was blue." in attention.partition("Needs attention (1)</h3>")[2]
    assert "It was red." in listed
    assert "It was blue." not in listed
    assert "Right about 9 times in 10" in document
    assert "Doubtful." in document
    assert "Needs attention 1</label>" in document
    assert "Doubtful 1</label>" in document


STYLES = (
    resources.files("bot.report").joinpath("templates/report.css").read_text("utf-8")
)
_TOKEN = re.compile(r"--([a-z-]+): (#[0-9a-f]{6});")
_LIGHT, _DARK = (
    dict(_TOKEN.findall(block))
    for block in re.findall(r":root \{(.*?)\}", STYLES, re.S)
)
_TONES = [state.value.replace(" ", "-") for state in ClaimState]
_TEXT_ON_GROUND = [
    *(
        (text, ground)
        for text in ("ink", "quiet", "link")
        for ground in ("paper", "panel")
    ),
    *((tone, ground) for tone in _TONES for ground in ("paper", "panel")),
    *((tone, f"{tone}-tint") for tone in _TONES),
    *(("ink", ground) for ground in ("hit", "gap")),
    ("paper", "ink"),
]


def luminance(colour: str) -> float:
    parts = (int(colour[at : at + 2], 16) / 255 for at in (1, 3, 5))
    linear = [
        part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4
        for part in parts
    ]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


def contrast(one: str, other: str) -> float:
    dark, light = sorted((luminance(one), luminance(other)))
    return (light + 0.05) / (dark + 0.05)


def test_contrast_is_computed_as_the_guideline_does() -> None:
    assert contrast("#000000", "#ffffff") == pytest.approx(21)
    assert contrast("#777777", "#ffffff") == pytest.approx(4.48, abs=0.01)


@pytest.mark.parametrize("tokens", [_LIGHT, _DARK], ids=["light", "dark"])
def test_text_can_be_read_on_its_ground(tokens: dict[str, str]) -> None:
    for text, ground in _TEXT_ON_GROUND:
        assert contrast(tokens[text], tokens[ground]) >= 4.5, (text, ground)


@pytest.mark.parametrize("tokens", [_LIGHT, _DARK], ids=["light", "dark"])
@pytest.mark.parametrize(
    ("line", "ground"),
    [
        ("focus", "paper"),
        ("focus", "panel"),
        ("gap-line", "gap"),
        ("partially-supported", "hit"),
    ],
)
def test_lines_that_mean_something_stand_out(
    line: str, ground: str, tokens: dict[str, str]
) -> None:
    assert contrast(tokens[line], tokens[ground]) >= 3


def test_light_and_dark_name_the_same_tokens() -> None:
    assert set(_LIGHT) == set(_DARK)


def test_no_colour_is_written_outside_the_tokens() -> None:
    rules = re.sub(r":root \{.*?\}", "", STYLES, flags=re.S)

    assert not re.findall(r"#[0-9a-f]{3,8}\b(?!-)|rgba?\(|hsla?\(", rules)


def test_every_token_that_is_used_is_defined() -> None:
    used = set(re.findall(r"var\(--([a-z-]+)[,)]", STYLES))

    defined = set(_LIGHT) | {"serif", "sans", "tone", "tint"}
    assert used <= defined


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
