"""Pieces of markup: the elements of a page, the parameters of templates, plain text.

The scan collects elements in the order in which they are closed; `nest` puts them
into document order, gives each its parent and drops what would overlap without
nesting, so that all later steps can rely on a tree.

This is the one adapter of mwparserfromhell. The library is quadratic on unclosed
markup, so it only gets short pieces in which every bracket and brace is closed; any
other piece is stripped of markup by simpler means. Pure.
"""

import html
import re
from collections.abc import Collection, Iterable, Mapping
from enum import Enum
from typing import NamedTuple, TypeAlias

import mwparserfromhell
from mwparserfromhell.nodes import Node, Template
from mwparserfromhell.wikicode import Wikicode

# --- Elements ---


class Kind(Enum):
    """What kind of markup a piece is."""

    COMMENT = "comment"  # <!-- … -->
    OPAQUE = "opaque"  # <nowiki>, <pre>, <math>, <syntaxhighlight> … with content
    REF = "ref"  # <ref …>…</ref>
    REF_REUSE = "ref reuse"  # <ref … />
    REFERENCES = "references"  # <references …>…</references> or <references/>
    TEMPLATE = "template"  # {{…}}
    ARGUMENT = "argument"  # {{{…}}}
    LINK = "link"  # [[…]]
    EXTERNAL_LINK = "external link"  # [http… …]
    TABLE = "table"  # {| … |}
    HEADING = "heading"  # == … == with its line end
    TAG = "tag"  # any other HTML tag, without its content


class Element(NamedTuple):
    """A closed piece of markup; `text[start:end]` is all of it.

    A tuple, because a page has thousands and a frozen dataclass costs four times
    as much to make.

    `parent` is the index (in the scan's tuple) of the innermost element that
    contains it, or -1. `inner_start:inner_end` is its content: the text between
    the braces, brackets or tags (for a TAG or COMMENT, what is between its delimiters).
    `pipes` are the offsets of the "|" between the parameters of a template, argument or
    link itself. `name` is the tag's name or the template's name, normalised: lower
    case, underscores and runs of spaces to one space, a "Template:" prefix removed.
    `attributes` are those of a ref or references tag (`name`, `group`, `follow`,
    `extends` …), quotes removed.
    """

    kind: Kind
    start: int
    end: int
    inner_start: int
    inner_end: int
    parent: int
    name: str = ""
    pipes: tuple[int, ...] = ()
    attributes: tuple[tuple[str, str], ...] = ()


# An element before its parent is known: start, minus its end, kind, inner_start,
# inner_end, name, pipes, attributes. They sort in document order, outermost first.
# A plain tuple, which costs a sixth of a named one to make.
Piece: TypeAlias = tuple[
    int, int, Kind, int, int, str, tuple[int, ...], tuple[tuple[str, str], ...]
]


def nest(pieces: list[Piece]) -> tuple[Element, ...]:
    """Return `pieces` as a tree in document order.

    Of two that overlap, the heading or tag is dropped if there is one, otherwise the
    later one. Headings inside anything but tables are not headings and are dropped too.
    """
    pieces.sort()
    elements, dropped = _tree(pieces)
    if dropped:  # the rest do not overlap, so a second pass drops no more
        pieces = [each for at, each in enumerate(pieces) if at not in dropped]
        elements, _ = _tree(pieces)
    return tuple(elements)


def _tree(pieces: Iterable[Piece]) -> tuple[list[Element], set[int]]:
    """Return an element for each piece, and which of them must be dropped."""
    heading, tag, table = Kind.HEADING, Kind.TAG, Kind.TABLE  # look-ups are expensive
    new = tuple.__new__  # half the cost of a call of Element, to the same effect
    elements: list[Element] = []
    add = elements.append
    dropped: set[int] = set()
    # What the walk is inside of: end, index, kind, and whether only tables surround it,
    # so that it may contain headings.
    around = [(1 << 62, -1, table, True)]
    for index, piece in enumerate(pieces):
        start, minus_end, kind, inner, inner_end, name, pipes, given = piece
        end = -minus_end
        while around[-1][0] <= start:
            around.pop()
        while around[-1][0] < end and around[-1][2] in (heading, tag):
            dropped.add(around.pop()[1])
        top_end, parent, _, holds_headings = around[-1]
        values = (kind, start, end, inner, inner_end, parent, name, pipes, given)
        add(new(Element, values))
        if top_end < end or (kind is heading and not holds_headings):
            dropped.add(index)
        else:
            around.append((end, index, kind, kind is table and holds_headings))
    return elements, dropped


# --- Parameters of a template ---

_NAME = re.compile(r"\s*+([^=\[\]{}<>\n|]{0,100})=")


class Parameter(NamedTuple):
    """One parameter; `start:end` is its value, without the white space around it.

    `name` is as written, trimmed; "1", "2" … where none is written.
    """

    name: str
    start: int
    end: int


def parameters_of(text: str, template: Element) -> tuple[Parameter, ...]:
    """Return the parameters of `template` in order."""
    found = []
    position = 0
    pipes = template.pipes
    for at, pipe in enumerate(pipes):
        end = pipes[at + 1] if at + 1 < len(pipes) else template.inner_end
        named = _NAME.match(text, pipe + 1, end)
        if named:
            name, start = named[1].strip(), named.end()
        else:
            position += 1
            name, start = str(position), pipe + 1
        found.append(Parameter(name, *trim(text, start, end)))
    return tuple(found)


def trim(text: str, start: int, end: int) -> tuple[int, int]:
    """Return the range without the white space at its ends.

    The text in between is not examined, because values can nest thousands deep.
    """
    while end > start and text[end - 1].isspace():
        end -= 1
    while start < end and text[start].isspace():
        start += 1
    return start, end


# --- Plain text ---

_LONGEST = 2_000  # characters; a longer value is prose or an attack
_MOST_TAGS = 12
_ENTITY = re.compile(r"&(?:#\d{1,7}|#[xX][0-9a-fA-F]{1,6}|[A-Za-z]\w{1,30});")
_PAIRS = re.compile(r"\[\[|\]\]|\{\{|\}\}")
_OPENERS = {"]]": "[[", "}}": "{{"}
_TAG = re.compile(r"<[^<>]*+>")
# The only markup in nine of ten values, and easy to read: a comment, a link to a page.
_COMMENT = re.compile(r"<!--[^<>]*?-->")
_LINK = re.compile(r"\[\[(?:[^\[\]{}<>&\n|:/]++\|)?([^\[\]{}<>&\n|:/]++)\]\]")
_NOT_SO_SIMPLE = re.compile(r"[\[\]{}<>&\n]|''|\A[*#:;=-]")
_LEFT_OVERS = re.compile(r"\[\[|\]\]|\{\{++|\}\}++|'{2,}+")
# Templates for a single character that would otherwise count as markup.
_CHARACTERS = {
    "{{!}}": "|",
    "{{=}}": "=",
    "{{'}}": "'",
    "{{-}}": "-",
    "{{nbsp}}": " ",
    "{{snd}}": " – ",
    "{{ndash}}": "–",
}
_CHARACTER = re.compile("|".join(re.escape(each) for each in _CHARACTERS))
_SHOWS_FIRST = frozenset({"abbr", "ill", "sic", "tooltip", "interlanguage link"})


def holds_markup(wikitext: str) -> bool:
    """Return whether the text would be shown differently, white space aside."""
    return (  # searching for each sign separately is three times as fast
        "&" in wikitext
        or "[" in wikitext
        or "{" in wikitext
        or "<" in wikitext
        or "''" in wikitext
        or "]" in wikitext
        or "}" in wikitext
    )


def plain_text(wikitext: str) -> str:
    """Return what a reader sees of a short piece of wikitext, on one line.

    Links become their label, templates their last positional parameter (which is what
    `{{nowrap|…}}` and `{{lang|fr|…}}` show); references and comments disappear.
    """
    if not holds_markup(wikitext):
        return " ".join(wikitext.split())
    if "{{" in wikitext:
        wikitext = _CHARACTER.sub(lambda found: _CHARACTERS[found[0]], wikitext)
    if "[" in wikitext or "{{" in wikitext or "<" in wikitext:
        wikitext = _stripped(wikitext)
    return " ".join(unescape(_LEFT_OVERS.sub("", wikitext)).split())


def unescape(text: str) -> str:
    """Replace entities; "&copy=1" in an address is not one, as it lacks the ";"."""
    if "&" not in text:
        return text
    return _ENTITY.sub(lambda found: html.unescape(found[0]), text)


def with_parameters(
    template: str, values: Mapping[str, str], *, without: Collection[str] = ()
) -> str | None:
    """Return a template with some parameters set and all others unchanged.

    Args:
        template: the whole wikitext of the template.
        values: wikitext by parameter name; missing parameters are added.
        without: parameters to remove, such as older names of the same parameter.

    Returns:
        `None` if the library cannot safely parse this, or finds another template.
    """
    if not _is_tame(template):
        return None
    found = mwparserfromhell.parse(template).filter_templates(recursive=False)
    if len(found) != 1 or str(found[0]) != template.strip():
        return None
    for name in without:
        if found[0].has(name):
            found[0].remove(name)
    for name, value in values.items():
        found[0].add(name, value)
    return str(found[0])


def _stripped(wikitext: str) -> str:
    simple = _LINK.sub(r"\1", _COMMENT.sub("", wikitext))
    if not _NOT_SO_SIMPLE.search(simple):
        return simple
    if not _is_tame(wikitext):
        return _TAG.sub("", wikitext)
    code = mwparserfromhell.parse(wikitext)
    if "<" in wikitext:
        for tag in code.filter_tags(matches=lambda node: node.tag == "ref"):
            _replace(code, tag, "")
    if "{{" in wikitext:
        for template in reversed(code.filter_templates()):  # inner ones first
            _replace(code, template, _shown(template))
    return str(code.strip_code())


def _is_tame(wikitext: str) -> bool:
    """Return whether the library reads this in time linear in its length."""
    if len(wikitext) > _LONGEST or wikitext.count("<") > _MOST_TAGS:
        return False
    if "{|" in wikitext or wikitext.count("[") != wikitext.count("]"):
        return False
    around: list[str] = []
    for sign in _PAIRS.findall(wikitext):
        opener = _OPENERS.get(sign)
        if opener is None:
            around.append(sign)
        elif not around or around.pop() != opener:
            return False
    return not around


def _replace(code: Wikicode, node: Node, shown: str) -> None:
    # A node inside one that was already replaced no longer exists.
    if code.contains(node):
        code.replace(node, shown)


def _shown(template: Template) -> str:
    """Return the parameter that a template most likely shows."""
    positional = [each for each in template.params if not each.showkey]
    if not positional:
        return ""
    first = str(template.name).strip().lower() in _SHOWS_FIRST
    return str(positional[0 if first else -1].value)
