"""A draft made from documents: what is drafted, from which chunks, and its support.

The words are WikiGenBench's: documents are cut into *chunks* of about 256 words, a
*reranker* orders them, and an article is *planned* and *written* so that each sentence
cites the chunks that it comes from. Every value is frozen. Pure.
"""

from dataclasses import dataclass, field
from datetime import date
from enum import Enum

from handlers.model.claims import Span
from handlers.model.fetches import SourceFetch
from handlers.model.verdicts import Engine, Evidence, ModelUse


class DraftMethod(Enum):
    """How a draft is made (WikiGenBench §4)."""

    RR = "rr"  # retrieve, then read: the best chunks give the whole article
    PRR = "prr"  # plan headings, then retrieve and read for each section
    TUNED = "tuned"  # RR with a model that was fine-tuned for it


@dataclass(frozen=True, slots=True)
class Topic:
    """What a draft is asked for.

    `title` is the name of the article to be; `language` is the code of the wiki's
    language, such as "en". `hint` is what the person who asks adds in words: "the flood
    of 2024", or nothing.
    """

    title: str
    language: str = "en"
    hint: str = ""


@dataclass(frozen=True, slots=True)
class DraftDocument:
    """A document that was read for a draft; its `fetch` has a text.

    `number` counts from 0 in the order of the draft's documents and identifies it
    there.
    """

    number: int
    fetch: SourceFetch
    is_reliable: bool = False  # by the wiki's list of sources

    @property
    def text(self) -> str:
        """What was read; "" if nothing was."""
        return self.fetch.document.text if self.fetch.document else ""

    @property
    def title(self) -> str:
        """The page's title, or ""."""
        return (self.fetch.document and self.fetch.document.title) or ""

    @property
    def published(self) -> str:
        """The day that the page states, or the best guess at it; "" if unknown."""
        read = self.fetch.document
        return (read and (read.imprint.published or read.published)) or ""

    @property
    def url(self) -> str:
        """Its address on the web; "" for a file."""
        return self.fetch.url or self.fetch.source.url or ""

    @property
    def name(self) -> str:
        """How people identify it: its address, else its title or number."""
        return self.url or self.title or f"[{self.number + 1}]"


@dataclass(frozen=True, slots=True)
class Chunk:
    """About 256 words of one document: `text == document.text[span.start:span.end]`."""

    document: int  # its number
    number: int  # from 0, in the document
    text: str
    span: Span


@dataclass(frozen=True, slots=True)
class PlannedSection:
    """A heading, and what its section should say, in plain words for a search.

    It should have about `words` words; 0 leaves that to the draft's length.
    """

    heading: str  # empty for the lead
    wants: tuple[str, ...] = ()
    words: int = 0


@dataclass(frozen=True, slots=True)
class CitedChunk:
    """A chunk that a sentence cites, and its words that support the sentence.

    `evidence.span` is a place in the text of the document. `probability` is the
    verifier's estimate that the chunk supports the whole sentence; `None` until it was
    asked. If too much of the document is quoted already, its words are not shown.
    """

    chunk: Chunk
    evidence: Evidence
    probability: float | None = None
    is_shown: bool = True


@dataclass(frozen=True, slots=True)
class DraftSentence:
    """A sentence and what it cites, the best first; never empty in a finished draft.

    If `is_quote`, it is in the first chunk word for word, and is shown as a quotation;
    otherwise a model wrote it. `dated` is when it happened or became known.
    """

    text: str
    cites: tuple[CitedChunk, ...]
    is_quote: bool = True
    dated: date | None = None


@dataclass(frozen=True, slots=True)
class DraftSection:
    """A section: its paragraphs, each of sentences. The lead has no heading."""

    heading: str
    paragraphs: tuple[tuple[DraftSentence, ...], ...]

    @property
    def sentences(self) -> tuple[DraftSentence, ...]:
        """All its sentences in their order."""
        return tuple(one for paragraph in self.paragraphs for one in paragraph)


@dataclass(frozen=True, slots=True)
class WorthReading:
    """A document with more on the topic than may be quoted of it.

    `about` are the headings that the rest belongs under, `sentences` how many sentences
    that is.
    """

    document: int
    about: tuple[str, ...]
    sentences: int


class Left(Enum):
    """Why a document, or a sentence that a model wrote, is not in the draft."""

    NOT_READ = "it could not be read"
    OTHER_LANGUAGE = "it is in another language"
    UNRELIABLE = "the wiki does not accept the site"
    COPY = "it is a copy of a wiki, or of another document"
    NOT_ABOUT_TOPIC = "it is not about the topic"
    NO_SENTENCES = "it has no complete sentences"
    NOT_SUPPORTED = "its source does not support it"
    OTHER_EDITION = "it is about another year"
    DANGLING = "it needs the sentence before it, which is left out"
    TOO_MUCH = "enough of its source is quoted"
    ONE_SOURCE = "only one source says so, about a person or in a dispute"


@dataclass(frozen=True, slots=True)
class LeftOut:
    """Something that is not in the draft, and why. `what` is an address or a sentence."""

    what: str
    why: Left
    detail: str = ""


@dataclass(frozen=True, slots=True)
class Disagreement:
    """Two sentences of a draft that contradict each other, by verifier or figures."""

    one: DraftSentence
    other: DraftSentence
    probability: float
    about: str = ""  # such as "number of dead"


@dataclass(frozen=True, slots=True)
class Draft:
    """What the person who asked gets: a dossier, never an article.

    `sections` begin with the lead. `worth_reading` are documents, the fullest first.
    `documents` are those that could be used, by number; `left_out` lists the others.
    `is_worded` says whether a model wrote any sentences of it. `turns` is how often
    something was planned or written; in `replaced` of these turns the model that was
    asked gave nothing usable, and the built-in planner or writer took over. `reranker`
    is empty if all chunks were read as they stand.
    """

    topic: Topic
    method: DraftMethod
    reranker: str
    engine: Engine
    sections: tuple[DraftSection, ...]
    documents: tuple[DraftDocument, ...]
    worth_reading: tuple[WorthReading, ...] = ()
    disagreements: tuple[Disagreement, ...] = ()
    left_out: tuple[LeftOut, ...] = ()
    troubles: tuple[str, ...] = ()  # each a line for a person
    use: ModelUse = field(default_factory=ModelUse)
    is_worded: bool = False
    turns: int = 0
    replaced: int = 0

    @property
    def sentences(self) -> tuple[DraftSentence, ...]:
        """All its sentences in their order."""
        return tuple(one for section in self.sections for one in section.sentences)
