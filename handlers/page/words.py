"""The words by which two texts are compared, ignoring everything else. Pure."""

import re
import unicodedata

_TOKEN = re.compile(r"(?:(?<!\w)[-\u2212])?\d+(?:[.,]\d+)*|[^\W\d_]+|[%$€£]")


def normalised(text: str) -> str:
    """Return the words, numbers and units of `text`, lower-case, single-spaced.

    A sign belongs to its number.
    """
    return " ".join(_TOKEN.findall(unicodedata.normalize("NFKC", text).casefold()))
