"""Weighs what may be quoted: how well it fits the topic, and what says the same.

A draft of thirty long documents has thousands of sentences; only those that look best
by their names and figures are compared by the encoder. Pure; it awaits the encoder.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from handlers.drafts.embedded.kinds import Kind, kind_of
from handlers.drafts.embedded.quarry import Quarry, Quote
from handlers.drafts.screening import title_of
from handlers.model import Chunk, DraftDocument, Topic
from handlers.ports import TextEncoder

_MOST_COMPARED = 600
_RANKED = 1.0  # what the best chunk adds, before the encoder has seen a sentence
_OPENING_QUOTES, _OPENING_CHARS = 4, 600
_FAR = 60  # sentences into a page, from where on its place says nothing
_TELLS_NOTHING = 0.12  # neither a name nor a figure
_NAMES_IT, _PARTLY_NAMED = 0.5, 0.3  # of the title's words
_NEAR, _CLEAR = 0.15, 0.4  # cosine with what pages say of the topic first
_AKIN_IN_PAGE, _AKIN = 0.08, 0.25  # the same, of a page on the topic, and of another
_WORDING = 0.55  # cosine with another document's sentence that speaks for both
_FIT, _NAMED, _CENTRAL, _TELLING, _EARLY, _VOICED = 0.4, 0.2, 0.12, 0.08, 0.08, 0.12


@dataclass(frozen=True, slots=True)
class Survey:
    """What may be quoted, with its worth (0 to 1) and how alike its sentences are.

    `worths[i]` is of `quotes[i]`, `alike[i][j]` the cosine of two of them. The places
    in `second` are of quotes that may be on the topic, to fill a draft that is short.
    """

    topic: Topic
    kind: Kind
    quotes: tuple[Quote, ...]
    worths: tuple[float, ...]
    alike: Sequence[Sequence[float]]
    second: frozenset[int] = frozenset()


class Surveyor:
    """Surveys the documents of a draft, once for planner and writer."""

    def __init__(self, encoder: TextEncoder) -> None:
        """Compare by `encoder`."""
        self._encoder = encoder
        self._last: tuple[Topic, Sequence[DraftDocument], Survey] | None = None

    @property
    def encoder(self) -> TextEncoder:
        """What compares sentences."""
        return self._encoder

    async def survey(
        self,
        topic: Topic,
        documents: Sequence[DraftDocument],
        chunks: Sequence[Chunk],
    ) -> Survey:
        """Return the survey of `documents`; the last one is remembered.

        Where they say too much to compare all of it, what stands in the first of
        `chunks` comes before.
        """
        if self._last and self._last[0] == topic and self._last[1] is documents:
            return self._last[2]
        made = await self._made(topic, documents, chunks)
        self._last = (topic, documents, made)
        return made

    async def _made(
        self,
        topic: Topic,
        documents: Sequence[DraftDocument],
        chunks: Sequence[Chunk],
    ) -> Survey:
        found = Quarry(topic, documents).quotes
        ranks = {
            (one.document, one.number): _RANKED * (1 - at / len(chunks))
            for at, one in enumerate(chunks)
        }
        best = sorted(
            found,
            key=lambda one: (
                _cheap(one) + ranks.get((one.chunk.document, one.chunk.number), 0.0)
            ),
            reverse=True,
        )[:_MOST_COMPARED]
        opening = _opening(topic, found)
        kind = kind_of(topic.title, opening, topic.language)
        likeness = await self._encoder.likeness([one.text for one in best], [opening])
        fit_of = {id(one): fit[0] for one, fit in zip(best, likeness, strict=True)}
        best.sort(key=lambda one: (one.chunk.document, one.at))
        sure = _on_topic(best, [fit_of[id(one)] for one in best])
        quotes = [
            one
            for one, is_sure in zip(best, sure, strict=True)
            if is_sure or _may_be_on_topic(one, fit_of[id(one)])
        ]
        doubtful = {
            id(one) for one, is_sure in zip(best, sure, strict=True) if not is_sure
        }
        second = frozenset(at for at, one in enumerate(quotes) if id(one) in doubtful)
        fits = [(fit_of[id(one)],) for one in quotes]
        texts = [one.text for one in quotes]
        alike = await self._encoder.likeness(texts, texts)
        worths = tuple(
            _worth(one, fit[0], _voiced(at, quotes, alike))
            for at, (one, fit) in enumerate(zip(quotes, fits, strict=True))
        )
        return Survey(topic, kind, tuple(quotes), worths, alike, second)


def held_by(chunks: Sequence[Chunk], quote: Quote) -> Chunk | None:
    """Return the chunk that has all of a quote, `None` where none has."""
    return next(
        (
            one
            for one in chunks
            if one.document == quote.chunk.document
            and one.span.start <= quote.span.start
            and quote.span.end <= one.span.end
        ),
        None,
    )


def _opening(topic: Topic, quotes: Sequence[Quote]) -> str:
    """Return the topic with what pages say of it first, as the encoder is asked."""
    first = sorted(quotes, key=lambda one: (-round(one.named, 1), one.at))
    told = " ".join(one.text for one in first[:_OPENING_QUOTES])
    return f"{title_of(topic)}. {topic.hint} {told}"[:_OPENING_CHARS].strip()


def _on_topic(quotes: Sequence[Quote], fits: Sequence[float]) -> list[bool]:
    """Tell which speak of the topic for sure; in a page on something else it is named.

    A sentence right behind one that names it speaks of it, too.
    """
    sure: list[bool] = []
    names_it = False
    last: Quote | None = None
    for one, fit in zip(quotes, fits, strict=True):
        goes_on = last is not None and one.block == last.block and one.follows
        names_it = one.named >= _NAMES_IT or (names_it and goes_on)
        is_near = fit >= _NEAR or one.named >= _PARTLY_NAMED
        sure.append(
            (one.is_central and is_near) or (names_it and fit >= _NEAR) or fit >= _CLEAR
        )
        last = one
    return sure


def _may_be_on_topic(one: Quote, fit: float) -> bool:
    """Tell whether a sentence may speak of the topic, though nothing tells for sure."""
    least = _AKIN_IN_PAGE if one.is_central or one.named >= _PARTLY_NAMED else _AKIN
    return fit >= least


def _cheap(one: Quote) -> float:
    return (
        one.named
        + 0.5 * one.is_central
        + 0.1 * min(one.telling, 5)
        + 0.3 * max(0.0, 1 - one.at / _FAR)
        - one.cost
    )


def _worth(one: Quote, fit: float, voiced: float) -> float:
    return (
        _FIT * max(0.0, fit)
        + _NAMED * one.named
        + _CENTRAL * one.is_central
        + _TELLING * min(1.0, one.telling / 5)
        + _EARLY * max(0.0, 1 - one.at / _FAR)
        + _VOICED * voiced
        - one.cost
        - _TELLS_NOTHING * (not one.telling)
    )


def _voiced(
    at: int, quotes: Sequence[Quote], alike: Sequence[Sequence[float]]
) -> float:
    """Return how surely another document speaks of the same, 0 to 1."""
    mine = quotes[at].chunk.document
    nearest = max(
        (
            cosine
            for cosine, other in zip(alike[at], quotes, strict=True)
            if other.chunk.document != mine
        ),
        default=0.0,
    )
    return max(0.0, min(1.0, (nearest - _WORDING / 2) / _WORDING))
