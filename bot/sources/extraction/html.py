"""Reads web pages: main text and metadata by trafilatura, its only importer.

The page is parsed once, here, with lxml's larger limits. What it does not show is taken out
(`visibility`). A walk over the tree collects the text of the whole page, which decides three things: whether the parser dropped part
of the page, whether trafilatura's main text leaves out too much to be trusted, and what
kind of page this is. Runs in a child process.
"""

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from itertools import islice
from typing import Any
from urllib.parse import SplitResult, urljoin, urlsplit

from lxml import etree
from lxml.html import HTMLParser
from trafilatura import bare_extraction
from trafilatura.settings import Document

from bot.sources.extraction.beside import Lines, with_what_is_beside
from bot.sources.extraction.cells import spread_cells
from bot.sources.extraction.metadata import read_imprint
from bot.sources.extraction.page_kinds import (
    LONG_PAGE,
    VisibleText,
    classify,
    is_paid,
    what_stands_there,
)
from bot.sources.extraction.signs import show_shadows, write_signs
from bot.sources.extraction.sniff import decode
from bot.sources.extraction.text import Extraction, clean_line, clean_text, read, unwrap
from bot.sources.extraction.visibility import StylesTooLargeError, take_out_hidden
from handlers.model import (
    Imprint,
    MissingKind,
    MissingPiece,
    SourceOutcome,
    SourceText,
)


def _names(words: str) -> frozenset[str]:
    return frozenset(words.split())


# From HTML, trafilatura's own vocabulary, and common XML formats.
_BLOCKS = _names(
    "address article aside blockquote body br caption center dd details dialog div dl"
    " dt fieldset figcaption figure footer form h1 h2 h3 h4 h5 h6 head header hr html"
    " legend li main menu nav ol option p pre section summary table tbody tfoot thead"
    " title tr ul ab abstract description entry item lb list quote row sec subtitle"
)
_CELLS = _names("td th cell")
# Never text; the count of visible characters below leaves out the same.
_RAW = _names("script style template svg iframe")
_SILENT = _names("audio canvas datalist math object select textarea video")
_CHROME = _names("nav footer aside button dialog noscript title")
_CHROME_ROLES = _names(
    "alertdialog banner complementary contentinfo dialog menu menubar navigation search"
)
_STORIES = _names("article main")
_BOXES = _names("aside figcaption details table dl caption")
_WHOLE = _names("html head body form center")
_EDGES = _names("header footer")
_NO_STORY = _names("nav button dialog noscript title form label")
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
        """All text, one block per line."""
        return _tidy(self._everything)

    @property
    def content(self) -> str:
        """The text without menus, dialogs, footers and similar things."""
        return _tidy(self._content)

    @property
    def noscript(self) -> str:
        """What is shown where scripts do not run."""
        return _tidy(self._noscript)

    def enter(self, element: etree._Element, name: str) -> None:
        """Process an element's start and the text up to its first child."""
        self.has_scripts |= name == "script"
        self.has_password_field |= (
            name == "input" and element.get("type", "").lower() == "password"
        )
        for state in _states(element, name):
            self._open[state] += 1
        if name and name not in _RAW:  # entities and comments have no name
            self._add(_mark(name))
            self._add_text(element.text)

    def leave(self, element: etree._Element, name: str) -> None:
        """Process an element's end and the text that follows it."""
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


def lines_of(tree: etree._Element) -> Lines:
    """Return the lines of a page outside its menus and forms."""
    lines = Lines()
    for event, element, name in _elements(tree):
        states = _places(element, name)
        if event == "start":
            # A term and what is said of it are one line.
            lines.enter(states, is_block=name in _BLOCKS and name != "dd")
            if name and name not in _RAW:
                lines.add(_MARKS.get(name, ""))
                lines.add(element.text or "")
        else:
            lines.leave(states, is_block=name in _BLOCKS and name != "dt")
            lines.add(element.tail or "")
    return lines


_MARKS = {**dict.fromkeys(_CELLS, " | "), "dd": ": "}


def _places(element: etree._Element, name: str) -> tuple[str, ...]:
    """Return what an element is for `Lines`."""
    states = _PLACES.get(name, ())
    if name in _EDGES:
        states = (*states, "box" if _is_of_a_story(element) else "chrome")
    role = (element.get("role") or "").lower() if name else ""
    if role in _CHROME_ROLES and role != "complementary":
        return (*states, "chrome")
    return (*states, "main") if role == "main" and name != "main" else states


_PLACES = {
    name: tuple(
        state
        for state, names in (
            ("link", {"a"}),
            ("chrome", _NO_STORY | _SILENT),
            ("box", _BOXES),
            ("part", _BLOCKS - _WHOLE),
            ("article", {"article"}),
            ("main", {"main"}),
        )
        if name in names
    )
    for name in {"a"} | _NO_STORY | _SILENT | _BOXES | _BLOCKS
}


def block_text(tree: etree._Element) -> str:
    """Return all text of a tree, one block per line, table cells separated by bars."""
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
    """Return the states that apply inside an element."""
    states = _STATES.get(name, ())
    return (*states, "chrome") if _is_chrome(element, name) else states


def _is_chrome(element: etree._Element, name: str) -> bool:
    role = element.get("role")
    if name in _CHROME or (role and role.lower() in _CHROME_ROLES):
        return True
    # A story's header holds its headline; a page's header holds its menus.
    return name == "header" and not _is_of_a_story(element)


def _is_of_a_story(element: etree._Element) -> bool:
    return any(parent.tag in _STORIES for parent in element.iterancestors())


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


_RAW_END = {
    name: re.compile(rf"</{name}(?=[\s>/])", re.IGNORECASE)
    for name in ("script", "style", "template", "svg", "iframe")
}
_TAG_START = re.compile(r"<(?:(!--)|(/?)([A-Za-z][^\s>/]{0,40})|[!?/])")
_SPACE_ENTITY = re.compile(r"&(?:nbsp|e[mn]sp|thinsp|#(?:9|10|13|32|160|x[aA]0));?")
_ENTITY = re.compile(r"&#?\w{1,32};")
_TAG_STOP = re.compile(r"[>\"']")


def visible_size(markup: str) -> int:
    """Return how many characters other than white space `markup` shows.

    Each entity counts as one; the result is a close estimate, not a proof.

    A tree parser drops what it cannot hold (libxml2: all text some 256 levels down,
    2,048 at best) and says nothing. This scan builds no tree and has no such limits, so
    the two can be compared. It visits each character a bounded number of times.
    """
    return _Scan(markup).size()


class _Scan:
    """One pass over the markup; remembers which searches fail."""

    def __init__(self, markup: str) -> None:
        self._markup = markup
        self._exhausted: set[str] = set()

    def size(self) -> int:
        total = at = 0
        while found := _TAG_START.search(self._markup, at):
            total += _ink(self._markup[at : found.start()])
            at = self._after_tag(found)
        return total + _ink(self._markup[at:])

    def _after_tag(self, found: re.Match[str]) -> int:
        if found[1]:
            return self._after("-->", found.start() + 2)
        at = self._tag_end(found.end())
        name = (found[3] or "").lower()
        if found[2] or name not in _RAW_END or name in self._exhausted:
            return at
        closing = _RAW_END[name].search(self._markup, at)
        if closing:
            return closing.start()
        self._exhausted.add(name)
        return len(self._markup)

    def _tag_end(self, at: int) -> int:
        """Return where the tag ends, stepping over quoted values with ">" in them."""
        while stop := _TAG_STOP.search(self._markup, at):
            at = stop.end()
            if stop[0] == ">":
                return at
            if self._opens_value(stop.start()) and stop[0] not in self._exhausted:
                at = self._after_quote(stop[0], at)
        return len(self._markup)

    def _opens_value(self, at: int) -> bool:
        return self._markup[max(0, at - 8) : at].rstrip().endswith("=")

    def _after_quote(self, quote: str, at: int) -> int:
        closing = self._markup.find(quote, at)
        if closing >= 0:
            return closing + 1
        self._exhausted.add(quote)
        return at

    def _after(self, end: str, at: int) -> int:
        closing = self._markup.find(end, at)
        return len(self._markup) if closing < 0 else closing + len(end)


def _ink(text: str) -> int:
    if "&" in text:
        text = _ENTITY.sub("x", _SPACE_ENTITY.sub(" ", text))
    return len("".join(text.split()))


_CONTROLS = re.compile(r"[\x00-\x08\x0b\x0e-\x1f\ufffe\uffff\ud800-\udfff]")
_XML_DECLARATION = re.compile(r"\A\s*<\?xml\b[^>]{0,200}\?>")
# As in RFC 5646, which has no longer parts. If a character could be both part and
# separator, an unterminated tag would be tried in exponentially many ways.
_LANGUAGE = re.compile(r"[A-Za-z]{2,3}(?:[-_][A-Za-z0-9]{1,8}){0,8}")
_LANGUAGE_TAGS = frozenset({"content-language", "language", "og:locale"})
_MAX_META_TAGS = 400
_REFRESH = re.compile(
    r"\s*(\d{1,6})(?:\.\d*)?\s*[;,\s]\s*(?:url\s*=)?(.+)", re.I | re.S
)
_LONGEST_REFRESH = 2_100
_SOON_S = 20  # a page that renews itself, or shows another in turn, waits for longer
_MOST_FRAMES = 40
_NUMBER = re.compile(  # no part of a word, an address or a time
    r"(?<![\w./])(?<!\d:)\d+(?:[.,]\d+)*(?![\w./])(?!:\d)"
)
_SHORT_PAGE = 1000  # characters
_LONGEST_ADDRESS = 300
_DATES = {"original_date": True, "extensive_search": False}

_MAX_HIDDEN_SHARE = 0.12  # of the visible text; the two counts differ by up to 0.1
_MAX_HIDDEN_CHARS = 400
_MIN_MAIN_SHARE = 0.3  # of the page's text outside links and menus
# A sentence; labels for screen readers and the like are shorter.
_FEWEST_HIDDEN_CHARS = 40
_MANY_HIDDEN_CHARS = 600
_SHORT_MAIN = 3000  # a longer one is the story; the rest are its comments


def read_html(body: bytes, *, content_type: str | None, url: str) -> Extraction:
    """Return main text and metadata of a web page, or what kind of wall it is."""
    source = _CONTROLS.sub("", decode(body, content_type=content_type))
    tree = _parse(source)
    page = walk(tree) if tree is not None else PageText()
    if _is_cut(source, page):
        return Extraction(
            SourceOutcome.INCOMPLETE,
            "the page is nested too deeply to be read in full",
        )
    if tree is None:
        return _judged(source, page, SourceText(""), Lines())
    imprint = read_imprint(tree)  # metadata may be where no reader sees it
    hidden_chars = 0
    show_shadows(tree)
    try:
        if take_out_hidden(tree):
            hidden_chars = page.unlinked_chars - walk(tree).unlinked_chars
    except StylesTooLargeError:
        return Extraction(
            SourceOutcome.INCOMPLETE,
            "the page has too many styles to tell which of its words it shows",
        )
    write_signs(tree)
    spread_cells(tree)
    page = walk(tree)
    lines, missing = lines_of(tree), tuple(_missing(tree, page, url))
    if hidden_chars >= _FEWEST_HIDDEN_CHARS:
        missing = (*missing, MissingPiece(MissingKind.HIDDEN))
    document = replace(_document(tree, page, url, imprint), missing=missing)
    found = _judged(source, page, document, lines)
    found = replace(found, leads_to=_refreshed(tree))
    is_mostly_hidden = hidden_chars > max(page.unlinked_chars, _MANY_HIDDEN_CHARS)
    if is_mostly_hidden and found.outcome is SourceOutcome.READ:
        return replace(
            found,
            outcome=SourceOutcome.INCOMPLETE,
            detail="the page hides most of its words, at least until a script shows them",
            document=None,
        )
    return found


def _refreshed(tree: etree._Element) -> str | None:
    """Return where the page sends its readers by itself, if soon."""
    base = tree.find(".//base")
    for tag in islice(tree.iter("meta"), _MAX_META_TAGS):
        if _attribute(tag.attrib, "http-equiv").lower() != "refresh":
            continue
        found = _REFRESH.match(_attribute(tag.attrib, "content")[:_LONGEST_REFRESH])
        without_scripts = any(one.tag == "noscript" for one in tag.iterancestors())
        if not found or without_scripts or int(found[1]) > _SOON_S:
            continue
        try:
            start = "" if base is None else _attribute(base.attrib, "href")
            return urljoin(start, found[2].strip().strip("'\"").strip()) or None
        except ValueError:
            continue
    return None


def read_xml(body: bytes, *, content_type: str | None) -> Extraction:
    """Return the text of an XML document; its entities are not expanded."""
    source = _CONTROLS.sub("", decode(body, content_type=content_type))
    parser = etree.XMLParser(
        encoding="utf-8",
        recover=True,
        resolve_entities=False,
        no_network=True,
        remove_comments=True,
        remove_pis=True,
    )
    tree = etree.fromstring(_XML_DECLARATION.sub("", source, 1).encode(), parser)
    text = clean_text("" if tree is None else block_text(tree))
    if not text:
        return Extraction(SourceOutcome.NOT_TEXT, "an XML document without text")
    return read(SourceText(text))


def _parse(source: str) -> etree._Element | None:
    parser = HTMLParser(
        encoding="utf-8",  # decoded already; ignore a declaration in the page
        remove_comments=True,
        remove_pis=True,
        collect_ids=False,
        huge_tree=True,
    )
    if not source.strip():
        return None
    try:
        return etree.fromstring(_XML_DECLARATION.sub("", source, 1).encode(), parser)
    except etree.ParserError:
        return None


def _is_cut(source: str, page: PageText) -> bool:
    hidden = visible_size(source) - page.ink
    return hidden > _MAX_HIDDEN_CHARS and hidden > _MAX_HIDDEN_SHARE * (
        hidden + page.ink
    )


def _document(
    tree: etree._Element, page: PageText, url: str, imprint: Imprint
) -> SourceText:
    language = _language(tree)
    title = _title(tree)
    main = bare_extraction(
        tree,
        url=url,
        fast=True,
        include_comments=False,
        with_metadata=True,
        date_extraction_params=dict(_DATES),
    )
    if not isinstance(main, Document):
        return SourceText(
            _fuller("", page), title=title, language=language, imprint=imprint
        )
    return SourceText(
        text=_fuller(clean_text(block_text(main.body)), page),
        title=_cleaned(main.title) or title,
        site=_cleaned(main.sitename),
        author=_cleaned(main.author),
        published=_cleaned(main.date),
        language=language,
        imprint=imprint,
    )


def _fuller(main: str, page: PageText) -> str:
    """Return the main text, or the whole page's if that misses too much."""
    share = len(main) / max(page.unlinked_chars, 1)
    if share >= _MIN_MAIN_SHARE or len(main) > _SHORT_MAIN:
        return main
    return max(clean_text(page.content), main, key=len) or clean_text(page.everything)


def _judged(
    source: str, page: PageText, document: SourceText, lines: Lines
) -> Extraction:
    visible = VisibleText(
        title=document.title or "",
        text=clean_text(page.everything),
        content=clean_text(page.content),
        outside=page.unlinked_chars,
        main=len(document.text),
        without_scripts=clean_text(page.noscript),
        markup=source,
        has_password_field=page.has_password_field,
        has_scripts=page.has_scripts,
    )
    wall = classify(visible)
    if wall:
        return Extraction(wall.outcome, wall.detail)
    if not document.text:
        return Extraction(SourceOutcome.EMPTY_SHELL, "the page shows no text")
    instead = what_stands_there(document.title or "", document.text)
    if instead:
        return Extraction(*instead)
    is_teaser = is_paid(source) and page.unlinked_chars <= LONG_PAGE
    if is_teaser or _breaks_off(document.text) or _is_longer(source, page):
        cut_off = MissingPiece(MissingKind.CUT_OFF)
        document = replace(document, missing=(*document.missing, cut_off))
    return read(replace(document, text=with_what_is_beside(document.text, lines)))


_BROKEN_OFF = re.compile(
    r"(?:…|\.\.\.)[\])]?(?:[^\w….]{0,8}+\w{1,40}+){0,4}[^\S…]{0,9}\Z"
)
_LONGEST_LABEL = 60  # characters; what leads to the rest of a text
_WHOLE_TEXT = re.compile(r'"articleBody"\s*+:\s*+"((?:[^"\\]|\\.)*+)"')
_MORE_CHARS = 400  # than are shown


def _breaks_off(text: str) -> bool:
    """Return whether the text ends with an ellipsis, perhaps before a link to more."""
    *before, last = text.rstrip().rsplit("\n", 2)[-2:]
    is_label = len(last) <= _LONGEST_LABEL and last[-1:].isalnum()
    ends = [last, *before] if is_label else [last]
    return any(_BROKEN_OFF.search(line[-_LONGEST_LABEL:]) for line in ends)


def _is_longer(source: str, page: PageText) -> bool:
    """Return whether the page tells search engines a longer text than it shows."""
    told = (found.end(1) - found.start(1) for found in _WHOLE_TEXT.finditer(source))
    return max(told, default=0) > 2 * page.unlinked_chars + _MORE_CHARS


def _goes_on(tree: etree._Element, url: str) -> bool:
    """Return whether there are further pages: links to this address with a number."""
    own = urlsplit(url)
    for link in islice(tree.iter("a", "link"), _MOST_LINKS):
        is_next = "next" in _attribute(link.attrib, "rel").lower().split()
        try:
            there = urlsplit(urljoin(url, _attribute(link.attrib, "href")))
        except ValueError:
            continue
        number = _number_of_page(own, there)
        label = "".join(islice(link.itertext(), 9)).strip()
        if number and (is_next or number[1] == "page" or label == number[2]):
            return True
    return False


def _number_of_page(own: SplitResult, there: SplitResult) -> re.Match[str] | None:
    """Return the number that makes an address another page of `own`."""
    if there.netloc != own.netloc or there == own:
        return None
    if there.path == own.path:
        number = _PAGE_NUMBER.search(there.query)
        same = _PAGE_NUMBER.sub("", there.query) == _PAGE_NUMBER.sub("", own.query)
        is_other = same or (number and there.query == f"{own.query}&{number[0]}")
    else:
        base = _PAGE_PATH.sub("", own.path)
        number = _PAGE_PATH.search(there.path)
        is_other = there.path.removesuffix(number[0]) == base if number else False
    return number if number and is_other and int(number[2]) > 1 else None


_MOST_LINKS = 2_000
# Numbers in words about a picture: two values with their years. A date, "1 of 12" and
# "4.5 of 5 stars" have two or three.
_OF_A_CHART = 4
_PAGE_NUMBER = re.compile(r"(?:\A|(?<=&))(page|p|pg|seite|start)=(\d{1,3})(?=&|\Z)")
_PAGE_PATH = re.compile(r"/?(?:(page)/)?(?<=/)(\d{1,2})/?\Z")


def _missing(tree: etree._Element, page: PageText, url: str) -> Iterator[MissingPiece]:
    """Yield what the page shows and a walk over it does not read.

    A short page is little more than what is in its frame. On a longer one most frames
    are videos and advertising, unless they show a page or document of the same site.
    """
    if _goes_on(tree, url):
        yield MissingPiece(MissingKind.CUT_OFF)
    drawn = (
        " ".join(" ".join(one.itertext()) for one in picture.iter("text"))
        for picture in islice(tree.iter("svg"), _MOST_FRAMES)
    )
    described = (
        _attribute(picture.attrib, "alt")
        for picture in islice(tree.iter("img"), _MOST_FRAMES)
    )
    if any(len(_NUMBER.findall(words)) > 1 for words in drawn) or any(
        len(_NUMBER.findall(words)) >= _OF_A_CHART for words in described
    ):
        yield MissingPiece(MissingKind.PICTURE)
    for element in islice(
        tree.iter("frame", "iframe", "object", "embed"), _MOST_FRAMES
    ):
        address = _attribute(element.attrib, "src", "data", "data-src")
        of_page = element.tag == "frame" or "srcdoc" in element.attrib
        if not address and not of_page:
            continue
        try:
            shown = urlsplit(urljoin(url, address))
        except ValueError:
            continue
        is_tiny = any(
            _attribute(element.attrib, side).removesuffix("px") in ("0", "1")
            for side in ("width", "height")
        )
        is_web = shown.scheme in ("http", "https") or of_page
        is_own = shown.netloc == urlsplit(url).netloc or ".pdf" in address.lower()
        is_short = page.unlinked_chars <= _SHORT_PAGE
        if is_web and not is_tiny and (of_page or is_own or is_short):
            yield MissingPiece(MissingKind.FRAME, address[:_LONGEST_ADDRESS])


def _language(tree: etree._Element) -> str | None:
    """Return the language that the page states: in `<html>`, else in a `<meta>`."""
    stated = [_attribute(tree.attrib, "lang", "xml:lang")]
    for tag in islice(tree.iter("meta"), _MAX_META_TAGS):
        name = tag.get("http-equiv") or tag.get("property") or tag.get("name") or ""
        if name.strip().lower() in _LANGUAGE_TAGS:
            stated.append(tag.get("content", "").strip())
    return next((one for one in stated if _LANGUAGE.fullmatch(one)), None)


def _attribute(attributes: Mapping[str, str], *names: str) -> str:
    return next((attributes[name].strip() for name in names if name in attributes), "")


def _title(tree: etree._Element) -> str | None:
    title = tree.find(".//title")
    return None if title is None else _cleaned("".join(title.itertext()))


def _cleaned(value: str | None) -> str | None:
    return clean_line(value)[:500] or None if value else None
