"""Bounds on what the other end of a connection may take: time, and places.

aiohttp waits for ever for the rest of a request's head, and for its body. Here each
connection passes through a guard, which knows what it is waiting for and since when; a
look at all of them, again and again, ends those that take too long. When there are too
many, those that have been idle longest go first: whoever asks for something now gets an
answer, however many others merely stay.
"""

import asyncio
import resource
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass
from enum import Enum
from ipaddress import ip_address

from aiohttp import web
from aiohttp.typedefs import Handler

_OTHER_FILES = 256  # that a process has open beside its connections
_Factory = Callable[[], asyncio.Protocol]


@dataclass(frozen=True, slots=True)
class Bounds:
    """How long the other end may take, and how many ends there may be.

    An address of this machine may stand for everybody whom a proxy lets in, so that
    `most_of_address` is not for it. `unread_s` is how long an answer may wait for its
    reader to take any of it.
    """

    head_s: float = 10.0
    body_s: float = 20.0
    idle_s: float = 15.0
    unread_s: float = 20.0
    most: int = 4096
    most_of_address: int = 256
    look_s: float = 0.5


class Waiting(Enum):
    """What a connection waits for."""

    HEAD = "head"  # the rest of a request's head, or a first byte at all
    BODY = "body"
    ANSWER = "answer"  # ours
    NEXT = "next"  # request


class Connection(asyncio.Protocol):
    """Stands between a transport and the protocol that answers on it."""

    def __init__(self, guard: "Connections", inner: asyncio.Protocol) -> None:
        self._guard = guard
        self._inner = inner
        self.transport: asyncio.Transport | None = None
        self.address = ""
        self.waits_for = Waiting.HEAD
        self.since = 0.0
        self.unread_since: float | None = None

    @property
    def is_idle(self) -> bool:
        """Whether no request of it is under way."""
        return self.waits_for in {Waiting.HEAD, Waiting.NEXT}

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """Let it in, unless there are too many."""
        assert isinstance(transport, asyncio.Transport)  # noqa: S101 - streams only
        self.transport = transport
        peer = transport.get_extra_info("peername")
        self.address = peer[0] if isinstance(peer, tuple) else ""
        self._inner.connection_made(transport)
        self._guard.came(self)

    def data_received(self, data: bytes) -> None:
        """Pass on what came; the first byte of a request starts its time."""
        if self.waits_for is Waiting.NEXT:
            self.wait_for(Waiting.HEAD)
        self._inner.data_received(data)

    def eof_received(self) -> bool | None:
        """Pass on that no more will come."""
        return self._inner.eof_received()

    def pause_writing(self) -> None:
        """Remember since when the other end takes nothing."""
        self.unread_since = self._guard.now()
        self._inner.pause_writing()

    def resume_writing(self) -> None:
        """Forget it."""
        self.unread_since = None
        self._inner.resume_writing()

    def connection_lost(self, exc: BaseException | None) -> None:
        """Forget all of it."""
        self._guard.went(self)
        self._inner.connection_lost(exc if isinstance(exc, Exception) else None)

    def wait_for(self, what: Waiting) -> None:
        """Remember what it waits for from now on."""
        self.waits_for = what
        self.since = self._guard.now()
        self._guard.changed(self)

    def end(self) -> None:
        """End it at once; what was not sent is lost."""
        if self.transport is not None:
            self.transport.abort()


class Connections:
    """All connections of a server.

    Args:
        bounds: in force.
        now: a clock that never goes back, in seconds.
    """

    def __init__(self, bounds: Bounds, now: Callable[[], float]) -> None:
        self._bounds = bounds
        self.now = now
        # By transport, for this is what a request knows.
        self._open: dict[asyncio.BaseTransport, Connection] = {}
        self._idle: dict[Connection, None] = {}  # in order, idle longest first
        self._by_address: dict[str, int] = {}

    def __len__(self) -> int:
        return len(self._open)

    def around(self, factory: _Factory) -> _Factory:
        """Return what makes guarded connections of those that `factory` makes."""
        return lambda: Connection(self, factory())

    @web.middleware
    async def watching(
        self, request: web.Request, handler: Handler
    ) -> web.StreamResponse:
        """Note how far a request is; belongs around all other middleware."""
        here = self._open.get(request.transport) if request.transport else None
        if here is None:
            return await handler(request)
        is_done = False

        def has_come() -> None:
            here.wait_for(Waiting.NEXT if is_done else Waiting.ANSWER)

        if _has_more(request):
            here.wait_for(Waiting.BODY)
            request.content.on_eof(has_come)
        else:
            has_come()
        try:
            return await handler(request)
        finally:
            is_done = True
            if here.waits_for is Waiting.ANSWER:
                here.wait_for(Waiting.NEXT)

    def changed(self, one: Connection) -> None:
        """Keep the order of those that are idle."""
        self._idle.pop(one, None)
        if one.is_idle and one.transport in self._open:
            self._idle[one] = None

    def came(self, new: Connection) -> None:
        """Count one more, and make room for it."""
        assert new.transport is not None  # noqa: S101 - it was just made
        self._open[new.transport] = new
        new.wait_for(Waiting.HEAD)
        of_address = self._by_address.get(new.address, 0) + 1
        self._by_address[new.address] = of_address
        if len(self._open) > self._bounds.most:
            self._end(next(iter(self._idle)))  # the new one, if no other is idle
        elif of_address > self._bounds.most_of_address and not _is_of_this_machine(
            new.address
        ):
            self._end(next(one for one in self._idle if one.address == new.address))

    def went(self, one: Connection) -> None:
        """Count one less."""
        self._idle.pop(one, None)
        if one.transport is None or self._open.pop(one.transport, None) is None:
            return
        left = self._by_address[one.address] - 1
        if left:
            self._by_address[one.address] = left
        else:
            del self._by_address[one.address]

    def _end(self, one: Connection) -> None:
        self.went(one)
        one.end()

    async def look_again_and_again(self) -> None:
        """End what takes too long, for as long as this runs."""
        while True:
            await asyncio.sleep(self._bounds.look_s)
            self.look()

    def look(self) -> None:
        """End what takes too long."""
        bounds, now = self._bounds, self.now()
        longest = {
            Waiting.HEAD: bounds.head_s,
            Waiting.BODY: bounds.body_s,
            Waiting.NEXT: bounds.idle_s,
        }
        late = [
            one
            for one in self._open.values()
            if now - one.since > longest.get(one.waits_for, float("inf"))
            or (
                one.unread_since is not None
                and now - one.unread_since > bounds.unread_s
            )
        ]
        for one in late:
            one.end()


def _has_more(request: web.Request) -> bool:
    """Tell whether some of the body has not come yet."""
    return request.body_exists and not request.content.is_eof()


def _is_of_this_machine(address: str) -> bool:
    try:
        return ip_address(address).is_loopback
    except ValueError:  # a socket without an address
        return True


def allow_files(connections: int) -> int:
    """Let this process open enough files; return how many connections there is room for."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    wanted = connections + _OTHER_FILES
    if hard != resource.RLIM_INFINITY:
        wanted = min(wanted, hard)
    if soft != resource.RLIM_INFINITY and soft < wanted:
        with suppress(ValueError, OSError):  # forbidden here: with what there is
            resource.setrlimit(resource.RLIMIT_NOFILE, (wanted, hard))
            soft = wanted
    if soft == resource.RLIM_INFINITY:
        return connections
    return max(1, min(connections, soft - _OTHER_FILES))


@asynccontextmanager
async def looked_after(connections: Connections) -> AsyncIterator[None]:
    """Look after the connections while the context is open."""
    looking = asyncio.create_task(connections.look_again_and_again())
    try:
        yield
    finally:
        looking.cancel()
        with suppress(asyncio.CancelledError):
            await looking
