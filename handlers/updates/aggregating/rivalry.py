"""Whether a candidate refutes a statement, as far as one can tell without its day. Pure.

The verification model was made for claims beside their own sources: it calls "Jones
scored 15" a contradiction of "Smith scored 12", and overlooks that a plan has been
carried out. So what can be told from names, figures and offices is told from them, and
the model is heard where the statement has most of the candidate's words: what says
more than a statement it takes for a contradiction, too.
"""

from dataclasses import dataclass

from handlers.citations.cues import dates
from handlers.citations.cues.agreement import Agreement
from handlers.citations.cues.names import mentioned
from handlers.citations.cues.reading import Reading, read
from handlers.citations.cues.words import content_stems, words
from handlers.model import Statement, Subject
from handlers.updates.aggregating.figures import change, counts_otherwise
from handlers.updates.aggregating.nearest import Near, shown
from handlers.updates.aggregating.offices import has_new_holder
from handlers.updates.aggregating.perishing import is_plan, is_state
from handlers.updates.aggregating.policy import Bench
from handlers.updates.outdated import outdated

_SHORT = 10  # content words of a statement that is about its figure
_SHARED = 0.3  # of the candidate's words, with a longer one
_NAMED = 0.5  # share of a name from which it is mentioned


@dataclass(frozen=True, slots=True)
class Refutation:
    """How surely a statement and a text cannot both hold now.

    `shown` is that by figures, an office or a plan, `by_model` the model's word.
    """

    shown: float
    by_model: float

    @property
    def likely(self) -> float:
        """The surer of both."""
        return max(self.shown, self.by_model)


_NONE = Refutation(0.0, 0.0)


async def refuted(near: Near, text: str, subject: Subject, bench: Bench) -> Refutation:
    """Return how surely statement and `text` cannot both hold now.

    A changed figure, a new holder of an office and a plan that was carried out are
    worth the policy's `shown`, whatever the model says. Another number before the
    same word needs the model's word in one direction, all else in both.
    """
    policy = bench.policy
    if speaks_of_another(near.statement, text, subject):
        return _NONE
    statement = near.statement
    is_shown = is_overtaken(near, text, subject, policy.fulfilled)
    counts = counts_otherwise(statement.header, statement.text, text)
    much_the_same = (
        near.alike >= policy.very_alike and near.shared >= policy.mostly_shared
    )
    if not (is_shown or counts or much_the_same):
        return _NONE
    title, said = subject.page.id.title, shown(statement)
    onward = await outdated(bench.verifier, title, said, text)
    backward = await outdated(bench.verifier, title, text, said)
    by_model = max if is_shown or counts else min
    return Refutation(policy.shown * is_shown, by_model(onward, backward))


def is_overtaken(near: Near, text: str, subject: Subject, fulfilled: float) -> bool:
    """Tell whether figures, an office or a plan show that a statement is overtaken.

    A long statement has its figure in passing, so it must share more than the figure.
    """
    statement = near.statement
    is_short = len(read(statement.text).content) <= _SHORT
    is_of_it = is_short or near.shared >= _SHARED
    if is_of_it and change(shown(statement), text) is not None:
        return True
    if has_new_holder(statement, text, subject):
        return True
    if not is_plan(statement.text) or is_plan(text):
        return False
    return _share_told(statement, read(text), subject) >= fulfilled


def speaks_of_another(statement: Statement, text: str, subject: Subject) -> bool:
    """Tell whether the two are about other people, places, days or turns.

    That is so where both name somebody besides the subject and neither names one of
    the other's; where one speaks of the first and the other of the second; and where
    both give days that differ for what does not go on.
    """
    said, stated = read(shown(statement)), read(text)
    if has_new_holder(statement, text, subject):
        return False
    if _names_others(said, stated, subject) or _is_another_turn(said, stated):
        return True
    return not is_state(statement) and _is_of_other_days(said, stated)


def _share_told(statement: Statement, told: Reading, subject: Subject) -> float:
    """Return the share of a plan's own words, its days left out, that are told of."""
    said = read(statement.text)
    dated = {
        at for one in said.dates for at in range(one.first_word, one.last_word + 1)
    }
    own = content_stems(
        word
        for at, word in enumerate(said.words)
        if at not in dated and not is_plan(word.text)
    ) - _known(subject)
    return sum(map(told.index.support, own)) / len(own) if own else 0.0


def _names_others(said: Reading, stated: Reading, subject: Subject) -> bool:
    known = _known(subject)
    mine = [one for one in said.names if not known.issuperset(one.stems)]
    theirs = [one for one in stated.names if not known.issuperset(one.stems)]
    if not mine or not theirs:
        return False
    shared = any(mentioned(one, stated.stems) >= _NAMED for one in mine)
    return not shared and not any(
        mentioned(one, said.stems) >= _NAMED for one in theirs
    )


def _known(subject: Subject) -> frozenset[str]:
    return content_stems(word for name in subject.names for word in words(name))


def _is_another_turn(said: Reading, stated: Reading) -> bool:
    mine, theirs = _turns(said), _turns(stated)
    return bool(mine and theirs) and mine.isdisjoint(theirs)


def _turns(found: Reading) -> set[float]:
    return {one.value for one in found.quantities if one.unit == "ordinal"}


def _is_of_other_days(said: Reading, stated: Reading) -> bool:
    """Tell whether all days differ; another day of the same year may be an error."""
    if not said.dates or not stated.dates:
        return False
    agreed = [dates.agreement(one, stated.dates) for one in said.dates]
    if any(one is not Agreement.DIFFERENT for one in agreed):
        return False
    return {one.year for one in said.dates}.isdisjoint(one.year for one in stated.dates)
