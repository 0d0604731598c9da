"""Only whole sentences of prose are quoted."""

import pytest

from handlers.updates.extracting import form
from tests.linear import is_linear, repeated


def fault(text: str, known: frozenset[str] = frozenset()) -> str | None:
    return form.fault(text, known, is_english=True)


@pytest.mark.parametrize(
    "text",
    [
        "The bridge was closed to lorries on 3 October 2026.",
        "Miguel Oliveira won the race ahead of Fabio Quartararo and Johann Zarco.",
        "“We closed it,” the mayor of Port Example told the council on Friday.",
        "In 2024 the company moved its seat to Boston in the U.S.",
    ],
)
def test_a_sentence_of_prose_passes(text: str) -> None:
    assert fault(text) is None


@pytest.mark.parametrize(
    "text",
    [
        "Closed on Monday.",  # too short
        "the bridge was closed to lorries on Monday.",  # its beginning is missing
        "The bridge was closed to lorries on Monday…",
        "Bridge closed to lorries after cracks were found",
        "He was replaced in the spring of the year by Dr.",
        "Which was the first bridge that the harbour had.",
        "Home | News | The bridge was closed to lorries.",
        "All text is licensed under a licence that allows it.",
        "In this image from video the mayor opens the bridge.",
        "The mayor opens the harbour bridge. (AP Photo/Jane Doe)",
        "The bridge was closed by Recent FeaturesDiplomacy on Monday.",
        "The bridge was charged with323 counts of rust by all.",
        "Council Closes The Harbour Bridge For Lorries Until Spring.",
        "LAPD NEWS TODAY FROM Port Example shows the bridge was closed.",
        "The mayor (who opened it was not there on Monday.",
        "The mayor called it “a shame and left the council on Monday.",
        "A view of the old harbour of Port Example.",  # no verb
        "In the picture: The mayor opened the bridge on 3 October 2026.",
        "Figure 5: The forecast shows the height of the tide on Friday.",
    ],
)
def test_what_is_no_whole_sentence_is_told(text: str) -> None:
    assert fault(text)


def test_a_name_that_the_article_has_is_not_two_words_run_together() -> None:
    text = "The shares of AstraZeneca were sold by the council on Monday."
    assert fault(text) == "words run together"
    assert fault(text, frozenset({"astrazeneca"})) is None


@pytest.mark.parametrize(
    ("unit", "end"), [("Aa", ""), ("A b ", ""), ("(", "."), ("AA -", "")]
)
def test_a_giant_line_costs_little(unit: str, end: str) -> None:
    line = repeated(unit)

    assert fault(line(400_000) + end)
    assert is_linear(lambda chars: line(chars) + end, fault, 400_000)


@pytest.mark.parametrize(
    "text",
    [
        "ADVERTISEMENTThe harbour bridge was closed by Acme on Monday.",
        "(HB) by the harbour of Port Example was closed on Monday.",
        "Ans : The bridge was opened in 1932 by the mayor.",
        "Ruth 5:9 Harbour sounds like the word for a roll.",
        "The numbers of the lorries are given in the table below.",
        "Observed rainfall amounts (inches) for the period were high.",
        "The club has issued the following statement on the bridge.",
        "The par ti cipati on was acti ve and the infl uence large.",
        "Neighbours come together to repair a house in Port Example in 2022.",
        "A group of dockers walks along the quay of Port Example.",
        "Men and women waiting for aid that has been brought by boat.",
        "Cold storage for boats on trailers and a ramp located near the bridge.",
        "„The bridge is of great value. It is a sign of trust for all.",
    ],
)
def test_labels_pointers_scenes_and_broken_words_are_no_sentences(text: str) -> None:
    assert fault(text)


@pytest.mark.parametrize(
    "text",
    [
        "The church stands on the hill above Port Example.",
        "Ten sailors deserted in Port Example that winter.",
        "A. Smith waits for the council and finished fourth in the table.",
        "„The Tide“ was shown in Port Example on Monday.",
        "Spaghetti and graffiti are words of Italian origin.",
        "Police cleared the square and arrested 41 people on Monday.",
    ],
)
def test_ordinary_sentences_are_not_taken_for_captions(text: str) -> None:
    assert fault(text) is None
