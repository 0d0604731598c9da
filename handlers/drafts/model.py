"""A draft's roles played by a language model (WikiGenBench §4), with a fallback.

A model sees numbered chunks, each with the address, title and date of its document, and
answers in JSON. One plan gives headings and what each section should cover; the
sections are requested in parallel. Sentences that fail a check are sent back once, with
the reason; if they fail again, they are dropped. If nothing passes, the embedded role
takes over, with the reason. Pure; the roles await their model and the verifier.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Annotated

from pydantic import AfterValidator

from handlers.drafts.check import (
    Answered,
    AnswerReader,
    Shown,
    judged,
    no_statement,
    stated_day,
)
from handlers.drafts.chunks import WORDS_PER_CHUNK
from handlers.drafts.roles import Order, Outline
from handlers.model import (
    Chunk,
    DraftDocument,
    DraftMethod,
    DraftSection,
    DraftSentence,
    ModelFailure,
    ModelUse,
    PlannedSection,
    Topic,
)
from handlers.page.prose import normalised
from handlers.ports import Excerpt, LanguageModel, ModelRequest, Verifier
from handlers.updates.criteria import is_apparatus
from handlers.updates.questions import (
    Few,
    Form,
    Line,
    Sizes,
    ask,
    ask_model,
    line,
    within,
)
from handlers.updates.roles import RoleAnswer

PLAN = """
You plan an encyclopaedia article before it is written. You are shown its topic, the \
titles of the documents that were gathered, and parts of the best of them. Nothing else \
will be used for the article, so plan no section that these documents cannot fill.

Answer with:

- "lead": one to three short phrases for what the opening paragraph has to say: what the \
topic is, who was involved, where, when, and how it ended.
- "sections": the sections after it in the order in which a reader needs them; for an \
event mostly what led to it, what happened in the order of time, what came of it, and \
what was said and done about it. Each has a "heading" of one to five words in the \
language of the article, as encyclopaedias word them, and in "wants" one to four short \
phrases for what the section says, with the names, places and dates of these documents \
that a search would need.

Name what the topic itself calls for ("Casualties", "Route", "Semi-finals"), not parts of \
an essay: no introduction, conclusion or summary, no references or links, and no title \
of a document. No two sections may say the same. Few sections with much to say are \
better than many with little. Where the title names a year, an edition or a place, plan \
for that one alone.
"""

_MANNER = """
- Say what the documents say and nothing else: no number, name, date or cause that is \
not in them, nothing that you know from elsewhere, no conclusions of your own.
- Every "text" is one whole, plain and neutral sentence that can be read by itself, in \
the language of the article and in your own words: never more than ten words in a row as \
a document has them. Names, numbers and dates stay as they are. Write dates out, counted \
from the day of the document; never "yesterday" or "recently". No praise, no comment, \
nothing addressed to the reader, no wikitext, and no numbers in brackets.
- Give what somebody claims, fears or praises as theirs, with the name of the speaker \
in the same sentence. Leave out what is said against a person unless two documents of \
different addresses say it; cite both.
- Write about the year, edition and place that the topic names, not about others.
- Give in "cites" the numbers of the documents, mostly one. Each must support the whole \
sentence by itself: what takes two documents is two sentences. Never cite one that was \
not shown, and do not write what no document supports.
- Where documents disagree, give each figure in a sentence of its own, with its document.
- Say nothing twice.
"""

SECTION = f"""
You write one section of an encyclopaedia article for editors who will check each \
sentence. You are given the topic, the headings of the article, the section to \
write, and numbered documents.
{_MANNER}
Answer with this one section, "heading" empty, in paragraphs, each a list of sentences \
in the order in which a reader needs them. Write what belongs under this heading and \
under no other of them. Come near to the length that is asked for if the documents have \
enough for the section, else write less. If they have nothing for it, answer with no \
section.
"""

LEAD = f"""
You write the opening paragraph of an encyclopaedia article for editors who will check \
each sentence. You are given the topic, the sentences of the sections after it, and \
numbered documents.
{_MANNER}
Answer with one section, "heading" empty, of one paragraph: two to six sentences that \
sum the article up: what the topic is, who was involved, where and when it happened, and what came of it. It may \
repeat what the sections say, in fewer words; cite the documents for it.
"""

ARTICLE = f"""
You write the first draft of an encyclopaedia article for editors who will check each \
sentence of it. You are given the topic, the length that is asked for, and numbered \
documents; use nothing else.
{_MANNER}
Answer with the sections of the article. The first has an empty heading and opens the \
article: what the topic is, who was involved, where, when, and what came of it. The \
others each have a "heading" of one to five words that names a part of the topic; there \
is no introduction, no conclusion and no list of references. Come near to the length \
if the documents have enough, else write less.
"""

REPAIR = f"""
Sentences of a draft were checked against the documents that they cite and were refused. \
You are given each with its number and the reason, and the documents by their numbers.
{_MANNER}
Answer with "sentences": for each that can be corrected, its "number", the corrected \
"text" and "cites". Take out what the documents do not say, or correct what they say \
otherwise; leave a sentence out of the answer if nothing of worth remains.
"""

SIZES = Sizes(output_tokens=6_000)

_TOKENS_PER_WORD = 3  # JSON and numbers included
_TOKENS_BESIDE = 300
_TOKENS_PER_CHUNK = WORDS_PER_CHUNK * 7 // 5
_MORE = 1.5  # times the words asked for: the most that a model may write
_MOST_REASONS = 3
_MOST_REPAIRED = 20
_MOST_WANTS, _LONGEST_WANT = 6, 120
_LONGEST_TITLE = 200
_LONGEST_SENTENCE = 700  # characters of an answer's sentence that are read
_LONGEST_CHUNK = 6_000  # bytes; 256 English words have about 1,600
_LONGEST_HEADING, _MOST_HEADING_WORDS = 80, 8
_AROUND = re.compile(r"^[\s=#*:.\-–—]+|^\d{1,2}[.)]\s+|[\s=#*:.\-–—]+$")


# --- the forms of answers -----------------------------------------------------------


def _sentence(text: str) -> str:
    return line(text, _LONGEST_SENTENCE)


class SentenceAnswer(Form):
    """A sentence, and the numbers of what it cites."""

    text: Annotated[str, AfterValidator(_sentence)]
    cites: Annotated[list[int], Few]


class ParagraphAnswer(Form):
    """A paragraph."""

    sentences: Annotated[list[SentenceAnswer], Few]


class HeadedAnswer(Form):
    """A section; the first of an article, or one that was asked for, has no heading."""

    heading: Line
    paragraphs: Annotated[list[ParagraphAnswer], Few]


class ArticleAnswer(Form):
    """A whole article, or the one section that was asked for."""

    sections: Annotated[list[HeadedAnswer], Few]


class PlannedAnswer(Form):
    """One section that the model plans."""

    heading: Line
    wants: Annotated[list[Line], Few]


class OutlineAnswer(Form):
    """The whole plan."""

    lead: Annotated[list[Line], Few]
    sections: Annotated[list[PlannedAnswer], Few]


class MendedAnswer(Form):
    """A sentence that was sent back, corrected."""

    number: int
    text: Annotated[str, AfterValidator(_sentence)]
    cites: Annotated[list[int], Few]


class RepairAnswer(Form):
    """All sentences that could be corrected."""

    sentences: Annotated[list[MendedAnswer], Few]


# --- planner and writer -------------------------------------------------------------


def expected_use(method: DraftMethod, sections: int, chunks: int) -> ModelUse:
    """Return an estimate of what a draft will use, without its cost.

    One call for the plan, one for each section and the lead, and repairs for half.

    Args:
        method: how the draft is made.
        sections: the most that may be planned.
        chunks: how many are shown for each section.
    """
    shown = chunks * _TOKENS_PER_CHUNK
    if method is not DraftMethod.PRR:
        return ModelUse(2, 0, 2 * (_TOKENS_BESIDE + sections * shown), 6_000)
    parts = (sections + 1) * 3 // 2
    tokens_in = sections * shown + parts * (_TOKENS_BESIDE + shown)
    return ModelUse(1 + parts, 0, tokens_in, 500 + 500 * parts)


class ModelAuthor:
    """Plans and writes: a `Planner` and a `Writer` of `handlers.drafts.roles`.

    The paper asks only for section names. Here each comes with what it should cover,
    because those words are used to search for the section's chunks.
    """

    def __init__(
        self,
        model: LanguageModel,
        sizes: Sizes = SIZES,
        *,
        verifier: Verifier | None = None,
        most_chunks: int | None = None,
    ) -> None:
        """Ask `model`.

        Args:
            model: the model, which is shown the best chunks.
            sizes: an answer has at most `output_tokens`, so no more words are asked for
                than fit.
            verifier: judges sentences; those it doubts are sent back.
            most_chunks: how many the model is shown for a section; 5 in the paper,
                `None` for all that fit.
        """
        self._model = model
        self._sizes = sizes
        self._verifier = verifier
        self._most_chunks = most_chunks

    async def plan(
        self,
        topic: Topic,
        documents: Sequence[DraftDocument],
        chunks: Sequence[Chunk],
    ) -> RoleAnswer[Outline | None]:
        """Return the lead and the sections after it, if there are usable headings."""
        share = self._sizes.input_bytes // 6
        titles = [line(one.title, _LONGEST_TITLE) for one in documents if one.title]
        listed = "\n".join(within(list(dict.fromkeys(titles)), share))
        content = (
            _about(topic),
            Excerpt("titles of the documents", listed or "(none)"),
            *_excerpts(_fitting(chunks, documents, self._sizes.input_bytes - share)),
        )
        reply = await ask_model(self._model, PLAN, content, OutlineAnswer)
        if reply.value is None:
            return RoleAnswer(None, reply.use, reply.failure, reply.detail)
        sections: dict[str, PlannedSection] = {}
        for one in reply.value.sections:
            heading = cleaned(one.heading)
            if is_usable(heading, topic):
                section = PlannedSection(heading, _wants(one.wants))
                sections.setdefault(normalised(heading), section)
        if not sections:
            why = "none of its planned headings can be used"
            return RoleAnswer(None, reply.use, ModelFailure.UNREADABLE, why)
        lead = PlannedSection("", _wants(reply.value.lead))
        return RoleAnswer((lead, *sections.values()), reply.use)

    async def write(self, order: Order) -> RoleAnswer[tuple[DraftSection, ...] | None]:
        """Return the section asked for, or all, with the sentences that pass.

        A section that the model leaves empty, because the documents have nothing on it,
        is left out. The detail of the answer says in one line what was removed, or what
        went wrong.
        """
        order = replace(order, chunks=order.chunks[: self._most_chunks])
        reply = await ask(self._model, writing_request(order, self._sizes))
        if reply.value is None:
            return RoleAnswer(None, reply.use, reply.failure, reply.detail)
        sections = reply.value.sections
        if order.section and not any(one.paragraphs for one in sections):
            heading = line(order.section.heading) or "the lead"
            return RoleAnswer((), reply.use, detail=f"found nothing for {heading}")
        manuscript = Manuscript(order, sections, self._sizes)
        use = reply.use + await self._repaired(order, manuscript)
        made, left = manuscript.sections()
        why = _counted(left)
        if made:
            return RoleAnswer(made, use, detail=why)
        why = why or "it wrote no sentences"
        return RoleAnswer(None, use, ModelFailure.QUOTE_DOES_NOT_SUPPORT, why)

    async def _repaired(self, order: Order, manuscript: "Manuscript") -> ModelUse:
        """Send failed sentences back to the model once; return what that used."""
        if self._verifier is not None:
            await manuscript.judge(self._verifier)
        refused = manuscript.refused()[:_MOST_REPAIRED]
        if not refused:
            return ModelUse()
        reply = await ask(self._model, repair_request(order, refused, self._sizes))
        for one in reply.value.sentences if reply.value else ():
            if 0 < one.number <= len(refused):
                manuscript.mend(refused[one.number - 1], one)
        return reply.use


def _wants(phrases: Sequence[str]) -> tuple[str, ...]:
    """Return phrases to search with, except those that state nothing."""
    short = (line(one, _LONGEST_WANT) for one in phrases)
    fair = [one for one in short if one and no_statement(one) is None]
    return tuple(dict.fromkeys(fair))[:_MOST_WANTS]


class Manuscript:
    """A model's answer on its way to sections; those with the same heading become one.

    The first section is the lead, and an unusable heading starts none of its own. A
    sentence that failed keeps its place, because it may come back corrected.
    """

    def __init__(
        self, order: Order, answers: Sequence[HeadedAnswer], sizes: Sizes
    ) -> None:
        """Read `answers`, as long as there is room.

        Args:
            order: what was asked for; a single section keeps its own heading.
            answers: the sections as the model wrote them.
            sizes: those of the request, which decide which chunks were shown.
        """
        self._topic = order.topic
        self._reader = AnswerReader(order.topic, _shown(order, sizes))
        self._lines: list[tuple[str, int, Answered]] = []  # heading, paragraph
        self._no_room = 0
        words_left, number = int(order.words * _MORE), 0
        heading = order.section.heading if order.section else ""
        headings: dict[str, str] = {}
        for at, answer in enumerate(answers):
            own = cleaned(answer.heading)
            if at and not order.section and is_usable(own, order.topic):
                heading = headings.setdefault(normalised(own), own)
            for paragraph in answer.paragraphs:
                number += 1
                for one in paragraph.sentences:
                    if words_left <= 0:
                        self._no_room += 1
                        continue
                    for made in self._reader.read(one.text, one.cites):
                        self._lines.append((heading, number, made))
                        words = made.sentence.text.split() if made.sentence else ()
                        words_left -= len(words)

    async def judge(self, verifier: Verifier) -> None:
        """Refuse what the verifier finds unsupported, with its reason."""
        for at, (heading, number, one) in enumerate(self._lines):
            if one.sentence is not None:
                held, why = await judged(self._topic, one.sentence, heading, verifier)
                if held is None:
                    refused = replace(one, sentence=None, why=why)
                    self._lines[at] = heading, number, refused

    def refused(self) -> list[Answered]:
        """Return the sentences that failed, or should be worded again."""
        return [one for *_, one in self._lines if one.why]

    def mend(self, refused: Answered, answer: MendedAnswer) -> None:
        """Replace a sentence that failed by a corrected one, if that passes."""
        for at, (heading, number, one) in enumerate(self._lines):
            if one is refused:
                read = self._reader.read(answer.text, answer.cites)
                made = [(heading, number, each) for each in read if each.sentence]
                self._lines[at : at + 1] = made or [(heading, number, refused)]
                return

    def sections(self) -> tuple[tuple[DraftSection, ...], list[str]]:
        """Return the sections that have sentences, the lead first.

        And in plain words why others were left out, one for each.
        """
        held: dict[str, dict[int, list[DraftSentence]]] = {}
        left = ["there was no room for it"] * self._no_room
        before: tuple[str, int] | None = None  # where a sentence was kept just now
        for heading, number, one in self._lines:
            place = heading, number
            # Where something is still wrong with a sentence, it needs the one before.
            if one.sentence is None or (one.why and before != place):
                left.append(one.why)
                before = None
            else:
                before = place
                held.setdefault(heading, {}).setdefault(number, []).append(one.sentence)
        sections = tuple(
            DraftSection(heading, tuple(map(tuple, held[heading].values())))
            for heading in sorted(held, key=bool)
        )
        return sections, left


def _counted(left: Sequence[str]) -> str:
    """Return in one line how much of an answer was left out, and why."""
    if not left:
        return ""
    reasons = list(dict.fromkeys(left))
    more = " …" if len(reasons) > _MOST_REASONS else ""
    plural = "" if len(left) == 1 else "s"
    shown = "; ".join(reasons[:_MOST_REASONS])
    return f"{len(left)} sentence{plural} left out: {shown}{more}"


def cleaned(heading: str) -> str:
    """Return a heading on one line, without the markup that models put around it."""
    text, before = line(heading, 4 * _LONGEST_HEADING), ""
    while text != before:
        text, before = _AROUND.sub("", text), text
    return text


def is_usable(heading: str, topic: Topic) -> bool:
    """Return whether a cleaned heading may start a section."""
    folded = normalised(heading)
    is_long = len(heading) > _LONGEST_HEADING
    if not folded or is_long or len(heading.split()) > _MOST_HEADING_WORDS:
        return False
    is_named = folded == normalised(topic.title) or is_apparatus((heading,))
    return not is_named and no_statement(heading) is None


# --- what a model is shown ----------------------------------------------------------


def writing_request(order: Order, sizes: Sizes) -> ModelRequest[ArticleAnswer]:
    """Return the question for the section of an order, or the whole article (RR)."""
    length = f"about {_length(order, sizes)} words"
    content = [_about(order.topic)]
    instructions, section = ARTICLE, order.section
    if section is None:
        content.append(Excerpt("length", length))
    else:
        instructions = SECTION if section.heading else LEAD
        headings = [one.heading or "(lead)" for one in order.outline]
        lines = (
            f"Heading: {section.heading or '(lead: a summary of the whole)'}",
            f"To cover: {'; '.join(section.wants) or '-'}",
            f"Length: {length}",
        )
        content += (
            Excerpt("headings of the article", "\n".join(headings)),
            Excerpt("section to write", "\n".join(lines)),
        )
    if instructions == LEAD:
        sentences = [line(one.text) for each in order.earlier for one in each.sentences]
        shown = within(sentences, sizes.input_bytes // 6)
        content.append(Excerpt("sections", "\n".join(shown) or "(nothing)"))
    content += _excerpts(_shown(order, sizes))
    return ModelRequest(instructions, tuple(content), ArticleAnswer)


def repair_request(
    order: Order, refused: Sequence[Answered], sizes: Sizes
) -> ModelRequest[RepairAnswer]:
    """Return the question for sentences that failed, each with the reason."""
    lines = [
        f"{number}. {line(one.text, _LONGEST_SENTENCE)} (cites"
        f" {', '.join(map(str, one.cites)) or 'nothing'}) Reason: {line(one.why)}"
        for number, one in enumerate(refused, 1)
    ]
    listed = Excerpt("refused sentences", "\n".join(lines))
    content = (_about(order.topic), listed, *_excerpts(_shown(order, sizes)))
    return ModelRequest(REPAIR, content, RepairAnswer)


def _shown(order: Order, sizes: Sizes) -> Shown:
    return _fitting(order.chunks, order.documents, sizes.input_bytes * 3 // 4)


def _fitting(
    chunks: Sequence[Chunk], documents: Sequence[DraftDocument], max_bytes: int
) -> Shown:
    """Return the first of `chunks` that fit, at least one."""
    by_number = {one.number: one for one in documents}
    fitting: list[tuple[Chunk, DraftDocument]] = []
    for chunk in chunks:
        max_bytes -= min(_LONGEST_CHUNK, len(chunk.text.encode("utf-8", "replace")))
        if fitting and max_bytes < 0:
            break
        fitting.append((chunk, by_number[chunk.document]))
    return tuple(fitting)


def _excerpts(shown: Shown) -> Iterator[Excerpt]:
    """Yield each chunk as a separate excerpt, with its page's title and date.

    The number is outside the text from the web, so that no chunk can pretend to be
    another.
    """
    for number, (chunk, document) in enumerate(shown, 1):
        text = chunk.text.encode("utf-8", "replace")[:_LONGEST_CHUNK]
        lines = (
            f"Title: {line(document.title, _LONGEST_TITLE) or '-'}",
            f"Address: {line(document.url, _LONGEST_TITLE) or '-'}",
            f"Day: {line(stated_day(document), 40) or 'unknown'}",
            text.decode("utf-8", "ignore"),
        )
        yield Excerpt(f"document {number}", "\n".join(lines))


def _about(topic: Topic) -> Excerpt:
    """Return the part of a question that names the topic and the language."""
    lines = [
        f"Title: {line(topic.title, _LONGEST_TITLE)}",
        f"In other words: {line(topic.hint) or '-'}",
        f"Language of the article: {line(topic.language, 20)}",
    ]
    return Excerpt("topic", "\n".join(lines))


def _length(order: Order, sizes: Sizes) -> int:
    """Return how many words to ask for, so that the answer fits."""
    room = max(50, (sizes.output_tokens - _TOKENS_BESIDE) // _TOKENS_PER_WORD)
    return max(1, min(order.words, room))
