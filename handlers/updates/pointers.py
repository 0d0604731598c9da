"""Newer sources worth reading for a section, each with the sentence that tells why.

No fact is claimed: a person reads the source and decides. What the article says
already, in a sentence or its neighbours, recommends no source. Pure; it awaits the
encoder and the judge.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date

from handlers.citations.cues.words import words
from handlers.model import Ignored, PassedOver, Statement, Subject
from handlers.ports import TextEncoder, Verifier
from handlers.updates.documents import Document
from handlers.updates.entailing import judged
from handlers.updates.extracting.prose import Sentence
from handlers.updates.outdated import said_of
from handlers.updates.placing import place

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
    [row] = await encoder.likeness([text], [said_of(one) for one in statements])
    near = sorted(range(len(row)), key=lambda at: -row[at])[:_NEAR]
    places = sorted({at for one in near for at in (one - 1, one, one + 1)})
    premises: list[str] = []
    last = -2
    for at in places:
        if not 0 <= at < len(statements):
            continue
        if at == last + 1 and premises:
            premises[-1] = f"{premises[-1]} {said_of(statements[at])}"
        else:
            premises.append(said_of(statements[at]))
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
        word.stem for each in subject.statements for word in words(said_of(each))
    )


def _tells_more(one: Sentence, known: frozenset[str]) -> bool:
    """Tell whether a sentence has a name or a number that the article lacks."""
    return any(
        word.stem not in known
        for word in words(one.text)[1:]
        if word.is_content and (word.is_capitalised or word.is_number)
    )
