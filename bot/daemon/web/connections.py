"""Limits how long clients may take, and how many may be connected.

uvicorn waits for ever for the rest of a request's head, and for its body. Here each
connection knows what it is waiting for and since when, and a regular check of all of
them ends those that take too long. When there are too many, those that have been idle
longest are closed first: a client with a request gets an answer, however many others
merely stay connected.
"""

import asyncio
import logging
import resource
from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass
from email.utils import formatdate
from enum import Enum
from ipaddress import ip_address

import structlog
from starlette.responses import PlainTextResponse
from starlette.types import ASGIApp
from uvicorn.config import Config
from uvicorn.protocols.http.h11_impl import H11Protocol, RequestResponseCycle
from uvicorn.server import ServerState

_OTHER_FILES = 256  # that a process has open besides its connections
_LONGEST_HEAD_BYTES = 16 * 1024


@dataclass(frozen=True, slots=True)
class Bounds:
    """How long clients may take, and how many may be connected.

    An address of this machine may be a proxy for everyone, so `most_of_address` does
    not apply to it. `unread_s` is how long an answer may wait without any of it being
    read, `grace_s` how long answers continue when the server ends.
    """

    head_s: float = 10.0
    body_s: float = 20.0
    idle_s: float = 15.0
    unread_s: float = 20.0
    most: int = 4096
    most_of_address: int = 256
    check_s: float = 0.5
    grace_s: float = 1.0


class Waiting(Enum):
    """What a connection waits for."""

    HEAD = "head"  # the rest of a request's head, or its first byte
    BODY = "body"
    ANSWER = "answer"  # ours
    NEXT = "next"  # request


class Connection(H11Protocol):
    """Speaks HTTP on one connection, and notes what it waits for."""

    def __init__(self, connections: "Connections") -> None:
        super().__init__(connections.config, connections.state, app_state={})
        self.logger = _BrokenRequests()
        self._all = connections
        self.address = ""
        self.waits_for = Waiting.HEAD
        self.since = 0.0
        self.unread_since: float | None = None

    @property
    def is_idle(self) -> bool:
        """Whether no request is in progress."""
        return self.waits_for in {Waiting.HEAD, Waiting.NEXT}

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """Accept it, unless there are too many."""
        super().connection_made(transport)
        self.address = self.client[0] if self.client else ""
        self.since = self._all.now()
        self._all.add(self)

    def data_received(self, data: bytes) -> None:
        """Pass on what came; the first byte of a request starts its time."""
        if self.waits_for is Waiting.NEXT:
            self._wait_for(Waiting.HEAD)
        super().data_received(data)
        self._note()

    def on_response_complete(self) -> None:
        """Continue with the next request."""
        super().on_response_complete()
        self._note()

    def pause_writing(self) -> None:
        """Remember since when the client has read nothing."""
        self.unread_since = self._all.now()
        super().pause_writing()

    def resume_writing(self) -> None:
        """Forget it."""
        self.unread_since = None
        super().resume_writing()

    def connection_lost(self, exc: Exception | None) -> None:
        """Forget everything."""
        self._all.discard(self)
        super().connection_lost(exc)

    def send_400_response(self, msg: str) -> None:
        """Answer something that is not a request, in our words and with our headers."""
        del msg
        cycle: RequestResponseCycle | None = self.cycle
        if cycle is not None and not cycle.response_complete:
            if cycle.response_started:
                self.end()
                return
            cycle.disconnected = True
        answer = PlainTextResponse(
            "400 Bad Request\n", 400, {**self._all.headers, "Connection": "close"}
        )
        lines = [b"HTTP/1.1 400 Bad Request"]
        lines += [name + b": " + value for name, value in answer.raw_headers]
        self.transport.write(b"\r\n".join([*lines, b"", bytes(answer.body)]))
        self.transport.close()

    def end(self) -> None:
        """End it at once; what was not sent is lost."""
        self.transport.abort()

    def _note(self) -> None:
        """Note what it waits for now."""
        cycle: RequestResponseCycle | None = self.cycle
        if cycle is None:
            return
        if cycle.more_body:
            self._wait_for(Waiting.BODY)
        elif not cycle.response_complete:
            self._wait_for(Waiting.ANSWER)
        elif self.waits_for is not Waiting.HEAD:
            self._wait_for(Waiting.NEXT)

    def _wait_for(self, what: Waiting) -> None:
        if what is not self.waits_for:
            self.waits_for = what
            self.since = self._all.now()
            self._all.note(self)


class _BrokenRequests(logging.Logger):
    """Takes uvicorn's log records, and passes on only the kind of error.

    Anything else in them could be someone's token or address.
    """

    def __init__(self) -> None:
        super().__init__("bot.daemon.web", logging.WARNING)

    def handle(self, record: logging.LogRecord) -> None:
        """Note one."""
        kind = record.exc_info[0] if record.exc_info else None
        if kind is asyncio.CancelledError:  # the server ends
            return
        structlog.get_logger().info(
            "request could not be read", kind=kind.__name__ if kind else "unknown"
        )


class Connections:
    """All connections of a server.

    Args:
        app: answers requests.
        bounds: in force.
        now: a monotonic clock, in seconds.
        headers: of the answer to something that is not a request.
    """

    def __init__(
        self,
        app: ASGIApp,
        bounds: Bounds,
        now: Callable[[], float],
        headers: Mapping[str, str],
    ) -> None:
        self.now = now
        self.headers = headers
        self.state = ServerState()
        self.config = Config(
            app,
            http="h11",
            ws="none",
            lifespan="off",
            interface="asgi3",
            log_config=None,
            access_log=False,
            proxy_headers=False,
            server_header=False,
            timeout_keep_alive=int(bounds.idle_s) + 1,
            h11_max_incomplete_event_size=_LONGEST_HEAD_BYTES,
        )
        self.config.load()
        self._bounds = bounds
        self._open: set[Connection] = set()
        self._idle: dict[Connection, None] = {}  # in order, idle longest first
        self._by_address: dict[str, int] = {}

    def __len__(self) -> int:
        return len(self._open)

    def connection(self) -> Connection:
        """Return the protocol of a new connection."""
        return Connection(self)

    def note(self, one: Connection) -> None:
        """Keep the order of idle connections."""
        self._idle.pop(one, None)
        if one.is_idle and one in self._open:
            self._idle[one] = None

    def add(self, new: Connection) -> None:
        """Count one more, and make room for it."""
        self._open.add(new)
        self._idle[new] = None
        of_address = self._by_address.get(new.address, 0) + 1
        self._by_address[new.address] = of_address
        if len(self._open) > self._bounds.most:
            self._end(next(iter(self._idle)))  # the new one, if no other is idle
        elif of_address > self._bounds.most_of_address and not _is_of_this_machine(
            new.address
        ):
            self._end(next(one for one in self._idle if one.address == new.address))

    def discard(self, one: Connection) -> None:
        """Count one fewer."""
        self._idle.pop(one, None)
        if one not in self._open:
            return
        self._open.remove(one)
        left = self._by_address[one.address] - 1
        if left:
            self._by_address[one.address] = left
        else:
            del self._by_address[one.address]

    def _end(self, one: Connection) -> None:
        self.discard(one)
        one.end()

    def end_late(self) -> None:
        """End connections that take too long."""
        bounds, now = self._bounds, self.now()
        longest = {
            Waiting.HEAD: bounds.head_s,
            Waiting.BODY: bounds.body_s,
            Waiting.NEXT: bounds.idle_s,
        }
        late = [
            one
            for one in self._open
            if now - one.since > longest.get(one.waits_for, float("inf"))
            or (
                one.unread_since is not None
                and now - one.unread_since > bounds.unread_s
            )
        ]
        for one in late:
            one.end()

    @asynccontextmanager
    async def supervised(self) -> AsyncIterator[None]:
        """Look after the connections while the context is open, then end them."""
        self._set_date()
        checking = asyncio.create_task(self._check())
        try:
            yield
        finally:
            checking.cancel()
            with suppress(asyncio.CancelledError):
                await checking
            await self._shut()

    async def _check(self) -> None:
        while True:
            await asyncio.sleep(self._bounds.check_s)
            self._set_date()
            self.end_late()

    def _set_date(self) -> None:
        date = formatdate(usegmt=True).encode()
        self.state.default_headers = [(b"date", date)]

    async def _shut(self) -> None:
        for one in list(self._open):
            one.shutdown()
        for _ in range(2):  # to end by themselves, then after being cancelled
            tasks = list(self.state.tasks)
            if tasks:
                await asyncio.wait(tasks, timeout=self._bounds.grace_s)
            for task in self.state.tasks:
                task.cancel()
        for one in list(self._open):
            one.end()


def _is_of_this_machine(address: str) -> bool:
    try:
        return ip_address(address).is_loopback
    except ValueError:  # a socket without an address
        return True


def allow_files(connections: int) -> int:
    """Let this process open enough files; return how many connections fit."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    wanted = connections + _OTHER_FILES
    if hard != resource.RLIM_INFINITY:
        wanted = min(wanted, hard)
    if soft != resource.RLIM_INFINITY and soft < wanted:
        with suppress(ValueError, OSError):  # forbidden here: use what there is
            resource.setrlimit(resource.RLIMIT_NOFILE, (wanted, hard))
            soft = wanted
    if soft == resource.RLIM_INFINITY:
        return connections
    return max(1, min(connections, soft - _OTHER_FILES))
