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
from handlers.updates.aggregating.nearest import shown
from handlers.updates.aggregating.perishing import Standing, perishes, standing
from handlers.updates.by_model.framing import Sections, chosen
from handlers.updates.entailing import entails
from handlers.updates.outdated import outdated


@dataclass(frozen=True, slots=True)
class Bars:
    """From which probability the verification model goes along with the model."""

    outdated: float = 0.4  # as `handlers.updates.outdated` was measured
    outdated_if_sensitive: float = 0.7
    same: float = 0.5


@dataclass(frozen=True, slots=True)
class Case:
    """A candidate with what the model was shown, and who checks its word."""

    subject: Subject
    candidate: CandidateUpdate
    found: Sequence[Update]
    near: Sequence[Statement]
    sections: Sections
    verifier: Verifier
    bars: Bars

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
        likely = await outdated(
            self.verifier, self._title, shown(statement), self.candidate.text
        )
        if likely < self._bar:
            return Setback.NOT_BORNE_OUT
        return Replace(likely, statement=statement, hint=first.hint)

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
        if likely < self.bars.same:
            return Setback.NOT_BORNE_OUT
        keys = {one.reading.source.key for one in update.sources}
        if self.candidate.reading.source.key in keys:
            return Ignore(
                Ignored.DUPLICATE, f"update {update.number}, of the same page"
            )
        return Corroborate(update.number, hint=first.hint)

    @property
    def _title(self) -> str:
        return self.subject.page.id.title

    @property
    def _bar(self) -> float:
        sensitive = self.subject.is_sensitive
        return self.bars.outdated_if_sensitive if sensitive else self.bars.outdated
