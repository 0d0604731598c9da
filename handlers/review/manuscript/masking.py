"""Which words of a paragraph are not the article's own: quotations, titles, links.

They are covered with a sign that is in no word, so that nothing found in the rest has
its offset moved. Pure.
"""

# ruff: noqa: RUF001  (the quotation marks of other languages are meant)

import re
from collections.abc import Iterable, Iterator, Sequence
from itertools import pairwise

from handlers.page.markup import Element, Kind

COVER = "\ue000"  # of a private area: neither a word's letter nor a space
_QUOTED = re.compile(
    r"“[^“”]{1,2000}+”?|„[^„“”]{1,2000}+[“”]?|«[^«»]{1,2000}+»"
    r"|(?<![^\W_])['‘](?=\w)(?:[^'’\n]|['’](?=\w)){1,300}+['’](?!\w)"
)
_STRAIGHT = re.compile('"')
_BEFORE_OPENER = " \n([{—–-/:'‘“"
_LONGEST_ORPHAN = 600  # characters before a closing mark that nothing opened
# Italics and bold: titles, foreign words, words as words, and the article's own name.
_SLANTED = re.compile(r"'{2,5}(?!')(?:[^'\n]|'(?!')){1,300}+'{2,5}")
# A gloss of what is covered.
_GLOSS = re.compile(rf"{COVER},? ?\(([^()]{{1,160}})\)")
_OWN_WORDS = frozenset(
    {"nowrap", "nobr", "nobreak", "small", "smaller", "as of", "asof", "convert", "cvt"}
)
_MASKED_KINDS = frozenset({Kind.LINK, Kind.EXTERNAL_LINK, Kind.OPAQUE})
_QUOTING_TAGS = frozenset({"blockquote", "poem", "q", "i", "em", "cite"})


def foreign_ranges(text: str, elements: Sequence[Element]) -> list[tuple[int, int]]:
    """Return where the wikitext holds words that are not the article's own, in order.

    Links count among them: what they name is a title more often than not.
    """
    found = [
        (each.start, each.end)
        for each in elements
        if each.kind in _MASKED_KINDS
        or (each.kind is Kind.TEMPLATE and each.name not in _OWN_WORDS)
    ]
    found += _tagged(text, elements)
    found += [match.span() for match in _SLANTED.finditer(text)]
    return merged(found)


def _tagged(text: str, elements: Sequence[Element]) -> Iterator[tuple[int, int]]:
    """Yield what stands between an opening and the next closing tag of a quotation."""
    tags = [
        each
        for each in elements
        if each.kind is Kind.TAG and each.name in _QUOTING_TAGS
    ]
    for one, after in pairwise(tags):
        opens = not text.startswith("</", one.start)
        if opens and one.name == after.name and text.startswith("</", after.start):
            yield one.start, after.end


def covered(plain: str, ranges: Iterable[tuple[int, int]]) -> str:
    """Return `plain` with `ranges` and all quotations covered, equally long.

    What stands in brackets behind them, a translation for instance, is covered, too.
    """
    found = _covered(plain, [*ranges, *_quotations(plain)])
    return _covered(found, (one.span(1) for one in _GLOSS.finditer(found)))


def _covered(plain: str, ranges: Iterable[tuple[int, int]]) -> str:
    parts: list[str] = []
    at = 0
    for start, end in merged(ranges):
        parts += plain[at:start], COVER * (end - start)
        at = end
    parts.append(plain[at:])
    return "".join(parts)


def _quotations(plain: str) -> Iterator[tuple[int, int]]:
    for found in _QUOTED.finditer(plain):
        yield found.span()
    yield from _straight(plain)


def _straight(plain: str) -> Iterator[tuple[int, int]]:
    """Yield what stands in straight marks, which do not say whether they open.

    One that is never closed, or never opened, covers what it may belong to: rather a
    finding missed than somebody's words taken for the article's.
    """
    opened, closed = -1, 0
    for found in _STRAIGHT.finditer(plain):
        at = found.start()
        if _opens(plain, at):
            if opened >= 0:
                yield opened, at
            opened = at
        elif opened >= 0:
            yield opened, at + 1
            opened, closed = -1, at + 1
        elif not plain[at - 1 : at].isdigit():  # inches
            yield max(closed, at - _LONGEST_ORPHAN), at + 1
            closed = at + 1
    if opened >= 0:
        yield opened, len(plain)


def _opens(plain: str, at: int) -> bool:
    before, after = plain[max(0, at - 1) : at], plain[at + 1 : at + 2]
    return (not before or before in _BEFORE_OPENER) and not after.isspace()


def merged(ranges: Iterable[tuple[int, int]]) -> list[tuple[int, int]]:
    """Return ranges in order, those that touch joined into one."""
    found: list[tuple[int, int]] = []
    for start, end in sorted(ranges):
        if found and start <= found[-1][1]:
            found[-1] = (found[-1][0], max(end, found[-1][1]))
        elif start < end:
            found.append((start, end))
    return found
