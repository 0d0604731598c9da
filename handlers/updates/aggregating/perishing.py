"""Tells what can go out of date, and whether a candidate is newer than a statement.

Two texts that contradict each other show that one is wrong; only their dates show
that the article's was right once. A past event does not go out of date: a source
that gives it another day is a dispute, not an update. Pure.
"""

import re
from calendar import monthrange
from collections.abc import Iterator
from datetime import date
from enum import Enum

from handlers.citations.cues.dates import Date, dates
from handlers.citations.cues.words import words
from handlers.model import CandidateUpdate, Claim, ClaimKind, Statement, Subject

_CELLS = frozenset({ClaimKind.INFOBOX_VALUE, ClaimKind.TABLE_CELL})
_FUTURE = re.compile(
    r"\b(?:will|would|shall|upcoming|forthcoming|scheduled|expected|planned|plans?"
    r"|intends?|intended|anticipated|proposed|slated|set to|due to (?:be|open|start)"
    r"|is to|are to|to be)\b",
    re.IGNORECASE,
)
_COMPARED = re.compile(
    r"\b(?:than|as)\s(?:\w+\s){0,2}(?:planned|expected|anticipated|scheduled|proposed"
    r"|intended)\b",
    re.IGNORECASE,
)
_NOW = re.compile(
    r"\b(?:is|are|has|have|remains?|currently|current|now|today|present(?:ly)?|so far"
    r"|to date|as of|as at|since|still|yet|latest|most recent|ongoing|continues?"
    r"|serves|lives|works|plays|holds|leads|owns|employs|supplies|carries|runs|operates"
    r"|seats|costs|comprises|consists|contains|covers|produces|attracts|competes"
    r"|belongs|broadcasts|publishes|keeps|(?:it|he|she) (?!was\b)[a-z]{3,}s)\b",
    re.IGNORECASE,
)
# Counts that go on being counted while an event is in the news.
_TOLL = re.compile(
    r"\b(?:killed|dead|deaths?|died|casualties|fatalities|injur(?:ed|ies)|wounded"
    r"|missing|cases|infected|recover(?:ed|ies)|hospitali[sz]ed|displaced|homeless"
    r"|evacuated|arrested|detained|damages?|destroyed|grossed|sold|copies|views"
    r"|streams|subscribers|followers|members|population|attendance|turnout|reviews"
    r"|raised|total(?:led|ed)?)\b",
    re.IGNORECASE,
)

_BEGINNING = re.compile(
    r"\b(?:founded|established|formed|born|built|opened|launched|created|started|begun"
    r"|began|incorporated|constructed|since|from)\b[^.;]{0,40}?\b\d{4}\b",
    re.IGNORECASE,
)


class Standing(Enum):
    """How a candidate's day lies to what a statement rests on."""

    NEWER = "newer"
    OLDER = "older"
    UNKNOWN = "nothing tells which is newer"


def perishes(statement: Statement) -> bool:
    """Tell whether a statement is of a kind that time can overtake."""
    return is_state(statement) or _TOLL.search(statement.text) is not None


def is_state(statement: Statement) -> bool:
    """Tell whether a statement is of what is or will be, not of what happened."""
    if statement.kind in _CELLS or statement.as_of is not None:
        return True
    return any(sign.search(statement.text) for sign in (_FUTURE, _NOW))


def is_plan(text: str) -> bool:
    """Tell whether a text speaks of what is still to come.

    "Later than planned" does not.
    """
    return _FUTURE.search(_COMPARED.sub("", text)) is not None


def standing(
    subject: Subject, statement: Statement, candidate: CandidateUpdate
) -> Standing:
    """Return whether `candidate` is newer than what `statement` states.

    The day on which it held decides; else the last day it names; else the latest of
    the sources it cites. Where nothing of these is known, a candidate from the days
    that were asked for is newer, unless any day was.
    """
    told = held_true(candidate)
    if told is None:
        return Standing.UNKNOWN
    held = held_on(subject, statement)
    if held is None:
        since = subject.window.since
        asked_for = since is not None and (
            told >= since or _is_last_years(candidate, since)
        )
        return Standing.NEWER if asked_for else Standing.UNKNOWN
    return Standing.NEWER if told > held else Standing.OLDER


def _is_last_years(candidate: CandidateUpdate, since: date) -> bool:
    """Tell whether a page of the days asked for gives the figure of the year before.

    Of what is counted once a year, that is the newest there is.
    """
    day = candidate.dated
    if day is None or day < since:
        return False
    found = [one for one in dates(words(candidate.text)) if one.year]
    return bool(found) and all(
        one.year == day.year - 1 and one.month is None for one in found
    )


def held_true(candidate: CandidateUpdate) -> date | None:
    """Return the day of which a candidate speaks: a new page can tell of old times.

    A year in which something was founded or built is not meant.
    """
    if candidate.dated is None:
        return None
    named = last_named(_BEGINNING.sub("", candidate.text))
    if named is None or named >= candidate.dated.replace(month=1, day=1):
        return candidate.dated
    return named


def held_on(subject: Subject, statement: Statement) -> date | None:
    """Return the day on which a statement held at the latest, as far as told."""
    if statement.as_of is not None:
        return statement.as_of
    named = () if _FUTURE.search(statement.text) else tuple(_named(statement.text))
    past = [day for day in named if day <= subject.today]
    return max(past, default=None) or max(_cited(subject, statement), default=None)


def last_named(text: str) -> date | None:
    """Return the latest day, or first day of a month or year, that a text names."""
    return max(_named(text), default=None)


def _named(text: str) -> Iterator[date]:
    yield from filter(None, map(_first_day, dates(words(text))))


def _cited(subject: Subject, statement: Statement) -> Iterator[date]:
    """Yield when the sources behind a statement were published, else last read."""
    for claim in subject.page.claims:
        if _overlaps(claim, statement):
            for source in claim.sources:
                day = last_named(source.published or "") or source.access_date
                if day is not None:
                    yield day


def _overlaps(claim: Claim, statement: Statement) -> bool:
    return (
        claim.span.start < statement.span.end and statement.span.start < claim.span.end
    )


def _first_day(one: Date) -> date | None:
    """Return the first day of the year, month or day that is named."""
    if one.year is None:
        return None
    month = one.month or 1
    day = min(one.day or 1, monthrange(one.year, month)[1])
    return date(one.year, month, day)
