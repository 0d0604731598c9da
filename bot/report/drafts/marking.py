"""Quotation marks inside a quotation. Pure."""

_SINGLE = str.maketrans(
    {
        "\N{LEFT DOUBLE QUOTATION MARK}": "\N{LEFT SINGLE QUOTATION MARK}",
        "\N{RIGHT DOUBLE QUOTATION MARK}": "\N{RIGHT SINGLE QUOTATION MARK}",
        "\N{DOUBLE LOW-9 QUOTATION MARK}": "\N{SINGLE LOW-9 QUOTATION MARK}",
        '"': "'",
    }
)


def inner(words: str) -> str:
    """Return `words` as they stand between double quotation marks."""
    return words.translate(_SINGLE)
