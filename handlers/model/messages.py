"""Words for people, in any language. Pure."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Message:
    """Words for people: `key` is their name in `bot/i18n`, `english` the English text.

    The `values` replace $1, $2 … in them.
    """

    key: str
    english: str
    values: "tuple[str | int | Message, ...]" = ()

    def __str__(self) -> str:
        words = self.english
        for number, value in enumerate(self.values, 1):
            words = words.replace(f"${number}", str(value))
        return words
