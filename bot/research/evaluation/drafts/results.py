"""A text with citations, whoever made it, and what is measured of it, as it is kept."""

import random
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from pydantic import TypeAdapter

from bot.research.evaluation.shelf import keep, kept
from bot.sources.files import replacing
from handlers.documents.prose import sentences
from handlers.drafts.chunks import chunks_of
from handlers.model import Chunk, Draft, DraftDocument
from handlers.ports import PermanentError

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


_UNSAFE = re.compile(r"[^\w.-]")


@dataclass(frozen=True, slots=True)
class Overlap:
    """Words in common with the reference, 0 to 100; see `overlap`."""

    meteor: float  # NLTK's, with WordNet where it is there
    meteor_without_synonyms: float
    meteor_15_weights: float  # NLTK's with the parameters of METEOR 1.5
    rouge_l: float  # F1
    rouge_l_nlg_eval: float
    bleu: float
    meteor_15: float | None = None  # that of the program, where it was given


@dataclass(frozen=True, slots=True)
class Citing:
    """The paper's formulas 4 to 6 for one text, 0 to 100."""

    recall: float
    precision: float
    rate: float


@dataclass(frozen=True, slots=True)
class Marks:
    """A model's marks of a text, 0 to 5; `why` tells why there are none."""

    fluency: int | None = None
    organisation: int | None = None
    outline: int | None = None
    focus: int | None = None
    coverage: int | None = None
    information: int | None = None
    why: str = ""


@dataclass(frozen=True, slots=True)
class Scored:
    """The figures of one text. `second` are those of another judge of citations.

    Shares are of its sentences' words: `quoted` stand in a cited chunk word for word,
    `copied` in sentences with ten words in a row as the reference has them, `unmarked`
    in quotes from text that lost its capitals and full stops. `worded` is the share of
    its sentences that a language model wrote; the others are quotes, also where the
    model was asked and gave nothing usable.
    """

    words: int
    sentences: int
    overlap: Overlap
    citing: Citing
    second: Citing | None
    quoted: float
    copied: float
    marks: Marks
    text: str
    unmarked: float = 0.0
    worded: float = 0.0


@dataclass(frozen=True, slots=True)
class Outcome:
    """A scored text, or in a line why there is none; never both."""

    took_s: float
    documents: int
    scored: Scored | None = None
    failed: str = ""


@dataclass(frozen=True, slots=True)
class Reference:
    """What is known of the reference article."""

    words: int
    marks: Marks


class Shelf:
    """Keeps what was done in a folder, over a kill."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def claim(self, made_with: str) -> None:
        """Take the folder for results of one file by one engine.

        Raises:
            PermanentError: it has those of another, or cannot be written to.
        """
        place = self._folder / "made_with.txt"
        try:
            if not place.exists():
                with replacing(place, made_with):
                    pass
            known = place.read_text("utf-8")
        except (OSError, ValueError) as error:
            raise PermanentError(
                f"{self._folder} cannot keep results ({error}); name another folder"
            ) from error
        if known != made_with:
            raise PermanentError(
                f"{self._folder} has results of other data or other parts of the engine;"
                " name another folder"
            )

    def outcome(self, setup: str, event: str) -> Outcome | None:
        """Return what an event gave with a setup; `None` where that is not known."""
        return kept(self._place(setup, event), _OUTCOME)

    def put_outcome(self, setup: str, event: str, outcome: Outcome) -> None:
        """Keep what an event gave."""
        keep(self._place(setup, event), _OUTCOME, outcome)

    def reference(self, event: str) -> Reference | None:
        """Return what is known of the reference of an event."""
        return kept(self._place("reference", event), _REFERENCE)

    def put_reference(self, event: str, reference: Reference) -> None:
        """Keep what is known of it."""
        keep(self._place("reference", event), _REFERENCE, reference)

    def is_done(self, setups: tuple[str, ...], event: str) -> bool:
        """Tell whether an event has all that is wanted of it."""
        return self.reference(event) is not None and all(
            self.outcome(one, event) is not None for one in setups
        )

    def count(self, setup: str) -> int:
        """Return how many events have gone through a setup."""
        return sum(1 for _ in (self._folder / setup).glob("*.json"))

    def _place(self, part: str, event: str) -> Path:
        return self._folder / part / f"{_UNSAFE.sub('_', event)}.json"


_OUTCOME = TypeAdapter(Outcome)
_REFERENCE = TypeAdapter(Reference)
