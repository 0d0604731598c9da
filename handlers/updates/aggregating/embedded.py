"""Rules on candidates with the verification model, the encoder and dates. Pure."""

from collections.abc import Sequence
from dataclasses import dataclass

from handlers.citations.cues.words import content_stems, words
from handlers.model import (
    Add,
    CandidateUpdate,
    Ignore,
    Ignored,
    Replace,
    Ruling,
    Subject,
    Update,
)
from handlers.ports import TextEncoder, Verifier
from handlers.updates.aggregating.behind import behind, is_open
from handlers.updates.aggregating.earlier import held_against
from handlers.updates.aggregating.hinting import hint_of
from handlers.updates.aggregating.nearest import Near, nearest, premises, shown
from handlers.updates.aggregating.news import (
    has_new_name,
    has_news,
    is_told_as_lasting,
)
from handlers.updates.aggregating.perishing import Standing, perishes, standing
from handlers.updates.aggregating.policy import Bench, Policy
from handlers.updates.aggregating.rivalry import (
    Refutation,
    is_overtaken,
    refuted,
)
from handlers.updates.entailing import judged
from handlers.updates.roles import Turn


class EmbeddedAggregator:
    """Fulfils `handlers.updates.roles.Aggregator`."""

    def __init__(
        self, verifier: Verifier, encoder: TextEncoder, policy: Policy | None = None
    ) -> None:
        """Rule with `verifier`, a `Remembering` one where a run is long."""
        self._bench = Bench(verifier, encoder, policy or Policy())

    async def rule(
        self, subject: Subject, candidate: CandidateUpdate, found: Sequence[Update]
    ) -> Turn[Ruling]:
        """Return whether to add it, what it replaces or bears out, or why not."""
        case = _Case(subject, candidate, self._bench)
        return Turn(await case.ruling(found))


@dataclass(frozen=True, slots=True)
class _Case:
    """One candidate before the judge."""

    subject: Subject
    candidate: CandidateUpdate
    bench: Bench

    @property
    def title(self) -> str:
        return self.subject.page.id.title

    async def ruling(self, found: Sequence[Update]) -> Ruling:
        if self._is_too_small():
            return Ignore(Ignored.NOT_A_FACT, "it says next to nothing of its own")
        if not is_open(self.subject, self.candidate.section):
            return Ignore(Ignored.NO_SECTION)
        near = await nearest(
            self.candidate.text,
            self.subject.statements,
            self.bench.encoder,
            limit=len(self.subject.statements),
        )
        lacking = await self._lacking(near[: self.bench.policy.near])
        if isinstance(lacking, Ignore):
            return lacking
        before = await held_against(self.subject, self.candidate, found, self.bench)
        if before is not None:
            return before
        return await self._refuting(near) or await self._new(lacking)

    def _is_too_small(self) -> bool:
        known = content_stems(
            word for name in self.subject.names for word in words(name)
        )
        own = content_stems(words(self.candidate.text)) - known
        return len(own) < self.bench.policy.fewest_stems

    async def _lacking(self, near: Sequence[Near]) -> float | Ignore:
        """Return the probability that the article lacks the fact, unless it has it."""
        likely = await judged(
            self.bench.verifier, self.title, self.candidate.text, premises(near)
        )
        texts = [shown(one.statement) for one in near]
        policy, bar = self.bench.policy, self.bench.policy.said
        if is_told_as_lasting(self.candidate.text, texts):
            bar = policy.said_to_last
        if likely.supported >= bar:
            return _said(near, f"{likely.supported:.0%} sure")
        in_part = likely.supported + likely.partially_supported
        if in_part >= policy.said_in_part and not has_news(
            self.candidate.text, texts, self.subject
        ):
            return _said(
                near, f"in part at least, {in_part:.0%} sure, and nothing else"
            )
        return 1 - likely.supported

    async def _refuting(self, near: Sequence[Near]) -> Ruling | None:
        """Return what follows where a statement and the candidate cannot both hold."""
        text, policy = self.candidate.text, self.bench.policy
        told = [
            (await refuted(one, text, self.subject, self.bench), one)
            for one in self._rivals(near)
        ]
        if not told:
            return None
        found, one = max(told, key=lambda each: each[0].likely)
        bar = policy.outdated
        if self.subject.is_sensitive:
            bar = policy.outdated_if_sensitive
        return self._refuted(found, one, bar) if found.likely >= bar else None

    def _rivals(self, near: Sequence[Near]) -> list[Near]:
        """Return the statements that may speak of the same, the nearest first.

        What shows a change goes first, however little it is alike: the value of an
        infobox is like no sentence.
        """
        text, policy = self.candidate.text, self.bench.policy
        said = [shown(one.statement) for one in near[: policy.near]]
        is_known = not has_new_name(text, said, self.subject)
        rivals = [
            one
            for place, one in enumerate(near)
            if (place < policy.looked_at or one.statement.header)
            and is_overtaken(
                one, text, self.subject, policy.fulfilled, is_known=is_known
            )
        ]
        rivals += [
            one
            for one in near[: policy.near]
            if one.alike >= policy.alike and one not in rivals
        ]
        return rivals[: policy.rivals]

    def _refuted(self, found: Refutation, one: Near, bar: float) -> Ruling | None:
        """Return what follows; a change that is only shown needs its day."""
        statement = one.statement
        which = standing(self.subject, statement, self.candidate)
        is_change = perishes(statement) or found.shown > 0
        if is_change and which is Standing.NEWER:
            return Replace(found.likely, statement=statement, hint=self._hint())
        if found.by_model < bar:
            return None
        against = f"the article says: “{statement.text[:200]}”"
        if which is Standing.OLDER:
            return Ignore(Ignored.OLDER_THAN_ARTICLE, against)
        return Ignore(Ignored.DISPUTED, against)

    async def _new(self, lacking: float) -> Ruling:
        if self.subject.is_sensitive and lacking < self.bench.policy.new_if_sensitive:
            return Ignore(Ignored.ALREADY_SAID, "perhaps; the subject asks for care")
        section = self.candidate.section
        after = await behind(self.subject, self.candidate, section, self.bench.encoder)
        return Add(section, after, lacking, hint=self._hint())

    def _hint(self) -> str | None:
        return hint_of(self.subject, self.candidate)


def _said(near: Sequence[Near], how_sure: str) -> Ignore:
    where = f": “{near[0].statement.text[:200]}”" if near else ""
    return Ignore(Ignored.ALREADY_SAID, f"the article says so ({how_sure}){where}")
