"""Raised signs and fractions are no part of the number before them."""

import pytest

from bot.sources.extraction.html import read_html

REST = "The note was printed in the yearbook of the county library, every year. " * 3


def read(sentence: str) -> str:
    page = (
        f"<html><body><article><p>{REST}</p><p>{sentence}</p></article></body></html>"
    )
    found = read_html(page.encode(), content_type="text/html", url="https://a.example/")
    assert found.document is not None
    return found.document.text.split("\n")[-1]


@pytest.mark.parametrize(
    ("markup", "text"),
    [
        ("about 10<sup>6</sup> litres", "about 10⁶ litres"),
        ("some 10<sup>-3</sup> of it", "some 10⁻³ of it"),
        ("about 5 m<sup>2</sup> of land", "about 5 m² of land"),
        ("on 25<sup>1</sup>&frasl;<sub>2</sub> acres", "on 25½ acres"),
        ("on 25<sup>3</sup>/<sub>16</sub> acres", "on 25 3/16 acres"),
        ("in the year 1990<sup>1</sup> or so", "in the year 1990¹ or so"),
        ('in the year 1990<sup><a href="#a">1</a></sup>', "in the year 1990¹"),
        ("the 21<sup>st</sup> hall of all", "the 21st hall of all"),
        ("some H<sub>2</sub>O is in it", "some H2O is in it"),
        ("a base of 10<sub>2</sub> or so", "a base of 10₂ or so"),
        ("a <q>very <i>old</i></q> hall", "a “very old” hall"),
        ("it has <button>640</button> seats", "it has 640 seats"),
        ("the o&#64259;ce has 5&#8203;000 tiles", "the office has 5000 tiles"),
        (
            "in <x-card><template shadowrootmode=open>1925</template></x-card> or so",
            "in 1925 or so",
        ),
        ("the cost of <b>40</b><b>52</b> crowns", "the cost of 40 52 crowns"),
        ("the <b>Architect</b><b>Karl Dreyer</b>", "the Architect Karl Dreyer"),
        (
            "about <math><msup><mn>10</mn><mn>6</mn></msup></math> litres",
            "about 10⁶ litres",
        ),
        (
            "about <math><mfrac><mn>3</mn><mn>4</mn></mfrac></math> of it",
            "about ¾ of it",
        ),
    ],
)
def test_a_number_is_the_one_that_readers_see(markup: str, text: str) -> None:
    assert read(f"It is {markup}.") == f"It is {text}."
