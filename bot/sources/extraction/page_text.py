"""Walks a tree once and gathers the text of a page, with blocks on lines. Pure.

Works on trees of any depth: nothing here calls itself.
"""

import re
from collections import Counter
from collections.abc import Iterable, Iterator
from typing import Any

from lxml import etree

from bot.sources.extraction.text import unwrap


def _names(words: str) -> frozenset[str]:
    return frozenset(words.split())


# Of HTML, of trafilatura's own vocabulary, and of common XML formats.
_BLOCKS = _names(
    "address article aside blockquote body br caption center dd details dialog div dl"
    " dt fieldset figcaption figure footer form h1 h2 h3 h4 h5 h6 head header hr html"
    " legend li main menu nav ol option p pre section summary table tbody tfoot thead"
    " title tr ul ab abstract description entry item lb list quote row sec subtitle"
)
_CELLS = _names("td th cell")
# Never text; `bot.sources.extraction.visible` leaves out the same.
_RAW = _names("script style template svg iframe")
_SILENT = _names("audio canvas datalist math object select textarea video")
_CHROME = _names("nav footer aside button dialog noscript title")
_CHROME_ROLES = _names(
    "alertdialog banner complementary contentinfo dialog menu menubar navigation search"
)
_STORIES = _names("article main")
_PREFORMATTED = _names("pre listing quote")

_STATES = {
    "a": ("link",),
    "noscript": ("noscript",),
    **dict.fromkeys(_SILENT, ("silent",)),
    **dict.fromkeys(_PREFORMATTED, ("preformatted",)),
}

_SPACES = re.compile(r"[ \t\n\r\f\v]+")
_FIRST_BAR = re.compile(r"^[ ]*\|[ ]", re.MULTILINE)


class PageText:
    """What a walk over a page saw.

    Attributes:
        ink: characters of the whole tree other than white space.
        unlinked_chars: characters of `content` outside links.
    """

    def __init__(self) -> None:
        self.ink = 0
        self.unlinked_chars = 0
        self.has_password_field = False
        self.has_scripts = False
        self._everything: list[str] = []
        self._content: list[str] = []
        self._noscript: list[str] = []
        self._open: Counter[str] = Counter()

    @property
    def everything(self) -> str:
        """All text, blocks on lines of their own."""
        return _tidy(self._everything)

    @property
    def content(self) -> str:
        """The text without menus, dialogs, footers and the like."""
        return _tidy(self._content)

    @property
    def noscript(self) -> str:
        """What is shown where scripts do not run."""
        return _tidy(self._noscript)

    def enter(self, element: etree._Element, name: str) -> None:
        """Take in an element's start and the text up to its first child."""
        self.has_scripts |= name == "script"
        self.has_password_field |= _is_password(element, name)
        for state in _states(element, name):
            self._open[state] += 1
        if name and name not in _RAW:  # entities and comments have no name
            self._add(_mark(name))
            self._add_text(element.text)

    def leave(self, element: etree._Element, name: str) -> None:
        """Take in an element's end and the text that follows it."""
        for state in _states(element, name):
            self._open[state] -= 1
        self._add("\n" if name in _BLOCKS else "")
        self._add_text(element.tail)

    def _add_text(self, text: str | None) -> None:
        if not text:
            return
        self.ink += len("".join(text.split()))
        if self._open["silent"]:
            return
        piece = _folded(text, preformatted=self._open["preformatted"] > 0)
        if not self._open["chrome"] and not self._open["link"]:
            self.unlinked_chars += len(piece.strip())
        self._add(piece)

    def _add(self, piece: str) -> None:
        if self._open["noscript"]:
            self._noscript.append(piece)
            return
        self._everything.append(piece)
        if not self._open["chrome"]:
            self._content.append(piece)


def walk(tree: etree._Element) -> PageText:
    """Return what the page shows."""
    seen = PageText()
    for event, element, name in _elements(tree):
        if event == "start":
            seen.enter(element, name)
        else:
            seen.leave(element, name)
    return seen


def block_text(tree: etree._Element) -> str:
    """Return all text of a tree, blocks on lines, table cells parted by bars."""
    return walk(tree).everything


def _elements(tree: etree._Element) -> Iterator[tuple[str, etree._Element, str]]:
    steps: Any = etree.iterwalk(tree, events=("start", "end"))
    for event, element in steps:
        tag = element.tag
        name = tag.rpartition("}")[2].lower() if isinstance(tag, str) else ""
        if event == "start" and name in _RAW:
            steps.skip_subtree()
        yield event, element, name


def _states(element: etree._Element, name: str) -> tuple[str, ...]:
    """Name the states that hold inside an element."""
    states = _STATES.get(name, ())
    return (*states, "chrome") if _is_chrome(element, name) else states


def _is_chrome(element: etree._Element, name: str) -> bool:
    role = element.get("role")
    if name in _CHROME or (role and role.lower() in _CHROME_ROLES):
        return True
    # The header of a story holds its headline; that of a page its menus.
    return name == "header" and not any(
        parent.tag in _STORIES for parent in element.iterancestors()
    )


def _is_password(element: etree._Element, name: str) -> bool:
    return name == "input" and element.get("type", "").lower() == "password"


def _mark(name: str) -> str:
    if name in _BLOCKS:
        return "\n"
    return " | " if name in _CELLS else ""


def _folded(text: str, *, preformatted: bool) -> str:
    if preformatted:
        edges = [edge if edge.isspace() else "" for edge in (text[0], text[-1])]
        return unwrap(text).join(edges)
    return _SPACES.sub(" ", text)


def _tidy(pieces: Iterable[str]) -> str:
    return _FIRST_BAR.sub("", "".join(pieces))
