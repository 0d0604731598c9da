"""Asks the verification model whether texts bear a fact out, or say otherwise.

It was made to judge a claim by the passages of its sources. Any text can be the claim
and any texts the passages: an update and the article, a statement and a newer quote,
an atomic fact and the suggestions of a run. Pure; it awaits only the verifier.
"""

from collections.abc import Sequence

from handlers.citations.passages import cut
from handlers.model import (
    Claim,
    ClaimKind,
    Engine,
    Passage,
    Probabilities,
    SourceText,
    Span,
    Verification,
)
from handlers.ports import Verifier

_NOTHING_SAID = Probabilities(0.0, 0.0, 1.0, 0.0)
_MOST_REMEMBERED = 8_192  # verifications; some 5 KiB each with what was asked


async def entails(
    verifier: Verifier,
    title: str,
    text: str,
    premises: Sequence[str],
    *,
    section: tuple[str, ...] = (),
    context: str = "",
) -> float:
    """Return the probability that `premises` together bear all of `text` out.

    Args:
        verifier: judges; give a `Remembering` one where the same is asked again.
        title: of the article that `text` belongs to; it tells who "he" is.
        text: the statement, plain.
        premises: texts of any length, in any order; without words among them, 0.
        section: of the article, where `text` has one.
        context: the plain text that precedes `text`.
    """
    likely = await judged(
        verifier, title, text, premises, section=section, context=context
    )
    return likely.supported


async def refutes(
    verifier: Verifier,
    title: str,
    text: str,
    premises: Sequence[str],
    *,
    section: tuple[str, ...] = (),
    context: str = "",
) -> float:
    """Return the probability that `premises` say otherwise than `text`; see `entails`.

    Silence is no refutation. Old and new figures of one thing mostly are, for the
    model knows no time: who asks compares the dates.
    """
    likely = await judged(
        verifier, title, text, premises, section=section, context=context
    )
    return likely.contradicted


async def judged(
    verifier: Verifier,
    title: str,
    text: str,
    premises: Sequence[str],
    *,
    section: tuple[str, ...] = (),
    context: str = "",
) -> Probabilities:
    """Return all four probabilities of one question; see `entails`."""
    passages = passages_of(premises)
    if not passages or not text.strip():
        return _NOTHING_SAID
    claim = claim_of(text, section=section, context=context)
    return (await verifier.verify(title, claim, passages)).probabilities


def claim_of(text: str, *, section: tuple[str, ...] = (), context: str = "") -> Claim:
    """Return `text` in the form of a claim: a sentence that cites nothing."""
    return Claim(
        text=text,
        kind=ClaimKind.SENTENCE,
        span=Span(0, len(text)),
        section=section,
        context=context,
        sentence=text,
        citations=(),
    )


def passages_of(premises: Sequence[str]) -> tuple[Passage, ...]:
    """Return texts as passages, a long one cut; one without words gives none."""
    return tuple(
        passage
        for number, premise in enumerate(premises)
        for passage in cut(SourceText(premise), f"premise {number}")
    )


class Remembering:
    """A verifier that answers the same question from memory. Fulfils `Verifier`.

    A run asks about the same statements and quotes over and over; each question
    takes some 20 ms of one core.
    """

    def __init__(
        self, verifier: Verifier, *, most_remembered: int = _MOST_REMEMBERED
    ) -> None:
        """Remember what `verifier` says, the oldest forgotten first."""
        self._verifier = verifier
        self._most_remembered = most_remembered
        self._known: dict[object, Verification] = {}

    @property
    def engine(self) -> Engine:
        """Name and version of the verifier behind it."""
        return self._verifier.engine

    async def verify(
        self, title: str, claim: Claim, passages: Sequence[Passage]
    ) -> Verification:
        """Judge `claim` by `passages`, at most once."""
        asked = (
            title,
            claim.text,
            claim.kind,
            claim.section,
            claim.context,
            claim.row,
            claim.column,
            tuple((one.source_key, one.span.start, one.text) for one in passages),
        )
        known = self._known.get(asked)
        if known is None:
            known = await self._verifier.verify(title, claim, passages)
            if len(self._known) >= self._most_remembered:
                del self._known[next(iter(self._known))]
            self._known[asked] = known
        return known
