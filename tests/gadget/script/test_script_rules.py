"""What every file of the script keeps to, so that it can stand on a wiki."""

import re
from importlib.resources import files
from pathlib import Path

import pytest

from bot.demo.loopback.wiki.code import installed_code

_SCRIPT = Path(str(files("gadget") / "script"))
_SCRIPTS = sorted(_SCRIPT.rglob("*.js"))
_STYLES = sorted(_SCRIPT.rglob("*.css"))
_MADE = {"config.js", "i18n.js"}  # by the bundler
_DANGEROUS = re.compile(
    r"innerHTML|outerHTML|insertAdjacentHTML|document\.write|\beval\b|new Function"
    r"|createContextualFragment|srcdoc|\$\.parseHTML|\.html\("
)
_NEWER = re.compile(
    r"\basync\b|\bawait\b|\?\.[a-zA-Z(\[]|\?\?|\{ ?\.\.\.|#[a-z]+\(|&&="
)
_TOKEN = re.compile(
    r"--(?:color|background-color|border-color|box-shadow-color)-[a-z-]+"
)
_OURS = "--box-shadow-color-sidenote"
_WORDS_OF_CODE = re.compile(r"/\*.*?\*/|//[^\n]*|'(?:\\.|[^'\\\n])*'", re.S)


@pytest.mark.parametrize("path", _SCRIPTS, ids=lambda path: path.name)
def test_a_script_says_why_it_exists(path: Path) -> None:
    text = path.read_text("utf-8")

    assert text.startswith("/*")


@pytest.mark.parametrize("path", _SCRIPTS, ids=lambda path: path.name)
def test_a_script_makes_nothing_of_words_and_is_es2016(path: Path) -> None:
    text = path.read_text("utf-8")
    code = _WORDS_OF_CODE.sub("''", text)

    assert _DANGEROUS.findall(text) == []
    assert _NEWER.findall(code) == []


@pytest.mark.parametrize("path", _SCRIPTS, ids=lambda path: path.name)
def test_a_script_names_the_place_of_what_it_needs(path: Path) -> None:
    asked = re.findall(r"require\(\s*'(\.[^']+)'", path.read_text("utf-8"))

    places = [path.parent / each for each in asked if Path(each).name not in _MADE]
    assert [place for place in places if not place.is_file()] == []


@pytest.mark.parametrize("path", _STYLES, ids=lambda path: path.name)
def test_a_style_has_no_colours_of_its_own_and_no_unknown_token(path: Path) -> None:
    text = re.sub(r"/\*.*?\*/", "", path.read_text("utf-8"), flags=re.S)
    used = set(_TOKEN.findall(text)) - {_OURS}

    assert re.findall(r"#[0-9a-fA-F]{3,8}\b", text) == []
    assert used <= _tokens(), used - _tokens()


def _tokens() -> set[str]:
    """Return those of the newest MediaWiki here, else those of the local page."""
    local = (files("gadget") / "local_page" / "codex.css").read_text("utf-8")
    found = set(_TOKEN.findall(local))
    for code in installed_code():
        root = Path(code.folder) / (
            "resources/lib/codex-design-tokens/theme-wikimedia-ui-root.css"
        )
        if root.is_file():
            found &= set(_TOKEN.findall(root.read_text("utf-8")))
    return found
