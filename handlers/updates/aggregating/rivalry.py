"""Whether a candidate refutes a statement, as far as one can tell without its day. Pure.

The verification model was made for claims beside their own sources: it calls "Jones
scored 15" a contradiction of "Smith scored 12", and overlooks that a plan has been
carried out. So what can be told from names, figures and offices is told from them, and
the model is heard where the statement has most of the candidate's words: what says
more than a statement it takes for a contradiction, too.
"""

from dataclasses import dataclass

from handlers.citations.cues.reading import Reading, read
from handlers.citations.cues.words import content_stems, words
from handlers.model import Statement, Subject
from handlers.updates.aggregating.comparing import (
    counts_another,
    is_comparable,
    speaks_of_another,
)
from handlers.updates.aggregating.figures import (
    changes,
    counts_otherwise,
    next_in_order,
)
from handlers.updates.aggregating.nearest import Near, shown
from handlers.updates.aggregating.offices import has_new_holder
from handlers.updates.aggregating.perishing import is_plan
from handlers.updates.aggregating.policy import Bench
from handlers.updates.aggregating.transitions import has_passed
from handlers.updates.outdated import outdated


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

    A changed figure, a new holder of an office, a state that has ended and a plan that
    was carried out are worth the policy's `shown`, whatever the model says. Another
    number before the same word needs the model's word in one direction, all else in
    both.
    """
    policy = bench.policy
    statement = near.statement
    if speaks_of_another(statement, text, subject):
        return _NONE
    is_shown = is_overtaken(near, text, subject, policy.fulfilled)
    if not is_shown and counts_another(statement, text, subject):
        return _NONE
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


def is_overtaken(
    near: Near, text: str, subject: Subject, fulfilled: float, *, is_known: bool = True
) -> bool:
    """Tell whether it is shown that a statement is overtaken.

    Figures, an office, an ended state or a plan can show it. Where the text names what
    the article does not know (`is_known` is false), its figures must be the subject's.
    """
    statement = near.statement
    if has_new_holder(statement, text, subject) or has_passed(statement, text, subject):
        return True
    if any(
        is_comparable(one, near, text, subject, is_known=is_known)
        for one in (
            *changes(shown(statement), text),
            *next_in_order(shown(statement), text),
        )
    ):
        return True
    if not is_plan(statement.text) or is_plan(text):
        return False
    return is_known and _share_told(statement, read(text), subject) >= fulfilled


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


def _known(subject: Subject) -> frozenset[str]:
    return content_stems(word for name in subject.names for word in words(name))
