"""Serves all search services on loopback, each below its own path."""

import json
from collections import defaultdict, deque
from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace
from datetime import UTC, date, datetime
from types import MappingProxyType

from aiohttp import web

from tests.rig.search.asked import (
    PAGE_OF_HTML,
    Asked,
    Fault,
    RefusedRequest,
    Stand,
    as_json,
    as_text,
)
from tests.rig.search.services import SERVICES, google_error
from tests.rig.search.shelf import Shelf, Shelved
from tests.rig.served import Served

# How each service words its known failures.

_LATER = "120"
_ELSEWHERE = "https://elsewhere.example.org/?key="
_WRONG_ESCAPE = (
    '{"articles": [{"url": "https://news.example.org/escapes", "title":'
    ' "A \\& B \\\'quoted\\\' \\x41 C:\\\\new", "seendate": "20260301T000000Z",'
    ' "language": "English"}]}'
)
_EMPTY: dict[str, object] = {
    "gdelt": {},
    "searxng": {
        "query": "",
        "results": [],
        "unresponsive_engines": [["google", "CAPTCHA"], ["bing", "timeout"]],
    },
    "brave": {"type": "search", "query": {"original": ""}},
    "serper": {"searchParameters": {}, "credits": 1},
    "google": {"kind": "customsearch#search"},
    "crossref": {"status": "ok", "message": {"items": [], "total-results": 0}},
    "openalex": {"meta": {"count": 0}, "results": []},
}


def failing(service: str, fault: Fault) -> web.Response:
    """Return the answer of a service that fails in this way."""
    return _FAILING[fault](service)


def _come_later(service: str) -> web.Response:
    answer = _too_often(service)
    answer.headers["Retry-After"] = _LATER
    return answer


def _broken(service: str) -> web.Response:
    cut_off = json.dumps(_EMPTY[service])[:-1] + ', "more": "'
    return as_text(_WRONG_ESCAPE if service == "gdelt" else cut_off)


def _too_often(service: str) -> web.Response:
    match service:
        case "gdelt":
            message = "Please limit requests to one every 5 seconds or contact us for larger queries."
            return as_text(message, 429)
        case "google":
            return google_error(429, "rateLimitExceeded", "Quota exceeded per minute.")
        case "brave":
            limits = {
                "X-RateLimit-Remaining": "0, 1999",
                "X-RateLimit-Reset": "1, 999999",
            }
            error = {"status": 429, "code": "RATE_LIMITED", "detail": "Too fast."}
            return as_json({"type": "ErrorResponse", "error": error}, 429, limits)
        case "openalex":
            return as_json({"error": "Rate limit exceeded", "message": "Slow."}, 403)
        case _:
            return as_text("Too Many Requests", 429)


def _spent(service: str) -> web.Response:
    match service:
        case "google":
            message = (
                "Quota exceeded for quota metric 'Queries' and limit 'Queries per day'"
            )
            return google_error(429, "rateLimitExceeded", message)
        case "serper":
            return as_json({"message": "Not enough credits", "statusCode": 400}, 400)
        case "brave":
            limits = {"X-RateLimit-Remaining": "1, 0", "X-RateLimit-Reset": "1, 40000"}
            error = {
                "status": 429,
                "code": "QUOTA_LIMITED",
                "detail": "Plan is used up.",
            }
            return as_json({"type": "ErrorResponse", "error": error}, 429, limits)
        case "openalex":
            limits = {"X-RateLimit-Remaining": "0", "X-RateLimit-Reset": "40000"}
            error = {"error": "Rate limit exceeded", "message": "Daily limit."}
            return as_json(error, 429, limits)
        case _:
            return as_text("Too Many Requests", 429, {"Retry-After": "40000"})


_FAILING: Mapping[Fault, Callable[[str], web.Response]] = MappingProxyType(
    {
        Fault.TOO_OFTEN: _too_often,
        Fault.COME_LATER: _come_later,
        Fault.SPENT: _spent,
        Fault.HTML: lambda _service: as_text(PAGE_OF_HTML),
        Fault.DOWN: lambda _service: as_text(PAGE_OF_HTML, 503),
        Fault.NOTHING: lambda service: as_json(_EMPTY[service]),
        Fault.STRANGE: lambda _service: as_json(["something", "else"]),
        Fault.BROKEN: _broken,
        Fault.MOVED: lambda _service: as_text("", 302, {"Location": _ELSEWHERE}),
    }
)


_POSTED = "serper"


class SearchServer(Served):
    """Serves what is on its shelf. Use it as an async context manager.

    Args:
        pages: that can be found.
        key: the only one that services with a key accept.
        today: for spans that end today; by default the day in UTC.
    """

    def __init__(
        self,
        pages: Iterable[Shelved] = (),
        *,
        key: str = "the-right-key",
        today: date | None = None,
        port: int = 0,
    ) -> None:
        super().__init__(port=port)
        self.stand = Stand(Shelf(tuple(pages)), key, today or datetime.now(UTC).date())
        self.requests: list[Asked] = []
        self._faults: defaultdict[str, deque[Fault | None]] = defaultdict(deque)

    def address(self, service: str) -> str:
        """Return where a service is, by its name in the settings."""
        return f"{self.root}/{service}"

    @property
    def addresses(self) -> str:
        """All of them, as the setting `search_addresses` takes them."""
        return ",".join(f"{name}={self.address(name)}" for name in SERVICES)

    def fail(self, service: str, *faults: Fault | None) -> None:
        """Let a service fail in its next answers, in this order; `None` is success."""
        self._faults[service].extend(faults)

    def put(self, *pages: Shelved) -> None:
        """Put more pages on the shelf."""
        self.stand = replace(self.stand, shelf=Shelf((*self.stand.shelf.pages, *pages)))

    def routes(self) -> Iterable[web.AbstractRouteDef]:
        """Return what is served."""
        return (web.route("*", "/{service}", self._serve),)

    async def _serve(self, request: web.Request) -> web.Response:
        service = request.match_info["service"]
        wanted = "POST" if service == _POSTED else "GET"
        if service not in SERVICES or request.method != wanted:
            return as_json({"message": "Not Found"}, 404)
        body = await request.json() if request.can_read_body else {}
        request_seen = Asked(service, dict(request.query), request.headers, body)
        self.requests.append(request_seen)
        if "Sidenote" not in request.headers.get("User-Agent", ""):
            return as_json({"message": "Please set a user-agent"}, 403)
        faults = self._faults[service]
        if faults and (fault := faults.popleft()) is not None:
            return failing(service, fault)
        try:
            return SERVICES[service](request_seen, self.stand)
        except RefusedRequest as refused:
            return refused.answer
        except (ValueError, KeyError) as error:
            return as_json({"message": f"malformed: {error}"}, 400)
