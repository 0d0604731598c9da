"""Sorts out the documents that no draft can be made of, and says why. Pure.

What is left are documents in the language of the draft that have whole sentences, are
no copies of a wiki or of one another, and speak of what the draft is about, of the year
that it asks for.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass

from handlers.documents.document import Original
from handlers.documents.language import language_of_document, language_of_text
from handlers.documents.prose import sentences
from handlers.drafts.candidates import (
    MOST_CHARS,
    Edition,
    has_prose,
    named,
    prose_of,
)
from handlers.model import DraftDocument, Left, LeftOut, SourceText, Topic

_LANGUAGE_CHARS = 60_000  # in which its language and its subject show
_FEWEST_SENTENCES = 2
_SAME = 0.6  # share of the shorter document's sentences that the other has, too
_FEWEST_SAME = 2
_LEAST_NAMED = 0.6  # of the title's words
_WIKI_HOST = re.compile(
    r"^https?://(?:[\w-]+\.)*(?:wiki(?:pedia|data|media|wand|news|voyage|quote|source|books)|dbpedia|wikizero)\.",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class Screened:
    """The documents that can be used, in their order, and what became of the others."""

    documents: tuple[DraftDocument, ...]
    left_out: tuple[LeftOut, ...]


def screened(topic: Topic, documents: Sequence[DraftDocument]) -> Screened:
    """Return which documents can be used for a draft on `topic`.

    Of two documents with mostly the same sentences the longer one stays.
    """
    original, edition = Original(()), Edition(topic)
    kept: list[tuple[DraftDocument, frozenset[str]]] = []
    left_out: list[LeftOut] = []
    for one in sorted(documents, key=_length, reverse=True):
        why = _fault(topic, one, original, edition)
        mine = frozenset[str]() if why else prose_of(topic, one)
        if why is None:
            twin = next((other for other, its in kept if _are_same(mine, its)), None)
            if twin is not None:
                why = (Left.COPY, f"mostly the words of {address_of(twin)}")
        if why is None:
            kept.append((one, mine))
        else:
            left_out.append(LeftOut(address_of(one), *why))
    usable = sorted((one for one, _ in kept), key=lambda one: one.number)
    return Screened(tuple(usable), tuple(left_out))


def address_of(document: DraftDocument) -> str:
    """Return what a person knows a document by: its address, else title or number."""
    reading = document.reading
    title = reading.document.title if reading.document else None
    return reading.url or reading.source.url or title or f"[{document.number + 1}]"


def _fault(
    topic: Topic, one: DraftDocument, original: Original, edition: Edition
) -> tuple[Left, str] | None:
    """Return the first thing that keeps a document out of a draft."""
    document = one.reading.document
    if document is None:
        return Left.NOT_READ, one.reading.detail
    language = _other_language(topic, document)
    is_wiki = _WIKI_HOST.match(address_of(one))
    copied = original.copied_by(document, MOST_CHARS)
    opening = f"{document.title or ''} {document.text[:_LANGUAGE_CHARS]}"
    faults = (
        is_wiki and (Left.COPY, "a page of a wiki"),
        language and (Left.OTHER_LANGUAGE, f"its language is {language}"),
        copied and (Left.COPY, copied),
        not has_prose(topic, one, _FEWEST_SENTENCES) and (Left.NO_SENTENCES, ""),
        named(topic, opening) < _LEAST_NAMED and (Left.NOT_ABOUT_TOPIC, ""),
        edition.is_other_page(document.title or "", document.text)
        and (Left.OTHER_EDITION, ""),
    )
    return next((fault for fault in faults if fault), None)


def _other_language(topic: Topic, document: SourceText) -> str | None:
    """Return the language of a page, if it is not the draft's.

    A page can have its menus in one language and its sentences in another.
    """
    wanted = topic.language.partition("-")[0].lower()
    language = language_of_document(document, _LANGUAGE_CHARS)
    if not language or language == wanted:
        return None
    found = sentences(document.text[:_LANGUAGE_CHARS])
    prose = " ".join(one.text for one in found if one.text.endswith("."))
    return None if language_of_text(prose) == wanted else language


def _are_same(mine: frozenset[str], others: frozenset[str]) -> bool:
    fewest = min(len(mine), len(others))
    shared = len(mine & others)
    return shared >= _FEWEST_SAME and shared >= _SAME * fewest


def _length(document: DraftDocument) -> int:
    return len(document.reading.document.text) if document.reading.document else 0
