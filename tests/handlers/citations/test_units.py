import pytest

from handlers.citations.numbers import without_asides


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
