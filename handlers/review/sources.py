"""An article's sources: missing and empty ones, too few sites, words copied from them."""

import re
from bisect import bisect_left, bisect_right
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache
from itertools import groupby

from handlers.model import (
    IssueKind,
    Source,
    Span,
    UnattachedReason,
    WritingIssue,
)
from handlers.page.markup import Kind
from handlers.review.manuscript import (
    MASK,
    Fault,
    Manuscript,
    Paragraph,
    Part,
    Sentence,
    shown,
)
from handlers.updates.backing import own_sites, site_of

_FEWEST_WORDS = 40  # of a paragraph that should have a source
_QUOTED = 0.5
_SMALLEST_ARTICLE = 300  # words
_FEW = 0.5  # share of paragraphs with a source below which an article has few
_WORDS_A_SOURCE = 300
_IN_TEXT = re.compile(r"https?:")
_MATHS = re.compile(r"<math|\{\{math|\{\{mvar|<ce>", re.IGNORECASE)
_HAS_BANNER = re.compile(
    r"unsourced section|unreferenced section|unreferenced|refimprove section|unsourced"
    r"|more citations needed section|citations missing|no footnotes|more footnotes"
)


def unsourced(manuscript: Manuscript) -> Iterator[WritingIssue]:
    """Yield sections with unsourced paragraphs, or that the page has too few sources."""
    if manuscript.footnotes_lost:
        return
    running = tuple(manuscript.running(Part.BODY))
    wanting = [one for one in running if _wants(one)]
    bare = [one for one in wanting if not _has_source(one, manuscript)]
    words = sum(one.words for one in running)
    footnotes = sum(len(one.marks) for one in running)
    is_thin = (
        len(bare) > (1 - _FEW) * len(wanting) or words > footnotes * _WORDS_A_SOURCE
    )
    if wanting and words >= _SMALLEST_ARTICLE and is_thin:
        has_any = any(
            one.marks for one in manuscript.paragraphs if one.part is not Part.APPARATUS
        )
        message = (
            f"The article needs additional citations: {len(bare)} of {len(wanting)}"
            f" paragraphs have none ({words:,} words)."
            if has_any
            else "The article has no inline citations."
        )
        yield Fault(
            IssueKind.CITATION_DENSITY,
            message,
            "Add footnotes to the statements that reliable sources support.",
            "WP:V" if has_any else "WP:CITE",
            0.8,
        ).of_page(manuscript)
        return
    tagged = _tagged_sections(manuscript)
    for section, its in groupby(bare, key=lambda one: one.section):
        some = list(its)
        if section.span.start not in tagged:
            many = "A paragraph" if len(some) == 1 else f"{len(some)} paragraphs"
            yield Fault(
                IssueKind.UNSOURCED,
                f"{many} without a source ({sum(one.words for one in some)} words).",
                "Cite a reliable source for what it says, or remove what has none.",
                "WP:V",
                0.7,
            ).of_paragraph(some[0])


def _wants(paragraph: Paragraph) -> bool:
    text = paragraph.prose.text.rstrip()
    foreign = paragraph.own.count(MASK)
    return (
        paragraph.words >= _FEWEST_WORDS
        and text[-1:] not in (":", ",", ";")
        and foreign < _QUOTED * len(text)  # else it is a quotation, or a list of links
    )


def _has_source(paragraph: Paragraph, manuscript: Manuscript) -> bool:
    block = paragraph.block
    raw = manuscript.page.wikitext[block.start : block.end]
    behind = manuscript.page.wikitext[block.end : block.end + 400].lstrip()
    quotes = (":", "<blockquote", "{{quot", "{{blockquote")
    links = ("* [http", "*[http", "* http")
    return bool(
        paragraph.marks
        or paragraph.tags
        or behind.startswith((*quotes, *links))
        or _IN_TEXT.search(raw)
        or _MATHS.search(raw)  # a derivation in the text needs no source
    )


def _tagged_sections(manuscript: Manuscript) -> frozenset[int]:
    """Return the starts of sections with a banner that says they lack sources."""
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


_EMPTY = Fault(
    IssueKind.EMPTY_CITATION,
    "A footnote without content.",
    "Fill in the source that was meant, or remove the mark.",
    "WP:CITE",
    0.95,
)
_EMPTY_TEMPLATE = re.compile(
    r"\{\{\s*cit(?:e|ation)\b[^|{}]{0,60}(?:\|\s*(?:[^|={}]{1,60}=\s*)?)*\}\}",
    re.IGNORECASE,
)


def empty_citations(manuscript: Manuscript) -> Iterator[WritingIssue]:
    """Yield the footnotes, and citation templates, that say nothing."""
    page = manuscript.page
    empty = [
        one.span.start
        for one in page.unattached
        if one.reason is UnattachedReason.EMPTY
    ]
    empty += (
        one.marker.start
        for one in page.citations
        if (one.sources and all(map(_is_empty, one.sources)))
        or (one.problem and one.marker.of(page.wikitext).endswith("></ref>"))
    )
    empty.sort()
    for paragraph in manuscript.paragraphs:
        block = paragraph.block
        first, last = bisect_left(empty, block.start), bisect_left(empty, block.end)
        for at in empty[first:last]:
            offset = paragraph.prose.offset_of(at)
            before = [one for one in paragraph.sentences if one.start < offset]
            sentence = (before or paragraph.sentences)[-1 if before else 0]
            quote, _ = shown(sentence, ())
            yield _EMPTY.at(paragraph.section, Span(at, at), quote)


def _is_empty(source: Source) -> bool:
    return _EMPTY_TEMPLATE.fullmatch(source.raw) is not None


_FEWEST_CITATIONS = 10  # citations
_HALF = 0.5
_OWN_SHARE = 0.4
_ANYBODY_SHARE = 0.3
# Sites that host many publishers, so that the site does not identify the source.
_LIBRARIES = """
    archive.org books.google.com google.com doi.org jstor.org worldcat.org nih.gov
    newspapers.com proquest.com sciencedirect.com springer.com wiley.com oup.com
    tandfonline.com cambridge.org sagepub.com semanticscholar.org researchgate.net
    hathitrust.org gutenberg.org webcitation.org archive.is archive.today highbeam.com
    questia.com academia.edu ssrn.com arxiv.org handle.net news.google.com yahoo.com
    wikipedia.org loc.gov trove.nla.gov.au nla.gov.au newspaperarchive.com gale.com
"""
# Sites where anyone can publish anything.
_ANYBODYS = """
    blogspot.com wordpress.com medium.com substack.com tumblr.com facebook.com
    twitter.com x.com instagram.com tiktok.com youtube.com imdb.com fandom.com wikia.com
    findagrave.com goodreads.com linkedin.com reddit.com quora.com livejournal.com
    weebly.com wixsite.com geocities.com angelfire.com tripod.com discogs.com
    ancestry.com geni.com myspace.com pinterest.com
"""
_ANYBODY = frozenset(_ANYBODYS.split())
_OF_MANY = _ANYBODY | frozenset(_LIBRARIES.split())


def one_sided(manuscript: Manuscript) -> Iterator[WritingIssue]:
    """Yield findings where one site, or sites open to all, have most citations."""
    cited = [each for one in manuscript.page.citations for each in one.sources]
    sites = Counter(filter(None, map(_site, cited)))
    if len(cited) < _FEWEST_CITATIONS:
        return

    def fault(message: str, advice: str, guideline: str) -> WritingIssue:
        kind, criteria = IssueKind.ONE_SIDED, ("n_1", "n_7")
        found = Fault(kind, message, advice, guideline, 0.68, criteria)
        return found.of_page(manuscript)

    open_to_all = [one for one, _ in sites.most_common() if _host(one) in _ANYBODY]
    total = sum(sites[one] for one in open_to_all)
    if total >= _ANYBODY_SHARE * len(cited):
        yield fault(
            f"{total} of {len(cited)} citations are to self-published or user-generated"
            f" sites ({', '.join(open_to_all[:3])}).",
            "Replace them with published, edited sources.",
            "WP:SPS",
        )
    of_subject = own_sites(manuscript.page)
    for site, count in sites.most_common(1):
        share = count / len(cited)
        if site in of_subject and share >= _OWN_SHARE:
            yield fault(
                f"{share:.0%} of the citations are to the subject's own site, {site}.",
                "Base what matters on sources independent of the subject.",
                "WP:PRIMARY",
            )
        elif share >= _HALF and not {site, _host(site)} & _OF_MANY:
            yield fault(
                f"{share:.0%} of the citations are to one site, {site}.",
                "Look for other independent sources.",
                "WP:BALANCE",
            )


def _site(source: Source) -> str:
    return site_of(source.url or source.archive_url or "")


def _host(site: str) -> str:
    return ".".join(site.split(".")[-2:])  # of a blog


_WORD = re.compile(r"[^\W_]+(?:['’][^\W_]+)?")
_MASKED = re.compile(f"{MASK}+")
_QUOTATION_MARK = re.compile('["“”«»„]')
_SHINGLE = 6  # words
_RUN = 12  # words in a row that are not chance
_LONG_RUN = 20
_SHARE_COPIED = 0.6  # of a sentence's shingles
_FEWEST_COMPARED = 15
_MOST_NAMES = 0.5  # share of capitalised words or figures above which a run is a list
_MOST_SOURCE_CHARS = 200_000
_AROUND = 8  # words of the source shown around the run
_MOST_QUOTED = 500  # characters of it
_MIRRORED = 0.5  # share of an article's sentences that one source has verbatim
_FEWEST_MIRRORED = 6
_FREE = re.compile(
    r"citation-attribution|source-attribution|pd-notice|eb1911|1911|cite dnb|dnb|cite eb1911"
    r"|catholic|cc-notice|free-content attribution|nrhp|usgovernment|dafs|congbio|pd old text"
)
Shingles = Mapping[tuple[str, ...], int]


def close_paraphrase(
    manuscript: Manuscript, sources: Mapping[str, str]
) -> Iterator[WritingIssue]:
    """Yield sentences whose words are in a source, by its key, that they cite."""
    if any(_FREE.fullmatch(each.name) for each in manuscript.elements if each.name):
        return
    comparer = _Comparer(manuscript, sources)
    found = [
        one
        for paragraph in manuscript.running(Part.LEAD, Part.BODY, Part.STORY)
        for sentence in paragraph.sentences
        if (one := comparer.finding(paragraph, sentence))
    ]
    copied = Counter(one.source_key for one in found)
    total = sum(len(one.sentences) for one in manuscript.running(Part.LEAD, Part.BODY))
    mirrors = {
        key
        for key, count in copied.items()
        if count >= _FEWEST_MIRRORED and count >= _MIRRORED * total
    }
    yield from (one for one in found if one.source_key not in mirrors)


class _Comparer:
    def __init__(self, manuscript: Manuscript, sources: Mapping[str, str]) -> None:
        self._texts = sources
        self._cited: list[tuple[int, Source]] = sorted(
            (
                (citation.marker.start, source)
                for citation in manuscript.page.citations
                for source in citation.sources
                if source.key in sources
            ),
            key=lambda one: one[0],
        )
        self._places = [place for place, _ in self._cited]
        self._shingles = lru_cache(maxsize=64)(self._read)

    def finding(self, paragraph: Paragraph, sentence: Sentence) -> WritingIssue | None:
        if len(sentence.own.split()) < _FEWEST_COMPARED:
            return None
        # The sentences of a paragraph share its sources.
        first = bisect_left(self._places, paragraph.block.start)
        last = bisect_right(self._places, paragraph.block.end)
        keys = dict.fromkeys(source.key for _, source in self._cited[first:last])
        best: tuple[float, Span, str, str] | None = None
        for key in keys:
            one = self._compare(sentence, key)
            if one and (best is None or one[0] > best[0]):
                best = (*one, key)
        return _copied(paragraph, sentence, best) if best else None

    def _read(self, key: str) -> tuple[Shingles, list[re.Match[str]], str]:
        text = self._texts[key][:_MOST_SOURCE_CHARS]
        words = list(_WORD.finditer(text))
        tokens = [one[0].lower().replace("’", "'") for one in words]
        places: dict[tuple[str, ...], int] = {}
        for at in range(len(tokens) - _SHINGLE + 1):
            places.setdefault(tuple(tokens[at : at + _SHINGLE]), at)
        return places, words, text

    def _compare(self, sentence: Sentence, key: str) -> tuple[float, Span, str] | None:
        """Return the share in common, the run in the sentence, and the source's words."""
        places, there, text = self._shingles(key)
        here = list(_WORD.finditer(sentence.text))
        quoted = _quoted(sentence)
        starts = [start for start, _ in quoted]
        tokens = [
            MASK
            if (at := bisect_left(starts, one.end()))
            and one.start() < quoted[at - 1][1]
            else one[0].lower().replace("’", "'")
            for one in here
        ]
        hits = [
            tuple(tokens[at : at + _SHINGLE]) in places
            for at in range(len(tokens) - _SHINGLE + 1)
        ]
        first, length = _longest(hits)
        words = length + _SHINGLE - 1 if length else 0
        share = sum(hits) / len(hits) if hits else 0.0
        if words < _RUN or _is_list(here[first : first + words]):
            return None
        if words < _LONG_RUN and share < _SHARE_COPIED:
            return None
        at = places[tuple(tokens[first : first + _SHINGLE])]
        stretch = there[max(0, at - _AROUND) : at + words + _AROUND]
        first_there, last_there = there[at], there[min(len(there), at + words) - 1]
        # A heading before the run, or a line after it, is no part of what was copied.
        line = text.rfind("\n", 0, first_there.start())
        begin = next(one.start() for one in stretch if one.start() > line)
        until = text.find("\n", last_there.end())
        end = max(one.end() for one in stretch if until < 0 or one.end() <= until)
        run = Span(here[first].start(), here[first + words - 1].end())
        return share, run, _cut(" ".join(text[begin:end].split()))


def _cut(quote: str) -> str:
    """Return as many whole words of a quote as are shown."""
    if len(quote) <= _MOST_QUOTED:
        return quote
    return quote[: _MOST_QUOTED + 1].rpartition(" ")[0] or quote[:_MOST_QUOTED]


def _quoted(sentence: Sentence) -> list[tuple[int, int]]:
    """Return what is masked because of quotation marks, not as a link or title."""
    return [
        one.span()
        for one in _MASKED.finditer(sentence.own)
        if _QUOTATION_MARK.search(sentence.text, *one.span())
    ]


def _longest(hits: Sequence[bool]) -> tuple[int, int]:
    """Return where the longest run of hits begins, and its length."""
    best = (0, 0)
    length = 0
    for at, hit in enumerate(hits):
        length = length + 1 if hit else 0
        if length > best[1]:
            best = (at - length + 1, length)
    return best


def _is_list(words: Sequence[re.Match[str]]) -> bool:
    names = sum(not one[0].islower() for one in words)
    return names > _MOST_NAMES * len(words)


def _copied(
    paragraph: Paragraph, sentence: Sentence, best: tuple[float, Span, str, str]
) -> WritingIssue:
    _, run, source_quote, key = best
    quote, marked = shown(sentence, ((run.start, run.end),))
    count = len(run.of(sentence.text).split())
    return WritingIssue(
        IssueKind.CLOSE_PARAPHRASE,
        (),
        paragraph.section.path,
        sentence.at,
        quote,
        f"{count} words in a row are the same in the cited source.",
        "Rewrite it in your own words, or mark it as a quotation; first make sure"
        " that the source did not copy the article.",
        "WP:CLOP",
        0.8,
        marked,
        source_key=key,
        source_quote=source_quote,
    )
