"""What search services answer: results that can be used, or a failure with its words."""

import math
from datetime import UTC, date, datetime

from bot.search.services.client import Answer
from bot.search.services.engines import Brave, Gdelt, Google, SearxNg, Serper
from bot.search.services.results import ResultFilter, found_of
from bot.search.services.scholarly import Crossref, OpenAlex
from handlers.model import Query
from handlers.ports import PermanentError, TemporaryError
from tests.fuzz.target import Target, require, storable

_DIALECTS = (
    Brave("https://a.example", "k"),
    Crossref("https://a.example"),
    Gdelt("https://a.example"),
    Google("https://a.example", "k", "e"),
    OpenAlex("https://a.example", "k"),
    SearxNg("https://a.example"),
    Serper("https://a.example", "k"),
)
_REFUSALS = (400, 403, 429, 500, 503)
_TODAY, _NOW = date(2026, 11, 22), datetime(2026, 11, 22, 12, tzinfo=UTC)
_QUERY = Query("clock tower", "Clock")
_LONGEST = 700
_LONGEST_WORDS = 1_000


def check(data: bytes) -> None:
    """Results with bounded words and numbers that can be compared, or a failure."""
    text = data[:200].decode("latin-1")
    headers = (
        {"x-ratelimit-remaining": "0, 5", "x-ratelimit-reset": "1, 2"},
        {"x-ratelimit-remaining": text, "x-ratelimit-reset": text, "retry-after": text},
    )
    _answered(Answer(200, headers[0], data, _NOW))
    status = _REFUSALS[len(data) % len(_REFUSALS)]
    _answered(Answer(status, headers[len(data) % 2], data, _NOW))


def _answered(answer: Answer) -> None:
    for dialect in _DIALECTS:
        failure = dialect.failure(answer)
        if failure is not None:
            require(isinstance(failure, PermanentError | TemporaryError), "no failure")
            message = str(failure)
            require(
                message.isprintable() and len(message) < _LONGEST,
                f"no words: {message!r}",
            )
            storable(message)
            wait_s = getattr(failure, "retry_in_s", None) or 0.0
            require(0 <= wait_s < math.inf, f"no time to wait: {wait_s}")
            continue
        found = found_of(
            dialect.hits(answer, _TODAY), _QUERY, dialect.name, ResultFilter()
        )
        storable(found, f"a result of {dialect.name}")
        for one in found:
            for words in (one.title or "", one.excerpt):
                require(
                    len(words) <= _LONGEST_WORDS and words.isprintable(), f"{words!r}"
                )
            require(
                math.isfinite(one.score), f"{dialect.name} has no score: {one.score}"
            )


_RESULT = (
    b'{"type":"search","web":{"results":[{"url":"https://a.example/b","title":"T","description":'
    b'"D","page_age":"2026-11-01T10:00:00","language":"en","extra_snippets":["e"]}]}}'
)

TARGET = Target(
    name="search_answers",
    promises="results that can be stored and compared, or a failure with bounded words",
    check=check,
    words=(
        b"{", b"}", b"[", b"]", b'"', b":", b",", b"null", b"NaN", b"Infinity", b"-1", b"1e400",
        b'"url":"https://a.example/c"', b'"title":', b'"results":[', b'"items":[', b'"articles":[',
        b'"message":{', b'"error":{"code":', b'"score":', b'"date-parts":[[2026,11,1]]', b'"DOI":',
        b'"abstract_inverted_index":{"a":[0]}', b'"organic":[', b'"news":[', b'"link":', b'"date":',
        b"3 days ago", b"20261101T100000Z", b"\\ud800", b"\\x", b"\\'", b"<b>", b"&#xd800;", b"\xff",
        b"limit requests", b'"unresponsive_engines":[["x","y"]]', b"99999999 days ago", b"2" * 60,
    ),
    seeds=(
        _RESULT, _RESULT.replace(b'"T"', b'"T\\n\\u2028<b>U</b>&#10;"'),
        _RESULT.replace(b'"D"', b'"' + b"d" * 1_500 + b'"'),
        b'{"status":"ok","message-type":"work-list","message":{"items":[{"DOI":"10.1000/x","title":'
        b'["T"],"abstract":"<jats:p>A</jats:p>","published":{"date-parts":[[2026,11,1]]},'
        b'"language":"en","score":20.0}]}}',
        b'{"articles":[{"url":"https://a.example/c","title":"T \\\' x","seendate":'
        b'"20261101T100000Z","language":"English","domain":"a.example"}]}',
        b'{"items":[{"link":"https://a.example/d","title":"T","snippet":"S","pagemap":{"metatags":'
        b'[{"article:published_time":"2026-11-01"}]}}],"searchInformation":{"totalResults":"1"}}',
        b'{"results":[{"id":"https://openalex.org/W1","doi":"https://doi.org/10.1000/x","title":"T",'
        b'"publication_date":"2026-11-01","primary_location":{"landing_page_url":'
        b'"https://a.example/e"},"language":"en","abstract_inverted_index":{"A":[0],"b":[1]},'
        b'"is_retracted":false}],"meta":{"count":1}}',
        b'{"query":"q","results":[{"url":"https://a.example/f","title":"T","content":"C","score":'
        b'1.5,"publishedDate":"2026-11-01T00:00:00"}],"unresponsive_engines":[]}',
        b'{"searchParameters":{},"organic":[{"title":"T","link":"https://a.example/g","snippet":"S",'
        b'"date":"Nov 1, 2026","position":1}],"news":[]}',
        b'{"error":{"code":"QUOTA_LIMITED","detail":"d"}}', b"Please limit requests to one",
    ),
)  # fmt: skip
