"""Wikitext to the plain text that readers see, with a mapping back to the wikitext.

One walk over a stretch of text and the markup inside it: text is copied without bold
and italic marks, entities are decoded, links become their label, templates what they
are listed to show; references, comments, tables and pictures disappear. A template that
may show words which are not known here leaves a gap, so that nobody takes the rest for
all of it. A line break in the result separates things that are not one running text.
Each character is visited once, and nesting needs no recursion, except for the short
values of templates that make text of them. Pure.
"""

import html
import re
import unicodedata
from bisect import bisect_left, bisect_right
from collections.abc import Sequence
from itertools import accumulate
from typing import NamedTuple

from handlers.model import Span
from handlers.page.inline_templates import (
    FUNCTIONS,
    SUPERSCRIPTS,
    is_beside_the_text,
    is_quotation,
    is_silent,
    makes_text,
    own_words,
    rendered,
    shown_keys,
)
from handlers.page.markup import Element, Kind, Parameter, parameters_of, trim
from handlers.page.template_names import role_of

# Remains of templates that show nothing: "( ; born 1950)" and " ,".
_LEFT_OVERS = re.compile(
    r" ?\((?: ?[,;:/–-])* ?\)|(?<=\()(?: ?[,;:/])+ ?| (?=[,)])|(?<=\() "
)
_EMPTY_BRACKETS = re.compile(
    r"\([ ,;:/)]"
)  # cheap to search for before the expensive one


class Gap(NamedTuple):
    """Wikitext `start:end` that shows words, which the plain text lacks at `at`."""

    at: int
    start: int
    end: int


class Prose(NamedTuple):
    """Plain text and where each part of it comes from.

    Runs of spaces are as in the wikitext; line breaks separate what is not one text.

    Part `i` is `text[plain_starts[i]:plain_starts[i + 1]]` and comes from
    `wikitext[wiki_starts[i]:wiki_ends[i]]`; where the two are equally long, they
    match character for character. `plain_starts` ends with the length of `text`.
    """

    text: str
    plain_starts: Sequence[int]
    wiki_starts: Sequence[int]
    wiki_ends: Sequence[int]
    is_tidy: bool  # `tidy` would change no part of it
    gaps: Sequence[Gap] = ()  # in order

    def tidied(self, start: int, end: int) -> str:
        """Return a part of the text on one line."""
        part = self.text[start:end]
        return (part if self.is_tidy else tidy(part)).strip()

    def words_before(self, end: int, most: int) -> str:
        """Return the last whole words before a place, on one line.

        They have at most `most` characters together; a longer word is kept whole.
        """
        start = max(0, end - most - 1)
        if start > 0:  # the space before the first word may be the first character
            start = max(start, self.text.find(" ", start, end) + 1)
        return self.tidied(start, end)

    def wikitext_of(self, plain_start: int, plain_end: int) -> tuple[int, int]:
        """Return which wikitext a non-empty range of the text comes from."""
        _, plain_starts, wiki_starts, wiki_ends, *_ = self
        first = bisect_right(plain_starts, plain_start) - 1
        last = bisect_left(plain_starts, plain_end, first) - 1
        start, end = wiki_starts[first], wiki_ends[last]
        begins, ends = plain_starts[first], plain_starts[last + 1]
        # Inside a part that is verbatim in the wikitext, this is simpler.
        if begins < plain_start and self._is_verbatim(first):
            start += plain_start - begins
        if plain_end < ends and self._is_verbatim(last):
            end -= ends - plain_end
        return start, end

    def offset_of(self, wiki_offset: int) -> int:
        """Return how many characters of the text come from before `wiki_offset`."""
        _, plain_starts, wiki_starts, wiki_ends, *_ = self
        part = bisect_left(wiki_starts, wiki_offset) - 1
        if part < 0:
            return 0
        if wiki_offset >= wiki_ends[part] or not self._is_verbatim(part):
            return plain_starts[part + 1]
        return plain_starts[part] + wiki_offset - wiki_starts[part]

    def _is_verbatim(self, part: int) -> bool:
        wiki_length = self.wiki_ends[part] - self.wiki_starts[part]
        return wiki_length == self.plain_starts[part + 1] - self.plain_starts[part]


def tidy(text: str) -> str:
    """Put plain text on one line, without remains of templates that show nothing."""
    if "\n" in text or "  " in text:
        text = " ".join(text.split())
    if _has_empty_brackets(text):
        text = _LEFT_OVERS.sub("", text)
    return text


def is_tidy(text: str) -> bool:
    """Return whether `tidy` would change no part of the text."""
    return "\n" not in text and "  " not in text and not _has_empty_brackets(text)


def _has_empty_brackets(text: str) -> bool:
    if "(" in text and _EMPTY_BRACKETS.search(text):
        return True
    return " ," in text or " )" in text


# --- Rendering ---

# What text contains besides words. Searching for one set of characters is several times
# faster than for alternatives; the character found then decides what must follow it.
_MARKS = re.compile(
    r"['&\n\t\r\xa0\u2009\u202f\u200b\u00ad\ufeff\[\]{}_]"
    r"(?:(?<=')'++"
    r"|(?<=&)(?:#\d{1,7}|#[xX][0-9a-fA-F]{1,6}|[A-Za-z]\w{1,30});"
    r"|(?<=\n)[ \t\r\n\xa0]*+[*#:;]*+[ \t\xa0]*+"
    r"|(?<=[\t\r\xa0\u2009\u202f\u200b\u00ad\ufeff])"
    r"|(?<=\[)\[++|(?<=\])\]++|(?<=\{)\{++|(?<=\})\}++"
    r"|(?<=_)_[A-Z]{3,20}__)"
)
_find_mark = _MARKS.search
_BOLD = 3  # apostrophes
_NO_LABEL = re.compile(
    r"\s*(?:(?i:file|image|category|media|datei|bild|kategorie|fichier|catégorie"
    r"|archivo|imagen|categoría|categoria|ficheiro|imagem|immagine|bestand|plik|файл"
    r"|изображение|категория|ファイル|画像|カテゴリ|文件|分类)\s*:"
    r"|[a-z]{2,3}(?:-[a-z]+)?:(?! ))"  # a link to the same page in another language
)
_BREAKING_TAGS = frozenset(
    """blockquote br caption center dd div dl dt gallery h1 h2 h3 h4 h5 h6 hr li ol p
    poem table td th tr ul""".split()  # noqa: SIM905 - one name a line would fill the screen
)
_BREAKING_KINDS = frozenset({Kind.TABLE, Kind.HEADING})
_LINK, _TEMPLATE, _REF, _REF_REUSE = Kind.LINK, Kind.TEMPLATE, Kind.REF, Kind.REF_REUSE
_SHOWN_OPAQUE = frozenset({"nowiki", "math", "ce", "chem"})
_AFTER_MARK = '.!?,;:”"»)'
_DEEPEST_VALUE = 3  # values inside values
_NESTED = "\0"  # stands behind a value that lacks words
_LIST_SIGNS = re.compile(r"[*#:;]*+[ \t]*+")
_WORDED = re.compile(r"[^\W\d_]")
_RAISED = re.compile(r"[+\u2212-]?\d{1,6}(?!\w)")
_STRIKES = frozenset({"s", "del", "strike"})
_LONGEST_UNSHOWN = 1_000  # characters that are struck out or hidden
_HIDING = re.compile(r"\bdisplay\s*+:\s*+none\b", re.IGNORECASE)
_NO_SIGNS = frozenset("\u00ad\u200b\u2060\ufeff")  # where a line may break
# Formulas with commands are not what readers see of them.
_FORMULAS = frozenset({"math", "ce", "chem"})
_DRAWN = frozenset({"hiero", "score"})
_CODE = frozenset({"source", "syntaxhighlight"})
_FRACTION = re.compile(r"\d{1,3} ?[/\u2044] ?\d")
_UPPER_OF_FRACTION = re.compile(
    r"\d{1,3}(?:</sup>|\}\}) ?(?:/|\u2044|&frasl;) ?(?:<sub>|\{\{[Ss]ub\|)\d"
)
_MAX_LABEL_CHARS = 60  # characters of a link that are read to recognise a picture


def prose_of(
    text: str,
    stretch: Span,
    elements: Sequence[Element],
    starts: Sequence[int],
    *,
    is_cell: bool = False,
) -> Prose:
    """Render `text[stretch.start:stretch.end]`.

    Args:
        text: the whole page.
        stretch: may begin and end anywhere, but only inside markup that contains all of
            it.
        elements: all elements of the page, from the scan.
        starts: the `start` of each element.
        is_cell: whether it is the content of a table cell. A template that is all of a
            cell colours it and shows its value, whatever its name.
    """
    writer = _Writer(text, stretch, elements, starts, is_cell=is_cell)
    return writer.run()


class _Writer:
    """The state of one walk."""

    def __init__(
        self,
        text: str,
        stretch: Span,
        elements: Sequence[Element],
        starts: Sequence[int],
        *,
        is_cell: bool = False,
        depth: int = 0,
    ) -> None:
        self._text = text
        self._stretch = stretch
        self._elements = elements
        self._starts = starts
        self._is_cell = is_cell
        self._depth = depth
        self._gaps: list[tuple[int, int, int]] = []  # parts before it, start, end
        self._bare = -1  # the line has no words up to here
        self._parts: list[str] = []
        self._wiki_starts: list[int] = []
        self._wiki_ends: list[int] = []
        self._last = "\n"  # the character before the next one
        self._at = stretch.start  # everything before this is done
        # Ranges further on that are not shown; the nearest is last.
        self._holes: list[tuple[int, int, bool]] = []
        self._next_start = 0  # where the markup after the current one begins

    def run(self) -> Prose:
        end = self._stretch.end
        elements, starts = self._elements, self._starts
        self._begin_list(end)
        index = bisect_left(starts, self._at)
        last = bisect_left(starts, end, index)
        while index < last:
            element = elements[index]
            index += 1
            start = element[1]
            if element[2] > end:
                continue
            if self._holes:
                self._copy_to(start)
            elif start > self._at:
                self._copy(self._at, start)
            if start >= self._at:
                self._next_start = starts[index] if index < last else end
                self._enter(element)
            if index < last and starts[index] < self._at:
                index = bisect_left(starts, self._at, index, last)
        self._copy_to(end)
        plain_starts = list(accumulate(map(len, self._parts), initial=0))
        text = "".join(self._parts)
        return Prose(
            text,
            plain_starts,
            self._wiki_starts,
            self._wiki_ends,
            is_tidy(text),
            [Gap(plain_starts[part], *where) for part, *where in self._gaps],
        )

    # --- writing ---

    def _write(self, piece: str, start: int, end: int) -> None:
        if piece:
            self._parts.append(piece)
            self._wiki_starts.append(start)
            self._wiki_ends.append(end)
            self._last = piece[-1]

    def _break(self, start: int, end: int) -> None:
        if self._last != "\n":
            self._write("\n", start, end)

    def _space(self, start: int, end: int) -> None:
        if self._last not in " \n":
            self._write(" ", start, end)

    def _copy_to(self, end: int) -> None:
        """Copy the text up to `end`, except for the holes on the way."""
        while self._holes and self._holes[-1][0] <= end:
            hole_start, hole_end, breaks = self._holes.pop()
            if hole_end > self._at:
                self._copy(self._at, hole_start)
                if breaks:
                    self._break(hole_start, hole_end)
                self._at = hole_end
        if end > self._at:
            self._copy(self._at, end)
            self._at = end

    def _copy(self, at: int, end: int) -> None:
        """Copy a stretch without markup; the caller moves `_at`."""
        text = self._text
        mark = _find_mark(text, at, end)
        while mark:
            start, after = mark.span()
            if at < start:
                self._words(text[at:start], at, start)
            self._mark(mark[0], start, after)
            at = after
            mark = _find_mark(text, at, end)
        if at < end:
            self._words(text[at:end], at, end)

    def _words(self, words: str, start: int, end: int) -> None:
        """Write text without any mark; a space at its start may be dropped."""
        if words[0] == " " and self._last in " \n":
            start += 1
            words = words[1:]
            if not words:
                return
        self._last = words[-1]
        self._parts.append(words)
        self._wiki_starts.append(start)
        self._wiki_ends.append(end)

    def _mark(self, mark: str, start: int, end: int) -> None:
        first = mark[0]
        if first == "\n":
            is_break = mark.count("\n") > 1 or not mark.isspace()
            (self._break if is_break else self._space)(start, end)
        elif first == "&":
            self._entity(mark, start, end)
        elif first == "'":
            self._apostrophes(start, end)
        elif mark.isspace():
            self._space(start, end)

    def _entity(self, mark: str, start: int, end: int) -> None:
        shown = html.unescape(mark)
        if shown.isspace():
            self._space(start, end)
        elif shown not in _NO_SIGNS:
            self._write(shown, start, end)

    def _apostrophes(self, start: int, end: int) -> None:
        """Drop bold and italic marks; four, and `l'''x''`, contain an apostrophe."""
        count = end - start
        if count == _BOLD + 1 or (count == _BOLD and self._is_elision(start, end)):
            self._write("'", start, start + 1)

    def _is_elision(self, start: int, end: int) -> bool:
        text = self._text
        before, after = text[max(0, start - 2) : start], text[end : end + 1]
        one_letter = before[-1:].isalpha() and not before[:-1].isalnum()
        return one_letter and after.isalpha() and before[-1:] in "dlDLjJnNsSqQcCmMtT"

    # --- markup ---

    def _enter(self, element: Element) -> None:
        """Write what an element shows, or continue inside it; `_at` skips the rest."""
        kind = element[0]
        if kind is _LINK:
            self._link(element)
        elif kind is _REF or kind is _REF_REUSE:
            after = self._at = element[2]
            if self._text[after : after + 1].isalpha() and self._last in _AFTER_MARK:
                self._space(element[1], after)  # or `end.<ref/>Next` would run together
        elif kind is _TEMPLATE:
            self._template(element)
        else:
            self._rarer(element)

    def _rarer(self, element: Element) -> None:
        kind = element.kind
        if kind is Kind.EXTERNAL_LINK:
            self._external_link(element)
        elif kind is Kind.OPAQUE and self._is_drawn(element):
            self._leave_gap(element)
            self._at = element.end
        elif kind is Kind.OPAQUE and self._is_verbatim(element):
            self._show(element, element.inner_start, element.inner_end)
        else:
            if kind in _BREAKING_KINDS or element.name in _BREAKING_TAGS:
                self._break(element.start, element.end)
            self._at = element.end
            if self._last.isdigit() or element.name == "sup":
                self._keep_apart(element)
            if kind is Kind.TAG and self._is_unshown(element):
                self._pass_over(element)

    def _is_drawn(self, element: Element) -> bool:
        """Return whether its signs are not those that readers see."""
        if element.name in _DRAWN:
            return True
        has_command = self._text.find("\\", element.inner_start, element.inner_end) >= 0
        return element.name in _FORMULAS and has_command

    def _is_verbatim(self, element: Element) -> bool:
        """Return whether it is shown in the text as it is written."""
        opening = self._text[element.start : element.inner_start]
        is_inline = element.name in _CODE and "inline" in opening.lower().split()[-1]
        return is_inline or element.name in _SHOWN_OPAQUE

    def _is_unshown(self, tag: Element) -> bool:
        """Return whether the page does not say the words in it."""
        if tag.name in _STRIKES:
            return True
        return _HIDING.search(self._text, tag.start, tag.end) is not None

    def _pass_over(self, tag: Element) -> None:
        """Go on behind words that are struck out or hidden."""
        until = self._holes[-1][0] if self._holes else self._stretch.end
        end = f"</{tag.name}>"
        closed = self._text.find(end, tag.end, min(until, tag.end + _LONGEST_UNSHOWN))
        if closed >= 0 and self._text[tag.start + 1] != "/":
            self._at = closed + len(end)

    def _keep_apart(self, tag: Element) -> None:
        """Keep a number apart from a smaller one after it."""
        after = tag.end
        if tag.kind is not Kind.TAG or self._text[tag.start + 1] == "/":
            return
        if tag.name == "sup":
            self._at = self._raise(after)
        elif tag.name == "sub":
            self._lower(after)
        elif _FRACTION.match(self._text, after):
            self._write(" ", after, after)

    def _lower(self, at: int) -> None:
        """Keep a lowered number apart from the number before it."""
        if self._last.isdigit() and self._text[at : at + 1].isdigit():
            self._write("_", at, at)

    def _show(
        self, element: Element, start: int, end: int, *, breaks: bool = False
    ) -> None:
        """Continue inside `element`, of which only `start:end` is shown."""
        if breaks:
            self._break(element.start, element.start)
        self._at = start
        if start < end and (breaks or self._next_start < end):
            self._holes.append((end, element.end, breaks))
            return
        if start < end:
            self._copy(start, end)
        self._at = element.end

    def _link(self, link: Element) -> None:
        _, _, after, start, end, _, _, pipes, _ = link
        colon = self._text.find(":", start, min(end, start + _MAX_LABEL_CHARS))
        if colon > start and _NO_LABEL.match(self._text, start, end):
            self._at = after
            return
        if pipes:
            start = pipes[0] + 1
        elif colon == start:
            start += 1
        if start < end <= self._next_start:  # the most common markup by far
            self._copy(start, end)
            self._at = after
        else:
            self._show(link, start, end)

    def _external_link(self, link: Element) -> None:
        space = self._text.find(" ", link.inner_start, link.inner_end)
        start = space + 1 if space >= 0 else link.inner_end
        self._show(link, start, link.inner_end)

    def _template(self, template: Element) -> None:
        name = template.name
        keys = shown_keys(name)
        if keys == ("*",):
            self._list(template)
        elif keys:
            self._shown_parameter(template, keys)
        elif makes_text(name):
            self._made_text(template)
            self._at = template.end
        else:
            self._unknown(template)

    def _made_text(self, template: Element) -> None:
        given = self._given(template)
        values = {each.name: self._value(each) for each in given}
        if is_beside_the_text(template.name, values):
            return
        shown = rendered(template.name, values).replace(_NESTED, "")
        if shown.startswith(" ") and self._last in " \n":
            shown = shown.lstrip()
        if shown[:1].isdigit() and self._last.isdigit() and "/" in shown:
            shown = f" {shown}"  # 25{{frac|1|2}} is not 251/2
        self._write(shown, template.start, template.end)
        is_whole = shown and all(_NESTED not in value for value in values.values())
        if given and not is_whole:
            self._leave_gap(template)

    def _given(self, template: Element) -> Sequence[Parameter]:
        """Return the parameters; what follows the colon of a function is one."""
        if not template.name.startswith(FUNCTIONS):
            return parameters_of(self._text, template)
        end = template.pipes[0] if template.pipes else template.inner_end
        start = self._text.find(":", template.inner_start, end) + 1
        return (Parameter("1", *trim(self._text, start, end)),)

    def _value(self, given: Parameter) -> str:
        """Return what a value shows, and `_NESTED` behind it if that is not all."""
        _, start, end = given
        value = self._text[start:end]
        if "{{" not in value and "<" not in value:
            return value
        if self._depth >= _DEEPEST_VALUE:
            return value + _NESTED
        inside = Span(start, end)
        depth = self._depth + 1
        inner = _Writer(self._text, inside, self._elements, self._starts, depth=depth)
        prose = inner.run()
        return prose.text + _NESTED if prose.gaps else prose.text

    def _shown_parameter(self, template: Element, keys: tuple[str, ...]) -> None:
        every = parameters_of(self._text, template)
        given = {each.name.lower(): each for each in every}  # in German "Text"
        found = next((given[key] for key in keys if key in given), None)
        if found is None or found.start == found.end:
            words = own_words(template.name)
            self._write(words, template.start, template.end)
            if not words and any(start < end for _, start, end in given.values()):
                self._leave_gap(template)
            self._at = template.end
            return
        start, breaks = found.start, is_quotation(keys)
        if template.name == "sup":
            start = self._raise(start)
        elif template.name == "sub":
            self._lower(start)
        self._show(template, start, found.end, breaks=breaks)

    def _unknown(self, template: Element) -> None:
        """Leave a gap for a template that may show words, or its value in a cell."""
        if not self._shows_words(template):
            self._at = template.end
            return
        given = parameters_of(self._text, template)
        if self._is_cell and self._is_all(template):
            worded = [
                one for one in given if one.name.isdigit() and one.start < one.end
            ]
            if len(worded) == 1 and _WORDED.search(self._text, *worded[0][1:]):
                self._show(template, *worded[0][1:])
                return
            if not given:  # most are named by what they show, but that is not sure
                self._write(template.name.capitalize(), template.start, template.end)
        self._leave_gap(template)
        self._at = template.end

    def _shows_words(self, template: Element) -> bool:
        """Return whether what an unknown template shows stands among the words.

        One that has lines of its own is a box, a picture or a note above the text.
        """
        text, at, after = self._text, template.start, template.end
        begins = at == self._stretch.start or text[at - 1] == "\n" or at == self._bare
        is_box = text.find("\n", at, after) >= 0
        if is_box or self._is_silent(template):
            self._bare = after if begins else -1
            return False
        ends = after == self._stretch.end or text[after] in "\n{"
        if not begins or not ends or self._is_all(template):
            return True
        self._bare = after
        return False

    def _is_silent(self, template: Element) -> bool:
        """Return whether it is no part of the text; with only a date, it is a tag."""
        name = template.name
        if is_silent(name) or role_of(name) is not None:
            return True
        given = {each.name for each in parameters_of(self._text, template)}
        return "date" in given and not any(map(str.isdigit, given))

    def _is_all(self, template: Element) -> bool:
        """Return whether there is nothing else in the stretch, except references."""
        start, end = self._stretch.start, self._stretch.end
        rest = self._text[template.end : template.end + 2].strip()
        is_last = template.end >= end or rest.startswith("<")
        return template.start == start and is_last

    def _leave_gap(self, template: Element) -> None:
        self._gaps.append((len(self._parts), template.start, template.end))

    def _raise(self, at: int) -> int:
        """Keep the raised sign at `at` apart from what is before it; go on from there.

        "10<sup>6</sup>" is written 10^6, and "km<sup>2</sup>" km².
        """
        raised = _RAISED.match(self._text, at)
        if self._last.isdigit():
            if _UPPER_OF_FRACTION.match(self._text, at):
                self._write(" ", at, at)
            elif raised or self._text[at : at + 1] in ("{", "[", "'"):
                self._write("^", at, at)
        elif raised and self._last.isalpha():
            self._write(raised[0].translate(SUPERSCRIPTS), at, raised.end())
            return raised.end()
        return at

    def _begin_list(self, end: int) -> None:
        """Pass the marks of a list with which a value or cell begins."""
        if self._text[self._at - 1 : self._at] == "\n":
            signs = _LIST_SIGNS.match(self._text, self._at, end)
            self._at = signs.end() if signs else self._at

    def _list(self, template: Element) -> None:
        """Show the title and all positional parameters, a line break between them."""
        listed = [
            each
            for each in parameters_of(self._text, template)
            if (each.name.isdigit() or each.name == "title") and each.start < each.end
        ]
        self._break(template.start, template.start)
        if not listed:
            self._at = template.end
            return
        self._at = listed[0].start
        self._begin_list(listed[0].end)
        ends = [*(each.start for each in listed[1:]), template.end]
        holes = [(each.end, end, True) for each, end in zip(listed, ends, strict=True)]
        self._holes.extend(reversed(holes))


_TOKEN = re.compile(r"(?:(?<!\w)[-\u2212])?\d+(?:[.,]\d+)*|[^\W\d_]+|[%$€£]")


def normalised(text: str) -> str:
    """Return the words, numbers and units of `text`, lower-case, single-spaced.

    A sign belongs to its number.
    """
    return " ".join(_TOKEN.findall(unicodedata.normalize("NFKC", text).casefold()))
