"""What is known of a page's language: by its words, and by its markup."""

import pytest

from bot.sources.extraction import Extraction
from bot.sources.extraction.extractor import read_plain
from bot.sources.extraction.html import read_html
from handlers.documents.language import languages_of
from handlers.model import LanguageShare

ENGLISH = (
    "The bridge over the lower gorge was opened to carts in the spring of 1871. "
    "It had taken nine years to build, and the town was still paying for it when "
    "the railway came and most of the traffic left the old road for good. "
)
SPANISH = (
    "El puente sobre la garganta se abrió a los carros en la primavera de 1871. "
    "Se tardó nueve años en construirlo, y el pueblo aún lo estaba pagando cuando "
    "llegó el ferrocarril y casi todo el tráfico abandonó la vieja carretera. "
)


def page(text: str, html: str = "<html>", head: str = "") -> Extraction:
    markup = f"{html}<head><title>The bridge</title>{head}</head><body><p>{text}</p>"
    return read_html(markup.encode(), content_type="text/html; charset=utf-8", url="")


def test_the_words_of_a_page_tell_its_language_from_a_web_page_and_from_plain_text() -> (
    None
):
    for found in (page(SPANISH * 3), read_plain(SPANISH.encode(), content_type=None)):
        assert [one.code for one in found.document.languages] == ["es"]
        assert found.document.languages[0].name == "Spanish"


def test_a_mixed_page_has_a_share_for_each_language() -> None:
    shares = {one.code: one.share for one in languages_of(ENGLISH * 3 + SPANISH * 3)}

    assert set(shares) == {"en", "es"}
    assert all(0.35 < share < 0.65 for share in shares.values())


def test_numbers_say_nothing() -> None:
    assert languages_of("1 2 3 4 5 6 7 8 9\n" * 40) == ()


def test_languages_pass_between_two_processes() -> None:
    found = page(SPANISH * 3)

    assert Extraction.from_json(found.to_json()) == found
    assert isinstance(found.document.languages[0], LanguageShare)


@pytest.mark.parametrize(
    ("html", "head", "stated"),
    [
        ('<html lang="es">', "", "es"),
        ('<html xml:lang="es-MX">', "", "es-MX"),
        ("<html>", '<meta http-equiv="Content-Language" content="es">', "es"),
        ("<html>", '<meta property="og:locale" content="es_ES">', "es_ES"),
        ('<html lang="fr">', '<meta property="og:locale" content="es_ES">', "fr"),
        ('<html lang="">', '<meta property="og:locale" content="es_ES">', "es_ES"),
        ("<html>", '<meta property="og:locale" content="a place">', None),
        ("<html>", "", None),
    ],
)
def test_a_page_states_its_language_in_one_of_three_places(
    html: str, head: str, stated: str | None
) -> None:
    found = page(ENGLISH * 3, html, head)

    assert found.document.language == stated
