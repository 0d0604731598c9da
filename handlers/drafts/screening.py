"""Sorts out the documents that no draft can be made of, and says why. Pure.

What is left are documents in the language of the draft that have whole sentences, are
no copies of a wiki or of one another, and name what the draft is about.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass

from handlers.citations.cues.stems import StemIndex
from handlers.citations.cues.words import content_stems, words
from handlers.drafts.frames import frames, runs, site_of
from handlers.drafts.unmarked import is_unmarked, stretches
from handlers.model import DraftDocument, Left, LeftOut, SourceText, Topic
from handlers.updates.extracting import form
from handlers.updates.extracting.copies import Original
from handlers.updates.extracting.languages import (
    language_of_document,
    language_of_text,
)
from handlers.updates.extracting.prose import sentences

MOST_CHARS = 400_000  # of a document that are read
_LANGUAGE_CHARS = 60_000  # in which its language and its subject show
_FEWEST_SENTENCES = 2
_SAME = 0.6  # share of the shorter document's runs that the other has, too
_FEWEST_RUNS = 25
_LEAST_NAMED = 0.3  # of the title's words
_PARENTHESES = re.compile(r"\s*\([^()]*\)\s*$")
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

    Of two documents with mostly the same words the longer one stays.
    """
    original = Original(())
    told = _told_runs(documents)
    kept: list[tuple[DraftDocument, frozenset[int]]] = []
    left_out: list[LeftOut] = []
    for one in sorted(documents, key=_length, reverse=True):
        why = _fault(topic, one, original)
        mine = told[id(one)]
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


def title_of(topic: Topic) -> str:
    """Return the title without what stands in parentheses behind it."""
    return _PARENTHESES.sub("", topic.title).strip() or topic.title


def named(topic: Topic, text: str) -> float:
    """Return the share of the title's words that `text` has, 0 to 1."""
    wanted = content_stems(words(topic.title))
    if not wanted:
        return 1.0
    index = StemIndex(content_stems(words(text)))
    return sum(map(index.support, wanted)) / len(wanted)


def _fault(
    topic: Topic, one: DraftDocument, original: Original
) -> tuple[Left, str] | None:
    document = one.reading.document
    if document is None:
        return Left.NOT_READ, one.reading.detail
    return _of_no_use(topic, address_of(one), document, original)


def _of_no_use(
    topic: Topic, address: str, document: SourceText, original: Original
) -> tuple[Left, str] | None:
    if _WIKI_HOST.match(address):
        return Left.COPY, "a page of a wiki"
    language = _other_language(topic, document)
    if language:
        return Left.OTHER_LANGUAGE, f"its language is {language}"
    copied = original.copied_by(document, MOST_CHARS)
    if copied:
        return Left.COPY, copied
    if not _has_sentences(topic, document):
        return Left.NO_SENTENCES, ""
    opening = f"{document.title or ''} {document.text[:_LANGUAGE_CHARS]}"
    is_named = named(topic, opening) >= _LEAST_NAMED
    return None if is_named else (Left.NOT_ABOUT_TOPIC, "")


def _other_language(topic: Topic, document: SourceText) -> str | None:
    """Return the language of a page, if it is not the draft's.

    A page can have its menus in one language and its sentences in another.
    """
    wanted = topic.language.partition("-")[0].lower()
    language = language_of_document(document, _LANGUAGE_CHARS)
    if not language or language == wanted:
        return None
    prose = " ".join(
        one.text
        for one in sentences(document.text[:_LANGUAGE_CHARS])
        if form.fault(one.text, frozenset(), is_english=False) is None
    )
    return None if language_of_text(prose) == wanted else language


def _has_sentences(topic: Topic, document: SourceText) -> bool:
    is_english = topic.language.startswith("en")
    text = document.text[:MOST_CHARS]
    if is_unmarked(text):
        return is_english and any(True for _ in stretches(text))
    found = 0
    for one in sentences(text):
        if form.fault(one.text, frozenset(), is_english=is_english) is None:
            found += 1
            if found == _FEWEST_SENTENCES:
                return True
    return False


def _are_same(mine: frozenset[int], others: frozenset[int]) -> bool:
    fewest = min(len(mine), len(others))
    return fewest >= _FEWEST_RUNS and len(mine & others) >= _SAME * fewest


def _told_runs(documents: Sequence[DraftDocument]) -> dict[int, frozenset[int]]:
    """Return each document's runs of words, by `id`, without its site's frame."""
    found = [
        (one, _site(one), frozenset(runs(_told(_text(one)[:MOST_CHARS]))))
        for one in documents
    ]
    framed = frames((site, its) for _, site, its in found)
    return {id(one): its - framed.get(site, frozenset()) for one, site, its in found}


def _site(one: DraftDocument) -> str:
    return site_of(address_of(one))


def _told(text: str) -> str:
    """Return what a text tells; an unmarked one's menus are those of all of its site."""
    if not is_unmarked(text):
        return text
    return "\n".join(one.text for one in stretches(text))


def _length(document: DraftDocument) -> int:
    return len(_text(document))


def _text(document: DraftDocument) -> str:
    return document.reading.document.text if document.reading.document else ""
