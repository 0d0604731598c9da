"""Newer sources worth reading for a section, each with the sentence that tells why.

No fact is claimed: a person reads the source and decides. What the article says
already, in a sentence or its neighbours, recommends no source. It awaits the
encoder and the judge.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from math import sqrt

from handlers.citations.words import content_stems, words
from handlers.documents.document import Document
from handlers.documents.prose import Sentence
from handlers.model import (
    Criteria,
    Ignored,
    PassedOver,
    SectionCriteria,
    Statement,
    Subject,
)
from handlers.ports import TextEncoder, Verifier
from handlers.updates.entailment import judged

# Chooses the section of an article that a fact belongs into.
# Two signs are weighed: how alike the fact is to all that a section says, and the words
# of the section's criteria (WiNELL §3.1). Pure; it awaits only the encoder.

Path = tuple[str, ...]
_MOST_SAID = 100  # statements that stand for all of a long section
_PLENTY = 3.0  # weight of a text's words that tells its section as surely as any


@dataclass(frozen=True, slots=True)
class PlacingPolicy:
    """How much each sign weighs.

    Chosen on WikiGenBench (dev, even ids): of 3,138 sentences, each hidden once, 58.8 %
    are put back where they were (13.6 sections to choose from), of 2,350 of odd ids
    56.2 % (12.4 sections; 66.8 % into the right section of the first level). Without
    terms 53.8 % of the odd ones are, with terms of the headings alone 53.9 %, without
    the discount 54.2 %. Sentences of pages that say the same in other words are harder:
    28 of 50 (even) and 22 of 51 (odd), with terms of headings alone 23 and 16.

    Left out, as they added nothing to these (even ids): the nearest statements, a
    section's size and depth, and the dates that it names.
    """

    whole: float = 0.7  # the mean of what the section says, its heading included
    terms: float = 0.12  # the words of its criteria
    lead_discount: float = 0.12  # the lead repeats what the sections say


@dataclass(frozen=True, slots=True)
class SectionFit:
    """How well a fact fits a section.

    `score` is comparable between the facts of one article, about 0 to 1. `nearest`
    is the statement of the section that is most like the fact, with its cosine.
    """

    path: Path
    score: float
    nearest: Statement | None = None
    likeness: float = 0.0


@dataclass(frozen=True, slots=True)
class _Whole:
    """A section as one text: the mean of its heading and statements.

    `said` are the places of its statements among all; `sample` are those that stand
    for it, and `length` is that of the sum of their vectors and the heading's.
    """

    path: Path
    said: Sequence[int]
    sample: Sequence[int]
    length: float

    def likeness(self, heading: float, statements: Sequence[float]) -> float:
        """Return a text's cosine with the mean, of those with its parts."""
        if self.length <= 0.0:
            return 0.0
        return (heading + sum(statements[at] for at in self.sample)) / self.length

    def nearest(
        self, said: Sequence[Statement], likeness: Sequence[float]
    ) -> tuple[Statement | None, float]:
        """Return the statement that is most like a text, with its cosine."""
        if not self.said:
            return None, 0.0
        best = max(self.said, key=likeness.__getitem__)
        return said[best], likeness[best]


async def place(
    subject: Subject,
    texts: Sequence[str],
    encoder: TextEncoder,
    policy: PlacingPolicy | None = None,
) -> tuple[tuple[SectionFit, ...], ...]:
    """Return for each of `texts` the sections that take facts, the best first.

    A text gets an empty tuple where no section takes facts.
    """
    chosen = policy or PlacingPolicy()
    sections = [one for one in subject.criteria.sections if one.is_open]
    if not texts or not sections:
        return tuple(() for _ in texts)
    takes = {one.path for one in sections}
    said = [one for one in subject.statements if one.section in takes]
    headings = [_named(one, subject.criteria) for one in sections]
    wholes = [
        await _whole(one.path, heading, said, encoder)
        for one, heading in zip(sections, headings, strict=True)
    ]
    to_said = await encoder.likeness(texts, [one.said for one in said])
    to_headings = await encoder.likeness(texts, headings)
    weights = [dict(one.terms) for one in sections]
    ranked = []
    for text, alike, to_heading in zip(texts, to_said, to_headings, strict=True):
        fits = [
            SectionFit(
                whole.path,
                _score(whole.path, whole.likeness(heading, alike), terms, chosen),
                *whole.nearest(said, alike),
            )
            for whole, heading, terms in zip(
                wholes, to_heading, _by_terms(text, weights), strict=True
            )
        ]
        ranked.append(tuple(sorted(fits, key=lambda fit: (-fit.score, fit.path))))
    return tuple(ranked)


def _named(section: SectionCriteria, criteria: Criteria) -> str:
    """Return a section's headings, with what a model says that it wants.

    What the embedded criteria say in plain words is for people: it places no better.
    """
    heading = " – ".join(section.path) or "-"
    if criteria.is_worded and section.wants:
        return f"{heading}: {'; '.join(section.wants)}"
    return heading


async def _whole(
    path: Path, heading: str, said: Sequence[Statement], encoder: TextEncoder
) -> _Whole:
    own = [at for at, one in enumerate(said) if one.section == path]
    sample = own[:: 1 + len(own) // _MOST_SAID]
    texts = [heading, *(said[at].said for at in sample)]
    squared = sum(map(sum, await encoder.likeness(texts, texts)))
    return _Whole(path, own, sample, sqrt(max(0.0, squared)))


def _by_terms(text: str, weights: Sequence[Mapping[str, float]]) -> Sequence[float]:
    """Return how far each section's criteria name the words of `text`, 0 to 1.

    The section that names them most gets 1, unless it names hardly any.
    """
    stems = content_stems(words(text))
    sums = [sum(each.get(stem, 0.0) for stem in stems) for each in weights]
    most = max(_PLENTY, *sums)
    return [total / most for total in sums]


def _score(path: Path, whole: float, terms: float, policy: PlacingPolicy) -> float:
    discount = 0.0 if path else policy.lead_discount
    return policy.whole * whole + policy.terms * terms - discount


_MOST_COMPARED = 80  # sentences of a document
_MOST_JUDGED = 4  # of these, the best
_NEAR = 6  # statements that may say the same
_SAID_FROM = 0.5  # probability that the article says so
_LEAST_FIT = 0.5  # what fitted less, on events to make this with, was of no use


@dataclass(frozen=True, slots=True)
class Pointer:
    """A document, the section it is worth reading for, and the sentence that tells why.

    `lacking` is the probability that the article does not say what the sentence does.
    """

    document: Document
    sentence: Sentence
    section: tuple[str, ...]
    after: Statement | None
    fit: float
    lacking: float


async def pointer_of(
    document: Document,
    subject: Subject,
    newest: Mapping[tuple[str, ...], date],
    known: frozenset[str],
    *,
    verifier: Verifier,
    encoder: TextEncoder,
) -> Pointer | tuple[PassedOver, ...]:
    """Return what a document is worth reading for, or why it is not.

    Args:
        document: that may serve.
        subject: the article and the days that count.
        newest: the newest day that each section knows; a document is to be newer.
        known: the stems of all that the article says, by `stems_of`.
        verifier: tells what the article says already.
        encoder: tells the section of a sentence.
    """
    new = [one for one in document.found if _tells_more(one, known)]
    new = new[:_MOST_COMPARED]
    if not new:
        return (PassedOver("", Ignored.ALREADY_SAID, "it names nothing new"),)
    ranked = await place(subject, [one.text for one in new], encoder)
    fits = [
        (fits[0], one)
        for fits, one in zip(ranked, new, strict=True)
        if fits and fits[0].score >= _LEAST_FIT
    ]
    fits.sort(key=lambda each: -each[0].score)
    if not fits:
        return (PassedOver("", Ignored.NOT_ABOUT_SUBJECT, "no section is like it"),)
    passed: list[PassedOver] = []
    for fit, one in fits[:_MOST_JUDGED]:
        if not _is_newer(document.day, fit.path, newest, subject):
            why = "the section knows newer days"
            passed.append(PassedOver(one.text, Ignored.OLDER_THAN_ARTICLE, why))
            continue
        said = await said_already(one.text, subject, verifier, encoder)
        if said >= _SAID_FROM:
            why = f"the article says so ({said:.0%} sure)"
            passed.append(PassedOver(one.text, Ignored.ALREADY_SAID, why))
            continue
        return Pointer(document, one, fit.path, fit.nearest, fit.score, 1 - said)
    return tuple(passed)


async def said_already(
    text: str, subject: Subject, verifier: Verifier, encoder: TextEncoder
) -> float:
    """Return the probability that the article says what `text` does.

    It is asked of the nearest statements together, each between its neighbours.
    """
    statements = subject.statements
    if not statements:
        return 0.0
    [row] = await encoder.likeness([text], [one.said for one in statements])
    near = sorted(range(len(row)), key=lambda at: -row[at])[:_NEAR]
    places = sorted({at for one in near for at in (one - 1, one, one + 1)})
    premises: list[str] = []
    last = -2
    for at in places:
        if not 0 <= at < len(statements):
            continue
        if at == last + 1 and premises:
            premises[-1] = f"{premises[-1]} {statements[at].said}"
        else:
            premises.append(statements[at].said)
        last = at
    likely = await judged(verifier, subject.page.id.title, text, premises)
    return likely.supported


def _is_newer(
    day: date | None,
    section: tuple[str, ...],
    newest: Mapping[tuple[str, ...], date],
    subject: Subject,
) -> bool:
    """Tell whether a document is newer than all that its section knows.

    Where every day counts, no document has to be newer, nor have a day.
    """
    if subject.window.is_open:
        return True
    known = newest.get(section) or max(newest.values(), default=date.min)
    return day is not None and day > known


def stems_of(subject: Subject) -> frozenset[str]:
    """Return the stems of all that an article says."""
    return frozenset(
        word.stem for each in subject.statements for word in words(each.said)
    )


def _tells_more(one: Sentence, known: frozenset[str]) -> bool:
    """Tell whether a sentence has a name or a number that the article lacks."""
    return any(
        word.stem not in known
        for word in words(one.text)[1:]
        if word.is_content and (word.is_capitalised or word.is_number)
    )
