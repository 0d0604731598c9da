"""What a program finds in the writing of an article, and what it leaves alone."""

from collections.abc import Mapping

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from handlers.model import Finding, FindingKind, Page, PageId, Review
from handlers.review.reviewing import BAR, JUDGED, review
from handlers.wikitext import parse
from tests.linear import is_linear, repeated
from tests.wikitext_bombs import BOMBS

_REF = "<ref>{{cite web|url=https://news.example/1|title=News}}</ref>"
_ID = PageId("en.wikipedia.org", "Harbour Bridge")
_FILLER = "The bridge carries two lanes of the road between the towns. "


def _review(body: str, sources: Mapping[str, str] | None = None) -> Review:
    title = "Harbour Bridge"
    lead = f"'''{title}''' is a bridge in Port Example, and the oldest of the town.\n\n"
    page = parse(lead + body, PageId("en.wikipedia.org", title))
    return review(page, sources)


def _shown(body: str, sources: Mapping[str, str] | None = None) -> list[Finding]:
    found = _review(body, sources).findings
    return [one for one in found if one.confidence >= BAR]


def _kinds(body: str) -> set[FindingKind]:
    return {one.kind for one in _shown(body)}


@pytest.mark.parametrize(
    ("sentence", "kind", "word"),
    [
        (
            "It is a legendary bridge that people know.",
            FindingKind.PUFFERY,
            "legendary",
        ),
        ("The town boasts three more bridges.", FindingKind.PUFFERY, "boasts"),
        ("The notorious engineer came in 1920.", FindingKind.LABEL, "notorious"),
        (
            "Many critics say that the arch is too low.",
            FindingKind.WEASEL,
            "Many critics say",
        ),
        ("A supposed crack was seen in the arch.", FindingKind.DOUBT, "supposed"),
        (
            "Unfortunately, the arch fell in winter.",
            FindingKind.EDITORIALIZING,
            "Unfortunately",
        ),
        ("The mayor claimed that the arch was safe.", FindingKind.SAID, "claimed that"),
        ("The engineer passed away in the town.", FindingKind.EUPHEMISM, "passed away"),
        (
            "The design stood the test of time there.",
            FindingKind.CLICHE,
            "stood the test of time",
        ),
        (
            "The bridge is currently closed to lorries.",
            FindingKind.RELATIVE_TIME,
            "currently",
        ),
        (
            "It is the longest bridge of our country.",
            FindingKind.UNSPECIFIED,
            "our country",
        ),
        (
            "The engineer died there, survived by his wife.",
            FindingKind.SURVIVED_BY,
            "survived by",
        ),
        ("The arch didn't hold in the storm.", FindingKind.TONE, "didn't"),
    ],
)
def test_a_word_to_watch_is_found_and_marked(
    sentence: str, kind: FindingKind, word: str
) -> None:
    found = [one for one in _shown(f"== History ==\n{sentence}") if one.kind is kind]

    assert len(found) == 1
    assert found[0].quote == sentence
    assert [mark.of(found[0].quote) for mark in found[0].marked] == [word]
    assert found[0].section == ("History",)
    assert found[0].criteria[0] in JUDGED


@pytest.mark.parametrize(
    "sentence",
    [
        'The mayor spoke of "a legendary bridge" at the opening.',
        "The mayor spoke of “our legendary bridge” at the opening.",
        "He wrote ''The Legendary and iconic Bridge'' in the town.",
        "He won the Award for Best Outstanding Bridge in the town.",
        "The critic Ann Roe called it an iconic bridge of the town.",
        "The [[legendary creature|iconic dragon]] is on the arch.",
        "<blockquote>You don't know our legendary bridge.</blockquote>",
        "The {{lang|fr|pont iconic et legendary}} is its name there.",
        "As of May 2024, the bridge is currently closed to lorries.",
        "Of the 1,000 species, most are 20 million years ago extinct.",
        "He was tried in court and allegedly killed the engineer.",
        "The toll is celebrated on 1 May of each year there.",
        "It is alleged in “The Bridge” that he's “not a fraud”.",
        "The bridge (''le pont'' (my bridge)) leads over the river.",
        "Groundbreaking took place on 1 May of the next year.",
        "An extraordinary meeting of the town was convened in May.",
        "Its most famous arch, the Long Arch, is the one in the north.",
        "The builders were fined for allegedly hiding the cracks in it.",
        "It is the most controversial part, because its age is unknown.",
        "In the Holocene it was dry, and today the river is still low.",
        "No iconic representation of the builder is known.",
        "Each arch is a phenomenal manifestation of one will.",
        "There was a terrorist bomb attack on the bridge in May.",
        "The engineer rejected claims that the arch was not safe.",
    ],
)
def test_words_of_others_names_and_words_in_good_company_are_left_alone(
    sentence: str,
) -> None:
    assert not _shown(f"== History ==\n{sentence}")


def test_of_people_and_tales_alike_the_tale_is_not_the_voice_of_the_article() -> None:
    tale = "The notorious and legendary Ann points out that the bridge is closed."
    plain = f"== Themes ==\n{tale}"

    assert _kinds(plain) >= {FindingKind.PUFFERY, FindingKind.LABEL, FindingKind.SAID}
    assert not _kinds(f"== Cast ==\n{tale}")
    assert FindingKind.SAID not in _kinds(f"== Plot ==\nAnn comes.\n\n{plain}")
    life = f"== Films ==\n=== Plot ===\nAnn comes.\n\n{plain}"
    assert FindingKind.SAID in _kinds(life)


@pytest.mark.parametrize(
    ("lead", "is_shown"),
    [("is a 2010 film about a bridge.", False), ("is a film director.", True)],
)
def test_the_lead_tells_what_is_of_fiction(lead: str, *, is_shown: bool) -> None:
    text = f"Ann {lead}\n\n== Themes ==\nAnn claims that the bridge is closed."
    found = review(parse(text, PageId("en.wikipedia.org", "Ann"))).findings

    assert [one.confidence >= BAR for one in found] == [is_shown]


def test_of_a_text_that_lost_its_footnotes_none_is_missed() -> None:
    bare = f"== History ==\n{_FILLER * 30}\n\nSome historians say that it fell."
    page = parse(bare, PageId("file", "Harbour Bridge"))
    kept, lost = review(page), review(page, footnotes_lost=True)

    assert {one.kind for one in kept.findings if one.confidence >= BAR} >= {
        FindingKind.CITATION_DENSITY,
        FindingKind.WEASEL,
    }
    shown = [one for one in lost.findings if one.confidence >= BAR]
    assert not {one.kind for one in shown} - {FindingKind.LEAD_LENGTH}
    assert not kept.troubles
    assert "no footnotes" in lost.troubles[0]


def test_the_place_of_a_finding_is_its_sentence_in_the_wikitext() -> None:
    body = f"== History ==\nIt was opened in 1932.{_REF} It is a '''bold''' and legendary bridge.{_REF}"
    (found,) = _shown(body)

    said = found.span.of(_review(body).page.wikitext)
    assert said == "It is a '''bold''' and legendary bridge."


def test_a_footnote_or_a_speaker_makes_a_word_less_sure() -> None:
    plain = "== History ==\nSome historians say that the arch is too low."
    (bare,) = _shown(plain)
    (cited,) = _review(plain + _REF).findings

    assert cited.confidence < BAR < bare.confidence


def test_a_section_of_paragraphs_without_sources_is_one_finding() -> None:
    bare = _FILLER * 5
    body = (
        f"== History ==\n{bare}{_REF}\n\n{bare}\n\n{bare}\n\n== Road ==\n{bare}{_REF}"
    )
    (found,) = _shown(body)

    assert found.kind is FindingKind.UNSOURCED
    assert found.message.startswith("2 paragraphs")
    assert found.section == ("History",)


@pytest.mark.parametrize(
    "body",
    [
        f"== Plot ==\n{_FILLER * 6}\n\n== History ==\nIt opened.{_REF}",
        f"== History ==\n{_FILLER * 6}{{{{citation needed|date=May 2024}}}} It opened.{_REF}",
        f"== History ==\n{{{{unreferenced section}}}}\n{_FILLER * 6}\n\nIt opened.{_REF}",
        f"== History ==\n:{_FILLER * 6}\n\nIt opened.{_REF}",
        f"== History ==\n* {_FILLER * 6}\n\nIt opened.{_REF}",
        f"== History ==\n{_FILLER * 6}\n* [https://a.example A]\n\nIt opened.{_REF}",
    ],
)
def test_plots_lists_quotations_and_what_is_tagged_want_no_source(body: str) -> None:
    assert FindingKind.UNSOURCED not in _kinds(body)


def test_an_article_without_footnotes_is_told_once() -> None:
    body = "== History ==\n" + f"{_FILLER * 10}\n\n" * 4
    found = [one for one in _shown(body) if one.guideline != "MOS:LEADLENGTH"]

    assert [one.kind for one in found] == [FindingKind.CITATION_DENSITY]
    assert "No paragraph" in found[0].message


def test_an_article_is_told_that_it_has_few_footnotes_by_all_of_them() -> None:
    bare = f"{_FILLER * 10}\n\n"
    found = _shown(f"== History ==\n{bare * 3}It opened.{_REF} It is ''open''.{_REF}")
    (few,) = [one for one in found if one.kind is FindingKind.CITATION_DENSITY]

    assert few.message.startswith("3 of 3 paragraphs that want a source have none")
    assert few.message.endswith("there are 2 footnotes.")
    assert FindingKind.UNSOURCED not in {one.kind for one in found}


@pytest.mark.parametrize(
    ("heading", "says"),
    [
        ("== The arches and the road ==", "begins with “The”"),
        ("== Road [[lane]]s ==", "link"),
        (f"== Road{_REF} ==", "footnote"),
        ("==== Lanes ====", "skips a level"),
        ("= Lanes =", "first level"),
        ("== Harbour Bridge ==", "title"),
        ("== Old Lanes ==", "capital"),
        ("== Who built it? ==", "question"),
        ("== Lanes: ==", "punctuation"),
    ],
)
def test_faults_of_headings(heading: str, says: str) -> None:
    body = f"{heading}\nIt has two lanes; the lanes are wide.{_REF}"
    found = [one for one in _shown(body) if one.kind is FindingKind.HEADING]

    assert len(found) == 1
    assert says in found[0].message


@pytest.mark.parametrize(
    "heading",
    ["== Port Example ==", "== 1932–1940: Opening ==", "== Second Arch Road =="],
)
def test_names_in_headings_and_what_follows_a_colon_keep_their_capitals(
    heading: str,
) -> None:
    body = f"{heading}\nThe Second Arch Road is a road of the town; the opening of Port Example's road, the port and the opening.{_REF}"

    assert FindingKind.HEADING not in _kinds(body)


def test_further_down_a_heading_may_be_the_title() -> None:
    body = f"== Bridges ==\n=== Harbour Bridge ===\nIt has two lanes.{_REF}"

    assert FindingKind.HEADING not in _kinds(body)


def test_leads_that_are_too_short_or_too_long_for_their_article() -> None:
    long = f"{_FILLER * 20}{_REF}\n\n"

    assert FindingKind.LEAD_LENGTH in _kinds("== History ==\n" + long * 8)
    assert FindingKind.LEAD_LENGTH in _kinds(long * 6 + "== History ==\n" + long * 6)
    assert FindingKind.LEAD_LENGTH not in _kinds(long + "== History ==\n" + long * 6)


def test_a_list_needs_no_long_lead() -> None:
    items = f"* {_FILLER * 3}{_REF}\n" * 40
    text = f"This is a list of bridges.\n\n== North ==\n{items}"
    kinds = {
        title: {
            one.kind
            for one in review(parse(text, PageId("en.wikipedia.org", title))).findings
        }
        for title in ("List of bridges", "Bridges")
    }

    assert FindingKind.LEAD_LENGTH in kinds["Bridges"]
    assert FindingKind.LEAD_LENGTH not in kinds["List of bridges"]


def test_what_is_told_of_characters_is_their_tale() -> None:
    said = "== Main ==\nAnn is a legendary surgeon who points out that it is closed."

    def kinds(lead: str) -> set[FindingKind]:
        page = parse(f"{lead}\n\n{said}", PageId("en.wikipedia.org", "Ann characters"))
        return {one.kind for one in review(page).findings if one.confidence >= BAR}

    assert not kinds("This is a list of characters of the novel Ann.")
    assert kinds("This is a list of characters of the Ann script.") == {
        FindingKind.PUFFERY,
        FindingKind.SAID,
    }


def test_what_only_the_lead_says() -> None:
    alone = "Maria Ortega, Jean Dupont, Kofi Mensah and Hiro Tanaka quarrelled over granite supplies from distant quarries."
    body = (
        f"It opened in 1932. {alone}\n\n== History ==\n"
        + f"{_FILLER * 10}{_REF}\n\n" * 7
    )
    found = [one for one in _shown(body) if one.kind is FindingKind.LEAD_NOT_IN_BODY]

    assert [one.quote for one in found] == [alone]
    assert FindingKind.LEAD_NOT_IN_BODY not in _kinds(f"{body}{alone}{_REF}")


def test_long_sections_and_paragraphs() -> None:
    found = _shown("== History ==\n" + f"{_FILLER * 40}{_REF}\n\n" * 4)

    assert sum(one.kind is FindingKind.OVERLONG_SECTION for one in found) == 5


def test_most_citations_of_one_site_and_of_sites_where_anybody_can_publish() -> None:
    def body(site: str) -> str:
        said = "".join(
            f"It opened {n}.<ref>{{{{cite web|url=https://{site}/{n}}}}}</ref> "
            for n in range(12)
        )
        return f"== History ==\n{said}"

    (one,) = _shown(body("paper.example"))
    (two,) = _shown(body("ann.blogspot.com"))
    (three,) = _shown(body("harbourbridge.example"))

    assert (one.kind, one.guideline) == (FindingKind.ONE_SIDED, "WP:BALANCE")
    assert two.guideline == "WP:SPS"
    assert three.guideline == "WP:PRIMARY"
    assert not _shown(body("doi.org"))


def test_an_old_subject_told_by_its_last_years() -> None:
    years = " ".join(f"It was painted in {2020 + n % 4}.{_REF}" for n in range(24))
    old = f"It was opened in 1932.\n\n== History ==\n{years}"

    assert FindingKind.RECENTISM in _kinds(old)
    assert FindingKind.RECENTISM not in _kinds(old.replace("1932", "2012"))


def test_words_of_a_cited_source_are_found_outside_quotation_marks_only() -> None:
    taken = "the inspectors found deep cracks in two of the main cables and closed every lane to heavy lorries for eleven months"
    sources = {
        "https://news.example/1": f"News of the day. On Monday {taken}, it says."
    }
    body = f"== History ==\nIn May {taken}.{_REF}"
    (found,) = _shown(body, sources)

    assert found.kind is FindingKind.CLOSE_PARAPHRASE
    assert found.source_key == "https://news.example/1"
    assert taken in found.source_quote
    assert [mark.of(found.quote) for mark in found.marked] == [taken]
    quoted = f"== History ==\nIn May the paper wrote that “{taken}” in the town.{_REF}"
    assert not _shown(quoted, sources)
    assert not _shown("{{EB1911}}" + body, sources)


def test_redirects_and_other_languages_are_not_read_for_words() -> None:
    redirect = parse("#REDIRECT [[Bridge]]", PageId("en.wikipedia.org", "B"))
    german = (
        "Die Brücke wurde von der Stadt gebaut und ist mit der Straße verbunden. " * 8
    )
    found = review(parse(german + "My bridge.", PageId("de.wikipedia.org", "Brücke")))

    assert review(redirect) == Review(redirect, (), frozenset())
    assert not found.findings
    assert found.troubles
    assert "ww_wtw_1" not in found.judged


def test_a_long_quotation_beside_its_source_takes_no_longer_than_prose() -> None:
    own = "It carries two lanes of the road and a line of trams between both towns and "
    words = repeated("many words of others ")
    cited = parse(f"{_FILLER}{_REF}", _ID).claims
    [key] = {one.key for claim in cited for one in claim.sources}

    def body(chars: int) -> str:
        return f'{own}"{words(chars)}{_REF}'

    assert is_linear(body, lambda it: _review(it, {key: "what it says"}), 105_000)


def test_a_long_page_is_reviewed_to_its_end() -> None:
    doubtful = "There is often only a great view of the town. "

    last = _shown(f"{doubtful * 2_500}\n\nIt is a legendary bridge that people know.")[
        -1
    ]

    assert last.kind is FindingKind.PUFFERY
    assert last.quote.startswith("It is a legendary bridge")


def test_several_words_are_told_in_the_plural() -> None:
    [one] = _shown("It is an iconic and breathtaking bridge that boasts a fine view.")

    assert one.message.startswith(
        "“iconic”, “breathtaking” and “boasts” praise the subject"
    )


@pytest.mark.parametrize("bomb", BOMBS)
def test_hostile_wikitext_takes_no_longer_than_prose(bomb: str) -> None:
    def page(chars: int) -> Page:
        return parse(
            BOMBS[bomb](chars // 15)[:chars], PageId("en.wikipedia.org", "Bomb")
        )

    assert is_linear(page, review, 60_000)


@pytest.mark.parametrize(
    "piece",
    [
        '" ',
        "' ",
        "''a ",
        "(",
        "“a ",
        "a.",
        "\ue000(",
        "the ",
        "of the most ",
        "[https://a ",
        "\n= ",
        "A B ",
        "as the said to ",
        "a (b) ",
        "many a ",
        "it is ",
    ],
)
def test_hostile_prose_takes_no_longer_than_prose(piece: str) -> None:
    prose = repeated(piece)

    def page(chars: int) -> Page:
        return parse(prose(chars), PageId("en.wikipedia.org", "Bomb"))

    assert is_linear(page, lambda it: review(it, {"a": piece * 1_000}), 60_000)


@settings(max_examples=60, deadline=None)
@given(
    st.lists(
        st.sampled_from(
            [
                "The legendary bridge is currently closed. ",
                '"',
                "“",
                "”",
                "''",
                "'''",
                "[[",
                "]]",
                "{{lang|fr|",
                "}}",
                "<ref>",
                "</ref>",
                "\n\n",
                "== The Road ==\n",
                ":",
                "* ",
                "Unfortunately, you don't. ",
                "( ; ) ",
                "<blockquote>",
                "</blockquote>",
                "(",
                ")",
                "5'11\" ",
                "é 桥 ",
            ]
        ),
        max_size=40,
    )
)
def test_every_finding_is_in_its_place_and_its_marks_in_its_quote(
    parts: list[str],
) -> None:
    page = parse("".join(parts), PageId("en.wikipedia.org", "Bridge"))

    for one in review(page).findings:
        assert 0 <= one.span.start <= one.span.end <= len(page.wikitext)
        assert 0 <= one.confidence <= 1
        assert len(one.quote) <= 300
        assert all(0 <= m.start < m.end <= len(one.quote) for m in one.marked)
