"""Updates without a language model: few, dated, and of two kinds only.

The subject and its sections are searched for, and the documents found are read. For
each it is checked whether it makes a statement of the article *outdated* (`outdated`),
and if not, for which section it is *worth reading* (`pointers`). The verification
model, the encoder and dates decide; no fact is worded. It awaits its tools.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import date

from handlers.citations.addresses import normal_key
from handlers.citations.flags import language_of
from handlers.documents.dates import known_of, newest_known
from handlers.documents.document import Document, Screen
from handlers.documents.prose import Sentence
from handlers.model import (
    CandidateUpdate,
    DateBasis,
    Discovery,
    Found,
    Ignored,
    Page,
    Proposal,
    Query,
    Role,
    Source,
    SourceForm,
    Statement,
    Stopped,
    Subject,
    TagKind,
    Update,
    UpdateKind,
    UpdateSource,
    Window,
)
from handlers.ports import PermanentError, TemporaryError
from handlers.updates.backing import (
    backing_of,
    in_order,
    source_of,
    with_source,
)
from handlers.updates.criteria import OutlineCriteria
from handlers.updates.editor import EmbeddedEditor
from handlers.updates.entailment import (
    OUTDATED_FROM,
    both,
    may_age,
    outdated,
    values_in_role,
)
from handlers.updates.pointers import Pointer, pointer_of, stems_of
from handlers.updates.roles import Budget, CriteriaMaker, Log, Tools
from handlers.updates.subject import subject_of

_MOST_NAMES = 3  # of the subject that are searched for
_PAGES = 40  # that are read
_LONGEST_QUESTION = 200  # characters; some services refuse longer ones
_MOST_POINTERS = 10  # of an article; nobody reads a longer list
_ALIKE = 0.55  # cosine of a statement and a fact that may be about one thing
# If there are no two values to compare. Hardly any pair in a run is about one thing,
# while all revisions on which `outdated` was fitted are.
_WITHOUT_VALUES = 0.85
_MOST_FACTS = 80  # sentences of a document


@dataclass(frozen=True, slots=True)
class WithoutModel:
    """Replaces the roles of a language model.

    `questions` limits the queries; `criteria` distinguish sections. `editor`, if there
    is one, adds a citation and a tag to outdated statements.
    """

    editor: EmbeddedEditor | None = None
    criteria: CriteriaMaker = field(default_factory=OutlineCriteria)
    questions: int = 8

    async def discover(
        self,
        page: Page,
        window: Window,
        today: date,
        *,
        tools: Tools,
        budget: Budget,
        elapsed_s: Callable[[], float],
    ) -> Discovery:
        """Return what newer documents say about `page`; see `discovery.discover`."""
        log = Log(elapsed_s, elapsed_s())
        subject = (await subject_of(page, window, today, self.criteria)).value
        run = _Run(subject, tools, budget, log, self.questions)
        stopped = await run.read_all()
        pointers = sorted(run.pointers, key=lambda one: (one.dated is None, -one.score))
        updates = in_order((*run.outdated, *pointers[:_MOST_POINTERS]))
        return Discovery(
            subject=subject,
            updates=updates,
            trace=tuple(log.trace),
            stopped=stopped,
            troubles=tuple(dict.fromkeys(log.troubles)),
            use=log.use,
            proposals=tuple(_edits(subject, updates, self.editor)),
            took_s=log.now_s(),
            pages_found=run.pages_found,
            engine=tools.verifier.engine,
        )


@dataclass(slots=True)
class _Run:
    """The state of a run, and what it found so far."""

    subject: Subject
    tools: Tools
    budget: Budget
    log: Log
    questions: int
    outdated: list[Update] = field(default_factory=list)
    pointers: list[Update] = field(default_factory=list)
    pages_found: int = 0
    _screen: Screen = field(init=False)
    _newest: Mapping[tuple[str, ...], date] = field(init=False)
    _known: frozenset[str] = field(init=False)
    _numbers: int = 0

    def __post_init__(self) -> None:
        subject = self.subject
        self._screen = Screen(subject, self.tools.lists)
        self._newest = newest_known(subject.page, subject.statements, subject.today)
        self._known = stems_of(subject)

    async def read_all(self) -> Stopped:
        """Run all queries, then read what they found, the most promising first."""
        hits: dict[str, Found] = {}
        for query in _questions(self.subject, self._newest)[: self.questions]:
            if self.log.now_s() >= self.budget.time_s:
                return Stopped.TIME
            await self._ask(query, hits)
        self.pages_found = len(hits)
        order = sorted(
            hits.values(),
            key=lambda one: (
                not self._screen.names_subject(f"{one.title or ''} {one.excerpt}")
            ),
        )
        for number, found in enumerate(order[:_PAGES]):
            if self.log.now_s() >= self.budget.time_s:
                return Stopped.TIME
            if number >= self.budget.steps:
                return Stopped.STEPS
            if len(self.outdated) >= self.budget.updates:
                return Stopped.ENOUGH
            try:
                await self._read(found)
            except (PermanentError, TemporaryError) as error:
                self.log.troubles.append(str(error))
                self.log.tell(Role.READER, f"the step failed: {error}")
        return Stopped.NOTHING_LEFT

    async def _ask(self, query: Query, hits: dict[str, Found]) -> None:
        self.log.tell(Role.NAVIGATOR, f"asks “{query.claim}”")
        before, most = len(hits), self.budget.found_per_search
        for found in await self.log.answers(self.tools, query, most):
            hits.setdefault(normal_key(found.address), found)
        self.log.tell(Role.SEARCH, f"{len(hits) - before} new pages")

    async def _read(self, found: Found) -> None:
        address = found.address
        why = f"opens a page: “{(found.title or address)[:120]}”"
        self.log.tell(Role.NAVIGATOR, why, address=address)
        wanted = Source(SourceForm.URL, raw=address, url=address)
        reading = await self.tools.sources.read(wanted)
        document = self._screen.document(reading)
        if not isinstance(document, Document):
            ignored, reason = document
            self.log.tell(Role.READER, reason, address=address, ignored=ignored)
            return
        used = await self._find_outdated(document, found)
        left = tuple(one for one in document.found if one not in used)
        pointer = await pointer_of(
            replace(document, found=left),
            self.subject,
            self._newest,
            self._known,
            verifier=self.tools.verifier,
            encoder=self.tools.encoder,
        )
        if isinstance(pointer, Pointer):
            self._point(pointer, found)
        else:
            self.log.tell_passed_over([pointer], address)

    # --- outdated statements --------------------------------------------------

    async def _find_outdated(
        self, document: Document, found: Found
    ) -> frozenset[Sentence]:
        """Keep the statements that a document with a certain date makes outdated.

        Return the sentences that make them outdated.
        """
        statements = [
            (one, known)
            for one in self.subject.statements
            if (known := known_of(one, self.subject.page, self.subject.today))
        ]
        day = document.day
        if day is None or not statements:
            return frozenset()
        facts = document.found[:_MOST_FACTS]
        alike = await self.tools.encoder.likeness(
            [one.text for one in facts], [one.said for one, _ in statements]
        )
        used: set[Sentence] = set()
        for fact, row in zip(facts, alike, strict=True):
            at = max(range(len(row)), key=row.__getitem__)
            statement, known = statements[at]
            if row[at] < _ALIKE or not may_age(statement, known, fact.text, day):
                continue
            title, said = self.subject.page.id.title, statement.said
            likely = await outdated(self.tools.verifier, title, said, fact.text)
            values = values_in_role(title, said, fact.text)
            if likely >= (OUTDATED_FROM if values else _WITHOUT_VALUES):
                source = self._source(document, fact, found, likely)
                self._overtaken(statement, fact, source, found)
                used.add(fact)
        return frozenset(used)

    def _overtaken(
        self, statement: Statement, fact: Sentence, source: UpdateSource, found: Found
    ) -> None:
        title, said = self.subject.page.id.title, statement.said
        reason = both(values_in_role(title, said, fact.text), source.dated)
        for at, one in enumerate(self.outdated):
            if one.replaces != statement:
                continue
            if values_in_role(title, one.text, fact.text):
                reason = "its value differs from that of the source found before"
                self._tell(reason, fact, found, one.number)
                return
            reason = f"another source: {reason}"
            self._tell(reason, fact, found, one.number)
            self.outdated[at] = with_source(one, source, self.subject)
            return
        update = Update(
            number=self._number(),
            kind=UpdateKind.OUTDATED,
            text=fact.text,
            section=statement.section,
            sources=(source,),
            probability=source.evidence.score,
            replaces=statement,
            after=statement,
            backing=backing_of((source,), self.subject),
            score=source.evidence.score,
        )
        self._tell(reason, fact, found, update.number)
        self.outdated.append(update)

    # --- sources worth reading ------------------------------------------------

    def _point(self, pointer: Pointer, found: Found) -> None:
        """Keep a pointer, unless another page has its sentence."""
        text = pointer.sentence.text
        if any(one.text == text for one in self.pointers):
            self.log.tell(
                Role.AGGREGATOR,
                "it is worded like another page",
                address=found.address,
                quote=text,
                ignored=Ignored.DUPLICATE,
            )
            return
        source = self._source(
            pointer.document, pointer.sentence, found, pointer.lacking
        )
        update = Update(
            number=self._number(),
            kind=UpdateKind.POINTER,
            text=text,
            section=pointer.section,
            sources=(source,),
            probability=pointer.lacking,
            backing=backing_of((source,), self.subject),
            score=pointer.fit,
        )
        day = pointer.document.day
        reason = f"worth reading, dated {day}" if day else "worth reading, undated"
        self._tell(reason, pointer.sentence, found, update.number)
        self.pointers.append(update)

    def _source(
        self, document: Document, sentence: Sentence, found: Found, likely: float
    ) -> UpdateSource:
        candidate = CandidateUpdate(
            text=sentence.text,
            evidence=document.evidence(sentence, likely),
            reading=document.reading,
            section=(),
            dated=document.day,
            basis=DateBasis.PAGE if document.day else None,
            search=found.search,
        )
        return source_of(candidate, self.subject, self.tools.lists)

    def _tell(self, what: str, one: Sentence, found: Found, number: int) -> None:
        self.log.tell(
            Role.AGGREGATOR, what, address=found.address, quote=one.text, update=number
        )

    def _number(self) -> int:
        self._numbers += 1
        return self._numbers


def _edits(
    subject: Subject, updates: Sequence[Update], editor: EmbeddedEditor | None
) -> Iterator[Proposal]:
    """Yield a citation and a tag for each outdated statement."""
    for one in updates:
        if editor is not None and one.kind is UpdateKind.OUTDATED:
            made = editor.made(subject, one)
            if isinstance(made, Proposal):
                yield made


def _questions(subject: Subject, newest: Mapping[tuple[str, ...], date]) -> list[Query]:
    """Return the queries: the subject's names, then its sections.

    Sections where editors ask for an update come first, then the newest.
    """
    title, page = subject.names[0], subject.page
    tagged = {
        one.path
        for tag in page.tags
        for one in page.sections
        if tag.kind is TagKind.OUTDATED
        and one.body.start <= tag.span.start < one.body.end
    }
    sections = sorted(
        (one.path for one in subject.criteria.sections if one.is_open and one.path),
        key=lambda path: (path in tagged, newest.get(path, date.min)),
        reverse=True,
    )
    asked: list[tuple[str, tuple[str, ...]]] = [
        (name, ()) for name in subject.names[:_MOST_NAMES]
    ]
    asked += [(f"{title} {path[-1]}", path) for path in sections]
    return [
        Query(
            text[:_LONGEST_QUESTION].strip(),
            title,
            section,
            window=subject.window,
            language=language_of(subject.page.id.wiki),
        )
        for text, section in asked
    ]
