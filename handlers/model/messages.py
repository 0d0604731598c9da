"""Words for people, in any language. Pure."""

import re
from dataclasses import dataclass

_PLACE = re.compile(r"\$(\d)")


@dataclass(frozen=True, slots=True)
class Message:
    """Words for people: `key` is their name in `bot/i18n`, `english` the English text.

    The `values` replace $1, $2 … in them.
    """

    key: str
    english: str
    values: "tuple[str | int | Message, ...]" = ()

    def __str__(self) -> str:
        # In one pass: a value may be "$2 million".
        known = {str(number): str(value) for number, value in enumerate(self.values, 1)}
        return _PLACE.sub(lambda found: known.get(found[1], found[0]), self.english)
