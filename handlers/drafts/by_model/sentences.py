"""Takes over a model's sentences, as far as our checks go along. Pure.

A sentence counts where it cites nothing but chunks that were shown, is a plain sentence,
and has no number, date or name that the chunks it cites have not. One whose words are
the chunk's own is put as a quote. Whether the chunks bear it out is judged later, by the
verifier, like any sentence of a draft.
"""

import re
from collections.abc import Iterator, Sequence

from handlers.citations.cues.dates import Date
from handlers.citations.cues.reading import read
from handlers.drafts.by_model.framing import Shown
from handlers.drafts.by_model.quoting import evidence_in, verbatim
from handlers.drafts.by_model.stating import no_statement
from handlers.model import Chunk, CitedChunk, DraftSentence, Evidence, Topic
from handlers.updates.by_model.wording import is_named, number_beyond
from handlers.updates.editing.wording import Limits, copied, faults
from handlers.updates.extracting import form, orders
from handlers.wikitext.anchors import normalised
from handlers.wikitext.claiming.sentences import split

_SHORTEST, _LONGEST = 12, 600  # characters
_MOST_CITES = 4
_MARKS = re.compile(r"(?<!\s)\s*\[(\d{1,3}(?:\s*,\s*\d{1,3})*)\]")
_NOUNS_HAVE_CAPITALS = frozenset({"de", "lb", "bar", "nds", "als"})
_LIMITS = Limits(most_quoted=12)
_FORM = re.compile(r"[{}<>]|\[/?\w+\]")
_STOPS = ".!?…\"'”’»)"


class Taking:
    """Takes sentences one after the other, none twice.

    `left` tells in plain words why others were not taken, one for each.
    """

    def __init__(self, topic: Topic, shown: Shown, known: Sequence[str] = ()) -> None:
        """Take what cites the chunks that were `shown`.

        Args:
            topic: whose title and hint need no source.
            shown: the chunks by their numbers.
            known: sentences that are in the draft already.
        """
        self._topic = topic
        self._shown = shown
        self._seen = {normalised(one) for one in known}
        self.left: list[str] = []

    def take(self, text: str, cites: Sequence[int]) -> Iterator[DraftSentence]:
        """Yield the sentences of `text` with their places; note of others why not.

        What is given as one sentence and is several is judged one by one.
        """
        numbers = [*cites, *_numbers(text)]
        chunks = (self._shown.named(numbers) or ())[:_MOST_CITES]
        plain = _MARKS.sub("", text).strip()
        for span in split(plain):
            one = self._taken(span.of(plain).strip(), chunks)
            if one is not None:
                yield one

    def _taken(self, text: str, chunks: Sequence[Chunk]) -> DraftSentence | None:
        fault = _misshapen(text) or self._fault(text, chunks)
        made = None if fault else self._made(text, chunks)
        if made is None:
            self.left.append(fault or "no words of what it cites can stand for it")
            return None
        said = {normalised(text), normalised(made.text)}
        if said & self._seen:
            self.left.append("it says the same twice")
            return None
        self._seen |= said
        return made

    def _fault(self, text: str, chunks: Sequence[Chunk]) -> str | None:
        """Return what is wrong with a sentence beside what it cites."""
        if not chunks:
            return "it cites nothing that it was shown"
        said = "\n".join(one.text for one in chunks)
        tone = faults([text], paragraph=said, sources=(), told=text, limits=_LIMITS)
        return next(tone, None) or self._beyond(text, said, chunks)

    def _beyond(self, text: str, said: str, chunks: Sequence[Chunk]) -> str | None:
        """Return what a sentence says beyond the chunks that it cites."""
        claimed = read(text)
        around = read("\n".join((said, *self._around(chunks))))
        known = (*around.dates, *self._days(chunks))
        if not all(_is_dated(one, known) for one in claimed.dates):
            return "it names another day than what it cites"
        if number_beyond(claimed, around):
            return "it names a number that what it cites does not"
        has_names = self._topic.language not in _NOUNS_HAVE_CAPITALS
        if has_names and not all(
            is_named(one, claimed, around) for one in claimed.names
        ):
            return "it names somebody or something that what it cites does not"
        return None

    def _around(self, chunks: Sequence[Chunk]) -> Iterator[str]:
        """Yield what a sentence may name beside the chunks' own text."""
        yield self._topic.title
        yield self._topic.hint
        for chunk in chunks:
            document = self._shown.text_of(chunk)
            if document is not None and document.title:
                yield document.title

    def _days(self, chunks: Sequence[Chunk]) -> Iterator[Date]:
        """Yield the days of the pages, by which a reader understands "on Monday"."""
        for chunk in chunks:
            document = self._shown.text_of(chunk)
            day = document and (document.imprint.published or document.published)
            yield from read(day or "").dates

    def _made(self, text: str, chunks: Sequence[Chunk]) -> DraftSentence | None:
        """Return a sentence with its places; where its words are copied, a quote.

        What stands on a page as an order ("tell your readers that …") is no statement
        of that page, so it bears nothing out.
        """
        title, first = self._topic.title, chunks[0]
        exact = verbatim(first, text, title, self._shown.key_of(first))
        if exact is not None:
            is_told = _is_told(first, exact)
            return self._quote(CitedChunk(first, exact)) if is_told else None
        found = (
            CitedChunk(one, evidence_in(one, text, title, self._shown.key_of(one)))
            for one in chunks
        )
        cites = tuple(one for one in found if _is_told(one.chunk, one.evidence))
        if not cites:
            return None
        if any(copied([text], [one.text for one in chunks], _LIMITS)):
            return self._quote(cites[0])
        whole = text if text[-1] in _STOPS else f"{text}."
        return DraftSentence(whole, cites, is_quote=False)

    def _quote(self, cited: CitedChunk) -> DraftSentence | None:
        """Return words of a chunk as a quote, if an editor could use them alone."""
        text = " ".join(cited.evidence.quote.split())
        known = frozenset(form.joints(cited.chunk.text))
        is_english = self._topic.language.startswith("en")
        fault = form.fault(text, known, is_english=is_english) or no_statement(text)
        return None if fault else DraftSentence(text, (cited,), is_quote=True)


def _numbers(text: str) -> Iterator[int]:
    """Yield the numbers in brackets, where a model puts its citations there."""
    for found in _MARKS.finditer(text):
        for number in found[1].split(","):
            yield int(number)


def _misshapen(text: str) -> str | None:
    if not _SHORTEST <= len(text) <= _LONGEST:
        return "it is too short or too long for a sentence"
    return no_statement(text)


def _is_dated(one: Date, known: Sequence[Date]) -> bool:
    """Tell whether a date is known; a known day may get its year from another date."""
    years = {each.year for each in known if each.year}
    if one.year is not None and one.year not in years:
        return False
    if one.month is None:
        return True
    same = [each for each in known if each.month == one.month]
    if one.day is not None:
        same = [each for each in same if each.day == one.day]
    return any(one.year is None or each.year in (None, one.year) for each in same)


def _is_told(chunk: Chunk, evidence: Evidence) -> bool:
    """Tell whether a page states what is quoted of it, and does not order it said.

    The sentences that the words stand in are looked at whole: "tell all that …" and
    what is written in the form of an answer state nothing.
    """
    start, end = (
        at - evidence.passage.span.start
        for at in (evidence.span.start, evidence.span.end)
    )
    around = [
        one.of(chunk.text)
        for one in split(chunk.text)
        if one.start < end and start < one.end
    ]
    return not any(
        _FORM.search(one) or orders.fault(" ".join(one.split())) for one in around
    )
