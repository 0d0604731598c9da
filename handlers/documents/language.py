"""Finds out which languages a text is in, with CLD2, as the Chrome browser did.

Of the libraries that were measured, only this one gives shares, which are needed for
pages that mix an English text with menus in another language. It takes half a
millisecond per page, and 5 MB.
"""

import pycld2

from handlers.model import LanguageShare, SourceText

_MOST_CHARS = 200_000  # reading more would not help
_UNKNOWN = "un"
_CODES = {"iw": "he", "jw": "jv"}  # CLD2 uses their codes from before 1989
_NAMES = {"zh-Hant": "Chinese", "nn": "Norwegian"}  # CLD2 names a script or a form


def languages_of(text: str) -> tuple[LanguageShare, ...]:
    """Return the at most three languages of a text, the largest share first."""
    return _detected(text)[1]


def language_of_text(text: str) -> str | None:
    """Return the code of the language of `text`, `None` if unclear.

    A variety has the code of its language: "zh-Hant" is "zh".
    """
    is_reliable, shares = _detected(text)
    return shares[0].code.partition("-")[0] if is_reliable and shares else None


def language_of_document(document: SourceText, most_chars: int) -> str | None:
    """Return the language of a document: of its words, else what it states."""
    detected = language_of_text(document.text[:most_chars])
    stated = document.imprint.language or document.language or ""
    return detected or stated.partition("-")[0].partition("_")[0].lower() or None


def _detected(text: str) -> tuple[bool, tuple[LanguageShare, ...]]:
    try:
        is_reliable, _, found = pycld2.detect(_printable(text[:_MOST_CHARS]))
    except pycld2.error:  # it rejects some rare characters as invalid UTF-8
        return False, ()
    return bool(is_reliable), tuple(
        LanguageShare(
            _CODES.get(code, code),
            _NAMES.get(code) or name.capitalize(),
            percent / 100,
        )
        for name, code, percent, _ in found
        if code != _UNKNOWN and percent
    )


def _printable(text: str) -> str:
    return "".join(char if char.isprintable() else " " for char in text)
