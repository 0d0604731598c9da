"""Made-up changes and a server that sends them as fast as a client can read.

Everything is framed beforehand, so that the server is not what limits. Most events
are of wikis that nobody watches, as in the real stream: the share that passes the
filter is assumed, not measured.
"""

import json
import socket
import socketserver
import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from functools import cached_property
from multiprocessing.connection import Connection

WIKI = "en.wikipedia.org"
EVENTS = 50_000  # different ones; what is asked for beyond them has newer revisions
_HEAD = (
    b"HTTP/1.1 200 OK\r\nContent-Type: text/event-stream; charset=utf-8\r\n"
    b"Transfer-Encoding: chunked\r\n\r\n"
)
_END = b"0\r\n\r\n"
_WIKIS = (
    *("www.wikidata.org",) * 9,
    *("commons.wikimedia.org",) * 7,
    WIKI,
    WIKI,
    "de.wikipedia.org",
    "fr.wikipedia.org",
    "ja.wikipedia.org",
    "es.wikipedia.org",
    "ru.wikipedia.org",
    "zh.wikipedia.org",
    "it.wikipedia.org",
    "pl.wikipedia.org",
)
_A_SECOND = 50  # events
_SENT_AT_ONCE = 500  # events
_ROUND = b"@@@@"  # in ids, times and revisions, replaced by a number
_FIRST_ROUND = 6900  # so that times begin in 2023
_TITLE = "Clock number {}"


def watched_titles() -> tuple[str, ...]:
    """Return 5,000 titles, evenly spread over wikis and kinds of events."""
    return tuple(
        _TITLE.format(number)
        for number in range(EVENTS)
        if number // len(_WIKIS) % 10 == 0
    )


def wanted_by_hand(event: dict[str, object]) -> bool:
    """Say what all clients filter by: human edits of articles of one wiki."""
    return (
        event.get("server_name") == WIKI
        and event.get("namespace") == 0
        and event.get("type") == "edit"
        and event.get("bot") is False
    )


def mixed(number: int) -> bytes:
    """One event as it stands in the stream of all wikis."""
    return framed(number, _WIKIS[number % len(_WIKIS)])


def of_one_wiki(number: int) -> bytes:
    """One event of a stream in which all are of the wiki that is wanted."""
    return framed(number, WIKI)


def framed(number: int, host: str) -> bytes:
    """One event of a wiki, with the mark of the round in it."""
    at = f"1@@@@{number // _A_SECOND:05d}"
    title = _TITLE.format(number)
    event = {
        "$schema": "/mediawiki/recentchange/1.0.0",
        "meta": {
            "uri": f"https://{host}/wiki/{title.replace(' ', '_')}",
            "request_id": f"5a0b2c1d-71f2-4a3e-8f1c-{number:012d}",
            "id": f"9f1e7c2a-@@@@-4b1d-9c55-{number:012d}",
            "dt": "2023-07-29T12:00:00.123Z",
            "domain": host,
            "stream": "mediawiki.recentchange",
            "topic": "eqiad.mediawiki.recentchange",
            "partition": 0,
            "offset": 4_820_784_717 + number,
        },
        "id": 1_659_529_639 + number,
        "type": ("edit", "edit", "edit", "log", "categorize")[number % 5],
        "namespace": (0, 0, 14, 0, 2, 0, 1)[number % 7],
        "title": title,
        "title_url": f"https://{host}/wiki/{title.replace(' ', '_')}",
        "comment": "/* Building and repairs */ the clock was repaired in that year" * 3,
        "timestamp": "#at#",
        "user": f"Example user {number % 997}",
        "bot": number % 3 == 0,
        "notify_url": f"https://{host}/w/index.php?diff={number + 1}&oldid={number}",
        "minor": False,
        "length": {"old": 91_108, "new": 91_166},
        "revision": {"old": 1_166_824_248 + number, "new": "#new#"},
        "server_url": f"https://{host}",
        "server_name": host,
        "server_script_path": "/w",
        "wiki": "examplewiki",
        "parsedcomment": '<span dir="auto"><span class="autocomment">' + "clock " * 45,
    }
    data = json.dumps(event, separators=(",", ":"))
    data = data.replace('"#at#"', at).replace('"#new#"', f"1@@@@{number:06d}")
    identity = (
        '[{"topic":"eqiad.mediawiki.recentchange","partition":0,'
        f'"timestamp":{at}001}},'
        '{"topic":"codfw.mediawiki.recentchange","partition":0,"offset":-1}]'
    )
    return f"event: message\nid: {identity}\ndata: {data}\n\n".encode()


class _Server(socketserver.ThreadingTCPServer):
    daemon_threads = True
    allow_reuse_address = True

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), _Handler)

    @cached_property
    def mixed(self) -> list[bytes]:
        return _chunked(mixed)

    @cached_property
    def of_one_wiki(self) -> list[bytes]:
        return _chunked(of_one_wiki)

    def sent(self, path: str) -> Iterator[bytes]:
        """Yield what `/fast-COUNT`, `/paced-COUNT-PER_S` or `/day-COUNT` gives.

        Each of the pieces is one chunk for each event, so that none is divided.
        """
        kind, count, *_ = path.strip("/").split("-")
        events = self.of_one_wiki if kind == "day" else self.mixed
        size = 1 if kind == "paced" else _SENT_AT_ONCE
        left = int(count)
        number = _FIRST_ROUND
        while left > 0:
            for at in range(0, min(left, EVENTS), size):
                text = b"".join(events[at : min(at + size, left)])
                yield text.replace(_ROUND, b"%04d" % number)
            left -= EVENTS
            number += 1


class _Handler(socketserver.StreamRequestHandler):
    server: _Server

    def handle(self) -> None:
        # Where a client would begin (`?since`) is nothing to this server.
        path = self.rfile.readline().split(b" ")[1].decode().partition("?")[0]
        while self.rfile.readline().strip():
            pass
        self.connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        with suppress(OSError):
            pieces = list(self.server.sent(path)) if "fast" in path else None
            self.connection.sendall(_HEAD)
            pace = _pace(float(path.rsplit("-", 1)[1])) if "paced" in path else None
            for piece in pieces or self.server.sent(path):
                if pace is not None:
                    pace()
                self.connection.sendall(piece)
            self.connection.sendall(_END)


def _pace(per_s: float) -> Callable[[], None]:
    """Return what waits until the next event is due."""
    due = time.perf_counter()

    def wait() -> None:
        nonlocal due
        time.sleep(max(due - time.perf_counter(), 0))
        due += 1 / per_s

    return wait


def _chunked(frame: Callable[[int], bytes]) -> list[bytes]:
    return [_chunk(frame(number)) for number in range(EVENTS)]


def _chunk(text: bytes) -> bytes:
    return b"%x\r\n%b\r\n" % (len(text), text)


def serve(pipe: Connection) -> None:
    """Serve on loopback; tell the port to `pipe`."""
    with _Server() as server:
        assert server.mixed and server.of_one_wiki  # noqa: PT018 - before anybody waits
        pipe.send(server.server_address[1])
        server.serve_forever()
