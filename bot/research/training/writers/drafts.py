"""Makes the set that a writer of drafts learns from (TunedRR, WikiGenBench §4, B.3).

A stronger model is asked for a draft on each event, and what its chunks support is
kept. The paper uses GPT-4's answers as they are, and finds that its tuned models lack
better data. Here an answer is checked like any draft: a sentence is left out if it
names something that is not in its chunks, or if the verifier does not find it
supported. Sentences that are the source's own words are left out too: a model is to
write, not to copy.

A folder holds `events/` with a file for each event (its example, or why there is none,
and what it cost), `README.txt` on whose texts these are, and `train.jsonl` and
`test.jsonl` with the examples and `train.chat.jsonl` and `test.chat.jsonl` with the
conversations. What was paid for is kept, and not asked for again.

How well models write drafts is measured by the metrics of the paper, on examples that
none was trained on. A model's answers are measured as they are, with nothing taken out:
the checks of a draft would hide what training is to fix.
"""

from collections import Counter
from collections.abc import Awaitable, Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from decimal import Decimal
from pathlib import Path
from typing import Annotated, Any

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from bot.models.language_model.prompt import Message
from bot.research.evaluation.checkpoints import short_name, write
from bot.research.evaluation.drafts.judge import (
    CitationJudge,
    CitedText,
    Part,
    Sentence,
    citing,
)
from bot.research.evaluation.drafts.overlap import bleu, meteor, rouge_l, words
from bot.research.evaluation.drafts.setups import Documents, documents_of
from bot.research.evaluation.events import Event
from bot.research.evaluation.report import Progress
from bot.research.training.writers import chat
from bot.research.training.writers.chat import (
    answer_message,
    request_messages,
    write_sets,
)
from handlers.drafts.dossier import Cast, draft
from handlers.drafts.model import (
    SIZES,
    ArticleAnswer,
    HeadedAnswer,
    Manuscript,
    ParagraphAnswer,
    SentenceAnswer,
    cleaned,
    writing_request,
)
from handlers.drafts.roles import Order, Rules
from handlers.model import (
    Chunk,
    DraftDocument,
    DraftSection,
    DraftSentence,
    Engine,
    ModelFailure,
    ModelUse,
    PlannedSection,
    Source,
    SourceFetch,
    SourceForm,
    SourceOutcome,
    SourceText,
    Span,
    Topic,
)
from handlers.ports import LanguageModel, PermanentError
from handlers.sources.reliability import ReliabilityLists
from handlers.updates.questions import Sizes, ask
from handlers.updates.roles import RoleAnswer

LICENCE = """\
Examples for training a model that writes drafts (sidenote train draft).

Whose texts these are: the passages are parts of web pages of other people, from the
events of WikiGenBench, which are for research. The drafts were written by {writer};
the terms of whoever runs that model say whether a model may be trained on its answers,
and what for. Do not publish this folder. Before you publish a model that was trained on
it, see that both allow it.

What was kept: sentences that {verifier} finds supported by the passages they cite.
"""
_MOST_CHUNKS = 50
_LONGEST_TEXT = 20_000
Text = Annotated[str, Field(max_length=_LONGEST_TEXT)]


class ChunkRecord(BaseModel):
    """A chunk as it was shown, with the details of its page."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    address: Text
    title: Text
    published: Text = ""
    text: Text


class DraftExample(BaseModel):
    """A draft of a stronger model, without what its chunks do not support.

    `answer` cites chunks by their places, from 1. `words` is the length that was
    asked for; `written` and `kept` count sentences. `output_tokens` and `input_bytes`
    are the limits that the question was asked with.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    id: str
    title: Text
    language: str
    words: int
    input_bytes: int
    output_tokens: int
    chunks: Annotated[tuple[ChunkRecord, ...], Field(max_length=_MOST_CHUNKS)]
    answer: ArticleAnswer
    written: int
    kept: int
    writer: str
    verifier: str

    @property
    def is_for_test(self) -> bool:
        return chat.is_held_out(self.title)

    @property
    def sizes(self) -> Sizes:
        return Sizes(self.input_bytes, self.output_tokens)


class Note(BaseModel):
    """What an event gave, and what that cost."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    title: str
    example: DraftExample | None
    why_not: str
    calls: int
    input_tokens: int
    output_tokens: int
    cost: Decimal


@dataclass(frozen=True, slots=True)
class Wanted:
    """How drafts are asked for. `least_kept` is how much of an answer must hold."""

    documents: Documents = Documents.MIXED
    chunks: int = Rules().chunks
    words: int = Rules().words
    least_kept: float = 0.5
    sizes: Sizes = SIZES


@dataclass(frozen=True, slots=True)
class Stronger:
    """The model to learn from, and what makes drafts with it.

    The writer of `cast` is not asked.
    """

    model: LanguageModel
    cast: Cast
    lists: ReliabilityLists


async def prepare(
    events: Sequence[Event],
    stronger: Stronger,
    wanted: Wanted,
    folder: Path,
    progress: Progress,
) -> dict[str, Any]:
    """Make the set, and return counts of the result.

    Events that an earlier run with the same questions has done are taken from their
    files. If the budget ends or the model cannot be reached any more, the set is made
    from what there is, and `stopped` says so.
    """
    (folder / "events").mkdir(parents=True, exist_ok=True)
    progress.started(len(events))
    notes: list[Note] = []
    stopped = ""
    for event in events:
        file = _file(folder, event, stronger, wanted)
        note = _stored_note(file)
        if note is None:
            made = await example_of(event, stronger, wanted)
            if made.stopped:
                stopped = made.stopped
                break
            note = Note(
                title=event.title,
                example=made.example,
                why_not=made.why_not,
                calls=made.use.calls,
                input_tokens=made.use.input_tokens,
                output_tokens=made.use.output_tokens,
                cost=made.use.cost,
            )
            write(file, note.model_dump_json())
        notes.append(note)
        progress.advance()
    summary = _summary(notes, stopped)
    examples = [one.example for one in notes if one.example is not None]
    if not examples:
        raise PermanentError(f"no draft gives an example: {_why(summary)}")
    first = examples[0]
    licence = LICENCE.format(writer=first.writer, verifier=first.verifier)
    write(folder / "README.txt", licence)
    sets = {
        name: [
            (one, conversation(one)) for one in examples if one.is_for_test is is_test
        ]
        for name, is_test in (("train", False), ("test", True))
    }
    return {**summary, "conversations": write_sets(sets, folder)}


@dataclass(frozen=True, slots=True)
class Made:
    """An example, or why there is none, and what asking for it took.

    With `stopped`, the model cannot be asked for now, and nothing is known of the
    event.
    """

    example: DraftExample | None
    use: ModelUse
    why_not: str = ""
    stopped: str = ""


def _stored_note(file: Path) -> Note | None:
    """Return what an earlier run found out; `None` if its file is broken."""
    with suppress(OSError, UnicodeDecodeError, ValidationError):
        return Note.model_validate_json(file.read_text("utf-8"))
    return None


def _summary(notes: Sequence[Note], stopped: str) -> dict[str, Any]:
    found = [one.example for one in notes if one.example is not None]
    left_out = Counter(one.why_not for one in notes if one.example is None)
    return {
        "events": len(notes),
        "examples": len(found),
        "left_out": dict(left_out.most_common()),
        "sentences": {
            "written": sum(one.written for one in found),
            "kept": sum(one.kept for one in found),
        },
        "calls": sum(one.calls for one in notes),
        "input_tokens": sum(one.input_tokens for one in notes),
        "output_tokens": sum(one.output_tokens for one in notes),
        "cost": str(sum((one.cost for one in notes), Decimal(0))),
        **({"stopped": f"{stopped}; run it again to continue"} if stopped else {}),
    }


def _why(summary: dict[str, Any]) -> str:
    reasons = [f"{why} ({count})" for why, count in summary["left_out"].items()]
    return summary.get("stopped") or "; ".join(reasons) or "there are no events"


def _file(folder: Path, event: Event, stronger: Stronger, wanted: Wanted) -> Path:
    """Return the file of an event; it differs by model and question."""
    name = short_name(
        event.id,
        event.title,
        stronger.model.engine.version,
        stronger.cast.reranker.name,
        stronger.cast.verifier.engine.version,
        repr(wanted),
    )
    return folder / "events" / f"{name}.json"


_STOPS = frozenset({ModelFailure.OUT_OF_BUDGET, ModelFailure.OUT_OF_REACH})
_FEWEST_SENTENCES = 5


async def example_of(event: Event, stronger: Stronger, wanted: Wanted) -> Made:
    """Return what the stronger model's draft on an event gives to learn from."""
    gathered = documents_of(event, wanted.documents, stronger.lists)
    asking = _Asking(stronger.model, wanted.sizes)
    cast = replace(stronger.cast, writer=asking.write, engine=stronger.model.engine)
    sections: tuple[DraftSection, ...] = ()
    why_not = ""
    try:
        made = await draft(
            Topic(event.title),
            gathered.documents,
            cast,
            Rules(chunks=wanted.chunks, words=wanted.words),
            left_out=gathered.left_out,
        )
        sections = made.sections
    except PermanentError:
        why_not = "its documents cannot be used"
    order, reply = asking.order, asking.reply
    if order is None or reply is None:
        return Made(None, ModelUse(), why_not)
    if reply.failure is not None:
        return _silent(reply)
    answer, kept = _answer(sections, order.chunks)
    written = asking.written
    if kept < _FEWEST_SENTENCES or kept < wanted.least_kept * written:
        return Made(None, reply.use, "too little of the answer is supported")
    example = DraftExample(
        id=short_name(event.title, stronger.model.engine.version),
        title=event.title,
        language=order.topic.language,
        words=wanted.words,
        input_bytes=wanted.sizes.input_bytes,
        output_tokens=wanted.sizes.output_tokens,
        chunks=chunk_records(order.chunks, order.documents),
        answer=answer,
        written=written,
        kept=kept,
        writer=_named(stronger.model.engine),
        verifier=_named(cast.verifier.engine),
    )
    return Made(example, reply.use)


class _Asking:
    """A writer without a fallback; it records the question and the answer."""

    def __init__(self, model: LanguageModel, sizes: Sizes) -> None:
        self._model = model
        self._sizes = sizes
        self.order: Order | None = None
        self.reply: RoleAnswer[ArticleAnswer | None] | None = None
        self.written = 0  # sentences

    async def write(self, order: Order) -> RoleAnswer[tuple[DraftSection, ...] | None]:
        self.order = order
        self.reply = await ask(self._model, writing_request(order, self._sizes))
        answers = self.reply.value.sections if self.reply.value else []
        sections, left = Manuscript(order, answers, self._sizes).sections()
        self.written = len(left) + sum(len(one.sentences) for one in sections)
        return RoleAnswer(sections, self.reply.use)


def _silent(reply: RoleAnswer[ArticleAnswer | None]) -> Made:
    failure = reply.failure or ModelFailure.LEFT_OUT
    why = reply.detail or failure.value
    if failure is ModelFailure.UNUSABLE:
        raise PermanentError(why)
    if failure in _STOPS:
        return Made(None, reply.use, stopped=why)
    return Made(None, reply.use, f"the model: {failure.value}")


def _answer(
    sections: Sequence[DraftSection], chunks: Sequence[Chunk]
) -> tuple[ArticleAnswer, int]:
    """Return the answer to learn, and how many sentences it has."""
    numbers = {(one.document, one.number): at for at, one in enumerate(chunks, 1)}

    def as_answer(one: DraftSentence) -> SentenceAnswer:
        cites = [numbers[each.chunk.document, each.chunk.number] for each in one.cites]
        return SentenceAnswer(text=one.text, cites=cites)

    headed, count = [], 0
    for section in sections:
        sentences = [
            [as_answer(one) for one in paragraph if not one.is_quote]
            for paragraph in section.paragraphs
        ]
        paragraphs = [ParagraphAnswer(sentences=one) for one in sentences if one]
        if paragraphs:
            headed.append(HeadedAnswer(heading=section.heading, paragraphs=paragraphs))
            count += sum(map(len, sentences))
    return ArticleAnswer(sections=headed), count


def _named(engine: Engine) -> str:
    return f"{engine.name} {engine.version}"


def from_lines(path: Path) -> Iterator[DraftExample]:
    """Yield the examples of a file."""
    return chat.from_lines(path, DraftExample, "sidenote train draft collect")


def chunk_records(
    chunks: Sequence[Chunk], documents: Sequence[DraftDocument]
) -> tuple[ChunkRecord, ...]:
    by_number = {one.number: one.fetch for one in documents}
    return tuple(_chunk_record(one, by_number[one.document]) for one in chunks)


def order_of(example: DraftExample) -> Order:
    """Return what the writer of drafts was asked for."""
    lead = PlannedSection("")
    return Order(
        topic=Topic(example.title, example.language),
        outline=(lead,),
        section=None,
        chunks=tuple(
            Chunk(at, 0, one.text, Span(0, len(one.text)))
            for at, one in enumerate(example.chunks)
        ),
        documents=tuple(
            DraftDocument(at, _fetch(one)) for at, one in enumerate(example.chunks)
        ),
        earlier=(),
        words=example.words,
    )


def question(example: DraftExample) -> list[Message]:
    """Return what a model is asked, in the words of RR."""
    return request_messages(
        writing_request(order_of(example), example.sizes), example.id
    )


def conversation(example: DraftExample) -> list[Message]:
    return [*question(example), answer_message(example.answer.model_dump_json())]


def _chunk_record(chunk: Chunk, fetch: SourceFetch) -> ChunkRecord:
    """Keep more of a chunk than a model is ever shown, however long its words are."""
    document = fetch.document or SourceText("")
    day = document.imprint.published or document.published or ""
    return ChunkRecord(
        address=(fetch.url or fetch.source.key)[:_LONGEST_TEXT],
        title=(document.title or "")[:_LONGEST_TEXT],
        published=day[:_LONGEST_TEXT],
        text=chunk.text[:_LONGEST_TEXT],
    )


def _fetch(one: ChunkRecord) -> SourceFetch:
    return SourceFetch(
        source=Source(SourceForm.URL, one.address, url=one.address),
        outcome=SourceOutcome.READ,
        detail="an example",
        url=one.address,
        document=SourceText(
            one.text, title=one.title or None, published=one.published or None
        ),
    )


_NO_SUCH = "(there is no such document)"
_FIGURES = (
    "citation_recall",
    "citation_precision",
    "citation_rate",
    "length_words",
    "meteor",
    "rouge_l",
    "bleu",
)


@dataclass(frozen=True, slots=True)
class DraftWriter:
    """A writer and its name; an answer without a valid form is `None`."""

    name: str
    write: Callable[[DraftExample], Awaitable[ArticleAnswer | None]]


def learnt_from() -> DraftWriter:
    async def write(example: DraftExample) -> ArticleAnswer | None:
        return example.answer

    return DraftWriter("the examples themselves", write)


def remote(model: LanguageModel) -> DraftWriter:
    async def write(example: DraftExample) -> ArticleAnswer | None:
        request = writing_request(order_of(example), example.sizes)
        return (await ask(model, request)).value

    return DraftWriter(f"{model.engine.name} {model.engine.version}", write)


async def compare(
    examples: Sequence[DraftExample],
    writers: Sequence[DraftWriter],
    judge: CitationJudge,
    references: Mapping[str, str],
    progress: Progress,
) -> dict[str, Any]:
    """Return a row of figures for each writer."""
    progress.started(len(examples) * len(writers))
    rows = []
    for writer in writers:
        measured = []
        for example in examples:
            answer = await writer.write(example)
            measured.append(await _measured(example, answer, judge, references))
            progress.advance()
        rows.append(_row(writer.name, measured))
    return {
        "examples": len(examples),
        "with_reference": sum(one.title in references for one in examples),
        "citation_judge": judge.name,
        "rows": rows,
        "note": "means over examples; an answer in another form counts as an empty"
        " draft; nothing was taken out of the answers",
    }


async def _measured(
    example: DraftExample,
    answer: ArticleAnswer | None,
    judge: CitationJudge,
    references: Mapping[str, str],
) -> dict[str, float | None]:
    text = _written(answer, example)
    found = await citing(example.title, text, judge)
    reference = references.get(example.title)
    plain = text.plain
    of_words: dict[str, float | None] = dict.fromkeys(_FIGURES[-3:])
    if reference:
        of_words = {
            "meteor": meteor(reference, plain) if plain else 0.0,
            "rouge_l": rouge_l(reference, plain),
            "bleu": bleu(reference, plain) if plain else 0.0,
        }
    return {
        "in_form": float(answer is not None),
        "citation_recall": found.recall,
        "citation_precision": found.precision,
        "citation_rate": found.rate,
        "length_words": float(words(plain)),
        **of_words,
    }


def _written(answer: ArticleAnswer | None, example: DraftExample) -> CitedText:
    """Return an answer as the metrics see it; citing no known chunk counts as wrong."""
    texts = [one.text for one in example.chunks]

    def cited(number: int) -> str:
        return texts[number - 1] if 0 < number <= len(texts) else _NO_SUCH

    parts = []
    for section in answer.sections if answer else []:
        sentences = tuple(
            Sentence(one.text, tuple(map(cited, one.cites)))
            for paragraph in section.paragraphs
            for one in paragraph.sentences
            if one.text
        )
        parts.append(Part(cleaned(section.heading), sentences))
    return CitedText(tuple(parts))


def _row(name: str, measured: Sequence[dict[str, float | None]]) -> dict[str, Any]:
    in_form = sum(one["in_form"] or 0 for one in measured)
    return {
        "writer": name,
        "examples": len(measured),
        "in_form": int(in_form),
        **{figure: _mean([one[figure] for one in measured]) for figure in _FIGURES},
    }


def _mean(values: Sequence[float | None]) -> float | None:
    known = [one for one in values if one is not None]
    return round(sum(known) / len(known), 2) if known else None
