"""Makes what is mounted beside the operator's pages."""

from collections.abc import Awaitable, Callable
from functools import partial

from aiohttp import web
from aiohttp.typedefs import Handler, Middleware

from bot.serving.mounts import Mount
from gadget.api.answering import Answering
from gadget.api.document import document_text
from gadget.api.guarding import check, preflight, put_headers
from gadget.api.measures import Measures
from gadget.api.operations import Operation
from gadget.api.parts import Parts, Rules
from gadget.api.problems import Refusal, fault
from gadget.api.repeating import Said
from gadget.api.table import OPERATIONS
from gadget.api.telling import tell_answer, tell_fault
from gadget.api.translating import refusal_of
from gadget.api.validating import is_known, tag_of
from gadget.api.wording import marked, refused, response

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
