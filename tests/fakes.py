"""Stand-ins for the tools of a handler, as strict as the real ones."""

import asyncio
from collections import Counter
from collections.abc import Mapping, Sequence

from handlers.model import (
    Claim,
    ClaimCheck,
    Engine,
    ModelUse,
    Passage,
    Probabilities,
    Source,
    SourceFetch,
    Verdict,
    Verification,
)

FAKE_ENGINE = Engine("fake", "1")


class FakeSources:
    """Answers for the sources it was given, and refuses to know any other.

    `reads` counts how often each source was asked for.
    """

    def __init__(self, fetches: Sequence[SourceFetch]) -> None:
        self._readings = {fetch.source.key: fetch for fetch in fetches}
        self.reads: Counter[str] = Counter()

    async def read(self, source: Source) -> SourceFetch:
        await asyncio.sleep(0)  # a real reader always gives way
        self.reads[source.key] += 1
        if source.key not in self._readings:
            raise AssertionError(f"the test did not say what {source.key} holds")
        return self._readings[source.key]


class FakeVerifier:
    """Gives the verdict that the test names for a claim's text."""

    def __init__(self, verdicts: Mapping[str, Verdict]) -> None:
        self._verdicts = verdicts
        self.engine = FAKE_ENGINE
        self.seen: dict[str, tuple[Passage, ...]] = {}

    async def verify(
        self, title: str, claim: Claim, passages: Sequence[Passage]
    ) -> Verification:
        assert title, "a verifier is told which article it judges"
        assert passages, "a verifier is never asked about no passage"
        self.seen[claim.text] = tuple(passages)
        verdict = self._verdicts[claim.text]
        sure = {one: 1.0 if one is verdict else 0.0 for one in Verdict}
        return Verification(
            verdict=verdict,
            probabilities=Probabilities(
                supported=sure[Verdict.SUPPORTED],
                partially_supported=sure[Verdict.PARTIALLY_SUPPORTED],
                not_supported=sure[Verdict.NOT_SUPPORTED],
                contradicted=sure[Verdict.CONTRADICTED],
            ),
            evidence=(),
            unsupported=(),
            engine=self.engine,
        )


class Silent:
    """Fulfils `bot.research.evaluation.report.Progress` and shows nothing."""

    def started(self, total: int, /) -> None:
        assert total >= 0, "a count is never negative"

    def advance(self) -> None:
        pass


class Unheard:
    """Fulfils `bot.daemon.progress.Progress` and shows nothing."""

    def started(self, claims: int, sources: int) -> None: ...

    def reading(self, place: str) -> None: ...

    def read(self, place: str) -> None: ...

    def checked(self, check: ClaimCheck) -> None: ...

    def asking(self, claims: int, expected: ModelUse) -> None: ...

    def asked(self, claims: int) -> None: ...
