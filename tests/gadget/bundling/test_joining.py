from contextlib import suppress

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gadget.bundle import order, required
from handlers.ports import PermanentError


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
