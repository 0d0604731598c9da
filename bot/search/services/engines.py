"""Search engines of the web and the news, each a dialect of `service`.

Brave, Google and Serper need a key; SearXNG is self-hosted; GDELT is free.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date, timedelta
from http import HTTPStatus
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
    language_code,
    valid_rows,
)
from bot.search.services.service import Dialect, Plan
from handlers.model import Query, Window
from handlers.ports import PermanentError, TemporaryError

_FIRST_DAY = date(1990, 1, 1)


def _days_of(window: Window | None, today: date) -> tuple[date, date] | None:
    """Return the first and last day of a window; `None` if any day will do."""
    if window is None or window.is_open:
        return None
    return window.since or _FIRST_DAY, window.until or today


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


@dataclass(frozen=True)
class Brave(Dialect):
    """Brave's search, with its own index of the web; needs a key.

    One answer has results from the web and the news. A wrong key comes back as 422, as
    does a malformed request; the code in the answer tells them apart.
    """

    name = "Brave"
    remedy = "check SIDENOTE_BRAVE_KEY"
    pause_s = 1.1  # the free plan allows one request per second
    key: str = field(repr=False)  # sent in a header

    def plan(self, query: Query, limit: int, today: date) -> Plan:
        """Return one request; the window is in days."""
        parameters = {
            "q": in_words(query, most_words=50, most_chars=400),
            "count": str(min(limit, 20)),
            "result_filter": "web,news",
            "text_decorations": "false",
            "extra_snippets": "true",
        }
        if language := language_code(query):
            parameters["search_lang"] = language
        if days := _days_of(query.window, today):
            parameters["freshness"] = "to".join(map(str, days))
        headers = {"X-Subscription-Token": self.key}
        return Plan((Request(self.address, parameters, headers, secret=self.key),))

    def _own_failure(self, answer: Answer) -> Failure | None:
        code = str(at(answer.json, "error", "code"))
        if code in _WRONG_KEY:
            return RefusedError(f"{self.name} does not accept our key; {self.remedy}")
        is_limited = answer.status == HTTPStatus.TOO_MANY_REQUESTS
        wait_s = _until_reset_s(answer)
        if code in _BRAVE_SPENT or (is_limited and wait_s > _LONG_S):
            return spent(self.name, answer, wait_s or _LONG_S)
        if is_limited:
            return too_often(self.name, answer, max(wait_s, self.pause_s))
        return None

    def _is_answer(self, content: object) -> bool:
        return at(content, "type") == "search"

    def hits(self, answer: Answer, today: date) -> Sequence[Hit]:
        """Return news before the web: new facts appear there."""
        return [
            Hit(
                one.url,
                one.title,
                " … ".join(filter(None, (one.description, *one.extra_snippets))),
                day_of(one.page_age, today) or day_of(one.age, today),
                one.language,
            )
            for part in ("news", "web")
            for one in valid_rows(at(answer.json, part, "results"), _BraveResult)
        ]


def _until_reset_s(answer: Answer) -> float:
    """Return when Brave's exhausted limit (per second or per month) resets, or 0."""
    left = answer.headers.get("x-ratelimit-remaining", "").split(",")
    resets = answer.headers.get("x-ratelimit-reset", "").split(",")
    waits = [
        float(reset.strip()[:9])
        for one, reset in zip(left, resets, strict=False)
        if one.strip() == "0" and reset.strip().isdecimal() and reset.isascii()
    ]
    return max(waits, default=0.0)


_GOOGLE_SPENT = frozenset({"dailyLimitExceeded", "quotaExceeded"})
_SLOW_DOWN = frozenset({"rateLimitExceeded", "userRateLimitExceeded"})
_DATES = ("article:published_time", "article:modified_time", "og:updated_time", "date")


class _Item(BaseModel):
    link: str
    title: str = ""
    snippet: str | None = ""
    pagemap: Any = None


@dataclass(frozen=True)
class Google(Dialect):
    """Google's Programmable Search, for those who still have it: it ends with 2026.

    A wrong key comes back as a bad request, an exhausted quota as 429 or 403; the
    answer gives the reason.
    """

    name = "Google"
    remedy = "check SIDENOTE_GOOGLE_KEY and SIDENOTE_GOOGLE_ENGINE"
    key: str = field(repr=False)  # sent as a parameter
    engine: str  # the `cx` of the engine that is asked

    def plan(self, query: Query, limit: int, today: date) -> Plan:
        """Return one request, which counts once, whatever it finds."""
        parameters = {
            "key": self.key,
            "cx": self.engine,
            "q": in_words(query, most_words=32, most_chars=2_000),
            "num": str(max(1, min(limit, 10))),
        }
        if language := language_code(query):
            parameters["lr"] = f"lang_{language}"
        if days := _days_of(query.window, today):
            parameters["sort"] = f"date:r:{days[0]:%Y%m%d}:{days[1]:%Y%m%d}"
        return Plan((Request(self.address, parameters, secret=self.key),))

    def _own_failure(self, answer: Answer) -> Failure | None:
        errors = at(answer.json, "error", "errors")
        first = errors[0] if isinstance(errors, list) and errors else None
        reason = str(at(first, "reason"))
        message = str(at(answer.json, "error", "message"))
        if reason in _GOOGLE_SPENT or (reason in _SLOW_DOWN and "per day" in message):
            return spent(self.name, answer, DAY_S)
        if "api key" in message.lower():
            return RefusedError(f"{self.name} does not accept our key; {self.remedy}")
        return None

    def hits(self, answer: Answer, today: date) -> Sequence[Hit]:
        """Return the items; they have a date only if the page states it."""
        return [
            Hit(one.link, one.title, one.snippet or "", _stated_day(one.pagemap, today))
            for one in valid_rows(at(answer.json, "items"), _Item)
        ]


def _stated_day(pagemap: object, today: date) -> date | None:
    tags = at(pagemap, "metatags")
    first = tags[0] if isinstance(tags, list) and tags else None
    days = (day_of(at(first, name), today) for name in _DATES)
    return next(filter(None, days), None)


class _SerperResult(BaseModel):
    link: str
    title: str = ""
    snippet: str | None = ""
    date: str | None = None


@dataclass(frozen=True)
class Serper(Dialect):
    """Serper: Google's results, with a key; each request costs a credit.

    Its address is that of its search, `/search` or `/news`.
    """

    name = "Serper"
    remedy = "check SIDENOTE_SERPER_KEY"
    key: str = field(repr=False)  # sent in a header

    def plan(self, query: Query, limit: int, today: date) -> Plan:
        """Return one request; dates in its answer are English, whatever the language."""
        body: dict[str, object] = {
            "q": in_words(query, most_words=32, most_chars=2_000),
            "num": min(limit, 10),  # more results cost two credits
            "hl": "en",
        }
        language = language_code(query)
        wanted = [f"lr:lang_1{language}"] if language else []
        window = query.window
        if window is not None and not window.is_open:
            wanted.append("cdr:1")
            if window.since:
                wanted.append(f"cd_min:{_american(window.since)}")
            wanted.append(f"cd_max:{_american(window.until or today)}")
        if wanted:
            body["tbs"] = ",".join(wanted)
        headers = {"X-API-KEY": self.key}
        return Plan(
            (Request(self.address, headers=headers, body=body, secret=self.key),)
        )

    def _own_failure(self, answer: Answer) -> Failure | None:
        """Return that the credits are exhausted, which comes as a bad request."""
        if "not enough credits" in str(at(answer.json, "message")).lower():
            return spent(self.name, answer, DAY_S)
        return None

    def hits(self, answer: Answer, today: date) -> Sequence[Hit]:
        """Return news before other pages."""
        return [
            Hit(one.link, one.title, one.snippet or "", day_of(one.date, today))
            for part in ("news", "topStories", "organic")
            for one in valid_rows(at(answer.json, part), _SerperResult)
        ]


def _american(day: date) -> str:
    return f"{day.month}/{day.day}/{day.year}"


_SPANS: Mapping[str, int] = MappingProxyType({"day": 1, "month": 31, "year": 366})
_MOST_NAMED = 5


class _SearxngResult(BaseModel):
    url: str
    title: str = ""
    content: str | None = ""
    published: str | None = Field(default=None, alias="publishedDate")
    score: Annotated[float, Field(ge=0, allow_inf_nan=False)] | None = None


@dataclass(frozen=True)
class SearxNg(Dialect):
    """SearXNG: a self-hosted search over many engines, without a key.

    Its address often ends in `/search`. An instance answers in JSON only if its
    settings say so. If its engines are blocked, it answers with success and no results,
    and names them.
    """

    name = "SearXNG"
    remedy = "enable JSON answers on the instance (`search.formats` in its settings)"

    def plan(self, query: Query, limit: int, today: date) -> Plan:  # noqa: ARG002 - it has no limit
        """Return one request; the window is one of SearXNG's own spans."""
        parameters = {
            "q": in_words(query, most_words=40, most_chars=400),
            "format": "json",
            "categories": "general,news",
            "language": query.language or "all",
            "pageno": "1",
            **_span(query.window, today),
        }
        return Plan((Request(self.address, parameters),))

    def failure(self, answer: Answer) -> Failure | None:
        """Return an instance's error, or that none of its engines answers."""
        if failed := super().failure(answer):
            return failed
        silent = at(answer.json, "unresponsive_engines")
        if at(answer.json, "results") or not isinstance(silent, list) or not silent:
            return None
        names = [str(one[0])[:40] for one in silent if isinstance(one, list) and one]
        named = ", ".join(names[:_MOST_NAMED]) or "unnamed"
        return TemporaryError(
            f"{self.name}: its engines do not answer ({named})", retry_in_s=BUSY_S
        )

    def _is_answer(self, content: object) -> bool:
        return isinstance(at(content, "results"), list)

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


_LONGEST_WINDOW = timedelta(days=89)
_MOST_PARTS = 4
_GDELT_FIRST_DAY = date(2017, 1, 1)
_MOST_RECORDS = 250
_SPARE = 3  # times the limit: one agency's text appears on many sites
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


@dataclass(frozen=True)
class Gdelt(Dialect):
    """GDELT's DOC 2.0: the world's news, free of charge but rate-limited.

    It allows one request per five seconds, and windows of at most three months, so a
    longer one is split, the newest part first. It reports errors in plain text with
    status 200, answers `{}` if nothing fits, and writes escapes that JSON does not
    have.
    """

    name = "GDELT"
    remedy = "it may block this address"
    pause_s = 5.5  # it asks for five seconds, and counts a little differently

    def plan(self, query: Query, limit: int, today: date) -> Plan:
        """Return one request for each part of the window, the newest first."""
        words = in_boolean(query, most_chars=250)
        if language := _NAMES.get(language_code(query)):
            words += f" sourcelang:{language}"
        parameters = {
            "query": words,
            "mode": "artlist",
            "format": "json",
            "sort": "hybridrel",
            "maxrecords": str(min(max(_SPARE * limit, 10), _MOST_RECORDS)),
        }
        if query.window is None or query.window.is_open:
            return Plan((Request(self.address, parameters),))
        parts = list(_parts(query.window, today))
        covered = parts[:_MOST_PARTS]
        requests = tuple(
            Request(
                self.address,
                {
                    **parameters,
                    "startdatetime": f"{since:%Y%m%d}000000",
                    "enddatetime": f"{until:%Y%m%d}235959",
                },
            )
            for since, until in covered
        )
        left_out = (
            f"{self.name} was only asked for what is newer than {covered[-1][0]}"
            if covered != parts
            else ""
        )
        return Plan(requests, left_out)

    def failure(self, answer: Answer) -> Failure | None:
        """Return GDELT's error, if any; it is plain text, whatever the status."""
        failed = failure_of(self.name, answer, remedy=self.remedy, pause_s=self.pause_s)
        if failed or isinstance(_json(answer), dict):
            return failed
        message = answer.message
        if "limit requests" in message.lower():
            return too_often(self.name, answer, self.pause_s)
        if not message or message.startswith(("{", "[")):
            return strange(self.name, answer)
        return PermanentError(f"{self.name} rejects our request ({message})")

    def hits(self, answer: Answer, today: date) -> Sequence[Hit]:
        """Return the articles; GDELT gives the day on which it saw them."""
        return [
            Hit(
                one.url,
                one.title,
                published=day_of(one.seendate, today),
                language=_LANGUAGES.get(one.language.lower()),
            )
            for one in valid_rows(at(_json(answer), "articles"), _Article)
        ]


def _parts(window: Window, today: date) -> Iterator[tuple[date, date]]:
    """Yield parts of the window that one request can cover, the newest first."""
    until = min(window.until or today, today)
    first = max(window.since or until - _LONGEST_WINDOW, _GDELT_FIRST_DAY)
    while first <= until:
        since = max(first, until - _LONGEST_WINDOW)
        yield since, until
        until = since - timedelta(days=1)


def _json(answer: Answer) -> Any:
    """Return the answer's JSON, with its invalid escapes taken literally."""
    text = _ESCAPE.sub(lambda found: found[0] if found[1] else r"\\", answer.text)
    return read_json(text)
