import json
import unicodedata

import pytest

from gadget.bundle import Sources, bundle, stylesheet
from handlers.ports import PermanentError

ENTRY = (
    "'use strict';\nconst c = require( './config.js' );\nmodule.exports = { c: c };\n"
)
TEXTS = "require( './i18n.js' );\nmsg( 'close' ); msg( 'kind-' + kind ); // Messages: kind-*\n"
WORDS = {
    "en": {"sidenote-close": "Close", "sidenote-kind-a": "A", "sidenote-other": "O"},
    "de": {"sidenote-close": "Schließen"},
    "qqq": {"sidenote-close": "A button."},
}


def made(text: str = ENTRY, **config: object) -> str:
    return bundle("entry.js", config, Sources({"entry.js": text}, WORDS))


def test_the_same_input_gives_the_same_bytes() -> None:
    assert made(backend="a", bot="b") == made(bot="b", backend="a")
    assert made(backend="a") != made(backend="b")


def test_the_header_says_what_it_is() -> None:
    head = made().split("*/")[0]
    assert "Sidenote 0." in head
    assert "entry.js (" in head
    assert "Licence: MIT" in head


def test_only_the_messages_in_use_are_in_it_and_no_translators_notes() -> None:
    text = made(TEXTS)
    found = json.loads(text.split("module.exports = ")[1].split(";\n} );")[0])
    assert found == {
        "de": {"close": "Schließen"},
        "en": {"close": "Close", "kind-a": "A"},
    }
    assert "A button." not in text


def test_no_value_can_end_the_script_it_stands_in() -> None:
    text = made(backend="</script>\u2028\u2029")
    assert "</script" not in text
    assert not {"\u2028", "\u2029"} & set(text)


def test_a_wiki_that_saves_it_changes_nothing() -> None:
    text = made(bot="Cafe\u0301 ~~~~ {{subst:x}}")
    assert text == text.rstrip()
    assert unicodedata.is_normalized("NFC", text)
    assert text.index("<nowiki>") < text.index("~~~~") < text.index("</nowiki>")
    with pytest.raises(PermanentError, match="nowiki"):
        made("const a = '</nowiki>';")


def test_stylesheets_are_joined_by_name() -> None:
    with pytest.raises(PermanentError, match=r"missing\.css is not there"):
        stylesheet("x.css", ["missing.css"])
