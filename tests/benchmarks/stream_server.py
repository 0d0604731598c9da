"""Made-up changes and a server that sends them as fast as a client can read.

Everything is framed beforehand, so that the server is not what limits. Most events
are of wikis that nobody watches, as in the real stream: the share that passes the
filter is assumed, not measured.
"""

import json
import socket
import socketserver
import time
from contextlib import suppress
from datetime import UTC, datetime
from multiprocessing.connection import Connection

WIKI = "en.wikipedia.org"
EVENTS = 100_000
_BEGAN = 1_690_632_000
_HEAD = (
    b"HTTP/1.1 200 OK\r\nContent-Type: text/event-stream; charset=utf-8\r\n"
    b"Transfer-Encoding: chunked\r\n\r\n"
)
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
_ROUND = b"@@@@"  # in each id, replaced by the number of the round


def wanted_by_hand(event: dict[str, object]) -> bool:
    """Say what all clients filter by: human edits of articles of one wiki."""
    return (
        event.get("server_name") == WIKI
        and event.get("namespace") == 0
        and event.get("type") == "edit"
        and event.get("bot") is False
    )


def framed(number: int) -> bytes:
    """One event as it stands in the stream."""
    host = _WIKIS[number % len(_WIKIS)]
    at = _BEGAN + number // 50
    event = {
        "$schema": "/mediawiki/recentchange/1.0.0",
        "meta": {
            "uri": f"https://{host}/wiki/Clock_number_{number}",
            "request_id": f"5a0b2c1d-71f2-4a3e-8f1c-{number:012d}",
            "id": f"9f1e7c2a-@@@@-4b1d-9c55-{number:012d}",
            "dt": datetime.fromtimestamp(at, UTC).strftime("%Y-%m-%dT%H:%M:%SZ"),
            "domain": host,
            "stream": "mediawiki.recentchange",
            "topic": "eqiad.mediawiki.recentchange",
            "partition": 0,
            "offset": 4_820_784_717 + number,
        },
        "id": 1_659_529_639 + number,
        "type": ("edit", "edit", "edit", "log", "categorize")[number % 5],
        "namespace": (0, 0, 14, 0, 2, 0, 1)[number % 7],
        "title": f"Clock number {number}",
        "title_url": f"https://{host}/wiki/Clock_number_{number}",
        "comment": "/* Building and repairs */ the clock was repaired in that year" * 3,
        "timestamp": at,
        "user": f"Example user {number % 997}",
        "bot": number % 3 == 0,
        "notify_url": f"https://{host}/w/index.php?diff={number + 1}&oldid={number}",
        "minor": False,
        "length": {"old": 91_108, "new": 91_166},
        "revision": {"old": 1_166_824_248 + number, "new": 1_167_689_309 + number},
        "server_url": f"https://{host}",
        "server_name": host,
        "server_script_path": "/w",
        "wiki": "examplewiki",
        "parsedcomment": '<span dir="auto"><span class="autocomment">' + "clock " * 45,
    }
    identity = (
        '[{"topic":"eqiad.mediawiki.recentchange","partition":0,'
        f'"timestamp":{at * 1000 + 1}}},'
        '{"topic":"codfw.mediawiki.recentchange","partition":0,"offset":-1}]'
    )
    data = json.dumps(event, separators=(",", ":"))
    return f"event: message\nid: {identity}\ndata: {data}\n\n".encode()


class _Server(socketserver.ThreadingTCPServer):
    daemon_threads = True
    allow_reuse_address = True

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), _Handler)
        self.events = [framed(number) for number in range(EVENTS)]
        self.chunked = b"".join(map(_chunk, self.events))


class _Handler(socketserver.StreamRequestHandler):
    server: _Server

    def handle(self) -> None:
        path = self.rfile.readline().split(b" ")[1]
        while self.rfile.readline().strip():
            pass
        self.connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        with suppress(OSError):
            self.connection.sendall(_HEAD)
            if b"paced" in path:
                self._pace()
            for number in range(1000):
                text = self.server.chunked.replace(_ROUND, b"%04d" % number)
                self.connection.sendall(text)

    def _pace(self) -> None:
        """A thousand events a second, one in each packet."""
        began = time.perf_counter()
        for number, event in enumerate(self.server.events):
            late_s = began + number / 1000 - time.perf_counter()
            if late_s > 0:
                time.sleep(late_s)
            self.connection.sendall(_chunk(event))


def _chunk(text: bytes) -> bytes:
    return b"%x\r\n%b\r\n" % (len(text), text)


def serve(pipe: Connection) -> None:
    """Serve `/fast` (rounds after one another) and `/paced`; tell the port to `pipe`."""
    with _Server() as server:
        pipe.send(server.server_address[1])
        server.serve_forever()
