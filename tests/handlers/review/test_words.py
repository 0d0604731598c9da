"""What a program finds in the words of an article, and what it leaves alone."""

import pytest

from handlers.model import IssueKind, PageId, Review
from handlers.page import parse
from handlers.review.review import BAR, JUDGED, review
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


def test_a_footnote_or_a_speaker_makes_a_word_less_sure() -> None:
    plain = "== History ==\nSome historians say that the arch is too low."
    (bare,) = shown_in(plain)
    (cited,) = reviewed(plain + REF).findings

    assert cited.confidence < BAR < bare.confidence


def test_the_words_of_a_sentence_are_one_finding() -> None:
    [one] = shown_in("It is an iconic and breathtaking bridge that boasts a fine view.")

    assert one.message.endswith(": “iconic”, “breathtaking”, “boasts”.")


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


def test_words_of_the_day_in_bulk_are_one_finding() -> None:
    body = "".join(
        f"== Part {at} ==\nThe bridge is currently closed to {what} of the town.{REF}\n\n"
        for at, what in enumerate(("cars", "lorries", "trams", "boats", "all"))
    )
    found = [one for one in shown_in(body) if one.kind is IssueKind.RELATIVE_TIME]
    assert len(found) == 1
    assert "4 places of the article" in found[0].message


def test_obviously_false_in_logic_is_no_comment() -> None:
    assert IssueKind.EDITORIALIZING not in kinds_in(
        f"The premise of the argument is obviously false in the model.{REF}"
    )
    assert IssueKind.EDITORIALIZING in kinds_in(
        f"The bridge was obviously built in a hurry by the town.{REF}"
    )
