"""The bundle: what it is joined from, and that its translations are whole."""

import json
import unicodedata
from contextlib import suppress

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gadget.bundle import Sources, bundle, order, required, stylesheet
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


def needing(*names: str) -> str:
    return "".join(f"const x = require( './{name}' );\n" for name in names)


def test_a_module_comes_behind_those_that_it_needs() -> None:
    modules = {"a.js": needing("b.js", "c.js"), "b.js": needing("c.js"), "c.js": ""}
    assert order("a.js", modules) == ("c.js", "b.js", "a.js")


def test_what_nobody_needs_is_left_out() -> None:
    assert order("a.js", {"a.js": "", "b.js": ""}) == ("a.js",)


def test_what_resource_loader_has_is_left_to_it() -> None:
    assert order("a.js", {"a.js": "require( 'vue' ); require( '@wikimedia/codex' )"})


@pytest.mark.parametrize(
    ("modules", "message"),
    [
        (
            {"a.js": needing("b.js"), "b.js": needing("a.js")},
            "circle: a.js → b.js → a.js",
        ),
        ({"a.js": needing("a.js")}, "circle: a.js → a.js"),
        ({"a.js": needing("b.js")}, "b.js, which a.js asks for, is not there"),
        ({}, "the module a.js is not there"),
        ({"a.js": "require( './../etc/passwd' )"}, "modules are called like"),
        ({"a.js": "require( '..//b.js' )"}, "modules are called like"),
        ({"a.js": "require( '/b.js' )"}, "modules are called like"),
        ({"a.js": "require( './B.js' )"}, "modules are called like"),
        ({"a.js": "require( name )"}, "only a quoted name"),
        ({"a.js": "require( './a' + '.js' )"}, "only a quoted name"),
    ],
)
def test_what_cannot_be_joined_is_refused(
    modules: dict[str, str], message: str
) -> None:
    with pytest.raises(PermanentError, match=message):
        order("a.js", modules)


@given(st.text())
def test_any_text_is_read_or_refused(text: str) -> None:
    with suppress(PermanentError):
        assert all(name.endswith(".js") for name in required("a.js", text))


@given(st.permutations([f"m{number}.js" for number in range(6)]))
def test_the_order_does_not_hang_on_how_the_modules_are_kept(names: list[str]) -> None:
    modules = {
        name: needing(*(f"m{each}.js" for each in range(int(name[1]))))
        for name in names
    }
    assert order("m5.js", modules) == tuple(sorted(modules))
