"""One page, parsed and checked, as rows of the tables, and counts over many pages.

A reason that is counted is one of a few; what happened to one page is in its row.
A portion of the input is what one task reads, with all that it needs to know.

If no source is available, claims are still ranked: marks that people left come first,
then citations that lead nowhere or to sites that the wiki itself regards as unfit, then
SIDE's baseline, by which a shallow address is likelier to fail
(`handlers.sources.addresses`). Only that baseline was ever measured; the order of the
signs is our judgement, and none of it is a probability.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from enum import Enum
from pathlib import Path
from typing import Annotated, Any, TypeAlias

from pydantic import AfterValidator, BaseModel, ConfigDict, Field

from bot.report.claims import claim_href
from handlers.citations.ranking import Ranked, Unranked, ranked, unranked
from handlers.model import (
    Claim,
    ClaimCheck,
    Page,
    PageId,
    SourceOutcome,
    TagKind,
    Trust,
)
from handlers.sources.addresses import depth_of, host_of, unarchived
from handlers.sources.reliability import ReliabilityLists

_LONGEST = 2_000  # characters of any text that is kept
_LONGEST_HEADING = 200
_MOST_HEADINGS = 8
_NO_SOURCE = "no source is named"
_COUNTED = (
    "claims",
    "citations",
    "scored",
    "flagged",
    "sources",
    "sources_missing",
)  # of a page
Row: TypeAlias = dict[str, Any]
BINS = 20  # for the probability of failing


class Skipped(Enum):
    """Why a page of the input is skipped."""

    NAMESPACE = "another namespace"
    REDIRECT = "redirect"
    MODEL = "not wikitext"
    HIDDEN = "its text is hidden or missing"


class Failed(Enum):
    """Why a page that should have been checked was not."""

    BROKEN = "its XML or file is broken"
    TOO_LARGE = "larger than any wiki saves"
    TOO_LONG = "took too long"
    MEMORY = "took too much memory"
    CRASHED = "the reader crashed on it"
    FAULT = "a fault of the program"
    UNREAD = "the wiki did not give it"


Tally = dict[str, int]


class Counts(BaseModel):
    """Figures of one or more shards; every page is swept, skipped or failed.

    `claims` have citations; claims that are only tagged are `uncited`. Claims with a
    verdict are `scored`, and `outcomes` says why the others are not. A source counts
    once per page.
    """

    model_config = ConfigDict(extra="forbid")

    pages: int = 0
    swept: int = 0
    skipped: Tally = Field(default_factory=dict)
    failed: Tally = Field(default_factory=dict)
    claims: int = 0
    uncited: int = 0
    citations: int = 0
    scored: int = 0
    flagged: int = 0
    verdicts: Tally = Field(default_factory=dict)
    outcomes: Tally = Field(default_factory=dict)
    signs: Tally = Field(default_factory=dict)
    sources: int = 0
    sources_missing: int = 0
    characters: int = 0
    bins: Annotated[list[int], Field(min_length=BINS, max_length=BINS)] = Field(
        default_factory=lambda: [0] * BINS
    )

    def add(self, other: "Counts") -> None:
        for name in type(self).model_fields:
            mine, theirs = getattr(self, name), getattr(other, name)
            if isinstance(mine, dict):
                for reason, number in theirs.items():
                    count(mine, reason, number)
            elif isinstance(mine, list):
                self.bins = [a + b for a, b in zip(mine, theirs, strict=True)]
            else:
                setattr(self, name, mine + theirs)

    def skip(self, why: Skipped) -> None:
        count(self.skipped, why.value)

    def fail(self, why: Failed) -> None:
        count(self.failed, why.value)

    @property
    def all_failed(self) -> int:
        return sum(self.failed.values())


@dataclass(frozen=True, slots=True)
class Rows:
    """What the tables keep of a page, and what it adds to the figures."""

    page: Row
    claims: tuple[Row, ...] = ()
    counts: Counts = field(default_factory=Counts)


def rows_of(page: Page, checks: Sequence[ClaimCheck], lists: ReliabilityLists) -> Rows:
    place = placed(page.id)
    counts = Counts(characters=len(page.wikitext))
    cited = [check for check in checks if check.claim.citations]
    counts.claims, counts.uncited = len(cited), len(page.claims) - len(cited)
    counts.citations = sum(len(check.claim.citations) for check in cited)
    keys = {source.key for check in checks for source in check.claim.sources}
    read = {
        fetch.source.key
        for check in checks
        for fetch in check.fetches
        if fetch.outcome is SourceOutcome.READ
    }
    counts.sources, counts.sources_missing = len(keys), len(keys - read)
    rows = tuple(
        {**place, "number": number, **_row(check, page.id, lists, counts)}
        for number, check in enumerate(cited)
    )
    page_row = {
        **place,
        "standing": "swept",
        "reason": None,
        "detail": None,
        "characters": counts.characters,
        **{name: getattr(counts, name) for name in _COUNTED},
    }
    return Rows(page_row, rows, counts)


def placed(page: PageId) -> Row:
    revised = page.revised_at
    return {
        "wiki": page.wiki,
        "title": _cleaned(page.title) or "",
        "page_id": page.page_id,
        "revision_id": page.revision_id,
        "revised_at": int(revised.timestamp()) if revised else None,
    }


def failed_row(page: PageId, reason: str, detail: str, characters: int | None) -> Row:
    return {
        **placed(page),
        **dict.fromkeys(_COUNTED, 0),
        "standing": "failed",
        "reason": reason,
        "detail": _cleaned(detail),
        "characters": characters,
    }


def _row(
    check: ClaimCheck, page: PageId, lists: ReliabilityLists, counts: Counts
) -> Row:
    claim = check.claim
    link = claim_href(claim, page)
    prior = prior_of(claim, page.wiki, lists)
    count(counts.signs, prior.sign.value)
    found = ranked(check, page, link)
    judged = _judged(found, check, counts) if found else None
    row = judged or _unjudged(unranked(check, page, link), counts)
    address = row["address"]
    sentence = claim.sentence if claim.sentence != claim.text else None
    return {
        "start": claim.span.start,
        "kind": claim.kind.value,
        "section": [
            (_cleaned(part) or "")[:_LONGEST_HEADING]
            for part in claim.section[:_MOST_HEADINGS]
        ],
        "claim": _cleaned(claim.text) or "",
        "sentence": _cleaned(sentence or None),
        "citations": len(claim.citations),
        "tags": sorted({tag.kind.value for tag in claim.tags}),
        "url_depth": prior.url_depth,
        "sign": prior.sign.value,
        "sight_order": prior.order,
        "host": _cleaned(host_of(unarchived(address)) or None) if address else None,
        "link": _cleaned(link),
        **row,
    }


def _judged(found: Ranked, check: ClaimCheck, counts: Counts) -> Row:
    counts.scored += 1
    counts.flagged += found.flag is not None
    counts.bins[min(BINS - 1, max(0, int(found.fails * BINS)))] += 1
    count(counts.verdicts, found.verdict.value)
    verification = check.verification
    return {
        "address": _cleaned(found.address),
        "verdict": found.verdict.value,
        "fails": found.fails,
        "contradicted": verification.probabilities.contradicted
        if verification
        else None,
        "flag": found.flag.kind.value if found.flag else None,
        "quote": _cleaned(found.quote),
        "outcome": None,
        "detail": None,
        "engine": f"{found.engine.name} {found.engine.version}",
    }


def _unjudged(apart: Unranked | None, counts: Counts) -> Row:
    outcome = apart.outcome.value if apart and apart.outcome else _NO_SOURCE
    count(counts.outcomes, outcome)
    nothing = dict.fromkeys(
        ("verdict", "fails", "contradicted", "flag", "quote", "engine")
    )
    return {
        **nothing,
        "address": _cleaned(apart.address) if apart else None,
        "outcome": outcome,
        "detail": _cleaned(apart.detail) if apart else None,
    }


def _cleaned(text: str | None) -> str | None:
    """Return a text that any file can hold: cut, and without lone surrogates."""
    if text is None:
        return None
    return text[:_LONGEST].encode("utf-8", "replace").decode("utf-8")


_MOST_NAMED = 50  # failed pages of a shard; all of them are in its table


def count(tally: Tally, reason: str, number: int = 1) -> None:
    tally[reason] = tally.get(reason, 0) + number


# File names may hold lone surrogates.
Text = Annotated[
    str, AfterValidator(lambda text: text.encode("utf-8", "replace").decode("utf-8"))
]


class FailedPage(BaseModel):
    """A page that could not be checked, and why."""

    title: Text
    reason: str
    detail: Text


class DamagedStream(BaseModel):
    """A part of the input that could not be read to its end."""

    file: Text
    offset: int
    reason: str
    pages_lost: int | None = None  # if known


class Cost(BaseModel):
    """What a shard took, for its worker and the child that read the pages."""

    cpu_s: float = 0.0
    wall_s: float = 0.0
    most_bytes: int = 0  # of memory, of both together


class Shard(BaseModel):
    """The note of one shard; if it exists, the whole shard does."""

    number: int
    counts: Counts = Field(default_factory=Counts)
    damaged: list[DamagedStream] = Field(default_factory=list)
    failed: list[FailedPage] = Field(default_factory=list)  # the first ones
    cost: Cost = Field(default_factory=Cost)

    def name_failed(self, title: str, why: Failed, detail: str) -> None:
        self.counts.fail(why)
        if len(self.failed) < _MOST_NAMED:
            self.failed.append(FailedPage(title=title, reason=why.value, detail=detail))


class PortionKind(Enum):
    STREAMS = "streams of a multistream dump"
    TEXTS = "pages that were set aside"
    FILES = "files of wikitext"


@dataclass(frozen=True, slots=True)
class Portion:
    """A part of the input that is read by one worker and becomes one shard.

    `starts` and `end` are places in the file `place`, in bytes; `expected` is how many
    pages each stream has, if an index says so. A file that is `passing` was made only
    for this portion, and is removed when its shard exists.
    """

    number: int
    kind: PortionKind
    place: str
    wiki: str
    starts: tuple[int, ...] = ()
    end: int = 0
    expected: tuple[int, ...] = ()
    files: tuple[str, ...] = ()
    is_passing: bool = False


@dataclass(frozen=True, slots=True)
class Wanted:
    """Which pages of the input are swept."""

    namespaces: frozenset[int] = frozenset({0})
    redirects: bool = False


@dataclass(frozen=True, slots=True)
class SweepOrder:
    """What the children of all workers are given; it is pickled."""

    folder: Path
    wanted: Wanted
    settings: Mapping[str, Any]
    sources: Path | None
    uses_cache: bool
    page_s: float
    version: str  # of the program that starts the sweep


@dataclass(frozen=True, slots=True)
class Question:
    """A page for a child; it is pickled too."""

    page: PageId
    wikitext: str


_NO_ADDRESS = 1000  # deeper than any: a book has no shallow address
_UNFIT = frozenset({Trust.BLACKLISTED, Trust.DEPRECATED, Trust.MIRROR})
_POOR = _UNFIT | {Trust.UNRELIABLE, Trust.SELF_PUBLISHED, Trust.PREDATORY}
_DOUBTED = frozenset({TagKind.FAILED_VERIFICATION, TagKind.DUBIOUS})


class Sign(Enum):
    """What can be seen without a source, the gravest first."""

    TAGGED = "tagged as failing verification or dubious"
    NOWHERE = "leads nowhere"
    UNFIT = "deprecated, blacklisted or a copy of a wiki"
    POOR = "unreliable or self-published, or tagged so"
    DEAD = "dead link without an archived copy"
    FRONT_PAGE = "front page of a site"
    NONE = "nothing"


_ORDER = {sign: place for place, sign in enumerate(Sign)}


@dataclass(frozen=True, slots=True)
class Prior:
    """The gravest sign of a claim's citations, and the depth of their address."""

    sign: Sign
    url_depth: int | None

    @property
    def order(self) -> int:
        """Return where the claim is in the ranking; the lowest comes first."""
        depth = _NO_ADDRESS if self.url_depth is None else self.url_depth
        return _ORDER[self.sign] * (_NO_ADDRESS + 1) + min(depth, _NO_ADDRESS)


def prior_of(claim: Claim, wiki: str, lists: ReliabilityLists) -> Prior:
    """Return what speaks against the citations of `claim` before its source is read."""
    depth = depth_of(claim)
    return Prior(next(_signs(claim, depth, wiki, lists), Sign.NONE), depth)


def _signs(
    claim: Claim, depth: int | None, wiki: str, lists: ReliabilityLists
) -> Iterator[Sign]:
    """Yield the signs that apply, the gravest first; later ones cost more."""
    tags = {tag.kind for tag in claim.tags} if claim.tags else frozenset()
    sources = claim.sources
    if tags & _DOUBTED:
        yield Sign.TAGGED
    if not sources:
        yield Sign.NOWHERE
    # The wiki's rating of each source; one without an address is not on any list.
    trust = {
        lists.of(address, wiki).trust if address else Trust.UNLISTED
        for source in sources
        for address in [source.url or source.archive_url]
    }
    if trust <= _UNFIT:
        yield Sign.UNFIT
    if TagKind.BETTER_SOURCE_NEEDED in tags or trust <= _POOR:
        yield Sign.POOR
    if TagKind.DEAD_LINK in tags and not any(one.archive_url for one in sources):
        yield Sign.DEAD
    # An address may name its page after a "?", as "/?id=7" does.
    addresses = [source.url or source.archive_url or "" for source in sources]
    if depth == 0 and not any("?" in one.rstrip("?") for one in addresses):
        yield Sign.FRONT_PAGE
