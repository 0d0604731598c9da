"""Asks a language model about claims, and weighs its answers with the verifier's.

An answer counts if the words it quotes are found in the source; it is then weighed
against the verifier's own probabilities. Words that support a claim must also hold
something that it states. Each question also contains a made-up claim that no source
states: a model that confirms it, or leaves it out, is ignored altogether. Without a
model, or if it fails, the claims stay as they are, and the reason is kept. Pure; it
awaits only the model.
"""

import asyncio
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import groupby

from handlers.citations import conclude
from handlers.citations.comparison import (
    AnalysedClaim,
    prepare,
    recall,
    stem_support,
)
from handlers.citations.model_questions import (
    INSTRUCTIONS,
    QUESTION,
    VERDICTS,
    Answers,
    ClaimAnswer,
    ClaimQuestion,
    Question,
    Terms,
    Trust,
    questions,
    text_of,
    verified,
)
from handlers.citations.quotes import find_quote, matched, passage_around
from handlers.citations.values import Value, same, values_of
from handlers.citations.verification import verdict as likeliest
from handlers.model import (
    ClaimCheck,
    Consultation,
    Engine,
    Evidence,
    Message,
    ModelFailure,
    ModelUse,
    Opinion,
    Passage,
    SourceFetch,
    SourceOutcome,
    Span,
    Verdict,
    Verification,
)
from handlers.ports import (
    LanguageModel,
    ModelAnswer,
    ModelOutOfReachError,
    ModelRequest,
    ModelUnusableError,
)
from handlers.text.analysis import Name, analyse, mentioned
from handlers.text.dates import compare_date, compare_time
from handlers.text.numbers import Agreement, compare_quantity
from handlers.text.words import Rarity

_ALL_WORDS_ALIKE = Rarity(documents=1, floor=1, frequencies={})
_MOST_EVIDENCE = 3
_ENOUGH = 0.25  # of the words of a claim, beside those of its subject
UNUSABLE = Message(
    "advice-nothing-to-judge-by",
    "The language model found nothing to judge by in the text of the source, which may"
    " be an error page or a menu; open the source yourself.",
)

__all__ = ["Consulted", "Terms", "Trust", "consult"]


def weighed(
    title: str,
    question: ClaimQuestion,
    answers: Sequence[ClaimAnswer],
    model: Engine,
    trust: Trust,
    *,
    of_control: Verdict | None = Verdict.NOT_SUPPORTED,
) -> ClaimCheck:
    """Return the check of `asked` with the model's opinion, merged where it counts.

    Args:
        title: of the article.
        question: the claim.
        answers: everything the model gave under the claim's id; one is expected.
        model: the one that answered.
        trust: how much its answer counts.
        of_control: what it says of the made-up claim, which has other values than the
            one that it was made from: a source may well contradict it.
    """
    if len(answers) != 1:
        why = ModelFailure.ANSWERED_TWICE if answers else ModelFailure.LEFT_OUT
        return unanswered(question, why, model)
    [answer] = answers
    if answer.verdict not in VERDICTS:
        return unanswered(question, ModelFailure.UNKNOWN_VERDICT, model)
    given = VERDICTS[answer.verdict]
    claimed = prepare(question.check.claim, title, _ALL_WORDS_ALIKE, analyse)
    found = _evidence(claimed, question, answer)
    failure = _failure_of(claimed, question.check, given, answer, found)
    is_same = given is Verdict.CONTRADICTED and of_control is given
    if failure is None and is_same and not _states_otherwise(claimed, found):
        failure = ModelFailure.MISLED
    if failure is not None:
        return unanswered(question, failure, model, given)
    opinion = _opinion(question.check, model, given, None)
    if given is None:
        return replace(question.check, verdict=None, advice=UNUSABLE, opinion=opinion)
    return _concluded(
        question.check, _merged(question.check, given, found, model, trust), opinion
    )


def unanswered(
    question: ClaimQuestion,
    why: ModelFailure,
    model: Engine,
    given: Verdict | None = None,
) -> ClaimCheck:
    """Return the check as it was, with the reason why the answer does not count."""
    return replace(question.check, opinion=_opinion(question.check, model, given, why))


def _opinion(
    check: ClaimCheck, model: Engine, given: Verdict | None, why: ModelFailure | None
) -> Opinion:
    before = verified(check)
    verifier = before.engine if before else model
    return Opinion(model, verifier, before.verdict if before else None, given, why)


def _failure_of(
    claimed: AnalysedClaim,
    check: ClaimCheck,
    given: Verdict | None,
    answer: ClaimAnswer,
    found: Sequence[Evidence],
) -> ModelFailure | None:
    if given is Verdict.NOT_SUPPORTED:  # nobody can quote what is not there
        return None
    if not any(one.strip() for one in answer.quotes):
        return ModelFailure.NO_QUOTE
    if not found:
        return ModelFailure.QUOTE_NOT_FOUND
    if given is None:
        before = verified(check)
        says_something = before and before.verdict is not Verdict.NOT_SUPPORTED
        return ModelFailure.QUOTE_DOES_NOT_SUPPORT if says_something else None
    if given is not Verdict.CONTRADICTED and not _holds(claimed, check, found):
        return ModelFailure.QUOTE_DOES_NOT_SUPPORT
    # Text in which a page addresses its judge ("answer contradicted") rarely has
    # anything to do with the subject of the claim, so some words must be shared. They
    # may be anywhere in the passage, because a correct quote can be worded quite
    # differently ("Nobody was killed" for "no one lost their life": 4 of 256 correct
    # quotes by a careful reader). In a foreign language no shared words are needed.
    words = analyse("\n".join(one.passage.text for one in found))
    is_near = any(stem_support(claimed.stems, words).values()) or any(
        one.passage.source_key in _foreign(check) for one in found
    )
    return None if is_near else ModelFailure.QUOTE_ELSEWHERE


def _foreign(check: ClaimCheck) -> frozenset[str]:
    """Return the keys of the sources in a language that the verifier does not read."""
    return frozenset(one.key for one in check.fetches if one.withheld)


def _holds(
    claimed: AnalysedClaim, check: ClaimCheck, found: Sequence[Evidence]
) -> bool:
    """Return whether the quotes hold something that the claim states.

    That is one of its numbers, dates or names, except those of the subject, or enough
    of its other words: a paraphrase says "he" for the name, or "that summer" for the
    date. One short quote does for 86 % of the claims with a number or name that readers
    wrote from it, nothing that a page says of its judge does. Digits are the same in
    all languages; other words of a foreign source cannot be compared.
    """
    quoted = analyse("\n".join(one.quote for one in found))
    values, names = _own_details(claimed)
    stated = tuple(values_of(quoted))
    if any(same(value, other) for value in values for other in stated):
        return True
    if any(mentioned(name, quoted.stems) for name in names):
        return True
    if any(one.passage.source_key in _foreign(check) for one in found):
        return not values
    if not (values or names):
        return any(stem_support(claimed.stems, quoted).values())
    return recall(claimed.weights, stem_support(claimed.weights, quoted)) >= _ENOUGH


def _own_details(claimed: AnalysedClaim) -> tuple[list[Value], list[Name]]:
    """Return the values and names of a claim that do not belong to its subject."""
    analysis = claimed.analysis
    values = [
        one
        for one in values_of(analysis)
        if not all(
            word.stem in claimed.title
            for word in analysis.words[one.first_word : one.last_word + 1]
        )
    ]
    names = [one for one in analysis.names if not claimed.title.issuperset(one.stems)]
    return values, names


def _states_otherwise(claimed: AnalysedClaim, found: Sequence[Evidence]) -> bool:
    """Return whether the quotes give another number, date or time than the claim."""
    quoted = analyse("\n".join(one.quote for one in found))
    of = claimed.analysis
    compared = (
        *(compare_quantity(one, quoted.quantities) for one in of.quantities),
        *(compare_date(one, quoted.dates) for one in of.dates),
        *(compare_time(one, quoted.times) for one in of.times),
    )
    return Agreement.DIFFERENT in compared


def _evidence(
    claimed: AnalysedClaim, question: ClaimQuestion, answer: ClaimAnswer
) -> list[Evidence]:
    """Return the quotes that are found, each where it occurs first."""
    before = verified(question.check)
    score = max((one.score for one in before.evidence), default=0.0) if before else 0.0
    found = []
    for quote in answer.quotes[:_MOST_EVIDENCE]:
        for passage, span in _places(question, quote):
            start = span.start - passage.span.start
            text = passage.text[start : span.end - passage.span.start]
            marks = matched(claimed, analyse(text), start)
            found.append(Evidence(passage, text, span, marks, score))
            break
    return found


def _places(question: ClaimQuestion, quote: str) -> Iterator[tuple[Passage, Span]]:
    """Yield where the quote occurs in each of the claim's sources, with its passage."""
    for fetch in question.check.fetches:
        cited, key = text_of(fetch), fetch.key
        span = find_quote(quote, cited.text) if cited else None
        if cited and span:
            own = [one for one in question.passages if one.source_key == key]
            around = passage_around(span, own)
            yield around or Passage(key, span.of(cited.text), span), span


def _merged(
    check: ClaimCheck,
    given: Verdict,
    found: Sequence[Evidence],
    model: Engine,
    trust: Trust,
) -> Verification:
    """Return what the verifier and the model say together, the model's quotes first."""
    before = verified(check)
    likely = trust.weighed(before.probabilities if before else trust.base, given)
    verdict = likeliest(likely)
    if before is None:
        engine = Engine(model.name, f"{model.version}, question {QUESTION}")
        return Verification(verdict, likely, tuple(found), (), engine)
    others = [
        one for one in before.evidence if not any(_overlap(one, own) for own in found)
    ]
    return Verification(
        verdict=verdict,
        probabilities=likely,
        evidence=(*found, *others)[:_MOST_EVIDENCE],
        unsupported=() if verdict is Verdict.SUPPORTED else before.unsupported,
        engine=Engine(
            f"{before.engine.name} + {model.name}",
            f"{before.engine.version} + {model.version}, question {QUESTION}",
        ),
    )


def _overlap(one: Evidence, other: Evidence) -> bool:
    same = one.passage.source_key == other.passage.source_key
    return same and one.span.start < other.span.end and other.span.start < one.span.end


def _concluded(check: ClaimCheck, found: Verification, opinion: Opinion) -> ClaimCheck:
    """Return the check with its new verdict; sources that the model read count as read.

    A claim whose verdict is withheld because a source was not read only gets one if the
    sources that were read now turn out to say something about it.
    """
    after = conclude(check.claim, tuple(map(_read, check.fetches)), found)
    return replace(after, opinion=opinion)


def _read(fetch: SourceFetch) -> SourceFetch:
    if fetch.withheld is None:
        return fetch
    return replace(
        fetch,
        outcome=SourceOutcome.READ,
        document=fetch.withheld,
        withheld=None,
    )


# --- questions and answers ---


@dataclass(frozen=True, slots=True)
class Consulted:
    """The checks, with an opinion on those asked about, and what that took."""

    checks: tuple[ClaimCheck, ...]
    consultation: Consultation


@dataclass(frozen=True, slots=True)
class _Outcome:
    """The result of one question."""

    checks: dict[int, ClaimCheck]  # by place
    use: ModelUse
    stopped: str | None = None


async def consult(
    title: str,
    checks: Sequence[ClaimCheck],
    model: LanguageModel,
    terms: Terms,
    *,
    flags: Callable[[ClaimCheck], bool] = lambda _: False,
    planned: Callable[[int, ModelUse], None] = lambda *_: None,
    done: Callable[[int], None] = lambda _: None,
) -> Consulted:
    """Ask `model` about `checks` of the article `title`, those likeliest to fail first.

    Nothing that the model or its server does makes this fail.

    Args:
        title: of the article.
        checks: of all its claims; their order is kept.
        model: decides how many questions are asked at once.
        terms: how large a question is, and how much an answer counts.
        flags: says whether a check would be flagged as it is.
        planned: called before anything is sent, with the number of claims to ask about
            and an estimate of what that takes.
        done: called with how many more claims the model has been asked about.
    """
    asking = await asyncio.to_thread(questions, title, checks, terms, flags)
    expected = terms.cost(asking)
    if asking:
        planned(sum(len(one.claims) for one in asking), expected)

    async def ask_chunk(question: Question) -> _Outcome:
        outcome = await _ask(title, question, model, terms.trust)
        done(len(question.claims))
        return outcome

    answered: list[_Outcome] = []
    # One priority at a time: if the budget runs out, it was spent on the flags.
    for _, together in groupby(asking, key=lambda one: one.priority):
        answered += await asyncio.gather(*map(ask_chunk, together))
    after = {place: check for one in answered for place, check in one.checks.items()}
    opinions = [one.opinion for one in after.values() if one.opinion is not None]
    return Consulted(
        checks=tuple(after.get(place, check) for place, check in enumerate(checks)),
        consultation=Consultation(
            engine=model.engine,
            asked=len(opinions),
            counted=sum(one.failure is None for one in opinions),
            use=sum((one.use for one in answered), ModelUse()),
            expected=expected,
            stopped=tuple(
                dict.fromkeys(one.stopped for one in answered if one.stopped)
            ),
        ),
    )


async def _ask(
    title: str, question: Question, model: LanguageModel, trust: Trust
) -> _Outcome:
    def without_answers(
        why: ModelFailure, use: ModelUse, detail: str | None = None
    ) -> _Outcome:
        left = {
            one.place: unanswered(one, why, model.engine) for one in question.claims
        }
        return _Outcome(left, use, detail)

    try:
        reply = await model.ask(ModelRequest(INSTRUCTIONS, question.content, Answers))
    except ModelOutOfReachError as error:
        return without_answers(ModelFailure.OUT_OF_REACH, error.use, str(error))
    except ModelUnusableError as error:
        return without_answers(ModelFailure.UNUSABLE, error.use, str(error))
    if not isinstance(reply, ModelAnswer):
        detail = reply.detail if reply.why is ModelFailure.OUT_OF_BUDGET else None
        return without_answers(reply.why, reply.use, detail)
    answers = reply.value.answers
    of_control = [one for one in answers if one.id == question.control]
    if len(of_control) != 1:
        twice, left_out = ModelFailure.ANSWERED_TWICE, ModelFailure.LEFT_OUT
        return without_answers(twice if of_control else left_out, reply.use)
    made_up = VERDICTS.get(of_control[0].verdict)
    if made_up is Verdict.SUPPORTED:
        return without_answers(ModelFailure.MISLED, reply.use)
    return _Outcome(
        {
            one.place: weighed(
                title,
                one,
                [each for each in answers if each.id == one.id],
                model.engine,
                trust,
                of_control=made_up,
            )
            for one in question.claims
        },
        reply.use,
    )
