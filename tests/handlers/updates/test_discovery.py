"""The loop of the roles: what it opens, keeps and records, and where it ends."""

import asyncio
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from itertools import count

import pytest

from handlers.model import (
    Add,
    Ask,
    Corroborate,
    Discovery,
    Found,
    Ignore,
    Ignored,
    IgnoredFact,
    ModelFailure,
    ModelUse,
    Move,
    Open,
    Proposal,
    Query,
    Role,
    RunHistory,
    SearchResults,
    SourceFetch,
    SourceOutcome,
    Span,
    Stop,
    Stopped,
    Subject,
    Update,
)
from handlers.ports import PermanentError, TemporaryError
from handlers.updates.criteria import OutlineCriteria
from handlers.updates.discovery import discover
from handlers.updates.roles import (
    Budget,
    DecidedFact,
    Edited,
    Extractor,
    Facts,
    RoleAnswer,
    Roles,
    Tools,
)
from tests.fakes import FakeSources, FakeVerifier
from tests.handlers.updates.builders import (
    FACT,
    TODAY,
    article,
    candidate,
    document,
    found,
    subject,
)

_ONE, _TWO = "https://one.example/a", "https://two.example/b"


@dataclass
class _Navigator:
    """Makes the moves that it was given; keeps what it was shown."""

    moves: Iterable[Move | RoleAnswer[Move | None]]
    shown: list[RunHistory] = field(default_factory=list)

    def __post_init__(self) -> None:
        self._moves = iter(self.moves)

    async def next_move(
        self, _subject: Subject, history: RunHistory
    ) -> RoleAnswer[Move | None]:
        self.shown.append(history)
        move = next(self._moves, Stop())
        return move if isinstance(move, RoleAnswer) else RoleAnswer(move)


@dataclass
class _Extractor:
    by_address: dict[str, Facts]

    async def extract(
        self,
        _subject: Subject,
        fetch: SourceFetch,
        search: str,
        _found: Sequence[Update],
    ) -> RoleAnswer[Facts | None]:
        assert search == "folder"
        assert fetch.document is not None
        return RoleAnswer(self.by_address[fetch.url or ""])


@dataclass(frozen=True)
class _Encoder:
    async def likeness(
        self, texts: Sequence[str], others: Sequence[str]
    ) -> Sequence[Sequence[float]]:
        return [[0.0 for _ in others] for _ in texts]


@dataclass(frozen=True)
class _Search:
    answer: Sequence[Found] | Exception
    name: str = "folder"

    async def search(self, _query: Query, *, limit: int) -> Sequence[Found]:
        if isinstance(self.answer, Exception):
            raise self.answer
        return self.answer[:limit]


@dataclass(frozen=True)
class _Editor:
    async def propose(
        self, _subject: Subject, updates: Sequence[Update]
    ) -> Sequence[RoleAnswer[Edited]]:
        made = [Proposal(one.number, Span(0, 1), "a", "b", "c") for one in updates]
        return [
            RoleAnswer(
                Edited(one) if one.update == 1 else Edited(None, ("it would lose one",))
            )
            for one in made
        ]


def _run(
    moves: Iterable[Move | RoleAnswer[Move | None]],
    *,
    facts: dict[str, Facts] | None = None,
    fetches: Sequence[SourceFetch] = (),
    searches: tuple[_Search, ...] = (),
    budget: Budget | None = None,
    editor: _Editor | None = None,
    extractor: Extractor | None = None,
    tick_s: int = 0,
) -> Discovery:
    clock = count(100, tick_s)
    roles = Roles(
        OutlineCriteria(),
        moves if isinstance(moves, _Navigator) else _Navigator(moves),
        extractor or _Extractor(facts or {}),
        editor,
    )
    tools = Tools(searches, FakeSources(fetches), FakeVerifier({}), _Encoder())
    return asyncio.run(
        discover(
            article(),
            subject().window,
            TODAY,
            roles=roles,
            tools=tools,
            budget=budget or Budget(),
            elapsed_s=lambda: float(next(clock)),
        )
    )


def _open(address: str) -> Open:
    return Open(found(address), "because")


def _ask(claim: str = "Harbour Bridge") -> Ask:
    return Ask(Query(claim, "Harbour Bridge"), "because")


def _add(likely: float = 0.9) -> Add:
    return Add(("History",), None, likely)


def test_what_two_pages_say_becomes_one_update_with_two_sources() -> None:
    run = _run(
        [_open(_ONE), _open(_TWO)],
        facts={
            _ONE: Facts((DecidedFact(candidate(_ONE), _add()),)),
            _TWO: Facts((DecidedFact(candidate(_TWO), Corroborate(1)),)),
        },
        fetches=[document(_ONE), document(_TWO)],
    )

    [update] = run.updates
    assert update.text == FACT
    assert [one.fetch.url for one in update.sources] == [_ONE, _TWO]
    assert run.stopped is Stopped.NOTHING_LEFT


def test_everything_ignored_is_in_the_trace_with_its_reason_and_quote() -> None:
    passed = IgnoredFact("What a bridge!", Ignored.OPINION)
    run = _run(
        [_open(_ONE)],
        facts={
            _ONE: Facts(
                (
                    DecidedFact(
                        candidate(_ONE), Ignore(Ignored.ALREADY_SAID, "in the lead")
                    ),
                ),
                (passed,),
            )
        },
        fetches=[document(_ONE)],
    )

    steps = [(one.role, one.ignored, one.quote, one.what) for one in run.trace[2:]]
    assert run.updates == ()
    assert steps == [
        (Role.EXTRACTOR, Ignored.OPINION, "What a bridge!", Ignored.OPINION.value),
        (Role.AGGREGATOR, Ignored.ALREADY_SAID, FACT, "in the lead"),
    ]


def test_a_page_that_cannot_be_read_is_in_the_trace_and_the_run_continues() -> None:
    gone = SourceFetch(document(_ONE).source, SourceOutcome.GONE, "answered 404")
    run = _run(
        [_open(_ONE), _open(_TWO)],
        facts={_TWO: Facts((DecidedFact(candidate(_TWO), _add()),))},
        fetches=[gone, document(_TWO)],
    )

    [unread] = [one for one in run.trace if one.ignored is Ignored.NOT_READ]
    assert (unread.address, "404" in unread.what) == (_ONE, True)
    assert len(run.updates) == 1


@pytest.mark.parametrize(
    "failure",
    [TemporaryError("busy", retry_in_s=5), PermanentError("no such key")],
    ids=["for now", "for good"],
)
def test_a_search_that_fails_costs_its_answers_alone(failure: Exception) -> None:
    navigator = _Navigator([_ask(), _ask("again")])
    run = _run(
        navigator,  # type: ignore[arg-type]  # it is kept to see what it was shown
        searches=(_Search(failure, "gdelt"), _Search([found(_ONE)])),
    )

    assert [hit.address for hit in navigator.shown[1].hits] == [_ONE]
    assert run.troubles == (str(failure),)


def test_answers_of_several_searches_take_turns_and_each_page_comes_once() -> None:
    navigator = _Navigator([_ask(), _ask("again")])
    same = found("https://one.example/a?utm_source=x")
    _run(
        navigator,  # type: ignore[arg-type]  # see above
        searches=(
            _Search([found(_ONE), found("https://three.example/")]),
            _Search([found(_TWO), same]),
        ),
    )

    shown = [hit.address for hit in navigator.shown[2].hits]
    assert shown == [_ONE, _TWO, "https://three.example/"]


def test_a_lead_is_shown_until_it_was_asked() -> None:
    navigator = _Navigator([_open(_ONE), _ask("lorry ban"), Stop()])
    _run(
        navigator,  # type: ignore[arg-type]  # see above
        facts={
            _ONE: Facts((DecidedFact(candidate(_ONE), _add()),), leads=("lorry ban",))
        },
        fetches=[document(_ONE)],
    )

    assert [one.leads for one in navigator.shown] == [(), ("lorry ban",), ()]
    assert len(navigator.shown[1].updates) == 1


@pytest.mark.parametrize(
    ("budget", "tick_s", "stopped"),
    [
        (Budget(steps=3), 0, Stopped.STEPS),
        (Budget(time_s=30), 10, Stopped.TIME),
        (Budget(updates=0), 0, Stopped.ENOUGH),
    ],
)
def test_each_budget_ends_a_run_that_never_stops(
    budget: Budget, tick_s: int, stopped: Stopped
) -> None:
    endless = (_ask(str(number)) for number in count())

    assert _run(endless, budget=budget, tick_s=tick_s).stopped is stopped


@pytest.mark.parametrize(
    ("why", "stopped"),
    [
        (ModelFailure.OUT_OF_BUDGET, Stopped.MONEY),
        (ModelFailure.OUT_OF_REACH, Stopped.FAILED),
        (ModelFailure.UNUSABLE, Stopped.FAILED),
    ],
)
def test_a_model_that_cannot_be_asked_any_more_ends_the_run(
    why: ModelFailure, stopped: Stopped
) -> None:
    gone: RoleAnswer[Move | None] = RoleAnswer(
        None, ModelUse(calls=1, input_tokens=9), why, "no more"
    )
    run = _run([_ask(), gone, _ask("again")])

    assert run.stopped is stopped
    assert run.use == ModelUse(calls=1, input_tokens=9)
    assert run.troubles == ("the language model as navigator: no more",)
    assert (run.turns[Role.NAVIGATOR], run.failed[Role.NAVIGATOR]) == (2, 1)


def test_the_navigator_learns_which_step_was_refused() -> None:
    wrong: RoleAnswer[Move | None] = RoleAnswer(None, failure=ModelFailure.REPEATED)
    navigator = _Navigator([wrong, _ask()])
    _run(navigator)  # type: ignore[arg-type]  # see above

    steps = [one.refused for one in navigator.shown]
    assert steps == ["", ModelFailure.REPEATED.value, ""]


def test_three_steps_that_cannot_be_taken_end_the_run() -> None:
    wrong: RoleAnswer[Move | None] = RoleAnswer(
        None, failure=ModelFailure.NAMED_UNKNOWN
    )

    assert _run([wrong] * 9).stopped is Stopped.FAILED
    assert _run([wrong, wrong, _ask(), wrong, wrong]).stopped is Stopped.NOTHING_LEFT


@dataclass
class _Failing:
    """Extracts well until it fails, as a verifier that lost its files would."""

    good: dict[str, Facts]

    async def extract(
        self,
        _subject: Subject,
        fetch: SourceFetch,
        _search: str,
        _found: Sequence[Update],
    ) -> RoleAnswer[Facts | None]:
        if fetch.url not in self.good:
            raise PermanentError("the model's file is gone")
        return RoleAnswer(self.good[fetch.url])


def test_a_step_that_fails_leaves_what_was_found_and_three_in_a_row_end_it() -> None:
    others = [f"https://other.example/{number}" for number in range(4)]
    run = _run(
        [_open(_ONE), *map(_open, others)],
        extractor=_Failing({_ONE: Facts((DecidedFact(candidate(_ONE), _add()),))}),
        fetches=[document(_ONE), *map(document, others)],
    )

    assert len(run.updates) == 1
    assert run.stopped is Stopped.FAILED
    assert run.troubles == ("the model's file is gone",)
    assert sum("the step failed" in one.what for one in run.trace) == 3


def test_edits_are_proposed_for_each_update_and_refusals_are_in_the_trace() -> None:
    run = _run(
        [_open(_ONE)],
        facts={
            _ONE: Facts(
                (
                    DecidedFact(candidate(_ONE), _add(0.9)),
                    DecidedFact(candidate(_ONE, "Other fact."), _add(0.8)),
                )
            )
        },
        fetches=[document(_ONE)],
        editor=_Editor(),
    )

    steps = [one.what for one in run.trace if one.role is Role.EDITOR]
    assert [one.update for one in run.proposals] == [1]
    assert steps == ["proposes an edit", "facts only: it would lose one"]


def test_what_a_search_left_out_is_reported_with_what_it_found() -> None:
    searches = (_Search(SearchResults((found(_ONE),), ("A is busy",))),)

    discovery = _run([Ask(Query("a", "b"), "")], searches=searches)

    assert discovery.troubles == ("A is busy",)
    assert any("1 new pages" in step.what for step in discovery.trace)
