"""Whether a candidate names anything that the article's nearest statements do not. Pure."""

from collections.abc import Sequence

from handlers.citations.cues import dates, numbers
from handlers.citations.cues.agreement import Agreement
from handlers.citations.cues.dates import Date
from handlers.citations.cues.names import mentioned
from handlers.citations.cues.reading import Reading, read
from handlers.citations.cues.words import content_stems, words
from handlers.model import Subject

_SMALLEST = 2.0  # "one" is mostly no number


def has_news(text: str, said: Sequence[str], subject: Subject) -> bool:
    """Tell whether `text` has a name, number or date that none of `said` has.

    The day of a month that is named is no news, and neither is the subject's name.
    """
    found, known = read(text), read("\n".join(said))
    return (
        _names_news(found, known, subject)
        or any(
            numbers.agreement(one, known.quantities) is not Agreement.STATED
            for one in found.quantities
            if one.value >= _SMALLEST
        )
        or any(_is_new_date(one, known) for one in found.dates)
    )


def has_new_name(text: str, said: Sequence[str], subject: Subject) -> bool:
    """Tell whether `text` names somebody or something that none of `said` does."""
    return _names_news(read(text), read("\n".join(said)), subject)


def _names_news(found: Reading, known: Reading, subject: Subject) -> bool:
    own = content_stems(word for name in subject.names for word in words(name))
    stems = own | {word.stem for word in known.words}
    dated = {one.first_word for one in found.dates}
    return any(
        mentioned(name, stems) < 1 and name.first_word not in dated
        for name in found.names
    )


def _is_new_date(one: Date, known: Reading) -> bool:
    if one.year is None:
        return False
    if dates.agreement(one, known.dates) is Agreement.STATED:
        return False
    return all((one.year, one.month) != (day.year, day.month) for day in known.dates)
