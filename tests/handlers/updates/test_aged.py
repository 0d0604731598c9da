"""Statements that say of which day they are, found once they have aged."""

from datetime import date

import pytest

from handlers.findings import Suggestion
from handlers.model import PageId
from handlers.page import parse
from handlers.registry import Checked, PageNow, Settings, found_by, stands
from handlers.updates.aged import AgedFinding

TODAY = date(2026, 11, 26)
HERE = PageId("en.wikipedia.org", "Skarholm", revision_id=7)


def _now(text: str) -> PageNow:
    return PageNow(parse(text, HERE))


def _found(text: str, settings: Settings | None = None) -> tuple[Suggestion, ...]:
    chosen = {"aged": settings} if settings else {}
    return found_by("aged", Checked(_now(text), (), TODAY, settings=chosen))


@pytest.mark.parametrize(
    ("text", "as_of", "years"),
    [
        ("As of 2014, it has nine rooms.", "2014", 11),
        ("It has nine rooms {{as of|2014|lc=y}}.", "2014", 11),
        ("{{As of|2014|5}}, it has nine rooms.", "May 2014", 12),
        ("{{as of|2014|05|03}}, it has nine rooms.", "3 May 2014", 12),
        ("As of May 2014, it has nine rooms.", "May 2014", 12),
        ("The house has, as at 3 May 2014, nine rooms.", "3 May 2014", 12),
        ("{{as of|2014|alt=In those days}} it has nine rooms.", "2014", 11),
    ],
)
def test_the_day_is_the_articles_own(text: str, as_of: str, years: int) -> None:
    [one] = _found(text)

    assert isinstance(one.finding, AgedFinding)
    assert (one.finding.as_of, one.finding.years) == (as_of, years)
    assert one.flag


@pytest.mark.parametrize(
    "text",
    [
        "As of 2023, it has nine rooms.",
        "As of 1890, it had nine rooms.",
        "It was built as of old by nine men in 2014.",
        "It has had nine rooms since 2014.",
        "== References ==\nAs of 2014, it has nine rooms.",
        "As of 2014, it has nine rooms.{{update inline|date=May 2026}}",
    ],
    ids=["young", "history", "no date", "since", "apparatus", "tagged"],
)
def test_nothing_else_has_aged(text: str) -> None:
    now = _now(text)

    assert [one for one in _found(text) if stands(one, now)] == []


def test_a_figure_in_an_infobox_ages_sooner_than_a_sentence() -> None:
    text = "{{Infobox museum|rooms = 9 (as of 2022)}}\nAs of 2022, it has nine rooms."

    [one] = _found(text)

    assert one.details.cell == ("rooms",)


def test_a_wiki_sets_the_years_and_the_names_of_its_templates() -> None:
    text = "It has nine rooms ({{Stand|2024}})."

    assert _found(text) == ()
    [one] = _found(text, {"templates": ("stand",), "sentence": 1})
    assert isinstance(one.finding, AgedFinding)
    assert one.finding.as_of == "2024"


def test_it_keeps_its_name_and_goes_with_the_words() -> None:
    text = "As of 2014, it has nine rooms."
    [before] = _found(text)
    [after] = _found(f"First.\n\n{text}")

    assert after.identity == before.identity
    stood = stands(before, _now(f"First.\n\n{text}"))
    assert stood
    assert stood.place == len("First.\n\n")
    assert stands(before, _now(text.replace("2014", "2026"))) is None
