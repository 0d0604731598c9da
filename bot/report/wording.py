"""Turns figures, times and closed sets into words. Pure."""

from collections.abc import Mapping
from datetime import UTC, datetime

from bot.report.page_report import Standing
from handlers.model import Origin, Probabilities, SourceReading, Verdict

_ALMOST = 0.995

MEANINGS: Mapping[Standing, str] = {
    Standing.CONTRADICTED: "A source says otherwise. Correct the words, or cite a source that says them.",
    Standing.NOT_SUPPORTED: "The sources were read and do not seem to say this. Read the closest passage; if it is not there, change the words or the citation.",
    Standing.PARTIALLY_SUPPORTED: "The sources say some of it. The words without support are underlined.",
    Standing.SUPPORTED: "A source says this; the quote shows where.",
    Standing.COULD_NOT_CHECK: "No verdict, because a source was not read. This says nothing against the claim.",
    Standing.NO_CITATION: "The article itself asks for a citation here.",
}


def probability_of(verdict: Verdict, shares: Probabilities) -> float:
    """Return the probability of `verdict` itself."""
    return dict(shares_by_verdict(shares))[verdict]


def shares_by_verdict(shares: Probabilities) -> tuple[tuple[Verdict, float], ...]:
    """Return the four probabilities with the verdicts they belong to."""
    return (
        (Verdict.SUPPORTED, shares.supported),
        (Verdict.PARTIALLY_SUPPORTED, shares.partially_supported),
        (Verdict.NOT_SUPPORTED, shares.not_supported),
        (Verdict.CONTRADICTED, shares.contradicted),
    )


def percent(probability: float) -> str:
    """Return a probability as a percentage that never claims certainty."""
    if probability >= _ALMOST:
        return "over 99%"
    if probability < 1 - _ALMOST:
        return "under 1%"
    return f"{probability:.0%}"


def moment(when: datetime) -> str:
    """Return a point in time to the minute, in UTC where its zone is known."""
    if when.tzinfo is None:
        return when.strftime("%Y-%m-%d %H:%M")
    return when.astimezone(UTC).strftime("%Y-%m-%d %H:%M UTC")


def provenance(reading: SourceReading) -> str:
    """Return where the text of a source came from, and when."""
    day = reading.read_at.strftime("%Y-%m-%d") if reading.read_at else None
    match reading.origin:
        case Origin.ARCHIVE:
            return f"archived copy of {day}" if day else "archived copy"
        case Origin.DISK:
            return f"copy on disk, captured {day}" if day else "copy on disk"
        case Origin.LIVE:
            return f"live page, read {day}" if day else "live page"
        case None:
            return ""


def counted(number: int, one: str, many: str | None = None) -> str:
    """Return a number with its noun: "1 claim", "2 claims"."""
    return f"{number} {one if number == 1 else many or one + 's'}"


def duration(seconds: float) -> str:
    """Return a time span as a person would say it."""
    minutes, rest = divmod(round(seconds), 60)
    return f"{minutes} min {rest} s" if minutes else f"{seconds:.1f} s"
