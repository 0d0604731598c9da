"""Chooses quotes so that none says again what another said (maximal marginal relevance).

What is left out because a chosen quote of another document says the same speaks for
that quote: its chunk can be cited, too. Pure.
"""

from collections.abc import Sequence, Set
from dataclasses import dataclass

from handlers.drafts.embedded.surveying import Survey

LEAST_WORTH, LEAST_SPARE = 0.2, 0.1
_SAME, _SAME_WORDS = 0.86, 0.8
_BEARS_OUT = 0.9  # cosine from which another document's sentence may say all of it
_LIKE, _COST = 0.5, 0.4
_FEWEST_STEMS = 5
_FEWEST_LEFT = 20  # words; into fewer no sentence of first choice may have fitted
_OVER = 1.1  # of the words wanted, so that the last sentence is not cut off


@dataclass(frozen=True, slots=True)
class Chosen:
    """Places of quotes in a survey: those chosen, and what says the same as each."""

    at: tuple[int, ...]
    same: dict[int, tuple[int, ...]]


def chosen(
    survey: Survey,
    among: Sequence[int],
    words: int,
    *,
    taken: Sequence[int] = (),
    worths: Sequence[float] | None = None,
    least: float = LEAST_WORTH,
    behind: Sequence[int] = (),
) -> Chosen:
    """Return the best of `among` up to about `words` words, in the order of choosing.

    Args:
        survey: with the quotes.
        among: places of quotes that may be chosen.
        words: how many are wanted.
        taken: places of quotes that are in the draft already.
        worths: of all quotes, where not the survey's.
        least: worth; what is worth less is not chosen.
        behind: places of quotes of the same section, which others may point back to.
    """
    values = worths or survey.worths
    free = {one for one in among if values[one] >= least}
    likeness = {
        one: max((survey.alike[one][other] for other in taken), default=0.0)
        for one in free
    }
    found: list[int] = []
    same: dict[int, list[int]] = {}
    length = 0
    while free and length < words:
        best = max(
            (one for one in free if _is_ready(survey, one, (*behind, *found))),
            key=lambda one: values[one] - _COST * max(0.0, likeness[one] - _LIKE),
            default=None,
        )
        if best is None:
            break
        free.discard(best)
        size = len(survey.quotes[best].text.split())
        twin = _twin(survey, best, (*taken, *found))
        if twin is not None and _bears_out(survey, best, twin):
            same.setdefault(twin, []).append(best)
        if twin is not None or length + size > words * _OVER:
            continue
        found.append(best)
        length += size
        for one in free:
            likeness[one] = max(likeness[one], survey.alike[one][best])
    return Chosen(tuple(found), {at: tuple(each) for at, each in same.items()})


def filled(
    survey: Survey,
    among: Sequence[int],
    words: int,
    *,
    taken: Sequence[int] = (),
    worths: Sequence[float] | None = None,
) -> Chosen:
    """Return what `chosen` does, with quotes of second choice where words are left.

    Those are on the topic less surely or tell less of it; the best of them come first.
    """
    best = [one for one in among if one not in survey.second]
    first = chosen(survey, best, words, taken=taken, worths=worths)
    left = words - sum(len(survey.quotes[one].text.split()) for one in first.at)
    if left < _FEWEST_LEFT:
        return first
    more = chosen(
        survey,
        [one for one in among if one not in first.at],
        left,
        taken=(*taken, *first.at),
        worths=worths,
        least=LEAST_SPARE,
        behind=first.at,
    )
    same = {
        at: (*first.same.get(at, ()), *more.same.get(at, ()))
        for at in (*first.same, *more.same)
    }
    return Chosen((*first.at, *more.at), same)


def is_first_choice(survey: Survey, at: int) -> bool:
    """Tell whether a quote is surely on the topic, and worth its place."""
    return at not in survey.second and survey.worths[at] >= LEAST_WORTH


def _is_ready(survey: Survey, at: int, found: Sequence[int]) -> bool:
    """Tell whether what a quote points back to was chosen."""
    quote = survey.quotes[at]
    if not quote.depends:
        return True
    if at == 0 or at - 1 not in found:
        return False
    before = survey.quotes[at - 1]
    return before.chunk.document == quote.chunk.document and before.at == quote.at - 1


def _twin(survey: Survey, at: int, taken: Sequence[int]) -> int | None:
    """Return the quote that says the same, if one does.

    Two that give other figures do not, though all their words be the same: they
    disagree.
    """
    mine = survey.quotes[at].stems
    for one in taken:
        theirs = survey.quotes[one].stems
        is_alike = survey.alike[at][one] >= _SAME or _held(mine, theirs) >= _SAME_WORDS
        if one != at and is_alike and not _differs(mine, theirs):
            return one
    return None


def _differs(mine: Set[str], theirs: Set[str]) -> bool:
    """Tell whether each has a figure that the other has not."""
    return any(one[0].isdigit() for one in mine - theirs) and any(
        one[0].isdigit() for one in theirs - mine
    )


def _held(mine: Set[str], theirs: Set[str]) -> float:
    """Return the share of a sentence's stems that another one has, too."""
    return len(mine & theirs) / len(mine) if len(mine) >= _FEWEST_STEMS else 0.0


def _bears_out(survey: Survey, at: int, twin: int) -> bool:
    one, other = survey.quotes[at], survey.quotes[twin]
    return (
        one.chunk.document != other.chunk.document
        and survey.alike[at][twin] >= _BEARS_OUT
    )
