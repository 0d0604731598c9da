"""What the pronouns of a source mean, as far as that is clear."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from handlers.citations.comparison import gather, prepare
from handlers.citations.corpus import read_corpus
from handlers.citations.network_input import pair
from handlers.citations.passages import cut
from handlers.citations.pronouns import resolved
from handlers.model import SourceText
from handlers.text.analysis import analyse
from handlers.text.words import Rarity
from tests.builders import claim


@pytest.mark.parametrize(
    ("before", "sentence", "read"),
    [
        (
            "The South Hall was opened in 1975.",
            "Otto Lund designed it.",
            "Otto Lund designed the South Hall.",
        ),
        (
            "The south mill was built by the council.",
            "It burned down.",
            "The south mill burned down.",
        ),
        (
            "The church at Velde was rebuilt.",
            "Its tower fell.",
            "The church at Velde’s tower fell.",
        ),
        (
            "In 1991 the blue team came back.",
            "They won the cup.",
            "The blue team won the cup.",
        ),
        ("Velde Bridge was opened.", "It is long.", "Velde Bridge is long."),
        ("Her brother Karl wrote plays.", "He won.", "Karl won."),
        ("The hall was designed by Anna Holm.", "She won.", "Anna Holm won."),
        (
            "The goalkeeper Karl Dreyer was hurt.",
            "He left the club.",
            "Karl Dreyer left the club.",
        ),
        (
            "Anna Holm’s sister painted in Velde.",
            "She died in 1990.",
            "Anna Holm’s sister died in 1990.",
        ),
    ],
)
def test_a_pronoun_is_read_as_what_the_sentence_before_is_about(
    before: str, sentence: str, read: str
) -> None:
    assert resolved(f"{before} {sentence}") == f"{before} {read}"


@pytest.mark.parametrize(
    "text",
    [
        "Karl Dreyer married Anna Holm in 1990. She wrote novels.",
        "The council built the south mill. It burned down.",
        "The band released Blue Sky in 1990. It sold well.",
        "The hall was closed. It was announced that trams stop there.",
        "The South Hall was opened in 1975. … It has a stage.",
        "He swam the lake in 1988.",
        "When Anna Holm came, she was 20.",
        "Residents said so. He left.",
        "The company grew. He left IT in 1990.",
        "Microsoft said profit rose. He resigned.",
        "Berlin grew. She left.",
    ],
)
def test_a_pronoun_stays_where_several_names_fit_or_none(text: str) -> None:
    assert resolved(text) == text


def test_a_name_is_passed_on_from_sentence_to_sentence() -> None:
    assert resolved(
        "The bank was founded in 1990. Its rival Sudbank opened in 1992. It failed."
        " Its owner fled."
    ) == (
        "The bank was founded in 1990. Its rival Sudbank opened in 1992. Sudbank failed."
        " Sudbank’s owner fled."
    )


@given(st.text(alphabet="Aa ’s.it He hets\n…", max_size=80))
def test_any_text_can_be_read(text: str) -> None:
    resolved(text)


def test_the_judge_reads_what_a_source_says_of_another_with_its_name() -> None:
    source = SourceText(
        "The North Hall was opened in 1990. Anna Holm designed it. The South Hall was"
        " opened in 1975. Otto Lund designed it."
    )
    asked = claim("Otto Lund designed the North Hall.")
    claimed = prepare(asked, "Velde", Rarity(100, 5, {}), analyse)
    corpus = read_corpus(cut(source, "source"), analyse)
    stated = gather(claimed, "Velde", corpus, analyse)
    assert "Otto Lund designed the South Hall." in (
        pair("Velde", asked, claimed, stated).evidence
    )
