"""Numbers in digits and words, and what stands beside them in another unit."""

import pytest

from handlers.text.analysis import analyse
from handlers.text.numbers import Agreement, compare_quantity, without_asides


@pytest.mark.parametrize(
    ("claim", "evidence", "expected"),
    [
        pytest.param("1.2 million viewers", "1,200,000 viewers", Agreement.STATED, id="magnitude"),
        pytest.param("twelve ships", "12 ships", Agreement.STATED, id="spelled out"),
        pytest.param("45% of voters", "45 percent of voters", Agreement.STATED, id="percent"),
        pytest.param("the third goal", "her 3rd goal", Agreement.STATED, id="ordinal"),
        pytest.param("more than 100 goals", "140 goals", Agreement.STATED, id="floor met"),
        pytest.param("more than 100 goals", "90 goals", Agreement.DIFFERENT, id="floor missed"),
        pytest.param("under 30 % of it", "26 % of it", Agreement.STATED, id="ceiling met"),
        pytest.param("about 1,000 people", "1,040 people", Agreement.STATED, id="rounded"),
        pytest.param("1,000 people", "1,040 people", Agreement.DIFFERENT, id="not rounded"),
        pytest.param("more than 40 goals", "fewer than 40 goals", Agreement.DIFFERENT, id="opposite bounds"),
        pytest.param("10 goals", "12 goals", Agreement.DIFFERENT, id="same thing counted"),
        pytest.param("10 goals", "12 matches", Agreement.ABSENT, id="another thing counted"),
        pytest.param("10 goals", "some goals", Agreement.ABSENT, id="no number"),
        pytest.param("seven people", "7 fatalities", Agreement.STATED, id="small number spelled out"),
        pytest.param("twenty-five ships", "25 ships", Agreement.STATED, id="two words"),
        pytest.param("two dozen ships", "24 ships", Agreement.STATED, id="dozens"),
        pytest.param("345 ships", "346 ships", Agreement.DIFFERENT, id="whole numbers do not round"),
        pytest.param("12.55 miles", "12.6 miles", Agreement.STATED, id="decimals round"),
        pytest.param("a 72.1-mile track", "72.13 miles", Agreement.STATED, id="hyphen"),
        pytest.param("72.1 miles", "72.3 miles", Agreement.DIFFERENT, id="decimals that do not round"),
        pytest.param("145 miles per hour", "145 mph", Agreement.STATED, id="unit of three words"),
        pytest.param("148-mile-per-hour winds", "winds of 140 mph", Agreement.DIFFERENT, id="speed"),
        pytest.param("148-mile-per-hour winds", "winds around 140 mph", Agreement.DIFFERENT, id="not nearly"),
        pytest.param("72 miles", "116 km", Agreement.STATED, id="converted"),
        pytest.param("72 miles", "90 km", Agreement.ABSENT, id="a thing has many lengths"),
        pytest.param("140 mph", "200 km/h", Agreement.DIFFERENT, id="converted to another speed"),
        pytest.param("72 miles", "72 mph", Agreement.STATED, id="a number under any unit stands there"),
        pytest.param("73 miles", "72 mph", Agreement.ABSENT, id="length is no speed"),
        pytest.param("10 square miles", "26 km²", Agreement.STATED, id="sign of area"),
        pytest.param("10 square miles", "26 square kilometers", Agreement.STATED, id="area"),
        pytest.param("550 m wide", "600 yards wide", Agreement.STATED, id="metres are not millions"),
        pytest.param("2½ acres", "2.5 acres", Agreement.STATED, id="fraction sign"),
        pytest.param("2½ acres", "2¼ acres", Agreement.DIFFERENT, id="other fraction sign"),
        pytest.param("three and a half million times", "3,500,000 times", Agreement.STATED, id="and a half"),
        pytest.param("half a million people", "500,000 people", Agreement.STATED, id="half a million"),
        pytest.param("more than half of it", "52 % of it", Agreement.STATED, id="half is a share"),
        pytest.param("more than half of it", "less than half of it", Agreement.DIFFERENT, id="half, opposite bounds"),
        pytest.param("-14 °C", "\u221214 °C", Agreement.STATED, id="signs of minus"),
        pytest.param("\u221212 °C", "12 °C", Agreement.DIFFERENT, id="minus"),
        pytest.param("minus 9 °C", "-9 °C", Agreement.STATED, id="minus as a word"),
        pytest.param("its 21st edition", "its twenty-first edition", Agreement.STATED, id="ordinal of two words"),
        pytest.param("its 20th edition", "its twentieth edition", Agreement.STATED, id="ordinal of tens"),
        pytest.param("15 pounds", "6.8 kg", Agreement.STATED, id="pounds"),
        pytest.param("18 C in summer", "64 °F", Agreement.STATED, id="scale without its sign"),
        pytest.param("no more than four people", "three people", Agreement.STATED, id="no more than, met"),
        pytest.param("no more than four people", "five people", Agreement.DIFFERENT, id="no more than, missed"),
        pytest.param("no more than one quarter of it", "never home to more than one quarter of it", Agreement.STATED, id="never more than"),
        pytest.param("not exceeding 12 ships", "14 ships", Agreement.DIFFERENT, id="not exceeding"),
        pytest.param("no fewer than 12 ships", "14 ships", Agreement.STATED, id="no fewer than, met"),
        pytest.param("more than US$5 million people", "$4 million people", Agreement.DIFFERENT, id="bound before a currency"),
        pytest.param("£5", "€5", Agreement.ABSENT, id="other currency"),
        pytest.param("1.2m viewers", "1,200,000 viewers", Agreement.STATED, id="attached millions"),
        pytest.param("12.5% of voters", "12,5 % of voters", Agreement.STATED, id="decimal comma"),
        pytest.param("125% of voters", "12,5 % of voters", Agreement.DIFFERENT, id="not so many"),
        pytest.param("1,234.5 metres", "1.234,5 metres", Agreement.STATED, id="both signs"),
        pytest.param("120,000 voters", "1,20,000 voters", Agreement.STATED, id="lakhs"),
    ],
)  # fmt: skip
def test_a_quantity_is_stated_different_or_absent(
    claim: str, evidence: str, expected: Agreement
) -> None:
    [claimed] = analyse(claim).quantities

    assert compare_quantity(claimed, analyse(evidence).quantities) is expected


def test_numbers_in_dates_are_no_quantities() -> None:
    found = analyse("On 12 May 2011 it moved 72 miles").quantities

    assert [(one.value, one.unit) for one in found] == [(72.0, "mile")]


def test_absurdly_long_and_strange_digits_are_passed_over() -> None:
    assert analyse("9" * 5000 + " goals and 1.2.3 and ٣ goals").quantities == ()


@pytest.mark.parametrize(
    ("text", "left"),
    [
        ("winds of 145 mph (233 km/h) blew", "winds of 145 mph blew"),
        ("a 72.13 miles (116.08 km) path", "a 72.13 miles path"),
        ("600 yards (550 m).", "600 yards ."),
        ("70 mi (110 km) away", "70 mi away"),
        ("at 5:30 p.m. CDT (22:30 UTC), it", "at 5:30 p.m. CDT , it"),
        ("8:29 p.m. CST (UTC−6)", "8:29 p.m. CST"),  # noqa: RUF001  (Wikipedia's minus)
        ("$300 million (2020 USD)", "$300 million"),
        ("a wide path (116 km)", "a wide path (116 km)"),
        ("12 ships (5 sank)", "12 ships (5 sank)"),
        ("7 people (2011)", "7 people (2011)"),
    ],
)
def test_a_conversion_asks_for_nothing_and_places_stay(text: str, left: str) -> None:
    blanked = without_asides(text)

    assert blanked.split() == left.split()
    assert len(blanked) == len(text)
    assert all(blanked[at] in (" ", text[at]) for at in range(len(text)))
