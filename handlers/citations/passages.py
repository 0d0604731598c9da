"""Which sources can be judged, and the passages and windows they are cut into.

The verifier only reads English. A source's language is judged by its words first,
because pages in every language carry `lang="en"` from their templates. If there are too
few words to tell, the citation or the page must name another language, and that must
outweigh the signs of English.

SIDE works on passages of 100 words (Sphere's size). Ours overlap by half, so that
evidence that spans two sentences is whole in one passage (SIDE, section on crowd
annotation, does the same for cited pages). The text of a table or of a list of figures
has no full stops: a hundred words about a dozen things. So it is read in windows about
as long as a sentence. Pure.
"""

import asyncio
import re
from bisect import bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import pairwise

from handlers.model import (
    Passage,
    Source,
    SourceFetch,
    SourceOutcome,
    SourceText,
    Span,
)
from handlers.page.sentences import split

# Characters. Names and titles do not show a language; of 21,346 English texts of 150 to
# 400 characters (claims and evidence of the verification data, train and dev) one is
# mistaken for another language.
_SHORT_TEXT = 150
_MOSTLY = 0.6
_ENGLISH_SHARE = 0.35  # share of an English publisher's menus and names
_ENGLISH_CHARS = 1500  # this much English prose is judged, whatever is around it
_SEPARATORS = re.compile(r"[^\w-]+|_")
# Codes for no language, or for more than one.
_NO_LANGUAGE = frozenset({"", "and", "mul", "und", "zxx"})

WORDS_PER_PASSAGE = 100
_OVERLAP = 0.5
# No prose has words this long on average. Text that has them is not prose, and reading
# megabytes of it as one passage would take minutes.
_CHARS_PER_WORD = 100
_CHARS_IN_A_MOMENT = 50_000  # about 4 ms of prose, or 70 ms of one-letter lines

LONGEST_SENTENCE = 45  # words; three in a hundred sentences of prose are longer
_WORDS = 30
_STEP = 10
_WORD = re.compile(r"\S+")
_PROJECT = re.compile(
    r"([a-z][a-z-]+)(?:\.m)?"
    r"\.wik(?:ipedia|tionary|ivoyage|ibooks|inews|iquote|isource|iversity)\.org"
)
_ENGLISH_WIKIS = frozenset({"en", "simple", "test", "www"})


def readable(fetch: SourceFetch, wiki: str, language: str | None = None) -> SourceFetch:
    """Return the fetch, withholding text that the verifier cannot read.

    The verifier only reads English, so neither the source nor the article may be in
    another language.

    Args:
        fetch: of a source.
        wiki: host name of the wiki whose article cites it.
        language: of the text of that article, as far as it is known. A wiki may hold
            pages in other languages than its own.
    """
    document = fetch.document
    if document is None:
        return fetch
    foreign = _foreign_language(fetch.source, document)
    is_foreign = language is not None and not _is_english(language)
    if foreign is None and not is_foreign and not _is_foreign_wiki(wiki):
        return fetch
    detail = (
        f"the source is in {foreign}" if foreign else "the article is not in English"
    )
    return replace(
        fetch,
        outcome=SourceOutcome.FOREIGN_LANGUAGE,
        detail=detail,
        document=None,
        withheld=document,
    )


def _is_foreign_wiki(wiki: str) -> bool:
    """Return whether a wiki's host names a language other than English."""
    found = _PROJECT.fullmatch(wiki.lower())
    return found is not None and found[1] not in _ENGLISH_WIKIS


def _foreign_language(source: Source, document: SourceText) -> str | None:
    """Return the language of a text that is not in English; `None` if it may be."""
    english = sum(one.share for one in document.languages if _is_english(one.code))
    others = [one for one in document.languages if not _is_english(one.code)]
    foreign = sum(one.share for one in others)
    name = others[0].name if others else None
    chars = len(document.text)
    if chars >= _SHORT_TEXT and english + foreign >= _MOSTLY:
        is_foreign = (
            foreign >= _MOSTLY
            and english < _ENGLISH_SHARE
            and english * chars < _ENGLISH_CHARS
        )
        return name if is_foreign else None
    stated = [_stated(source.language), _stated(_page_language(document))]
    votes = [*stated, _vote(is_english=english > foreign) if english + foreign else 0]
    if not any(vote > 0 for vote in stated) or sum(votes) <= 0:
        return None
    return name or f"“{source.language or _page_language(document)}”"


def _page_language(document: SourceText) -> str | None:
    return document.language or document.imprint.language


def _stated(language: str | None) -> int:
    """Return 1 for a language other than English, -1 for English, 0 for none."""
    named = [
        name
        for name in _SEPARATORS.split((language or "").lower())
        if name not in _NO_LANGUAGE
    ]
    return _vote(is_english=any(map(_is_english, named))) if named else 0


def _vote(*, is_english: bool) -> int:
    return -1 if is_english else 1


def _is_english(name: str) -> bool:
    return name in {"en", "eng", "english"} or name.startswith("en-")


# --- passages ---


def cut(
    document: SourceText,
    source_key: str,
    *,
    words_per_passage: int = WORDS_PER_PASSAGE,
) -> tuple[Passage, ...]:
    """Return the passages of one source in order; none for a text without words.

    Their texts have spaces for line breaks that only the layout makes.

    Each holds whole sentences of at most `words_per_passage` words together, and
    starts about half a passage after the one before. A longer sentence is cut
    between words.

    Args:
        document: the text of the source; `passage.span` points into it.
        source_key: `SourceFetch.key`, copied to each passage.
        words_per_passage: the size, in words separated by white space.
    """
    text = flat(document.text)
    pieces = [
        piece
        for sentence in split(text)
        for whole in _pieces(text, sentence, words_per_passage)
        for piece in _bounded(whole, words_per_passage)
    ]
    return tuple(
        Passage(source_key, span.of(text), span, _page(document, span.start))
        for span in _windows(pieces, words_per_passage)
    )


async def cut_beside(document: SourceText, source_key: str) -> tuple[Passage, ...]:
    """Cut like `cut`, but in a thread if that may take seconds, as megabytes can."""
    if len(document.text) <= _CHARS_IN_A_MOMENT:
        return cut(document, source_key)
    return await asyncio.to_thread(cut, document, source_key)


def _pieces(text: str, sentence: Span, limit: int) -> Iterator[tuple[Span, int]]:
    """Yield the sentence with its length in words, in parts if it is too long."""
    length = len(sentence.of(text).split())
    if length <= limit:
        yield sentence, length
        return
    at = sentence.start
    words = sentence.of(text).split()
    for first in range(0, length, limit):
        members = words[first : first + limit]
        start = text.index(members[0], at)
        at = start
        for word in members:
            at = text.index(word, at) + len(word)
        yield Span(start, at), len(members)


def _bounded(piece: tuple[Span, int], limit: int) -> Iterator[tuple[Span, int]]:
    """Yield a piece or, if it is not prose, parts that each fill a passage."""
    span, _ = piece
    most = limit * _CHARS_PER_WORD
    if span.end - span.start <= most:
        yield piece
        return
    for start in range(span.start, span.end, most):
        yield Span(start, min(start + most, span.end)), limit


def _windows(pieces: Sequence[tuple[Span, int]], limit: int) -> Iterator[Span]:
    first = 0
    while first < len(pieces):
        after, size = first, 0
        while after < len(pieces) and size + pieces[after][1] <= limit:
            size += pieces[after][1]
            after += 1
        yield Span(pieces[first][0].start, pieces[after - 1][0].end)
        if after == len(pieces):
            return
        first = _next_first(pieces, first, after, size)


def _next_first(
    pieces: Sequence[tuple[Span, int]], first: int, after: int, size: int
) -> int:
    """Return where the next window starts: past half of this one's words."""
    passed = 0
    following = first
    while following < after and passed < size * _OVERLAP:
        passed += pieces[following][1]
        following += 1
    return following


def _page(document: SourceText, start: int) -> int | None:
    if not document.page_starts:
        return None
    return bisect_right(document.page_starts, start) or 1


# --- line breaks ---

_MARGINS = range(40, 131)  # characters that a line of a text broken at a margin holds
_MOSTLY_BROKEN = 0.9
_FEWEST_BROKEN = 3
_CELLS = " | "  # between the cells of a row
_ENDS = re.compile(r"[.!?…][\"'”’»)\]]*$")
_LONGEST_END = 20


def flat(text: str) -> str:
    """Return `text` with spaces for line breaks that only its layout makes.

    No character moves. A break stays behind a heading, an item of a list or a row.
    After a full stop it tells nothing: what is a sentence on one line is one on two.
    Nor does it inside a sentence, in a text that was broken at a margin.
    """
    if "\n" not in text:
        return text
    lines = text.split("\n")
    margin = _margin(lines)
    parts = [lines[0]]
    for at, (before, after) in enumerate(pairwise(lines)):
        is_part = margin and not at  # the first may be the end of a longer line
        goes_on = is_part or _goes_on(before, after, margin)
        parts += [" " if goes_on else "\n", after]
    return "".join(parts)


def _goes_on(before: str, after: str, margin: int) -> bool:
    if margin and _is_full(before, after, margin):
        return True
    if _CELLS in before or _CELLS in after:
        return False
    return _ends(before) or (len(before) in _MARGINS and after[:1].islower())


def _margin(lines: Sequence[str]) -> int:
    """Return how long lines are in a text that was broken at a margin; otherwise 0.

    There the first word of a line would have been too much for the one before.
    """
    lengths = sorted(map(len, lines))
    margin = lengths[int(_MOSTLY_BROKEN * len(lengths))]  # an address may be longer
    open_ended = [one for one in pairwise(lines[1:]) if not _ends(one[0])]
    if margin not in _MARGINS or len(open_ended) < _FEWEST_BROKEN:
        return 0
    full = sum(_is_full(*one, margin) for one in open_ended)
    return margin if full >= _MOSTLY_BROKEN * len(open_ended) else 0


def _is_full(before: str, after: str, margin: int) -> bool:
    return len(before) + 1 + len(after.partition(" ")[0]) > margin


def _ends(line: str) -> bool:
    return _ENDS.search(line[-_LONGEST_END:].rstrip()) is not None


# --- windows ---


def windows(text: str) -> Iterator[Span]:
    """Yield the sentences of `text`, with overlapping windows for a long one."""
    for sentence in split(text):
        found = list(_WORD.finditer(text, sentence.start, sentence.end))
        if len(found) <= LONGEST_SENTENCE:
            yield sentence
            continue
        for first in range(0, len(found) - _WORDS + _STEP, _STEP):
            members = found[first : first + _WORDS]
            yield Span(members[0].start(), members[-1].end())
