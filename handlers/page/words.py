"""The words by which two texts are compared, whatever stands between them. Pure."""

import re
import unicodedata

_TOKEN = re.compile(r"(?:(?<!\w)[-\u2212])?\d+(?:[.,]\d+)*|[^\W\d_]+|[%$€£]")


def normalised(text: str) -> str:
    """Return the words, numbers and units of `text` in lower case, one space between.

    A sign belongs to its number.
    """
    return " ".join(_TOKEN.findall(unicodedata.normalize("NFKC", text).casefold()))
