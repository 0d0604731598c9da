"""What a fuzzer needs to know of one reader of hostile bytes."""

from collections.abc import Callable
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Target:
    """One reader, and what it promises.

    `check` takes any bytes and returns; whatever leaves it as an exception is a
    finding. `words` are pieces of the grammar from which a mutator builds; `seeds` are
    whole inputs to begin with.
    """

    name: str
    promises: str  # for people, after "any bytes: "
    check: Callable[[bytes], object]
    words: tuple[bytes, ...]
    seeds: tuple[bytes, ...]
    max_bytes: int = 4_096
    longest_s: float = 10.0  # of processor time, for one input


def require(holds: object, message: str) -> None:
    """Raise where a promise is broken; `assert` would be taken out by `-O`."""
    if not holds:
        raise AssertionError(message)


def storable(value: object, field: str = "a text") -> None:
    """Raise where a text in `value` (values of dataclasses too) is not UTF-8.

    Half a surrogate pair, which JSON can spell, fits into no database and no page.
    """
    for text in _texts(value):
        require(
            not any("\ud800" <= sign <= "\udfff" for sign in text), f"{field}: {text!r}"
        )


def _texts(value: object) -> list[str]:
    if isinstance(value, str):
        return [value]
    if isinstance(value, dict):
        return [
            text for pair in value.items() for part in pair for text in _texts(part)
        ]
    if isinstance(value, list | tuple | set | frozenset):
        return [text for part in value for text in _texts(part)]
    fields = getattr(type(value), "__dataclass_fields__", ()) or getattr(
        type(value), "model_fields", ()
    )
    return [text for name in fields for text in _texts(getattr(value, name))]
