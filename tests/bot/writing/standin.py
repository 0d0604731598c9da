"""The wiki in memory behind a real api.php on loopback, which can fail in every way."""

import json
import socket
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import datetime
from http.cookies import SimpleCookie
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from itertools import count
from typing import Any
from urllib.parse import parse_qsl, urlsplit

from bot.wiki.address import WikiAddress
from tests.bot.writing.model_wiki import BOT, ModelWiki

_WRITES = frozenset({"edit", "login", "clientlogin", "logout"})
_COOKIE = "standin_session"
Fault = Callable[["Handler", Callable[[], dict[str, Any]]], None]


@dataclass
class StandIn:
    """The server. `faults` are for edits, one each, in order; then all goes well."""

    at: ModelWiki
    faults: list[Fault] = field(default_factory=list)
    port: int = 0
    requests: list[tuple[str, dict[str, str]]] = field(default_factory=list)
    spoken: int = 0  # how often a person edited meanwhile
    agents: set[str] = field(default_factory=set)
    signed: set[bool] = field(default_factory=set)  # whether by OAuth, of the edits
    word: str = "right"
    numbers: Iterator[int] = field(default_factory=lambda: count(1))
    turn: threading.Lock = field(default_factory=threading.Lock)
    clock: Callable[[], datetime] | None = None  # of the wiki; it stands still without
    fault: Callable[[], Fault | None] = lambda: None  # for an edit, beyond `faults`

    @property
    def address(self) -> WikiAddress:
        return WikiAddress("http", f"127.0.0.1:{self.port}", "/w/")

    def actions(self, name: str) -> int:
        """Count the requests for an action."""
        return sum(query.get("action") == name for _, query in self.requests)


class Handler(BaseHTTPRequestHandler):
    """Answers api.php."""

    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True  # a head and a body each would wait for the other
    standin: StandIn

    def do_GET(self) -> None:
        given = dict(parse_qsl(urlsplit(self.path).query, keep_blank_values=True))
        self._answer("GET", given)

    def do_POST(self) -> None:
        body = self.rfile.read(int(self.headers["Content-Length"]))
        self._answer("POST", dict(parse_qsl(body.decode(), keep_blank_values=True)))

    def log_message(self, *_: object) -> None:
        pass

    def _answer(self, method: str, given: dict[str, str]) -> None:
        standin = self.standin
        standin.requests.append((method, given))
        standin.agents.add(self.headers.get("User-Agent", ""))
        is_signed = self.headers.get("Authorization", "").startswith("OAuth ")
        writes = given["action"] in _WRITES
        assert (method == "POST") == (writes or is_signed)
        assert given.get("formatversion") == "2" or given["action"] != "edit"
        cookie = SimpleCookie(self.headers.get("Cookie", ""))
        session = cookie[_COOKIE].value if _COOKIE in cookie else ""
        if is_signed:
            session = "signed"
            standin.at.sessions.add(session)

        def do() -> dict[str, Any]:
            with standin.turn:
                if standin.clock is not None:
                    standin.at.now = standin.clock()
                return self._done(session, given)

        fault = None
        if given["action"] == "edit":
            standin.signed.add(is_signed)
            fault = standin.faults.pop(0) if standin.faults else standin.fault()
        if fault is None:
            self.tell(do())
        else:
            fault(self, do)

    def _done(self, session: str, given: dict[str, str]) -> dict[str, Any]:
        at = self.standin.at
        if "login" in given.get("type", ""):
            tokens = {"logintoken": "login+\\", "csrftoken": at.token(session)}
            return {"query": {"tokens": tokens}}
        if given["action"] == "logout":
            is_real = session in at.sessions and given["token"] == at.token(session)
            at.log_out(session)
            return {} if is_real else {"error": {"code": "badtoken", "info": "no"}}
        if given["action"] == "clientlogin":
            return {"clientlogin": {"status": "FAIL", "message": "Wrong password."}}
        if given["action"] != "login":
            return at.api(session, given)
        right = given["lgpassword"] == self.standin.word
        if given["lgname"] != f"{BOT}@test" or not right:
            return {"login": {"result": "Failed", "reason": "Wrong name or password."}}
        self._new = f"s{next(self.standin.numbers)}"
        at.log_in(self._new)
        return {"login": {"result": "Success", "lgusername": BOT}}

    def tell(self, answer: dict[str, Any]) -> None:
        """Send an answer as the wiki does."""
        self.send(200, json.dumps(answer).encode(), "application/json; charset=utf-8")

    def send(self, status: int, body: bytes, kind: str, **more: str) -> None:
        self.send_response(status)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(body)))
        for name, value in more.items():
            self.send_header(name.replace("_", "-"), value)
        if new := self.__dict__.pop("_new", ""):
            self.send_header("Set-Cookie", f"{_COOKIE}={new}; path=/; HttpOnly")
        self.end_headers()
        self.wfile.write(body)

    def cut(self) -> None:
        """End the connection without another word."""
        self.close_connection = True
        self.connection.shutdown(socket.SHUT_RDWR)


class _Server(ThreadingHTTPServer):
    daemon_threads = True

    def handle_error(self, *_: object) -> None:
        """Say nothing of clients that were killed."""


@contextmanager
def serve(at: ModelWiki) -> Iterator[StandIn]:
    """Serve the wiki in memory on loopback."""
    standin = StandIn(at)
    handler = type("Bound", (Handler,), {"standin": standin})
    server = _Server(("127.0.0.1", 0), handler)
    standin.port = server.server_address[1]
    thread = threading.Thread(target=server.serve_forever, args=(0.02,), daemon=True)
    thread.start()
    try:
        yield standin
    finally:
        server.shutdown()
        server.server_close()
        thread.join()


# --- ways to fail -------------------------------------------------------------------


def reply_dropped(handler: Handler, do: Callable[[], dict[str, Any]]) -> None:
    do()
    handler.cut()


def request_dropped(handler: Handler, _: Callable[[], dict[str, Any]]) -> None:
    handler.cut()


def half_a_reply(handler: Handler, do: Callable[[], dict[str, Any]]) -> None:
    body = json.dumps(do()).encode()
    handler.send_response(200)
    handler.send_header("Content-Type", "application/json")
    handler.send_header("Content-Length", str(len(body)))
    handler.end_headers()
    handler.wfile.write(body[: len(body) // 2])
    handler.cut()


def no_reply_in_time(handler: Handler, do: Callable[[], dict[str, Any]]) -> None:
    do()
    time.sleep(1.5)
    handler.cut()


def late(seconds: float) -> Fault:
    """Take the edit up only after the client has gone."""

    def fault(handler: Handler, do: Callable[[], dict[str, Any]]) -> None:
        handler.cut()
        timer = threading.Timer(seconds, do)
        timer.daemon = True
        timer.start()

    return fault


def says(answer: object) -> Fault:
    """Answer with this, whatever was asked."""

    def fault(handler: Handler, _: Callable[[], dict[str, Any]]) -> None:
        handler.send(200, json.dumps(answer).encode(), "application/json")

    return fault


def page(status: int, *, done: bool, **headers: str) -> Fault:
    """Answer with a page for people; `done` tells whether the edit was made."""

    def fault(handler: Handler, do: Callable[[], dict[str, Any]]) -> None:
        if done:
            do()
        handler.send(status, b"<html>Oops</html>", "text/html", **headers)

    return fault
