"""A model writes a section out of chunks (PRR), or a whole article (RR, TunedRR).

WikiGenBench's appendix C asks for prose with numbers in brackets; here the answer is
JSON, so that each sentence comes with the numbers of what it cites, and what does not
hold is taken out sentence by sentence. What is left is verified like any draft.
"""

from collections.abc import Iterator, Sequence
from dataclasses import replace

from handlers.drafts.by_model.answers import (
    ArticleAnswer,
    HeadedAnswer,
    ParagraphAnswer,
    SectionAnswer,
)
from handlers.drafts.by_model.framing import (
    Shown,
    about,
    outline_part,
    shown,
    told,
    wanted,
    written,
)
from handlers.drafts.by_model.headings import cleaned, is_lead, is_usable
from handlers.drafts.by_model.sentences import Taking
from handlers.drafts.roles import Order, Writer
from handlers.model import DraftSection, DraftSentence, Setback
from handlers.ports import Excerpt, LanguageModel, ModelRequest
from handlers.updates.by_model.asking import Heard, Sizes, line, put
from handlers.updates.roles import Turn
from handlers.wikitext.anchors import normalised

_MANNER = """
- Say what the documents say and nothing else: no number, name, date or cause that is \
not in them, nothing that you know from elsewhere, no conclusions of your own.
- Every sentence stands by itself in "text", whole, plain and neutral, in the language of \
the article and in words of your own; only names, numbers and dates stay as they are. \
Write dates out, never "yesterday" or "recently". No praise, no comment, nothing said to \
the reader, no wikitext, and no numbers in brackets.
- Give in "cites" the numbers of the documents that bear out all of the sentence: mostly \
one, and never one that was not shown. What no document bears out is not written.
- Where documents disagree, give each figure in a sentence of its own, with its document.
- Say nothing twice.
"""

SECTION = f"""
You write one section of an encyclopaedia article for editors who will check each \
sentence of it. You are given the topic, the headings of the article, the section to \
write, what was written before, and numbered documents.
{_MANNER}
Answer with the paragraphs of this one section, each a list of sentences in the order \
in which a reader needs them. Come near to the length that is asked for where the \
documents hold enough for the section, else write less. If they hold nothing for it, \
answer with an empty list.
"""

ARTICLE = f"""
You write the first draft of an encyclopaedia article for editors who will check each \
sentence of it. You are given the topic, the length that is asked for, and numbered \
documents, which are all that there is to write from.
{_MANNER}
Answer with the sections of the article. The first has an empty heading and opens the \
article: what the topic is, where, when, and why it is known. The others each have a \
"heading" of one to five words that names a part of the topic; there is no introduction, \
no conclusion and no list of references. Come near to the length where the documents \
hold enough, else write less.
"""

SIZES = Sizes(output_tokens=6_000)

_ROLE = "writer"
_TOKENS_PER_WORD = 3  # JSON and numbers included
_TOKENS_BESIDE = 300
_MORE = 1.5  # times the words asked for that a model may write
_MOST_TOLD = 3


class ModelWriter:
    """Fulfils `handlers.drafts.roles.Writer`."""

    def __init__(
        self,
        model: LanguageModel,
        fallback: Writer,
        sizes: Sizes = SIZES,
        *,
        most_chunks: int | None = None,
    ) -> None:
        """Follow `model`, sentence by sentence; take `fallback` where none holds.

        Args:
            model: is shown the best chunks.
            fallback: the embedded writer, which gets all chunks of an order.
            sizes: an answer has at most `output_tokens`, and what is asked for is
                kept so short that it fits.
            most_chunks: that the model is shown, the paper's 5; `None` for all that
                fit.
        """
        self._model = model
        self._fallback = fallback
        self._sizes = sizes
        self._most_chunks = most_chunks

    async def write(self, order: Order) -> Turn[tuple[DraftSection, ...]]:
        """Return the section asked for, or all; each sentence cites some of the chunks.

        Without an answer that can be used it is the embedded writer's. A section that
        the model leaves empty, because the documents hold nothing for it, is left out.
        The detail of a turn tells in a line what was taken out, or what went wrong.
        """
        if not order.chunks:
            return await self._fallback.write(order)
        asked = replace(order, chunks=order.chunks[: self._most_chunks])
        if order.section is None:
            heard = await put(self._model, article_request(asked, self._sizes))
            answers = [] if heard.value is None else heard.value.sections
            return await self._turn(order, heard, answers)
        part = await put(self._model, section_request(asked, self._sizes))
        if part.value is not None and not part.value.paragraphs:
            heading = line(order.section.heading) or "the lead"
            return Turn(
                (), part.use, detail=told(_ROLE, f"found nothing for {heading}")
            )
        answers = []
        if part.value is not None:
            answers = [HeadedAnswer(heading="", paragraphs=part.value.paragraphs)]
        return await self._turn(order, part, answers)

    async def _turn(
        self,
        order: Order,
        heard: Heard[ArticleAnswer] | Heard[SectionAnswer],
        answers: Sequence[HeadedAnswer],
    ) -> Turn[tuple[DraftSection, ...]]:
        """Return what of the answers holds, or the embedded writer's sections."""
        asked = replace(order, chunks=order.chunks[: self._most_chunks])
        sections, left = drafted(asked, answers, self._sizes)
        if sections:
            return Turn(sections, heard.use, detail=told(_ROLE, _counted(left)))
        setback, detail = heard.setback, heard.detail
        if setback is None:
            setback = Setback.NOT_BORNE_OUT
            detail = _counted(left) or "it wrote no sentence"
        turn = await self._fallback.write(order)
        why = told(_ROLE, detail or setback.value)
        return Turn(turn.value, turn.use + heard.use, setback, why)


def article_request(order: Order, sizes: Sizes) -> ModelRequest[ArticleAnswer]:
    """Return the question for a whole article (RR)."""
    words = _length(order, sizes)
    content = (
        about(order.topic),
        Excerpt("length", f"about {words} words"),
        *_shown(order, sizes).excerpts(),
    )
    return ModelRequest(ARTICLE, content, ArticleAnswer)


def section_request(order: Order, sizes: Sizes) -> ModelRequest[SectionAnswer]:
    """Return the question for the section that is asked for, which is not `None`."""
    words = _length(order, sizes)
    return ModelRequest(
        SECTION,
        tuple(_of_section(order, words, sizes)),
        SectionAnswer,
    )


def drafted(
    order: Order, answers: Sequence[HeadedAnswer], sizes: Sizes
) -> tuple[tuple[DraftSection, ...], list[str]]:
    """Return what of an answer holds, and in plain words why the rest does not.

    Args:
        order: what was asked for; one section goes under its own heading.
        answers: the sections as the model wrote them.
        sizes: those of the request, for they decide which chunks were shown.
    """
    known = [one.text for section in order.earlier for one in section.sentences]
    taking = Taking(order.topic, _shown(order, sizes), known)
    writing = _Writing(taking, int(order.words * _MORE))
    heading: str | None = None
    for answer in answers:
        heading = _heading(order, answer.heading, heading)
        writing.add(heading, answer.paragraphs)
    return writing.sections(), taking.left


class _Writing:
    """Puts sections together; those of one heading become one."""

    def __init__(self, taking: Taking, words: int) -> None:
        self._taking = taking
        self._words_left = words
        self._made: dict[str, tuple[str, list[tuple[DraftSentence, ...]]]] = {}

    def add(self, heading: str, paragraphs: Sequence[ParagraphAnswer]) -> None:
        """Add what of some paragraphs holds, for as long as there is room."""
        key = normalised(heading)
        _, made = self._made.setdefault(key, (heading, []))
        for paragraph in paragraphs:
            taken = tuple(self._taken(paragraph))
            if taken:
                made.append(taken)

    def sections(self) -> tuple[DraftSection, ...]:
        """Return the sections that have sentences, the lead first."""
        found = [
            DraftSection(heading, tuple(paragraphs))
            for heading, paragraphs in self._made.values()
            if paragraphs
        ]
        return tuple(sorted(found, key=lambda one: bool(one.heading)))

    def _taken(self, paragraph: ParagraphAnswer) -> Iterator[DraftSentence]:
        for one in paragraph.sentences:
            if self._words_left <= 0:
                self._taking.left.append("there was no room for it")
                continue
            for sentence in self._taking.take(one.text, one.cites):
                self._words_left -= len(sentence.text.split())
                yield sentence


def _heading(order: Order, given: str, before: str | None) -> str:
    """Return the heading that a section goes under; an unusable one is not begun."""
    if order.section is not None:
        return order.section.heading
    heading = cleaned(given)
    if is_lead(heading):
        return ""
    return heading if is_usable(heading, order.topic) else before or ""


def _of_section(order: Order, words: int, sizes: Sizes) -> Iterator[Excerpt]:
    section = order.section
    yield about(order.topic)
    yield outline_part(order.outline)
    if section is not None:
        yield wanted(section.heading, section.wants, words)
    yield written(order.earlier, sizes.input_bytes // 6)
    yield from _shown(order, sizes).excerpts()


def _shown(order: Order, sizes: Sizes) -> Shown:
    return shown(order.chunks, order.documents, sizes.input_bytes * 3 // 4)


def _length(order: Order, sizes: Sizes) -> int:
    """Return how many words to ask for: as many as an answer can hold."""
    room = max(50, (sizes.output_tokens - _TOKENS_BESIDE) // _TOKENS_PER_WORD)
    return max(1, min(order.words, room))


def _counted(left: Sequence[str]) -> str:
    """Return in a line how much of an answer was left out, and why."""
    if not left:
        return ""
    reasons = list(dict.fromkeys(left))
    more = " …" if len(reasons) > _MOST_TOLD else ""
    plural = "" if len(left) == 1 else "s"
    return f"{len(left)} sentence{plural} left out: {'; '.join(reasons[:_MOST_TOLD])}{more}"
