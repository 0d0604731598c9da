"""Who may ask at all: under a name of ours, from a page that may, and not too often."""

from aiohttp import web

from bot.serving.guarding import asked_name
from gadget.api.origins import Origins
from gadget.api.problems import Refusal

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
