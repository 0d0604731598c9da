"""WiNELL's loop (§3.2): the navigator chooses, the extractor reads, the editor words.

A run ends when the navigator stops, a budget is used up or the model cannot be reached.
A step that fails is recorded and skipped, and a page that could not be checked counts
as not read; what was found so far is kept. Everything that was found and ignored is in
the trace with the reason. It awaits its roles and tools, and is given the time.

`by_model` gives the roles to a language model, `embedded` to the built-in engine.
"""

import asyncio
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from datetime import date

from handlers.model import (
    Ask,
    Discovery,
    Found,
    Ignore,
    Ignored,
    ModelFailure,
    ModelUse,
    Move,
    Open,
    Page,
    Proposal,
    Query,
    Role,
    RunHistory,
    SearchResults,
    Source,
    SourceForm,
    Stop,
    Stopped,
    Subject,
    TraceStep,
    Update,
    UpdateKind,
    Window,
)
from handlers.ports import (
    LanguageModel,
    PermanentError,
    Search,
    TemporaryError,
    TextEncoder,
    Verifier,
)
from handlers.sources.addresses import normal_key
from handlers.sources.reliability import ReliabilityLists
from handlers.text.words import Rarity
from handlers.updates.backing import apply_decision, in_order
from handlers.updates.criteria import ModelCriteria, OutlineCriteria
from handlers.updates.embedded import EmbeddedReader
from handlers.updates.extractor import ModelExtractor
from handlers.updates.navigator import ModelNavigator
from handlers.updates.roles import (
    Budget,
    CriteriaCache,
    DecidedFact,
    Editor,
    RoleAnswer,
    Roles,
    T,
    Tools,
)
from handlers.updates.subject import subject_of

_MOST_FAILURES = 3  # steps in a row that end a run
_LONGEST_QUOTE = 300  # characters
# Failures that further questions to the model cannot fix.
_ENDS = {
    ModelFailure.OUT_OF_BUDGET: Stopped.MONEY,
    ModelFailure.OUT_OF_REACH: Stopped.FAILED,
    ModelFailure.UNUSABLE: Stopped.FAILED,
}


async def discover(
    page: Page,
    window: Window,
    today: date,
    *,
    roles: Roles,
    tools: Tools,
    budget: Budget,
    elapsed_s: Callable[[], float],
) -> Discovery:
    """Return what is newer than `page`, from the days in `window`.

    An open window also admits undated documents. `elapsed_s` returns the seconds since
    some time before the call.
    """
    run = _Run(roles, tools, budget, elapsed_s, elapsed_s())
    subject = await run.begin(page, window, today)
    stopped = await run.walk(subject)
    found = in_order(run.found)
    proposals = await run.edit(subject, found)
    return Discovery(
        subject=subject,
        updates=found,
        trace=tuple(run.trace),
        stopped=stopped,
        troubles=tuple(dict.fromkeys(run.troubles)),
        use=run.use,
        proposals=proposals,
        took_s=run.now_s(),
        pages_found=len(run.history.hits),
        engine=tools.verifier.engine,
        turns=dict(run.turns),
        failed=dict(run.refused),
    )


@dataclass(slots=True)
class _Run:
    """What a run found so far, its steps, what went wrong, and what its roles used."""

    roles: Roles
    tools: Tools
    budget: Budget
    elapsed_s: Callable[[], float]
    began_s: float
    found: list[Update] = field(default_factory=list)
    history: RunHistory = field(default_factory=RunHistory)
    ended: Stopped | None = None  # the model's failure that ends the run
    trace: list[TraceStep] = field(default_factory=list)
    troubles: list[str] = field(default_factory=list)
    use: ModelUse = field(default_factory=ModelUse)
    turns: Counter[Role] = field(default_factory=Counter)
    refused: Counter[Role] = field(default_factory=Counter)

    async def begin(self, page: Page, window: Window, today: date) -> Subject:
        reply = await subject_of(page, window, today, self.roles.criteria)
        self.ended = _ENDS.get(reply.failure) if reply.failure else None
        subject = self.counted(reply, Role.CRITERIA)
        criteria = subject.criteria
        message = f"{len(criteria.sections)} sections, by {criteria.engine.name}"
        self.record(Role.CRITERIA, message)
        return subject

    async def walk(self, subject: Subject) -> Stopped:
        """Follow the navigator until it stops or a budget is used up."""
        failures = 0
        for step in range(self.budget.steps):
            if self.ended is not None:
                return self.ended
            if failures >= _MOST_FAILURES:
                return Stopped.FAILED
            if self.now_s() >= self.budget.time_s:
                return Stopped.TIME
            claimed = sum(one.kind is not UpdateKind.POINTER for one in self.found)
            if claimed >= self.budget.updates:
                return Stopped.ENOUGH
            self.history = replace(
                self.history,
                updates=tuple(self.found),
                steps_left=self.budget.steps - step,
            )
            move = await self.chosen(subject)
            if isinstance(move, Stop):
                return move.why
            is_failure = move is None or await self.failed(subject, move)
            failures = failures + 1 if is_failure else 0
        return self.ended or Stopped.STEPS

    async def chosen(self, subject: Subject) -> Move | None:
        """Return the navigator's move; `None` if it names none that is possible."""
        reply = await self.roles.navigator.next_move(subject, self.history)
        why = reply.failure.value if reply.failure else ""
        self.history = replace(self.history, refused=why)
        if reply.value is None and reply.failure:
            self.ended = _ENDS.get(reply.failure)
        return self.counted(reply, Role.NAVIGATOR)

    async def failed(self, subject: Subject, move: Ask | Open) -> bool:
        """Make a move, and return whether it failed; what was found so far is kept."""
        try:
            if isinstance(move, Open):
                return not await self.open(subject, move)
            await self.ask(move)
        except (PermanentError, TemporaryError) as error:
            self.troubles.append(str(error))
            self.record(Role.NAVIGATOR, f"the step failed: {error}")
            return True
        return False

    async def ask(self, move: Ask) -> None:
        query = move.query
        message = f"“{query.claim}”{move.why and f': {move.why}'}"
        if move.is_worded:
            asked = "asks what the language model would look for"
            self.record(Role.NAVIGATOR, asked, said=message)
        else:
            self.record(Role.NAVIGATOR, f"asks {message}")
        known = {normal_key(one.address) for one in self.history.hits}
        new: dict[str, Found] = {}
        for found in await self.answers(query):
            key = normal_key(found.address)
            if key not in known:
                new.setdefault(key, found)
        self.history = replace(
            self.history,
            queries=(*self.history.queries, query),
            hits=(*self.history.hits, *new.values()),
            leads=tuple(one for one in self.history.leads if one != query.claim),
        )
        self.record(Role.SEARCH, f"{len(new)} new pages")

    async def answers(self, query: Query) -> list[Found]:
        """Send a query to every search; return the first result of each, then the next.

        A search that fails finds nothing and does not stop the others.
        """
        found = await asyncio.gather(
            *(self._answer(one, query) for one in self.tools.searches)
        )
        longest = max(map(len, found), default=0)
        return [one[at] for at in range(longest) for one in found if at < len(one)]

    async def _answer(self, search: Search, query: Query) -> Sequence[Found]:
        try:
            found = await search.search(query, limit=self.budget.found_per_search)
        except (PermanentError, TemporaryError) as error:
            self.troubles.append(str(error))  # which names the search
            return ()
        if isinstance(found, SearchResults):
            self.troubles.extend(found.troubles)
        return found

    async def open(self, subject: Subject, move: Open) -> bool:
        """Read a document and keep what it says; `False` if it could not be checked."""
        address = move.found.address
        self.history = replace(
            self.history, opened=self.history.opened | {normal_key(address)}
        )
        self.record(
            Role.NAVIGATOR,
            "opens a page" if move.is_worded else f"opens a page: {move.why}",
            address=address,
            said=move.why if move.is_worded else "",
        )
        wanted = Source(SourceForm.URL, raw=address, url=address)
        fetch = await self.tools.sources.read(wanted)
        if fetch.document is None:
            what = f"{fetch.outcome.value}: {fetch.detail}"
            self.record(Role.READER, what, address=address, ignored=Ignored.NOT_READ)
            return True  # that happens on the web
        reply = await self.roles.extractor.extract(
            subject, fetch, move.found.search, self.found
        )
        facts = self.counted(reply, Role.EXTRACTOR)
        if facts is None:
            why = reply.failure or ModelFailure.UNREADABLE
            self.ended = _ENDS.get(why)
            what = f"the page could not be checked: {reply.detail or why.value}"
            self.record(Role.EXTRACTOR, what, address=address, ignored=Ignored.NOT_READ)
            return False
        for one in facts.ignored_facts:
            self.record(
                Role.EXTRACTOR,
                one.detail or one.why.value,
                address=address,
                quote=one.quote,
                ignored=one.why,
                said=one.said,
            )
        for fact in facts.decided:
            self.keep(subject, fact, address)
        leads = [one for one in facts.leads if one not in self.history.leads]
        self.history = replace(self.history, leads=(*self.history.leads, *leads))
        return True

    def keep(self, subject: Subject, one: DecidedFact, address: str) -> None:
        """Apply a decision to the updates."""
        candidate, decision = one.candidate, one.decision
        result = apply_decision(
            self.found, candidate, decision, subject, self.tools.lists
        )
        self.found = list(result.updates)
        self.record(
            Role.AGGREGATOR,
            one.reason or result.what,
            address=address,
            quote=candidate.evidence.quote,
            ignored=decision.why if isinstance(decision, Ignore) else None,
            update=result.number,
            said=decision.said if isinstance(decision, Ignore) else "",
        )

    async def edit(
        self, subject: Subject, found: Sequence[Update]
    ) -> tuple[Proposal, ...]:
        """Let the editor, if there is one, propose an edit for each claimed fact."""
        editor = self.roles.editor
        claimed = [one for one in found if one.kind is not UpdateKind.POINTER]
        if editor is None or not claimed:
            return ()
        proposals = []
        replies = await editor.propose(subject, claimed)
        for update, reply in zip(claimed, replies, strict=True):
            edited = self.counted(reply, Role.EDITOR)
            message = "proposes an edit"
            if edited.refused:
                message = f"facts only: {'; '.join(edited.refused)}"
            elif edited.said:
                message = "facts only"
            said = "; ".join(edited.said)
            self.record(Role.EDITOR, message, update=update.number, said=said)
            if edited.proposal is not None:
                proposals.append(edited.proposal)
        return tuple(proposals)

    def now_s(self) -> float:
        """Return how long the run has taken, in seconds."""
        return self.elapsed_s() - self.began_s

    def counted(self, reply: RoleAnswer[T], role: Role) -> T:
        """Count what a reply used, and record what went wrong in it."""
        self.use += reply.use
        self.turns[role] += 1
        if reply.failure is not None:
            self.refused[role] += 1
            why = reply.detail or reply.failure.value
            self.troubles.append(f"the language model as {role.value}: {why}")
            self.record(role, f"the language model gave no usable answer: {why}")
        return reply.value

    def record(
        self,
        role: Role,
        what: str,
        *,
        address: str | None = None,
        quote: str | None = None,
        ignored: Ignored | None = None,
        update: int | None = None,
        said: str = "",
    ) -> None:
        """Add a step to the trace; `said` are words of a language model."""
        cut = quote[:_LONGEST_QUOTE] if quote else None
        at_s = round(self.now_s(), 3)
        self.trace.append(
            TraceStep(role, what, at_s, address, cut, ignored, update, said)
        )


def embedded(
    verifier: Verifier,
    encoder: TextEncoder,
    lists: ReliabilityLists,
    rarity: Rarity,
    *,
    editor: Editor | None = None,
) -> Roles:
    """Return the roles without a language model."""
    reader = EmbeddedReader(verifier, encoder, lists, rarity)
    return Roles(OutlineCriteria(), reader, reader, editor)


def by_model(
    model: LanguageModel,
    verifier: Verifier,
    encoder: TextEncoder,
    lists: ReliabilityLists,
    *,
    cache: CriteriaCache | None = None,
    editor: Editor | None = None,
) -> Roles:
    """Return the roles, played by `model` within its own budget.

    `verifier` checks what it says, and `cache` keeps its criteria between runs.
    """
    return Roles(
        criteria=ModelCriteria(model, cache),
        navigator=ModelNavigator(model),
        extractor=ModelExtractor(model, verifier, encoder, lists),
        editor=editor,
    )
