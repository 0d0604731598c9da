"""The 39 criteria: the ids of the challenge, and none of its words."""

import json
import re
from collections import Counter

from handlers.model import Category
from handlers.review.criteria import BY_ID, CRITERIA, criteria_of, not_among
from tests.shared_data import shared_data

_RUN = 6  # words in a row that would be theirs


def test_there_are_39_criteria_in_three_categories_and_15_groups() -> None:
    counts = Counter(one.category for one in CRITERIA)

    assert counts == {
        Category.WELL_WRITTEN: 21,
        Category.BROAD_COVERAGE: 8,
        Category.NEUTRAL: 10,
    }
    assert len({one.group for one in CRITERIA}) == 15
    assert len(BY_ID) == 39


def test_each_group_belongs_to_one_category_and_each_criterion_to_a_guideline() -> None:
    assert len({(one.category, one.group) for one in CRITERIA}) == 15
    assert all(re.fullmatch(r"(?:MOS|WP):[A-Z]+", one.guideline) for one in CRITERIA)


def test_the_criteria_of_a_category_and_the_rest_of_some() -> None:
    broad = criteria_of(Category.BROAD_COVERAGE)

    assert {one.id for one in broad} == {f"bc_{number}" for number in range(1, 9)}
    assert len(not_among(one.id for one in broad)) == 31


def test_the_ids_and_categories_are_those_of_the_challenge() -> None:
    assert {one.id: one.category.value for one in CRITERIA} == {
        id_: category for id_, category, _ in _theirs()
    }


def test_no_six_words_in_a_row_are_those_of_the_challenge() -> None:
    theirs = {run for _, _, text in _theirs() for run in _runs(text)}

    assert not [one.id for one in CRITERIA if theirs & _runs(one.text)]


def _theirs() -> list[tuple[str, str, str]]:
    path = shared_data("wiki_live_challenge/wiki_writing_criteria.json")
    found = []
    for category in json.loads(path.read_text(encoding="utf-8"))["categories"]:
        for part in (category, *category["subcategories"]):
            found += [
                (one["id"], category["id"], one["text"])
                for one in part.get("criteria", ())
            ]
    return found


def _runs(text: str) -> set[tuple[str, ...]]:
    words = re.findall(r"\w+", text.lower())
    return {tuple(words[at : at + _RUN]) for at in range(len(words) - _RUN + 1)}
