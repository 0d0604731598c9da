"""What new words may not be: praise, comment, copies, or what no source says."""

import pytest

from handlers.updates.editing.wording import faults, unknown

_SOURCE = (
    "On Tuesday the council voted to close the ageing crossing to all heavy goods"
    " vehicles until engineers have replaced its worn cables, the Port Herald wrote."
)
_TOLD = "The council closed Harbour Bridge to lorries until its cables are replaced."


def _faults(came: str, paragraph: str = "It is a bridge.") -> list[str]:
    return list(faults([came], paragraph=paragraph, sources=[_SOURCE], told=_TOLD))


@pytest.mark.parametrize(
    ("came", "told"),
    [
        ("It is an iconic bridge.", "praises: “iconic”"),
        ("It was, of course, closed.", "comments"),
        ("Critics say it is worn.", "nobody in particular"),
        ("It was recently closed.", "soon is wrong"),
        ("We saw it close.", "speaks to the reader"),
        (
            "The council voted to close the ageing crossing to all heavy goods.",
            "in a row are the source's",
        ),
        ("It voted to close the ageing crossing in autumn.", "most of its words"),
        ("It is red and so on. " * 20, "it adds"),
        ("It is “a very old and shaky bridge” now closed.", "it quotes"),
    ],
)
def test_what_does_not_belong_into_an_article_is_told(came: str, told: str) -> None:
    assert told in "; ".join(_faults(came))


def test_plain_words_of_ones_own_pass() -> None:
    assert not _faults("Lorries were banned in 2026 by the council.")
    assert not _faults("On 3 October 2026 the Port Herald wrote of a ban.")


def test_a_word_that_the_paragraph_has_is_its_editors_affair() -> None:
    assert not _faults("It is iconic.", "The iconic bridge is red.")


def test_names_and_numbers_have_to_be_known() -> None:
    known = ["In 2026 the Port Herald counted 12,500 lorries.", "Harbour Bridge"]

    assert unknown(["In 2026, 12500 lorries used Harbour Bridge."], known) == ()
    assert unknown(["It was closed by Ann Mayor in 2025."], known) == (
        "2025",
        "Ann",
        "Mayor",
    )
