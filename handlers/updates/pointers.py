"""Newer sources worth reading for a section, each with the sentence that shows why.

No fact is claimed: a person reads the source and decides. A source is not recommended
for what the article already says. It awaits the encoder and the verifier.

A sentence is assigned to the section (WiNELL §3.1) that is most similar to it as a
whole, heading included, and whose distinctive words it shares; the lead, which repeats
the sections, counts less. Of 3,138 sentences of WikiGenBench (dev, even ids), each
hidden once, 58.8 % are assigned to the section they came from (of 13.6 on average). Of
2,350 with odd ids, which were not used for tuning, it is 56.2 % (of 12.4 sections); of
these 53.8 % without the sections' words, 53.9 % with only the words of headings, and
54.2 % with the lead counted like the others.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from math import sqrt

from handlers.citations.words import content_stems, words
from handlers.documents.document import Document
from handlers.documents.prose import Sentence
from handlers.model import Ignored, PassedOver, Subject
from handlers.ports import TextEncoder, Verifier
from handlers.updates.entailment import said_already
from handlers.updates.questions import Path

_MOST_SAID = 100  # statements that represent a long section
_PLENTY = 3.0  # weight of a text's words from which the best section gets 1
_WHOLE, _TERMS, _LEAD_COST = 0.7, 0.12, 0.12
_MOST_COMPARED = 80  # sentences of a document
_SAID_FROM = 0.5  # probability that the article says so
_LEAST_FIT = 0.5  # on the development events, whatever fitted less was of no use


async def place(
    subject: Subject, texts: Sequence[str], encoder: TextEncoder
) -> list[list[tuple[float, Path]]]:
    """Return for each of `texts` the sections that take facts, the best first.

    Scores, about 0 to 1, are comparable between the texts of one article. A text gets
    an empty list if no section takes facts.
    """
    sections = [one for one in subject.criteria.sections if one.is_open]
    if not texts or not sections:
        return [[] for _ in texts]
    weights = [dict(one.terms) for one in sections]
    by_words = [_by_words(text, weights) for text in texts]
    ranked: list[list[tuple[float, Path]]] = [[] for _ in texts]
    for number, section in enumerate(sections):
        own = [one.said for one in subject.statements if one.section == section.path]
        parts = [" – ".join(section.path) or "-", *own[:: 1 + len(own) // _MOST_SAID]]
        # The cosine with the mean of the parts, from the cosines with each.
        squared = sum(map(sum, await encoder.likeness(parts, parts)))
        length = sqrt(max(0.0, squared)) or 1.0
        cost = 0.0 if section.path else _LEAD_COST
        for at, row in enumerate(await encoder.likeness(texts, parts)):
            whole = _WHOLE * sum(row) / length
            score = whole + _TERMS * by_words[at][number] - cost
            ranked[at].append((score, section.path))
    return [sorted(one, key=lambda each: (-each[0], each[1])) for one in ranked]


def _by_words(text: str, weights: Sequence[Mapping[str, float]]) -> list[float]:
    """Return how many words of `text` each section's criteria name, weighted, 0 to 1.

    The section that names most gets 1, unless it names hardly any.
    """
    stems = content_stems(words(text))
    sums = [sum(each.get(stem, 0.0) for stem in stems) for each in weights]
    most = max(_PLENTY, *sums)
    return [total / most for total in sums]


@dataclass(frozen=True, slots=True)
class Pointer:
    """A document, the section it is worth reading for, and the sentence that shows why.

    `lacking` is the probability that the article does not say what the sentence does.
    """

    document: Document
    sentence: Sentence
    section: Path
    fit: float
    lacking: float


async def pointer_of(
    document: Document,
    subject: Subject,
    newest: Mapping[Path, date],
    known: frozenset[str],
    *,
    verifier: Verifier,
    encoder: TextEncoder,
) -> Pointer | PassedOver:
    """Return what a document is worth reading for, or why it is not.

    Only its best sentence is asked about: the next three gave no other source on 145
    events of WikiGenBench (dev).

    Args:
        document: the possible source.
        subject: the article and the days that count.
        newest: the newest day that each section knows; the document must be newer.
        known: the stems of everything that the article says, from `stems_of`.
        verifier: decides what the article already says.
        encoder: finds the section for a sentence.
    """
    new = [one for one in document.found if _tells_more(one, known)]
    new = new[:_MOST_COMPARED]
    if not new:
        return PassedOver("", Ignored.ALREADY_SAID, "it names nothing new")
    ranked = await place(subject, [one.text for one in new], encoder)
    fits = [(*best[0], one) for best, one in zip(ranked, new, strict=True) if best]
    if not fits or max(fits, key=lambda each: each[0])[0] < _LEAST_FIT:
        return PassedOver("", Ignored.NOT_ABOUT_SUBJECT, "no section covers it")
    fit, section, one = max(fits, key=lambda each: each[0])
    if not _is_newer(document.day, section, newest, subject):
        why = "the section has newer dates"
        return PassedOver(one.text, Ignored.OLDER_THAN_ARTICLE, why)
    said = await said_already(one.text, subject, verifier, encoder)
    if said >= _SAID_FROM:
        why = f"the article says so ({said:.0%} sure)"
        return PassedOver(one.text, Ignored.ALREADY_SAID, why)
    return Pointer(document, one, section, fit, 1 - said)


def _is_newer(
    day: date | None, section: Path, newest: Mapping[Path, date], subject: Subject
) -> bool:
    """Return whether a document is newer than everything in its section.

    If every day counts, a document need not be newer, or even have a date.
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
    """Return whether a sentence has a name or a number that the article lacks."""
    return any(
        word.stem not in known
        for word in words(one.text)[1:]
        if word.is_content and (word.is_capitalised or word.is_number)
    )
