"""Paragraphs without any source, and articles with few (WP:V, WP:GACR 2b).

The lead, plots, lists, quotations and what an editor has tagged already are left out.
Pure.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import groupby

from handlers.model import Finding, FindingKind
from handlers.page.markup import Kind
from handlers.review.checks.placing import Fault, of_page, of_paragraph
from handlers.review.manuscript.masking import COVER
from handlers.review.manuscript.paragraphs import Manuscript, Paragraph
from handlers.review.manuscript.parts import Part

_FEWEST_WORDS = 40  # of a paragraph that should have a source of its own
_QUOTED = 0.5
_MOST_BREAKS = 4  # lines of a poem
_SUBSTANTIAL = 70  # words
_SMALLEST_ARTICLE = 300  # words
_FEW = 0.5  # share of paragraphs with a source below which an article has few
_WORDS_A_SOURCE = 300
_IN_TEXT = re.compile(r"\([^()]{0,60}\b(?:1[5-9]|20)\d\d[a-z]?\b[^()]{0,30}\)|https?:")
_EXAMPLE = re.compile(r"\s*(?:Example|For example|Suppose|Consider|Let )\b")
_MATHS = re.compile(r"<math|\{\{math|\{\{mvar|<ce>", re.IGNORECASE)
_HAS_BANNER = re.compile(
    r"unsourced section|unreferenced section|unreferenced|refimprove section|unsourced"
    r"|more citations needed section|citations missing|no footnotes|more footnotes"
)


@dataclass(frozen=True, slots=True)
class _Count:
    """Paragraphs that should have a source: all, and those that have none.

    `running` are all of the body: those that quote, and short ones, are cited, too.
    """

    all: tuple[Paragraph, ...]
    bare: tuple[Paragraph, ...]
    running: tuple[Paragraph, ...]

    @property
    def words(self) -> int:
        return sum(one.words for one in self.running)

    @property
    def footnotes(self) -> int:
        return sum(len(one.marks) for one in self.running)

    @property
    def share(self) -> float:
        return 1 - len(self.bare) / len(self.all)


def sourcing(manuscript: Manuscript) -> Iterator[Finding]:
    """Yield sections with paragraphs without a source, and whether all has too few."""
    if manuscript.footnotes_lost:
        return
    running = tuple(manuscript.running(Part.BODY))
    wanting = [one for one in running if _wants(one)]
    count = _Count(
        tuple(wanting),
        tuple(one for one in wanting if not _has_source(one, manuscript)),
        running,
    )
    if not count.all:
        return
    if not _is_cited_at_all(manuscript):
        if count.words >= _SMALLEST_ARTICLE:
            yield of_page(_none(), manuscript)
        return
    few = _few(count)
    if few:
        yield of_page(few, manuscript)
    tagged = _tagged_sections(manuscript)
    for section, bare in groupby(count.bare, key=lambda one: one.section):
        if section.span.start not in tagged:
            yield _unsourced(list(bare), manuscript, is_told=few is not None)


def _wants(paragraph: Paragraph) -> bool:
    text = paragraph.prose.text.rstrip()
    foreign = paragraph.own.count(COVER)
    return (
        paragraph.words >= _FEWEST_WORDS
        and text[-1:] not in (":", ",", ";")
        and not _EXAMPLE.match(text)
        and foreign < _QUOTED * len(text)  # else it is a quotation, or a list of links
        and text.count("\n") < _MOST_BREAKS
    )


def _has_source(paragraph: Paragraph, manuscript: Manuscript) -> bool:
    raw = manuscript.page.wikitext[paragraph.block.start : paragraph.block.end + 400]
    behind = raw[paragraph.block.end - paragraph.block.start :].lstrip()
    quotes_next = behind.startswith((":", "<blockquote", "{{quot", "{{blockquote"))
    links_next = behind.startswith(("* [http", "*[http", "* http"))
    return bool(
        paragraph.marks
        or paragraph.tags
        or quotes_next
        or links_next
        or _IN_TEXT.search(raw[: paragraph.block.end - paragraph.block.start])
    )


def _is_cited_at_all(manuscript: Manuscript) -> bool:
    return any(
        one.marks for one in manuscript.paragraphs if one.part is not Part.APPARATUS
    )


def _none() -> Fault:
    return Fault(
        FindingKind.CITATION_DENSITY,
        "No paragraph has an inline citation.",
        "Put footnotes behind the statements that the listed sources bear out.",
        "WP:CITE",
        0.85,
    )


def _few(count: _Count) -> Fault | None:
    marks = count.footnotes
    if count.words < _SMALLEST_ARTICLE or (
        count.share >= _FEW and count.words < marks * _WORDS_A_SOURCE
    ):
        return None
    return Fault(
        FindingKind.CITATION_DENSITY,
        f"{len(count.bare)} of {len(count.all)} paragraphs that want a source have none;"
        f" for {count.words:,} words there {'is' if marks == 1 else 'are'} {marks}"
        f" footnote{'' if marks == 1 else 's'}.",
        "Cite at least one source in each paragraph.",
        "WP:GACR",
        0.75,
    )


def _tagged_sections(manuscript: Manuscript) -> frozenset[int]:
    """Return where the sections begin that a banner says lack sources."""
    banners = [
        each.start
        for each in manuscript.elements
        if each.kind is Kind.TEMPLATE and _HAS_BANNER.fullmatch(each.name)
    ]
    return frozenset(
        section.span.start
        for section in manuscript.page.sections
        if any(section.span.start <= at < section.span.end for at in banners)
    )


def _unsourced(
    bare: list[Paragraph], manuscript: Manuscript, *, is_told: bool
) -> Finding:
    words = sum(one.words for one in bare)
    many = (
        f"{len(bare)} paragraphs of this section have"
        if len(bare) > 1
        else "This paragraph has"
    )
    sure = 0.75 if words >= _SUBSTANTIAL else 0.62
    text = manuscript.page.wikitext
    if any(_MATHS.search(text, one.block.start, one.block.end) for one in bare):
        sure = 0.45  # what is derived on the spot needs none
    if is_told:
        sure = min(sure, 0.45)  # it was said of the whole article
    fault = Fault(
        FindingKind.UNSOURCED,
        f"{many} no source ({words} words).",
        "Cite a reliable source for what it says, or take out what has none.",
        "WP:V",
        sure,
    )
    return of_paragraph(fault, bare[0])
