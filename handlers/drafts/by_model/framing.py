"""Shows a model what a draft is made of: the topic, and chunks by their numbers.

Each chunk is an excerpt of its own, called "document" and its number, so that no chunk
can pretend to be another: the number stands outside of what the web wrote. Pure.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from handlers.model import (
    Chunk,
    DraftDocument,
    DraftSection,
    Outline,
    SourceText,
    Topic,
)
from handlers.ports import Excerpt
from handlers.updates.by_model.asking import line, within

_LONGEST_TITLE = 200
_LONGEST_CHUNK = 6_000  # bytes; 256 words of English have some 1,600
_MOST_SECTIONS = 40
_MOST_WANTS = 6


@dataclass(frozen=True, slots=True)
class Shown:
    """The chunks that a model is shown; it names them by their places from 1 on."""

    chunks: tuple[Chunk, ...]
    documents: tuple[DraftDocument, ...]

    def named(self, numbers: Sequence[int]) -> tuple[Chunk, ...] | None:
        """Return what `numbers` name, each once; `None` if one was not given out."""
        if not all(0 < number <= len(self.chunks) for number in numbers):
            return None
        return tuple(self.chunks[number - 1] for number in dict.fromkeys(numbers))

    def text_of(self, chunk: Chunk) -> SourceText | None:
        """Return what was read of the document that a chunk was cut from."""
        found = self._document(chunk)
        return found.reading.document if found else None

    def key_of(self, chunk: Chunk) -> str:
        """Return the key of that document's source."""
        found = self._document(chunk)
        return found.reading.source.key if found else ""

    def _document(self, chunk: Chunk) -> DraftDocument | None:
        return next(
            (one for one in self.documents if one.number == chunk.document), None
        )

    def excerpts(self) -> Iterator[Excerpt]:
        """Yield the chunks, each with the title and the day of its document."""
        for number, chunk in enumerate(self.chunks, 1):
            text = _cut(chunk.text, _LONGEST_CHUNK)
            yield Excerpt(f"document {number}", f"{self._head(chunk)}\n{text}")

    def _head(self, chunk: Chunk) -> str:
        document = self.text_of(chunk)
        if document is None:
            return "Title: -"
        day = document.imprint.published or document.published
        title = line(document.title or "-", _LONGEST_TITLE)
        return f"Title: {title}\nDay: {line(day or 'unknown', 40)}"


def shown(
    chunks: Sequence[Chunk], documents: Sequence[DraftDocument], max_bytes: int
) -> Shown:
    """Return the first of `chunks` that fit, the first one in any case."""
    kept: list[Chunk] = []
    for chunk in chunks:
        max_bytes -= min(_LONGEST_CHUNK, len(chunk.text.encode("utf-8", "replace")))
        if kept and max_bytes < 0:
            break
        kept.append(chunk)
    return Shown(tuple(kept), tuple(documents))


def about(topic: Topic) -> Excerpt:
    """Return the part that names what is drafted, and in which language."""
    lines = [
        f"Title: {line(topic.title, _LONGEST_TITLE)}",
        f"In other words: {line(topic.hint) or '-'}",
        f"Language of the article: {line(topic.language, 20)}",
    ]
    return Excerpt("topic", "\n".join(lines))


def outline_part(outline: Outline) -> Excerpt:
    """Return the part that shows all headings of the article to be."""
    lines = [line(one.heading) or "(lead)" for one in outline.sections[:_MOST_SECTIONS]]
    return Excerpt("headings of the article", "\n".join(lines))


def wanted(heading: str, wants: Sequence[str], words: int) -> Excerpt:
    """Return the part that names a section, what it is to tell, and how long it is."""
    told = "; ".join(line(one) for one in wants[:_MOST_WANTS])
    lines = [
        f"Heading: {line(heading) or '(lead: a summary of the whole)'}",
        f"To tell: {told or '-'}",
        f"Length: about {words} words",
    ]
    return Excerpt("section to write", "\n".join(lines))


def written(earlier: Sequence[DraftSection], max_bytes: int) -> Excerpt:
    """Return the part that shows what is written already, of too much the last."""
    said = [line(one.text) for section in earlier for one in section.sentences]
    last_first = within(said[::-1], max_bytes)
    return Excerpt("written before", "\n".join(last_first[::-1]) or "(nothing)")


def told(role: str, what: str) -> str:
    """Return what became of a model in a role, as a line for a person; of nothing none."""
    return f"the language model as {role}: {what}" if what else ""


def _cut(text: str, max_bytes: int) -> str:
    return text.encode("utf-8", "replace")[:max_bytes].decode("utf-8", "ignore")
