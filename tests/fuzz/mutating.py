"""Changes inputs by what they are made of: pieces of a grammar, and values of JSON."""

import json
from collections.abc import Iterator
from random import Random
from typing import Any

_ODD: tuple[Any, ...] = (
    None, True, False, 0, -1, 1, 2**31, 2**63, 10**40, 0.5, 1e308, float("inf"), float("nan"),
    "", " ", "\0", "\ud800", "\udc00\ud83d", "\u202e", "x" * 300, "0", "-1", "1e400", "null",
    "0001-01-01T00:00:00+23:59", "9999-12-31T23:59:59-23:59", "2020-02-30", "http://[", "//",
    [], {}, [[]], [None], [{}], {"a": []}, {"": ""}, ["a"] * 40, {"@type": "Person", "name": "A"},
)  # fmt: skip
_MOST_PLACES = 400


def grown(data: bytes, words: tuple[bytes, ...], chance: Random) -> bytes:
    """Put words in, many times over at times; or double a stretch; or take it out."""
    begin = chance.randint(0, len(data))
    end = min(len(data), begin + chance.choice((0, 0, 1, 4, 16)))
    some = b"".join(chance.choice(words) for _ in range(chance.randint(1, 4)))
    inside = (some, some * chance.randint(2, 20), data[begin:end] * 3, b"")
    return data[:begin] + chance.choice(inside) + data[end:]


def swapped(data: bytes, chance: Random) -> bytes | None:
    """Put an odd value, or one from elsewhere, into the JSON that `data` hold.

    Returns:
        `None` where they hold none.
    """
    begin, end = data.find(b"{"), data.rfind(b"}") + 1
    try:
        value = json.loads(data[begin:end]) if begin >= 0 else None
    except (ValueError, RecursionError):
        return None
    places = list(_places(value))[:_MOST_PLACES]
    if not places:
        return None
    for _ in range(chance.randint(1, 3)):
        holder, name = chance.choice(places)
        other, its_name = chance.choice(places)
        new = chance.choice((*_ODD, other[its_name]))
        holder[name] = json.loads(
            json.dumps(new)
        )  # a copy, so that nothing holds itself
    short = chance.random() < 0.8
    separators = (",", ":") if short else (", ", ": ")
    written = json.dumps(value, ensure_ascii=True, separators=separators)
    return data[:begin] + written.encode() + data[end:]


def _places(value: Any) -> Iterator[tuple[Any, Any]]:
    """Yield every container with every key or index of it."""
    waiting = [value]
    while waiting:
        holder = waiting.pop()
        if not isinstance(holder, dict | list):
            continue
        names = list(holder) if isinstance(holder, dict) else list(range(len(holder)))
        for name in names:
            yield holder, name
            waiting.append(holder[name])
