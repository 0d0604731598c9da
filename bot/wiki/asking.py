"""How more is asked of a wiki than one answer holds: in parts, and to a stated end.

A wiki is believed to have more to tell only while each of its answers names a new
place to go on from.
"""

import unicodedata
from collections.abc import AsyncGenerator, Collection, Iterable, Iterator, Mapping
from contextlib import aclosing
from datetime import UTC, datetime
from typing import TypeVar
from urllib.parse import quote

from bot.wiki.answers import one_line
from bot.wiki.api import WikiApi
from bot.wiki.list_answers import ListAnswer
from handlers.ports import PermanentError

Asked = Mapping[str, str | int]
_A = TypeVar("_A", bound=ListAnswer)

MANY = "\x1f"  # before and between values that may hold a "|"
_AT_ONCE = 50  # what an account without more rights may name in one request
_ADDRESS_CHARS = 5_000  # servers refuse requests whose first line is much longer
_MAX_TITLE_BYTES = 350  # 255, and a namespace in letters of any script
_NEVER_IN_TITLES = frozenset("|<>[]{}#\x7f\ufffd")


async def answers(
    api: WikiApi, asked: Asked, *, most: int, in_body: bool = False
) -> AsyncGenerator[ListAnswer, None]:
    """Yield the parts of the answer to `action=query`, at most `most` of them.

    Raises:
        PermanentError: the wiki goes on for longer, or in a circle.
        TemporaryError: it cannot be reached or is busy now.
    """
    parts = answers_in(api, ListAnswer, asked, most=most, in_body=in_body)
    async with aclosing(parts):
        async for part in parts:
            yield part


async def answers_in(
    api: WikiApi, form: type[_A], asked: Asked, *, most: int, in_body: bool = False
) -> AsyncGenerator[_A, None]:
    """Do the same for answers of another form."""
    places: set[tuple[tuple[str, str | int], ...]] = set()
    place: dict[str, str | int] = {}
    for _ in range(most):
        answer = await api.call("query", form, {**asked, **place}, in_body=in_body)
        yield answer
        place = answer.going_on
        if not place:
            return
        key = tuple(sorted(place.items()))
        if key in places:
            raise PermanentError(
                "the wiki's answer goes on in a circle, from"
                f" {one_line(str(key[0][1]))!r} to the same; ask its operators"
            )
        places.add(key)
    raise PermanentError(
        f"the wiki's answer does not end within {most:,} parts, which is more than"
        " is read of a list"
    )


def in_parts(values: Iterable[str]) -> Iterator[tuple[str, ...]]:
    """Yield values, each once, in parts that one request can name."""
    part: list[str] = []
    length = 0
    for value in dict.fromkeys(values):
        size = len(quote(value, safe="")) + 3
        if part and (len(part) == _AT_ONCE or length + size > _ADDRESS_CHARS):
            yield tuple(part)
            part, length = [], 0
        part.append(value)
        length += size
    if part:
        yield tuple(part)


def asked_title(title: str) -> str | None:
    """Return a title in the form of letters that wikis keep; `None` if it can be none.

    What is none would be read as several titles, or as a part of one.
    """
    try:
        size = len(title.encode())
    except UnicodeEncodeError:
        return None
    if not title.strip(" _") or size > _MAX_TITLE_BYTES:
        return None
    if _NEVER_IN_TITLES & set(title) or any(char < " " for char in title):
        return None
    return unicodedata.normalize("NFC", title)


def wiki_time(at: datetime) -> str:
    """Return a time in the only form that every wiki takes; parts of a second go."""
    return at.astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")


def only(name: str, namespaces: Collection[int]) -> dict[str, str]:
    """Return the parameter that names namespaces; no parameter where none is named."""
    return {name: "|".join(map(str, sorted(namespaces)))} if namespaces else {}
