import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.models.lexical import LexicalVerifier, shipped_lexical
from handlers.citations.passages import cut, flat
from handlers.citations.verification import verdict
from handlers.model import Probabilities, SourceText, Verdict, Verification
from tests.builders import claim

_SOURCE = (
    "The game show was filmed in Warsaw, Poland, in October 2017. "
    "The audience of 250 people was made up of Australian expatriates. "
    "It was seen by 1.2 million viewers."
)


@pytest.fixture(scope="module")
def verifier() -> LexicalVerifier:
    return LexicalVerifier(shipped_lexical())


async def _verify(
    verifier: LexicalVerifier, text: str, source: str = _SOURCE
) -> Verification:
    passages = cut(SourceText(source), "key")
    return await verifier.verify("The Wall (game show)", claim(text), passages)


@pytest.mark.parametrize(
    ("likely", "expected"),
    [
        ((0.5, 0.2, 0.2, 0.1), Verdict.SUPPORTED),
        ((0.3, 0.4, 0.2, 0.1), Verdict.PARTIALLY_SUPPORTED),
        ((0.3, 0.2, 0.4, 0.1), Verdict.NOT_SUPPORTED),
        ((0.2, 0.1, 0.3, 0.4), Verdict.CONTRADICTED),
        ((0.1, 0.4, 0.4, 0.1), Verdict.PARTIALLY_SUPPORTED),
    ],
)
def test_the_verdict_is_the_likeliest_and_of_equal_ones_the_milder(
    likely: tuple[float, float, float, float], expected: Verdict
) -> None:
    assert verdict(Probabilities(*likely)) is expected


async def test_a_claim_in_other_words_is_supported(verifier: LexicalVerifier) -> None:
    found = await _verify(verifier, "The show was filmed in Warsaw in 2017")

    assert found.verdict is Verdict.SUPPORTED
    assert found.evidence[0].quote == _SOURCE[: _SOURCE.index(" The audience")]
    assert found.unsupported == ()
    assert found.engine == verifier.engine


@pytest.mark.parametrize(
    ("text", "wrong"),
    [
        ("The audience of 300 people was made up of expatriates", "300"),
        ("The show was filmed in October 2018 in Warsaw", "2018"),
    ],
)
async def test_another_number_or_date_contradicts_and_is_marked(
    verifier: LexicalVerifier, text: str, wrong: str
) -> None:
    found = await _verify(verifier, text)

    assert found.verdict is Verdict.CONTRADICTED
    assert wrong in " ".join(span.of(text) for span in found.unsupported)


async def test_a_number_written_otherwise_is_not_marked(
    verifier: LexicalVerifier,
) -> None:
    found = await _verify(verifier, "It was seen by 1,200,000 viewers")

    assert found.unsupported == ()


async def test_a_claim_about_something_else_is_not_supported(
    verifier: LexicalVerifier,
) -> None:
    text = "Napoleon lost the Battle of Waterloo"

    found = await _verify(verifier, text)

    assert found.verdict is Verdict.NOT_SUPPORTED
    assert [one.quote for one in found.evidence] != []
    assert [span.of(text) for span in found.unsupported] == [text]


async def test_binding_words_between_unsupported_ones_are_marked_with_them(
    verifier: LexicalVerifier,
) -> None:
    text = "The show was filmed in Warsaw by the sons of farmers in 2017"

    found = await _verify(verifier, text)

    assert [span.of(text) for span in found.unsupported] == ["sons of farmers"]


_WORDS = st.sampled_from(
    [
        *_SOURCE.split(),
        "1999",
        "\n",
        "Paris.",
        "not",
        "ﬁ",
        "İ",
        "½",
        "“",
        "٣",
        "a" * 300,
    ]
)


@given(
    st.lists(_WORDS, min_size=1, max_size=60), st.lists(_WORDS, min_size=1, max_size=20)
)
async def test_whatever_the_texts_quotes_and_marks_stand_where_they_say(
    source_words: list[str], claim_words: list[str]
) -> None:
    source, text = " ".join(["Start.", *source_words]), " ".join(claim_words)

    found = await _verify(_SHIPPED, text, source)

    for one in found.evidence:
        assert one.quote == one.span.of(flat(source))
        assert one.quote in one.passage.text
        assert all(span.of(one.passage.text).strip() for span in one.matched)
    assert all(0 <= span.start < span.end <= len(text) for span in found.unsupported)
    likely = found.probabilities
    assert likely.supported + likely.partially_supported <= 1 + 1e-9
    assert min(likely.supported, likely.not_supported, likely.contradicted) >= 0


async def test_the_verdict_does_not_depend_on_what_was_read_before() -> None:
    fresh, used = LexicalVerifier(), LexicalVerifier()
    await _verify(used, "Something else entirely")

    text = "The show was filmed in Warsaw"

    assert await _verify(fresh, text) == await _verify(used, text)


_SHIPPED = LexicalVerifier()  # reads its model when first used


async def test_a_short_claim_is_contradicted_by_the_same_words_with_another_year(
    verifier: LexicalVerifier,
) -> None:
    source = (
        "It was built in 1874 by Ada Penrose. It was repaired in 1921 after a storm."
    )

    found = await _verify(verifier, "It was repaired in 1913.", source)

    assert found.verdict is Verdict.CONTRADICTED
    assert found.evidence[0].quote == "It was repaired in 1921 after a storm."
