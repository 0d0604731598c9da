"""Where an article and a quote give different values of the same thing."""
# ruff: noqa: RUF001  (the minus sign is meant)

import pytest

from handlers.text.analysis import analyse
from handlers.text.difference import difference, differing

_HALF = "Dunmere Town 3–2 Carrow Athletic (half-time 0–2)"


@pytest.mark.parametrize(
    ("claim", "quote", "expected"),
    [
        ("72 people were hurt.", "22 people were hurt.", ("72", "22")),
        ("It opened in 1998.", "It opened in 1999.", ("1998", "1999")),
        (
            "It fell on May 28, 2020.",
            "03/28/2020: it fell.",
            ("May 28, 2020", "03/28/2020"),
        ),
        ("It fell before May 28, 2020.", "It fell on May 27, 2020.", None),
        ("It fell in May 2020.", "It fell on May 27, 2020.", None),
        ("Dunmere Town won the final 3–1.", _HALF, ("3–1", "3–2")),
        ("The match ended 6-4.", "It ended 6–5.", ("6-4", "6–5")),
        ("Dunmere Town won the final 3–2.", _HALF, None),
        ("The final ended 3–2, not 3–1.", _HALF, None),
        ("Dunmere won 4–1.", _HALF, None),
        ("The final ended 3–1.", "They won 3–2 and 3–0.", None),
        ("It ran in 2019–20.", "It ran in 2019–21.", ("2019–20", "2019–21")),
        ("It ran 1990–95.", "It ran from 1990 to 1995.", None),
        ("It ran 2011–12.", "It ran in 2011/2012.", None),
        ("It is 412 metres tall.", "It is 412 feet tall.", ("412 metres", "412 feet")),
        ("It took 24 minutes.", "It grew by 24 %.", ("24", "24 %")),
        ("It covers 300 acres.", "It covers 121 hectares.", None),
        (
            "It rose by 5 %.",
            "It rose 5 percentage points.",
            ("5 %", "5 percentage points"),
        ),
        ("It cost £5 million.", "It cost €5 million.", ("£5 million", "€5 million")),
        ("It cost $5 million.", "It cost US$5 million.", None),
        (
            "It cost $12.5 billion.",
            "It cost $12 1/2 million.",
            ("$12.5 billion", "$12 1/2 million"),
        ),
        ("It fell to −12 °C.", "It fell to 12 °C.", ("−12 °C", "12 °C")),
        ("It fell to −9 °C.", "It fell to 9 degrees below zero.", None),
        ("It measures 3¾ acres.", "It measures 3¼ acres.", ("3¾ acres", "3¼ acres")),
        ("It measures 2½ acres.", "It measures 2.5 acres.", None),
        (
            "Two thirds of it is wood.",
            "One third of it is wood.",
            ("Two thirds", "One third"),
        ),
        (
            "He came after ten months.",
            "He came after ten days.",
            ("ten months", "ten days"),
        ),
        (
            "40 deaths, 6 injuries.",
            "40 injuries, 6 deaths.",
            ("40 deaths", "40 injuries"),
        ),
        ("Its 20th edition.", "Its twenty-second edition.", ("20th", "twenty-second")),
        ("Its 21st edition.", "Its twenty-first edition.", None),
        ("No more than four people.", "Up to four people.", None),
        ("No more than four people.", "Four people.", None),
        (
            "No more than four people died.",
            "At least four people died.",
            ("No more than four", "At least four"),
        ),
        (
            "Over 3 thousand times.",
            "Over 3 million times.",
            ("3 thousand", "3 million"),
        ),
        ("A grid of 200 km.", "A 200m grid.", ("200 km", "200m")),
        ("It exceeded 50 miles.", "It exceeded 50 documented miles.", None),
        ("It got 400 acres.", "It got 200 acres, then 200 acres.", None),
        ("It earned over $36 million.", "It earned $36.3 million.", None),
        ("It is here.", "It is there.", None),
    ],
)
def test_a_difference_is_named_where_no_other_is_near(
    claim: str, quote: str, expected: tuple[str, str] | None
) -> None:
    assert difference(claim, quote) == expected


@pytest.mark.parametrize(
    ("claim", "quote"),
    [
        ("It cost £300.", "It cost 300 pounds."),
        ("It cost $5 million.", "It cost 5 million US dollars."),
        ("It weighs 5 tonnes.", "It weighs 5 tons."),
        ("It took 24 minutes.", "It took 24 min."),
        ("It took 1½ hours.", "It took 90 minutes."),
        ("It covers 20 km2.", "It covers 20 km²."),
        ("It reached 40 mph.", "It reached 40 miles an hour."),
        ("It was 3 °C.", "It was 37 °F."),
        ("It was −10 °C.", "It was 14 °F."),
        ("It holds 250 people.", "It holds two hundred and fifty people."),
        ("It holds 2,500 people.", "It holds two thousand five hundred people."),
        ("Three quarters of it burned.", "75 per cent of it burned."),
        ("¾ of it burned.", "75 % of it burned."),
        ("It ran 1998–9.", "It ran from 1998 to 1999."),
        ("It lasted 24 hours.", "It lasted one day."),
        ("Ten members left.", "Ten people left."),
    ],
)
def test_one_value_in_two_forms_is_no_difference(claim: str, quote: str) -> None:
    mine, theirs = analyse(claim), analyse(quote)

    assert difference(claim, quote) is None
    assert not list(differing(mine, theirs))
