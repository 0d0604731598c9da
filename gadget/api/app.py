"""Builds the API that is mounted beside the operator's pages, and its document."""

from typing import Any

from fastapi import FastAPI
from starlette.applications import Starlette
from starlette.middleware import Middleware
from starlette.middleware.cors import CORSMiddleware
from starlette.middleware.gzip import GZipMiddleware
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Mount as Prefixed
from starlette.routing import Route

from bot.daemon.web.guard import Mount
from gadget.api import decisions, pages, sign_in
from gadget.api.access import Entrance, Limits
from gadget.api.answers import tag_of, tagged
from gadget.api.backend import Backend, Parts, Rules
from gadget.api.problems import Refusal, documented, handlers, response

PREFIX = "/api/v1"
CALLBACK_PREFIX = "/oauth"
_DOCUMENT_AGE_S = 300
_PREFLIGHT_S = 7200
_LEAST_BYTES = 1400  # what fits one packet is not compressed
_ABOUT = """\
The backend of the panel beside an article. Reading is anonymous; acting requires
a signed-in reader. Every answer that is not what was asked for is a `ProblemAnswer`.
Only pages of known origins may ask, and writing takes the header `Origin` that browsers
send by themselves."""


def make_api(parts: Parts, rules: Rules) -> tuple[Mount, ...]:
    """Return the API and the page that a wiki sends people back to, to be mounted."""
    backend = Backend(parts, rules)
    callback = Starlette(
        routes=[Route("/callback", sign_in.callback, methods=["GET"])],
        middleware=_around(backend, checks_origin=False),
        exception_handlers=handlers(),
    )
    callback.router.redirect_slashes = False
    callback.state.backend = backend
    routes = [
        Prefixed(PREFIX, api_of(backend)),
        Prefixed(CALLBACK_PREFIX, callback),
    ]
    return (Mount(routes, backend.measures.text),)


def api_of(backend: Backend) -> FastAPI:
    """Return the application mounted under `PREFIX`."""
    api = _Documented(
        backend.rules,
        title="Sidenote",
        version=backend.rules.version,
        description=_ABOUT,
        license_info={"name": "MIT", "identifier": "MIT"},
        servers=[{"url": (backend.rules.address or "") + PREFIX}],
        responses=documented(400, 403, 405, 421, 429, 500, 503),
        openapi_url=None,  # it is served below, with a tag
        redirect_slashes=False,
        separate_input_output_schemas=False,
        telemetry={
            "auto_configure": False,
            "logs": False,
            "metrics": False,
            "tracing": False,
        },
        middleware=_around(backend, checks_origin=True),
        exception_handlers={**handlers(), 405: _no_method},
    )
    api.state.backend = backend
    for each in (pages, decisions, sign_in):
        api.include_router(each.router)
    api.add_api_route("/openapi.json", _document, include_in_schema=False)
    return api


def _around(backend: Backend, *, checks_origin: bool) -> list[Middleware]:
    rules = backend.rules
    origins = rules.origins if checks_origin else None
    return [
        Middleware(
            Entrance,
            origins,
            rules.trusts_proxy,
            backend.measures,
            backend.parts.monotonic,
        ),
        Middleware(
            CORSMiddleware,
            allow_origins=sorted(rules.origins.allowed) if checks_origin else (),
            allow_methods=["DELETE", "GET", "POST"],
            allow_headers=["Authorization", "Idempotency-Key", "If-None-Match"],
            expose_headers=["ETag", "Retry-After"] if checks_origin else (),
            max_age=_PREFLIGHT_S,
        ),
        Middleware(Limits, backend.of_address, rules.trusts_proxy, body_s=rules.body_s),
        Middleware(GZipMiddleware, minimum_size=_LEAST_BYTES, compresslevel=5),
    ]


async def _no_method(request: Request, _: Exception) -> Response:
    """Name all methods of the address; the framework names only one operation's."""
    path = getattr(request.scope.get("route"), "path", "")
    methods = request.app.openapi()["paths"].get(path, {"get": {}})
    allowed = ", ".join(sorted(method.upper() for method in methods))
    why = "This cannot be done with that method."
    return response(Refusal(405, why, None, {"Allow": allowed}))


async def _document(request: Request) -> Response:
    made = JSONResponse(request.app.openapi())

    async def make() -> Response:
        return made

    tag = tag_of(bytes(made.body))
    return await tagged(request, tag, make, is_private=False, max_age_s=_DOCUMENT_AGE_S)


class _Documented(FastAPI):
    """Adds what the framework cannot know to its document; removes what is wrong."""

    def __init__(self, rules: Rules, **given: Any) -> None:
        super().__init__(**given)
        self._rules = rules

    def openapi(self) -> dict[str, Any]:
        """Return the document, with the wikis served and the allowed origins."""
        if self.openapi_schema:
            return self.openapi_schema
        document = super().openapi()
        for methods in document["paths"].values():
            for method, operation in methods.items():
                operation["responses"].pop("422", None)  # it is a 400 here
                for each in operation.get("parameters", ()):
                    _log_wikis(each, sorted(self._rules.wikis))
                if method != "get":
                    origin = _origin(sorted(self._rules.origins.allowed))
                    operation.setdefault("parameters", []).append(origin)
        for unused in ("HTTPValidationError", "ValidationError"):
            document["components"]["schemas"].pop(unused, None)
        return document


def _log_wikis(parameter: dict[str, Any], wikis: list[str]) -> None:
    if parameter["name"] == "wiki":
        parameter["schema"]["enum"] = wikis


def _origin(origins: list[str]) -> dict[str, Any]:
    return {
        "name": "Origin",
        "in": "header",
        "required": True,
        "description": "The page's origin; browsers send it by themselves.",
        "schema": {"type": "string"} | ({"enum": origins} if origins else {}),
    }
