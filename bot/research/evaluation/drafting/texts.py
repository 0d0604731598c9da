"""A text with citations, as the metrics see it, whoever made it."""

import random
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from handlers.documents.prose import sentences
from handlers.drafts.chunks import chunks_of
from handlers.model import Chunk, Draft, DraftDocument

_SEED = 0
_FEWEST_WORDS = 4  # of what may be drawn; headings and menus have less


@dataclass(frozen=True, slots=True)
class Said:
    """A sentence and the texts of the chunks that it cites.

    `is_worded` tells that a language model wrote it.
    """

    text: str
    cites: tuple[str, ...]
    is_worded: bool = False


@dataclass(frozen=True, slots=True)
class Part:
    """A section; the lead has no heading."""

    heading: str
    said: tuple[Said, ...]


@dataclass(frozen=True, slots=True)
class Written:
    """A whole text."""

    parts: tuple[Part, ...]

    @property
    def said(self) -> tuple[tuple[str, Said], ...]:
        """Return its sentences, each behind the heading it stands under."""
        return tuple((part.heading, one) for part in self.parts for one in part.said)

    @property
    def headings(self) -> tuple[str, ...]:
        """Return its headings, as the paper's outline score sees them."""
        return tuple(part.heading for part in self.parts if part.heading)

    @property
    def plain(self) -> str:
        """Return it as the reference is given: headings on lines of their own."""
        return "\n\n".join(
            "\n".join(
                one
                for one in (part.heading, " ".join(s.text for s in part.said))
                if one
            )
            for part in self.parts
        )


def written(draft: Draft) -> Written:
    """Return the text of a draft."""
    return Written(
        tuple(
            Part(
                section.heading,
                tuple(
                    Said(
                        one.text,
                        tuple(cite.chunk.text for cite in one.cites),
                        is_worded=not one.is_quote,
                    )
                    for one in section.sentences
                ),
            )
            for section in draft.sections
        )
    )


def first_words(documents: Sequence[DraftDocument], words: int) -> Written:
    """Return the first sentences of the documents, each citing the chunk it is from."""
    return _filled(_all(documents), words)


def drawn_sentences(documents: Sequence[DraftDocument], words: int) -> Written:
    """Return sentences of the documents by chance; the same documents, the same ones."""
    found = [one for one in _all(documents) if len(one.text.split()) >= _FEWEST_WORDS]
    random.Random(_SEED).shuffle(found)  # noqa: S311 - a baseline, no secret
    return _filled(found, words)


def _all(documents: Sequence[DraftDocument]) -> list[Said]:
    return [
        one
        for document in documents
        for chunk in chunks_of(document)
        for one in _of_chunk(chunk)
    ]


def _of_chunk(chunk: Chunk) -> Iterator[Said]:
    for one in sentences(chunk.text):
        if one.text:
            yield Said(one.text, (chunk.text,))


def _filled(found: Sequence[Said], words: int) -> Written:
    """Return the first of `found` until there are enough words."""
    taken: list[Said] = []
    left = words
    for one in found:
        if left <= 0:
            break
        taken.append(one)
        left -= len(one.text.split())
    return Written((Part("", tuple(taken)),) if taken else ())
