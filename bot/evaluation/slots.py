"""An old sentence with the numbers of a new claim in their slots.

A yardstick for evaluation only: it knows nothing of grammar, and whether a claim is true.
It tells how few words an edit takes where a number is all that changed.
"""

import re

_NUMBER = re.compile(r"\d(?:[\d.,]*\d)?")
_WORD = re.compile(r"\d(?:[\d.,]*\d)?|\w+")
_NEAR = 2  # words behind a number that tell what it counts


def joined(tokens: str) -> str:
    """Return a text whose marks are parted by spaces as it is written."""
    text = re.sub(r" +([,.;:!?)\]%]|'s\b|n't\b)", r"\1", tokens)
    return re.sub(r"([(\[$£€]) +", r"\1", text)


def slotted(original: str, claim: str) -> str | None:
    """Return `original` with the numbers of `claim` in it; `None` where no slot is clear.

    A number that only the claim has takes the place of the one that only the original
    has, if one of the next two words is the same, or if each has just one.
    """
    old, new = _numbers(original), _numbers(claim)
    had, has = {one[0] for one in old}, {one[0] for one in new}
    gone = [one for one in old if one[0] not in has]
    came = [one for one in new if one[0] not in had]
    if not gone or not came:
        return None
    slots: dict[int, tuple[int, str]] = {}
    for number, _, _, counted in came:
        fits = [one for one in gone if one[3] & counted]
        if not fits and len(gone) == len(came) == 1:
            fits = gone
        if len(fits) == 1:
            slots[fits[0][1]] = (fits[0][2], number)
    if not slots:
        return None
    text = original
    for start in sorted(slots, reverse=True):
        end, number = slots[start]
        text = f"{text[:start]}{number}{text[end:]}"
    return text


def _numbers(text: str) -> list[tuple[str, int, int, frozenset[str]]]:
    """Return each number with its place and the words behind it."""
    found = []
    for one in _NUMBER.finditer(text):
        behind = _WORD.findall(text[one.end() : one.end() + 60])[:_NEAR]
        words = frozenset(word.lower() for word in behind if not word[0].isdigit())
        found.append((one[0], one.start(), one.end(), words))
    return found
