"""Asks the verification model if texts support a fact, or make a statement outdated.

The model was made to judge a claim by the passages of its sources. But any text can be
the claim and any texts the passages: an update and the article, a statement and a newer
quote, an atomic fact and the suggestions of a run. For an outdated statement it also
matters whether statement and fact give different values in one role.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date
from math import exp, log

from handlers.citations.comparison import context, gather, prepare
from handlers.citations.corpus import read_corpus
from handlers.citations.passages import cut
from handlers.citations.quotes import find_quote
from handlers.citations.values import in_role
from handlers.documents.dates import exact_dates
from handlers.model import (
    Claim,
    ClaimKind,
    Engine,
    Passage,
    Probabilities,
    SourceText,
    Span,
    Statement,
    Subject,
    Verification,
)
from handlers.ports import TextEncoder, Verifier
from handlers.text.analysis import analyse
from handlers.text.words import Rarity

_NOTHING_SAID = Probabilities(0.0, 0.0, 1.0, 0.0)
_MOST_NEAR = 6  # statements compared that may say the same
_MOST_REMEMBERED = 8_192  # verifications; about 5 KiB each, including the question


async def judged(
    verifier: Verifier,
    title: str,
    text: str,
    premises: Sequence[str],
    *,
    section: tuple[str, ...] = (),
    context: str = "",
) -> Probabilities:
    """Return how likely `premises` together support all of `text`, or contradict it.

    All texts are plain, and premises of any length. The title of the article and the
    text before `text` show who "he" is.
    """
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
    """Return texts as passages; long ones are cut, those without words dropped."""
    return tuple(
        passage
        for number, premise in enumerate(premises)
        for passage in cut(SourceText(premise), f"premise {number}")
    )


async def article_says(
    text: str, subject: Subject, verifier: Verifier, encoder: TextEncoder
) -> float:
    """Return the probability that the article says what `text` does.

    The statements closest to it are used together. Adding their neighbours made no
    difference: the same 10 sources were recommended on 65 unseen events of WikiGenBench
    (dev).
    """
    statements = [one.full_text for one in subject.statements]
    if not statements:
        return 0.0
    [row] = await encoder.likeness([text], statements)
    nearest = sorted(range(len(statements)), key=lambda at: -row[at])[:_MOST_NEAR]
    near = [statements[at] for at in sorted(nearest)]
    if any(find_quote(one, text) or find_quote(text, one) for one in near):
        return 1.0
    return (await judged(verifier, subject.page.id.title, text, near)).supported


class CachedVerifier:
    """A verifier that answers repeated questions from memory. Implements `Verifier`.

    A run asks about the same statements and quotes repeatedly; each question takes
    about 20 ms of one core.
    """

    def __init__(
        self, verifier: Verifier, *, most_remembered: int = _MOST_REMEMBERED
    ) -> None:
        """Remember what `verifier` says; the oldest answers are dropped first."""
        self._verifier = verifier
        self._most_remembered = most_remembered
        self._known: dict[object, Verification] = {}

    @property
    def engine(self) -> Engine:
        """The name and version of the underlying verifier."""
        return self._verifier.engine

    async def verify(
        self, title: str, claim: Claim, passages: Sequence[Passage]
    ) -> Verification:
        """Judge `claim` by `passages`, asking the verifier at most once."""
        question = (
            title,
            claim.text,
            claim.kind,
            claim.section,
            claim.context,
            claim.row,
            claim.column,
            tuple((one.source_key, one.span.start, one.text) for one in passages),
        )
        known = self._known.get(question)
        if known is None:
            known = await self._verifier.verify(title, claim, passages)
            if len(self._known) >= self._most_remembered:
                del self._known[next(iter(self._known))]
            self._known[question] = known
        return known


# A logistic regression over the probabilities of the verification model and the
# difference of the values in one role, fitted on the revisions in VitaminC's training
# file whose articles the networks were not trained on (1,090 rows of 176 articles,
# `bot.research.training.verifier.examples`). On the dev file (1,952 rows of 278
# articles) precision is .854 and recall .838, and .910 and .687 from 0.8 on, where one
# reliable source is enough to flag; with the version of the judge before, the share of
# contradiction alone had .867 and .804 there, but .902 and .476 from 0.8 on.
_CONSTANT, _SHARE, _SUPPORTED, _LEAD = 0.179, 0.586, -0.112, 1.263
OUTDATED_FROM = 0.61
_ALL_ALIKE = Rarity(documents=1, floor=1, frequencies={})
_LEAST = 1e-3  # the least probability for which odds are computed


@dataclass(frozen=True, slots=True)
class Values:
    """Two values in one role: what the article has, and what the source has."""

    old: str
    new: str
    lead: float  # how much better the article's value fits the role than the source's


async def outdated(verifier: Verifier, title: str, statement: str, fact: str) -> float:
    """Return the probability that `fact`, which is newer, makes `statement` outdated.

    The caller must know which of them is newer; see `may_be_outdated`. The fact is the claim
    and the statement the evidence, because facts are short and statements often say
    more than is needed.
    """
    likely = await judged(verifier, title, fact, [statement])
    against = likely.contradicted + likely.not_supported
    share = likely.contradicted / against if against else 0.0
    values = values_in_role(title, statement, fact)
    odds = (
        _CONSTANT
        + _SHARE * _log_odds(share)
        + _SUPPORTED * _log_odds(likely.supported)
        + _LEAD * (values.lead if values else 0.0)
    )
    return 1 / (1 + exp(-odds))


def _log_odds(probability: float) -> float:
    clamped = min(max(probability, _LEAST), 1 - _LEAST)
    return log(clamped / (1 - clamped))


def values_in_role(title: str, statement: str, fact: str) -> Values | None:
    """Return the different values that a statement and a fact give for one thing.

    `None` if they give none, or the same.
    """
    passages = passages_of([statement])
    if not passages or not fact.strip():
        return None
    claim = claim_of(fact)
    claimed = prepare(claim, title, _ALL_ALIKE, analyse)
    stated = gather(
        claimed, context(title, claim), read_corpus(passages, analyse), analyse
    )
    rivals = [
        Values(
            one.other.span.of(one.other.passage.text),
            one.span.of(claimed.analysis.text),
            -one.lead,
        )
        for one in in_role(claimed, stated)
        if one.other is not None and one.lead < 0
    ]
    return max(rivals, key=lambda one: one.lead, default=None)


def may_be_outdated(statement: Statement, known: date, fact: str, day: date) -> bool:
    """Return whether a fact from `day` can replace a statement true on `known`.

    What the article says about a past year remains true of that year, unless it is
    given as the state then. A fact that only names older years is not newer.
    """
    theirs = {one.year or 0 for one in exact_dates(fact)}
    mine = {one.year or 0 for one in exact_dates(statement.text)}
    is_state = statement.as_of or statement.kind is ClaimKind.INFOBOX_VALUE
    if mine and not is_state:
        return day > known and bool(mine & theirs)
    return day > known and max(theirs, default=known.year) >= known.year


def both_values(values: Values | None, day: date | None) -> str:
    """Return both values in plain words, as far as they are known."""
    if values is None:
        return f"the source dated {day} says otherwise"
    return f"“{values.old}” in the article, “{values.new}” in the source dated {day}"
