"""Makes what is mounted beside the operator's pages."""

import traceback
from collections.abc import Awaitable, Callable, Mapping
from functools import partial
from typing import Any

import structlog
from aiohttp import web
from aiohttp.typedefs import Handler, Middleware

from bot.daemon.serving.guard import Mount, asked_name
from bot.records.accounts import RefusedError
from gadget.api.document import document_text
from gadget.api.idempotency import Said
from gadget.api.measures import Measures
from gadget.api.operations import Operation
from gadget.api.origins import Origins
from gadget.api.parts import Parts, Rules
from gadget.api.problems import Refusal, fault, out_of_reach
from gadget.api.requests import Answering
from gadget.api.table import OPERATIONS
from gadget.api.validating import is_known, tag_of
from gadget.api.wording import marked, refused, response
from handlers.ports import PermanentError, TemporaryError

# Who may ask at all: under a name of ours, from a page that may, and not too often.

_HEADERS_ALLOWED = "Authorization, Content-Type, Idempotency-Key, If-None-Match"
_HEADERS_SHOWN = "ETag, Retry-After"
_PREFLIGHT_S = 7200
_READS = frozenset({"GET", "HEAD", "OPTIONS"})
_CLOSED = (
    "default-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
)
CORS = web.RequestKey("cors", dict[str, str])
HEADERS = {
    "Cache-Control": "no-store",
    "Content-Security-Policy": _CLOSED,
    "Cross-Origin-Resource-Policy": "same-origin",
    "Referrer-Policy": "no-referrer",
    "Vary": "Origin, Authorization, Accept-Encoding",
    "X-Content-Type-Options": "nosniff",
}


def check(request: web.Request, origins: Origins, *, trusts_proxy: bool) -> None:
    """Let a request in, and note what its browser is to be told.

    Raises:
        Refusal: it asks for another server, or its page may not ask.
    """
    name = asked_name(request)
    if name is None or (origins.names is not None and name not in origins.names):
        raise Refusal(421, "This server does not go by that name.")
    told = request.headers.getall("Origin", [])
    if not told:
        if request.method not in _READS:
            raise Refusal(403, "Send the header Origin, as browsers do by themselves.")
        return
    scheme = _scheme(request, trusts_proxy=trusts_proxy)
    if len(told) > 1 or not origins.allows(
        told[0], scheme=scheme, host=request.host, name=name
    ):
        raise Refusal(
            403,
            "Pages of this origin may not ask here. The operator can allow it in"
            " `gadget_origins`.",
        )
    request[CORS] = {
        "Access-Control-Allow-Origin": told[0],
        "Access-Control-Expose-Headers": _HEADERS_SHOWN,
    }


def _scheme(request: web.Request, *, trusts_proxy: bool) -> str:
    told = request.headers.getall("X-Forwarded-Proto", [])
    return told[-1].strip().lower() if trusts_proxy and told else request.scheme


def preflight(request: web.Request, methods: set[str]) -> web.Response:
    """Answer a browser that asks what it may ask."""
    allowed = ", ".join(sorted(methods | {"OPTIONS"}))
    answer = web.Response(status=204, headers={"Allow": allowed})
    if CORS in request and "Access-Control-Request-Method" in request.headers:
        answer.headers["Access-Control-Allow-Methods"] = allowed
        answer.headers["Access-Control-Allow-Headers"] = _HEADERS_ALLOWED
        answer.headers["Access-Control-Max-Age"] = str(_PREFLIGHT_S)
    return answer


async def put_headers(request: web.Request, answer: web.StreamResponse) -> None:
    """Put on every answer, also on a stream, what goes for all."""
    for name, value in HEADERS.items():
        answer.headers.setdefault(name, value)
    answer.headers["Server"] = "Sidenote"  # the library has named itself already
    if CORS in request:
        answer.headers.update(request[CORS])


# What an error is for the public. What its message says is for the log alone.

_LATE_S = 5.0


def refusal_of(error: Exception) -> Refusal | None:
    """Return how an error is answered; None if it is a fault of ours."""
    for kind, told in _TOLD.items():
        if isinstance(error, kind):
            return told(error)
    return None


def _refused(error: Any) -> Refusal:
    why = str(error)  # made for the reader
    return Refusal(403, f"{why[:1].upper()}{why[1:].rstrip('.')}.")


def _away(error: Any) -> Refusal:
    return out_of_reach(error.retry_in_s)


def _no_method(error: Any) -> Refusal:
    allowed = {"Allow": ", ".join(sorted(error.allowed_methods))}
    return Refusal(405, "This cannot be done with that method.", None, allowed)


# The first that fits, so the special before the general.
_TOLD: Mapping[type[Exception], Callable[[Any], Refusal]] = {
    Refusal: lambda error: error,
    RefusedError: _refused,
    TemporaryError: _away,
    PermanentError: lambda _: Refusal(404, "There is nothing to show of this here."),
    TimeoutError: lambda _: out_of_reach(_LATE_S),
    web.HTTPMethodNotAllowed: _no_method,
    web.HTTPNotFound: lambda _: Refusal(404, "There is nothing at this address."),
    web.HTTPException: lambda _: Refusal(400, "This cannot be answered."),
}


# What the log says of requests: route and status, never who asked, for what, from
# where.
# A fault is told by its kind and by the lines of code that it went through. Its message
# may hold what somebody sent, so it is left out.

_MOST_LINES = 12
_FAULTS = 500
_REFUSALS = 400


def tell_answer(route: str, method: str, status: int, took_s: float) -> None:
    """Note an answer."""
    log: Any = structlog.get_logger()
    said = log.info if _REFUSALS <= status < _FAULTS else log.debug
    if status >= _FAULTS:
        said = log.warning
    said(
        "api answered",
        route=route,
        method=method,
        status=status,
        took_ms=round(took_s * 1000),
    )


def tell_fault(route: str, error: BaseException) -> None:
    """Note a fault of ours."""
    lines = traceback.extract_tb(error.__traceback__)[-_MOST_LINES:]
    structlog.get_logger().error(
        "fault while answering",
        route=route,
        kind=type(error).__name__,
        lines=[f"{line.filename}:{line.lineno} {line.name}" for line in lines],
    )


PREFIX = "/api/v1"
CALLBACK_PREFIX = "/oauth"
_DOCUMENT = "/openapi.json"
_DOCUMENT_AGE_S = 300
_MOST_QUERY_CHARS = 4000

_Answer = Callable[[web.Request], Awaitable[web.StreamResponse]]


def make_api(parts: Parts, rules: Rules) -> tuple[Mount, ...]:
    """Return the API and the page that a wiki sends people back to, ready to be mounted."""
    measures = Measures()
    answering = Answering(parts, rules, measures)
    around = _Around(answering, rules, measures, parts.monotonic)

    async def stop(_: web.Application) -> None:
        answering.end()

    api = web.Application(middlewares=[around.surround(checks_origin=True)])
    for operation in OPERATIONS:
        _add(api, operation, partial(answering.answer, operation))
    api.router.add_get(_DOCUMENT, _document(rules))
    api.on_shutdown.append(stop)
    callback = web.Application(middlewares=[around.surround(checks_origin=False)])
    callback.router.add_get("/callback", _callback(parts), allow_head=False)
    for app in (api, callback):
        app.on_response_prepare.append(put_headers)
    return Mount(PREFIX, api, measures.text), Mount(CALLBACK_PREFIX, callback)


def _add(api: web.Application, operation: Operation, answer: _Answer) -> None:
    path = _pattern(operation)
    if operation.method == "GET":
        api.router.add_get(path, answer, allow_head=operation.stream is None)
    else:
        api.router.add_route(operation.method, path, answer)


def _pattern(operation: Operation) -> str:
    """Return the path with what its names can be: one that cannot be is no address."""
    path = operation.path
    fields = operation.names.model_json_schema().get("properties", {})
    for name, schema in fields.items():
        pattern = str(schema.get("pattern", "[0-9]{1,16}")).strip("^$")
        path = path.replace(f"{{{name}}}", f"{{{name}:{pattern}}}")
    return path


def _document(rules: Rules) -> _Answer:
    told = Said(200, document_text(rules, PREFIX))
    tag = tag_of(told.text)

    async def answer(request: web.Request) -> web.Response:
        if is_known(tag, request.headers.get("If-None-Match")):
            made = web.Response(status=304)
        else:
            made = response(told)
        return marked(made, tag, is_private=False, max_age_s=_DOCUMENT_AGE_S)

    return answer


def _callback(parts: Parts) -> _Answer:
    async def answer(request: web.Request) -> web.Response:
        if len(request.query_string) > _MOST_QUERY_CHARS:
            raise Refusal(400, "This address is too long. Sign in anew.")
        page = await parts.sign_ins.callback(request.query)
        return web.Response(
            status=page.status,
            text=page.html,
            content_type="text/html",
            headers=page.headers,
        )

    return answer


class _Around:
    """What every request passes through: nobody is shown how it looks inside."""

    def __init__(
        self,
        answering: Answering,
        rules: Rules,
        measures: Measures,
        monotonic: Callable[[], float],
    ) -> None:
        self._answering = answering
        self._rules = rules
        self._measures = measures
        self._monotonic = monotonic

    def surround(self, *, checks_origin: bool) -> Middleware:
        """Return it as aiohttp wants it."""

        @web.middleware
        async def around(request: web.Request, handler: Handler) -> web.StreamResponse:
            began_s = self._monotonic()
            answer = await self._answer(request, handler, checks_origin=checks_origin)
            self._note(request, answer, self._monotonic() - began_s)
            return answer

        return around

    async def _answer(
        self, request: web.Request, handler: Handler, *, checks_origin: bool
    ) -> web.StreamResponse:
        try:
            trusts = self._rules.trusts_proxy
            if checks_origin:
                check(request, self._rules.origins, trusts_proxy=trusts)
            self._answering.count(request)
            if request.method == "OPTIONS":
                return preflight(request, _methods(request))
            return await handler(request)
        except Exception as error:  # noqa: BLE001 - one answer must not end the server
            refusal = refusal_of(error)
            if refusal is None:
                tell_fault(_route(request), error)
                refusal = fault()
            return refused(refusal)

    def _note(
        self, request: web.Request, answer: web.StreamResponse, took_s: float
    ) -> None:
        route = _route(request)
        is_stream = not isinstance(answer, web.Response)
        timed_s = None if is_stream else took_s
        self._measures.answered(route, request.method, answer.status, timed_s)
        tell_answer(route, request.method, answer.status, took_s)


def _methods(request: web.Request) -> set[str]:
    """Return the methods that an address knows.

    Raises:
        Refusal: there is nothing at this address.
    """
    refused_by = request.match_info.http_exception
    if isinstance(refused_by, web.HTTPMethodNotAllowed):
        return set(refused_by.allowed_methods)
    raise Refusal(404, "There is nothing at this address.")


def _route(request: web.Request) -> str:
    """Return the template of an address: of strangers' names nothing is counted."""
    resource = request.match_info.route.resource
    return resource.canonical if resource else "unknown"
