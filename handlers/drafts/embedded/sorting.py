"""Puts each quote under the heading that it fits best. Pure; it awaits the encoder."""

from collections.abc import Sequence

from handlers.drafts.embedded.kinds import expected
from handlers.drafts.embedded.surveying import Survey
from handlers.model import PlannedSection
from handlers.ports import TextEncoder

_CUE, _MOST_CUES = 0.07, 3
_NEIGHBOUR = 0.05  # what stands beside a sentence is mostly of one section with it
_LEAST = 0.2  # of the best heading; below it a sentence belongs to the rest


async def sorted_under(
    survey: Survey,
    sections: Sequence[PlannedSection],
    encoder: TextEncoder,
    rest: str,
) -> tuple[str, ...]:
    """Return for each quote of a survey the heading that it belongs under.

    Args:
        survey: of the documents.
        sections: to choose from; the lead among them is none.
        encoder: compares sentences with what the sections want.
        rest: the heading for what fits none, if it is among them.
    """
    named = [one for one in sections if one.heading]
    if not named or not survey.quotes:
        return tuple("" for _ in survey.quotes)
    asked = [f"{one.heading}: {', '.join(one.wants)}" for one in named]
    likeness = await encoder.likeness([one.text for one in survey.quotes], asked)
    cues = [expected(one.heading) for one in named]
    found: list[str] = []
    for at, quote in enumerate(survey.quotes):
        before = found[-1] if found and quote.follows else ""
        if quote.depends and before:
            found.append(before)
            continue
        scores = [
            fit
            + _cued(cue.cues.findall(quote.text) if cue else ())
            + _NEIGHBOUR * (one.heading == before)
            for fit, cue, one in zip(likeness[at], cues, named, strict=True)
        ]
        best = max(range(len(named)), key=lambda each: scores[each])
        is_clear = scores[best] >= _LEAST or all(one.heading != rest for one in named)
        found.append(named[best].heading if is_clear else rest)
    return tuple(found)


def _cued(found: Sequence[object]) -> float:
    return _CUE * min(_MOST_CUES, len({str(one).lower() for one in found}))
