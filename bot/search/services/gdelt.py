"""GDELT's DOC 2.0: the world's news, free of charge and in short supply.

It takes one question in five seconds, and windows of at most three months, so a longer
one is asked in parts, the newest first. It complains in plain text with status 200,
answers `{}` where nothing fits, and writes escapes that JSON does not have.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from datetime import date, timedelta
from types import MappingProxyType
from typing import Any

from pydantic import BaseModel

from bot.search.services.asking import Answer, Request, read_json
from bot.search.services.dates import day_of
from bot.search.services.failing import Failure, failure_of, strange, too_often
from bot.search.services.results import Hit, at, valid_rows
from bot.search.services.service import Plan
from bot.search.services.wording import in_boolean
from handlers.model import Query, Window
from handlers.ports import PermanentError

PAUSE_S = 5.5  # it asks for five seconds, and counts a little differently
_LONGEST_WINDOW = timedelta(days=89)
_MOST_PARTS = 4
_FIRST_DAY = date(2017, 1, 1)
_MOST_RECORDS = 250
_SPARE = 3  # times the limit: one agency's text stands on many sites
_MOST_CHARS = 250
_ESCAPE = re.compile(r'\\(["\\/bfnrt]|u[0-9A-Fa-f]{4})?')

_LANGUAGES: Mapping[str, str] = MappingProxyType(
    {
        "afrikaans": "af", "albanian": "sq", "arabic": "ar", "armenian": "hy",
        "azerbaijani": "az", "basque": "eu", "bengali": "bn", "bosnian": "bs",
        "bulgarian": "bg", "catalan": "ca", "chinese": "zh", "croatian": "hr",
        "czech": "cs", "danish": "da", "dutch": "nl", "english": "en",
        "estonian": "et", "finnish": "fi", "french": "fr", "galician": "gl",
        "georgian": "ka", "german": "de", "greek": "el", "gujarati": "gu",
        "hebrew": "he", "hindi": "hi", "hungarian": "hu", "icelandic": "is",
        "indonesian": "id", "italian": "it", "japanese": "ja", "kannada": "kn",
        "kazakh": "kk", "korean": "ko", "latvian": "lv", "lithuanian": "lt",
        "macedonian": "mk", "malay": "ms", "malayalam": "ml", "marathi": "mr",
        "mongolian": "mn", "nepali": "ne", "norwegian": "no", "persian": "fa",
        "polish": "pl", "portuguese": "pt", "punjabi": "pa", "romanian": "ro",
        "russian": "ru", "serbian": "sr", "sinhalese": "si", "slovak": "sk",
        "slovenian": "sl", "somali": "so", "spanish": "es", "swahili": "sw",
        "swedish": "sv", "tamil": "ta", "telugu": "te", "thai": "th",
        "tibetan": "bo", "turkish": "tr", "ukrainian": "uk", "urdu": "ur",
        "vietnamese": "vi",
    }
)  # fmt: skip
_NAMES = MappingProxyType({code: name for name, code in _LANGUAGES.items()})


class _Article(BaseModel):
    url: str
    title: str = ""
    seendate: str = ""
    language: str = ""


class Gdelt:
    """Fulfils `bot.search.services.service.Dialect`.

    Args:
        address: of the DOC 2.0 interface.
    """

    name = "GDELT"

    def __init__(self, address: str) -> None:
        self._address = address

    def plan(self, query: Query, limit: int, today: date) -> Plan:
        """Return one request for each part of the window, the newest first."""
        words = in_boolean(query, most_chars=_MOST_CHARS)
        language = _NAMES.get((query.language or "").split("-")[0].lower())
        if language:
            words += f" sourcelang:{language}"
        asked = {
            "query": words,
            "mode": "artlist",
            "format": "json",
            "sort": "hybridrel",
            "maxrecords": str(min(max(_SPARE * limit, 10), _MOST_RECORDS)),
        }
        if query.window is None or query.window.is_open:
            return Plan((Request(self._address, asked),))
        parts = list(_parts(query.window, today))
        requests = tuple(
            Request(self._address, {**asked, **_between(part)})
            for part in parts[:_MOST_PARTS]
        )
        last = parts[:_MOST_PARTS][-1:]
        left_out = (
            f"{self.name} was asked only for what is newer than {last[0][0]}"
            if len(parts) > _MOST_PARTS
            else ""
        )
        return Plan(requests, left_out)

    def failure(self, answer: Answer) -> Failure | None:
        """Return what GDELT complains of; it does so in plain text, whatever the status."""
        failed = failure_of(
            self.name, answer, remedy="it may block this address", pause_s=PAUSE_S
        )
        if failed or isinstance(_json(answer), dict):
            return failed
        told = answer.told
        if "limit requests" in told.lower():
            return too_often(self.name, answer, PAUSE_S)
        if not told or told.startswith(("{", "[")):
            return strange(self.name, answer)
        return PermanentError(f"{self.name} does not take our question ({told})")

    def hits(self, answer: Answer, today: date) -> Sequence[Hit]:
        """Return the articles; GDELT names the day on which it saw them."""
        articles = valid_rows(at(_json(answer), "articles"), _Article)
        return [
            Hit(
                one.url,
                one.title,
                published=day_of(one.seendate, today),
                language=_LANGUAGES.get(one.language.lower()),
            )
            for one in articles
        ]


def _parts(window: Window, today: date) -> Iterator[tuple[date, date]]:
    """Yield stretches of the window that one request can cover, the newest first."""
    until = min(window.until or today, today)
    first = max(window.since or until - _LONGEST_WINDOW, _FIRST_DAY)
    while first <= until:
        since = max(first, until - _LONGEST_WINDOW)
        yield since, until
        until = since - timedelta(days=1)


def _between(part: tuple[date, date]) -> dict[str, str]:
    return {
        "startdatetime": f"{part[0]:%Y%m%d}000000",
        "enddatetime": f"{part[1]:%Y%m%d}235959",
    }


def _json(answer: Answer) -> Any:
    """Return the answer's JSON, its wrong escapes taken as the signs they are."""
    text = _ESCAPE.sub(lambda found: found[0] if found[1] else r"\\", answer.text)
    return read_json(text)
