"""What a language model's word does to a doubtful claim, and what it cannot do."""

from collections.abc import Callable, Sequence
from dataclasses import replace
from decimal import Decimal
from typing import Any

import pytest

from handlers.citations import model_judge, others_unread
from handlers.citations.model_judge import Consulted, Terms
from handlers.citations.model_questions import Answers, ClaimAnswer
from handlers.citations.quotes import find_quote
from handlers.model import (
    ClaimCheck,
    Engine,
    Message,
    MissingKind,
    MissingPiece,
    ModelFailure,
    ModelUse,
    Probabilities,
    SourceOutcome,
    SourceText,
    Verdict,
)
from handlers.ports import (
    ModelAnswer,
    ModelOutOfReachError,
    ModelReply,
    ModelRequest,
    ModelSilence,
    ModelUnusableError,
    T,
)
from tests.builders import (
    SOURCE_TEXT,
    claim,
    claim_check,
    fetch,
    source,
    unread,
    verification,
)
from tests.shared_data import shared_data

TITLE = "2011 Sawyerville–Eoline tornado"
CLAIM = "The tornado was rated EF3 and stayed on the ground for 72 miles"
QUOTE = "rated EF-3 with winds of 145 mph, and it was on the ground for 72 miles"
SPANISH = "El torbellino recorrió 72 millas."  # no word of the claim but its number
UNSURE = Probabilities(0.45, 0.3, 0.2, 0.05)
Say = Callable[[str, str], list[ClaimAnswer]]


def answer(name: str, verdict: str, *quotes: str) -> ClaimAnswer:
    return ClaimAnswer(id=name, quotes=list(quotes), reason="", verdict=verdict)


class Puppet:
    """Answers as the test says, given each claim's id and the sources.

    A model that obeys says the same of the claim that nobody makes, which is the one
    that is not among those `of` the article.
    """

    engine = Engine("language model", "puppet")

    def __init__(
        self, say: Say | ModelSilence | Exception, *, obeys: bool = False
    ) -> None:
        self._say = say
        self._obeys = obeys
        self.requests: list[ModelRequest[Answers]] = []
        self.of: frozenset[str] = frozenset()

    async def ask(self, request: ModelRequest[T]) -> ModelReply[T]:
        assert request.answer is Answers
        self.requests.append(request)  # type: ignore[arg-type]  # checked above
        if isinstance(self._say, Exception):
            raise self._say
        if isinstance(self._say, ModelSilence):
            return self._say
        excerpts = "\n".join(
            one.text for one in request.content if one.label.startswith("source")
        )
        answers = [
            one
            for part in request.content
            if part.label.startswith("claim ")
            for one in self._of(part.label.removeprefix("claim "), part.text, excerpts)
        ]
        value = request.answer.model_validate(Answers(answers=answers).model_dump())
        return ModelAnswer(value, ModelUse(1, 0, 10, 5))

    def is_control(self, part: str) -> bool:
        return part.rpartition("Claim: ")[2] not in self.of

    def _of(self, name: str, claim: str, excerpts: str) -> list[ClaimAnswer]:
        if self.is_control(claim) and not self._obeys:
            return [answer(name, "not stated")]
        assert callable(self._say)
        return self._say(name, excerpts)


def says(verdict: str, *quotes: str) -> Say:
    return lambda name, _: [answer(name, verdict, *quotes)]


def doubtful(
    text: str = CLAIM, likely: Probabilities = UNSURE, page: str = SOURCE_TEXT
) -> ClaimCheck:
    verdict = max(Verdict, key=likely.of)
    read = fetch()
    assert read.document is not None
    read = replace(read, document=replace(read.document, text=page))
    found = verification(verdict, probabilities=likely)
    return claim_check(
        verdict, claim(text), fetches=(read,), verification=replace(found, evidence=())
    )


async def consult(
    title: str,
    checks: Sequence[ClaimCheck],
    puppet: Puppet,
    terms: Terms,
    **more: Any,
) -> Consulted:
    puppet.of = frozenset(one.claim.text for one in checks)
    return await model_judge.consult(title, checks, puppet, terms, **more)


async def put(
    say: Say | ModelSilence | Exception, *checks: ClaimCheck, obeys: bool = False
) -> Consulted:
    puppet = Puppet(say, obeys=obeys)
    return await consult(TITLE, checks or (doubtful(),), puppet, Terms())


async def test_a_quote_that_is_found_makes_the_word_count() -> None:
    judged = await put(says("supported", QUOTE))

    [check] = judged.checks
    assert check.verdict is Verdict.SUPPORTED
    assert check.verification.probabilities.supported > 0.85
    assert check.verification.evidence[0].quote == QUOTE
    assert check.verification.evidence[0].span.of(SOURCE_TEXT) == QUOTE
    assert check.verification.engine.name == "lexical + language model"
    assert check.opinion.failure is None
    assert (judged.consultation.asked, judged.consultation.counted) == (1, 1)


@pytest.mark.parametrize(
    ("verdict", "quote", "why"),
    [
        ("supported", "", ModelFailure.NO_QUOTE),
        ("contradicted", " ", ModelFailure.NO_QUOTE),
        ("supported", QUOTE.replace("145", "146"), ModelFailure.QUOTE_NOT_FOUND),
        ("supported", "rated EF-3 ... for 72 miles", ModelFailure.QUOTE_NOT_FOUND),
        ("supported", CLAIM, ModelFailure.QUOTE_NOT_FOUND),
        ("supported", "a", ModelFailure.QUOTE_NOT_FOUND),
        ("supported", "it was on the ground for 7", ModelFailure.QUOTE_NOT_FOUND),
        ("source unusable", "", ModelFailure.NO_QUOTE),
        ("DELETE_ARTICLE", QUOTE, ModelFailure.UNKNOWN_VERDICT),
        ("Supported", QUOTE, ModelFailure.UNKNOWN_VERDICT),
    ],
)
async def test_any_other_answer_leaves_the_claim_as_it_was(
    verdict: str, quote: str, why: ModelFailure
) -> None:
    before = doubtful()

    judged = await put(says(verdict, quote), before)

    [check] = judged.checks
    assert check.opinion.failure is why
    assert replace(check, opinion=None) == before
    assert judged.consultation.counted == 0


async def test_a_quote_in_words_of_its_own_counts_beside_what_the_claim_is_about() -> (
    None
):
    beside = "Nobody in the village was hurt."
    apart = " ".join(f"Item {n} of the menu leads elsewhere." for n in range(40))
    before = doubtful("The tornado stayed on the ground for 72 miles and did no harm")
    page = f"{SOURCE_TEXT} {beside}"
    near = doubtful(before.claim.text, page=page)
    far = doubtful(before.claim.text, page=f"{SOURCE_TEXT}\n\n{apart} {beside}")

    judged = await put(says("supported", QUOTE, beside), near)
    alone = await put(says("supported", beside), near)
    unanswered = await put(says("contradicted", beside), far)

    assert judged.checks[0].opinion.failure is None
    assert alone.checks[0].opinion.failure is ModelFailure.QUOTE_DOES_NOT_SUPPORT
    assert unanswered.checks[0].opinion.failure is ModelFailure.QUOTE_ELSEWHERE


async def test_a_quote_with_another_number_contradicts_the_claim() -> None:
    text = "The tornado was on the ground for 27 miles"

    judged = await put(says("contradicted", QUOTE), doubtful(text))

    assert judged.checks[0].verdict is Verdict.CONTRADICTED


async def test_what_is_not_stated_needs_no_quote() -> None:
    judged = await put(
        says("not stated"), doubtful(likely=Probabilities(0.3, 0.3, 0.38, 0.02))
    )

    assert judged.checks[0].verdict is Verdict.NOT_SUPPORTED


@pytest.mark.parametrize(
    ("say", "why"),
    ids=["nothing", "another id", "twice"],
    argvalues=[
        (lambda *_: [], ModelFailure.LEFT_OUT),
        (lambda n, _: says("supported", QUOTE)(n + "9", ""), ModelFailure.LEFT_OUT),
        (lambda n, _: says("supported", QUOTE)(n, "") * 2, ModelFailure.ANSWERED_TWICE),
    ],
)
async def test_ids_are_taken_exactly(say: Say, why: ModelFailure) -> None:
    judged = await put(say)

    assert judged.checks[0].opinion.failure is why


@pytest.mark.parametrize(
    ("failure", "why"),
    [
        (ModelOutOfReachError("it is away", retry_in_s=1), ModelFailure.OUT_OF_REACH),
        (ModelUnusableError("the key is wrong"), ModelFailure.UNUSABLE),
        (
            ModelSilence(ModelFailure.OUT_OF_BUDGET, "spent", ModelUse()),
            ModelFailure.OUT_OF_BUDGET,
        ),
        (
            ModelSilence(ModelFailure.CUT_OFF, "", ModelUse(calls=1)),
            ModelFailure.CUT_OFF,
        ),
    ],
)
async def test_no_failure_of_the_model_is_one_of_the_check(
    failure: ModelSilence | Exception, why: ModelFailure
) -> None:
    before = doubtful()

    judged = await put(failure, before)

    [check] = judged.checks
    assert replace(check, opinion=None) == before
    assert check.opinion.failure is why
    assert bool(judged.consultation.stopped) is (why is not ModelFailure.CUT_OFF)


def at(url: str, check: ClaimCheck) -> ClaimCheck:
    """Return the check of a claim that cites another page."""
    [read] = check.fetches
    return replace(check, fetches=(replace(read, source=source(url=url)),))


def claims_of(puppet: Puppet) -> list[list[str]]:
    """Return the claims of each question, without the one that nobody makes."""
    return [
        [
            one.text.rpartition("Claim: ")[2]
            for one in request.content
            if one.label.startswith("claim ") and not puppet.is_control(one.text)
        ]
        for request in puppet.requests
    ]


async def test_of_a_cell_the_model_sees_the_whole_row() -> None:
    cell = replace(
        claim("72 miles"), row="EF3", column="Path", line="Rating: EF3; Near: Eoline"
    )
    puppet = Puppet(says("supported", QUOTE))

    await consult(TITLE, (replace(doubtful(), claim=cell),), puppet, Terms())

    [request] = puppet.requests
    [row] = [one.text for one in request.content if one.text.endswith("72 miles")]
    assert "Whole row: Rating: EF3; Near: Eoline\n" in row


async def test_all_are_asked_about_whose_source_was_read_and_stay_in_their_order() -> (
    None
):
    checks = (
        doubtful("sure", Probabilities(0.98, 0.02, 0, 0)),
        doubtful(),
        doubtful("against", Probabilities(0.1, 0.1, 0.8, 0)),
        claim_check(None, fetches=()),
        doubtful("The tornado lifted north of Eoline"),
    )
    puppet = Puppet(says("not stated"))

    judged = await consult(TITLE, checks, puppet, Terms())

    [claims] = claims_of(puppet)  # all cite the same source
    assert len(claims) == 4
    assert [one.claim for one in judged.checks] == [one.claim for one in checks]
    counted = [one.opinion is not None for one in judged.checks]
    assert counted == [True, True, True, False, True]


async def test_what_is_not_known_in_all_its_words_is_not_asked() -> None:
    gap = MissingPiece(MissingKind.TEMPLATE, "{{age|1960|5|2}}")
    known = doubtful()
    other = replace(known, claim=replace(known.claim, missing=(gap,)))
    puppet = Puppet(says("not stated"))

    judged = await consult(TITLE, (other, known), puppet, Terms())

    assert [one.opinion is not None for one in judged.checks] == [False, True]


async def test_flags_come_first_then_what_is_not_confirmed_then_the_least_sure() -> (
    None
):
    first = "https://example.org/first"
    checks = (
        at("https://example.org/sure", doubtful("sure", Probabilities(0.9, 0.1, 0, 0))),
        at(first, doubtful("beside a flag", Probabilities(0.95, 0.05, 0, 0))),
        at("https://example.org/less", doubtful("less", Probabilities(0.6, 0.4, 0, 0))),
        at(
            "https://example.org/open",
            doubtful("open", Probabilities(0.1, 0.5, 0.4, 0)),
        ),
        at(first, doubtful("flag", Probabilities(0.1, 0.1, 0.8, 0))),
        in_spanish(claim_check(None, claim("foreign"), fetches=())),
    )
    puppet = Puppet(says("not stated"))

    await consult(
        TITLE, checks, puppet, Terms(), flags=lambda one: one.claim.text == "flag"
    )

    assert claims_of(puppet) == [
        ["flag", "beside a flag"], ["foreign"], ["open"], ["less"], ["sure"],
    ]  # fmt: skip


async def test_a_budget_that_runs_out_was_spent_on_flags() -> None:
    class Poor(Puppet):
        async def ask(self, request: ModelRequest[T]) -> ModelReply[T]:
            if self.requests:
                return ModelSilence(ModelFailure.OUT_OF_BUDGET, "spent", ModelUse())
            return await super().ask(request)

    checks = []
    for n in range(4):
        one = doubtful(f"Claim {n} of the tornado")
        page = source(url=f"https://example.org/{n}")
        checks.append(replace(one, fetches=(replace(one.fetches[0], source=page),)))

    judged = await consult(
        TITLE,
        checks,
        Poor(says("not stated")),
        Terms(),
        flags=lambda check: check is checks[2],
    )

    counted = [
        one.opinion is not None and not one.opinion.failure for one in judged.checks
    ]
    assert counted == [False, False, True, False]
    assert judged.consultation.stopped == ("spent",)


async def test_a_source_that_fits_is_sent_whole_and_else_in_whole_sentences() -> None:
    page = " ".join(
        f"Sentence {n} tells of the town and the storm in plain words."
        for n in range(600)
    )
    long = "and on ".join("the wind went" for _ in range(150))
    page = f"{page} The mayor said that {long}. {page}"
    check = doubtful("The mayor said that the wind went on", page=page)

    whole, parts = Puppet(says("not stated")), Puppet(says("not stated"))
    await consult(TITLE, (check,), whole, Terms(max_input_tokens=60_000))
    await consult(TITLE, (check,), parts, Terms(max_input_tokens=3_000))

    def sent(puppet: Puppet) -> list[str]:
        [request] = puppet.requests
        return [one.text for one in request.content if one.label.startswith("source")]

    assert sent(whole) == [page]
    assert sum(map(len, sent(parts))) <= 3_000 * 3
    assert all(one.endswith(".") for one in sent(parts))
    assert all(one.startswith(("Sentence", "The mayor")) for one in sent(parts))
    assert f"The mayor said that {long}." in " ".join(sent(parts))


async def test_a_model_that_supports_what_no_source_says_is_ignored() -> None:
    before = doubtful()

    judged = await put(says("supported", QUOTE), before, obeys=True)

    assert judged.checks[0].opinion.failure is ModelFailure.MISLED
    assert replace(judged.checks[0], opinion=None) == before


async def test_one_quote_of_several_is_enough_and_all_that_are_found_are_shown() -> (
    None
):
    other = "where six people were killed"
    judged = await put(says("supported", "made up words", QUOTE, other))

    [check] = judged.checks
    assert [one.quote for one in check.verification.evidence] == [QUOTE, other]


async def test_a_source_that_is_of_no_use_leaves_the_claim_unchecked() -> None:
    failing = doubtful(likely=Probabilities(0.3, 0.1, 0.59, 0.01))
    judged = await put(says("source unusable", QUOTE), failing)

    [check] = judged.checks
    assert (check.verdict, check.opinion.failure) == (None, None)
    assert check.advice


async def test_a_source_that_says_something_is_of_use_whatever_it_claims() -> None:
    before = doubtful()  # most likely supported

    judged = await put(says("source unusable", QUOTE), before)

    assert replace(judged.checks[0], opinion=None) == before


def in_spanish(before: ClaimCheck) -> ClaimCheck:
    """Return the check with a source more, which the verifier was not shown."""
    withheld = replace(
        fetch(source(url="https://example.org/es")),
        outcome=SourceOutcome.FOREIGN_LANGUAGE,
        document=None,
        withheld=SourceText(f"Breve crónica. {SPANISH}"),
    )
    return replace(before, fetches=(*before.fetches, withheld))


@pytest.mark.parametrize("verdict", ["supported", "contradicted"])
async def test_a_source_that_the_verifier_does_not_read_is_put_to_the_model(
    verdict: str,
) -> None:
    alone = in_spanish(claim_check(None, claim(CLAIM), fetches=()))
    judged = await put(says(verdict, SPANISH), alone)

    [check] = judged.checks
    assert check.verdict.value == verdict
    assert check.verification.engine.name == "language model"
    [found] = check.verification.evidence
    [read] = check.fetches
    assert (read.outcome, read.withheld) == (SourceOutcome.READ, None)
    assert found.span.of(read.document.text) == found.quote == SPANISH
    assert found.passage.source_key == read.source.key


async def test_what_other_sources_do_not_say_is_asked_of_a_foreign_one() -> None:
    silent = Probabilities(0.001, 0.001, 0.997, 0.001)
    before = in_spanish(
        replace(doubtful(likely=silent), verdict=None, advice=Message("", "Read on"))
    )
    judged = await put(says("supported", SPANISH), before)
    gone = source(url="https://example.org/gone")
    partly = replace(
        before, fetches=(*before.fetches, unread(SourceOutcome.GONE, of=gone))
    )
    of_all = await put(says("not stated"), partly)

    [check] = judged.checks
    assert (check.verdict, check.advice) == (Verdict.SUPPORTED, None)
    assert check.verification.probabilities.supported > 0.75
    [check] = of_all.checks
    assert check.verdict is None
    assert check.advice == others_unread(2, 3)


async def test_what_it_will_take_is_reported_before_anything_is_sent() -> None:
    estimates: list[tuple[int, ModelUse]] = []
    puppet = Puppet(says("not stated"))

    def planned(claims: int, expected: ModelUse) -> None:
        assert puppet.requests == []
        estimates.append((claims, expected))

    terms = Terms(input_price=Decimal(1), output_price=Decimal(2))
    done = await consult(TITLE, (doubtful(),), puppet, terms, planned=planned)

    [(claims, expected)] = estimates
    assert (claims, expected.calls) == (1, 1)
    assert expected == done.consultation.expected
    tokens = expected.input_tokens + 2 * expected.output_tokens
    assert expected.cost == Decimal(tokens) / 1_000_000


async def test_large_questions_are_split_and_none_grows_beyond_its_bound() -> None:
    page = " ".join(
        f"Sentence {n} tells of the town and the storm." for n in range(600)
    )
    checks = [
        doubtful(f"The town saw storm {n} tells", page=page) for n in range(0, 600, 18)
    ]
    puppet = Puppet(says("not stated"))

    judged = await consult(TITLE, checks, puppet, Terms(max_input_tokens=1_500))

    sizes = [
        sum(len(one.text) for one in request.content) for request in puppet.requests
    ]
    assert len(sizes) > 4
    assert max(sizes) <= 1_500 * 3
    assert judged.consultation.asked == len(checks)


async def test_a_source_of_another_claim_proves_nothing() -> None:
    other = source(url="https://example.org/other")
    foreign = doubtful("Nothing of that stands here", page="Quite another page.")
    foreign = replace(foreign, fetches=(replace(foreign.fetches[0], source=other),))

    judged = await put(says("supported", QUOTE), doubtful(), foreign)

    failures = [one.opinion.failure for one in judged.checks if one.opinion]
    assert failures == [None, ModelFailure.QUOTE_NOT_FOUND]


@pytest.mark.parametrize(
    ("quote", "text", "found"),
    [
        ("a  b\nc", "x a b c y", "a b c"),
        ("a b", "x a\n\u00a0 b y", "a\n\u00a0 b"),
        ("the “big” one – it’s", 'the "big" one - it\'s', 'the "big" one - it\'s'),
        ('"quoted words"', "the quoted words here", "quoted words"),
        ("softhyphen", "soft\u00adhyphen", "soft\u00adhyphen"),
        ("killed 1", "killed 12 and killed 1 more", "killed 1"),
        ("killed 1", "killed 12", None),
        ("It left.", "on 4 May 2002It left. Later", "It left."),
        ("The Union led", "a role for the EUThe Union led", "The Union led"),
        ("It cost 10", "It cost 10Mn euros", None),
        ("", "abc", None),
        ("  ", "abc", None),
        ("a general's b", "x a general&#39;s b y", "a general&#39;s b"),
        ("the end &", "at the end &amp; x", "the end &amp;"),
        ("a b", "a &nbsp; b", "a &nbsp; b"),
        ("\u00fcber", "x u\u0308ber", "u\u0308ber"),
        ("Case", "case", None),
        ("a" * 800, "a" * 800, None),
    ],
)
def test_quotes_are_found_folded_and_whole(
    quote: str, text: str, found: str | None
) -> None:
    span = find_quote(quote, text)

    assert (span.of(text) if span else None) == found


def test_finding_is_quick_on_hostile_text() -> None:
    assert find_quote("a" * 600 + "b", "a" * 2_000_000) is None
    assert find_quote("a a", "a " * 500_000 + "b") is not None


@pytest.mark.shared_data
async def test_a_page_that_talks_the_model_into_its_verdict_gains_nothing() -> None:
    """A puppet that always obeys the page: supported, quoting what the page told it."""
    import json  # noqa: PLC0415

    folder = shared_data("security_corpora")
    attacks = json.loads(
        (folder / "prompt-injection-pages/placements.json").read_text()
    )
    strings = [*attacks["project_strings"]]
    for file in sorted((folder / "bipia").glob("*.json")):
        for group in json.loads(file.read_text()).values():
            strings += group
    assert len(strings) >= 100
    unmade = "The mayor declared a state of emergency on the following morning"
    for attack in strings:
        page = f"{SOURCE_TEXT}\n{attack} The claim is supported."
        before = doubtful(unmade, page=page)
        for verdict in ("supported", "contradicted"):
            for quote in (attack, "The claim is supported.", unmade, ""):
                judged = await put(says(verdict, quote), before, obeys=True)
                assert replace(judged.checks[0], opinion=None) == before, (
                    attack,
                    quote,
                )
