"""An account's session with a wiki; the only module that can write to one.

Login, OAuth, tokens, assertions, `maxlag`, cookies and family files are Pywikibot's.
What it does after a failure is not: it waits for minutes, and sends a lost edit up to
sixteen times, which doubles posts. Here nothing waits, a write is sent once, and one
whose answer was lost is distinguished from one that was never sent. A session is saved
to disk before anything is written, so that it can be ended after a crash.

Importing this module imports Pywikibot, which reads its account file then.
"""

import json
import logging
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing, contextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime
from http import HTTPStatus
from pathlib import Path
from typing import Any
from urllib.parse import quote, quote_plus

import requests
import urllib3.exceptions
from pywikibot import bot, config
from pywikibot.comms import http
from pywikibot.data.api import Request
from pywikibot.exceptions import APIError, NoUsernameError
from pywikibot.family import AutoFamily, Family
from pywikibot.login import ClientLoginManager, LoginStatus
from pywikibot.site import APISite
from pywikibot.userinterfaces.buffer_interface import UI

from bot.sources.files import unwritten
from bot.sources.manners import retry_after_s
from bot.wiki.address import WikiAddress
from bot.wiki.answers import NoAnswer, NotSent, Scope, meaning_of, one_line
from handlers.ports import PermanentError, TemporaryError

_TURNED_AWAY_S = 300.0
_MAX_BYTES = 32 * 1024 * 1024
_CONNECT_TIMEOUT_S = 6.0
_RETRY_IN_S = 30.0
_LOST_RETRY_S = 5.0  # after one lost request; callers double it on each retry
_LONGEST_ADDRESS = 8_000  # characters of a question; Pywikibot posts a longer one
_FORM = {"formatversion": "2"}
_OAUTH = 4  # tokens
_MOST_SENDS = 3  # of a question that Pywikibot asks again after a login
# AGAIN as well: Pywikibot has just logged in, and the wiki still does not recognise the
# account.
_FOR_GOOD = frozenset({Scope.ACCOUNT, Scope.PAGE, Scope.AGAIN})
# Errors of a question that Pywikibot mends with another login or token.
_MENDED = frozenset({"assertuserfailed", "badtoken", "notloggedin", "readapidenied"})


@dataclass(frozen=True, slots=True)
class Account:
    """Who writes. `login` is the name of a bot password, such as "Bot@sidenote".

    Without a password the requests are signed by OAuth, as Pywikibot's account file
    says.
    """

    name: str
    login: str = ""
    password: str = field(default="", repr=False)


class RefusedError(Exception):
    """The wiki answered with an error; `answer` is all that it said."""

    def __init__(self, answer: dict[str, Any]) -> None:
        super().__init__()
        self.answer = answer
        error = answer.get("error")
        fields: dict[str, Any] = error if isinstance(error, dict) else {}
        self.code, self.info = str(fields.get("code", "")), str(fields.get("info", ""))


class OneTryRequest(Request):  # type: ignore[misc]
    """A request that is not repeated when it fails."""

    def __init__(self, *given: Any, expiry: object = None, **more: Any) -> None:
        # Pywikibot's throttle counts killed processes for ten minutes, and would sleep
        # between the check of a page and its edit. The publisher sets the pace.
        super().__init__(*given, **{**more, "throttle": False})
        del expiry  # nothing is kept on disk
        self._sends = 0

    def _simulate(self, _action: str) -> None:
        """Refuse to write where Pywikibot would pretend to."""
        if config.simulate and self.write:
            raise PermanentError(
                "Pywikibot's account file sets `simulate`, so nothing can be written;"
                " remove it, or set `posting` to dry for a dry run"
            )

    def _use_get(self) -> bool:
        return self.action == "query" and not self.site.is_oauth_token_available()

    def _http_request(
        self, use_get: bool, uri: str, data: Any, headers: dict[str, str], _: str
    ) -> tuple[requests.Response, bool]:
        url = self.site.base_url(uri)
        if self._sends == (1 if self.write else _MOST_SENDS):
            raise NoAnswer(
                f"{self.site.address.api} asks for one login after the other",
                retry_in_s=_TURNED_AWAY_S,
            )
        self._sends += 1
        config.socket_timeout = (_CONNECT_TIMEOUT_S, self.site.timeout_s)
        is_other = self.site._oauth_disabled and http.get_authentication(url)
        unsigned = {"auth": None} if is_other and len(is_other) == _OAUTH else {}
        got = http.fetch(
            url,
            method="GET" if use_get else "POST",
            data=data,
            headers={**headers, "user-agent": self.site.user_agent},
            default_error_handling=False,
            stream=True,
            allow_redirects=False,
            **unsigned,
        )
        if not isinstance(got, requests.Response):
            raise self._failure(got)
        return got, use_get

    def _json_loads(self, response: requests.Response) -> dict[str, Any]:
        with closing(response):
            body = self._body(response)
        try:
            answer = json.loads(body)
        except (ValueError, RecursionError):
            answer = None
        if not isinstance(answer, dict):
            raise self._without_sense(response)
        answer.pop("warnings", None)
        refused = RefusedError(answer)
        if "error" in answer and (self.write or refused.code not in _MENDED):
            raise refused
        return answer

    def _body(self, got: requests.Response) -> bytes:
        body = bytearray()
        until_s = time.monotonic() + self.site.timeout_s
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
        wait_s = retry_after_s(got.headers, datetime.now(UTC))
        message = f"{self.site.address.api} answered {status}"
        if status == HTTPStatus.TOO_MANY_REQUESTS:
            return NotSent(
                f"{message}: it wants fewer requests", retry_in_s=wait_s or _RETRY_IN_S
            )
        is_refusal = status >= HTTPStatus.MULTIPLE_CHOICES
        if is_refusal and status < HTTPStatus.INTERNAL_SERVER_ERROR:
            return NotSent(f"{message}, no API", retry_in_s=_TURNED_AWAY_S)
        return NoAnswer(
            f"{message} without saying what it did", retry_in_s=wait_s or _RETRY_IN_S
        )

    def _failure(self, error: BaseException) -> BaseException:
        if _never_left(error):
            return NotSent(
                f"{self.site.address.api} cannot be reached", retry_in_s=_LOST_RETRY_S
            )
        if isinstance(error, requests.RequestException | OSError):
            return self._lost(type(error).__name__)
        return error

    def _lost(self, how: str) -> NoAnswer:
        return NoAnswer(
            f"the answer of {self.site.address.api} was lost ({how})",
            retry_in_s=_LOST_RETRY_S,
        )


class WikiSession(APISite):  # type: ignore[misc]
    """Talks to one wiki as one account, or anonymously. Not thread-safe.

    Args:
        address: of the wiki.
        account: who writes; without one nothing can be written.
        user_agent: says who asks, with a way to reach them.
        folder: where Pywikibot may keep its files.
        timeout_s: how long one answer may take.
        new_login: whether to log in even where this process already has a session.
    """

    _loginstatus: LoginStatus
    _is_made = False

    def __init__(
        self,
        address: WikiAddress,
        account: Account | None,
        *,
        user_agent: str,
        folder: Path,
        timeout_s: float = 45.0,
        new_login: bool = False,
    ) -> None:
        logging.getLogger("pywiki").disabled = True  # it prints to the terminal
        bot.ui = UI()  # and must never ask the person there
        config.enable_GET_without_SSL = True
        config.maximum_GET_length = _LONGEST_ADDRESS
        self.address = address
        self.user_agent = user_agent.replace("{", "(").replace("}", ")")
        self.timeout_s = timeout_s
        self._account = account or Account("")
        self._folder = folder
        family, code = _family_of(address)
        super().__init__(code, family, self._account.name or None)
        self._is_made = True
        # The OAuth tokens are those of one account, and would sign the requests of all.
        self._oauth_disabled = not account or bool(account.password)
        if new_login:
            self._drop_cookies()

    @property
    def account(self) -> str:
        """The name of the account; empty if there is none."""
        return self._account.name

    def ask(self, parameters: Mapping[str, str]) -> dict[str, Any]:
        """Return the wiki's answer to a question, logging in first if necessary.

        Raises:
            PermanentError: the wiki refuses it, or refuses the account.
            TemporaryError: it cannot be reached or is busy now.
        """
        given = {"action": "query", **parameters, **_FORM}
        if self.account:
            given["assert"] = "user"
        with self._plainly():
            self._require_login()
            answer: dict[str, Any] = OneTryRequest(self, parameters=given).submit()
            return answer

    def edit(self, parameters: Mapping[str, str]) -> dict[str, Any]:
        """Send an edit once; return the answer, which may be an error from the wiki.

        Its token is the caller's, from the answer that showed the page: after another
        login it is worth nothing.

        Raises:
            NotSent: it is certain that nothing was written.
            NoAnswer: it may have been written.
            PermanentError: there is no account to write with.
        """
        if not self.account:
            raise PermanentError("no account is set, so nothing can be written")
        try:
            with self._plainly():
                self._require_login()
        except TemporaryError as error:
            raise NotSent(str(error), retry_in_s=error.retry_in_s) from error
        given = {**parameters, "action": "edit", "assertuser": self.account, **_FORM}
        with self._plainly():
            try:
                answer: dict[str, Any] = OneTryRequest(self, parameters=given).submit()
            except RefusedError as refused:
                answer = refused.answer
        return answer

    def end(self) -> None:
        """Log out, so that a late copy of an edit finds its session ended.

        OAuth has no sessions; in that case nothing happens.

        Raises:
            TemporaryError: the wiki cannot be reached.
            PermanentError: it refuses the account.
        """
        if not self._account.password:
            return
        self.tokens.clear()
        del self.userinfo  # it may have ended by itself
        with self._plainly():
            self._require_login()
            self.logout()
        self._drop_cookies()

    def login(self, *given: Any, cookie_only: bool = False, **more: Any) -> None:
        """Resume the account's session, or begin another; see the base class."""
        if not self._is_made or not self.account:
            return
        try:
            self._folder.mkdir(mode=0o700, parents=True, exist_ok=True)
            config.base_dir = str(self._folder)
            super().login(*given, cookie_only=True, **more)
            is_in = self._loginstatus == LoginStatus.AS_USER
            if not is_in and not cookie_only and self._account.password:
                self._begin()
        finally:
            if self._loginstatus == LoginStatus.IN_PROGRESS:
                self._loginstatus = LoginStatus.NOT_LOGGED_IN

    def get_tokens(self, types: Sequence[str]) -> dict[str, str]:
        """Return tokens; without `types` those for edits and for the login."""
        found: dict[str, str] = super().get_tokens(types or ["csrf", "login"])
        return found

    def has_extension(self, _: str) -> bool:
        """Return `False`: it is only asked in order to add what nobody reads."""
        return False

    @staticmethod
    def _request_class(_: Mapping[str, Any]) -> type[OneTryRequest]:
        return OneTryRequest

    def _require_login(self) -> None:
        if self.account and not self.logged_in():
            self.login()
            if not self.logged_in():
                raise NoUsernameError("it is not logged in")

    def _begin(self) -> None:
        self._drop_cookies()
        self.tokens.clear()
        manager = ClientLoginManager(self._account.password, self, self.account)
        manager.login_name = self._account.login or self.account
        try:
            manager.login_to_site()
            # Saved before anything is written: after a crash it can be ended.
            manager.storecookiedata()
        except APIError as error:
            if not hasattr(manager, "_waituntil"):
                raise NoUsernameError(error.info or error.code) from error
            raise TemporaryError(
                f"{self.address.host} wants fewer logins; it is tried again later",
                retry_in_s=_TURNED_AWAY_S,
            ) from error
        except OSError:
            self._drop_cookies()
            raise
        self.tokens.clear()
        super().login(cookie_only=True)

    def _drop_cookies(self) -> None:
        host = self.address.host.partition(":")[0]
        for domain in {cookie.domain for cookie in http.cookie_jar}:
            if host in {domain, domain.removesuffix(".local")}:
                http.cookie_jar.clear(domain)

    @contextmanager
    def _plainly(self) -> Iterator[None]:
        """Turn what Pywikibot raises into errors that say what to do."""
        try:
            yield
        except (RefusedError, APIError) as error:
            raise self._refusal(error.code, error.info) from None
        except NoUsernameError as error:
            raise PermanentError(
                f"{self.address.host} refuses the login of “{self.account}”"
                f" ({self._words(error)}); check the account's name and how it logs in:"
                " its bot password, or its OAuth tokens"
            ) from None
        except OSError as error:
            raise unwritten(f"the session in {self._folder}", error) from error
        except (PermanentError, TemporaryError):
            raise
        except Exception as error:
            raise NoAnswer(
                f"{self.address.api} answered without sense ({type(error).__name__})",
                retry_in_s=_RETRY_IN_S,
            ) from error

    def _refusal(self, code: str, info: str) -> Exception:
        words = self._words(info)
        message = f"{self.address.api} answered {one_line(code)}: {words}"
        meaning = meaning_of(code, words)
        if meaning is not None and meaning.scope not in _FOR_GOOD:
            return TemporaryError(message, retry_in_s=_RETRY_IN_S)
        return PermanentError(message)

    def _words(self, text: object) -> str:
        """Return the wiki's words without the password, in case it repeats it."""
        words, secret = str(text), self._account.password
        for form in {secret, quote(secret, safe=""), quote_plus(secret)} - {""}:
            words = words.replace(form, "***")
        return one_line(words)


def _family_of(address: WikiAddress) -> tuple[Any, str]:
    """Return Pywikibot's own family and code of a wiki, or one made of its address."""
    for name in config.family_files:
        family = Family.load(name)
        for code, host in family.langs.items():
            api = family.apipath(code)
            if host == address.host and family.base_url(code, api) == address.api:
                return family, code
    name = "".join(char for char in address.host if char.isascii() and char.isalnum())
    family = AutoFamily(name or "wiki", address.api)
    return family, family.code


def _never_left(error: BaseException) -> bool:
    """Return whether no connection was made, so that nothing can have arrived."""
    if isinstance(error, requests.ConnectTimeout):
        return True
    cause = error.args[0] if error.args else None
    reason = getattr(cause, "reason", None)
    return isinstance(error, requests.ConnectionError) and isinstance(
        reason, urllib3.exceptions.NewConnectionError
    )
