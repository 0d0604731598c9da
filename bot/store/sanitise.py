"""Makes values fit for the tables: no characters a database refuses, no text too long.

Text is clipped; identifiers that are too long are refused, since two long titles must
not become one. Pure.
"""

import json
import math
from collections.abc import Iterable
from typing import Any, overload

from bot.store.schema import KEY_CHARS, NAME_CHARS, TEXT_CHARS
from handlers.model import Engine
from handlers.ports import PermanentError

_LIST_PARTS = 100
_PART_CHARS = 2000


@overload
def text(value: str, limit: int = TEXT_CHARS) -> str: ...
@overload
def text(value: None, limit: int = TEXT_CHARS) -> None: ...
def text(value: str | None, limit: int = TEXT_CHARS) -> str | None:
    """Return `value` without NULs and lone surrogates, at most `limit` long."""
    if value is None:
        return None
    clipped = value if len(value) <= limit else f"{value[: limit - 1]}…"
    whole = clipped.encode("utf-8", "replace").decode()
    return whole.replace("\0", "\ufffd")


def key(value: str, what: str, limit: int = KEY_CHARS) -> str:
    """Return `value` if it can identify something as it is.

    Raises:
        PermanentError: it is empty or longer than `limit`.
    """
    if not value or len(value) > limit:
        raise PermanentError(
            f"the {what} {value[:40]!r} has {len(value):,} characters; the store takes"
            f" 1 to {limit}"
        )
    return text(value, limit)


def page(wiki: str, title: str) -> dict[str, Any]:
    """Return the columns that name a page.

    Raises:
        PermanentError: one of them is empty or too long.
    """
    return {"wiki": key(wiki, "wiki"), "title": key(title, "title")}


def engine(one: Engine) -> dict[str, str]:
    """Return the columns that name an engine.

    Raises:
        PermanentError: its name is empty or too long.
    """
    return {
        "engine_name": key(one.name, "engine's name", NAME_CHARS),
        "engine_version": text(one.version, NAME_CHARS),
    }


def listed(values: Iterable[str]) -> str:
    """Return `values` as one text, which `unlisted` turns back into a tuple."""
    parts = [text(value, _PART_CHARS) for value in values]
    return json.dumps(parts[:_LIST_PARTS], ensure_ascii=False)


def unlisted(stored: str) -> tuple[str, ...]:
    """Return the values that `listed` made the text from."""
    return tuple(json.loads(stored))


def share(value: float) -> float:
    """Return a probability.

    Raises:
        PermanentError: it is not a number from 0 to 1.
    """
    if not (math.isfinite(value) and 0 <= value <= 1):
        raise PermanentError(f"{value} is not a probability; the verifier is faulty")
    return value
