"""Sends one request to a wiki, once, and tells what is known of it where no answer came.

It goes through Pywikibot's connection (its cookies, OAuth and account file) and nothing
else of it: Pywikibot's own requests are sent again after a lost answer, up to sixteen
times, which doubles posts.
"""

import json
import os
import time
from collections.abc import Iterator, Mapping
from contextlib import closing, contextmanager
from datetime import UTC, datetime
from http import HTTPStatus
from pathlib import Path
from typing import Any

import requests
import urllib3.exceptions

from bot.sources.waiting import asked_wait_s
from bot.sources.whole_file import unwritten
from bot.wiki.address import WikiAddress
from handlers.ports import TemporaryError

RETRY_IN_S = 30.0
TURNED_AWAY_S = 300.0
_MAX_BYTES = 32 * 1024 * 1024
_CONNECT_TIMEOUT_S = 6.0
_LOST_RETRY_S = 5.0  # after one lost request; whoever asks again doubles it
_HOME, _ACCOUNT_FILE = "PYWIKIBOT_DIR", "user-config.py"
_FORM = {"format": "json", "formatversion": "2"}


class NotSent(TemporaryError):  # noqa: N818 - it tells what happened
    """The request did not reach the wiki, or was turned away before it was read."""


class NoAnswer(TemporaryError):  # noqa: N818 - it tells what happened
    """The request was sent and its answer is lost or makes no sense."""


class Exchange:
    """Asks the API of one wiki. Not for several threads.

    Args:
        address: of the wiki.
        user_agent: says who asks, with a way to reach them.
        folder: where Pywikibot may keep its files.
        timeout_s: how long one answer may take.
    """

    def __init__(
        self, address: WikiAddress, *, user_agent: str, folder: Path, timeout_s: float
    ) -> None:
        self._address = address
        self._user_agent = user_agent.replace("{", "(").replace("}", ")")
        self._folder = folder
        self._timeout_s = timeout_s

    def send(self, method: str, parameters: Mapping[str, str]) -> dict[str, Any]:
        """Return the answer to one request, which may be an error of the wiki's.

        Raises:
            NotSent: the request did not reach the wiki.
            NoAnswer: it may have.
        """
        given = {**parameters, **_FORM}
        where = "params" if method == "GET" else "data"
        got = self.library().fetch(
            self._address.api,
            method=method,
            headers={"user-agent": self._user_agent},
            default_error_handling=False,
            stream=True,
            allow_redirects=False,
            **{where: given},
        )
        if not isinstance(got, requests.Response):
            raise self._failure(got)
        with closing(got):
            return self._answer(got)

    def library(self) -> Any:
        """Return Pywikibot's module for HTTP, which is the program's, not ours.

        Raises:
            PermanentError, TemporaryError: its folder cannot be written to.
        """
        try:
            with _at_home(self._folder):
                # Imported here: it is slow, and reads its account file.
                from pywikibot import config  # noqa: PLC0415 - see above
                from pywikibot.comms import http  # noqa: PLC0415 - see above
        except OSError as error:
            raise unwritten(f"the folder {self._folder}", error) from error
        config.base_dir = str(self._folder)
        config.socket_timeout = (_CONNECT_TIMEOUT_S, self._timeout_s)
        return http

    def _answer(self, got: requests.Response) -> dict[str, Any]:
        body = self._body(got)
        try:
            answer = json.loads(body)
        except (ValueError, RecursionError):
            answer = None
        if isinstance(answer, dict):
            return answer
        raise self._without_sense(got)

    def _body(self, got: requests.Response) -> bytes:
        body = bytearray()
        until_s = time.monotonic() + self._timeout_s
        try:
            for piece in got.iter_content(64 * 1024):
                body += piece
                if len(body) > _MAX_BYTES or time.monotonic() > until_s:
                    raise self._lost("its answer has no end")
        except (requests.RequestException, OSError) as error:
            raise self._lost(type(error).__name__) from error
        return bytes(body)

    def _without_sense(self, got: requests.Response) -> TemporaryError:
        status = got.status_code
        asked_s = asked_wait_s(got.headers, datetime.now(UTC))
        said = f"{self._address.api} answered {status}"
        if status == HTTPStatus.TOO_MANY_REQUESTS:
            return NotSent(
                f"{said}: it wants fewer requests", retry_in_s=asked_s or RETRY_IN_S
            )
        is_refusal = status >= HTTPStatus.MULTIPLE_CHOICES
        if is_refusal and status < HTTPStatus.INTERNAL_SERVER_ERROR:
            return NotSent(f"{said}, no API", retry_in_s=TURNED_AWAY_S)
        return NoAnswer(
            f"{said} without saying what it did", retry_in_s=asked_s or RETRY_IN_S
        )

    def _failure(self, error: BaseException) -> Exception:
        if _never_left(error):
            return NotSent(
                f"{self._address.api} cannot be reached", retry_in_s=_LOST_RETRY_S
            )
        if isinstance(error, requests.RequestException | OSError):
            return self._lost(type(error).__name__)
        raise error

    def _lost(self, how: str) -> NoAnswer:
        return NoAnswer(
            f"the answer of {self._address.api} was lost ({how})",
            retry_in_s=_LOST_RETRY_S,
        )


@contextmanager
def _at_home(folder: Path) -> Iterator[None]:
    """Keep Pywikibot from making a folder in the user's home where it is imported.

    An account file here, or in the folder that its own variable names, comes first.
    """
    if _HOME in os.environ or Path(_ACCOUNT_FILE).exists():
        yield
        return
    folder.mkdir(parents=True, exist_ok=True)
    (folder / _ACCOUNT_FILE).touch(0o600)
    os.environ[_HOME] = str(folder)
    try:
        yield
    finally:
        del os.environ[_HOME]


def _never_left(error: BaseException) -> bool:
    """Tell whether no connection was made, so that nothing can have arrived."""
    if isinstance(error, requests.ConnectTimeout):
        return True
    cause = error.args[0] if error.args else None
    reason = getattr(cause, "reason", None)
    return isinstance(error, requests.ConnectionError) and isinstance(
        reason, urllib3.exceptions.NewConnectionError
    )
