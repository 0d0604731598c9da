"""Times of day: "5:30 p.m. CDT", "530 pm" and "17:30" are one.

A time is read as a single word whose stem is "17:30", or "~5:30" where half of the
day is not said. The zone is not part of what is compared: a source gives local time
as the article does. Pure.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass

from handlers.citations.cues.agreement import Agreement

_ZONE = (
    r"(?:UTC|GMT|Z|[ECMP][SD]?T|AK[SD]T|HST|BST|IST|JST|CES?T|EES?T|WES?T|MSK|AE[SD]T"
    r"|NZ[SD]T)\b"
)
_HALF = r"[ \u00a0]?(?i:[ap]\.m\.|[ap]m\b)"
_HOUR, _MINUTE = r"(?:[01]?\d|2[0-4])", r"[0-5]\d"
# A regular expression without groups, to be searched for among other words.
TIME = (
    r"(?<![\d:.,])(?:"
    rf"{_HOUR}:{_MINUTE}(?::\d\d)?(?![\d:])(?:{_HALF})?(?:[ \u00a0]?{_ZONE})?"
    rf"|(?:1[0-2]|0?\d)(?:{_MINUTE})?{_HALF}(?:[ \u00a0]{_ZONE})?"
    rf"|(?:[01]\d|2[0-4])(?:{_MINUTE}[ \u00a0]?)?{_ZONE}"
    r")"
)
_PARTS = re.compile(
    r"(?P<hour>\d{1,2}?):?(?P<minute>\d\d)?(?::\d\d)?(?!\d)\W?(?P<half>[AaPp]\.?[Mm])?"
)
_HOURS, _MINUTES, _HALF_DAY_HOURS = 24, 60, 12
_HALF_DAY = _HALF_DAY_HOURS * _MINUTES


@dataclass(frozen=True, slots=True)
class Time:
    """A time of day in minutes; without `half_known`, of either half of the day."""

    minute: int
    half_known: bool
    word: int  # its index among the words it was read from

    @property
    def first_word(self) -> int:
        """Return the index of its first word, which is its only one."""
        return self.word

    @property
    def last_word(self) -> int:
        """Return the index of its last word, which is its only one."""
        return self.word


def time_stem(text: str) -> str:
    """Return the form under which a text that matches `TIME` is compared."""
    found = _PARTS.match(text)
    if found is None:  # never, for a text that matches
        return text
    hour, minute = int(found["hour"]), int(found["minute"] or 0)
    half = (found["half"] or "").lower()
    if half and hour <= _HALF_DAY_HOURS:
        hour = hour % _HALF_DAY_HOURS + _HALF_DAY_HOURS * half.startswith("p")
    elif 0 < hour <= _HALF_DAY_HOURS and text[0] != "0" and ":" in text:
        return f"~{hour % _HALF_DAY_HOURS}:{minute:02}"
    return f"{hour % _HOURS}:{minute:02}"


def time_of(stem: str, word: int) -> Time | None:
    """Read a stem made by `time_stem`; `None` if it is none."""
    hour, colon, minute = stem.lstrip("~").partition(":")
    if not colon or not (hour.isdigit() and minute.isdigit()):
        return None
    return Time(int(hour) * _MINUTES + int(minute), not stem.startswith("~"), word)


def same_times(stem: str) -> tuple[str, ...]:
    """Return the stems of the times that the time `stem` may be the same as."""
    time = time_of(stem, 0)
    if time is None:
        return (stem,)
    hour, minute = divmod(time.minute % _HALF_DAY, _MINUTES)
    vague = f"~{hour}:{minute:02}"
    if time.half_known:
        return (stem, vague)
    return (vague, f"{hour}:{minute:02}", f"{hour + _HALF_DAY_HOURS}:{minute:02}")


def agreement(claimed: Time, stated: Sequence[Time]) -> Agreement:
    """Compare one time of the claim with all those of the evidence."""
    if any(_same(claimed, other) for other in stated):
        return Agreement.STATED
    return Agreement.DIFFERENT if stated else Agreement.ABSENT


def _same(one: Time, other: Time) -> bool:
    if one.half_known and other.half_known:
        return one.minute == other.minute
    return one.minute % _HALF_DAY == other.minute % _HALF_DAY
