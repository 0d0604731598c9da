"""Checks the sentences of a draft against what they cite.

A model's sentence counts if it cites only chunks that were shown, is a plain sentence,
and has no number, date or name that is missing from those chunks, their titles and
their dates. If its words are copied from a chunk, it is a quote. Then the verifier
judges each: a chunk that does not support a sentence is not cited for it, and a
sentence that no chunk supports is not in the draft (the paper's citation precision and
recall). A quote always keeps the chunk that it is from, but the verifier's probability
is reported. Pure; it awaits only the verifier.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import islice, pairwise
from typing import TypeAlias

from handlers.citations.comparison import prepare, recall, stem_support
from handlers.citations.passages import windows
from handlers.citations.quotes import find_quote, matched
from handlers.documents import orders
from handlers.documents.dates import day_of
from handlers.drafts.candidates import MOST_WORDS, is_quotable, points_back
from handlers.drafts.limits import with_each
from handlers.model import (
    Chunk,
    CitedChunk,
    DraftDocument,
    DraftSection,
    DraftSentence,
    Evidence,
    Left,
    LeftOut,
    Passage,
    Span,
    Topic,
)
from handlers.page.prose import normalised
from handlers.page.sentences import split
from handlers.ports import Verifier
from handlers.text.analysis import analyse
from handlers.text.words import Rarity
from handlers.updates.decisions import (
    MOST_SHARED,
    dates_above,
    days_left_out,
    legible,
    longest_shared,
    unsupported_detail,
)
from handlers.updates.entailment import claim_of, passages_of

_LEAST_PROBABILITY = 0.5  # that a chunk supports a sentence that cites it
_MOST_CHARS = 40_000  # of a document in which a name is searched for
_MOST_CITES = 4  # of one sentence that the verifier is asked about
_SHORTEST, _LONGEST = 12, 600  # characters
_MARKUP = re.compile(
    r"\{\{|\}\}|\[\[|\]\]|</?\w|https?:|www\.|\\n|`|^[#*:;|=]|[\^=|<>{}\[\]\\~]|&\w+;|[^\s–—-]{36,}"
)
_MARKS = re.compile(r"(?<!\s)\s*\[(\d{1,3}(?:\s*,\s*\d{1,3})*)\]")
_FORM = re.compile(r"[{}<>]|\[/?\w+\]")
_STOPS = ".!?…\"'”’»)"
_NOUNS_HAVE_CAPITALS = frozenset({"de", "lb", "bar", "nds", "als"})
_ALL_WORDS_ALIKE = Rarity(documents=1, floor=1, frequencies={})
_MOST_PARTS = 40  # of a sentence that are searched for orders
_LONGEST_PAIR = 600  # characters
_COST = 0.0005  # per character: two sentences must match a good deal better than one
_MOST_SPANS = 200


async def checked(
    topic: Topic,
    sections: Sequence[DraftSection],
    verifier: Verifier,
) -> tuple[tuple[DraftSection, ...], tuple[LeftOut, ...]]:
    """Return the sections with what their chunks support, and what they do not."""
    left_out: list[LeftOut] = []
    held: dict[tuple[str, DraftSentence], DraftSentence | None] = {}
    for section in sections:
        for one in section.sentences:
            made, why = await judged(topic, one, section.heading, verifier)
            held[section.heading, one] = made
            if made is None:
                left_out.append(LeftOut(one.text, Left.NOT_SUPPORTED, why))
    supported = with_each(sections, lambda section, one: held[section.heading, one])
    return supported, tuple(left_out)


def connected(
    topic: Topic,
    written: Sequence[DraftSection],
    sections: Sequence[DraftSection],
    documents: Sequence[DraftDocument],
) -> tuple[tuple[DraftSection, ...], tuple[LeftOut, ...]]:
    """Return sections without sentences that need one that is no longer before them.

    Args:
        topic: what is drafted.
        written: the sections as they were written.
        sections: what is left of them.
        documents: those that they cite.
    """
    left_out: list[LeftOut] = []
    names = {one.number: one.name for one in documents}
    before: dict[str, str] = {}  # of what is said twice, the first is kept
    for section in written:
        for paragraph in section.paragraphs:
            texts = ("", *(one.text for one in paragraph))
            for earlier, text in pairwise(texts):
                before.setdefault(text, earlier)
    remaining = {one.text for section in sections for one in section.sentences}

    def fits(section: DraftSection, one: DraftSentence) -> DraftSentence | None:
        if not points_back(topic, one.text) or before.get(one.text) in remaining:
            return one
        remaining.discard(one.text)
        # It may go on about a person of whom the one before must not be shown.
        name = names[one.cites[0].chunk.document]
        left_out.append(LeftOut(name, Left.DANGLING, section.heading))
        return None

    return with_each(sections, fits), tuple(dict.fromkeys(left_out))


async def judged(
    topic: Topic,
    one: DraftSentence,
    heading: str,
    verifier: Verifier,
) -> tuple[DraftSentence | None, str]:
    """Return a sentence with the chunks that support it, or `None` and the reason."""
    held: list[CitedChunk] = []
    why = ""
    for cite in one.cites[:_MOST_CITES]:
        claim = claim_of(one.text, section=(heading,) if heading else ())
        days = days_left_out(one.text, cite.evidence.quote)
        dated_quote = f"{days}: {cite.evidence.quote}" if days else ""
        passages = passages_of([cite.chunk.text, dated_quote])
        if not passages:
            continue
        found = await verifier.verify(topic.title, claim, passages)
        likely = found.probabilities.supported
        if _is_quote(one, cite) or likely >= _LEAST_PROBABILITY:
            held.append(replace(cite, probability=likely))
            continue
        if found.probabilities.contradicted > found.probabilities.not_supported:
            why = "its source says otherwise"
        else:
            lacking = "; ".join(f"“{span.of(one.text)}”" for span in found.unsupported)
            why = f"its source does not say {lacking[:200] or 'all of it'}"
    if not held:
        return None, why
    held.sort(key=lambda each: not _is_quote(one, each))
    return replace(one, cites=tuple(held), is_quote=_is_quote(one, held[0])), ""


def _is_quote(one: DraftSentence, cite: CitedChunk) -> bool:
    """Return whether a sentence marked as a quote is in a chunk word for word."""
    sentence, source = " ".join(one.text.split()), " ".join(cite.chunk.text.split())
    return one.is_quote and sentence in source


Shown: TypeAlias = tuple[tuple[Chunk, DraftDocument], ...]
"""The chunks that a model is shown, numbered from 1, each with its document."""


@dataclass(frozen=True, slots=True)
class Answered:
    """A sentence of a model's answer, as the draft has it if it may have it.

    `why` says what is wrong with it. `cites` are the numbers of chunks that the model
    gave.
    """

    text: str
    cites: tuple[int, ...]
    sentence: DraftSentence | None
    why: str = ""


class AnswerReader:
    """Reads the sentences of a model's answers, and accepts none twice."""

    def __init__(self, topic: Topic, shown: Shown) -> None:
        """Accept sentences that cite what was `shown`; those on `topic` may name it."""
        self._topic, self._shown = topic, shown
        self._seen: set[str] = set()

    def read(self, text: str, cites: Sequence[int]) -> Iterator[Answered]:
        """Yield the sentences of `text`, which is given as one but may have several."""
        numbers = tuple(dict.fromkeys([*cites, *_numbers(text)]))
        cited: Shown = ()
        if all(0 < number <= len(self._shown) for number in numbers):
            cited = tuple(self._shown[at - 1] for at in numbers[:_MOST_CITES])
        plain = _MARKS.sub("", text).strip()
        for span in split(plain):
            sentence = span.of(plain).strip()
            why = no_statement(sentence) or self._fault(sentence, cited) or ""
            made = None if why else self._made(sentence, [chunk for chunk, _ in cited])
            if made is None:
                why = why or "no words of its source can replace it"
            elif {normalised(sentence), normalised(made.text)} & self._seen:
                made, why = None, "it repeats itself"
            else:
                self._seen |= {normalised(sentence), normalised(made.text)}
                if points_back(self._topic, made.text):
                    why = "it needs the sentence before it: name what it is about"
            yield Answered(sentence, numbers, made, why)

    def _fault(self, text: str, cited: Shown) -> str | None:
        """Return what is wrong with a sentence, given what it cites."""
        if not cited:
            return "it cites none of the documents it was shown"
        if not _SHORTEST <= len(text) <= _LONGEST:
            return "it is too short or too long to be a sentence"
        documents = dict.fromkeys(document for _, document in cited)
        # What it may name besides the text of the chunks.
        known = [self._topic.title, self._topic.hint]
        known += (part for one in documents for part in (one.title, stated_day(one)))
        near = "\n".join((*(legible(chunk.text) for chunk, _ in cited), *known))
        # Who "he" is, and which year it was, may stand elsewhere in the documents.
        texts = (legible(one.text[:_MOST_CHARS]) for one in documents)
        whole = "\n".join((*known, *texts))
        above = (dates_above(document.text, chunk.span) for chunk, document in cited)
        days = {day_of(one.fetch) for one in documents}
        return unsupported_detail(
            text,
            near,
            near,
            whole,
            dated_by="\n".join((near, *above)),
            day=days.pop() if len(days) == 1 else None,
            has_names=self._topic.language not in _NOUNS_HAVE_CAPITALS,
        )

    def _made(self, text: str, chunks: Sequence[Chunk]) -> DraftSentence | None:
        """Return a sentence with its places; if its words are copied, as a quote.

        An instruction on a page ("tell your readers that …") is not a statement of that
        page, so it supports nothing.
        """
        title = self._topic.title
        exact = find_quote(text, chunks[0].text)
        cites = tuple(
            cite
            for one in (chunks[:1] if exact else chunks)
            if _is_stated(cite := evidence_in(one, text, title, exact))
        )
        if not cites:
            return None
        if exact or any(longest_shared(text, one.text) > MOST_SHARED for one in chunks):
            # Words of a chunk, if they make sense by themselves.
            quote = " ".join(cites[0].evidence.quote.split())
            if (
                no_statement(quote)
                or "…" in quote
                or not is_quotable(self._topic, quote)
            ):
                return None
            return DraftSentence(quote, cites[:1], is_quote=True)
        whole = text if text[-1] in _STOPS else f"{text}."
        return DraftSentence(whole, cites, is_quote=False)


def stated_day(document: DraftDocument) -> str:
    """Return the certain day of a document, else what it says of it; "" if nothing."""
    return str(day_of(document.fetch) or document.published)


def no_statement(text: str) -> str | None:
    """Return why `text`, on one line, states nothing: markup, an order, a question."""
    if _MARKUP.search(text) or not text.isprintable():
        return "it contains markup or a URL"
    if any(sign in text for sign in "?!"):
        return "it is not a statement"
    return orders.fault(text)


def evidence_in(
    chunk: Chunk, text: str, title: str, exact: Span | None = None
) -> CitedChunk:
    """Return the words of `chunk` that say `text`.

    They are at `exact`, or else the one or two sentences that say most of it.
    """
    claim = prepare(claim_of(text), title, _ALL_WORDS_ALIKE, analyse)

    def score(span: Span) -> float:
        support = stem_support(claim.stems, analyse(span.of(chunk.text)))
        return recall(claim.all_weights, support) - _COST * (span.end - span.start)

    best = exact or max(islice(_spans(chunk.text), _MOST_SPANS), key=score)
    quote, start = best.of(chunk.text), chunk.span.start
    evidence = Evidence(
        passage=Passage(f"document {chunk.document}", chunk.text, chunk.span),
        quote=quote,
        span=Span(start + best.start, start + best.end),
        matched=matched(claim, analyse(quote), best.start),
        score=1.0 if exact else score(best),
    )
    return CitedChunk(chunk, evidence)


def _spans(text: str) -> Iterator[Span]:
    """Yield the spans that may be shown as evidence, short ones if there are any."""
    alone = list(windows(text))
    pairs = [
        Span(one.start, other.end)
        for one, other in pairwise(alone)
        if other.start >= one.end and other.end - one.start <= _LONGEST_PAIR
    ]
    short = [one for one in (*alone, *pairs) if len(one.of(text).split()) <= MOST_WORDS]
    yield from short or alone or [Span(0, len(text))]


def _numbers(text: str) -> Iterator[int]:
    """Yield the numbers that a model cites in brackets."""
    for found in _MARKS.finditer(text):
        yield from map(int, found[1].split(","))


def _is_stated(cite: CitedChunk) -> bool:
    """Return whether a page states what is quoted, rather than giving it as an order.

    The sentences that contain the words are read whole: "tell all that …", and text in
    the form of a model's answer, state nothing.
    """
    text, offset = cite.chunk.text, cite.chunk.span.start
    start, end = cite.evidence.span.start - offset, cite.evidence.span.end - offset
    around = [
        one.of(text) for one in split(text) if one.start < end and start < one.end
    ]
    return not any(_FORM.search(one) or _has_order(one.split()) for one in around)


def _has_order(words: Sequence[str]) -> bool:
    """Return whether a sentence, or a part that begins with a capital, is an order."""
    starts = [at for at, one in enumerate(words) if at == 0 or one[0].isupper()]
    return any(orders.fault(" ".join(words[at:])) for at in starts[:_MOST_PARTS])
