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
from handlers.model import Chunk, CitedChunk, DraftSentence, Topic
from handlers.updates.by_model.wording import MARKUP, is_named, number_beyond
from handlers.updates.editing.wording import Limits, copied, faults
from handlers.updates.extracting import orders
from handlers.wikitext.anchors import normalised

_SHORTEST, _LONGEST = 12, 600  # characters
_MOST_CITES = 4
_MARKS = re.compile(r"\s*\[(\d{1,3}(?:\s*,\s*\d{1,3})*)\]")
_NOUNS_HAVE_CAPITALS = frozenset({"de", "lb", "bar", "nds", "als"})
_LIMITS = Limits(most_quoted=12)
_QUOTE_WORDS = range(6, 61)
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

    def take(self, text: str, cites: Sequence[int]) -> DraftSentence | None:
        """Return the sentence with its places, or note why it does not count."""
        numbers = [*cites, *_numbers(text)]
        text = _MARKS.sub("", text).strip()
        chunks = (self._shown.named(numbers) or ())[:_MOST_CITES]
        fault = _misshapen(text) or self._fault(text, chunks)
        made = None if fault else self._made(text, chunks)
        if made is None:
            self.left.append(fault or "its words are those of the source")
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
        """Return a sentence with its places; where its words are copied, a quote."""
        title, first = self._topic.title, chunks[0]
        exact = verbatim(first, text, title, self._shown.key_of(first))
        if exact is not None:
            return _quote(CitedChunk(first, exact))
        cites = tuple(
            CitedChunk(one, evidence_in(one, text, title, self._shown.key_of(one)))
            for one in chunks
        )
        if any(copied([text], [one.text for one in chunks], _LIMITS)):
            words = len(cites[0].evidence.quote.split())
            return _quote(cites[0]) if words in _QUOTE_WORDS else None
        whole = text if text[-1] in _STOPS else f"{text}."
        return DraftSentence(whole, cites, is_quote=False)


def _numbers(text: str) -> Iterator[int]:
    """Yield the numbers in brackets, where a model puts its citations there."""
    for found in _MARKS.finditer(text):
        for number in found[1].split(","):
            yield int(number)


def _misshapen(text: str) -> str | None:
    if not _SHORTEST <= len(text) <= _LONGEST:
        return "it is too short or too long for a sentence"
    if MARKUP.search(text):
        return "it holds markup or an address"
    return orders.fault(text)


def _is_dated(one: Date, known: Sequence[Date]) -> bool:
    """Tell whether the year of a date is known, and its day."""
    years = {each.year for each in known}
    days = {(each.month, each.day) for each in known}
    months = {each.month for each in known}
    is_year_known = one.year is None or one.year in years
    if one.day is None:
        return is_year_known and (one.month is None or one.month in months)
    return is_year_known and (one.month, one.day) in days


def _quote(cited: CitedChunk) -> DraftSentence:
    text = " ".join(cited.evidence.quote.split())
    return DraftSentence(text, (cited,), is_quote=True)
