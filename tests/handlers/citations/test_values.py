"""Values of a claim against those of its source, whatever unit or form they stand in."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.models.lexical import LexicalVerifier, ModelFile, shipped_lexical
from handlers.citations.comparison import (
    AnalysedClaim,
    Stated,
    context,
    gather,
    prepare,
)
from handlers.citations.corpus import read_corpus
from handlers.citations.passages import cut
from handlers.citations.values import (
    CELL_VALUES,
    PROSE_VALUES,
    ROLE_FEATURES,
    InRole,
    converted,
    in_role,
    measure_roles,
    stated_instead,
)
from handlers.model import ClaimKind, SourceText
from handlers.text.analysis import analyse
from tests.builders import claim

_TITLE = "Harlow Mill fire"
_SOURCE = (
    "Harlow Mill burned down on 22 August 1987.\n"
    "The fire injured 27 people and killed four, the brigade said. Some 300 workers "
    "had left the building an hour before. Rebuilding cost £1.4 million and ended in "
    "1991. A benefit match between Harlow Town and Ware ended 6–5.\n"
    "Caretaker: Edith Marsh\n"
    "Architect: Thomas Ridley\n"
)


def _stand(
    text: str, source: str = _SOURCE, row: str | None = None
) -> tuple[AnalysedClaim, Stated]:
    kind = ClaimKind.INFOBOX_VALUE if row else ClaimKind.SENTENCE
    cell = claim(text, kind=kind, row=row)
    claimed = prepare(cell, _TITLE, shipped_lexical().model.rarity, analyse)
    passages = cut(SourceText(source), "key")
    return claimed, gather(
        claimed, context(_TITLE, cell), read_corpus(passages, analyse), analyse
    )


def _roles(text: str, source: str = _SOURCE, row: str | None = None) -> list[InRole]:
    return list(in_role(*_stand(text, source, row)))


@pytest.mark.parametrize(
    ("text", "row", "same", "other"),
    [
        pytest.param("27", "Injured", "27", "four", id="stated"),
        pytest.param("22", "Injured", None, "27", id="the day of a month counts nobody"),
        pytest.param("7–5", "Match", None, "6–5", id="a score is one value"),
        pytest.param("6–5", "Match", "6–5", None, id="score stated"),
        pytest.param("£2.1 million", "Rebuilding cost", None, "1.4 million", id="money"),
        pytest.param("1993", "Rebuilding ended", None, "1991", id="year"),
        pytest.param("twenty-seven", "Injured", "27", "four", id="spelled out"),
        pytest.param("22 August", "Burned down", "22 August 1987", None, id="day"),
        pytest.param("about 290", "Workers", "300", None, id="rounded"),
        pytest.param("more than 200", "Workers", "300", None, id="bound"),
    ],
)  # fmt: skip
def test_what_a_source_says_in_the_role_of_a_cell(
    text: str, row: str, same: str | None, other: str | None
) -> None:
    [found] = _roles(text, row=row)

    assert found.span.of(text) in text
    stated = found.same.span.of(found.same.passage.text) if found.same else None
    assert stated == same
    if other:
        assert found.other
        assert found.other.span.of(found.other.passage.text) == other
    else:
        assert not found.other or found.other.fit < 0.4


def test_a_value_of_another_role_fits_worse_than_the_one_of_this_role() -> None:
    [right] = _roles("The fire killed four people.")
    [wrong] = _roles("The fire killed 300 people.")

    assert wrong.lead < -0.3 < right.lead


def test_words_nearer_to_a_value_tell_more() -> None:
    source = "The Reds sold 40 tents and 75 boats in May."
    [tents] = _roles("40", source, row="Tents")
    [boats] = _roles("40", source, row="Boats")

    assert tents.lead > boats.lead


def test_a_bare_year_is_no_rival_to_a_day() -> None:
    [found] = _roles(
        "3 May 1987", "The mill. © 1990–2024 Harlow Press", row="Burned down"
    )

    assert found.same is None
    assert found.other is None


def test_a_day_without_its_year_is_the_same_day() -> None:
    source = "On 22 August the mill burned down. It had opened on 3 May."
    [right] = _roles("22 August 1987", source, row="Burned down")
    [wrong] = _roles("3 May 1987", source, row="Burned down")

    assert right.lead > 0 > wrong.lead


def test_a_length_has_no_rival_among_weights() -> None:
    [found] = _roles("40 km", "The path of 9 kg of debris.", row="Path")

    assert found.other is None


def test_a_cell_with_another_value_is_contradicted_with_the_sentence() -> None:
    claimed, stated = _stand("72", row="People injured")

    found = stated_instead(claimed, stated)

    assert found
    text = found.passage.text
    assert found.span.of(text) == "27"
    assert found.sentence.of(text).startswith("The fire injured 27 people")
    assert found.sentence.of(text).endswith("the brigade said.")


@pytest.mark.parametrize(
    ("text", "row"),
    [
        pytest.param("27", "People injured", id="right"),
        pytest.param("72", "Horses lost", id="the source says nothing of it"),
        pytest.param("The fire injured 72 people", None, id="sentences prove too little"),
    ],
)  # fmt: skip
def test_nothing_else_is_contradicted(text: str, row: str | None) -> None:
    assert stated_instead(*_stand(text, row=row)) is None


def test_cells_and_sentences_are_measured_apart() -> None:
    cell = measure_roles(*_stand("27", row="Injured"))
    sentence = measure_roles(*_stand("The fire injured 27 people."))

    assert set(cell) == set(sentence) == ROLE_FEATURES
    assert cell[CELL_VALUES] > 0 == cell[PROSE_VALUES]
    assert sentence[PROSE_VALUES] > 0 == sentence[CELL_VALUES]


@given(st.text(alphabet="12 .,–%$ab\nMay", max_size=80), st.booleans())
def test_every_place_stands_in_its_text(text: str, is_cell: bool) -> None:
    claimed, stated = _stand(text, _SOURCE + text, "Injured" if is_cell else None)

    for one in in_role(claimed, stated):
        assert one.span.of(text).strip()
        for place in (one.same, one.other):
            if place:
                assert 0 <= place.fit <= 1.01
                assert place.span.of(place.passage.text).strip()
                sentence = place.sentence
                assert sentence.start <= place.span.start <= sentence.end


async def test_heads_that_name_a_role_hear_it_and_others_answer_as_before() -> None:
    file = shipped_lexical()
    unnamed = await _of(file, "72")
    zero = await _of(_naming(file, 0.0), "72")
    named = await _of(_naming(file, 5.0), "72")

    assert zero == unnamed
    assert named < unnamed


def _naming(file: ModelFile, weight: float) -> ModelFile:
    page = file.model.page
    column = np.zeros((len(page.biases), 1))
    column[0] = weight
    head = replace(
        page,
        features=(*page.features, CELL_VALUES),
        means=np.append(page.means, 0.0),
        scales=np.append(page.scales, 1.0),
        weights=np.hstack([page.weights, column]),
    )
    return replace(file, model=replace(file.model, page=head, changeover_words=1.0))


async def _of(file: ModelFile, text: str) -> float:
    file = replace(file, model=replace(file.model, changeover_words=1.0))
    cell = claim(text, kind=ClaimKind.INFOBOX_VALUE, row="Injured")
    passages = cut(SourceText(_SOURCE), "key")
    found = await LexicalVerifier(file).verify(_TITLE, cell, passages)
    return found.probabilities.supported


def _in_terms_of(source: str, text: str) -> str:
    return converted(
        claim(text), read_corpus(cut(SourceText(source), "key"), analyse), analyse
    ).text


@pytest.mark.parametrize(
    ("source", "text", "becomes"),
    [
        (
            "The ferry, a 61-metre vessel, was late.",
            "The ferry is about 200 feet long.",
            "The ferry is about 61-metre long.",
        ),
        (
            "It leaked some 12,000 litres of dye.",
            "12 cubic metres of dye ran out.",
            "12,000 litres of dye ran out.",
        ),
        (
            "The cave stays between 7 and 9 °C.",
            "It lives at 45 to 48 °F.",
            "It lives at 45 to 9 °C.",
        ),
        (
            "About two fifths of what we make is sold abroad.",
            "About 40 per cent of its output is exported.",
            "About two fifths of its output is exported.",
        ),
        (
            "Great Varrow is home to almost seven in ten islanders.",
            "Almost 70% of the islanders live there.",
            "Almost seven in ten of the islanders live there.",
        ),
        (
            "From 1974 to 1996 he taught at the conservatory.",
            "He was a teacher for 22 years.",
            "He was a teacher for 1974 to 1996.",
        ),
    ],
)
def test_a_measure_is_given_as_the_source_gives_it(
    source: str, text: str, becomes: str
) -> None:
    assert _in_terms_of(source, text) == becomes


@pytest.mark.parametrize(
    ("source", "text"),
    [
        pytest.param("It is 61 m long.", "It is 300 feet long.", id="another value"),
        pytest.param("It is 61 m long.", "It is 61 m long.", id="the same unit"),
        pytest.param(
            "It is 61 m (200 ft) long.", "It is 200 feet long.", id="both units"
        ),
        pytest.param(
            "He taught there from 1974. He died in 1996.",
            "He was a teacher for 22 years.",
            id="years of two sentences",
        ),
        pytest.param(
            "From 1974 to 1996, 22 years, he taught there.",
            "He was a teacher for 22 years.",
            id="years that are counted out",
        ),
        pytest.param("140 mph winds.", "It moved 140 miles.", id="other dimensions"),
        pytest.param("He was 10 years old.", "Some 10% left.", id="years, no share"),
        pytest.param("Some 61 people came.", "It is 200 feet long.", id="no measure"),
        pytest.param("It was 40% full.", "He came second in 1940.", id="none claimed"),
    ],
)
def test_anything_else_stays_as_it_is_written(source: str, text: str) -> None:
    statement = claim(text)

    corpus = read_corpus(cut(SourceText(source), "key"), analyse)
    assert converted(statement, corpus, analyse) is statement
