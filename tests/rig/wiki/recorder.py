"""A proxy before the wiki, which sees every write of a bot and can lose what is said.

The bot speaks to the proxy, people to the wiki itself. Before a write goes on, the wiki
is asked which page it means; after it, where the new revision stands. A plan can have
requests and replies dropped, cut or delayed, as networks do.
"""

import http.client
import json
import random
import socket
import threading
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import closing, contextmanager, suppress
from dataclasses import dataclass, field
from email.message import EmailMessage, Message
from email.parser import BytesParser
from email.policy import HTTP
from enum import Enum
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from urllib.parse import parse_qsl, urlencode, urlsplit

_TIMEOUT_S = 60.0
_POLL_S = 0.01
_USER = 2
# What a bot may send that changes no page; everything else is a write.
_READING = frozenset(
    {"query", "login", "clientlogin", "logout", "parse", "compare", "clearhasmsg"}
)
_READING |= {"spamblacklist", "paraminfo", "help", "opensearch", "purge"}
_OF_ONE_HOP = frozenset({"connection", "keep-alive", "transfer-encoding", "te"})


class Loss(Enum):
    """What happens to a request."""

    NONE = "goes through"
    REQUEST = "never reaches the wiki"
    REPLY = "the wiki does it, and the reply is lost"
    HALF = "the wiki does it, and half of the reply is lost"
    LATE = "the client is cut off, then the wiki does it"


@dataclass(frozen=True, slots=True)
class Hold:
    """Keeps a request without an answer until it is let go; whoever waits learns of it.

    With `is_done` the wiki does it first.
    """

    is_done: bool
    reached: threading.Event = field(default_factory=threading.Event)
    let_go: threading.Event = field(default_factory=threading.Event)

    def wait(self) -> None:
        """Tell that the request is here, and stay."""
        self.reached.set()
        self.let_go.wait(_TIMEOUT_S)


@dataclass(frozen=True, slots=True)
class Fate:
    """What becomes of a request, and how long it waits before and after the wiki."""

    loss: Loss = Loss.NONE
    before_s: float = 0.0
    after_s: float = 0.0
    hold: Hold | None = None


@dataclass(frozen=True, slots=True)
class Request:
    """A request of the bot's."""

    method: str
    path: str
    given: Mapping[str, str]
    agent: str = ""  # who sends it, as it says of itself

    @property
    def action(self) -> str:
        return self.given.get("action", "")

    @property
    def is_write(self) -> bool:
        if self.method in {"GET", "HEAD"}:
            return False
        script = urlsplit(self.path).path.rpartition("/")[2]
        return script != "api.php" or self.action not in _READING


@dataclass(frozen=True, slots=True)
class Page:
    """A page as the wiki itself names it."""

    title: str
    namespace: int
    model: str

    @property
    def is_allowed(self) -> bool:
        """Whether a bot may write there: wikitext of a talk page or of a user's page."""
        is_ours = self.namespace > 0 and (self.namespace % 2 or self.namespace == _USER)
        return bool(is_ours) and self.model == "wikitext"


@dataclass(frozen=True, slots=True)
class Answer:
    """An answer of the wiki's, read whole."""

    status: int
    reason: str
    headers: Sequence[tuple[str, str]]
    said: bytes


@dataclass(slots=True)
class Write:
    """A write that the bot sent."""

    request: Request
    wanted: Page | None  # what the wiki said right before; None: it knows no such page
    reply: dict[str, Any] = field(default_factory=dict)
    made: Page | None = None  # where the revision stands that it made

    @property
    def leaves(self) -> bool:
        """Whether it goes beyond what the bot may do."""
        pages = [self.wanted, *([self.made] if self.made else [])]
        allowed = all(page is not None and page.is_allowed for page in pages)
        return self.request.action != "edit" or not allowed

    @property
    def revision_id(self) -> int:
        """The revision that it made, or 0."""
        edit = self.reply.get("edit")
        return int(edit.get("newrevid", 0)) if isinstance(edit, dict) else 0


Plan = Callable[[Request], Fate]


def all_goes_well(_: Request) -> Fate:
    """Plan nothing."""
    return Fate()


def writes_go(*fates: Fate) -> Plan:
    """Return a plan with a fate for each write in turn; then all goes well."""
    coming = iter(fates)
    turn = threading.Lock()

    def plan(request: Request) -> Fate:
        if not request.is_write:
            return Fate()
        with turn:
            return next(coming, Fate())

    return plan


def at_random(seed: int, share: float, *, longest_s: float = 0.2) -> Plan:
    """Return a plan by which a share of all requests is lost or delayed in some way."""
    chance = random.Random(seed)
    turn = threading.Lock()

    def plan(_: Request) -> Fate:
        with turn:
            if chance.random() >= share:
                return Fate()
            return Fate(
                chance.choice(list(Loss)),
                chance.uniform(0, longest_s),
                chance.uniform(0, longest_s),
            )

    return plan


class Recorder:
    """The proxy. `wiki` is the host behind it, once that is known."""

    def __init__(self) -> None:
        self.wiki = ""
        self.plan: Plan = all_goes_well
        self.writes: list[Write] = []
        self.requests = 0
        self.lost = 0
        self._handler = type("Bound", (_Handler,), {"recorder": self})
        self._server = _Server(("127.0.0.1", 0), self._handler)
        self._late: list[threading.Thread] = []
        self._unanswered: dict[int, Request] = {}

    @property
    def host(self) -> str:
        """Where the bot finds the wiki."""
        return f"127.0.0.1:{self._server.server_address[1]}"

    def outside(self, since: int = 0) -> list[Write]:
        """Return the writes that left the namespaces, from the given one on."""
        self.settle()
        return [write for write in self.writes[since:] if write.leaves]

    def settle(self) -> None:
        """Wait for the requests that come late, and the writes that are under way."""
        while self._late:
            self._late.pop().join()
        while self._unanswered:
            time.sleep(_POLL_S)

    def unanswered(self) -> list[Request]:
        """Return the writes that have come and of whose answer nothing was sent.

        One that stands there after the end of its sender was never answered to it.
        """
        return list(self._unanswered.values())

    @contextmanager
    def waiting(self, request: Request) -> Iterator[None]:
        """Count a write as unanswered meanwhile."""
        if request.is_write:
            self._unanswered[id(request)] = request
        try:
            yield
        finally:
            self._unanswered.pop(id(request), None)

    # --- one request -------------------------------------------------------------

    def pass_on(
        self, request: Request, headers: Mapping[str, str], body: bytes
    ) -> Answer:
        """Ask the wiki, and note what was written; the reply was read whole."""
        write = self._noted(request) if request.is_write else None
        answer = self._asked(request.method, request.path, headers, body)
        if write is not None:
            self._see_result(write, answer.said)
        return answer

    def pass_on_late(
        self, request: Request, headers: Mapping[str, str], body: bytes, wait_s: float
    ) -> None:
        def go() -> None:
            time.sleep(wait_s)
            with suppress(OSError, http.client.HTTPException):
                self.pass_on(request, headers, body)

        thread = threading.Thread(target=go, daemon=True)
        self._late.append(thread)
        thread.start()

    def _asked(
        self, method: str, path: str, headers: Mapping[str, str], body: bytes
    ) -> Answer:
        connection = http.client.HTTPConnection(self.wiki, timeout=_TIMEOUT_S)
        with closing(connection):
            connection.request(method, path, body or None, dict(headers))
            answer = connection.getresponse()
            return Answer(
                answer.status, answer.reason, answer.getheaders(), answer.read()
            )

    def _noted(self, request: Request) -> Write:
        form = request.given
        which = next((key for key in ("pageid", "title") if key in form), "")
        plural = {"pageid": "pageids", "title": "titles"}
        wanted = self._page(**{plural[which]: form[which]}) if which else None
        write = Write(request, wanted)
        self.writes.append(write)
        return write

    def _see_result(self, write: Write, body: bytes) -> None:
        try:
            write.reply = json.loads(body)
        except ValueError:
            return
        if write.revision_id:
            write.made = self._page(revids=str(write.revision_id))

    def _page(self, **which: str) -> Page | None:
        query = {"action": "query", "prop": "info", "format": "json"}
        query |= {"formatversion": "2", **which}
        headers = {"Content-Type": "application/x-www-form-urlencoded"}
        body = urlencode(query).encode()
        answer = self._asked("POST", "/w/api.php", headers, body)
        content = json.loads(answer.said)
        pages = content.get("query", {}).get("pages", [])
        if len(pages) != 1 or "ns" not in pages[0] or "invalid" in pages[0]:
            return None
        [page] = pages
        return Page(page["title"], page["ns"], page.get("contentmodel", ""))


class _Handler(BaseHTTPRequestHandler):
    """Answers in the wiki's stead."""

    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True
    recorder: Recorder

    def do_GET(self) -> None:
        self._serve()

    def do_POST(self) -> None:
        self._serve()

    def do_HEAD(self) -> None:
        self._serve()

    def do_PUT(self) -> None:
        self._serve()

    def do_DELETE(self) -> None:
        self._serve()

    def log_message(self, *_: object) -> None:
        pass

    def _serve(self) -> None:
        recorder = self.recorder
        length = int(self.headers.get("Content-Length") or 0)
        body = self.rfile.read(length)
        if len(body) < length:  # its sender was killed: no wiki acts on half a form
            self._cut()
            return
        request = Request(
            self.command,
            self.path,
            _given(self.path, self.headers, body),
            self.headers.get("User-Agent", ""),
        )
        fate = recorder.plan(request)
        recorder.requests += 1
        recorder.lost += fate.loss is not Loss.NONE
        headers = {
            name: value
            for name, value in self.headers.items()
            if name.lower() not in _OF_ONE_HOP
        }
        with recorder.waiting(request):
            answer = self._answer(request, fate, headers, body)
        if answer is None or fate.loss is Loss.REPLY:
            self._cut()
        else:
            self._tell(answer, half=fate.loss is Loss.HALF)
        if fate.loss is Loss.LATE:
            recorder.pass_on_late(request, headers, body, fate.before_s)

    def _answer(
        self, request: Request, fate: Fate, headers: Mapping[str, str], body: bytes
    ) -> Answer | None:
        """Return the wiki's answer; `None` where it was not asked, or not yet."""
        if fate.loss is Loss.LATE:
            return None
        hold = fate.hold
        if hold and not hold.is_done:
            hold.wait()
        time.sleep(fate.before_s)
        if fate.loss is Loss.REQUEST:
            return None
        answer = self.recorder.pass_on(request, headers, body)
        if hold and hold.is_done:
            hold.wait()
        time.sleep(fate.after_s)
        return answer

    def _tell(self, answer: Answer, *, half: bool) -> None:
        body = answer.said
        self.send_response_only(answer.status, answer.reason)
        for name, value in answer.headers:
            if name.lower() not in _OF_ONE_HOP | {"content-length"}:
                self.send_header(name, value)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(body[: len(body) // 2] if half else body)
        if half:
            self._cut()

    def _cut(self) -> None:
        """End the connection without another word."""
        self.close_connection = True
        with suppress(OSError):
            self.connection.shutdown(socket.SHUT_RDWR)


class _Server(ThreadingHTTPServer):
    daemon_threads = True

    def handle_error(self, *_: object) -> None:
        """Say nothing of clients that were killed."""


@contextmanager
def recording(recorder: Recorder | None = None) -> Iterator[Recorder]:
    """Serve a proxy on loopback; tell it then which wiki it stands before."""
    recorder = recorder or Recorder()
    server = recorder._server
    thread = threading.Thread(target=server.serve_forever, args=(0.02,), daemon=True)
    thread.start()
    try:
        yield recorder
    finally:
        recorder.settle()
        server.shutdown()
        server.server_close()
        thread.join()


def _given(path: str, headers: Message, body: bytes) -> dict[str, str]:
    """Return what a request says, in its address or its form."""
    given = dict(parse_qsl(urlsplit(path).query, keep_blank_values=True))
    kind = headers.get("Content-Type", "")
    if kind.startswith("multipart/form-data"):
        head = f"Content-Type: {kind}\r\n\r\n".encode()
        for part in _parsed(head + body).iter_parts():
            name = str(part.get_param("name", "", "content-disposition"))
            content = part.get_payload(decode=True)
            given[name] = content.decode() if isinstance(content, bytes) else ""
    else:
        given |= dict(
            parse_qsl(body.decode("utf-8", "replace"), keep_blank_values=True)
        )
    return given


def _parsed(whole: bytes) -> EmailMessage:
    return BytesParser(EmailMessage, policy=HTTP).parsebytes(whole)
