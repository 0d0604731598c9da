"""Which sources are in a language that the judge reads, which is English. Pure.

What the words tell comes first: pages of every language carry `lang="en"` from the
form they were made with. Where the words are too few to tell, the citation and the
page must say it, and nothing may speak for English.
"""

import re
from dataclasses import replace

from handlers.model import Source, SourceOutcome, SourceReading, SourceText

# Characters. Names and titles tell no language; of 21,346 English texts of 150 to 400
# (claims and evidence of the verification data, train and dev) one is taken for another.
_SHORT_TEXT = 150
_MOSTLY = 0.6
_ENGLISH_SHARE = 0.35  # what menus and names of an English publisher come to
_ENGLISH_CHARS = 1500  # as much prose as this is judged, whatever stands around it
_SEPARATORS = re.compile(r"[^\w-]+|_")
# Stated where there is none, or more than one.
_NO_LANGUAGE = frozenset({"", "and", "mul", "und", "zxx"})


def readable(reading: SourceReading) -> SourceReading:
    """Return the reading; a text in a foreign language is withheld from the judge."""
    document = reading.document
    if document is None:
        return reading
    foreign = _foreign_language(reading.source, document)
    if foreign is None:
        return reading
    return replace(
        reading,
        outcome=SourceOutcome.FOREIGN_LANGUAGE,
        detail=f"the source is in {foreign}",
        document=None,
        withheld=document,
    )


def _foreign_language(source: Source, document: SourceText) -> str | None:
    """Name the language of a text that is not in English; `None` if it may be."""
    english = sum(one.share for one in document.languages if _is_english(one.code))
    others = [one for one in document.languages if not _is_english(one.code)]
    foreign = sum(one.share for one in others)
    name = others[0].name if others else None
    chars = len(document.text)
    if chars >= _SHORT_TEXT and english + foreign >= _MOSTLY:
        is_foreign = (
            foreign >= _MOSTLY
            and english < _ENGLISH_SHARE
            and english * chars < _ENGLISH_CHARS
        )
        return name if is_foreign else None
    stated = [_stated(source.language), _stated(_page_language(document))]
    votes = [*stated, _vote(is_english=english > foreign) if english + foreign else 0]
    if not any(vote > 0 for vote in stated) or sum(votes) <= 0:
        return None
    return name or f"“{source.language or _page_language(document)}”"


def _page_language(document: SourceText) -> str | None:
    return document.language or document.imprint.language


def _stated(language: str | None) -> int:
    """Return 1 for a language other than English, -1 for English, 0 for none."""
    named = [
        name
        for name in _SEPARATORS.split((language or "").lower())
        if name not in _NO_LANGUAGE
    ]
    return _vote(is_english=any(map(_is_english, named))) if named else 0


def _vote(*, is_english: bool) -> int:
    return -1 if is_english else 1


def _is_english(name: str) -> bool:
    return name in {"en", "eng", "english"} or name.startswith("en-")
