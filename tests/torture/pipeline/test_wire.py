"""A write is held on the way while its sender ends, and a torture without that fails."""

import json
import socket
import threading
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import closing
from http.client import HTTPResponse
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, cast
from urllib.parse import urlencode

import pytest

from tests.rig.wiki.recorder import Recorder, recording
from tests.torture.pipeline.killing import Killer
from tests.torture.pipeline.phases import Phase
from tests.torture.pipeline.torture import too_few
from tests.torture.pipeline.wire import Where, Wire

_SOON_S = 20.0


class _Wiki(ThreadingHTTPServer):
    """Does every edit, and knows no page."""

    daemon_threads = True

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), _Handler)
        self.edits = 0


class _Handler(BaseHTTPRequestHandler):
    server: _Wiki

    def do_POST(self) -> None:
        sent = self.rfile.read(int(self.headers["Content-Length"]))
        is_edit = b"action=edit" in sent
        self.server.edits += is_edit
        body = json.dumps({"edit": {"result": "Success"}} if is_edit else {}).encode()
        self.send_response(200)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_: object) -> None:
        pass


@pytest.fixture
def wiki() -> Iterator[_Wiki]:
    served = _Wiki()
    thread = threading.Thread(target=served.serve_forever, args=(0.02,), daemon=True)
    thread.start()
    yield served
    served.shutdown()
    served.server_close()
    thread.join()


@pytest.fixture
def wire() -> Wire:
    return Wire(seed=1, questions=0, writes=0, life=1)


@pytest.fixture
def recorder(wiki: _Wiki, wire: Wire) -> Iterator[Recorder]:
    with recording() as recording_wiki:
        recording_wiki.wiki = f"127.0.0.1:{wiki.server_address[1]}"
        recording_wiki.plan = wire.plan()
        yield recording_wiki


def _sent(recorder: Recorder, agent: str, **form: str) -> socket.socket:
    """Send an edit, and return the connection on which its answer would come."""
    host, port = recorder.host.split(":")
    body = urlencode(form or {"action": "edit", "title": "Talk:A"})
    sender = socket.create_connection((host, int(port)), timeout=_SOON_S)
    sender.sendall(
        f"POST /w/api.php HTTP/1.1\r\nHost: {recorder.host}\r\nUser-Agent: {agent}\r\n"
        "Content-Type: application/x-www-form-urlencoded\r\n"
        f"Content-Length: {len(body)}\r\n\r\n{body}".encode()
    )
    return sender


@pytest.mark.parametrize(
    ("where", "done"),
    [(Where.LOST, (0, 0)), (Where.LATE, (0, 1)), (Where.DONE, (1, 1))],
)
def test_a_write_is_held_where_it_should_until_its_sender_has_ended(
    recorder: Recorder, wiki: _Wiki, wire: Wire, where: Where, done: tuple[int, int]
) -> None:
    hold = wire.catch(where)

    with closing(_sent(recorder, f"Sidenote (life {wire.life})")):
        assert hold.reached.wait(_SOON_S)
        assert wiki.edits == done[0]
        assert [one.action for one in recorder.unanswered()] == ["edit"]

    assert len(recorder.unanswered()) == 1
    hold.let_go.set()
    recorder.settle()
    assert wiki.edits == done[1]
    assert recorder.unanswered() == []


def test_what_an_earlier_life_sent_is_not_held_in_place_of_this_ones(
    recorder: Recorder, wire: Wire
) -> None:
    wire.life = 12
    hold = wire.catch(Where.DONE)

    with closing(_sent(recorder, "Sidenote (life 1)")) as sender:
        answer = HTTPResponse(sender)
        answer.begin()
        assert b'"Success"' in answer.read()

    assert not hold.reached.is_set()
    assert recorder.unanswered() == []


def test_a_look_that_is_held_counts_as_made_when_it_is_let_go(
    recorder: Recorder, wire: Wire
) -> None:
    look = {"action": "query", "titles": "\x1fTalk:A\x1fUser:Bot/Run/talk"}
    caught, others = wire.catch_look(["talk"]), wire.catch_look(["report"])

    with closing(_sent(recorder, "Sidenote (life 7)", **look)) as sender:
        assert caught.hold.reached.wait(_SOON_S)
        assert (caught.task, caught.life) == ("talk", 7)
        [came] = wire.steps
        before_s = time.monotonic()
        wire.let_go(caught)
        assert HTTPResponse(sender).fp.readline().startswith(b"HTTP/1.1 200")

    assert wire.steps[0] is came
    assert [one.at_s >= before_s for one in wire.steps[1:]] == [True]
    assert not others.hold.reached.is_set()


def test_a_write_is_held_while_somebody_saves_the_page(
    recorder: Recorder, wiki: _Wiki, wire: Wire
) -> None:
    caught = wire.catch_rival(["Talk:A"])
    form = {"action": "edit", "title": "Talk:A", "text": "All of it."}

    with closing(_sent(recorder, "Sidenote (life 7)", **form)):
        assert caught.hold.reached.wait(_SOON_S)
        assert (caught.title, wiki.edits) == ("Talk:A", 0)
        wire.let_go(caught)
        recorder.settle()

    assert wiki.edits == 1


@pytest.mark.parametrize(
    ("unanswered", "held", "faults"),
    [
        (100, (34, 33, 33), 0),
        (99, (33, 33, 33), 1),
        (400, (100, 0, 100), 1),
        (0, (0, 0, 0), 4),
    ],
)
def test_too_few_kills_while_a_write_is_unanswered_are_a_fault(
    wire: Wire, unanswered: int, held: tuple[int, int, int], faults: int
) -> None:
    nobody = cast(Any, None)
    killer = Killer(nobody, wire, nobody, seed=1, share=0.2, kills=500)
    killer.hit = Counter({Phase.WRITE: unanswered})
    killer.held = Counter(dict(zip(Where, held, strict=True)))

    assert len(list(too_few(killer, 100))) == faults
