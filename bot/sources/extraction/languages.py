"""Tells which languages a text is in, by CLD2 as the Chrome browser did.

Of the libraries that were measured it alone gives shares, which pages that mix an
English text with another language's menus call for; it takes half a millisecond a
page and 5 MB.
"""

import pycld2

from handlers.model import LanguageShare

_MOST_CHARS = 200_000  # more of a text tells no more
_UNKNOWN = "un"
_NAMES = {"zh-Hant": "Chinese", "nn": "Norwegian"}  # CLD2 names a script or a form


def languages_of(text: str) -> tuple[LanguageShare, ...]:
    """Return the at most three languages of a text, the largest share first."""
    try:
        _, _, found = pycld2.detect(_printable(text[:_MOST_CHARS]))
    except pycld2.error:  # it takes some rare characters for no UTF-8
        return ()
    return tuple(
        LanguageShare(code, _NAMES.get(code) or name.capitalize(), percent / 100)
        for name, code, percent, _ in found
        if code != _UNKNOWN and percent
    )


def _printable(text: str) -> str:
    return "".join(char if char.isprintable() else " " for char in text)
