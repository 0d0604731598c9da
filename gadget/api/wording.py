"""Puts answers into bytes and headers."""

from aiohttp import web
from pydantic import BaseModel

from gadget.api.idempotency import Said
from gadget.api.problems import Refusal
from gadget.api.response_cache import Body
from gadget.payloads.answers import Problem, ProblemAnswer

_JSON = "application/json"
_LEAST_CHARS = 1400  # what goes out in one packet is not made smaller


def text_of(payload: BaseModel | None) -> str:
    """Return a payload as JSON; nothing is the empty text."""
    return "" if payload is None else payload.model_dump_json()


def said(refusal: Refusal) -> Said:
    """Return a refusal as it goes out."""
    problem = Problem(
        code=refusal.code, message=refusal.message, retry_in_s=refusal.wait_s
    )
    return Said(refusal.status, text_of(ProblemAnswer(error=problem)))


def response(told: Said) -> web.Response:
    """Return an answer, compressed where that is worth it."""
    if not told.text:
        return web.Response(status=told.status)
    answer = web.Response(status=told.status, text=told.text, content_type=_JSON)
    if len(told.text) > _LEAST_CHARS:
        answer.enable_compression()
    return answer


def sent(body: Body, accepts: str) -> web.Response:
    """Return an answer whose bytes are there, compressed if the browser takes that.

    Args:
        body: the bytes.
        accepts: the header Accept-Encoding.
    """
    answer = web.Response(content_type=_JSON, charset="utf-8")
    is_packed = body.packed is not None and _takes_gzip(accepts)
    answer.body = body.packed if is_packed else body.plain
    if is_packed:
        answer.headers["Content-Encoding"] = "gzip"
    return answer


def _takes_gzip(accepts: str) -> bool:
    named = [one.replace(" ", "").lower() for one in accepts.split(",")]
    return "gzip" in named or any(
        one.startswith("gzip;q=") and one.strip("0.") != "gzip;q=" for one in named
    )


def refused(refusal: Refusal) -> web.Response:
    """Return a refusal with its headers."""
    answer = response(said(refusal))
    answer.headers.update(refusal.headers)
    if refusal.wait_s is not None:
        answer.headers["Retry-After"] = str(refusal.wait_s)
    if refusal.status in {408, 413}:
        answer.force_close()  # nobody reads the rest of the body
    return answer


def marked(
    answer: web.Response, tag: str, *, is_private: bool, max_age_s: int = 0
) -> web.Response:
    """Return an answer that browsers may keep, and how long they need not ask again."""
    who = "private" if is_private else "public"
    fresh = f"max-age={max_age_s}" if max_age_s else "no-cache"
    answer.headers["ETag"] = tag
    answer.headers["Cache-Control"] = f"{who}, {fresh}"
    return answer
