"""Finds the sentences of documents that a dossier may quote, and what is known of each.

An editor reads them out of their page, so nothing is kept that needs the page: menus,
captions, questions, the writer's "I", somebody's words without his name. Opinions and
plans are kept where they are told by name or figure, for articles report them, but come
behind facts. Pure.
"""

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import date
from itertools import islice

from handlers.citations.cues.words import content_stems, words
from handlers.drafts.chunking import chunks_of
from handlers.drafts.embedded.costing import cost_of, undated_cost
from handlers.drafts.embedded.torn import common_words, is_torn
from handlers.drafts.frames import frames, is_of_frame, runs, site_of
from handlers.drafts.screening import MOST_CHARS, address_of, named, title_of
from handlers.drafts.unmarked import is_unmarked, stretches
from handlers.model import (
    Chunk,
    ClaimKind,
    Criteria,
    DateBasis,
    DraftDocument,
    Engine,
    Page,
    PageId,
    Span,
    Statement,
    Subject,
    Topic,
    Window,
)
from handlers.updates.extracting import form, orders
from handlers.updates.extracting.about import About
from handlers.updates.extracting.dating import page_days, when
from handlers.updates.extracting.prose import Sentence, sentences

ENGINE = Engine("embedded", "1")
_LATER = date(9000, 1, 1)  # no day is ahead of it: a draft has no today
_MOST_STATEMENTS = 200
_CENTRAL = 0.5  # of the title's words, in the title and opening of a page
_OPENING = 1_500  # characters
_TELLING_UNSEEN = 2  # names and figures that a text without capitals is credited with


@dataclass(frozen=True, slots=True)
class Quote:
    """A sentence that may be quoted, with its chunk and what is known of it.

    `at` counts a document's sentences, refused ones included; `follows` tells that the
    sentence right before it may be quoted, too. One that `depends` ("He …") is quoted
    only behind that. `named` is the share of the title's words that it has; `is_central`
    whether its page is on the topic. With `is_own_day` it names its `day` itself; else
    that is the day of what stands before it, or its page's.
    """

    text: str
    span: Span
    chunk: Chunk
    at: int
    block: int
    follows: bool
    depends: bool
    named: float
    telling: int
    is_central: bool
    cost: float
    stems: frozenset[str]
    day: date | None = None
    is_own_day: bool = False


class Quarry:
    """All that may be quoted of some documents; made once for a draft."""

    def __init__(self, topic: Topic, documents: Sequence[DraftDocument]) -> None:
        """Read `documents` for `topic`."""
        self.topic = topic
        self.documents = tuple(documents)
        self._is_english = topic.language.startswith("en")
        texts = [
            one.reading.document.text[:MOST_CHARS]
            for one in documents
            if one.reading.document
        ]
        self._common = common_words(texts)
        # A name such as "SoftBank" comes again; two words glued by mistake seldom do.
        counted = Counter(joint for text in texts for joint in set(form.joints(text)))
        self._names = frozenset(
            one
            for one, times in counted.items()
            if times > 1 or one in topic.title.lower()
        )
        prose = [
            (one, list(self._prose(one)))
            for one in documents
            if one.reading.document is not None
        ]
        prose = _without_frames(prose)
        self._subject = _subject(
            topic, [s.text for _, found in prose for s, _ in found]
        )
        self._about = About(self._subject)
        self.quotes = tuple(
            quote for one, found in prose for quote in self._quotes(one, found)
        )

    def _prose(self, one: DraftDocument) -> Iterator[tuple[Sentence, int]]:
        """Yield well-formed sentences with their number in the document, each once."""
        document = one.reading.document
        assert document is not None  # noqa: S101 - its callers look
        seen: set[str] = set()
        text = document.text[:MOST_CHARS]
        if is_unmarked(text):
            yield from ((one, at) for at, one in enumerate(stretches(text)))
            return
        for at, sentence in enumerate(sentences(text)):
            if sentence.text in seen:
                continue
            if (
                form.fault(sentence.text, self._names, is_english=self._is_english)
                is None
            ):
                seen.add(sentence.text)
                yield sentence, at

    def _quotes(
        self, one: DraftDocument, found: Sequence[tuple[Sentence, int]]
    ) -> Iterator[Quote]:
        document = one.reading.document
        assert document is not None  # noqa: S101
        opening = f"{document.title or ''} {document.text[:_OPENING]}"
        is_central = named(self.topic, opening) >= _CENTRAL
        unmarked = is_unmarked(document.text[:MOST_CHARS])
        page = page_days(document)
        chunks = chunks_of(one)
        last = -2
        at_chunk = 0
        day = page.first if page else None
        for sentence, at in found:
            while (
                at_chunk < len(chunks) - 1
                and chunks[at_chunk].span.end < sentence.span.end
            ):
                at_chunk += 1
            fit = self._about.fit(sentence.text)
            telling = max(fit.telling, _TELLING_UNSEEN * unmarked)
            cost = (
                None
                if fit.is_another
                else self._cost(sentence.text, telling, unmarked=unmarked)
            )
            if cost is not None and page is None:
                cost += undated_cost(sentence.text)
            if cost is None or not _holds(chunks[at_chunk], sentence):
                continue
            follows = at == last + 1
            if fit.depends and not follows:
                continue
            timed = when(sentence.text, page, self._subject)
            is_own_day = timed.basis is DateBasis.TEXT
            day = timed.day if is_own_day else day
            yield Quote(
                text=sentence.text,
                span=sentence.span,
                chunk=chunks[at_chunk],
                at=at,
                block=sentence.block,
                follows=follows,
                depends=fit.depends,
                named=fit.by_name,
                telling=telling,
                is_central=is_central,
                cost=cost,
                stems=content_stems(words(sentence.text)),
                day=day,
                is_own_day=is_own_day,
            )
            last = at

    def _cost(self, text: str, telling: int, *, unmarked: bool) -> float | None:
        if not self._is_english:
            return None if orders.fault(text) or "?" in text else 0.0
        if is_torn(text, self._common):
            return None
        return cost_of(text, telling, unmarked=unmarked)


def _without_frames(
    prose: Sequence[tuple[DraftDocument, Sequence[tuple[Sentence, int]]]],
) -> list[tuple[DraftDocument, list[tuple[Sentence, int]]]]:
    """Return the sentences without those that are of their site's frame.

    Pages without capitals are scraped with all of their frame, and sites of one house
    share theirs, so that these count as one site. (That no document is a copy of
    another is known by now.)
    """
    sites = [_site_of(one) for one, _ in prose]
    framed = frames(
        (site, frozenset(run for said, _ in found for run in runs(said.text)))
        for site, (_, found) in zip(sites, prose, strict=True)
    )
    return [
        (
            one,
            [
                each
                for each in found
                if not is_of_frame(each[0].text, framed.get(site, frozenset()))
            ],
        )
        for site, (one, found) in zip(sites, prose, strict=True)
    ]


def _site_of(one: DraftDocument) -> str:
    document = one.reading.document
    if document is not None and is_unmarked(document.text[:MOST_CHARS]):
        return "unmarked"
    return site_of(address_of(one))


def _holds(chunk: Chunk, sentence: Sentence) -> bool:
    return (
        chunk.span.start <= sentence.span.start and sentence.span.end <= chunk.span.end
    )


def _subject(topic: Topic, texts: Sequence[str]) -> Subject:
    """Return the topic as the extractor's parts know an article.

    What its documents say with its name stands for what an article would.
    """
    telling = islice(
        (one for one in texts if named(topic, one) >= _CENTRAL), _MOST_STATEMENTS
    )
    return Subject(
        page=Page(
            PageId(f"{topic.language}.wikipedia.org", topic.title), "", (), (), (), ()
        ),
        names=(title_of(topic),),
        statements=tuple(
            Statement(one, ClaimKind.SENTENCE, (), Span(0, len(one))) for one in telling
        ),
        criteria=Criteria((), "", ENGINE),
        window=Window(),
        today=_LATER,
    )
