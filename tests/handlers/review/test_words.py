"""What a program finds in the words of an article, and what it leaves alone."""

import pytest

from handlers.model import IssueKind, PageId, Review
from handlers.page import parse
from handlers.review.review import JUDGED, review
from tests.handlers.review.articles import REF, kinds_in, reviewed, shown_in


@pytest.mark.parametrize(
    ("sentence", "kind", "word"),
    [
        (
            "It is a legendary bridge that people know.",
            IssueKind.PUFFERY,
            "legendary",
        ),
        ("The town boasts three more bridges.", IssueKind.PUFFERY, "boasts"),
        ("The notorious engineer came in 1920.", IssueKind.LABEL, "notorious"),
        (
            "Many critics say that the arch is too low.",
            IssueKind.WEASEL,
            "Many critics say",
        ),
        ("The crack was supposedly seen in May.", IssueKind.DOUBT, "supposedly"),
        (
            "Unfortunately, the arch fell in winter.",
            IssueKind.EDITORIALIZING,
            "Unfortunately",
        ),
        ("The engineer passed away in the town.", IssueKind.EUPHEMISM, "passed away"),
        (
            "The design stood the test of time there.",
            IssueKind.CLICHE,
            "stood the test of time",
        ),
        (
            "The bridge is currently closed to lorries.",
            IssueKind.RELATIVE_TIME,
            "currently",
        ),
        ("The arch didn't hold in the storm.", IssueKind.TONE, "didn't"),
    ],
)
def test_a_word_to_watch_is_found_and_marked(
    sentence: str, kind: IssueKind, word: str
) -> None:
    found = [one for one in shown_in(f"== History ==\n{sentence}") if one.kind is kind]

    assert len(found) == 1
    assert found[0].quote == sentence
    assert [mark.of(found[0].quote) for mark in found[0].marked] == [word]
    assert found[0].section == ("History",)
    assert found[0].criteria[0] in JUDGED


@pytest.mark.parametrize(
    "sentence",
    [
        'The mayor spoke of "a legendary bridge" at the opening.',
        'The 12" pipe of the mayor was "a legendary bridge" at the opening.',
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
        "The bridge (''le pont'' (my bridge)) leads over the river.",
        "Groundbreaking took place on 1 May of the next year.",
        "An extraordinary meeting of the town was convened in May.",
        "Its most famous arch, the Long Arch, is the one in the north.",
        "The builders were fined for allegedly hiding the cracks in it.",
        "It is the most controversial part, because its age is unknown.",
        "In the Holocene it was dry, and today the river is still low.",
        "No iconic representation of the builder is known.",
        "Each arch is a phenomenal manifestation of one will.",
    ],
)
def test_words_of_others_names_and_words_in_good_company_are_left_alone(
    sentence: str,
) -> None:
    assert not shown_in(f"== History ==\n{sentence}")


def test_of_people_and_tales_alike_the_tale_is_not_the_voice_of_the_article() -> None:
    tale = "The notorious and legendary Ann closed the bridge."

    kinds = {IssueKind.PUFFERY, IssueKind.LABEL}
    assert kinds_in(f"== Themes ==\n{tale}") >= kinds
    assert not kinds_in(f"== Cast ==\n{tale}")


def test_the_place_of_a_finding_is_its_sentence_in_the_wikitext() -> None:
    body = f"== History ==\nIt was opened in 1932.{REF} It is a '''bold''' and legendary bridge.{REF}"
    (found,) = shown_in(body)

    flagged_text = found.span.of(reviewed(body).page.wikitext)
    assert flagged_text == "It is a '''bold''' and legendary bridge."


def test_a_view_with_a_footnote_has_an_owner() -> None:
    plain = "== History ==\nSome historians say that the arch is too low."

    assert [one.kind for one in shown_in(plain)] == [IssueKind.WEASEL]
    assert not shown_in(plain + REF)


def test_the_words_of_a_sentence_are_one_finding() -> None:
    [one] = shown_in("It is an iconic and breathtaking bridge that boasts a fine view.")

    marked = [mark.of(one.quote) for mark in one.marked]
    assert marked == ["iconic", "breathtaking", "boasts"]


def test_words_of_a_cited_source_are_found_outside_quotation_marks_only() -> None:
    taken = "the inspectors found deep cracks in two of the main cables and closed every lane to heavy lorries for eleven months"
    sources = {
        "https://news.example/1": f"News of the day. On Monday {taken}, it says."
    }
    body = f"== History ==\nIn May {taken}.{REF}"
    (found,) = shown_in(body, sources)

    assert found.kind is IssueKind.CLOSE_PARAPHRASE
    assert found.source_key == "https://news.example/1"
    assert taken in found.source_quote
    assert [mark.of(found.quote) for mark in found.marked] == [taken]
    quoted = f"== History ==\nIn May the paper wrote that “{taken}” in the town.{REF}"
    assert not shown_in(quoted, sources)
    assert not shown_in("{{EB1911}}" + body, sources)


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


@pytest.mark.parametrize(
    "sentence",
    [
        "The second arch will be opened in 2019.",
        "The arch may be closed by the end of 2021, as its cracks grow.",
        "A toll is expected to be taken from the lorries by May 2020.",
        "The town plans to build a third bridge before 2025.",
        "The third bridge is scheduled to be opened on 14 August 2017.",
    ],
)
def test_a_forecast_whose_year_is_over_is_found(sentence: str) -> None:
    [found] = shown_in(f"== History ==\n{sentence}{REF}")

    assert (found.kind, found.guideline) == (IssueKind.PAST_FORECAST, "WP:ASOF")


@pytest.mark.parametrize(
    "sentence",
    [
        "The third bridge will be opened in 2031.",
        "A toll may be taken from 2019 to 2035 on the third bridge.",
        "The arch may have been closed in 2014, when the cracks grew.",
        "The mayor said that “the arch will be open by 2019” to them.",
        "The king will die in the battle of 1471 beside the bridge.",
    ],
)
def test_what_may_still_come_and_what_others_foretold_is_no_stale_forecast(
    sentence: str,
) -> None:
    assert not shown_in(f"== History ==\n{sentence}{REF}")


@pytest.mark.parametrize(
    "sentence",
    [
        "In conclusion, the bridge was built in a hurry.",
        "We can see that the bridge was built too early.",
        "As mentioned above, the arch is made of stone.",
        "One must wonder about the builders of the bridge.",
        "Why was the old bridge of the town never built again?",
    ],
)
def test_an_essays_tone_is_found(sentence: str) -> None:
    kinds = {one.kind for one in shown_in(f"== History ==\n{sentence}{REF}")}

    assert IssueKind.ESSAY in kinds


@pytest.mark.parametrize(
    "mark",
    ["<ref></ref>", "<ref>{{cite web}}</ref>", "{{Cite news|url=|title= }}"],
)
def test_a_footnote_without_content_is_found_behind_its_sentence(mark: str) -> None:
    body = f"== History ==\nIt opened in 1932.{mark} It has two lanes there.{REF}"
    [found] = shown_in(body)

    assert found.kind is IssueKind.EMPTY_CITATION
    assert found.quote == "It opened in 1932."


@pytest.mark.parametrize(
    "mark",
    ["<ref>{{LSJ|a)rxh/|x|ref}}</ref>", "<ref>{{cite gnis|1562127}}</ref>", REF],
)
def test_a_template_that_names_its_source_by_a_number_is_not_empty(mark: str) -> None:
    assert not shown_in(f"== History ==\nIt opened in 1932.{mark}")


def test_obviously_false_in_logic_is_no_comment() -> None:
    assert IssueKind.EDITORIALIZING not in kinds_in(
        f"The premise of the argument is obviously false in the model.{REF}"
    )
    assert IssueKind.EDITORIALIZING in kinds_in(
        f"The bridge was obviously built in a hurry by the town.{REF}"
    )
