"""What a sweep of a whole wiki came to, on one page and as JSON. Pure."""

import json
from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass
from datetime import datetime

from bot.report.to_html import templates
from bot.report.words import clean, clean_for_terminal, percent, shortened


@dataclass(frozen=True, slots=True)
class Line:
    """A claim that stands out; `fails` is `None` where no source was at hand."""

    title: str
    section: tuple[str, ...]
    claim: str
    link: str | None
    address: str | None
    verdict: str | None
    fails: float | None
    flag: str | None
    quote: str | None
    sign: str
    url_depth: int | None


@dataclass(frozen=True, slots=True)
class HostLine:
    """A host that is cited; `expected_failing` is the sum of its probabilities."""

    host: str
    claims: int
    scored: int
    expected_failing: float
    flagged: int
    at_sight: int


@dataclass(frozen=True, slots=True)
class Trouble:
    """A page or a part of the input that could not be read, and why."""

    what: str
    why: str


@dataclass(frozen=True, slots=True)
class SweepSummary:
    """All of a sweep that is shown.

    `pages` were seen in the input; each of them was swept, skipped or failed. The
    `bins` count scored claims by their probability to fail, in equal steps up to 1.
    """

    inputs: tuple[str, ...]
    engine: str
    made_at: datetime
    parts: int
    parts_of: int | None  # how many there are, where that is known
    pages: int
    swept: int
    skipped: Mapping[str, int]
    failed: Mapping[str, int]
    claims: int
    uncited: int
    citations: int
    scored: int
    flagged: int
    verdicts: Mapping[str, int]
    outcomes: Mapping[str, int]
    signs: Mapping[str, int]
    sources: int
    sources_missing: int
    characters: int
    bins: tuple[int, ...]
    pages_lost: int
    lost_unknown: int  # damaged parts of which nobody knows how many pages they had
    cpu_s: float
    most_bytes: int
    hosts: tuple[HostLine, ...]
    worst: tuple[Line, ...]
    at_sight: tuple[Line, ...]
    failed_pages: tuple[Trouble, ...]
    damaged: tuple[Trouble, ...]
    undone: tuple[str, ...]

    @property
    def is_whole(self) -> bool:
        """Whether every part of the input has its shard."""
        return not self.undone and self.parts_of in {None, self.parts}


def render_html(summary: SweepSummary) -> str:
    """Return the page."""
    environment = templates()
    environment.filters["combined"] = _combined
    return environment.get_template("sweep.html").render(sweep=summary)


def _combined(
    tally: Mapping[str, int], other: Mapping[str, int], prefix: str
) -> dict[str, int]:
    return {**tally, **{f"{prefix}{name}": number for name, number in other.items()}}


SCHEMA_VERSION = "1.0"


def render_json(summary: SweepSummary) -> str:
    """Return one JSON document."""
    values = {**asdict(summary), "made_at": summary.made_at.isoformat()}
    document = {"schema_version": SCHEMA_VERSION, **values}
    return clean(json.dumps(document, ensure_ascii=False, indent=1)) + "\n"


_NAMED = 5
_LONGEST = 200


def render_text(summary: SweepSummary) -> str:
    """Return the lines."""
    return "\n".join(_lines(summary)) + "\n"


def _lines(summary: SweepSummary) -> Iterator[str]:
    failed = sum(summary.failed.values())
    skipped = sum(summary.skipped.values())
    yield (
        f"{summary.pages:,} pages: {summary.swept:,} swept, {skipped:,} skipped"
        f"{_told(summary.skipped)}, {failed:,} failed{_told(summary.failed)}"
    )
    yield (
        f"{summary.claims:,} claims with {summary.citations:,} citations,"
        f" {summary.sources:,} sources ({summary.sources_missing:,} not at hand)"
    )
    yield (
        f"{summary.scored:,} claims scored by {clean_for_terminal(summary.engine)},"
        f" {summary.flagged:,} flagged{_told(summary.verdicts)}"
    )
    for line in summary.worst[:_NAMED]:
        words = shortened(line.claim, _LONGEST)
        told = f"{percent(line.fails or 0.0)} fails: {line.title}: “{words}”"
        yield f"  {clean_for_terminal(told)}"
    yield from _troubles("damaged", summary.damaged)
    yield from _troubles("failed", summary.failed_pages)
    if not summary.is_whole:
        of = "" if summary.parts_of is None else f" of {summary.parts_of:,}"
        yield (
            f"NOT WHOLE: {summary.parts:,}{of} parts are done; run the same command"
            " again, and it goes on where it stands"
        )
        for why in summary.undone[:_NAMED]:
            yield f"  {clean_for_terminal(shortened(f'not done: {why}', _LONGEST))}"


def _told(tally: Mapping[str, int]) -> str:
    if not tally:
        return ""
    ordered = sorted(tally.items(), key=lambda item: (-item[1], item[0]))
    return " (" + ", ".join(f"{reason} {number:,}" for reason, number in ordered) + ")"


def _troubles(kind: str, troubles: tuple[Trouble, ...]) -> Iterator[str]:
    for trouble in troubles[:_NAMED]:
        told = shortened(f"{kind}: {trouble.what}: {trouble.why}", _LONGEST)
        yield f"  {clean_for_terminal(told)}"
