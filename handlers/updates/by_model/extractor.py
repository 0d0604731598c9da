"""A model reads a document and says what in it is new for which section (§3.2).

It points with quotes, and a quote counts where the embedded extractor, told to let
much through, would have let the same sentence through: the page is no copy and no
site that the wiki refuses, the day counts, and it is no opinion, plan or call. The
model's own words for the fact count where the quote bears all of them out; else the
quote speaks for itself.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Annotated

from handlers.citations.cues.words import content_stems, words
from handlers.citations.passages import cut
from handlers.citations.quotes import find
from handlers.model import (
    CandidateUpdate,
    Extracted,
    Ignored,
    PassedOver,
    SourceReading,
    SourceText,
    Span,
    Subject,
)
from handlers.ports import Excerpt, LanguageModel, Verifier
from handlers.updates.by_model.asking import Few, Form, Line, Quote, Sizes, hear, line
from handlers.updates.by_model.framing import Sections, about, sections_of
from handlers.updates.by_model.wording import checked
from handlers.updates.extracting import ExtractionPolicy, orders
from handlers.updates.roles import Extractor, Turn

INSTRUCTIONS = """
You read one document for the editors of an encyclopaedia article and pick out facts \
that the article may lack.

Pick a fact only if the document states it as having happened or being so, it is about \
the subject of the article, it was made known within the days that count, and one of \
the sections takes facts of its kind. Leave out opinions and praise, advertising, plans \
and guesses, what anybody feels or hopes, advice to the reader, and how the document \
itself came to be. Rather few facts that will still matter in ten years than many. If \
there is none, answer with an empty list.

For each fact, give:

- "quote": the one or two sentences of the document that state it, copied character for \
character from the beginning of the first to the end of the last, without dots in \
place of words and without correcting anything. They must state the fact by themselves.
- "fact": the same fact as one plain, neutral sentence in the language of the article, \
in words of your own. It names the subject where the document says "he" or "the \
company", and says nothing that the quote does not: no other number, name, date or \
cause.
- "section": the id of the section that it belongs into, by what belongs into each.
"""

WIDE = ExtractionPolicy(
    most_compared=200, most_candidates=200, least_score=0.2, most_told=400
)
_MOST_FACTS = 12  # of one document
_DOCUMENT_ONLY = frozenset({Ignored.COPY, Ignored.UNRELIABLE, Ignored.NOT_READ})
_PIECE_WORDS = 150
_LONGEST_TOLD = 300


class FactAnswer(Form):
    """One fact that the model found."""

    quote: Quote
    fact: Line
    section: str


class FactsAnswer(Form):
    """All that it found in a document."""

    facts: Annotated[list[FactAnswer], Few]


@dataclass(frozen=True, slots=True)
class Gates:
    """What a quote must pass: an extractor that lets much through, and a verifier."""

    wide: Extractor
    verifier: Verifier
    least_borne_out: float = 0.5  # of a model's words for a fact


class ModelExtractor:
    """Fulfils `handlers.updates.roles.Extractor`."""

    def __init__(
        self,
        model: LanguageModel,
        fallback: Extractor,
        gates: Gates,
        sizes: Sizes | None = None,
    ) -> None:
        """Follow `model` through the `gates`; take `fallback` where it has no answer.

        The extractor of the gates is the embedded one with the policy `WIDE`.
        """
        self._model = model
        self._fallback = fallback
        self._gates = gates
        self._sizes = sizes or Sizes()

    async def extract(
        self, subject: Subject, reading: SourceReading, search: str
    ) -> Turn[Extracted]:
        """Return what `reading`, which has a document, says that may be new."""
        passing = (await self._gates.wide.extract(subject, reading, search)).value
        if reading.document is None or _is_refused(passing):
            return await self._fallback.extract(subject, reading, search)
        sections = sections_of(subject)
        heard = await hear(
            self._model,
            INSTRUCTIONS,
            _content(subject, reading.document, sections, self._sizes.input_bytes),
            FactsAnswer,
        )
        if heard.value is None:
            turn = await self._fallback.extract(subject, reading, search)
            use = turn.use + heard.use
            return Turn(turn.value, use, heard.setback, heard.detail)
        taking = _Taking(subject, reading.document, passing, sections, self._gates)
        for answer in heard.value.facts[:_MOST_FACTS]:
            await taking.take(answer)
        return Turn(taking.extracted(), heard.use)


class _Taking:
    """Takes the facts of one document one after the other, each sentence once."""

    def __init__(
        self,
        subject: Subject,
        document: SourceText,
        passing: Extracted,
        sections: Sections,
        gates: Gates,
    ) -> None:
        self._subject = subject
        self._document = document
        self._passing = passing
        self._sections = sections
        self._gates = gates
        self._taken: dict[tuple[int, int], CandidateUpdate] = {}
        self._passed_over: list[PassedOver] = []

    def extracted(self) -> Extracted:
        """Return what was taken in the order of the document, and what was not."""
        in_order = [self._taken[key] for key in sorted(self._taken)]
        return Extracted(tuple(in_order), tuple(self._passed_over))

    async def take(self, answer: FactAnswer) -> None:
        """Take one fact, or note why not."""
        span = find(answer.quote, self._document.text)
        if span is None:
            self._leave("", Ignored.NOT_IN_SOURCE, said=answer.quote)
            return
        quote = span.of(self._document.text)  # as it stands there, not as it was copied
        standing = [one for one in self._passing.candidates if _covers(one, span)]
        if not standing:
            self._leave(quote, *self._why_not(quote))
            return
        order = orders.fault(line(answer.quote)) or orders.fault(line(standing[0].text))
        if order is not None:
            self._leave(quote, Ignored.NOT_A_FACT, order)
            return
        best = max(standing, key=lambda one: (_shared(one, span), one.score))
        place = best.evidence.span
        if (place.start, place.end) not in self._taken:
            taken = await self._worded(answer, best)
            self._taken[place.start, place.end] = taken

    async def _worded(
        self, answer: FactAnswer, candidate: CandidateUpdate
    ) -> CandidateUpdate:
        """Return the candidate in the model's section and, if they hold, its words."""
        path = self._sections.path(answer.section)
        placed = candidate if path is None else replace(candidate, section=path)
        if not answer.fact or answer.fact == line(candidate.text):
            return placed
        told = await checked(
            answer.fact,
            candidate,
            self._subject,
            self._gates.verifier,
            self._gates.least_borne_out,
        )
        if told.fault is not None:
            what = f"the quote stands for itself, not the model's words: {told.fault}"
            self._leave("", Ignored.NOT_SUPPORTED, what, said=answer.fact)
            return placed
        return replace(
            placed, text=answer.fact, is_worded=True, borne_out=told.borne_out
        )

    def _leave(
        self, quote: str, why: Ignored, detail: str = "", *, said: str = ""
    ) -> None:
        told = said[:_LONGEST_TOLD]
        self._passed_over.append(
            PassedOver(quote[:_LONGEST_TOLD], why, detail, said=told)
        )

    def _why_not(self, quote: str) -> tuple[Ignored, str]:
        """Return why the embedded extractor left a sentence out."""
        folded = line(quote)
        for one in self._passing.passed_over:
            told = line(one.quote)
            if told and (told in folded or folded in told):
                return one.why, one.detail
        return Ignored.NOT_A_FACT, "it is no statement about the subject"


def _is_refused(passing: Extracted) -> bool:
    """Tell whether nothing of a document can count, so that no model need read it."""
    return not passing.candidates and any(
        one.why in _DOCUMENT_ONLY for one in passing.passed_over
    )


def _covers(candidate: CandidateUpdate, quote: Span) -> bool:
    """Tell whether a quote lies in a candidate's, or holds most of it."""
    shared = _shared(candidate, quote)
    its = candidate.evidence.span
    return shared * 2 > min(its.end - its.start, quote.end - quote.start)


def _shared(candidate: CandidateUpdate, quote: Span) -> int:
    its = candidate.evidence.span
    return max(0, min(its.end, quote.end) - max(its.start, quote.start))


def _content(
    subject: Subject, document: SourceText, sections: Sections, max_bytes: int
) -> Iterator[Excerpt]:
    yield about(subject)
    yield sections.excerpt()
    day = document.imprint.published or document.published
    title = line(document.title or "-", 200)
    yield Excerpt(
        "document: title and day", f"Title: {title}\nDay: {line(day or 'unknown', 40)}"
    )
    for number, text in enumerate(_pieces(subject, document, max_bytes), 1):
        yield Excerpt(f"document: part {number}", text)


def _pieces(subject: Subject, document: SourceText, max_bytes: int) -> list[str]:
    """Return the document; of a long one its beginning and what names the subject."""
    text = document.text
    if len(text.encode("utf-8", "replace")) <= max_bytes:
        return [text]
    named = content_stems(word for name in subject.names for word in words(name))
    passages = cut(document, "", words_per_passage=_PIECE_WORDS)

    def rank(at: int) -> tuple[bool, int, int]:
        said = content_stems(words(passages[at].text))
        return (at > 0, -len(named & said), at)

    chosen: list[Span] = []
    for at in sorted(range(len(passages)), key=rank):
        max_bytes -= len(passages[at].text.encode("utf-8", "replace"))
        if max_bytes < 0:
            break
        chosen.append(passages[at].span)
    return [span.of(text) for span in _joined(chosen)]


def _joined(spans: Sequence[Span]) -> list[Span]:
    """Return spans in order, those that overlap as one."""
    joined: list[Span] = []
    for span in sorted(spans, key=lambda one: one.start):
        if joined and span.start <= joined[-1].end:
            last = joined.pop()
            joined.append(Span(last.start, max(last.end, span.end)))
        else:
            joined.append(span)
    return joined
