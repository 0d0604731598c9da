"""Searches, pages and opinions for the tests of better sources and drift."""

import asyncio
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import date

from handlers.model import (
    Claim,
    Evidence,
    Found,
    Origin,
    Passage,
    Probabilities,
    Query,
    Source,
    SourceFetch,
    SourceOutcome,
    SourceText,
    Verdict,
    Verification,
)
from handlers.ports import Tools
from tests.builders import CHECKED_AT, source
from tests.fakes import FAKE_ENGINE

CITED = source(url="https://cited.example/page")


@dataclass
class FakeSearch:
    """Finds the same addresses for every query, or fails as told."""

    addresses: Sequence[str] = ()
    name: str = "fake search"
    error: Exception | None = None
    requests: list[Query] = field(default_factory=list)

    async def search(self, query: Query, *, limit: int) -> Sequence[Found]:
        await asyncio.sleep(0)
        self.requests.append(query)
        if self.error:
            raise self.error
        return [
            Found(address, None, "", float(-rank), self.name)
            for rank, address in enumerate(self.addresses[:limit])
        ]


@dataclass
class FakeWeb:
    """Pages by address; one that is not listed is gone."""

    pages: Mapping[str, SourceFetch]
    reads: Counter[str] = field(default_factory=Counter)

    async def read(self, source: Source) -> SourceFetch:
        await asyncio.sleep(0)
        assert source.url is not None
        self.reads[source.url] += 1
        known = self.pages.get(source.url)
        if known is None:
            return SourceFetch(source, SourceOutcome.GONE, "the server answered 404")
        return replace(known, source=source)


@dataclass
class FakeArchive:
    """One capture, whatever it is asked for."""

    capture: SourceFetch | None
    requests: list[tuple[Source, date]] = field(default_factory=list)

    async def read_near(self, source: Source, day: date) -> SourceFetch:
        await asyncio.sleep(0)
        self.requests.append((source, day))
        if self.capture is None:
            return SourceFetch(source, SourceOutcome.GONE, "it has no snapshot")
        return replace(self.capture, source=source)


@dataclass
class Opinions:
    """A verifier that judges by the first word of a text, such as "supports:0.9"."""

    engine = FAKE_ENGINE
    requests: list[tuple[str, str]] = field(default_factory=list)

    async def verify(
        self, title: str, claim: Claim, passages: Sequence[Passage]
    ) -> Verification:
        assert title
        assert passages
        await asyncio.sleep(0)
        best = passages[0]
        self.requests.append((claim.text, best.source_key))
        word, _, share = best.text.partition(" ")[0].partition(":")
        return opinion(_VERDICTS[word], float(share or 0.9), best)


_VERDICTS = {
    "supports": Verdict.SUPPORTED,
    "half": Verdict.PARTIALLY_SUPPORTED,
    "silent": Verdict.NOT_SUPPORTED,
    "denies": Verdict.CONTRADICTED,
}


def opinion(verdict: Verdict, share: float, passage: Passage) -> Verification:
    """Return a verification whose `verdict` has the probability `share`."""
    rest = (1 - share) / 3
    shares = [share if one is verdict else rest for one in Verdict]
    found = Evidence(passage, passage.text, passage.span, (), 1.0)
    return Verification(verdict, Probabilities(*shares), (found,), (), FAKE_ENGINE)


def text(
    words: str, url: str = "https://found.example/1", **changes: object
) -> SourceFetch:
    """Return a page read live that says `words`."""
    default = SourceFetch(
        source=source(url=url),
        outcome=SourceOutcome.READ,
        detail="read",
        origin=Origin.LIVE,
        url=url,
        read_at=CHECKED_AT,
        http_status=200,
        content_sha256="cd" * 32,
        document=SourceText(words, title="A page"),
    )
    return replace(default, **changes)  # type: ignore[arg-type]  # fields by name


def web(*fetches: SourceFetch) -> FakeWeb:
    return FakeWeb({one.url or "": one for one in fetches})


def tools(
    pages: FakeWeb, *searches: FakeSearch, archive: FakeArchive | None = None
) -> Tools:
    return Tools(pages, Opinions(), archive=archive, searches=searches)
