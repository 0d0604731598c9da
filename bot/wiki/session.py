"""An account's session with a wiki; the only module that can write to one.

Each request is sent once, and a write whose answer was lost is distinguished from one
that was never sent. A session is saved to disk before anything is written, so that it
can be ended after a crash.
"""

import json
import os
import time
import tomllib
from collections.abc import Iterator, Mapping
from contextlib import closing, contextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime
from enum import Enum
from fnmatch import fnmatchcase
from functools import cache
from http import HTTPStatus
from importlib.resources import files
from pathlib import Path
from types import MappingProxyType
from typing import Any
from urllib.parse import quote, quote_plus

import requests
import urllib3.exceptions

from bot.records.posts import Refusal
from bot.sources.files import unwritten
from bot.sources.manners import asked_wait_s
from bot.wiki.address import WikiAddress
from bot.wiki.answers import one_line
from handlers.ports import PermanentError, TemporaryError

__all__ = ["Account", "NoAnswer", "NotSent", "WikiSession"]


# What MediaWiki's error codes mean for an edit, read from `wiki_refusals.toml`.
#
# A refusal that is temporary, or concerns the account, must not discard a post; an
# unknown one must not be mistaken for either.


class Scope(Enum):
    """What a refusal concerns, and for how long; the value is its table's name."""

    ACCOUNT = "account"  # someone must act
    WIKI = "wiki"  # temporary
    POST = "post"  # temporary
    AGAIN = "again"  # reading the page again is enough
    PAGE = "page"  # permanent
    DOUBT = "doubt"  # the edit may have been made


@dataclass(frozen=True, slots=True)
class Meaning:
    """What a code means; `reason` says why the post is never made, if that is so."""

    scope: Scope
    words: str
    reason: Refusal | None = None


def meaning_of(code: str, info: str = "") -> Meaning | None:
    """Return what an error means for an edit; `None` if the code is not known."""
    said = f"{code}: {info.lower()}"
    for pattern, meaning in _table().items():
        if fnmatchcase(said if ": " in pattern else code, pattern):
            return meaning
    return None


@cache
def _table() -> MappingProxyType[str, Meaning]:
    """Return the meanings by pattern, whole codes and long patterns first."""
    text = files("bot.wiki").joinpath("refusals.toml").read_text("utf-8")
    found = {
        pattern: _meaning(Scope(scope), words)
        for scope, rows in tomllib.loads(text).items()
        for pattern, words in rows.items()
    }
    order = sorted(found, key=lambda each: ("*" in each, -len(each)))
    return MappingProxyType({each: found[each] for each in order})


def _meaning(scope: Scope, words: str) -> Meaning:
    if scope is Scope.PAGE:
        return Meaning(scope, Refusal[words].value, Refusal[words])
    return Meaning(scope, words)


# Sends one request to a wiki, once, and says what is known about it if no answer came.
#
# It uses Pywikibot's connection (its cookies, OAuth and account file) and nothing else
# of it: Pywikibot's own requests are sent again after a lost answer, up to sixteen
# times, which doubles posts.

RETRY_IN_S = 30.0
TURNED_AWAY_S = 300.0
_MAX_BYTES = 32 * 1024 * 1024
_CONNECT_TIMEOUT_S = 6.0
_LOST_RETRY_S = 5.0  # after one lost request; callers double it on each retry
_HOME, _ACCOUNT_FILE = "PYWIKIBOT_DIR", "user-config.py"
_FORM = {"format": "json", "formatversion": "2"}


class NotSent(TemporaryError):  # noqa: N818 - it tells what happened
    """The request did not reach the wiki, or was rejected before it was read."""


class NoAnswer(TemporaryError):  # noqa: N818 - it tells what happened
    """The request was sent and its answer is lost or makes no sense."""


class Exchange:
    """Asks the API of one wiki. Not thread-safe.

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
        """Return the answer to one request, which may be an error from the wiki.

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
        """Return Pywikibot's module for HTTP, which is shared by the whole program.

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
    """Keep Pywikibot from making a folder in the user's home on import.

    An account file here, or in the folder that its own variable names, takes
    precedence.
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
    """Return whether no connection was made, so that nothing can have arrived."""
    if isinstance(error, requests.ConnectTimeout):
        return True
    cause = error.args[0] if error.args else None
    reason = getattr(cause, "reason", None)
    return isinstance(error, requests.ConnectionError) and isinstance(
        reason, urllib3.exceptions.NewConnectionError
    )


_MAX_LAG_S = 5  # Wikimedia asks that programs wait while its databases are behind
_LOGGED_OUT = frozenset({"assertuserfailed", "assertnameduserfailed"})
# AGAIN as well: the caller has just logged in, and the wiki still does not recognise
# the account.
_FOR_GOOD = frozenset({Scope.ACCOUNT, Scope.PAGE, Scope.AGAIN})


@dataclass(frozen=True, slots=True)
class Account:
    """Who writes. `login` is the name of a bot password, such as "Bot@sidenote".

    Without a password the requests are signed by OAuth, as Pywikibot's account file
    says.
    """

    name: str
    login: str = ""
    password: str = field(default="", repr=False)


class WikiSession:
    """Talks to one wiki as one account, or anonymously. Not thread-safe.

    Args:
        address: of the wiki.
        account: who writes; without one nothing can be written.
        user_agent: says who asks, with a way to reach them.
        folder: where Pywikibot may keep its files.
        timeout_s: how long one answer may take.
        again: whether an existing session is left alone.
    """

    def __init__(
        self,
        address: WikiAddress,
        account: Account | None,
        *,
        user_agent: str,
        folder: Path,
        timeout_s: float = 45.0,
        anew: bool = False,
    ) -> None:
        self._address = address
        self._account = account
        self._folder = folder
        self._anew = anew
        self._is_remembered = False
        self._exchange = Exchange(
            address, user_agent=user_agent, folder=folder, timeout_s=timeout_s
        )

    @property
    def account(self) -> str:
        """The name of the account; empty if there is none."""
        return self._account.name if self._account else ""

    def ask(self, parameters: Mapping[str, str]) -> dict[str, Any]:
        """Return the wiki's answer to a question, logging in first if necessary.

        Raises:
            PermanentError: the wiki refuses it, or refuses the account.
            TemporaryError: it cannot be reached or is busy now.
        """
        given = {"action": "query", **parameters, **self._as_account()}
        self._remember()
        answer = self._exchange.send("GET", given)
        if _code(answer) in _LOGGED_OUT:
            self._log_in()
            answer = self._exchange.send("GET", given)
        return self._unless_refused(answer)

    def edit(self, parameters: Mapping[str, str]) -> dict[str, Any]:
        """Send an edit once; return the answer, which may be an error from the wiki.

        Raises:
            NotSent: it is certain that nothing was written.
            NoAnswer: it may have been written.
            PermanentError: there is no account to write with.
        """
        if self._account is None:
            raise PermanentError("no account is set, so nothing can be written")
        given = {**parameters, "action": "edit", **self._as_account()}
        return self._exchange.send("POST", given)

    def end(self) -> None:
        """Log out, so that a late copy of an edit finds its session ended.

        OAuth has no sessions; in that case nothing happens.

        Raises:
            TemporaryError: the wiki cannot be reached.
            PermanentError: it refuses the account.
        """
        if self._account is None or not self._account.password:
            return
        tokens = _inner(self.ask({"meta": "tokens"}), "query", "tokens")
        given = {"action": "logout", "token": str(tokens.get("csrftoken", ""))}
        self._exchange.send("POST", given)
        self._forget()

    def _as_account(self) -> dict[str, str]:
        if self._account is None:
            return {"maxlag": str(_MAX_LAG_S)}
        return {
            "assert": "user",
            "assertuser": self._account.name,
            "maxlag": str(_MAX_LAG_S),
        }

    def _log_in(self) -> None:
        if self._account is None or not self._account.password:
            raise PermanentError(
                f"{self._address.host} does not know the account"
                f" “{self.account}”; check its name and how it logs in"
            )
        self._forget()
        question = {"action": "query", "meta": "tokens", "type": "login"}
        answer = self._unless_refused(self._exchange.send("GET", question))
        given = {
            "action": "login",
            "lgname": self._account.login or self._account.name,
            "lgpassword": self._account.password,
            "lgtoken": _inner(answer, "query", "tokens").get("logintoken", ""),
        }
        said = _inner(self._unless_refused(self._exchange.send("POST", given)), "login")
        if said.get("result") == "Throttled":
            raise TemporaryError(
                f"{self._address.host} wants fewer logins; it is tried again later",
                retry_in_s=TURNED_AWAY_S,
            )
        if said.get("result") != "Success":
            reason = self._words(said.get("reason") or said.get("result") or "")
            raise PermanentError(
                f"{self._address.host} refuses the login of “{self.account}”"
                f" ({reason}); check the account's name and its bot password"
            )
        self._keep_session()

    def _keep_session(self) -> None:
        """Save the session before anything is written: after a crash it can be ended.

        Raises:
            PermanentError: the folder cannot be written to.
            TemporaryError: the disk is full.
        """
        try:
            self._exchange.library().cookie_jar.save(ignore_discard=True)
        except OSError as error:
            self._forget()
            raise unwritten(f"the session in {self._folder}", error) from error

    def _unless_refused(self, answer: dict[str, Any]) -> dict[str, Any]:
        code = _code(answer)
        if not code:
            return answer
        info = self._words(_inner(answer, "error").get("info", ""))
        said = f"{self._address.api} answered {code}: {info}"
        meaning = meaning_of(code, info)
        if meaning is not None and meaning.scope not in _FOR_GOOD:
            raise TemporaryError(said, retry_in_s=RETRY_IN_S)
        raise PermanentError(said)

    def _words(self, said: object) -> str:
        """Return the wiki's words without the password, in case it repeats it."""
        words, secret = str(said), self._account.password if self._account else ""
        for form in {secret, quote(secret, safe=""), quote_plus(secret)} - {""}:
            words = words.replace(form, "***")
        return one_line(words)

    def _remember(self) -> None:
        """Resume the session of an earlier process, unless a new one is wanted."""
        if self._account is not None and not self._is_remembered:
            library = self._exchange.library()
            self._make_folder()
            library.cookie_jar.load(self._account.name, ignore_discard=True)
            if self._anew:
                self._forget()
            self._is_remembered = True

    def _make_folder(self) -> None:
        try:
            self._folder.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise unwritten(f"the session in {self._folder}", error) from error

    def _forget(self) -> None:
        cookies = self._exchange.library().cookie_jar
        host = self._address.host.partition(":")[0]
        for domain in {cookie.domain for cookie in cookies}:
            if host in {domain, domain.removesuffix(".local")}:
                cookies.clear(domain)


def _inner(answer: Any, *names: str) -> dict[str, Any]:
    for name in names:
        answer = answer.get(name) if isinstance(answer, dict) else None
    return answer if isinstance(answer, dict) else {}


def _code(answer: dict[str, Any]) -> str:
    return one_line(str(_inner(answer, "error").get("code", "")))
