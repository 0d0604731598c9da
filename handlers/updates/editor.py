"""The smallest edit that adds an update to its paragraph (WiNELL §3.3).

`EmbeddedEditor` writes no words. An outdated statement gets the newer source and the
wiki's tag for outdated statements, after its existing footnotes. If the wiki has no
such tag, it gets nothing, because a source that says otherwise would seem to support
the statement. A new fact gets its citation where the fact belongs, so that a person can
write the sentence before it.

`ModelEditor` asks a language model. One question has a paragraph and all updates that
belong in it, so that no edit repeats another. A model never returns a paragraph: what
it says to insert, replace or delete is applied to the wikitext by `operations`, cited,
and shown only if every check passes; otherwise the edit without words is shown, with
the reasons. Each edit can be made without the others.
"""

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace

from pydantic import Field

from handlers.model import (
    Citation,
    CitationForm,
    ClaimKind,
    ModelUse,
    Page,
    Proposal,
    Span,
    Subject,
    TagKind,
    Update,
    UpdateKind,
    UpdateSource,
)
from handlers.page.paragraphs import Shape
from handlers.ports import Excerpt, LanguageModel, Verifier
from handlers.sources.templates import WikiTags, fill, tags_of
from handlers.updates.decisions import MOST_SHARED, longest_shared, unsupported_detail
from handlers.updates.entailment import judged
from handlers.updates.guard import Change, applied, harm, in_order
from handlers.updates.operations import (
    AppliedEdit,
    Operation,
    OperationKind,
    Paragraph,
    Placement,
    Places,
    RefusedError,
    apply_operations,
    plain,
    sentence_of,
)
from handlers.updates.questions import Form, ask_model
from handlers.updates.roles import Edited, RoleAnswer

_NAME = re.compile(r"[\w .,:()/+-]{1,80}")
_NAMED = frozenset({CitationForm.REF, CitationForm.NAMED_REUSE})


@dataclass(frozen=True, slots=True)
class Cited:
    """`template` is the filled citation, `footnote` what follows the words."""

    source: UpdateSource
    template: str
    footnote: str


def cited(page: Page, update: Update) -> Cited | None:
    """Return a citation of the best citable source of `update`.

    A source that the page already cites under a name is cited by that name.
    """
    for source in update.sources:
        template = fill(source.fetch, page.id.wiki)
        if template:
            footnote = _known(page, source) or f"<ref>{template}</ref>"
            return Cited(source, template, footnote)
    return None


def cites(page: Page, source: UpdateSource, start: int, end: int) -> bool:
    """Return whether a footnote between two places of the page leads to `source`."""
    return any(
        start <= one.marker.start and one.marker.end <= end
        for one in _citations(page, source)
    )


def _known(page: Page, source: UpdateSource) -> str | None:
    for one in _citations(page, source):
        is_alone = len(one.sources) == 1 and one.form in _NAMED
        is_whole = one.group is None and one.pages is None
        if is_alone and is_whole and _NAME.fullmatch(one.name or ""):
            return f'<ref name="{one.name}" />'
    return None


def _citations(page: Page, source: UpdateSource) -> list[Citation]:
    key = source.fetch.source.key
    return [
        citation
        for citation in page.citations
        if any(each.key == key for each in citation.sources)
    ]


_NO_TAG = (
    "the wiki has no known template for outdated statements, or the statement already"
    " has it and the source"
)
# The footnote comes before the full stop in these languages.
_BEFORE_STOP = frozenset({"fr", "es"})


@dataclass(frozen=True, slots=True)
class Target:
    """Where an update's citation belongs; `since` is where its statement begins."""

    placement: Placement
    since: int
    kind: ClaimKind


class EmbeddedEditor:
    """Implements `handlers.updates.roles.Editor`."""

    def __init__(self, tags: Callable[[str], WikiTags] = tags_of) -> None:
        """Mark with the `tags` of a wiki, by host."""
        self._tags = tags

    async def propose(
        self, subject: Subject, updates: Sequence[Update]
    ) -> Sequence[RoleAnswer[Edited]]:
        """Return the edit for each update, or why there is none."""
        places = Places(subject.page)
        return [RoleAnswer(self.edited(places, subject, one)) for one in updates]

    def edited(self, places: Places, subject: Subject, update: Update) -> Edited:
        """Return the edit, or why there is none, in plain words."""
        try:
            return Edited(self._proposal(places, subject, update))
        except RefusedError as error:
            return Edited(None, (str(error),))

    def _proposal(self, places: Places, subject: Subject, update: Update) -> Proposal:
        page = subject.page
        citation = cited(page, update)
        if citation is None:
            raise RefusedError("none of its sources gives enough details to be cited")
        target = target_of(places, update)
        if target is None:
            raise RefusedError("its section has no paragraph to put it in")
        markup, placement = citation.footnote, target.placement
        if cites(page, citation.source, target.since, placement.at):
            markup = ""
        is_outdated = update.kind is UpdateKind.OUTDATED
        if is_outdated and not placement.is_marked:
            tag = self._tags(page.id.wiki).get(TagKind.OUTDATED)
            mark = tag.wikitext(subject.today) if tag else None
            markup = markup + mark if mark else ""
        if not markup:
            raise RefusedError(
                _NO_TAG if is_outdated else "the source is already there"
            )
        at = place_for_footnote(placement, page.id.wiki)
        obstacle = places.obstacle(at, target.kind)
        if obstacle:
            raise RefusedError(obstacle)
        changes = (Change(Span(at, at), markup=markup),)
        return proposed(subject, update, changes, citation.template)


def target_of(places: Places, update: Update) -> Target | None:
    """Return the place after the statement of `update`, or the end of its section."""
    statement = update.replaces or update.after
    if statement is not None:
        span = statement.span
        return Target(places.placement(span), span.start, statement.kind)
    for paragraph in places.paragraphs(update.section):
        if paragraph.shape is Shape.PARAGRAPH:
            span = paragraph.sentences[-1].span
            return Target(places.placement(span), span.start, ClaimKind.SENTENCE)
    return None


def place_for_footnote(placement: Placement, wiki: str) -> int:
    """Return where a footnote goes: with existing ones, else by the wiki's custom."""
    is_first = not (placement.is_cited or placement.is_marked)
    return placement.stop if is_first and is_before_stop(wiki) else placement.at


def is_before_stop(wiki: str) -> bool:
    """Return whether footnotes come before the full stop on a wiki, by its host."""
    return wiki.split(".", maxsplit=1)[0] in _BEFORE_STOP


def proposed(
    subject: Subject,
    update: Update,
    changes: tuple[Change, ...],
    citation: str,
    *,
    is_worded: bool = False,
) -> Proposal:
    """Return the changes as a proposal.

    Raises:
        RefusedError: they may not be made.
        ValueError: two of them overlap.
    """
    wikitext = subject.page.wikitext
    changes = in_order(changes)
    reasons = harm(wikitext, changes)
    if reasons:
        raise RefusedError("; ".join(reasons))
    span = Span(changes[0].span.start, changes[-1].span.end)
    placement = len(wikitext) - span.end
    after = applied(wikitext, changes)
    return Proposal(
        update=update.number,
        span=span,
        before=span.of(wikitext),
        after=after[span.start : len(after) - placement],
        citation=citation,
        is_worded=is_worded,
    )


_LONGEST_SOURCE = 40_000  # characters that are compared with new words
_KEPT_WORDS = 3  # a shorter run of the old sentence means nothing by itself
_SUPPORTED = 0.3  # probability that the sources support the new sentence
_CARRIED = 0.15  # probability that the paragraph says the fact
_MOST_ADDED = 60  # words


@dataclass(frozen=True, slots=True)
class _Case:
    """An update with its paragraph, and what is cited for it."""

    subject: Subject
    update: Update
    paragraph: Paragraph
    citation: Cited


def _faults(case: _Case, work: AppliedEdit) -> Iterator[str]:
    """Yield what is wrong with a model's edit, judging by its words.

    Nothing may be removed that was not meant to be, every name and number must be in
    the sources, and no long run of words may be copied from them. Lost markup is
    refused by `guard`.
    """
    update, paragraph, old = case.update, case.paragraph, case.update.replaces
    removed = [one.strip() for one in work.removed if any(map(str.isalnum, one))]
    if removed and old is None:
        yield f"it removes “{removed[0][:80]}”, which is not outdated"
    if old is not None and work.sentence != sentence_of(paragraph, old):
        yield "it does not change the outdated sentence, but another"
    quotes = [
        *_quotes(update),
        *(
            one.fetch.document.text[:_LONGEST_SOURCE]
            for one in update.sources
            if one.fetch.document
        ),
    ]
    known = "\n".join(
        (paragraph.prose.text, *_checked(update), *quotes, *case.subject.names)
    )
    unsupported = unsupported_detail(
        plain(work.after), known, known, known, dated_by=known, day=update.dated
    )
    if unsupported:
        yield unsupported
    count = sum(len(run.split()) for run in work.added)
    if count > _MOST_ADDED:
        yield f"it adds {count} words"
    longest = max(
        (longest_shared(run, text) for run in work.added for text in quotes), default=0
    )
    if longest > MOST_SHARED:
        yield f"{longest} words in a row are copied from the source"


async def _unsupported(
    verifier: Verifier, case: _Case, work: AppliedEdit
) -> str | None:
    """Return what the verification model finds unsupported, or `None`.

    The sources must support the new sentence, and the paragraph must say the fact.
    """
    title, update, paragraph = case.subject.page.id.title, case.update, case.paragraph
    others = [
        paragraph.text(one) for one in paragraph.sentences if one != work.sentence
    ]
    likely = await judged(
        verifier,
        title,
        work.after,
        [*_checked(update), *_quotes(update), *_remaining(work)],
        section=update.section,
        context=" ".join(others),
    )
    if likely.supported < _SUPPORTED or likely.supported < likely.contradicted:
        return f"its source does not support “{work.after[:120]}”"
    new = f"{work.before} {work.after}" if work.is_new_sentence else work.after
    whole = " ".join(
        new if one == work.sentence else paragraph.text(one)
        for one in paragraph.sentences
    )
    quote_in_context = await judged(verifier, title, update.text, [whole])
    return (
        "it does not state the fact" if quote_in_context.supported < _CARRIED else None
    )


def _checked(update: Update) -> Iterator[str]:
    """Yield a model's words for the fact, which were checked against the quote."""
    if update.is_worded:
        yield update.text


def _quotes(update: Update) -> Iterator[str]:
    """Yield each quote, and the passage around it."""
    for one in update.sources:
        yield one.evidence.quote
        if one.evidence.passage.text.strip() != one.evidence.quote:
            yield one.evidence.passage.text


def _remaining(work: AppliedEdit) -> Iterator[str]:
    """Yield the parts of the old sentence that remain; its own sources support them."""
    if work.is_new_sentence:
        return
    remaining = work.before
    for removed in work.removed:
        remaining = remaining.replace(removed.strip(), "\n", 1)
    for part in remaining.split("\n"):
        if len(part.split()) >= _KEPT_WORDS:
            yield part.strip(" ,;:.")


INSTRUCTIONS = """
You edit one paragraph of an encyclopaedia article so that it states newer facts.

You are given the paragraph, its sentences in order, and one or more updates (ids u1, u2, \
…), each a fact with the day of its source and quotes of the source. Where an update names \
a sentence as outdated, change that sentence so that it is true now; otherwise put one new \
sentence where it belongs, or a few words into a sentence.

Make one edit for each update, in the paragraph as it is, without the other edits: say \
only what this update brings, and nothing twice. Answer with the update's id and its \
steps. In each step, "words" are words of the paragraph, copied character for character, \
and enough of them to occur there only once:
- "insert": put "new" right after "words". To add a sentence, let "words" be the end of \
the sentence before it, its full stop included, and "new" one whole sentence.
- "replace": put "new" in the place of "words". Name only words that have to change.
- "delete": remove "words", and leave "new" empty.
All steps of an edit are in one sentence.

Use as few words as the fact needs. Say only what the quotes say, in your own words: \
never more than ten words in a row as they have them. Names, numbers and dates stay as \
they are. Name the subject as the sentences around do. Write dates out ("in May 2024"), \
never "recently" or "currently". No praise, comment, opinion or quotation, and nothing \
that may change soon. No wikitext, links or citation: the citation is added for you. Keep \
the language of the paragraph. If a fact cannot be stated in this paragraph, give no \
steps for it.
"""
_MOST_STEPS = 6
_MOST_WORDS = 2_000  # characters of one step
_MOST_PARAGRAPH = 8_000
_MOST_QUOTES = 4
_MOST_AT_ONCE = 8  # updates of one paragraph in one question
_DEEDS = {one.value: one for one in OperationKind}


class Step(Form):
    """One operation as the model names it; unknown ones are reported."""

    do: str = Field(json_schema_extra={"enum": list(_DEEDS)})
    words: str
    new: str


class Steps(Form):
    """The steps of one edit."""

    steps: list[Step]


class Edit(Steps):
    """The edit for one update, by its id."""

    update: str


class Edits(Form):
    """The model's answer."""

    edits: list[Edit]


class ModelEditor:
    """Implements `handlers.updates.roles.Editor`; no answer makes it raise."""

    def __init__(
        self,
        model: LanguageModel,
        verifier: Verifier,
        wordless: EmbeddedEditor | None = None,
    ) -> None:
        """Ask `model`, check with `verifier`, and fall back on `wordless`."""
        self._model = model
        self._verifier = verifier
        self._wordless = wordless or EmbeddedEditor()

    async def propose(
        self, subject: Subject, updates: Sequence[Update]
    ) -> Sequence[RoleAnswer[Edited]]:
        """Return the edit for each update: the model's, if it passes our checks."""
        places = Places(subject.page)
        answers = {
            one.number: RoleAnswer(self._wordless.edited(places, subject, one))
            for one in updates
        }
        by_paragraph: dict[int, list[_Case]] = {}
        for one in updates:
            citation, paragraph = cited(subject.page, one), _paragraph(places, one)
            if citation is not None and paragraph is not None:
                case = _Case(subject, one, paragraph, citation)
                by_paragraph.setdefault(paragraph.span.start, []).append(case)
        for cases in by_paragraph.values():
            for at in range(0, len(cases), _MOST_AT_ONCE):
                await self._word(places, cases[at : at + _MOST_AT_ONCE], answers)
        return [answers[one.number] for one in updates]

    async def _word(
        self,
        places: Places,
        cases: Sequence[_Case],
        answers: dict[int, RoleAnswer[Edited]],
    ) -> None:
        """Put the model's edits of one paragraph, or what is wrong with them, in `answers`.

        The first answer has the usage.
        """
        reply = await ask_model(self._model, INSTRUCTIONS, _content(cases), Edits)
        steps = {
            one.update.strip().casefold(): one.steps
            for one in reversed(reply.value.edits if reply.value else [])
        }
        for at, case in enumerate(cases):
            number, use = case.update.number, reply.use if at == 0 else ModelUse()
            without = answers[number].value
            if reply.value is None:
                answers[number] = RoleAnswer(without, use, reply.failure, reply.detail)
                continue
            edit = await self._edit(places, case, steps.get(f"u{number}", []))
            if isinstance(edit, Proposal):
                edited = Edited(edit)
            elif without.proposal is None:
                edited = replace(without, said=edit)
            else:
                refused = replace(without.proposal, refused=edit)
                edited = Edited(refused, said=edit)
            answers[number] = RoleAnswer(edited, use)

    async def _edit(
        self, places: Places, case: _Case, steps: list[Step]
    ) -> Proposal | tuple[str, ...]:
        """Return the edit, or why it is refused."""
        subject, citation = case.subject, case.citation
        try:
            work = apply_operations(places, case.paragraph, _operations(steps))
            changes = with_citation(places, work, citation, subject.page.id.wiki)
            proposal = proposed(
                subject, case.update, changes, citation.template, is_worded=True
            )
        except (RefusedError, ValueError) as error:
            return (str(error),)
        reasons = tuple(_faults(case, work))
        if reasons:
            return reasons
        missing = await _unsupported(self._verifier, case, work)
        return (missing,) if missing else proposal


def _paragraph(places: Places, update: Update) -> Paragraph | None:
    """Return the paragraph of running text in which an update belongs."""
    target = target_of(places, update)
    if target is None:
        return None
    paragraph = places.paragraph_at(target.since)
    obstacle = places.obstacle(target.placement.at, target.kind)
    is_text = paragraph is not None and paragraph.sentences and obstacle is None
    return paragraph if is_text else None


def _content(cases: Sequence[_Case]) -> Iterator[Excerpt]:
    first, paragraph = cases[0], cases[0].paragraph
    text = " ".join(map(paragraph.text, paragraph.sentences))
    yield Excerpt("title of the article", first.subject.page.id.title[:300])
    yield Excerpt("section", " > ".join(first.update.section)[:300])
    yield Excerpt("paragraph", text[:_MOST_PARAGRAPH])
    for one in cases:
        update, key = one.update, f"u{one.update.number}"
        if update.kind is UpdateKind.OUTDATED and update.replaces:
            old = update.replaces.text[:_MOST_WORDS]
            yield Excerpt(f"outdated sentence of {key}", old)
        dated = f"\nDay of the source: {update.dated}" if update.dated else ""
        yield Excerpt(f"fact of {key}", update.text[:_MOST_WORDS] + dated)
        for number, source in enumerate(update.sources[:_MOST_QUOTES], 1):
            quote = source.evidence.quote[:_MOST_WORDS]
            yield Excerpt(f"quote {number} of {key}", quote)


def _operations(steps: list[Step]) -> list[Operation]:
    if len(steps) > _MOST_STEPS:
        raise RefusedError(f"it takes {len(steps)} steps")
    for one in steps:
        if one.do not in _DEEDS:
            raise RefusedError(f"“{one.do[:40]}” is not a step of an edit")
        if len(one.words) > _MOST_WORDS or len(one.new) > _MOST_WORDS:
            raise RefusedError("one of its steps is too long")
    return [Operation(_DEEDS[one.do], one.words, one.new) for one in steps]


def with_citation(
    places: Places, work: AppliedEdit, citation: Cited, wiki: str
) -> tuple[Change, ...]:
    """Put the citation after the sentence that was changed or added."""
    if not work.is_new_sentence:
        at = place_for_footnote(places.placement(work.sentence.span), wiki)
        return (*work.changes, Change(Span(at, at), markup=citation.footnote))
    [change] = work.changes
    words, closing = change.words, ""
    if is_before_stop(wiki):
        words = change.words.rstrip(".!?…")
        closing = change.words[len(words) :]
    return (Change(change.span, words, citation.footnote, closing),)
