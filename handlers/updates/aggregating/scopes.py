"""Tells a season from a career, a day from a year, one week from all time. Pure."""

import re

from handlers.citations.cues.reading import read
from handlers.model import Statement
from handlers.updates.aggregating.perishing import is_state

_RATE = re.compile(
    r"\b(?:an?|per|each|every)[ -](?P<each>minute|hour|day|week|month|season|year|match"
    r"|game|night|trip)\b|\b(?P<ly>hourly|daily|weekly|monthly|annual|annually|yearly)\b",
    re.IGNORECASE,
)
_SAME = {
    "hourly": "hour",
    "daily": "day",
    "weekly": "week",
    "monthly": "month",
    "annual": "year",
    "annually": "year",
    "yearly": "year",
    "game": "match",
}
_SPAN = re.compile(
    r"\b(?:this|last|that|the|its?|their|his|her|each|next)\s+(?:first\s|opening\s"
    r"|last\s|past\s|\d{4}\s|\w{3,6}\s){0,2}?(?P<span>season|weekend|week|month"
    r"|year|campaign|match|game|concert|tour)\b"
    r"|\b(?:mon|tues|wednes|thurs|fri|satur|sun)day['’]s\s(?P<of>match|game|final)"
    r"|\b(?:on|in)\s(?:its|the)\s(?P<once>opening|first)\b",
    re.IGNORECASE,
)
_ON_DAY = re.compile(
    r"\bon\s(?:the\s)?(?:\w+\s){0,2}?(?:(?:mon|tues|wednes|thurs|fri|satur|sun)day"
    r"|\w+['’]s\s(?:day|eve)|\d{1,2}\s(?:january|february|march|april|may|june|july"
    r"|august|september|october|november|december))\b",
    re.IGNORECASE,
)
_IN_YEAR = re.compile(r"\b(?:in|during|for)\s(?:19|20)\d\d\b", re.IGNORECASE)


def is_of_another_span(statement: str, text: str, *, grows: bool) -> bool:
    """Tell whether two figures are of different spans of time.

    Where the figure only `grows`, that of a season or week is a part of it.
    """
    said, told = _rates(statement), _rates(text)
    if said and told and said.isdisjoint(told):
        return True
    if said and not told and _IN_YEAR.search(text) and "year" not in said:
        return True
    if said and not told and _ON_DAY.search(text) and "day" not in said:
        return True
    if told and not said and "year" not in told and not _is_priced(statement):
        return True
    return grows and bool(_spans(text) - _spans(statement))


def is_of_a_year(statement: Statement) -> bool:
    """Tell whether a statement is of a year that is over, and claims no more.

    "In 2019 its revenue was 410 million" stays true; "as of 2019" does not say so.
    """
    if statement.as_of is not None or not read(statement.text).dates:
        return False
    return not is_state(statement)


def _rates(text: str) -> set[str]:
    found = (one["each"] or one["ly"] for one in _RATE.finditer(text))
    return {_SAME.get(one.lower(), one.lower()) for one in found}


def _spans(text: str) -> set[str]:
    return {
        (one["span"] or one["of"] or one["once"]).lower()
        for one in _SPAN.finditer(text)
    }


def _is_priced(text: str) -> bool:
    return any(sign in text for sign in "€$£¥")
