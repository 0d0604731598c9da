"""Whether a candidate names anything that the article's nearest statements do not. Pure."""

import re
from collections.abc import Iterator, Sequence

from handlers.citations.cues import dates, numbers
from handlers.citations.cues.agreement import Agreement
from handlers.citations.cues.dates import Date
from handlers.citations.cues.names import Name, mentioned
from handlers.citations.cues.reading import Reading, read
from handlers.citations.cues.words import content_stems, stem, words
from handlers.model import Subject

_DAY_NAMES = """
    monday tuesday wednesday thursday friday saturday sunday january february march
    april may june july august september october november december
"""
_DAYS = frozenset(map(stem, _DAY_NAMES.split()))
_LASTING = re.compile(
    r"\b(?:ha(?:s|ve|d) (?:long|often|always|repeatedly|regularly|routinely|consistently)"
    r"|long[- ](?:accused|argued|maintained|claimed|denied|standing|held)|repeatedly"
    r"|routinely|habitually|time and again|for (?:many )?(?:years|decades|generations)"
    r"|over the years)\b",
    re.IGNORECASE,
)
_SMALLEST = 2.0  # "one" is mostly no number


def has_news(text: str, said: Sequence[str], subject: Subject) -> bool:
    """Tell whether `text` has a name, number or date that none of `said` has.

    The day of a month that is named is no news, and neither is the subject's name.
    """
    found, known = read(text), read("\n".join(said))
    return (
        _names_news(found, known, subject)
        or is_told_as_lasting(text, said)
        or any(
            numbers.agreement(one, known.quantities) is not Agreement.STATED
            for one in found.quantities
            if one.value >= _SMALLEST
        )
        or any(_is_new_date(one, known) for one in found.dates)
    )


def is_told_as_lasting(text: str, said: Sequence[str]) -> bool:
    """Tell whether what was so once, if at all, is told as lasting or repeated.

    That somebody has long accused another does not follow from one accusation.
    """
    return bool(_LASTING.search(text)) and not any(map(_LASTING.search, said))


def has_new_name(text: str, said: Sequence[str], subject: Subject) -> bool:
    """Tell whether `text` names somebody or something that none of `said` does."""
    return _names_news(read(text), read("\n".join(said)), subject)


def named(found: Reading) -> Iterator[Name]:
    """Yield the names that are no days or months."""
    dated = {
        at for one in found.dates for at in range(one.first_word, one.last_word + 1)
    }
    for name in found.names:
        if name.first_word not in dated and not _DAYS.issuperset(name.stems):
            yield name


def _names_news(found: Reading, known: Reading, subject: Subject) -> bool:
    own = content_stems(word for name in subject.names for word in words(name))
    stems = own | {word.stem for word in known.words}
    return any(mentioned(name, stems) < 1 for name in named(found))


def _is_new_date(one: Date, known: Reading) -> bool:
    if one.year is None:
        return False
    if dates.agreement(one, known.dates) is Agreement.STATED:
        return False
    return all((one.year, one.month) != (day.year, day.month) for day in known.dates)
