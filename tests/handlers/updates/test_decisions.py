"""What a model's words may say beyond its quote: nothing."""

from collections.abc import Sequence
from dataclasses import replace
from datetime import date
from typing import NoReturn

import pytest

from handlers.model import (
    Add,
    CandidateUpdate,
    Claim,
    Passage,
    Probabilities,
    SourceText,
    Span,
    Verdict,
    Verification,
)
from handlers.ports import ModelRequest, T
from handlers.sources.reliability import ReliabilityLists
from handlers.updates.backing import apply_decision
from handlers.updates.decisions import FactJudge, ProposedFact, fault_of
from tests.fakes import FAKE_ENGINE
from tests.handlers.drafts.puppets import BagEncoder, WordVerifier
from tests.handlers.updates.builders import candidate, statement, subject

_QUOTE = (
    "Harbour Bridge was closed to 900 lorries on Tuesday after Peter Hall, the mayor,"
    " saw cracks."
)


class _Sure:
    """A verifier that believes everything as far as `share`."""

    engine = FAKE_ENGINE

    def __init__(self, share: float = 1.0) -> None:
        self._share = share

    async def verify(
        self, title: str, claim: Claim, passages: Sequence[Passage]
    ) -> Verification:
        assert title == "Harbour Bridge"
        assert claim.text
        assert any(one.text for one in passages)
        likely = Probabilities(self._share, 0.0, 1 - self._share, 0.0)
        return Verification(Verdict.SUPPORTED, likely, (), (), FAKE_ENGINE)


def _dated(quote: str = _QUOTE) -> CandidateUpdate:
    return replace(candidate(text=quote), dated=date(2026, 10, 6))


async def _fault(fact: str, one: CandidateUpdate, share: float = 1.0) -> str | None:
    return await fault_of(fact, one, subject(), _Sure(share))


@pytest.mark.parametrize(
    ("fact", "fault"),
    [
        ("Harbour Bridge closed to 900 lorries after the mayor saw cracks.", None),
        ("Harbour Bridge was closed to lorries after Mayor Hall saw cracks.", None),
        ("On 6 October 2026 Harbour Bridge was closed to 900 lorries.", None),
        ("In October 2026 Harbour Bridge was closed to 900 lorries.", None),
        ("On 7 October 2026 Harbour Bridge was closed to 900 lorries.", "another date"),
        ("Harbour Bridge was closed to 901 lorries by the mayor.", "number"),
        ("Harbour Bridge was closed to 900 lorries by Clara Stone.", "someone"),
        ("Too short", "too short"),
        (f"Harbour Bridge {'very ' * 90}closed.", "too long"),
        ("Harbour Bridge was closed to {{lorries}} after cracks.", "markup"),
        ("Harbour Bridge was closed, see https://evil.example/.", "markup"),
    ],
)
async def test_days_numbers_and_names_come_from_the_quote(
    fact: str, fault: str | None
) -> None:
    result = await _fault(fact, _dated())

    assert (result is None) is (fault is None), result
    assert (fault or "") in (result or "")


@pytest.mark.parametrize(
    ("day", "is_held"), [("6", True), ("1", True), ("7", False), ("20", False)]
)
async def test_a_day_that_the_quote_does_not_date_is_of_the_week_before_its_page(
    day: str, is_held: bool
) -> None:
    fact = f"On {day} October 2026 Harbour Bridge was closed to 900 lorries."
    result = await _fault(fact, _dated())

    assert result == (None if is_held else "it gives another date than the document")


async def test_the_verification_model_has_the_last_word() -> None:
    fact = "Harbour Bridge closed to 900 lorries after the mayor saw cracks."
    result = await _fault(fact, _dated(), 0.2)

    assert result == "only 20% sure that the quote says so"


@pytest.mark.parametrize(
    ("quote", "fact", "is_held"),
    [
        (
            "Ayes were 24 and noes 11.",
            "The vote had 24 ayes, 11 noes, 35 in all.",
            True,
        ),
        ("Ayes were 24 and noes 11.", "The vote had 24 ayes, 13 more than noes.", True),
        ("Ayes were 24 and noes 11.", "The vote had 24 ayes and 12 noes.", False),
        ("In all 2,25,486 votes were cast.", "225,486 votes were cast.", True),
        ("He sat from 1941 until 1949.", "The mayor sat there for eight years.", True),
        ("He sat from 1941 until 1949.", "The mayor sat there for nine years.", False),
        ("Over 2000 homes were hit.", "More than 3,000 homes were hit.", False),
    ],
)
async def test_numbers_are_the_quotes_or_follow_from_two_of_them(
    quote: str, fact: str, is_held: bool
) -> None:
    result = await _fault(fact, _dated(quote))

    assert (result is None) is is_held, result


async def test_who_is_meant_may_stand_elsewhere_in_the_document() -> None:
    before = "Dame Ann Example is the mayor of Port Example. " + "She is busy. " * 40
    quote = "She closed the bridge on Tuesday."
    one = candidate(text=quote)
    text = f"{before}{quote}"
    span = Span(len(before), len(text))
    document = SourceText(text, title="Lorries")
    result = await _fault(
        "Ann Example closed the bridge.",
        replace(
            one,
            fetch=replace(one.fetch, document=document),
            evidence=replace(one.evidence, span=span),
        ),
    )
    stranger = await _fault("Bob Example closed the bridge.", one)

    assert result is None
    assert isinstance(stranger, str)


@pytest.mark.parametrize(
    ("fact", "is_held"),
    [
        ("On 3 March 2026 Peter Hall closed Harbour Bridge to 900 lorries.", True),
        ("On 4 March 2026 Peter Hall closed Harbour Bridge to 900 lorries.", False),
    ],
)
async def test_a_page_that_lost_its_capitals_still_dates_and_names(
    fact: str, is_held: bool
) -> None:
    quote = "on march 3 2026 mayor peter hall closed harbour bridge to 900 lorries"

    result = await _fault(fact, _dated(quote))

    assert (result is None) is is_held, result


@pytest.mark.parametrize(
    ("fact", "is_held"),
    [
        ("On 18 October 2002 the bridge was closed to 900 lorries.", True),
        ("In October 2002 the bridge was closed to 900 lorries.", True),
        ("On 17 October 2002 the bridge was closed to 900 lorries.", False),
        ("In November 2002 the bridge was closed to 900 lorries.", False),
    ],
)
async def test_a_page_that_lost_its_line_breaks_still_dates(
    fact: str, is_held: bool
) -> None:
    before, quote = (
        "vote for a strikeOctober 18 2002",
        "The bridge closes to 900 lorries.",
    )
    one = candidate(text=quote)
    span = Span(len(before), len(before) + len(quote))
    result = await _fault(
        fact,
        replace(
            one,
            fetch=replace(one.fetch, document=SourceText(before + quote)),
            evidence=replace(one.evidence, span=span),
        ),
    )

    assert (result is None) is is_held, result


@pytest.mark.parametrize(
    ("day", "is_held"),
    [
        ("18 October", True),  # the day above the quote
        ("18 April", True),  # the first of the page, which may be its own
        ("9 September", False),
        ("22 October", False),
    ],
)
async def test_a_day_of_another_event_on_the_page_is_refused(
    day: str, is_held: bool
) -> None:
    quote = "The bridge was closed to 900 lorries, and a queue formed."
    above = (
        "April 18 2002\nThe works are announced.\nSeptember 9 2002\n"
        f"{'The first lorries are weighed. ' * 12}\nOctober 18 2002\n"
    )
    below = "\nOctober 22 2002\nThe bridge is open again."
    one, span = candidate(text=quote), Span(len(above), len(above) + len(quote))
    result = await _fault(
        f"On {day} 2002 the bridge was closed to 900 lorries.",
        replace(
            one,
            fetch=replace(one.fetch, document=SourceText(above + quote + below)),
            evidence=replace(one.evidence, span=span),
        ),
    )

    assert (result is None) is is_held, result


@pytest.mark.parametrize(
    ("name", "is_held"), [("Speak Now", True), ("Speak Off", False)]
)
async def test_a_name_may_have_a_stop_word(name: str, is_held: bool) -> None:
    sentence = "The album “Speak Now”, long put off, has a song about Harbour Bridge."
    one = candidate(text=sentence)

    result = await _fault(f"The album {name} has a song about Harbour Bridge.", one)

    assert (result is None) is is_held, result


async def test_the_article_names_whom_a_page_does_not() -> None:
    about = subject(statements=(statement("The mayor is Clara Stone."),))
    one = _dated()

    known = await fault_of("Clara Stone closed the bridge.", one, about, _Sure())
    unknown = await fault_of("Bob Smith closed the bridge.", one, about, _Sure())

    assert known is None, known
    assert isinstance(unknown, str)


class _Shown(_Sure):
    """Keeps what it is shown."""

    def __init__(self) -> None:
        super().__init__()
        self.passages: list[str] = []

    async def verify(
        self, title: str, claim: Claim, passages: Sequence[Passage]
    ) -> Verification:
        self.passages += [one.text for one in passages]
        return await super().verify(title, claim, passages)


@pytest.mark.parametrize(
    ("quote", "first"),
    [
        ("The bridge closed on Tuesday.", "6 October 2026: "),
        ("The bridge closed on 6 October.", "Today. "),
    ],
)
async def test_the_verification_model_gets_the_day_of_a_quote_without_one(
    quote: str, first: str
) -> None:
    judge = _Shown()
    fact = "Harbour Bridge closed on 6 October 2026."

    result = await fault_of(fact, _dated(quote), subject(), judge)

    assert result is None, result
    assert judge.passages[0].startswith(first)


class _NeverAsked:
    engine = FAKE_ENGINE

    async def ask(self, request: ModelRequest[T]) -> NoReturn:
        raise AssertionError(request.instructions)


_HALL = "Peter Hall was elected mayor of Port Example on 3 October 2026 with 900 votes."


@pytest.mark.parametrize(
    ("second", "sources"),
    [
        ("Peter Hall was elected mayor.", 2),  # says less
        ("Clara Stone was elected mayor.", 1),
        ("Peter Hall was elected mayor with 800 votes.", 1),
        ("Port Example has a mayor.", 1),  # which the article says itself
        (f"After a count, {_HALL}", 2),
    ],
)
async def test_a_site_that_says_less_of_a_fact_is_a_second_voice(
    second: str, sources: int
) -> None:
    about = subject(statements=(statement("Port Example has a mayor."),))
    first = candidate(text=_HALL)
    lists = ReliabilityLists(())
    [known] = apply_decision((), first, Add((), None, 0.9), about, lists).updates
    other = candidate("https://second.example/hall", text=second)
    decisions = FactJudge(_NeverAsked(), WordVerifier(), BagEncoder())

    [decided], _, _ = await decisions.of(
        about, [ProposedFact(other, "same", "", "u1", "")], [known]
    )
    [update] = apply_decision(
        (known,), decided.candidate, decided.decision, about, lists
    ).updates

    assert len(update.sources) == sources
