from handlers.citations.comparison import nearest
from handlers.citations.cues.reading import read
from handlers.citations.passages import cut
from handlers.citations.retrieval import rank
from handlers.model import Passage, SourceText
from tests.builders import claim

_FILLER = "Nothing of interest was said about the weather that day. " * 12


def _passages(*texts: str) -> tuple[Passage, ...]:
    return cut(SourceText("\n".join(texts)), "key")


def test_the_passage_that_says_it_comes_first() -> None:
    passages = _passages(_FILLER, "The bridge opened in May 1937.", _FILLER)

    found = nearest("Bridge", claim("It opened in May 1937"), passages)

    assert "1937" in found[0].passage.text
    assert len(found) == len(passages)
    assert found[0].score > found[-1].score


def test_the_title_stands_in_for_a_pronoun() -> None:
    passages = _passages(
        "Smith sang it. " + _FILLER, _FILLER, "The Wanderers sang it. " + _FILLER
    )

    found = nearest("The Wanderers", claim("They sang it"), passages)

    assert "Wanderers" in found[0].passage.text


def test_a_claim_with_no_word_in_common_keeps_the_order_of_the_source() -> None:
    passages = _passages(_FILLER, _FILLER)
    readings = [read(passage.text) for passage in passages]

    found = rank(read("Zebra"), read(""), passages, readings)

    assert [one.passage for one in found] == list(passages)
    assert {one.score for one in found} == {0.0}


def test_passages_of_nothing_but_binding_words_can_be_ranked() -> None:
    passages = _passages("It was of the to and.")

    assert len(nearest("", claim("It was"), passages)) == 1
