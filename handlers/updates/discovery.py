"""WiNELL's loop (§3.2): the navigator chooses, the extractor reads, the editor words.

A run ends when the navigator stops, a budget is used up or the model cannot be reached.
A step that fails is recorded and skipped, and a page that could not be checked counts
as not read; what was found so far is kept. Everything that was found and ignored is in
the trace with the reason. It awaits its roles and tools, and is given the time.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from datetime import date

from handlers.citations.addresses import normal_key
from handlers.citations.reliability import ReliabilityLists
from handlers.model import (
    Ask,
    Discovery,
    Found,
    Ignore,
    Ignored,
    Move,
    Open,
    Page,
    Proposal,
    Role,
    Setback,
    SoFar,
    Source,
    SourceForm,
    Stop,
    Stopped,
    Subject,
    Update,
    Window,
)
from handlers.ports import (
    LanguageModel,
    PermanentError,
    TemporaryError,
    TextEncoder,
    Verifier,
)
from handlers.updates.backing import filed, in_order
from handlers.updates.criteria import ModelCriteria
from handlers.updates.extractor import ModelExtractor
from handlers.updates.navigator import ModelNavigator
from handlers.updates.roles import (
    Budget,
    CriteriaCache,
    DecidedFact,
    Editor,
    Log,
    Roles,
    Tools,
)
from handlers.updates.subject import subject_of

_MOST_FAILURES = 3  # steps in a row that end a run
# Failures that further questions to the model cannot fix.
_ENDS = {
    Setback.OUT_OF_BUDGET: Stopped.MONEY,
    Setback.OUT_OF_REACH: Stopped.FAILED,
    Setback.UNUSABLE: Stopped.FAILED,
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

    Args:
        page: the article, parsed.
        window: the days that count; an open window also admits undated documents.
        today: the day that "now" means in the article.
        roles: who plays which role.
        tools: searches, readers and verifiers.
        budget: limits on steps, time and updates.
        elapsed_s: returns the seconds since some time before the call.
    """
    log = Log(elapsed_s, elapsed_s())
    run = _Run(roles, tools, budget, log)
    subject = await run.begin(page, window, today)
    stopped = await run.walk(subject)
    found = in_order(run.found)
    proposals = await run.edit(subject, found)
    return Discovery(
        subject=subject,
        updates=found,
        trace=tuple(log.trace),
        stopped=stopped,
        troubles=tuple(dict.fromkeys(log.troubles)),
        use=log.use,
        proposals=proposals,
        took_s=log.now_s(),
        pages_found=len(run.so_far.hits),
        engine=tools.verifier.engine,
        turns=dict(log.turns),
        failed=dict(log.failed),
    )


@dataclass(slots=True)
class _Run:
    """The state of a run, and what it found so far."""

    roles: Roles
    tools: Tools
    budget: Budget
    log: Log
    found: list[Update] = field(default_factory=list)
    so_far: SoFar = field(default_factory=SoFar)
    ended: Stopped | None = None  # the model's failure that ends the run

    async def begin(self, page: Page, window: Window, today: date) -> Subject:
        turn = await subject_of(page, window, today, self.roles.criteria)
        self.ended = _ENDS.get(turn.setback) if turn.setback else None
        criteria = self.log.counted(turn, Role.CRITERIA)
        message = (
            f"{len(criteria.criteria.sections)} sections, by"
            f" {criteria.criteria.engine.name}"
        )
        self.log.tell(Role.CRITERIA, message)
        return criteria

    async def walk(self, subject: Subject) -> Stopped:
        """Follow the navigator until it stops or a budget is used up."""
        failures = 0
        for step in range(self.budget.steps):
            if self.ended is not None:
                return self.ended
            if failures >= _MOST_FAILURES:
                return Stopped.FAILED
            if self.log.now_s() >= self.budget.time_s:
                return Stopped.TIME
            if len(self.found) >= self.budget.updates:
                return Stopped.ENOUGH
            self.so_far = replace(
                self.so_far,
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
        turn = await self.roles.navigator.next_move(subject, self.so_far)
        why = turn.setback.value if turn.setback else ""
        self.so_far = replace(self.so_far, refused=why)
        if turn.value is None and turn.setback:
            self.ended = _ENDS.get(turn.setback)
        return self.log.counted(turn, Role.NAVIGATOR)

    async def failed(self, subject: Subject, move: Ask | Open) -> bool:
        """Make a move, and return whether it failed; what was found so far is kept."""
        try:
            if isinstance(move, Open):
                return not await self.open(subject, move)
            await self.ask(move)
        except (PermanentError, TemporaryError) as error:
            self.log.troubles.append(str(error))
            self.log.tell(Role.NAVIGATOR, f"the step failed: {error}")
            return True
        return False

    async def ask(self, move: Ask) -> None:
        query = move.query
        message = f"“{query.claim}”: {move.why}"
        if move.is_worded:
            asked = "asks what the language model would look for"
            self.log.tell(Role.NAVIGATOR, asked, said=message)
        else:
            self.log.tell(Role.NAVIGATOR, f"asks {message}")
        most = self.budget.found_per_search
        known = {normal_key(one.address) for one in self.so_far.hits}
        new: dict[str, Found] = {}
        for found in await self.log.answers(self.tools, query, most):
            key = normal_key(found.address)
            if key not in known:
                new.setdefault(key, found)
        self.so_far = replace(
            self.so_far,
            queries=(*self.so_far.queries, query),
            hits=(*self.so_far.hits, *new.values()),
            hints=tuple(one for one in self.so_far.hints if one != query.claim),
        )
        self.log.tell(Role.SEARCH, f"{len(new)} new pages")

    async def open(self, subject: Subject, move: Open) -> bool:
        """Read a document and keep what it says; `False` if it could not be checked."""
        address = move.found.address
        self.so_far = replace(
            self.so_far, opened=self.so_far.opened | {normal_key(address)}
        )
        self.log.tell(
            Role.NAVIGATOR,
            "opens a page" if move.is_worded else f"opens a page: {move.why}",
            address=address,
            said=move.why if move.is_worded else "",
        )
        wanted = Source(SourceForm.URL, raw=address, url=address)
        reading = await self.tools.sources.read(wanted)
        if reading.document is None:
            what = f"{reading.outcome.value}: {reading.detail}"
            self.log.tell(Role.READER, what, address=address, ignored=Ignored.NOT_READ)
            return True  # that happens on the web
        turn = await self.roles.extractor.extract(
            subject, reading, move.found.search, self.found
        )
        facts = self.log.counted(turn, Role.EXTRACTOR)
        if facts is None:
            why = turn.setback or Setback.UNREADABLE
            self.ended = _ENDS.get(why)
            what = f"the page could not be checked: {turn.detail or why.value}"
            self.log.tell(
                Role.EXTRACTOR, what, address=address, ignored=Ignored.NOT_READ
            )
            return False
        self.log.tell_passed_over(facts.passed_over, address)
        for one in facts.decided:
            self.keep(subject, one, address)
        self.hint(*facts.leads)
        return True

    def keep(self, subject: Subject, one: DecidedFact, address: str) -> None:
        """Apply a decision to the updates."""
        candidate, decision = one.candidate, one.decision
        filing = filed(self.found, candidate, decision, subject, self.tools.lists)
        self.found = list(filing.updates)
        self.log.tell(
            Role.AGGREGATOR,
            filing.what,
            address=address,
            quote=candidate.evidence.quote,
            ignored=decision.why if isinstance(decision, Ignore) else None,
            update=filing.number,
            said=decision.said if isinstance(decision, Ignore) else "",
        )

    def hint(self, *leads: str) -> None:
        """Remember what to search for next."""
        new = [one for one in leads if one not in self.so_far.hints]
        self.so_far = replace(self.so_far, hints=(*self.so_far.hints, *new))

    async def edit(
        self, subject: Subject, found: Sequence[Update]
    ) -> tuple[Proposal, ...]:
        """Let the editor, if there is one, propose an edit for each update."""
        editor = self.roles.editor
        if editor is None or not found:
            return ()
        proposals = []
        turns = await editor.propose(subject, found)
        for update, turn in zip(found, turns, strict=True):
            edited = self.log.counted(turn, Role.EDITOR)
            message = "proposes an edit"
            if edited.refused:
                message = f"facts only: {'; '.join(edited.refused)}"
            elif edited.said:
                message = "facts only"
            said = "; ".join(edited.said)
            self.log.tell(Role.EDITOR, message, update=update.number, said=said)
            if edited.proposal is not None:
                proposals.append(edited.proposal)
        return tuple(proposals)


def by_model(
    model: LanguageModel,
    verifier: Verifier,
    encoder: TextEncoder,
    lists: ReliabilityLists,
    *,
    shelf: CriteriaCache | None = None,
    editor: Editor | None = None,
) -> Roles:
    """Return the roles, played by `model` within its own budget.

    Args:
        model: the model that is asked at each step.
        verifier: checks what the model says; a `Remembering` one saves time.
        encoder: decides what is related to the article.
        lists: how wikis rate sites.
        shelf: keeps criteria between runs.
        editor: proposes edits, if the wiki's policy allows it.
    """
    return Roles(
        criteria=ModelCriteria(model, shelf),
        navigator=ModelNavigator(model),
        extractor=ModelExtractor(model, verifier, encoder, lists),
        editor=editor,
    )
