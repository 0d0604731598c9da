"""What a server of events can answer instead of events, and what we do then. Pure."""

from collections.abc import Mapping
from datetime import datetime
from http import HTTPStatus

from yarl import URL

from bot.adapters.event_stream.start import StartRefusedError
from bot.adapters.waiting import asked_wait_s
from handlers.ports import PermanentError, TemporaryError

EVENT_STREAM = "text/event-stream"
_REDIRECTS = frozenset({301, 302, 303, 307, 308})
_MAX_ASKED_S = 3_600.0
_SHOWN_CHARS = 200
_NOT_YET = frozenset(
    {HTTPStatus.REQUEST_TIMEOUT, HTTPStatus.TOO_EARLY, HTTPStatus.TOO_MANY_REQUESTS}
)


def redirect_of(url: URL, status: int, headers: Mapping[str, str]) -> URL | None:
    """Return where a redirect leads, `None` where the answer is none.

    Raises:
        TemporaryError: it leads nowhere.
        PermanentError: it leads to another server, which nobody told us to trust.
    """
    if status not in _REDIRECTS:
        return None
    try:
        target = url.join(URL(headers["Location"]))
    except (KeyError, ValueError):
        raise TemporaryError(
            f"{url.host} sends us elsewhere ({status}) and does not say where",
            retry_in_s=0,
        ) from None
    if (target.scheme, target.host, target.port) != (url.scheme, url.host, url.port):
        raise PermanentError(
            f"{url.host} sends us to {target.host or target.scheme} ({status}); if that is right, set"
            " the address of the stream to it"
        )
    return target


def check(
    url: URL, status: int, headers: Mapping[str, str], said: str, now: datetime
) -> None:
    """Return if the answer is a stream of events; `said` is how its text begins.

    Raises:
        StartRefusedError: the server does not take the start (400).
        TemporaryError: it may be a stream later.
        PermanentError: the server refuses us, or there is no such stream.
    """
    kind = headers.get("Content-Type", "").partition(";")[0].strip().lower()
    if status == HTTPStatus.OK and kind == EVENT_STREAM:
        return
    told = f"{url.host} answers {status}"
    words = " ".join(said.split())[:_SHOWN_CHARS]
    if status == HTTPStatus.BAD_REQUEST:
        raise StartRefusedError(f"{told}: {words}")
    if status in (HTTPStatus.UNAUTHORIZED, HTTPStatus.FORBIDDEN):
        raise PermanentError(
            f"{told}; Wikimedia wants a User-Agent with a contact: set SIDENOTE_CONTACT"
        )
    if status in (HTTPStatus.NOT_FOUND, HTTPStatus.GONE):
        raise PermanentError(f"{told}; check the address of the stream")
    if status < HTTPStatus.BAD_REQUEST:
        told = f"{told} with {kind or 'nothing'} where events were expected"
    asked_s = asked_wait_s({name.lower(): text for name, text in headers.items()}, now)
    is_early = status in _NOT_YET or status >= HTTPStatus.INTERNAL_SERVER_ERROR
    if status >= HTTPStatus.BAD_REQUEST and not is_early:
        raise PermanentError(f"{told}: {words}")
    raise TemporaryError(told, retry_in_s=min(asked_s or 0.0, _MAX_ASKED_S))
