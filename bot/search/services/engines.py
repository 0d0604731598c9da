"""Search engines of the web and the news, each a dialect of `service`.

Brave, Google and Serper need a key; SearXNG is self-hosted; GDELT is free.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from datetime import date, timedelta
from types import MappingProxyType
from typing import Annotated, Any

from pydantic import BaseModel, Field

from bot.search.services.client import (
    BUSY_S,
    DAY_S,
    Answer,
    Failure,
    RefusedError,
    Request,
    failure_of,
    read_json,
    spent,
    strange,
    too_often,
)
from bot.search.services.results import (
    Hit,
    at,
    day_of,
    in_boolean,
    in_words,
    valid_rows,
)
from bot.search.services.service import Plan
from handlers.model import Query, Window
from handlers.ports import PermanentError, TemporaryError

BRAVE_PAUSE_S = 1.1  # the free plan allows one request per second
_MOST_COUNT = 20
_BRAVE_MOST_WORDS, _BRAVE_MOST_CHARS = 50, 400
_FIRST_DAY = date(1990, 1, 1)
_BRAVE_REMEDY = "check SIDENOTE_BRAVE_KEY"
_BRAVE_SPENT = frozenset({"QUOTA_LIMITED", "USAGE_LIMIT_EXCEEDED"})
_WRONG_KEY = frozenset({"SUBSCRIPTION_TOKEN_INVALID", "SUBSCRIPTION_NOT_FOUND"})
_LONG_S = 3600.0


class _BraveResult(BaseModel):
    url: str
    title: str = ""
    description: str | None = ""
    extra_snippets: list[str] = []
    page_age: str | None = None
    age: str | None = None
    language: str | None = None


class Brave:
    """Brave's search, with its own index of the web; needs a key.

    One answer has results from the web and the news. A wrong key comes back as 422, as
    does a malformed request; the code in the answer tells them apart.

    Args:
        address: of its web search.
        key: sent in a header.
    """

    name = "Brave"

    def __init__(self, address: str, key: str) -> None:
        self._address = address
        self._key = key

    def plan(self, query: Query, limit: int, today: date) -> Plan:
        """Return one request; the window is in days."""
        asked = {
            "q": in_words(
                query, most_words=_BRAVE_MOST_WORDS, most_chars=_BRAVE_MOST_CHARS
            ),
            "count": str(min(limit, _MOST_COUNT)),
            "result_filter": "web,news",
            "text_decorations": "false",
            "extra_snippets": "true",
        }
        if query.language:
            asked["search_lang"] = query.language.split("-")[0].lower()
        if between := _brave_between(query.window, today):
            asked["freshness"] = between
        headers = {"X-Subscription-Token": self._key}
        return Plan((Request(self._address, asked, headers, secret=self._key),))

    def failure(self, answer: Answer) -> Failure | None:
        """Return Brave's error, if any."""
        code = str(at(answer.json, "error", "code"))
        if code in _WRONG_KEY:
            return RefusedError(f"{self.name} does not accept our key; {_BRAVE_REMEDY}")
        if code in _BRAVE_SPENT or (_is_limited(answer) and _seconds(answer) > _LONG_S):
            return spent(self.name, answer, _seconds(answer) or _LONG_S)
        if _is_limited(answer):
            return too_often(self.name, answer, max(_seconds(answer), BRAVE_PAUSE_S))
        failed = failure_of(self.name, answer, remedy=_BRAVE_REMEDY)
        if failed or at(answer.json, "type") == "search":
            return failed
        return strange(self.name, answer)

    def hits(self, answer: Answer, today: date) -> Sequence[Hit]:
        """Return news before the web: new facts appear there."""
        content = answer.json
        return [
            Hit(
                one.url,
                one.title,
                " … ".join(filter(None, (one.description, *one.extra_snippets))),
                day_of(one.page_age, today) or day_of(one.age, today),
                one.language,
            )
            for part in ("news", "web")
            for one in valid_rows(at(content, part, "results"), _BraveResult)
        ]


def _brave_between(window: Window | None, today: date) -> str:
    if window is None or window.is_open:
        return ""
    return f"{window.since or _FIRST_DAY}to{window.until or today}"


def _is_limited(answer: Answer) -> bool:
    return answer.status == 429  # noqa: PLR2004 - HTTP's own number


def _seconds(answer: Answer) -> float:
    """Return when Brave's exhausted limit (per second or per month) resets, or 0."""
    left = answer.headers.get("x-ratelimit-remaining", "").split(",")
    resets = answer.headers.get("x-ratelimit-reset", "").split(",")
    waits = [
        float(reset.strip()[:9])
        for one, reset in zip(left, resets, strict=False)
        if one.strip() == "0" and reset.strip().isdecimal() and reset.isascii()
    ]
    return max(waits, default=0.0)


_MOST_NUM = 10
_GOOGLE_MOST_WORDS, _GOOGLE_MOST_CHARS = 32, 2_000
_GOOGLE_REMEDY = "check SIDENOTE_GOOGLE_KEY and SIDENOTE_GOOGLE_ENGINE"
_GOOGLE_SPENT = frozenset({"dailyLimitExceeded", "quotaExceeded"})
_SLOW_DOWN = frozenset({"rateLimitExceeded", "userRateLimitExceeded"})
_DATES = ("article:published_time", "article:modified_time", "og:updated_time", "date")


class _Item(BaseModel):
    link: str
    title: str = ""
    snippet: str | None = ""
    pagemap: Any = None


class Google:
    """Google's Programmable Search, for those who still have it: it ends with 2026.

    A wrong key comes back as a bad request, an exhausted quota as 429 or 403; the
    answer gives the reason.

    Args:
        address: of the service.
        key: sent as a parameter.
        engine: the `cx` of the engine that is asked.
    """

    name = "Google"

    def __init__(self, address: str, key: str, engine: str) -> None:
        self._address = address
        self._key = key
        self._engine = engine

    def plan(self, query: Query, limit: int, today: date) -> Plan:
        """Return one request, which counts once, whatever it finds."""
        asked = {
            "key": self._key,
            "cx": self._engine,
            "q": in_words(
                query, most_words=_GOOGLE_MOST_WORDS, most_chars=_GOOGLE_MOST_CHARS
            ),
            "num": str(max(1, min(limit, _MOST_NUM))),
        }
        if query.language:
            asked["lr"] = f"lang_{query.language.split('-')[0].lower()}"
        if between := _google_between(query.window, today):
            asked["sort"] = between
        return Plan((Request(self._address, asked, secret=self._key),))

    def failure(self, answer: Answer) -> Failure | None:
        """Return Google's error, if any."""
        reason = _reason(answer)
        is_daily = "per day" in str(at(answer.json, "error", "message"))
        if reason in _GOOGLE_SPENT or (reason in _SLOW_DOWN and is_daily):
            return spent(self.name, answer, DAY_S)
        if "api key" in str(at(answer.json, "error", "message")).lower():
            return RefusedError(
                f"{self.name} does not accept our key; {_GOOGLE_REMEDY}"
            )
        failed = failure_of(self.name, answer, remedy=_GOOGLE_REMEDY)
        if failed or isinstance(answer.json, dict):
            return failed
        return strange(self.name, answer)

    def hits(self, answer: Answer, today: date) -> Sequence[Hit]:
        """Return the items; they have a date only if the page states it."""
        return [
            Hit(one.link, one.title, one.snippet or "", _stated_day(one.pagemap, today))
            for one in valid_rows(at(answer.json, "items"), _Item)
        ]


def _google_between(window: Window | None, today: date) -> str:
    if window is None or window.is_open:
        return ""
    since, until = window.since or _FIRST_DAY, window.until or today
    return f"date:r:{since:%Y%m%d}:{until:%Y%m%d}"


def _reason(answer: Answer) -> str:
    errors = at(answer.json, "error", "errors")
    return str(at(errors[0], "reason")) if isinstance(errors, list) and errors else ""


def _stated_day(pagemap: object, today: date) -> date | None:
    tags = at(pagemap, "metatags")
    first = tags[0] if isinstance(tags, list) and tags else None
    for name in _DATES:
        if day := day_of(at(first, name), today):
            return day
    return None


_SERPER_MOST_WORDS, _SERPER_MOST_CHARS = 32, 2_000
_PER_CREDIT = 10  # more results cost two
_SERPER_REMEDY = "check SIDENOTE_SERPER_KEY"
_PARTS = ("news", "topStories", "organic")


class _SerperResult(BaseModel):
    link: str
    title: str = ""
    snippet: str | None = ""
    date: str | None = None


class Serper:
    """Serper: Google's results, with a key; each request costs a credit.

    Args:
        address: of its search, `/search` or `/news`.
        key: sent in a header.
    """

    name = "Serper"

    def __init__(self, address: str, key: str) -> None:
        self._address = address
        self._key = key

    def plan(self, query: Query, limit: int, today: date) -> Plan:
        """Return one request; dates in its answer are English, whatever the language."""
        body: dict[str, object] = {
            "q": in_words(
                query, most_words=_SERPER_MOST_WORDS, most_chars=_SERPER_MOST_CHARS
            ),
            "num": min(limit, _PER_CREDIT),
            "hl": "en",
        }
        wanted = []
        if query.language:
            wanted.append(f"lr:lang_1{query.language.split('-')[0].lower()}")
        if between := _serper_between(query.window, today):
            wanted.append(between)
        if wanted:
            body["tbs"] = ",".join(wanted)
        headers = {"X-API-KEY": self._key}
        return Plan(
            (Request(self._address, headers=headers, body=body, secret=self._key),)
        )

    def failure(self, answer: Answer) -> Failure | None:
        """Return Serper's error, if any; exhausted credits come as a bad request."""
        if "not enough credits" in str(at(answer.json, "message")).lower():
            return spent(self.name, answer, DAY_S)
        failed = failure_of(self.name, answer, remedy=_SERPER_REMEDY)
        if failed or isinstance(answer.json, dict):
            return failed
        return strange(self.name, answer)

    def hits(self, answer: Answer, today: date) -> Sequence[Hit]:
        """Return news before other pages."""
        content = answer.json
        return [
            Hit(one.link, one.title, one.snippet or "", day_of(one.date, today))
            for part in _PARTS
            for one in valid_rows(at(content, part), _SerperResult)
        ]


def _serper_between(window: Window | None, today: date) -> str:
    """Return Google's syntax for a range of days, in American date format."""
    if window is None or window.is_open:
        return ""
    since = f",cd_min:{_american(window.since)}" if window.since else ""
    return f"cdr:1{since},cd_max:{_american(window.until or today)}"


def _american(day: date) -> str:
    return f"{day.month}/{day.day}/{day.year}"


_SPANS: Mapping[str, int] = MappingProxyType({"day": 1, "month": 31, "year": 366})
_SEARXNG_MOST_WORDS, _SEARXNG_MOST_CHARS = 40, 400
_MOST_NAMED = 5


class _SearxngResult(BaseModel):
    url: str
    title: str = ""
    content: str | None = ""
    published: str | None = Field(default=None, alias="publishedDate")
    score: Annotated[float, Field(ge=0, allow_inf_nan=False)] | None = None


class SearxNg:
    """SearXNG: a self-hosted search over many engines, without a key.

    An instance answers in JSON only if its settings say so. If its engines are blocked,
    it answers with success and no results, and names them.

    Args:
        address: of the instance's search, which often ends in `/search`.
    """

    name = "SearXNG"

    def __init__(self, address: str) -> None:
        self._address = address

    def plan(self, query: Query, limit: int, today: date) -> Plan:  # noqa: ARG002 - it has no limit
        """Return one request; the window is one of SearXNG's own spans."""
        asked = {
            "q": in_words(
                query, most_words=_SEARXNG_MOST_WORDS, most_chars=_SEARXNG_MOST_CHARS
            ),
            "format": "json",
            "categories": "general,news",
            "language": query.language or "all",
            "pageno": "1",
        }
        span = _span(query.window, today)
        return Plan((Request(self._address, {**asked, **span}),))

    def failure(self, answer: Answer) -> Failure | None:
        """Return an instance's error, or that none of its engines answers."""
        failed = failure_of(
            self.name,
            answer,
            remedy=(
                "enable JSON answers on the instance (`search.formats` in its settings)"
            ),
        )
        if failed:
            return failed
        content = answer.json
        rows = at(content, "results")
        if not isinstance(rows, list):
            return strange(self.name, answer)
        silent = at(content, "unresponsive_engines")
        if not rows and isinstance(silent, list) and silent:
            return TemporaryError(
                f"{self.name}: its engines do not answer ({_named(silent)})",
                retry_in_s=BUSY_S,
            )
        return None

    def hits(self, answer: Answer, today: date) -> Sequence[Hit]:
        """Return the results in the instance's order."""
        return [
            Hit(
                one.url,
                one.title,
                one.content or "",
                day_of(one.published, today),
                score=one.score,
            )
            for one in valid_rows(at(answer.json, "results"), _SearxngResult)
        ]


def _span(window: Window | None, today: date) -> dict[str, str]:
    """Return the shortest span up to today that holds the window, if any does."""
    if window is None or window.since is None:
        return {}
    days = (today - window.since).days
    for name, longest in _SPANS.items():
        if days <= longest:
            return {"time_range": name}
    return {}


def _named(silent: Sequence[object]) -> str:
    names = [str(one[0])[:40] for one in silent if isinstance(one, list) and one]
    return ", ".join(names[:_MOST_NAMED]) or "unnamed"


GDELT_PAUSE_S = 5.5  # it asks for five seconds, and counts a little differently
_LONGEST_WINDOW = timedelta(days=89)
_MOST_PARTS = 4
_GDELT_FIRST_DAY = date(2017, 1, 1)
_MOST_RECORDS = 250
_SPARE = 3  # times the limit: one agency's text appears on many sites
_GDELT_MOST_CHARS = 250
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
    """GDELT's DOC 2.0: the world's news, free of charge but rate-limited.

    It allows one request per five seconds, and windows of at most three months, so a
    longer one is split, the newest part first. It reports errors in plain text with
    status 200, answers `{}` if nothing fits, and writes escapes that JSON does not
    have.

    Args:
        address: of the DOC 2.0 interface.
    """

    name = "GDELT"

    def __init__(self, address: str) -> None:
        self._address = address

    def plan(self, query: Query, limit: int, today: date) -> Plan:
        """Return one request for each part of the window, the newest first."""
        words = in_boolean(query, most_chars=_GDELT_MOST_CHARS)
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
            Request(self._address, {**asked, **_gdelt_between(part)})
            for part in parts[:_MOST_PARTS]
        )
        last = parts[:_MOST_PARTS][-1:]
        left_out = (
            f"{self.name} was only asked for what is newer than {last[0][0]}"
            if len(parts) > _MOST_PARTS
            else ""
        )
        return Plan(requests, left_out)

    def failure(self, answer: Answer) -> Failure | None:
        """Return GDELT's error, if any; it is plain text, whatever the status."""
        failed = failure_of(
            self.name, answer, remedy="it may block this address", pause_s=GDELT_PAUSE_S
        )
        if failed or isinstance(_json(answer), dict):
            return failed
        message = answer.message
        if "limit requests" in message.lower():
            return too_often(self.name, answer, GDELT_PAUSE_S)
        if not message or message.startswith(("{", "[")):
            return strange(self.name, answer)
        return PermanentError(f"{self.name} rejects our request ({message})")

    def hits(self, answer: Answer, today: date) -> Sequence[Hit]:
        """Return the articles; GDELT gives the day on which it saw them."""
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
    """Yield parts of the window that one request can cover, the newest first."""
    until = min(window.until or today, today)
    first = max(window.since or until - _LONGEST_WINDOW, _GDELT_FIRST_DAY)
    while first <= until:
        since = max(first, until - _LONGEST_WINDOW)
        yield since, until
        until = since - timedelta(days=1)


def _gdelt_between(part: tuple[date, date]) -> dict[str, str]:
    return {
        "startdatetime": f"{part[0]:%Y%m%d}000000",
        "enddatetime": f"{part[1]:%Y%m%d}235959",
    }


def _json(answer: Answer) -> Any:
    """Return the answer's JSON, with its invalid escapes taken literally."""
    text = _ESCAPE.sub(lambda found: found[0] if found[1] else r"\\", answer.text)
    return read_json(text)
