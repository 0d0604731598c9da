"""The editor with a language model: it names operations, and we do them or refuse.

A model never gives a paragraph back. What it says to insert, to replace or to delete is
brought into the wikitext by `operations`, cited, and shown only where every check passes;
else the embedded editor's proposal is, with the reasons. Pure; it awaits its model and
verifier.
"""

from dataclasses import replace

from pydantic import BaseModel, ConfigDict, Field

from handlers.model import (
    Proposal,
    Setback,
    Span,
    Subject,
    Update,
    UpdateKind,
)
from handlers.ports import (
    Excerpt,
    LanguageModel,
    ModelOutOfReachError,
    ModelReply,
    ModelRequest,
    ModelSilence,
    ModelUnusableError,
    Verifier,
)
from handlers.updates.editing.changes import Change
from handlers.updates.editing.checking import Bar, Draft, of_meaning, of_words
from handlers.updates.editing.citing import Cited, cited
from handlers.updates.editing.embedded import (
    EmbeddedEditor,
    is_before_stop,
    place_for_footnote,
    proposed,
    target_of,
)
from handlers.updates.editing.operations import (
    Deed,
    Operation,
    RefusedError,
    Worked,
    worked,
)
from handlers.updates.editing.places import Paragraph, Places
from handlers.updates.roles import Turn

INSTRUCTIONS = """
You edit one paragraph of an encyclopaedia article so that it tells a newer fact.

You are given the paragraph, its sentences in order, the fact with the day of its source, \
and quotes of the source. Where a sentence is named as outdated, change that sentence; \
else put one new sentence where it belongs, or a few words into a sentence.

Answer with steps. In each, "words" are words of the paragraph, copied character for \
character, long enough to stand in it only once:
- "insert": put "new" right behind "words". To add a sentence, let "words" be the end of \
the sentence before it, its full stop included, and "new" one whole sentence.
- "replace": put "new" in the place of "words". Name only words that have to change.
- "delete": take "words" away, and leave "new" empty.

As few words as carry the fact. Say only what the quotes say, in your own words: no run \
of more than a few words of theirs, but names, numbers and dates as they have them. Write \
dates out ("in May 2024"), never "recently" or "currently". No praise, no comment, no \
opinion, no quotation, nothing that may change soon. No wikitext, no links, no citation: \
the citation is added for you. Keep the language of the paragraph. All steps are in one \
sentence. If the fact cannot be told in this paragraph, give no steps.
"""
_MOST_STEPS = 6
_MOST_WORDS = 2_000  # characters of one step
_MOST_PARAGRAPH = 8_000
_MOST_QUOTES = 4
_DEEDS = {one.value: one for one in Deed}


class Step(BaseModel):
    """One operation as the model names it. Any word for what to do is let in, and told."""

    model_config = ConfigDict(extra="forbid", strict=True)

    do: str = Field(json_schema_extra={"enum": list(_DEEDS)})
    words: str
    new: str


class Steps(BaseModel):
    """The model's answer."""

    model_config = ConfigDict(extra="forbid", strict=True)

    steps: list[Step]


class ModelEditor:
    """Fulfils `handlers.updates.roles.Editor`; never raises for what a model does."""

    def __init__(
        self,
        model: LanguageModel,
        verifier: Verifier,
        embedded: EmbeddedEditor | None = None,
        bar: Bar | None = None,
    ) -> None:
        """Take the model to ask, and who judges and proposes where it fails."""
        self._model = model
        self._verifier = verifier
        self._embedded = embedded or EmbeddedEditor()
        self._bar = bar or Bar()

    async def propose(self, subject: Subject, update: Update) -> Turn[Proposal | None]:
        """Return the model's edit where it passes our checks, else the embedded one's."""
        places = Places(subject.page)
        citation = cited(subject.page, update)
        paragraph = _paragraph(places, update)
        if citation is None or paragraph is None:
            return await self._embedded.propose(subject, update)
        reply = await self._ask(subject, update, paragraph)
        if isinstance(reply, ModelSilence):
            turn = await self._embedded.propose(subject, update)
            return Turn(turn.value, reply.use, reply.why, reply.detail)
        at = (places, paragraph, citation)
        made = await self._checked(subject, update, at, reply.value.steps)
        if isinstance(made, Proposal):
            return Turn(made, reply.use)
        facts = (await self._embedded.propose(subject, update)).value
        told = tuple(made)
        kept = replace(facts, refused=told) if facts else None
        return Turn(kept, reply.use, detail="; ".join(told))

    async def _ask(
        self, subject: Subject, update: Update, paragraph: Paragraph
    ) -> ModelReply[Steps]:
        content = _content(subject, update, paragraph)
        request = ModelRequest(INSTRUCTIONS, content, Steps)
        try:
            return await self._model.ask(request)
        except ModelOutOfReachError as error:
            return ModelSilence(Setback.OUT_OF_REACH, str(error), error.use)
        except ModelUnusableError as error:
            return ModelSilence(Setback.UNUSABLE, str(error), error.use)

    async def _checked(
        self,
        subject: Subject,
        update: Update,
        at: tuple[Places, Paragraph, Cited],
        steps: list[Step],
    ) -> Proposal | list[str]:
        """Return the edit, or why it is refused."""
        places, paragraph, citation = at
        try:
            work = worked(places, paragraph, _operations(steps))
            changes = with_citation(places, work, citation, subject.page.id.wiki)
            made = proposed(subject, update, changes, citation.template, is_worded=True)
        except (RefusedError, ValueError) as error:
            return [str(error)]
        if isinstance(made, str):
            return [made]
        draft = Draft(paragraph, work)
        reasons = list(of_words(subject, update, draft, self._bar))
        if not reasons:
            missing = await of_meaning(
                self._verifier, subject, update, draft, self._bar
            )
            reasons = [missing] if missing else []
        return reasons or made


def _paragraph(places: Places, update: Update) -> Paragraph | None:
    """Return the paragraph of running text that an update belongs into."""
    target = target_of(places, update)
    if target is None:
        return None
    paragraph = places.paragraph_at(target.since)
    hindrance = places.hindrance(target.behind.at, target.kind)
    is_text = paragraph is not None and paragraph.sentences and hindrance is None
    return paragraph if is_text else None


def _content(
    subject: Subject, update: Update, paragraph: Paragraph
) -> tuple[Excerpt, ...]:
    said = " ".join(map(paragraph.text, paragraph.sentences))
    parts = [
        Excerpt("title of the article", subject.page.id.title[:300]),
        Excerpt("section", " > ".join(update.section)[:300]),
        Excerpt("paragraph", said[:_MOST_PARAGRAPH]),
    ]
    if update.kind is UpdateKind.OUTDATED and update.replaces:
        parts.append(Excerpt("outdated sentence", update.replaces.text[:_MOST_WORDS]))
    dated = f"\nDay of the source: {update.dated}" if update.dated else ""
    parts.append(Excerpt("fact", update.text[:_MOST_WORDS] + dated))
    parts += [
        Excerpt(f"quote {number}", one.evidence.quote[:_MOST_WORDS])
        for number, one in enumerate(update.sources[:_MOST_QUOTES], 1)
    ]
    return tuple(parts)


def _operations(steps: list[Step]) -> list[Operation]:
    if len(steps) > _MOST_STEPS:
        raise RefusedError(f"it takes {len(steps)} steps")
    for one in steps:
        if one.do not in _DEEDS:
            raise RefusedError(f"“{one.do[:40]}” is no step of an edit")
        if len(one.words) > _MOST_WORDS or len(one.new) > _MOST_WORDS:
            raise RefusedError("one of its steps is too long")
    return [Operation(_DEEDS[one.do], one.words, one.new) for one in steps]


def with_citation(
    places: Places, work: Worked, citation: Cited, wiki: str
) -> tuple[Change, ...]:
    """Put the citation behind the sentence that was changed, or that has come."""
    if not work.is_new_sentence:
        at = place_for_footnote(places.behind(work.sentence.span), wiki)
        return (*work.changes, Change(Span(at, at), markup=citation.footnote))
    [change] = work.changes
    words, closing = change.words, ""
    if is_before_stop(wiki):
        words = change.words.rstrip(".!?…")
        closing = change.words[len(words) :]
    return (Change(change.span, words, citation.footnote, closing),)
