"""Makes readable text out of a fetched page's Markdown, or says why there is none.

The benchmark's pages come from a reader that writes Markdown: links around every
other word, pictures, menus, footnote marks, table rules. A verifier that compares
words must not see them. Cells that ran together ("1[15:00](…)NYG") are parted. Texts
in the data are cut after 30,000 characters, which on some sites are all menu.
"""

import re
from dataclasses import dataclass
from enum import Enum

from bot.research.evaluation.wiki_live.values import CitedPage
from bot.sources.extraction.page_kinds import PageLooks, classify

CUT_AFTER = 30_000  # characters, of every text in the shared data
_NEARLY = 29_900
_FEWEST_WORDS = 20  # a page with less is an error message or an empty shell
_FEWEST_OF_CUT = 120  # a page that was cut and has less of a text was cut before it
_MOST_CHARS = 200_000  # that are read of a page
_LONGEST_MENU = 12  # words of a line of links that may be dropped

_TARGET = r'\((?:[^()\s"]|\([^()\s]*\)){0,3000}\*?(?:\s*"[^"\n]*")?\)'
_IMAGE = re.compile(r"!\[(?:[^\[\]\n]|\[[^\[\]\n]*\]){0,400}\]" + _TARGET)
_MARK = r"(?:\d{1,3}|[a-z]|(?:note|nb|lower-alpha) \d+|edit|citation needed)"
_NOTE = re.compile(
    rf"\[\\?\[?{_MARK}\\?\]?\]{_TARGET}|\\?\[(?:\d{{1,3}}|edit|citation needed)\\?\]"
)
_LINK = re.compile(r"\[((?:[^\[\]\n]|\[[^\[\]\n]*\]){0,600})\]" + _TARGET)
_TAG = re.compile(r"</?[A-Za-z][^<>\n]{0,200}>")
_BARE = re.compile(r"https?://\S{20,}")
_ESCAPED = re.compile(r"\\([\[\]().*_#+!-])")
_EMPHASIS = re.compile(r"\*\*|__|`|(?<!\w)[*_](?=\w)|(?<=[\w.,!?])[*_](?!\w)")
_RULE = re.compile(r"[\s=\-*_|:#>+.]{2,}|[\s*+|>#-]")
_BULLET = re.compile(r"(?:#{1,6}\s+|>\s*|[*+-]\s+(?:\[[ x]\]\s*)?)")
_NO_WORDS = " *+-•|·>#.,:/\\[]x\t0123456789"


class Unread(Enum):
    """Why a statement was not compared with a page it cites."""

    NO_CITATION = "the statement cites nothing"
    NOT_FETCHED = "the text of what it cites was not fetched"
    FAILED = "the page could not be fetched"
    ERROR_PAGE = "an error message or a wall stands in the page's place"
    CUT_BEFORE_TEXT = "the text was cut before its beginning: menus only"
    LITTLE_TEXT = "hardly any text: an error message or an empty shell"


# A judge that is shown an error message says that it does not support the statement.
SHOWN_TO_A_JUDGE = frozenset({Unread.ERROR_PAGE, Unread.LITTLE_TEXT})


@dataclass(frozen=True, slots=True)
class Readable:
    """A page's text, or why it has none; never both."""

    text: str
    unread: Unread | None = None


def readable(page: CitedPage) -> Readable:
    """Return what a person would read of a fetched page."""
    text = plain(page.content)
    count = len(text.split())
    looks = PageLooks(page.title, text, text, outside=len(text), main=len(text))
    if not page.content.strip():
        return Readable("", Unread.FAILED)
    if len(page.content) >= _NEARLY and count < _FEWEST_OF_CUT:
        return Readable("", Unread.CUT_BEFORE_TEXT)
    if classify(looks) is not None:
        return Readable("", Unread.ERROR_PAGE)
    return Readable("", Unread.LITTLE_TEXT) if count < _FEWEST_WORDS else Readable(text)


def plain(markdown: str) -> str:
    """Return the words of Markdown without links, pictures, menus and footnote marks.

    Rows of tables stay, a line each, the cells parted by bars. Of a very long page the
    beginning is read.
    """
    lines_read = markdown[:_MOST_CHARS].split("\n")
    kept = "\n".join("" if _is_menu(one) else one for one in lines_read)
    kept = _NOTE.sub("", _IMAGE.sub(" ", kept))
    for _ in range(2):  # a link may hold another one in its text
        kept = _LINK.sub(_words_of_link, kept)
    kept = _BARE.sub(" ", _TAG.sub(" ", kept))
    kept = _EMPHASIS.sub("", _ESCAPED.sub(r"\1", kept))
    lines = "\n".join(map(_line, kept.split("\n")))
    return re.sub(r"\n{3,}", "\n\n", lines).strip()


def _is_menu(line: str) -> bool:
    """Tell whether a line holds nothing but links, few words of them."""
    if "](" not in line or line.lstrip().startswith("|"):
        return False
    bare = _NOTE.sub("", _IMAGE.sub("", line))
    if _LINK.sub("", bare).strip(_NO_WORDS):
        return False
    return len(_LINK.sub(r" \1 ", bare).split()) < _LONGEST_MENU


def _words_of_link(link: re.Match[str]) -> str:
    """Return the words of a link, parted from its neighbours where they ran together.

    The rest of a word that a link begins ("[Giant](…)s") stays with it.
    """
    words = link[1].strip()
    if not words:
        return " "
    text = link.string
    before = text[link.start() - 1] if link.start() else " "
    after = text[link.end()] if link.end() < len(text) else " "
    parted = before.isalnum() and (
        before.isdigit() or words[0].isdigit() or words[0].isupper()
    )
    goes_on = after.isalnum() and (
        after.isdigit() or words[-1].isdigit() or after.isupper()
    )
    left = " " if parted or before in ")]" else ""
    right = " " if goes_on or after in "([" else ""
    return left + words + right


def _line(line: str) -> str:
    words = " ".join(line.split())
    if _RULE.fullmatch(words):
        return ""
    words = _BULLET.sub("", words, count=1) if _BULLET.match(words) else words
    if not words.startswith("|"):
        return words
    cells = (cell.strip() for cell in words.strip("|").split("|"))
    row = " | ".join(cell for cell in cells if cell)
    return row if not row or row[-1] in ".!?" else f"{row}."
