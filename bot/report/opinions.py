"""Says in words what a language model was asked, and what became of it. Pure.

Fixed sentences written by people: no word of the model's own stands in a report.
"""

from collections.abc import Iterator

from bot.report.wording import counted
from bot.report.words import shortened
from handlers.model import ClaimCheck, Consultation, ModelUse, Opinion, Setback

_NOT_HEARD = frozenset({Setback.OUT_OF_BUDGET, Setback.OUT_OF_REACH, Setback.UNUSABLE})
_MOST_OF_A_NAME = 60


def opinion_words(check: ClaimCheck) -> str:
    """Return what a language model had to do with `check`, or nothing."""
    opinion = check.opinion
    if opinion is None:
        return ""
    name = f"the language model {_name(opinion.engine.version)}"
    if opinion.setback in _NOT_HEARD:
        return f"Meant for {name}: {opinion.setback.value}."
    if opinion.setback is not None:
        return f"Put to {name}; its answer does not count: {opinion.setback.value}."
    return f"Put to {name}{_counting(opinion)}."


def consultation_lines(told: Consultation) -> Iterator[str]:
    """Yield what asking a language model about a page took and brought."""
    name = f"Language model {_name(told.engine.version)}"
    if not told.asked:
        yield f"{name}: not asked, for the verifier flags nothing and leaves no doubt."
        return
    settled = f"{told.counted} of {counted(told.asked, 'claim')}"
    yield f"{name}: an answer that counts for {settled}; {_took(told.use)}."
    if told.use.calls:
        yield f"{name} was expected to take {_took(told.expected)}."
    for line in told.stopped:
        yield f"{name} stopped: {line}."


def _counting(opinion: Opinion) -> str:
    said = opinion.verdict.value if opinion.verdict else "that the source is unusable"
    if opinion.before is None:
        return f", which says {said}; the verifier could not judge it"
    if opinion.verdict is opinion.before:
        return f", which says {said} as the verifier does"
    return f", which says {said}; the verifier alone says {opinion.before.value}"


def expectation_line(claims: int, expected: ModelUse) -> str:
    """Say what asking a language model will take, before it is asked."""
    return (
        f"The language model is asked about {counted(claims, 'claim')}: about"
        f" {_took(expected)}."
    )


def _took(use: ModelUse) -> str:
    parts = [
        counted(use.calls, "call"),
        f"{use.input_tokens:,} tokens in",
        f"{use.output_tokens:,} out",
    ]
    if use.remembered:
        parts.insert(1, f"{counted(use.remembered, 'answer')} from memory")
    if use.cost:
        parts.append(f"cost {use.cost:.4f}")
    return ", ".join(parts)


def _name(version: str) -> str:
    return shortened(version, _MOST_OF_A_NAME)
