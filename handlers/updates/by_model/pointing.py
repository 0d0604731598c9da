"""Checks what a model says that a candidate overtakes, or bears out once more. Pure."""

from collections.abc import Sequence
from dataclasses import dataclass

from handlers.model import (
    CandidateUpdate,
    Corroborate,
    Ignore,
    Ignored,
    Replace,
    Ruling,
    Setback,
    Statement,
    Subject,
    Update,
)
from handlers.ports import Verifier
from handlers.updates.aggregating import Policy
from handlers.updates.aggregating.comparing import speaks_of_another
from handlers.updates.aggregating.figures import counts_otherwise, lacks_a_count
from handlers.updates.aggregating.nearest import Near, shown
from handlers.updates.aggregating.perishing import Standing, perishes, standing
from handlers.updates.aggregating.rivalry import is_overtaken
from handlers.updates.by_model.framing import Sections, chosen
from handlers.updates.entailing import entails
from handlers.updates.outdated import outdated


@dataclass(frozen=True, slots=True)
class Case:
    """A candidate with what the model was shown, and who checks its word."""

    subject: Subject
    candidate: CandidateUpdate
    found: Sequence[Update]
    near: Sequence[Statement]
    sections: Sections
    verifier: Verifier
    policy: Policy  # the embedded aggregator's, whose bars hold here, too

    async def pointed(
        self, decision: str, target: str, first: Ruling
    ) -> Ruling | Setback:
        """Return the ruling on what the model points at, if that is borne out.

        Args:
            decision: "replace" or "same"; any other word is none.
            target: the id of a statement or an update.
            first: the embedded aggregator's ruling.
        """
        if decision not in {"replace", "same"}:
            return Setback.NAMED_UNKNOWN
        target = target.strip().casefold()
        update = next((one for one in self.found if target == f"u{one.number}"), None)
        statement = chosen(target, "a", self.near)
        if update is not None:
            if decision == "same":
                return await self._same(update, first)
            return await self._newer(update, first)
        if statement is None:
            return Setback.NAMED_UNKNOWN
        if decision == "same":
            return Ignore(
                Ignored.ALREADY_SAID, f"the article: “{statement.text[:200]}”"
            )
        return await self._overtaken(statement, first)

    async def _overtaken(self, statement: Statement, first: Ruling) -> Ruling | Setback:
        if isinstance(first, Replace) and first.statement == statement:
            return first
        if isinstance(first, Corroborate | Ignore):
            return Setback.NOT_BORNE_OUT
        is_newer = standing(self.subject, statement, self.candidate) is Standing.NEWER
        if not is_newer or not perishes(statement):  # the past is not overtaken
            return Setback.NOT_BORNE_OUT
        likely = await self._refuted(statement)
        if likely < self._bar:
            return Setback.NOT_BORNE_OUT
        return Replace(likely, statement=statement, hint=first.hint)

    async def _refuted(self, statement: Statement) -> float:
        """Return how surely the candidate overtakes a statement, once it was named.

        Figures, an office or a plan show it, or the verification model finds that
        neither bears the other out, whichever comes first. That both speak of one
        thing is the model's word, where the embedded aggregator goes by likeness.
        """
        said, text = shown(statement), self.candidate.text
        if speaks_of_another(statement, text, self.subject):
            return 0.0
        near = Near(0, statement, alike=1.0, shared=1.0)
        fulfilled = self.policy.fulfilled
        is_shown = is_overtaken(near, text, self.subject, fulfilled)
        counts = counts_otherwise(statement.header, statement.text, text)
        onward = await outdated(self.verifier, self._title, said, text)
        backward = await outdated(self.verifier, self._title, text, said)
        by_verifier = max if is_shown or counts else min
        return max(self.policy.shown * is_shown, by_verifier(onward, backward))

    async def _newer(self, update: Update, first: Ruling) -> Ruling | Setback:
        if isinstance(first, Replace) and first.update == update.number:
            return first
        mine, its = self.candidate.dated, update.dated
        if isinstance(first, Corroborate | Ignore) or not (mine and its and mine > its):
            return Setback.NOT_BORNE_OUT
        likely = await outdated(
            self.verifier, self._title, update.text, self.candidate.text
        )
        if likely < self._bar:
            return Setback.NOT_BORNE_OUT
        return Replace(likely, update=update.number, hint=first.hint)

    async def _same(self, update: Update, first: Ruling) -> Ruling | Setback:
        if isinstance(first, Corroborate) and first.update == update.number:
            return first
        quote = self.candidate.evidence.quote
        likely = await entails(self.verifier, self._title, update.text, [quote])
        if likely < self.policy.same or lacks_a_count(update.text, quote):
            return Setback.NOT_BORNE_OUT
        keys = {one.reading.source.key for one in update.sources}
        if self.candidate.reading.source.key in keys:
            return Ignore(
                Ignored.DUPLICATE, f"update {update.number}, of the same page"
            )
        return Corroborate(update.number, hint=first.hint, probability=likely)

    @property
    def _title(self) -> str:
        return self.subject.page.id.title

    @property
    def _bar(self) -> float:
        sensitive = self.subject.is_sensitive
        return self.policy.outdated_if_sensitive if sensitive else self.policy.outdated
