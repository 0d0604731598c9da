"""What every file of the script keeps to, so that it can stand on a wiki."""

import re
from collections.abc import Iterator
from importlib.resources import files
from pathlib import Path

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


def _faults_of(path: Path) -> Iterator[str]:
    text = path.read_text("utf-8")
    if not text.startswith("/*"):
        yield "says nothing of why it exists"
    yield from _DANGEROUS.findall(text)
    yield from _NEWER.findall(_WORDS_OF_CODE.sub("''", text))
    for required in re.findall(r"require\(\s*'(\.[^']+)'", text):
        if Path(required).name not in _MADE and not (path.parent / required).is_file():
            yield f"needs {required}"


def test_a_script_makes_nothing_of_words_and_is_es2016() -> None:
    assert len(_SCRIPTS) > 30
    assert {
        path.name: found for path in _SCRIPTS if (found := list(_faults_of(path)))
    } == {}


def test_a_style_has_no_colours_of_its_own_and_no_unknown_token() -> None:
    known = _tokens() | {_OURS}
    for path in _STYLES:
        text = re.sub(r"/\*.*?\*/", "", path.read_text("utf-8"), flags=re.S)

        assert re.findall(r"#[0-9a-fA-F]{3,8}\b", text) == [], path.name
        assert set(_TOKEN.findall(text)) <= known, path.name


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
