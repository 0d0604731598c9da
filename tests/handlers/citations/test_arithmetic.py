"""Arithmetic has the last word where a sentence gives another value in the same role."""
# ruff: noqa: RUF001  (the minus sign is meant)

import pytest

from bot.models.lexical import LexicalVerifier, shipped_lexical
from handlers.citations.arithmetic import computed
from handlers.citations.comparison import context, gather, prepare
from handlers.citations.corpus import read_corpus
from handlers.citations.passages import cut
from handlers.model import SourceText, Verdict
from handlers.text.analysis import analyse
from tests.builders import claim

_TITLE = "Lake Velde"
_BEFORE = (
    "The note below was printed in the yearbook of the county library. It was put "
    "together from the files of the council and from talks with people on the site.\n"
)
_AFTER = "\nReaders who know more are asked to write. Letters are printed twice a year."


@pytest.mark.parametrize(
    ("text", "source"),
    [
        ("The lake covers 300 acres.", "Lake Velde covers 300 hectares."),
        ("The tower on its shore is 93 m tall.", "The tower on the shore is 93 feet tall."),
        ("The largest pike weighed 15 kg.", "The largest pike weighed 15 pounds."),
        ("The lowest temperature of 2019 was −12 °C.", "The lowest temperature of 2019 was 12 °C."),
        ("The field measures 3¾ acres.", "The field of the station measures 3¼ acres."),
        ("Two thirds of the readings are made by hand.", "One third of the readings are made by hand."),
        ("The lease for the ground ran 1990–95.", "The lease for the ground ran from 1990 to 1994."),
        ("The party reemerged ten months later.", "The party reemerged ten days later."),
        ("The repair cost £5 million.", "The repair cost $5 million."),
        ("The prize was 3 million euros.", "The prize was 3 million dollars."),
        ("The dam cost $12.5 billion.", "The dam cost $12.5 million."),
        ("The wave caused 40 deaths and 6 injuries.", "The wave caused 40 injuries and 6 deaths."),
        ("No more than four people may enter.", "At least four people may enter."),
    ],
)  # fmt: skip
async def test_another_value_of_the_same_thing_is_contradicted(
    text: str, source: str
) -> None:
    passages = cut(SourceText(f"{_BEFORE}{source}{_AFTER}"), "key")

    found = await LexicalVerifier().verify(_TITLE, claim(text), passages)

    assert found.verdict is Verdict.CONTRADICTED
    assert source in found.evidence[0].quote


@pytest.mark.parametrize(
    ("text", "source"),
    [
        ("The island covers 300 acres.", "The island covers 121 hectares."),
        ("The garden measures 2½ acres.", "The garden of the station measures 2.5 acres."),
        ("The contract for the fair ran 1990–95.", "The contract for the fair ran from 1990 to 1995."),
        ("The fair of 2019 was its 21st edition.", "The fair of 2019 was its twenty-first edition."),
        ("No more than four people may enter.", "Up to four people may enter."),
        ("Some 1.18 million people live in the county.", "Some 1,183,505 people live in the county."),
        ("The path is 50 miles long.", "The path is 50 documented miles long."),
        ("The lake covers 300 acres.", "The lake covers 300 acres, and its wood 300 hectares."),
    ],
)  # fmt: skip
async def test_the_same_value_in_another_form_is_not(text: str, source: str) -> None:
    passages = cut(SourceText(f"{_BEFORE}{source}{_AFTER}"), "key")

    found = await LexicalVerifier().verify(_TITLE, claim(text), passages)

    assert found.verdict is not Verdict.CONTRADICTED


@pytest.mark.parametrize(
    ("text", "source", "told"),
    [
        (
            "The brigade arrived after six minutes.",
            "The alarm was raised at 3.13 and the brigade arrived at 3.19.",
            "3.13 and the brigade arrived at 3.19 (after six minutes)",
        ),
        (
            "The train took 40 minutes.",
            "The train left at 3:10 pm and arrived at 3:50 pm.",
            "3:50 pm (took 40 minutes)",
        ),
        (
            "She edited the paper for more than twenty years.",
            "She edited the paper from 1999 to 2022.",
            "1999 to 2022 (more than twenty years)",
        ),
        (
            "The bill passed with a majority of 44.",
            "The bill passed with 642 votes to 598.",
            "642 votes to 598 (of 44)",
        ),
        (
            "The council granted Davis 400 acres.",
            "The council granted Davis 200 acres in Craven and 200 acres in Kent.",
            "200 acres (Davis 400 acres) in Kent",
        ),
        ("The bill passed with a majority of 54.", "The bill passed with 642 votes to 598.", None),
        ("She edited the paper for more than thirty years.", "She edited the paper from 1999 to 2022.", None),
    ],
)  # fmt: skip
def test_the_judge_is_told_what_the_values_of_a_sentence_come_to(
    text: str, source: str, told: str | None
) -> None:
    one = claim(text)
    corpus = read_corpus(cut(SourceText(f"{_BEFORE}{source}{_AFTER}"), "key"), analyse)
    claimed = prepare(one, _TITLE, shipped_lexical().model.rarity, analyse)
    stated = gather(claimed, context(_TITLE, one), corpus, analyse)

    found = computed(one, claimed, stated)

    if told is None:
        assert found is None
    else:
        assert found
        assert told in found.told(source)
