"""What is said of requests that are none: to the log, that there was one; to others, no more.

The library would write what it could not read, which may be somebody's token, and the
address that it came from, and a page of its own insides for each. Its answer would
repeat what it could not read and name the library's version, without any of our headers.
"""

import logging
from collections.abc import Mapping
from http import HTTPStatus
from typing import Any

import structlog
from aiohttp import web


class BrokenRequests(logging.Logger):
    """Takes what the library has to say, and passes on the kind of its error."""

    def __init__(self) -> None:
        super().__init__("bot.serving", logging.INFO)

    def handle(self, record: logging.LogRecord) -> None:
        """Note one."""
        kind = record.exc_info[0] if record.exc_info else None
        structlog.get_logger().info(
            "request could not be read", kind=kind.__name__ if kind else "unknown"
        )


class Answerer(web.RequestHandler):
    """Answers on a connection; what no application of ours answered, in our own words.

    Args:
        server: that it answers for.
        headers: of such answers.
        given: as the library's own has it.
    """

    __slots__ = ("_headers",)

    def __init__(
        self, server: web.Server, headers: Mapping[str, str], **given: Any
    ) -> None:
        super().__init__(server, **given)
        self._headers = headers

    def handle_error(
        self,
        request: web.BaseRequest,
        status: int = HTTPStatus.INTERNAL_SERVER_ERROR,
        exc: BaseException | None = None,
        message: str | None = None,  # noqa: ARG002 - it repeats what was sent
    ) -> web.StreamResponse:
        """Note a request that could not be read or answered, and return the answer."""
        super().handle_error(request, status, exc, "")
        answer = self._plain(status)
        answer.force_close()
        return answer

    async def finish_response(
        self, request: Any, resp: web.StreamResponse, start_time: float | None
    ) -> tuple[web.StreamResponse, bool]:
        """Send an answer; that to an unknown Expect is given before we are asked."""
        if isinstance(resp, web.HTTPExpectationFailed):
            resp = self._plain(resp.status)
        return await super().finish_response(request, resp, start_time)

    def _plain(self, status: int) -> web.Response:
        told = f"{status} {HTTPStatus(status).phrase}\n"
        return web.Response(status=status, text=told, headers=self._headers)
