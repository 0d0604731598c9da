"""What the script says, in the browser: forms, numbers, dates, directions, fallbacks."""

from collections.abc import Callable, Iterator
from importlib.resources import files
from typing import Any

import pytest
from playwright.sync_api import Browser

from gadget.bundle import Sources, bundle, read_sources

pytestmark = pytest.mark.browser

TEXTS = {
    "en": {
        "notes": "{{PLURAL:$1|0=none|$1 note|$1 notes}} of $2",
        "plain": "“$1” and $2",
        "only": "English",
    },
    "de": {"notes": "{{PLURAL:$1|$1 Notiz|$1 Notizen}} von $2", "plain": "$1, $2"},
    "ar": {
        "notes": "{{PLURAL:$1|z|one|two|few|many|other}}",
        "plain": "قال $1 عن $2",
    },
}
PROBE = "module.exports = require( './messages.js' ); // Messages: *\n"
_LANGUAGE = """( [ language, content ] ) => mw.config.set( {
    wgUserLanguage: language, wgContentLanguage: content } )"""
_SAY = "( [ name, given ] ) => window.sidenote.probe[ name ]( ...given )"
Say = Callable[..., Any]


@pytest.fixture
def say(chromium: Browser) -> Iterator[Say]:
    """Return what asks the script, in one language, on a page without a wiki."""
    own = read_sources().scripts
    texts = {
        language: {f"sidenote-{key}": text for key, text in words.items()}
        for language, words in TEXTS.items()
    }
    script = bundle("probe.js", {}, Sources({**own, "probe.js": PROBE}, texts))
    tab = chromium.new_page()
    tab.set_content("<!DOCTYPE html><html lang=en><title>x</title>")
    stand_in = files("gadget") / "local_page" / "mw.js"
    tab.add_script_tag(content=stand_in.read_text("utf-8"))
    tab.add_script_tag(content=script)

    def said(language: str, name: str, *given: Any, content: str = "en") -> Any:
        tab.evaluate(_LANGUAGE, [language, content])
        return tab.evaluate(_SAY, [name, list(given)])

    yield said
    tab.close()


def test_a_number_has_the_form_of_its_language(say: Say) -> None:
    assert say("en", "msg", "notes", 0, "x") == "none of x"
    assert say("en", "msg", "notes", 1, "x") == "1 note of x"
    assert say("en", "msg", "notes", 12000, "x") == "12,000 notes of x"
    assert say("de", "msg", "notes", 12000, "x") == "12.000 Notizen von x"
    forms = {0: "z", 1: "one", 2: "two", 3: "few", 11: "many", 100: "other"}
    assert {n: say("ar", "msg", "notes", n) for n in forms} == forms


def test_what_is_put_in_is_never_read_again(say: Say) -> None:
    hostile = "$2 {{PLURAL:$1|a|b}} <b> [[x]] $&"
    assert say("en", "msg", "plain", hostile, "y") == f"“{hostile}” and y"


def test_values_of_the_other_direction_are_kept_apart(say: Say) -> None:
    assert say("ar", "msg", "plain", "example.org", "أحمد") == (
        "قال \u2068example.org\u2069 عن أحمد"
    )
    assert say("en", "msg", "plain", "أحمد", "x") == "“\u2068أحمد\u2069” and x"
    assert say("en", "content", "plain", "أحمد", "x") == "“أحمد” and x"


@pytest.mark.parametrize(
    ("language", "expected"),
    [
        ("de-at", "1, 2"),
        ("gsw", "1, 2"),
        ("de-formal", "1, 2"),
        ("arz", "قال 1 عن 2"),
        ("nb", "“1” and 2"),
        ("zh-classical", "“1” and 2"),
        ("qqx", "(sidenote-plain: 1, 2)"),
    ],
)
def test_another_language_reads_the_nearest(
    say: Say, language: str, expected: str
) -> None:
    assert say(language, "msg", "plain", "1", "2").translate(
        {0x2068: None, 0x2069: None}
    ) == (expected)


def test_a_message_that_is_not_translated_is_in_english(say: Say) -> None:
    assert say("de", "msg", "only") == "English"
    assert say("de", "msg", "unknown", 1) == "(sidenote-unknown: 1)"


def test_summaries_are_in_the_wikis_language(say: Say) -> None:
    assert say("en", "content", "plain", "a", "b", content="de") == "a, b"
    assert say("en", "content", "plain", "a", "b", content="nb") == "“a” and b"


def test_numbers_and_dates_are_written_as_the_words_are(say: Say) -> None:
    assert say("nb", "number", 1234.5) == "1,234.5"
    assert say("en-gb", "day", "2024-05-03T23:59:00Z") == "3 May 2024"
    assert say("de", "day", "2024-05-03") == "3. Mai 2024"
    assert say("fr-ca", "day", "2024-05") == "May 2024"
    assert say("en", "day", "2024") == "2024"
    assert say("en", "day", "soon") == "soon"
    assert say("en", "ago", "2001-01-01T00:00:00Z").endswith("years ago")
    assert say("en", "ago", "soon") == "soon"


def test_the_words_know_their_language(say: Say) -> None:
    assert say("arz", "written") == {"lang": "ar", "dir": "rtl"}
    assert say("nb", "written") == {"lang": "en", "dir": "ltr"}
