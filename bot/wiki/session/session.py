"""An account's session with a wiki: logs in, asks and edits as it, and logs out.

A session is kept on disk before anything is written, so that what a crash left can be
ended. Each request is sent once, see `bot.wiki.session.exchange`.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from urllib.parse import quote, quote_plus

from bot.sources.whole_file import unwritten
from bot.wiki.address import WikiAddress
from bot.wiki.answers import one_line
from bot.wiki.refusals import Scope, meaning_of
from bot.wiki.session.exchange import RETRY_IN_S, TURNED_AWAY_S, Exchange
from handlers.ports import PermanentError, TemporaryError

_MAX_LAG_S = 5  # Wikimedia asks that programs wait while its databases are behind
_LOGGED_OUT = frozenset({"assertuserfailed", "assertnameduserfailed"})
# AGAIN, too: whoever asks has just logged in, and still is not who they say.
_FOR_GOOD = frozenset({Scope.ACCOUNT, Scope.PAGE, Scope.AGAIN})


@dataclass(frozen=True, slots=True)
class Account:
    """Who writes. `login` is the name of a bot password, such as "Bot@sidenote".

    Without a password the requests are signed by OAuth, as Pywikibot's account file
    has it.
    """

    name: str
    login: str = ""
    password: str = field(default="", repr=False)


class WikiSession:
    """Talks to one wiki as one account, or as nobody. Not for several threads.

    Args:
        address: of the wiki.
        account: who writes; without one nothing can be written.
        user_agent: says who asks, with a way to reach them.
        folder: where Pywikibot may keep its files.
        timeout_s: how long one answer may take.
        anew: whether a session that is there already is left alone.
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
        """The name of the account; empty where there is none."""
        return self._account.name if self._account else ""

    def ask(self, parameters: Mapping[str, str]) -> dict[str, Any]:
        """Return the wiki's answer to a question, logged in first if need be.

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
        """Send an edit once; return the answer, which may be an error of the wiki's.

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
        """Log out, so that a late copy of an edit finds its session gone.

        OAuth has no sessions; then nothing happens.

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
        """Keep the session before anything is written: after a crash it can be ended.

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
        """Return words of the wiki without the password, should it repeat that."""
        words, secret = str(said), self._account.password if self._account else ""
        for form in {secret, quote(secret, safe=""), quote_plus(secret)} - {""}:
            words = words.replace(form, "***")
        return one_line(words)

    def _remember(self) -> None:
        """Take up the session that an earlier process left, unless a new one is wanted."""
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
